//! The terminal emulation layer: bytes of a program in, a screen, events and encoded input out. Does no input or output
//! and reads no clock: time is an argument.
//!
//! [`Terminal`] is the whole of it: its [`Scanner`] reads the bytes first (it answers queries, reports what an emulator
//! does not show, and passes on only what is safe), then an [`Engine`] keeps the grid. [`keys`] is the way back.

mod agent_state;
mod base64;
mod cell;
mod dump;
mod engine;
mod engine_kind;
mod event;
mod history;
pub mod keys;
mod modes;
mod palette;
mod rio;
mod sanitize;
mod scanner;
mod size;
mod terminal;
mod text;
mod vt100_engine;

pub use agent_state::{AgentState, ReportedState};
pub use cell::{Attributes, Cell, CellStyle, CellWidth, Color, Underline};
pub use engine::{Damage, Engine, Gaps, Position};
pub use engine_kind::{EngineKind, UnknownEngine};
pub use event::{Notification, Progress, PromptMark, TermEvent};
pub use history::{Draft, PackedHistory};
pub use modes::{Cursor, CursorShape, KittyFlags, Mode, Modes, MouseEncoding, MouseMode};
pub use palette::{Palette, Rgb};
pub use rio::Rio;
pub use sanitize::sanitize;
pub use scanner::{Csi, Scanner, Sink, StringKind};
pub use size::Size;
pub use terminal::Terminal;
pub use vt100_engine::Vt100;
