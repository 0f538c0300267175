//! The list of processes: read from `/proc` on Linux (a holder must stay small), through `sysinfo` elsewhere.

use std::io;

/// One entry of the process table: ids of the process, its parent and session, and its start time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessEntry {
    pub pid: u32,
    /// Its parent's number, 0 when there is none.
    pub parent: u32,
    /// Its session, 0 when unknown.
    pub session: u32,
    /// When it started, in units of the system.
    pub start: u64,
    /// It has ended and only waits to be collected.
    pub is_dead: bool,
}

pub use system::processes;
pub(super) use system::{boot, env_values, has_env_entry, process};

#[cfg(target_os = "linux")]
mod system {
    use super::{ProcessEntry, io};
    use std::fs;

    /// All processes of this machine that can be seen.
    ///
    /// # Errors
    /// When `/proc` cannot be listed.
    pub fn processes() -> io::Result<Vec<ProcessEntry>> {
        let mut rows = Vec::new();
        for entry in fs::read_dir("/proc")? {
            let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            if let Ok(Some(found)) = process(pid) {
                rows.push(found);
            }
        }
        Ok(rows)
    }

    /// One process, `None` when there is no such.
    pub(in super::super) fn process(pid: u32) -> io::Result<Option<ProcessEntry>> {
        match fs::read(format!("/proc/{pid}/stat")) {
            Ok(stat) => Ok(parse(pid, &stat)),
            // The second is what a process gives that ends while its file is being read.
            Err(error)
                if error.kind() == io::ErrorKind::NotFound
                    || error.raw_os_error() == Some(NO_SUCH_PROCESS) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    const NO_SUCH_PROCESS: i32 = 3;

    /// The name in the second field may hold anything, brackets and blanks too: fields count from the last bracket.
    fn parse(pid: u32, stat: &[u8]) -> Option<ProcessEntry> {
        let after_name = stat.iter().rposition(|byte| *byte == b')')? + 1;
        let rest = std::str::from_utf8(stat.get(after_name..)?).ok()?;
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let session = fields.nth(1)?.parse().unwrap_or(0);
        let started = fields.nth(15)?.parse().ok()?;
        Some(ProcessEntry {
            pid,
            parent,
            session,
            start: started,
            is_dead: matches!(state, "Z" | "X" | "x"),
        })
    }

    /// Whether the process was started with `entry` (`NAME=value`) in its environment; no, where it may not be read.
    pub(in super::super) fn has_env_entry(pid: u32, entry: &str) -> bool {
        fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| {
            environment
                .split(|byte| *byte == 0)
                .any(|found| found == entry.as_bytes())
        })
    }

    /// All values that the process was started with under `name`; none, where they may not be read.
    pub(in super::super) fn env_values(pid: u32, name: &str) -> Vec<String> {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let entries = environment.split(|byte| *byte == 0);
        entries
            .filter_map(|entry| {
                std::str::from_utf8(entry)
                    .ok()?
                    .strip_prefix(name)?
                    .strip_prefix('=')
            })
            .map(str::to_owned)
            .collect()
    }

    pub(in super::super) fn boot() -> String {
        fs::read_to_string("/proc/sys/kernel/random/boot_id")
            .map(|id| id.trim().to_owned())
            .unwrap_or_default()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_name_full_of_brackets_and_blanks_does_not_move_the_fields() {
            let line = b"42 (a) b) (c) S 7 42 40 34816 42 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 1 2 3";
            let row = ProcessEntry {
                pid: 42,
                parent: 7,
                session: 40,
                start: 98765,
                is_dead: false,
            };
            assert_eq!(parse(42, line), Some(row));
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::{ProcessEntry, io};
    use sysinfo::{Pid, Process, ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind};

    fn look(which: ProcessesToUpdate<'_>, environment: UpdateKind) -> io::Result<System> {
        let mut system = System::new().map_err(io::Error::other)?;
        let what = ProcessRefreshKind::nothing().with_environ(environment);
        system.refresh_processes_specifics(which, true, what);
        Ok(system)
    }

    fn row_of(process: &Process) -> ProcessEntry {
        ProcessEntry {
            pid: process.pid().as_u32(),
            parent: process.parent().map_or(0, Pid::as_u32),
            session: process.session_id().map_or(0, Pid::as_u32),
            start: process.start_time(),
            is_dead: matches!(process.status(), ProcessStatus::Zombie | ProcessStatus::Dead),
        }
    }

    /// All processes of this machine that can be seen.
    ///
    /// # Errors
    /// When the system does not list them.
    pub fn processes() -> io::Result<Vec<ProcessEntry>> {
        let system = look(ProcessesToUpdate::All, UpdateKind::Never)?;
        let real = |process: &&Process| process.thread_kind().is_none();
        Ok(system.processes().values().filter(real).map(row_of).collect())
    }

    /// One process, `None` when there is no such.
    pub(in super::super) fn process(pid: u32) -> io::Result<Option<ProcessEntry>> {
        let pid = Pid::from_u32(pid);
        let system = look(ProcessesToUpdate::Some(&[pid]), UpdateKind::Never)?;
        Ok(system.process(pid).map(row_of))
    }

    /// Whether the process was started with `entry` (`NAME=value`) in its environment; no, where it may not be read.
    pub(in super::super) fn has_env_entry(pid: u32, entry: &str) -> bool {
        let pid = Pid::from_u32(pid);
        let Ok(system) = look(ProcessesToUpdate::Some(&[pid]), UpdateKind::Always) else {
            return false;
        };
        system
            .process(pid)
            .is_some_and(|process| process.environ().iter().any(|found| found == entry))
    }

    /// All values that the process was started with under `name`; none, where they may not be read.
    pub(in super::super) fn env_values(pid: u32, name: &str) -> Vec<String> {
        let pid = Pid::from_u32(pid);
        let Ok(system) = look(ProcessesToUpdate::Some(&[pid]), UpdateKind::Always) else {
            return Vec::new();
        };
        let entries = system.process(pid).map(Process::environ).unwrap_or_default();
        entries
            .iter()
            .filter_map(|entry| entry.to_str()?.strip_prefix(name)?.strip_prefix('='))
            .map(str::to_owned)
            .collect()
    }

    pub(in super::super) fn boot() -> String {
        System::boot_time()
            .map(|seconds| seconds.to_string())
            .unwrap_or_default()
    }
}
