//! Cuts the text of a program into words, marks and texts in quotes, without comments.

use super::syntax::{BlockComments, QuoteStyle, Syntax};

/// A piece of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CodeToken<'a> {
    pub(super) kind: CodeTokenKind,
    /// The text itself; for a text in quotes the part between them.
    pub(super) text: &'a str,
    /// Line, counted from 1.
    pub(super) line: usize,
    /// Column of the first letter, if it is the first of its line.
    pub(super) indent: Option<usize>,
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

impl CodeToken<'_> {
    pub(super) fn is_mark(&self, mark: char) -> bool {
        self.kind == CodeTokenKind::Mark && self.text.starts_with(mark)
    }
}

/// Returns the tokens of a text.
pub(super) fn tokens<'a>(text: &'a str, syntax: Syntax<'_>) -> Vec<CodeToken<'a>> {
    CodeScanner::new(text, syntax).tokens()
}

struct CodeScanner<'a, 'b> {
    text: &'a str,
    syntax: Syntax<'b>,
    at: usize,
    line: usize,
    line_start: usize,
    /// True if a token of this line was found.
    has_token: bool,
    tokens: Vec<CodeToken<'a>>,
}

impl<'a, 'b> CodeScanner<'a, 'b> {
    fn new(text: &'a str, syntax: Syntax<'b>) -> CodeScanner<'a, 'b> {
        CodeScanner {
            text,
            syntax,
            at: 0,
            line: 1,
            line_start: 0,
            has_token: false,
            tokens: Vec::new(),
        }
    }

