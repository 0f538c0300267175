//! How the languages write comments and texts.

/// What a scanner must know of a language.
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
    /// One may stand in another.
    Nested,
}

/// Which marks enclose texts, and where those end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuoteStyle {
    /// `'` and `"`, ending at the line, or thrice over many lines.
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
