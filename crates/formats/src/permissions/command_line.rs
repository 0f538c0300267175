//! Command lines as far as a rule has to understand them: whether one is certainly a single simple command, and where in one a pattern
//! could apply. This is not a shell; a command it is not sure of is not a simple command.

use super::glob;

/// Words with which a shell begins something else than a simple command.
const KEYWORDS: &[&str] = &[
    "!", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "foreach", "function", "if",
    "in", "repeat", "select", "then", "time", "until", "while",
];

/// Characters allowed outside of quotes beside letters and digits. A shell may replace, redirect or end a command at the rest.
const PLAIN: &[char] = &['-', '_', '.', '/', ':', ',', '@', '%', '+', '='];

/// Characters that end a command, or begin another one inside of it.
const SEPARATORS: &[char] = &[';', '|', '&', '\n', '\r', '(', ')', '{', '}', '`', '<', '>', '#'];

/// Returns the command with single blanks outside of quotes, if it is certainly one simple command: a program and its arguments, and
/// nothing that a shell replaces, redirects or runs beside it.
pub(super) fn simple_command(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut quote = None;
    for c in text.trim_matches([' ', '\t']).chars() {
        let fits = match quote {
            None => c.is_alphanumeric() || PLAIN.contains(&c) || matches!(c, ' ' | '\t' | '\'' | '"'),
            Some('"') => !c.is_control() && !matches!(c, '$' | '`' | '\\' | '!'),
            Some(_) => !c.is_control(),
        };
        if !fits {
            return None;
        }
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
        let is_blank = quote.is_none() && matches!(c, ' ' | '\t');
        if !(is_blank && out.ends_with(' ')) {
            out.push(if is_blank { ' ' } else { c });
        }
    }
    let program = out.split(' ').next().unwrap_or_default();
    let is_program = !program.is_empty() && !program.contains('=') && !KEYWORDS.contains(&program);
    (quote.is_none() && is_program).then_some(out)
}

/// Returns true if the pattern fits anywhere in the command: at its start, or behind anything that may begin a command, a word or a part of
/// a path, inside of quotes too. It rather fits too often.
pub(super) fn fits_anywhere(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (unquoted(pattern), unquoted(text));
    let first = pattern.split('*').next().unwrap_or_default();
    // Such a pattern matches anything before: a try at the start of each command is all it needs.
    if first.is_empty() {
        return glob::fits(&pattern, &text)
            || text
                .split(SEPARATORS)
                .any(|part| glob::fits(&pattern, part.trim_end()));
    }
    let mut before = None;
    text.char_indices().any(|(at, _)| {
        let rest = text.get(at..).unwrap_or_default();
        let begins = before.is_none_or(|before: char| !is_of_word(before));
        before = rest.chars().next();
        begins && rest.starts_with(first) && {
            let command = rest.split(SEPARATORS).next().unwrap_or_default().trim_end();
            glob::fits(&pattern, rest) || glob::fits(&pattern, command)
        }
    })
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// Returns the text without the characters that a shell takes away from words, with single blanks, in small letters: some systems look up
/// programs so.
fn unquoted(text: &str) -> String {
    let text = text
        .replace("\\\n", "")
        .replace("${IFS}", " ")
        .replace("$IFS", " ");
    let mut out = String::new();
    for c in text.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')) {
        let c = if c == '\t' { ' ' } else { c };
        if !(c == ' ' && out.ends_with(' ')) {
            out.extend(c.to_lowercase());
        }
    }
    out.trim().to_owned()
}
