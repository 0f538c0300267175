//! Origin of a process: the markers that it and its ancestors were started with. A program can change its own environment and leave its
//! session, but not the environments its ancestors were started with; and holders and keepers adopt processes that lose their parent.

use std::io;

use super::selector::MARKER;
use super::table::{self, ProcessEntry};

/// Name of the variable that a holder or keeper carries itself. The program below it does not get it.
pub const HOLDER_MARKER: &str = "DBS_HOLDER";

/// The end of the marker of everything that a gate starts.
pub const GATE: &str = "gate";
/// The end of the marker of everything that git starts for a server.
pub const GIT: &str = "git";

/// Maximum number of ancestors that are looked at: more than any process has.
const MOST_ANCESTORS: usize = 4096;

/// Error when the system does not give the origin of a process; reads after "could not".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OriginError {
    #[error("look at the process that calls: process {0} has ended")]
    Gone(u32),
    #[error("look at the process that calls, {pid}: {why}")]
    Unreadable { pid: u32, why: String },
}

/// Markers and ancestors of a process, as far as the system shows them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// Markers that the process and its ancestors were started with, the nearest first.
    pub markers: Vec<String>,
    /// Numbers of its ancestors, the nearest first.
    pub ancestors: Vec<u32>,
}

/// Starter of a process, as a marker names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Starter {
    /// The holder of that attempt.
    Attempt(u64),
    Gate,
    /// A git of a server.
    Git,
}

impl Origin {
    /// Returns every starter but persons' shells that the markers name, the nearest first, with the prefix of its project's markers. A
    /// marker that `other` has as well is left out: a common origin says nothing about either.
    pub fn starters(&self, other: &Origin) -> Vec<(&str, Starter)> {
        let own = self
            .markers
            .iter()
            .filter(|marker| !other.markers.contains(*marker));
        own.filter_map(|marker| starter(marker)).collect()
    }
}

/// Returns the prefix of its project's markers and the starter of a process with this marker; `None` for the shell of a person.
fn starter(marker: &str) -> Option<(&str, Starter)> {
    if marker.contains("-shell-") {
        return None;
    }
    let (project, end) = marker.rsplit_once('-')?;
    let starter = match end {
        GATE => Starter::Gate,
        GIT => Starter::Git,
        number => Starter::Attempt(number.parse().ok()?),
    };
    Some((project, starter))
}

/// Finds the origin of a process.
///
/// # Errors
/// When the process has ended, so that its number says nothing, or the system does not show it.
pub fn origin(pid: u32) -> Result<Origin, OriginError> {
    let first = look(pid)?.ok_or(OriginError::Gone(pid))?;
    let (mut found, mut row) = (Origin::default(), first);
    for _ in 0..MOST_ANCESTORS {
        for name in [MARKER, HOLDER_MARKER] {
            found
                .markers
                .extend(table::env_values(&row, name).map_err(unreadable(row.pid))?);
        }
        match parent(&row)? {
            Some(next) => row = next,
            None => break,
        }
        found.ancestors.push(row.pid);
    }
    // A number that was reused meanwhile would have led to the ancestors of another process.
    match look(pid)? {
        Some(last) if last.start == first.start => Ok(found),
        Some(_) | None => Err(OriginError::Gone(pid)),
    }
}

/// Returns the living parent of a process; none at the top, or where the system does not show it. A process whose parent ends gets another
/// one, so the look is repeated then.
fn parent(child: &ProcessEntry) -> Result<Option<ProcessEntry>, OriginError> {
    let mut child = *child;
    for _ in 0..MOST_ANCESTORS {
        if child.parent == 0 {
            return Ok(None);
        }
        if let Some(parent) = look(child.parent)?
            && is_parent(&parent, &child)
        {
            return Ok(Some(parent));
        }
        let again = look(child.pid)?.filter(|row| row.start == child.start);
        match again {
            None => return Err(OriginError::Gone(child.pid)),
            Some(row) if row.parent == child.parent => return Ok(None),
            Some(row) => child = row,
        }
    }
    Ok(None)
}

/// Returns true if this can be the parent: it is alive, and not younger, as a process with a reused number is.
fn is_parent(parent: &ProcessEntry, child: &ProcessEntry) -> bool {
    !parent.is_dead && parent.start <= child.start
}

fn look(pid: u32) -> Result<Option<ProcessEntry>, OriginError> {
    let row = table::process(pid).map_err(unreadable(pid))?;
    Ok(row.filter(|row| !row.is_dead))
}

fn unreadable(pid: u32) -> impl Fn(io::Error) -> OriginError {
    move |error| OriginError::Unreadable {
        pid,
        why: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: ProcessEntry = ProcessEntry {
        pid: 7,
        parent: 3,
        session: 7,
        start: 100,
        environment: 0,
        is_dead: false,
    };

    #[test]
    fn a_process_that_began_after_its_child_is_not_its_parent() {
        let parent = |start, is_dead| ProcessEntry {
            pid: 3,
            parent: 1,
            start,
            is_dead,
            ..ROW
        };
        assert!(is_parent(&parent(99, false), &ROW) && is_parent(&parent(100, false), &ROW));
        assert!(!is_parent(&parent(101, false), &ROW), "the number was used again");
        assert!(!is_parent(&parent(99, true), &ROW));
    }

    #[test]
    fn a_number_that_no_process_has_any_more_says_nothing() {
        #[expect(clippy::disallowed_methods, reason = "the test needs a child of its own")]
        let mut child = std::process::Command::new("true").spawn().expect("it starts");
        let pid = child.id();
        child.wait().expect("collected");
        assert_eq!(origin(pid), Err(OriginError::Gone(pid)));
    }

    #[cfg(unix)]
    #[test]
    fn the_marker_of_an_ancestor_counts() {
        use std::io::{BufRead as _, BufReader, Write as _};

        // The inner shell has an empty environment; only its parent carries markers.
        #[expect(clippy::disallowed_methods, reason = "the test needs a child of its own")]
        let mut child = std::process::Command::new("sh")
            .args(["-c", "env -i sh -c 'echo $$; read line'; true"])
            .env(MARKER, "dbs-1-17")
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("sh starts");
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        output.read_line(&mut line).expect("a line");
        let pid: u32 = line.trim().parse().expect("a number");
        let row = table::process(pid).expect("readable").expect("it lives");
        let own = table::env_values(&row, MARKER).expect("readable");
        assert!(own.is_empty(), "its own is empty");
        let found = origin(pid).expect("it lives");
        assert_eq!(found.markers, ["dbs-1-17"]);
        assert_eq!(found.ancestors.first(), Some(&child.id()));
        assert!(found.ancestors.contains(&std::process::id()), "{found:?}");
        let mut input = child.stdin.take().expect("piped");
        input.write_all(b"\n").expect("it reads");
        child.wait().expect("collected");
    }

    #[test]
    fn a_marker_names_what_started_a_process_unless_both_share_it() {
        let of = |markers: &[&str]| Origin {
            markers: markers.iter().map(|marker| (*marker).to_owned()).collect(),
            ancestors: Vec::new(),
        };
        let found = of(&["dbs-1-shell-2-99", "dbs-1-gate", "dbs-2-17", "dbs-1-git", "other"]);
        assert_eq!(
            found.starters(&Origin::default()),
            [
                ("dbs-1", Starter::Gate),
                ("dbs-2", Starter::Attempt(17)),
                ("dbs-1", Starter::Git)
            ]
        );
        assert_eq!(
            found.starters(&of(&["dbs-2-17", "dbs-1-git"])),
            [("dbs-1", Starter::Gate)]
        );
    }
}
