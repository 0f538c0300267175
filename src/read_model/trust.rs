//! What of a project's files starts programs or steers agents, and whether the person trusts it, as plain values.

/// Everything in a project's files that a person trusts or does not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrustOverview {
    /// Whether all of it is trusted as it stands.
    pub is_trusted: bool,
    /// The hash by which all of it is trusted; nothing where it cannot be read.
    pub hash: Option<String>,
    /// What is not trusted, or why it cannot be read; one line.
    pub notice: String,
    /// The most dangerous first.
    pub texts: Vec<TrustText>,
}

/// One setting, script or workflow of a project's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustText {
    /// One word for what it can do.
    pub kind: String,
    pub name: String,
    /// File and line.
    pub place: String,
    /// One word for how it differs from what was trusted.
    pub change: String,
    /// Whether it is as it was trusted.
    pub is_same: bool,
    /// What it says; where it differs from what was trusted, the lines that differ.
    pub lines: Vec<String>,
}
