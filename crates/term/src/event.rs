//! Events of a terminal besides its screen. Every string comes from the program in the pane: show it only through the
//! sanitiser (titles already went through it).

use super::status_record::StatusRecord;

/// An event of the program in the pane that is not on its screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TermEvent {
    /// Bytes to write to the program at once, before any input (made by us from constants and numbers).
    Reply(Vec<u8>),
    /// A new window title, already sanitised and at most 256 characters.
    Title(String),
    /// The bell, at most once per feed.
    Bell,
    /// The program asked for the user's attention (OSC 9, 99, 777); a hint only.
    Notification(DesktopNotification),
    /// The program reported its progress (OSC 9;4).
    Progress(ProgressReport),
    /// The program reported its state (OSC 7501).
    AgentState(StatusRecord),
    /// A shell marked a prompt, a command or its end (OSC 133).
    Prompt(PromptMark),
    /// The working directory changed (OSC 7): the host that the program named, empty for its own, and the path.
    Cwd { host: String, path: String },
    /// The program wants to write the clipboard (OSC 52); reading it is never possible.
    Clipboard(Vec<u8>),
    /// The program asked to forget the history (`CSI 3 J`): kept, but marked here.
    HistoryMark,
    /// The emulator failed inside; the screen was carried over to a fresh one, its history is gone.
    EmulatorRebuilt,
}

impl TermEvent {
    /// Returns true if the event says nothing more after the newer one, or is worth less than a report of a state.
    pub(crate) fn is_superseded_by(&self, newer: &TermEvent) -> bool {
        match (self, newer) {
            (TermEvent::Title(_), TermEvent::Title(_)) => true,
            (TermEvent::AgentState(old), TermEvent::AgentState(newer)) => old.id == newer.id,
            (old, TermEvent::AgentState(_)) => !matches!(old, TermEvent::Reply(_)),
            _ => false,
        }
    }
}

/// A notification that a program sent to its terminal (OSC 9, 99 or 777).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DesktopNotification {
    pub title: String,
    pub body: String,
}

/// The progress a program reported to its terminal (OSC 9;4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProgressReport {
    #[default]
    None,
    Percent(u8),
    /// Failed at this percentage.
    Error(u8),
    /// Busy without a measure.
    Indeterminate,
    /// Paused at this percentage.
    Paused(u8),
}

/// A mark of a shell (OSC 133).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptMark {
    /// A: the prompt starts.
    PromptStart,
    /// B: the command line starts.
    CommandStart,
    /// C: the output starts.
    OutputStart,
    /// D: the command ended, with its exit code where given.
    CommandEnd(Option<i32>),
}
