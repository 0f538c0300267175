//! The user interface: [`view()`] draws a [`UiState`] and a [`Scene`], [`update()`] takes in keys and returns [`UiRequest`]s. Pure: no
//! input or output, no clock, no threads; `view` takes shared references only.

mod alerts;
mod availability;
mod cache;
mod canvas;
mod click_target;
mod flowchart;
mod fuzzy;
mod help;
mod last_output;
mod layout;
mod line_editor;
mod link;
mod list_filter;
mod live_screen;
mod palette;
mod pane;
mod pane_names;
mod plain;
mod program_report;
mod repaint;
mod scene;
mod screen_id;
mod screen_layout;
mod scrollback;
mod state;
mod status;
mod suggestions;
mod target;
mod terminal_search;
mod theme;
mod update;
mod view;
mod views;

pub use alerts::{
    Alert, AlertQueue, AlertRules, TaskEvent, TerminalAlerts, TerminalUpdate, alert_text, redacted_alert_text,
};
pub use cache::{CacheEntry, CacheKey, CacheRequest, CheckPhase, DiffBase, RecordedScreen, ViewCache};
pub use flowchart::flowchart;
pub use last_output::LastOutputCache;
pub use layout::{LayoutError, TabLayout};
pub use live_screen::LiveScreen;
pub use pane::PaneId;
pub use plain::{
    HELP as PLAIN_HELP, PlainCommand as PlainTyped, PlainPrompt, PlainPrompts, parse_line as read_plain,
};
pub use program_report::{ProgramCall, ProgramReport, ProgramReports};
pub use repaint::RenderedFrame;
pub use scene::{
    LogLine, MouseReporting, Scene, ScreenCursor, ScreenId, ScreenRead, Screens, SessionFacts, SessionKind,
};
pub use screen_layout::InputMode;
pub use scrollback::{Scrollback, ScrollbackLine};
pub use state::{
    ClientLocation, DetectedPrograms, PaneContent, PlanQuestion, SavedArrangement, Toast, UiState,
    UiStateError,
};
pub use terminal_search::{LEAST_LETTERS, TerminalMatch, TerminalMatches, TerminalSearch};
pub use theme::{StyleRole, Theme, ThemeError, Themes};
pub use update::{NewTask, ProgramInput, UiInput, UiRequest, initial_requests, next_redraw, perform, update};
pub use view::{FrameCursor, PaneArea, RenderedLayout, view};
pub use views::ClickTarget;
