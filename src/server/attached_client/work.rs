//! What work beside the drawing leads to.

use crate::domain::{Command, NoticeLevel};
use crate::server::search::{HistorySearch, SearchProgress};
use crate::ui::{CacheEntry, CacheKey, PaneId, ScreenId, ScrollbackLine};

/// Result of work that was done in the background for a client.
#[derive(Debug)]
pub(super) enum WorkResult {
    /// Something to tell the person.
    Said(NoticeLevel, String),
    /// The board refused that, and why.
    Refused(Box<Command>, String),
    /// A shell for that pane.
    Shell(PaneId, u64),
    /// Something a view wanted.
    Fetched(CacheKey, CacheEntry),
    /// A search took a step.
    Searched(CacheKey, Box<HistorySearch>, SearchProgress),
    /// Older lines of a terminal.
    Older(ScreenId, Vec<ScrollbackLine>),
    /// Nothing to be seen.
    Nothing,
}
