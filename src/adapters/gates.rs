//! Runs gates through the platform's shell: implements [`crate::ports::gates::Gates`]. Must not know what a gate is
//! for, and must never put anything into its command.
//!
//! A gate gets exactly the environment it is given, no input, and its own process group. At its time limit, and when
//! it has ended, everything it left running is killed. On Linux a keeper adopts what loses its parent, so that nothing leaves the
//! gate's tree and all of it ends with the server, too; elsewhere what left the group and lost its parents is known by the mark
//! in the environment that each run gets, and escapes when it clears that.

mod output;
mod record;
mod shell;

pub use record::{GateRecord, GateResult, RecordedGates, records};
pub use shell::ShellGates;
