//! The outside world: each adapter knows one thing and none of its siblings.

pub mod agents;
pub mod clock;
pub mod gates;
pub mod git;
pub mod holder;
pub mod ipc;
pub mod load;
pub mod project;
pub mod rehearsal;
pub mod store;
