//! Where a person stands in the list of what a project's files would start.

use crate::domain::Timestamp;

/// The state of the list of texts to trust: which is marked, and whether it is read in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TrustReview {
    /// When it was opened.
    pub(crate) opened: Timestamp,
    /// Which text is marked, from 0.
    pub(crate) marked: usize,
    /// The first line shown of the marked text, while it is read in full.
    pub(crate) reading: Option<usize>,
}

impl TrustReview {
    /// A list that is opened now.
    pub(crate) fn opened(now: Timestamp) -> TrustReview {
        TrustReview {
            opened: now,
            marked: 0,
            reading: None,
        }
    }
}
