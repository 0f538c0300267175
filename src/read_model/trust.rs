//! Parts of a project's files that start programs or steer agents, and whether the person trusts them, as plain values.

/// Everything in a project's files that a person trusts or does not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrustOverview {
    /// True if all of it is trusted in its present form.
    pub is_trusted: bool,
    /// The hash by which all of it is trusted; `None` if it cannot be read.
    pub hash: Option<String>,
    /// Notice of what is not trusted, or why it cannot be read; one line.
    pub notice: String,
    /// The most dangerous first.
    pub texts: Vec<TrustText>,
}

/// Setting, script or workflow of a project's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustText {
    /// Word for its danger.
    pub kind: String,
    pub name: String,
    /// File and line.
    pub place: String,
    /// Word for its difference from what was trusted.
    pub change: String,
    /// True if it is the same as what was trusted.
    pub is_same: bool,
    /// Lines of the text; if it differs from what was trusted, the lines that differ.
    pub lines: Vec<String>,
}
