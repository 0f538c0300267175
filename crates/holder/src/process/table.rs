//! The list of processes: read from `/proc` on Linux (a holder must stay small), through `sysinfo` elsewhere.

use std::io;

/// Entry of the process table: ids of the process, its parent and session, and its start time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessEntry {
    pub pid: u32,
    /// Number of the parent, 0 when there is none.
    pub parent: u32,
    /// Number of the session, 0 when unknown.
    pub session: u32,
    /// Start time, in units of the system.
    pub start: u64,
    /// Number of the environment it was started with; another program in the same process has a different number (the address in memory); 0
    /// when unknown.
    pub environment: u64,
    /// Set when the process has ended and only waits to be collected.
    pub is_dead: bool,
}

pub use system::processes;
pub(super) use system::{boot, env_values, has_env_entry, process};

#[cfg(target_os = "linux")]
mod system {
    use std::fs;
    use std::sync::OnceLock;
    use std::thread;
    use std::time::{Duration, Instant};

    use nix::errno::Errno;

    use super::{ProcessEntry, io};

    /// Maximum time that a process may take to start another program in its place.
    const EXEC_LIMIT: Duration = Duration::from_millis(500);
    /// Time after which an environment that does not change and reads as empty is taken as empty.
    const NO_ENVIRONMENT_AFTER: Duration = Duration::from_millis(5);
    /// Pause between two looks at an environment.
    const PAUSE: Duration = Duration::from_micros(200);
    /// The bit in a process's flags that says it is a thread of the kernel.
    const KERNEL_THREAD: u32 = 0x0020_0000;

    /// Lists all processes of this machine that can be seen, without threads of the kernel.
    ///
    /// # Errors
    /// When `/proc` cannot be listed, or this process may open no more files: a list with gaps would call the missing ones ended.
    pub fn processes() -> io::Result<Vec<ProcessEntry>> {
        let mut rows = Vec::new();
        for entry in fs::read_dir("/proc")? {
            let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            match look(pid) {
                Ok(Some(found)) if !found.is_of_kernel => rows.push(found.row),
                Err(error) if is_scarcity(&error) => return Err(error),
                // A process that the system does not show to this user does not belong to the user.
                Ok(_) | Err(_) => {}
            }
        }
        Ok(rows)
    }

    /// Returns true if an operation failed because this process or the system has no descriptors or memory left, which says nothing about
    /// the process.
    fn is_scarcity(error: &io::Error) -> bool {
        let number = error.raw_os_error().map(Errno::from_raw);
        matches!(number, Some(Errno::EMFILE | Errno::ENFILE | Errno::ENOMEM))
    }

    /// Reads the entry of a process; `None` when there is no such process.
    pub(in super::super) fn process(pid: u32) -> io::Result<Option<ProcessEntry>> {
        Ok(look(pid)?.map(|found| found.row))
    }

    /// Entry of a process as the kernel gives it.
    #[derive(Debug, PartialEq, Eq)]
    struct Stat {
        row: ProcessEntry,
        is_of_kernel: bool,
    }

