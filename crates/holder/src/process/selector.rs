//! Which processes belong to an attempt, however far they went: other groups, other sessions, adopted by others.

use std::collections::HashSet;
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
    /// Number and start of those that were seen to be marked.
    marked: HashSet<(u32, u64)>,
    /// The same of those that were not, and the environment in which the marker was missing.
    unmarked: HashSet<(u32, u64, u64)>,
}

impl ProcessSelector {
    /// Everything that carries the marker, and everything below it.
    pub fn marked(marker: &str) -> Self {
        Self::with_variable(MARKER, marker)
    }

    /// Everything that was started with this variable, and everything below it.
    pub fn with_variable(name: &str, value: &str) -> Self {
        Self {
            entry: format!("{name}={value}"),
            ancestor: None,
            session: None,
            marked: HashSet::new(),
            unmarked: HashSet::new(),
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

    /// Looks into each environment once: what is marked stays so, even if it then clears its environment; what is not may start
    /// another program that is.
    fn is_marked(&mut self, row: &ProcessEntry) -> bool {
        let process = (row.pid, row.start);
        let environment = (row.pid, row.start, row.environment);
        if self.marked.contains(&process) {
            return true;
        }
        if row.is_dead || self.unmarked.contains(&environment) {
            return false;
        }
        if table::has_env_entry(row, &self.entry) {
            return self.marked.insert(process);
        }
        if row.environment != 0 {
            self.unmarked.insert(environment);
        }
        false
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

#[cfg(all(test, unix))]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::process::{Command, Stdio};

    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_starts_one_program_after_the_other_is_found_at_every_look() {
        let folder = tempfile::tempdir().expect("a folder");
        let script = folder.path().join("again.sh");
        std::fs::write(&script, "exec sh \"$0\"\n").expect("written");
        let marker = format!("exec-{}", folder.path().display());
        #[expect(clippy::disallowed_methods, reason = "the test needs a child of its own")]
        let mut child = Command::new("sh")
            .arg(&script)
            .env(MARKER, &marker)
            .spawn()
            .expect("sh starts");
        let found = (0..300).filter(|_| {
            let rows = members(&mut ProcessSelector::marked(&marker)).expect("listed");
            rows.iter().any(|row| row.pid == child.id())
        });
        let found = found.count();
        child.kill().expect("it runs");
        child.wait().expect("collected");
        assert_eq!(found, 300);
    }

    #[test]
    fn a_process_that_starts_a_marked_program_in_its_place_is_found_though_it_was_not_before() {
        let mut target = ProcessSelector::marked("becomes-marked");
        #[expect(clippy::disallowed_methods, reason = "the test needs a child of its own")]
        let mut child = Command::new("sh")
            .args([
                "-c",
                "read line; exec env DBS_MARKER=becomes-marked sh -c 'echo; read line'",
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh starts");
        assert_eq!(members(&mut target).expect("listed"), []);
        let mut input = child.stdin.take().expect("piped");
        input.write_all(b"\n").expect("it reads");
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        output.read_line(&mut String::new()).expect("a line");
        let found = members(&mut target).expect("listed");
        assert_eq!(found.iter().map(|row| row.pid).collect::<Vec<_>>(), [child.id()]);
        input.write_all(b"\n").expect("it reads");
        child.wait().expect("collected");
    }
}
