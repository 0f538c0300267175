//! The holder: one small process per attempt or shell pane that owns its pseudo-terminal and survives everything, and the server's side of
//! it. [`run_holder`] runs `dbs hold`, [`LocalHolders`] starts, finds and stops holders, [`HolderConnection`] streams a terminal,
//! [`LogReader`] reads the log on disk, a [keeper](process::Keeper) is the parent of a gate or a push. Nothing here decides what a task
//! becomes.
#![expect(
    clippy::disallowed_methods,
    reason = "the door to holders: they are processes, with clocks and threads"
)]

mod connection;
mod error;
mod files;
mod frames;
mod hold;
mod keep;
mod local;
mod log;
pub mod process;
pub mod protocol;
mod socket;

pub use connection::{HolderConnection, ReplyReceiver, RequestSender};
pub use error::HolderError;
pub use files::{ExitRecord, HolderMeta};
pub use hold::run_holder;
pub use keep::run_keeper;
pub use local::LocalHolders;
pub use log::{IndexEntry, LogChunk, LogReader, LogTail};
