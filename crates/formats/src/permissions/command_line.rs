//! Command lines as far as a rule has to understand them: whether one is a single simple command for certain, and where in one a
//! pattern could apply. It is no shell; what it is not sure of is no simple command.

use super::glob;

/// Words with which a shell begins something else than a simple command.
const KEYWORDS: &[&str] = &[
    "!", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "foreach", "function", "if",
    "in", "repeat", "select", "then", "time", "until", "while",
];

/// What may stand outside of quotes beside letters and digits. The rest a shell may replace, redirect or end a command at.
const PLAIN: &[char] = &['-', '_', '.', '/', ':', ',', '@', '%', '+', '='];

/// What ends a command, or begins another one inside of it.
const SEPARATORS: &[char] = &[';', '|', '&', '\n', '\r', '(', ')', '{', '}', '`', '<', '>', '#'];

/// The command with single blanks outside of quotes, if it is one simple command for certain: a program and its arguments, and
/// nothing a shell replaces, redirects or runs beside it.
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

/// Whether the pattern fits anywhere in the command: at its begin, or behind anything that may begin a command, a word or a part of a
/// path, inside of quotes too. It rather fits too often.
pub(super) fn fits_anywhere(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (unquoted(pattern), unquoted(text));
    let first = pattern.split('*').next().unwrap_or_default();
    // Such a pattern takes in whatever stands before: a try at the begin of each command is all it needs.
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

/// Without what a shell takes away from words, with single blanks, in small letters: some systems look up programs so.
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
