//! Selection of the processes of an attempt, wherever they went: other groups, other sessions, adopted by others.

use std::collections::HashSet;
use std::io;

use super::table::{self, ProcessEntry};

/// Name of the variable that every process of an attempt carries.
pub const MARKER: &str = "DBS_MARKER";

/// Selects the processes of an attempt by marker and ancestor.
#[derive(Debug, Clone, Default)]
pub struct ProcessSelector {
    entry: Option<String>,
    ancestor: Option<u32>,
    /// Number and start of processes that were members once. One that has lost its parent and carries no marker is known by nothing else.
    known: HashSet<(u32, u64)>,
    /// Number and start of processes that were not members, and the environment in which the marker was missing.
    unmarked: HashSet<(u32, u64, u64)>,
}

impl ProcessSelector {
    /// Selects everything that carries the marker, and everything below it.
    pub fn marked(marker: &str) -> Self {
        Self::with_variable(MARKER, marker)
    }

    /// Selects everything that was started with this variable, and everything below it.
    pub fn with_variable(name: &str, value: &str) -> Self {
        Self {
            entry: Some(format!("{name}={value}")),
            ..Self::default()
        }
    }

    /// Selects everything below this process, itself excluded.
    pub fn descendants(ancestor: u32) -> Self {
        Self::default().below(ancestor)
    }

    /// Selects also everything below this process, itself excluded: the one that adopts orphans.
    #[must_use]
    pub fn below(mut self, ancestor: u32) -> Self {
        self.ancestor = Some(ancestor);
        self
    }

    /// Selects also this process, whatever environment it has, and everything below it; only while it is known to be alive, because numbers
    /// are used again.
    ///
    /// # Errors
    /// When the system does not show the process.
    pub fn with_process(mut self, pid: u32) -> io::Result<Self> {
        let row = table::process(pid)?;
        self.known.extend(row.map(|row| (row.pid, row.start)));
        Ok(self)
    }

    /// Looks into each environment once: a member stays one, even if it then clears its environment; a process that is not a member may
    /// start a marked program in its place.
    fn is_marked(&mut self, row: &ProcessEntry) -> io::Result<bool> {
        let process = (row.pid, row.start);
        let environment = (row.pid, row.start, row.environment);
        if self.known.contains(&process) {
            return Ok(true);
        }
        let Some(entry) = self.entry.as_deref().filter(|_| !row.is_dead) else {
            return Ok(false);
        };
        if self.unmarked.contains(&environment) {
            return Ok(false);
        }
        if table::has_env_entry(row, entry)? {
            return Ok(self.known.insert(process));
        }
        if row.environment != 0 {
            self.unmarked.insert(environment);
        }
        Ok(false)
    }
}

/// Returns the living members of `target`; never this process, never the ancestor.
///
/// # Errors
/// When processes cannot be listed.
pub fn members(target: &mut ProcessSelector) -> io::Result<Vec<ProcessEntry>> {
    let rows: Vec<ProcessEntry> = table::processes()?;
    let own = std::process::id();
    let mut found: HashSet<u32> = target.ancestor.into_iter().collect();
    for row in &rows {
        if target.is_marked(row)? {
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
    let living: Vec<ProcessEntry> = rows
        .iter()
        .filter(|row| is_member(row) && !row.is_dead)
        .copied()
        .collect();
    target.known.extend(living.iter().map(|row| (row.pid, row.start)));
    Ok(living)
}

#[cfg(all(test, unix))]
mod tests;
