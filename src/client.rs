//! The processes that people look at and type into: the thin one that shows a session on a whole terminal, and the plain one of
//! lines. They know a server only through `protocol`.

mod attach;
mod colours;
mod error;
mod features;
mod frame_check;
mod input;
mod input_event;
#[cfg(unix)]
mod key_decoder;
mod key_source;
pub mod plain;
mod progress;
mod reconnect;
mod tty;
mod window;

pub use attach::{SwitchTarget, attach, refuse_nesting, refuse_without_terminal};
pub use error::ClientError;
pub use reconnect::{RestartFn, RestartOutcome};
