//! Runs gates through the platform's shell: implements [`crate::ports::gates::Gates`]. Must not know what a gate is
//! for, and must never put anything into its command (M1).
//!
//! A gate gets exactly the environment it is given, no input, and its own process group. At its time limit, and when
//! it has ended, everything it left running is killed: its group, its descendants, and whoever still carries the mark
//! in the environment that each run gets. A process that leaves the group, loses its parents and clears its
//! environment escapes; only a container would hold it.

mod output;
mod record;
mod shell;

pub use record::{GateRecord, GateResult, RecordedGates, records};
pub use shell::ShellGates;
