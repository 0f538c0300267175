//! The servers of this person's projects, as plain values.

use std::collections::BTreeMap;

use crate::domain::Timestamp;

/// One project's server, its state and its counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// Its name: the project's folder.
    pub name: String,
    /// Root of the project.
    pub root: String,
    /// How it is.
    pub state: SessionState,
    /// Agents at work.
    pub agents: usize,
    /// Things that wait for a person.
    pub needs: usize,
    /// Tasks by the word of their state.
    pub counts: BTreeMap<String, usize>,
    /// When it started; nothing when it does not run.
    pub since: Option<Timestamp>,
}

/// Whether a session is attached here, attached elsewhere, detached or interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SessionState {
    /// It is the one that is looked at.
    Here,
    /// It runs and somebody looks at it.
    Running,
    /// It runs and nobody looks at it.
    Detached,
    /// It was cut off: its server is gone without having said so. It can be taken up again.
    Interrupted,
}
