//! State of a person's review of everything that a project's files would start.

use crate::domain::Timestamp;

/// The state of the list of texts to trust: the marked text, and the reading position in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TrustReview {
    /// Time at which it was opened.
    pub(crate) opened: Timestamp,
    /// Index of the marked text, from 0.
    pub(crate) marked: usize,
    /// The first line shown of the marked text, while it is read in full.
    pub(crate) reading: Option<usize>,
}

impl TrustReview {
    /// Creates a list that is opened now.
    pub(crate) fn opened(now: Timestamp) -> TrustReview {
        TrustReview {
            opened: now,
            marked: 0,
            reading: None,
        }
    }
}
