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
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::process::{Command, Stdio};

    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn who_may_open_no_more_files_cannot_say_that_nothing_is_left() {
        let name = "process::selector::tests::who_may_open_no_more_files_cannot_say_that_nothing_is_left";
        super::super::scarcity::with_descriptors(name, 1, |held| {
            // One descriptor is enough for the list of numbers, and two for what stands behind them.
            let looked = members(&mut ProcessSelector::marked("nobody"));
            assert!(looked.is_err(), "{looked:?}");
            drop(held);
            let row = table::process(std::process::id())
                .expect("readable")
                .expect("it lives");
            assert!(table::has_env_entry(&row, "DBS_TEST_LACKS_DESCRIPTORS=yes").expect("readable"));
            let held = super::super::scarcity::hold_all();
            assert!(table::has_env_entry(&row, "DBS_TEST_LACKS_DESCRIPTORS=yes").is_err());
            drop(held);
            assert_eq!(
                members(&mut ProcessSelector::marked("nobody")).expect("listed"),
                []
            );
        });
    }

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
    fn a_member_that_has_lost_its_parent_and_carries_no_marker_stays_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let marker = format!("orphan-{}", folder.path().display());
        let mut target = ProcessSelector::marked(&marker);
        #[expect(clippy::disallowed_methods, reason = "the test needs a child of its own")]
        let mut child = Command::new("sh")
            .args(["-c", "env -i sleep 60 & echo $!; wait"])
            .env(MARKER, &marker)
            .stdout(Stdio::piped())
            // Or whoever reads what the tests say would wait for it when the test fails.
            .stderr(Stdio::null())
            .spawn()
            .expect("sh starts");
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        output.read_line(&mut line).expect("a line");
        let orphan: u32 = line.trim().parse().expect("a number");
        let mut found = || {
            let rows = members(&mut target).expect("listed");
            rows.iter().any(|row| row.pid == orphan)
        };
        assert!(found(), "its parent is marked");
        child.kill().expect("it runs");
        child.wait().expect("collected");
        assert!(found(), "it was a member");
        assert_eq!(
            super::super::terminate(&mut target, std::time::Duration::ZERO).expect("listed"),
            0
        );
        assert!(
            table::process(orphan)
                .expect("readable")
                .is_none_or(|row| row.is_dead)
        );
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
