//! Vocabulary of a person's screen, shared by settings, protocol and interface: capabilities of a terminal, the appearance as it is set, and
//! texts measured and cut by display width. Plain values; drawing is done by `ui`.

mod appearance;
mod capabilities;
mod next_steps;
mod notify_style;
mod session;
pub mod text;

pub use appearance::{
    AlertEvents, AlertWhen, Appearance, FirstTab, Motion, MouseCapture, PastePreview, ProgramCalls, UserTheme,
};
pub use capabilities::{Background, ColourDepth, DisplayCaps, Glyphs};
pub use next_steps::{NEXT_STEPS, NextSteps};
pub use notify_style::{NotifySequence, NotifyStyle};
pub use session::{LeaveEffect, WorkProgress};
