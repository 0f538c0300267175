//! Style of a terminal's notifications.

use serde::{Deserialize, Serialize};

/// Style of a terminal's notifications: escape sequence, bell and tmux passthrough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotifyStyle {
    pub way: NotifySequence,
    pub bell: bool,
    /// True if the sequence is passed through tmux to the terminal around it.
    pub through_tmux: bool,
}

/// Escape sequence by which a terminal shows notifications.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotifySequence {
    /// Sequence that the terminal is known to understand.
    #[default]
    Auto,
    /// `OSC 9`.
    Osc9,
    /// `OSC 777`.
    Osc777,
    None,
}
