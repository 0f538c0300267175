//! The servers of this person's projects, as plain values.

use std::collections::BTreeMap;

use crate::domain::Timestamp;

/// One project's server, its state and its counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    pub name: String,
    pub root: String,
    pub state: SessionState,
    pub agents: usize,
    pub needs: usize,
    pub counts: BTreeMap<String, usize>,
    pub since: Option<Timestamp>,
}

/// Whether a session is attached here, attached elsewhere, detached or interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SessionState {
    Here,
    Running,
    Detached,
    /// It was cut off: its server is gone without having ended as it should. It can be resumed.
    Interrupted,
}
