//! Forms of comments and texts in the languages.

/// Rules of a language for the scanner.
#[derive(Debug, Clone, Copy)]
pub(super) struct Syntax<'a> {
    pub(super) line_comments: &'a [&'a str],
    pub(super) block_comments: BlockComments,
    pub(super) quotes: QuoteStyle,
}

/// Comments between `/*` and `*/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockComments {
    None,
    Plain,
    /// Comments that may hold others.
    Nested,
}

/// Marks that enclose texts, and the ends of those.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuoteStyle {
    /// `'` and `"`, ending at the line, or three of them over many lines.
    Python,
    /// `"` over many lines, raw texts, characters, lifetimes.
    Rust,
    /// `'` and `"`, templates, regular expressions.
    JavaScript,
    /// `"`, raw texts between backticks, characters.
    Go,
    /// `'` and `"`, ending at the line.
    Plain,
}

pub(super) const PYTHON: Syntax<'static> = Syntax {
    line_comments: &["#"],
    block_comments: BlockComments::None,
    quotes: QuoteStyle::Python,
};

pub(super) const RUST: Syntax<'static> = Syntax {
    line_comments: &["//"],
    block_comments: BlockComments::Nested,
    quotes: QuoteStyle::Rust,
};

pub(super) const JAVASCRIPT: Syntax<'static> = Syntax {
    line_comments: &["//"],
    block_comments: BlockComments::Plain,
    quotes: QuoteStyle::JavaScript,
};

pub(super) const GO: Syntax<'static> = Syntax {
    line_comments: &["//"],
    block_comments: BlockComments::Plain,
    quotes: QuoteStyle::Go,
};
