//! What a person sees and presses: [`view()`] draws a [`State`] and a [`Scene`], [`update()`] takes in keys and answers with
//! [`Request`]s. Pure: no input or output, no clock, no threads; `view` takes shared references only.

mod action;
mod arrange;
mod canvas;
mod chord;
mod document;
mod flowchart;
mod fuzzy;
mod help;
mod herald;
mod hit;
mod keymap;
mod layout;
mod likely;
mod line;
mod link;
mod lists;
mod live;
mod marker;
mod names;
mod palette;
mod pane;
mod past;
mod plain;
mod possible;
mod repaint;
mod said;
mod scene;
mod screen_id;
mod shelf;
mod state;
mod still;
mod target;
mod text;
mod theme;
mod update;
mod view;
mod views;

pub use action::{Action, Entry, Group, Page, TextMove, When, entries};
pub use arrange::Mode;
pub use chord::{Chord, NoKey};
pub use document::keys_document;
pub use flowchart::flowchart;
pub use herald::{Call, CallRules, CallWhen, Fact, Herald, News, Progress, plain_words, words};
pub use keymap::{KeyProblem, Keymap, Place};
pub use layout::{Layout, LayoutProblem};
pub use live::{LiveScreen, key_input, mouse_input};
pub use pane::{Axis, Direction, PaneId};
pub use past::{LEAST_LETTERS, Occurrence, Occurrences, OccurrencesIn};
pub use plain::{HELP as PLAIN_HELP, Prompt, Prompts, Typed as PlainTyped, read as read_plain};
pub use repaint::Frame;
pub use scene::{
    LogLine, Scene, ScreenCursor, ScreenId, ScreenRead, Screens, SessionFacts, SessionKind, Wants,
};
pub use shelf::{Against, Moment, Paper, Sheet, Shelf, Want};
pub use state::{Content, FirstLook, MouseUse, PastePreview, Saved, Seat, State, StateProblem, Told};
pub use still::{Select, Still, StillLine};
pub use text::{cut, width};
pub use theme::{Glyphs, Ground, Looks, Motion, OwnTheme, Palette, Role, Theme, ThemeProblem, Themes};
pub use update::{Consent, Input, NewTask, Request, Typed, begin, next_change, perform, update};
pub use view::{CursorAt, Layouted, PaneArea, view};
pub use views::Hit;
