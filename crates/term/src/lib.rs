//! The terminal emulation layer: bytes of a program in, a screen, events and encoded input out. Does no input or output
//! and reads no clock: time is an argument.
//!
//! [`Terminal`] joins all parts: its [`Scanner`] reads the bytes first (it answers queries, reports what an emulator
//! does not show, and passes on only what is safe), then an [`Emulator`] keeps the grid. [`keys`] encodes input for the program.

mod base64;
mod cell;
mod draining_terminal;
mod dump;
mod emulator;
mod emulator_kind;
mod event;
mod history;
pub mod keys;
mod modes;
mod palette;
mod rio;
mod sanitize;
mod scanner;
mod size;
mod status_record;
mod terminal;
mod text;
mod vt100_emulator;

pub use cell::{Cell, CellAttributes, CellStyle, CellWidth, Color, Underline};
pub use draining_terminal::DrainingTerminal;
pub use emulator::{Damage, Emulator, MissingFeatures, WritePosition};
pub use emulator_kind::{EmulatorKind, UnknownEmulator};
pub use event::{DesktopNotification, ProgressReport, PromptMark, TermEvent};
pub use history::{LineWriter, PackedHistory};
pub use modes::{Cursor, CursorShape, KittyFlags, Modes, MouseEncoding, MouseMode, TermMode};
pub use palette::{ColorPalette, Rgb};
pub use rio::RioEmulator;
pub use sanitize::{sanitize, sanitize_command, sanitize_json};
pub use scanner::{Csi, ScanSink, Scanner, StringKind};
pub use size::Size;
pub use status_record::{ReportedState, StatusRecord};
pub use terminal::Terminal;
pub use vt100_emulator::Vt100Emulator;
