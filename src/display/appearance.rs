//! Appearance of a person's screen, as it is set: plain values, from which the interface makes its theme, its keys and its alerts.

use crate::display::{DisplayCaps, Glyphs, NotifyStyle};
use crate::domain::{DailyHours, Span};

/// Theme, glyphs, keys, mouse and notification settings of a person's screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appearance {
    pub theme: String,
    pub own_themes: Vec<UserTheme>,
    /// `None`: as the terminal can.
    pub glyphs: Option<Glyphs>,
    pub paste_preview: PastePreview,
    /// Mouse events that are used.
    pub mouse: MouseCapture,
    pub motion: Motion,
    /// The person's own keys, as a key file.
    pub keys: String,
    pub alert_when: AlertWhen,
    pub alert_events: AlertEvents,
    pub program_calls: ProgramCalls,
    pub min_call_interval: Span,
    /// True if the window gets a title.
    pub title: bool,
    /// True if the terminal shows the progress of the work.
    pub progress: bool,
    /// `None`: neither words nor a bell are wished for.
    pub notify_style: Option<NotifyStyle>,
    /// Hours of the day without calls.
    pub quiet_hours: DailyHours,
}

impl Appearance {
    /// Returns the capabilities to draw with on a terminal with these: the chosen glyphs win over those of the terminal.
    pub fn effective_caps(&self, caps: DisplayCaps) -> DisplayCaps {
        DisplayCaps {
            glyphs: self.glyphs.unwrap_or(caps.glyphs),
            ..caps
        }
    }
}

/// A theme file of a person's own, unparsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserTheme {
    /// Name of the theme: that of the file without `.toml`.
    pub name: String,
    pub file: String,
    pub text: String,
}

/// Preview of pastes that could run something, before they are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PastePreview {
    /// Pastes that could do something by themselves are shown.
    #[default]
    Shown,
    /// All pastes are sent at once.
    Never,
}

/// Mouse events that the interface handles itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MouseCapture {
    #[default]
    All,
    /// The wheel alone; clicks and drags reach only the program with the keyboard focus.
    Scroll,
    /// None: the mouse stays the terminal's, which selects and scrolls by itself.
    Off,
}

/// Setting for blinking parts of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Motion {
    /// Marks of tasks that need a person blink.
    Full,
    /// Nothing blinks.
    Reduced,
}

/// Choice between the two arrangements of the first tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FirstTab {
    /// The tasks, and the agent of the selected one beside them.
    #[default]
    Main,
    /// As the seed has it (K84): conductor, shell, board, watcher.
    Classic,
    /// The table of the plan that is carried out.
    Plan,
}

/// Condition for alerting a person: while they look elsewhere, always, or never.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AlertWhen {
    /// After the terminal reported that they look elsewhere.
    #[default]
    Away,
    Always,
    Never,
}

/// Events that a person is alerted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum AlertEvents {
    /// Needs of the person, and the end of a run.
    #[default]
    Needs,
    /// Each task that is done, too.
    Done,
    /// Each further try of a task, too.
    All,
}

/// Calls of programs in panes that reach a person outside of the pane; in the pane they are marked in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProgramCalls {
    /// Bells and notifications.
    #[default]
    All,
    /// Notifications, which have words.
    Words,
    None,
}
