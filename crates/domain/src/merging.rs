//! Form in which finished work comes to its base.

use serde::{Deserialize, Serialize};

use super::time::Timestamp;

/// Form of the commits by which the engine brings the work of a task to its base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MergeStyle {
    /// A merge commit whose second parent is the head of the work.
    #[default]
    Merge,
    /// A single commit with all of the work.
    Squash,
    /// The commits of the work, made anew on the base; one commit where they cannot be made one by one.
    Rebase,
}

/// End of the way of finished work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MergeVia {
    /// The engine pushes the merge to the base.
    #[default]
    Push,
    /// The branch of the task is pushed, and others merge it.
    Branch,
}

/// Work that was finished and left on its branch for others to merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handover {
    pub branch: String,
    /// Time of the next look whether the base has the work.
    pub at: Timestamp,
    /// Number of looks so far.
    pub n_looks: u32,
    /// Person who said that the base has the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said_by: Option<String>,
}

/// Settings of the engine's own merges.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MergeRules {
    pub via: MergeVia,
    pub style: MergeStyle,
    /// Template of the message; the engine's own words where there is none.
    pub message: Option<String>,
}
