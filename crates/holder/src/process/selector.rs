//! Which processes belong to an attempt, however far they went: other groups, other sessions, adopted by others.

use std::collections::{HashMap, HashSet};
use std::io;

use super::table::{self, ProcessEntry};

/// The name of the variable every process of an attempt carries.
pub const MARKER: &str = "DBS_MARKER";

/// Selects the processes of an attempt by marker, ancestor and session.
#[derive(Debug, Clone)]
pub struct ProcessSelector {
    entry: String,
    ancestor: Option<u32>,
    session: Option<u32>,
    seen: HashMap<(u32, u64), bool>,
}

impl ProcessSelector {
    /// Everything that carries the marker, and everything below it.
    pub fn marked(marker: &str) -> Self {
        Self {
            entry: format!("{MARKER}={marker}"),
            ancestor: None,
            session: None,
            seen: HashMap::new(),
        }
    }

    /// Also everything below this process, itself excluded: the one that adopts orphans.
    #[must_use]
    pub fn below(mut self, ancestor: u32) -> Self {
        self.ancestor = Some(ancestor);
        self
    }

    /// Also this session; only while its leader is known to live, because numbers are used again.
    #[must_use]
    pub fn in_session(mut self, session: Option<u32>) -> Self {
        self.session = session;
        self
    }

    /// Looks into an environment once per process: what is marked stays so, even if it then clears its environment.
    fn is_marked(&mut self, row: &ProcessEntry) -> bool {
        let entry = &self.entry;
        *self
            .seen
            .entry((row.pid, row.start))
            .or_insert_with(|| table::has_env_entry(row.pid, entry))
    }
}

/// The living members of `target`; never this process, never the ancestor.
///
/// # Errors
/// When processes cannot be listed.
pub fn members(target: &mut ProcessSelector) -> io::Result<Vec<ProcessEntry>> {
    let rows: Vec<ProcessEntry> = table::processes()?;
    let own = std::process::id();
    let mut found: HashSet<u32> = target.ancestor.into_iter().collect();
    for row in &rows {
        if target.session.is_some_and(|session| session == row.session) || target.is_marked(row) {
            found.insert(row.pid);
        }
    }
    // Children are often listed after their parents, so this ends after a round or two.
    loop {
        let before = found.len();
        for row in &rows {
            if found.contains(&row.parent) && row.pid != own {
                found.insert(row.pid);
            }
        }
        if found.len() == before {
            break;
        }
    }
    let is_member =
        |row: &ProcessEntry| found.contains(&row.pid) && row.pid != own && Some(row.pid) != target.ancestor;
    Ok(rows
        .into_iter()
        .filter(|row| is_member(row) && !row.is_dead)
        .collect())
}