    fn tokens(mut self) -> Vec<CodeToken<'a>> {
        while let Some(letter) = self.peek() {
            if letter.is_whitespace() {
                self.bump();
            } else if self.syntax.line_comments.iter().any(|mark| self.sees(mark)) {
                self.skip_until(|letter| letter == '\n');
            } else if self.syntax.block_comments != BlockComments::None && self.sees("/*") {
                self.block_comment();
            } else if letter.is_alphanumeric() || letter == '_' || letter == '$' {
                self.word();
            } else if matches!(letter, '\'' | '"' | '`') {
                self.quote(letter);
            } else if letter == '/' && self.syntax.quotes == QuoteStyle::JavaScript && self.may_begin_regex()
            {
                self.regex();
            } else {
                let start = self.at;
                let place = self.place();
                self.bump();
                self.push(CodeTokenKind::Mark, (start, self.at), place);
            }
        }
        self.tokens
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        match self.text.as_bytes().get(self.at) {
            // Nearly all characters are ASCII, and known without being decoded.
            Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
            _ => self.rest().chars().next(),
        }
    }

    fn sees(&self, words: &str) -> bool {
        let rest = self.text.as_bytes().get(self.at..);
        rest.is_some_and(|rest| rest.starts_with(words.as_bytes()))
    }

    fn bump(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at += letter.len_utf8();
        if letter == '\n' {
            self.line += 1;
            self.line_start = self.at;
            self.has_token = false;
        }
        Some(letter)
    }

    fn skip_until(&mut self, is_end: impl Fn(char) -> bool) {
        while self.peek().is_some_and(|letter| !is_end(letter)) {
            self.bump();
        }
    }

    /// Returns line and indent of a token that begins here.
    fn place(&mut self) -> (usize, Option<usize>) {
        let indent = (!self.has_token).then_some(self.at - self.line_start);
        self.has_token = true;
        (self.line, indent)
    }

    fn push(
        &mut self,
        kind: CodeTokenKind,
        (start, end): (usize, usize),
        (line, indent): (usize, Option<usize>),
    ) {
        let text = self.text.get(start..end).unwrap_or_default();
        self.tokens.push(CodeToken {
            kind,
            text,
            line,
            indent,
        });
    }

    fn block_comment(&mut self) {
        let mut depth = 0_usize;
        while self.peek().is_some() {
            if self.sees("*/") {
                depth = depth.saturating_sub(1);
                self.at += 2;
                if depth == 0 {
                    return;
                }
            } else if self.sees("/*") && (depth == 0 || self.syntax.block_comments == BlockComments::Nested) {
                depth += 1;
                self.at += 2;
            } else {
                self.bump();
            }
        }
    }

    fn word(&mut self) {
        let start = self.at;
        let place = self.place();
        self.skip_until(|letter| !letter.is_alphanumeric() && letter != '_' && letter != '$');
        let word = self.text.get(start..self.at).unwrap_or_default();
        let is_raw_rust = self.syntax.quotes == QuoteStyle::Rust && matches!(word, "r" | "br" | "cr");
        if is_raw_rust && (self.sees("\"") || self.sees("#")) {
            if self.raw_rust(place) {
                return;
            }
        } else if self.is_prefix(word) {
            // The quote that follows is the token.
            return self.quote_at(self.peek().unwrap_or('"'), place);
        }
        self.push(CodeTokenKind::Word, (start, self.at), place);
    }

    /// Returns true if a word belongs to the quote that follows it: `b"..."`, `rf'...'`.
    fn is_prefix(&self, word: &str) -> bool {
        let is_quote = self.sees("\"") || self.sees("'");
        match self.syntax.quotes {
            QuoteStyle::Python => {
                let is_letter = |letter: char| "rRbBfFuUtT".contains(letter);
                is_quote && word.len() <= 2 && word.chars().all(is_letter)
            }
            QuoteStyle::Rust => is_quote && matches!(word, "b" | "c"),
            _ => false,
        }
    }

    fn quote(&mut self, mark: char) {
        let place = self.place();
        self.quote_at(mark, place);
    }

    fn quote_at(&mut self, mark: char, place: (usize, Option<usize>)) {
        match (self.syntax.quotes, mark) {
            (QuoteStyle::Python, _) if self.sees("\"\"\"") || self.sees("'''") => self.triple(mark, place),
            (QuoteStyle::Rust, '\'') => self.rust_character(place),
            (QuoteStyle::Rust, '"') => self.enclosed(mark, true, place),
            (QuoteStyle::JavaScript, '`') => self.template(place),
            (QuoteStyle::Go, '`') => {
                self.bump();
                let start = self.at;
                self.skip_until(|letter| letter == '`');
                self.push(CodeTokenKind::Text, (start, self.at), place);
                self.bump();
            }
            (QuoteStyle::Python | QuoteStyle::Plain | QuoteStyle::Rust, '`') => {
                let start = self.at;
                self.bump();
                self.push(CodeTokenKind::Mark, (start, self.at), place);
            }
            _ => self.enclosed(mark, false, place),
        }
    }

    /// Reads a text with backslashes between two marks.
    fn enclosed(&mut self, mark: char, is_over_lines: bool, place: (usize, Option<usize>)) {
        self.bump();
        let start = self.at;
        while let Some(letter) = self.peek() {
            if letter == mark || (letter == '\n' && !is_over_lines) {
                break;
            }
            self.bump();
            if letter == '\\' {
                self.bump();
            }
        }
        self.push(CodeTokenKind::Text, (start, self.at), place);
        if self.peek() == Some(mark) {
            self.bump();
        }
    }

    fn triple(&mut self, mark: char, place: (usize, Option<usize>)) {
        let end = mark.to_string().repeat(3);
        self.at += 3;
        let start = self.at;
        while self.peek().is_some() && !self.sees(&end) {
            if self.bump() == Some('\\') {
                self.bump();
            }
        }
        self.push(CodeTokenKind::Text, (start, self.at), place);
        if self.sees(&end) {
            self.at += 3;
        }
        self.has_token = true;
    }

    /// Reads a character such as `'a'`, or of a lifetime only the mark.
    fn rust_character(&mut self, place: (usize, Option<usize>)) {
        let mut letters = self.rest().chars().skip(1);
        let (first, second) = (letters.next(), letters.next());
        if first == Some('\\') || second == Some('\'') {
            return self.enclosed('\'', false, place);
        }
        let start = self.at;
        self.bump();
        self.push(CodeTokenKind::Mark, (start, self.at), place);
    }

    /// Reads the rest of `r#"..."#` behind its `r`; false for `r#name`.
    fn raw_rust(&mut self, place: (usize, Option<usize>)) -> bool {
        let hashes = self.rest().bytes().take_while(|byte| *byte == b'#').count();
        if self.rest().as_bytes().get(hashes) != Some(&b'"') {
            return false;
        }
        let end = format!("\"{}", "#".repeat(hashes.min(255)));
        self.at += hashes + 1;
        let start = self.at;
        while self.peek().is_some() && !self.sees(&end) {
            self.bump();
        }
        self.push(CodeTokenKind::Text, (start, self.at), place);
        self.at = (self.at + end.len()).min(self.text.len());
        true
    }

    /// Reads a template of JavaScript with everything in it.
    fn template(&mut self, place: (usize, Option<usize>)) {
        self.bump();
        let start = self.at;
        // Open braces of each expression around the place.
        let mut open: Vec<usize> = Vec::new();
        while let Some(letter) = self.peek() {
            match (letter, open.last_mut()) {
                ('\\', _) => {
                    self.bump();
                }
                ('`', None) => break,
                ('$', _) if self.sees("${") => {
                    open.push(0);
                    self.bump();
                }
                ('{', Some(depth)) => *depth += 1,
                ('}', Some(0)) => {
                    open.pop();
                }
                ('}', Some(depth)) => *depth -= 1,
                _ => {}
            }
            self.bump();
        }
        self.push(CodeTokenKind::Text, (start, self.at), place);
        self.bump();
        self.has_token = true;
    }

    /// Returns true if a slash here begins a regular expression rather than divides.
    fn may_begin_regex(&self) -> bool {
        let Some(last) = self.tokens.last() else {
            return true;
        };
        match last.kind {
            CodeTokenKind::Text => false,
            CodeTokenKind::Word => matches!(
                last.text,
                "return" | "typeof" | "case" | "in" | "of" | "await" | "void"
            ),
            CodeTokenKind::Mark => !matches!(last.text, ")" | "]" | "}" | "<"),
        }
    }

    fn regex(&mut self) {
        let place = self.place();
        self.bump();
        let start = self.at;
        let mut is_in_class = false;
        while let Some(letter) = self.peek() {
            match letter {
                '\n' => break,
                '/' if !is_in_class => break,
                '[' => is_in_class = true,
                ']' => is_in_class = false,
                '\\' => {
                    self.bump();
                }
                _ => {}
            }
            self.bump();
        }
        self.push(CodeTokenKind::Text, (start, self.at), place);
        if self.peek() == Some('/') {
            self.bump();
        }
    }
}
