//! Cuts the text of a program into words, marks and texts in quotes, without comments.

/// A piece of a program.
#[derive(Debug, Clone, Copy)]
pub(super) struct CodeToken<'a> {
    pub(super) kind: CodeTokenKind,
    /// The text itself; for a text in quotes the part between them.
    pub(super) text: &'a str,
    /// Line, counted from 1.
    pub(super) line: usize,
    /// Column at which the first piece of its line begins.
    pub(super) indent: usize,
}

/// Kind of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeTokenKind {
    /// A name, a keyword or a number.
    Word,
    /// A text in quotes.
    Text,
    /// Single character of any other kind.
    Mark,
}

/// Parts of a program that may go over several lines: begin, end, and the mark of the comments in languages that have them.
const LONG_PARTS: [[&str; 3]; 4] = [
    ["/*", "*/", "//"],
    ["`", "`", "//"],
    ["\"\"\"", "\"\"\"", "#"],
    ["'''", "'''", "#"],
];

/// Returns the tokens of a text; `comments` begin a comment to the end of its line. Quotes end at the line, other than the long ones.
pub(super) fn tokens<'a>(text: &'a str, comments: &[String]) -> Vec<CodeToken<'a>> {
    let known = LONG_PARTS
        .iter()
        .filter(|[.., comment]| comments.iter().any(|mark| mark == comment));
    // A part that is never closed is none; the last place that closes one keeps the search short.
    let longs = known.filter_map(|[open, close, _]| Some((*open, *close, text.len() - text.rfind(close)?)));
    let longs: Vec<_> = longs.collect();
    let mut scanner = CodeScanner {
        rest: text,
        line: 1,
        column: 0,
        indent: None,
        tokens: Vec::new(),
    };
    while let Some(first) = scanner.rest.chars().next() {
        let rest = scanner.rest;
        let begins = |mark: &String| !mark.is_empty() && rest.starts_with(mark);
        let long = longs
            .iter()
            .find(|(open, _, last)| rest.starts_with(open) && rest.len().saturating_sub(open.len()) >= *last);
        match long {
            _ if first.is_whitespace() => drop(scanner.take(first.len_utf8())),
            _ if comments.iter().any(begins) => drop(scanner.take_until(|letter| letter == '\n')),
            Some((open, close, _)) => scanner.long_part(open, close),
            None if matches!(first, '"' | '\'') => scanner.quote(first),
            None if is_of_word(first) => scanner.push(CodeTokenKind::Word, |own| {
                own.take_until(|letter| !is_of_word(letter))
            }),
            None => scanner.push(CodeTokenKind::Mark, |own| own.take(first.len_utf8())),
        }
    }
    scanner.tokens
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

struct CodeScanner<'a> {
    rest: &'a str,
    line: usize,
    column: usize,
    /// Column of the first token of this line.
    indent: Option<usize>,
    tokens: Vec<CodeToken<'a>>,
}

impl<'a> CodeScanner<'a> {
    /// Takes a number of bytes from the rest.
    fn take(&mut self, n_bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(n_bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        self.column += taken.len();
        if let Some(last) = taken.rfind('\n') {
            self.line += taken.matches('\n').count();
            self.column = taken.len() - last - 1;
            self.indent = None;
        }
        taken
    }

    fn take_until(&mut self, is_end: impl Fn(char) -> bool) -> &'a str {
        let n_bytes = self.rest.find(is_end).unwrap_or(self.rest.len());
        self.take(n_bytes)
    }

    /// Adds a token that begins here.
    fn push(&mut self, kind: CodeTokenKind, take: impl FnOnce(&mut CodeScanner<'a>) -> &'a str) {
        let (line, indent) = (self.line, *self.indent.get_or_insert(self.column));
        let text = take(self);
        self.tokens.push(CodeToken {
            kind,
            text,
            line,
            indent,
        });
    }

    /// Reads a comment or a text over several lines.
    fn long_part(&mut self, open: &str, close: &str) {
        let take = |own: &mut CodeScanner<'a>| {
            own.take(open.len());
            let n_bytes = own.rest.find(close).unwrap_or(own.rest.len());
            let inner = own.take(n_bytes);
            own.take(close.len());
            inner
        };
        if open == "/*" {
            take(self);
        } else {
            self.push(CodeTokenKind::Text, take);
        }
    }

    /// Reads a text with backslashes between two marks.
    fn quote(&mut self, mark: char) {
        self.push(CodeTokenKind::Text, |own| {
            own.take(1);
            let mut is_escaped = false;
            let end = own.rest.find(|letter| {
                let is_end = !is_escaped && (letter == mark || letter == '\n');
                is_escaped = letter == '\\' && !is_escaped;
                is_end
            });
            let inner = own.take(end.unwrap_or(own.rest.len()));
            if own.rest.starts_with(mark) {
                own.take(1);
            }
            inner
        });
    }
}
