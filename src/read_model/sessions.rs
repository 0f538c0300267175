//! The servers of this person's projects, as plain values.

use std::collections::BTreeMap;

use crate::domain::Timestamp;

/// Server of one project, with its state and its counts.
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

/// State of a session: attached here, attached elsewhere, detached or interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SessionState {
    Here,
    Running,
    Detached,
    /// Session that was cut off: its server is gone without a proper end. It can be resumed.
    Interrupted,
}
