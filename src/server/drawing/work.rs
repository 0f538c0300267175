//! What work beside the drawing leads to.

use crate::domain::{Command, Level};
use crate::server::seeking::{Came, Search};
use crate::ui::{PaneId, Paper, ScreenId, Sheet, StillLine};

/// What work that took time led to.
#[derive(Debug)]
pub(super) enum Done {
    /// Something to tell the person.
    Said(Level, String),
    /// The board refused that, and why.
    Refused(Box<Command>, String),
    /// A shell for that pane.
    Shell(PaneId, u64),
    /// Something a view wanted.
    Fetched(Paper, Sheet),
    /// A search took a step.
    Searched(Paper, Box<Search>, Came),
    /// Older lines of a terminal.
    Older(ScreenId, Vec<StillLine>),
    /// Nothing to be seen.
    Nothing,
}
