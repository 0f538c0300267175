//! What work beside the drawing leads to.

use crate::domain::{Command, NoticeLevel};
use crate::server::search::{HistorySearch, SearchProgress};
use crate::ui::{CacheEntry, CacheKey, PaneId, ScreenId, ScrollbackLine};

/// Result of work that was done in the background for a client.
#[derive(Debug)]
pub(super) enum WorkResult {
    Said(NoticeLevel, String),
    /// The board refused that, and why.
    Refused(Box<Command>, String),
    Shell(PaneId, u64),
    Fetched(CacheKey, CacheEntry),
    Searched(CacheKey, Box<HistorySearch>, SearchProgress),
    Older(ScreenId, Vec<ScrollbackLine>),
    Nothing,
}
