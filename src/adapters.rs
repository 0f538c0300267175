//! The outside world: each adapter knows one thing and none of its siblings. What two of them need of the system is in
//! `child_process` and `pipe`, which know no port.

pub mod agents;
mod child_process;
pub mod clock;
pub mod crash;
pub mod deadline;
pub mod desktop;
pub mod gates;
pub mod git;
pub mod holder;
pub mod ipc;
pub mod load;
pub mod logging;
pub mod notify;
pub mod output;
pub(crate) mod pipe;
pub mod project;
pub mod rehearsal;
pub mod store;
pub mod termination;