    fn look(pid: u32) -> io::Result<Option<Stat>> {
        match fs::read(format!("/proc/{pid}/stat")) {
            Ok(stat) => Ok(parse(pid, &stat)),
            // The second is the error of a process that ends while its file is being read.
            Err(error)
                if error.kind() == io::ErrorKind::NotFound
                    || error.raw_os_error().map(Errno::from_raw) == Some(Errno::ESRCH) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Parses a line of `stat`. The name in the second field may hold anything, brackets and blanks too: fields count from the last
    /// bracket.
    fn parse(pid: u32, line: &[u8]) -> Option<Stat> {
        let after_name = line.iter().rposition(|byte| *byte == b')')? + 1;
        let rest = std::str::from_utf8(line.get(after_name..)?).ok()?;
        // The first of these is the third of the line.
        let mut fields = rest.split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let session = fields.nth(1)?.parse().unwrap_or(0);
        let flags: u32 = fields.nth(2)?.parse().unwrap_or(0);
        let start = fields.nth(12)?.parse().ok()?;
        let environment = fields.nth(27).and_then(|text| text.parse().ok()).unwrap_or(0);
        Some(Stat {
            row: ProcessEntry {
                pid,
                parent,
                session,
                start,
                environment,
                is_dead: matches!(state, "Z" | "X" | "x"),
            },
            is_of_kernel: flags & KERNEL_THREAD != 0,
        })
    }

    /// Returns true if the process was started with `entry` (`NAME=value`) in its environment; false if the environment may not be read.
    ///
    /// # Errors
    /// When this process may open no more files.
    pub(in super::super) fn has_env_entry(row: &ProcessEntry, entry: &str) -> io::Result<bool> {
        let environment = environment(row)?;
        let mut entries = environment.split(|byte| *byte == 0);
        Ok(entries.any(|found| found == entry.as_bytes()))
    }

    /// Returns all values that the process was started with under `name`; empty if the environment may not be read.
    ///
    /// # Errors
    /// When this process may open no more files.
    pub(in super::super) fn env_values(row: &ProcessEntry, name: &str) -> io::Result<Vec<String>> {
        let environment = environment(row)?;
        let entries = environment.split(|byte| *byte == 0);
        let values = entries.filter_map(|entry| {
            std::str::from_utf8(entry)
                .ok()?
                .strip_prefix(name)?
                .strip_prefix('=')
        });
        Ok(values.map(str::to_owned).collect())
    }

    /// Reads the environment that a process was started with; empty if it may not be read. While a process starts another program in its
    /// place its environment reads as empty or as the beginning of the old one, so the end of that is waited for.
    fn environment(row: &ProcessEntry) -> io::Result<Vec<u8>> {
        let began = Instant::now();
        let (mut before, mut last) = (row.environment, Vec::new());
        loop {
            let found = match fs::read(format!("/proc/{}/environ", row.pid)) {
                Ok(found) => found,
                Err(error) if is_scarcity(&error) => return Err(error),
                Err(_) => return Ok(Vec::new()),
            };
            let after = match look(row.pid) {
                Ok(Some(now)) if now.row.start == row.start && !now.row.is_dead && !now.is_of_kernel => {
                    now.row.environment
                }
                Err(error) if is_scarcity(&error) => return Err(error),
                Ok(_) | Err(_) => return Ok(found),
            };
            // If the kernel does not give the number of the environment, two looks have to agree.
            let is_known = after == before && (after != 0 || found == last);
            let has_none = found.is_empty() && is_known && after != 0;
            let limit = if has_none {
                NO_ENVIRONMENT_AFTER
            } else {
                EXEC_LIMIT
            };
            if (is_known && !found.is_empty()) || began.elapsed() >= limit {
                return Ok(found);
            }
            (before, last) = (after, found);
            thread::park_timeout(PAUSE);
        }
    }

    /// Returns the id of this boot of the machine; empty where the system does not give it. The system is asked once: the id stays the same
    /// while this process lives, and one that could not be read must not pass for another.
    ///
    /// # Errors
    /// When the id was not read yet and this process may open no more files.
    pub(in super::super) fn boot() -> io::Result<&'static str> {
        static BOOT: OnceLock<String> = OnceLock::new();
        if let Some(known) = BOOT.get() {
            return Ok(known);
        }
        let id = match fs::read_to_string("/proc/sys/kernel/random/boot_id") {
            Ok(id) => id.trim().to_owned(),
            Err(error) if is_scarcity(&error) => return Err(error),
            Err(_) => String::new(),
        };
        Ok(BOOT.get_or_init(|| id))
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
                environment: 0,
                is_dead: false,
            };
            let is_of_kernel = false;
            assert_eq!(parse(42, line), Some(Stat { row, is_of_kernel }));
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::sync::OnceLock;

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
            environment: 0,
            is_dead: matches!(process.status(), ProcessStatus::Zombie | ProcessStatus::Dead),
        }
    }

    /// Lists all processes of this machine that can be seen.
    ///
    /// # Errors
    /// When the system does not list them.
    pub fn processes() -> io::Result<Vec<ProcessEntry>> {
        let system = look(ProcessesToUpdate::All, UpdateKind::Never)?;
        let real = |process: &&Process| process.thread_kind().is_none();
        Ok(system.processes().values().filter(real).map(row_of).collect())
    }

    /// Reads the entry of a process; `None` when there is no such process.
    pub(in super::super) fn process(pid: u32) -> io::Result<Option<ProcessEntry>> {
        let pid = Pid::from_u32(pid);
        let system = look(ProcessesToUpdate::Some(&[pid]), UpdateKind::Never)?;
        Ok(system.process(pid).map(row_of))
    }

    /// Returns true if the process was started with `entry` (`NAME=value`) in its environment; false if the environment may not be read.
    ///
    /// # Errors
    /// When the system does not list processes.
    pub(in super::super) fn has_env_entry(row: &ProcessEntry, entry: &str) -> io::Result<bool> {
        let pid = Pid::from_u32(row.pid);
        let system = look(ProcessesToUpdate::Some(&[pid]), UpdateKind::Always)?;
        let process = system.process(pid);
        Ok(process.is_some_and(|process| process.environ().iter().any(|found| found == entry)))
    }

    /// Returns all values that the process was started with under `name`; empty if the environment may not be read.
    ///
    /// # Errors
    /// When the system does not list processes.
    pub(in super::super) fn env_values(row: &ProcessEntry, name: &str) -> io::Result<Vec<String>> {
        let pid = Pid::from_u32(row.pid);
        let system = look(ProcessesToUpdate::Some(&[pid]), UpdateKind::Always)?;
        let entries = system.process(pid).map(Process::environ).unwrap_or_default();
        let values = entries
            .iter()
            .filter_map(|entry| entry.to_str()?.strip_prefix(name)?.strip_prefix('='));
        Ok(values.map(str::to_owned).collect())
    }

    /// Returns the id of this boot of the machine; empty where the system does not give it. The system is asked once: the id stays the same
    /// while this process lives.
    #[expect(clippy::unnecessary_wraps, reason = "on another system it can fail")]
    pub(in super::super) fn boot() -> io::Result<&'static str> {
        static BOOT: OnceLock<String> = OnceLock::new();
        let ask = || System::boot_time().map(|seconds| seconds.to_string());
        Ok(BOOT.get_or_init(|| ask().unwrap_or_default()))
    }
}
