//! System limits for a running server for a while: too few descriptors, too little memory, files that may not grow.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::campaign::Random;
use crate::faults::wait_for;
use crate::project::Project;
use crate::victims::{self, Victim};

/// Resource that is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scarce {
    Descriptors,
    Memory,
    /// Limit on file sizes, in place of a full disk if none can be filled.
    FileSize,
}

impl Scarce {
    /// Returns the name that the report uses.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Scarce::Descriptors => "few descriptors",
            Scarce::Memory => "little memory",
            Scarce::FileSize => "short files",
        }
    }

    /// Returns the option of `prlimit` and the name of the limit in `/proc`.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Scarce::Descriptors => ("nofile", "Max open files"),
            Scarce::Memory => ("as", "Max address space"),
            Scarce::FileSize => ("fsize", "Max file size"),
        }
    }

    /// Returns a limit at which the server soon fails.
    fn limit(self, server: i32, random: &mut Random) -> u64 {
        match self {
            Scarce::Descriptors => {
                let open = fs::read_dir(format!("/proc/{server}/fd")).map_or(0, Iterator::count);
                let open = u64::try_from(open).unwrap_or_default();
                8 + random.below(open + 8)
            }
            Scarce::Memory => address_space(server) + random.below(4 * 1024 * 1024),
            Scarce::FileSize => random.below(1024 * 1024),
        }
    }
}

/// Limits the server until the time is over or the server has died of it; returns true if there was a server.
pub(crate) fn lack(
    project: &Project,
    scarce: Scarce,
    lasting: Duration,
    random: &mut Random,
) -> Result<bool, String> {
    let Some(server) = victims::find(project, Victim::Server).first().map(|it| it.pid) else {
        return Ok(false);
    };
    let before = soft_limit(server, scarce);
    let limit = scarce.limit(server, random);
    if !set(server, scarce, &limit.to_string())? {
        return Ok(false);
    }
    let has_died = wait_for(lasting, || soft_limit(server, scarce).is_none());
    if !has_died {
        // The server may die at this moment.
        set(server, scarce, before.as_deref().unwrap_or("unlimited"))?;
    }
    Ok(true)
}

/// Sets the soft limit, which can be raised again; returns true if the process existed.
fn set(process: i32, scarce: Scarce, limit: &str) -> Result<bool, String> {
    let option = format!("--{}={limit}:", scarce.words().0);
    let set = Command::new("prlimit")
        .args(["--pid", &process.to_string(), &option])
        .stderr(Stdio::null())
        .status()
        .map_err(|error| format!("could not run prlimit: {error}; it comes with util-linux"))?;
    Ok(set.success())
}

/// Returns the soft limit of a living process.
fn soft_limit(process: i32, scarce: Scarce) -> Option<String> {
    let limits = fs::read_to_string(format!("/proc/{process}/limits")).ok()?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix(scarce.words().1))?;
    line.split_whitespace().next().map(str::to_owned)
}

/// Returns the size of a process's address space, in bytes.
fn address_space(process: i32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or_default() * 1024
}
