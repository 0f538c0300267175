//! End of everything that belongs to an attempt: politely, then for certain, until nothing is left.

use std::cmp::Reverse;
use std::io;
use std::time::{Duration, Instant};

use super::selector::{ProcessSelector, members};
use super::table::{self, ProcessEntry};

/// Time for which killing is repeated before the rest is reported: only a process the kernel holds survives this.
const HARD_LIMIT: Duration = Duration::from_secs(5);

/// Maximum time for terminate alone before hang-up is sent too: shells ignore the first, and where both are waiting the system delivers
/// hang-up first, which few programs take as a reason to say goodbye.
const BEFORE_HANG_UP: Duration = Duration::from_millis(500);

/// Ends all members of `target`: terminate, then hang-up, up to `grace` to comply, then kill, again and again because a process may have
/// started another one meanwhile. Returns the number of processes left; 0 is the rule.
///
/// # Errors
/// When processes cannot be listed.
pub fn terminate(target: &mut ProcessSelector, grace: Duration) -> io::Result<u32> {
    let first = BEFORE_HANG_UP.min(grace / 4);
    for (strength, within) in [
        (TerminationSignal::Terminate, first),
        (TerminationSignal::HangUp, grace.saturating_sub(first)),
    ] {
        let left = members(target)?;
        for row in &left {
            send(row, strength);
        }
        if left.is_empty() || wait_until_gone(target, within)? {
            return Ok(0);
        }
    }
    let deadline = Instant::now() + HARD_LIMIT;
    loop {
        let mut left = freeze(target)?;
        // The youngest first: when the leader of a session dies, or the parent of a job, the system continues its halted processes.
        left.sort_by_key(|row| Reverse((row.start, row.pid)));
        for row in &left {
            send(row, TerminationSignal::Kill);
        }
        if wait_until_gone(target, Duration::from_millis(50))? {
            return Ok(0);
        }
        if Instant::now() >= deadline {
            return Ok(u32::try_from(members(target)?.len()).unwrap_or(u32::MAX));
        }
    }
}

/// Halts members until a look finds no new one, so that none can start another between the look and the kill.
fn freeze(target: &mut ProcessSelector) -> io::Result<Vec<ProcessEntry>> {
    let mut halted: Vec<ProcessEntry> = Vec::new();
    for _ in 0..20 {
        let found = members(target)?;
        let new: Vec<&ProcessEntry> = found.iter().filter(|row| !halted.contains(row)).collect();
        if new.is_empty() {
            return Ok(found);
        }
        for row in new {
            send(row, TerminationSignal::Stop);
        }
        halted = found;
    }
    Ok(halted)
}

fn wait_until_gone(target: &mut ProcessSelector, within: Duration) -> io::Result<bool> {
    let deadline = Instant::now() + within;
    let mut pause = Duration::from_millis(1);
    loop {
        // Twice: a process started while processes are listed is in the next list, even if its starter has ended meanwhile.
        if members(target)?.is_empty() && members(target)?.is_empty() {
            return Ok(true);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(false);
        }
        std::thread::park_timeout(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

#[derive(Clone, Copy)]
enum TerminationSignal {
    Terminate,
    HangUp,
    Stop,
    Kill,
}

/// Signals a process if it is still the one that was seen. A failure needs no answer: the next look shows it.
#[cfg(unix)]
fn send(row: &ProcessEntry, strength: TerminationSignal) {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    let still_it = matches!(table::process(row.pid), Ok(Some(now)) if now.start == row.start);
    let (Ok(pid), true) = (i32::try_from(row.pid), still_it) else {
        return;
    };
    let signals: &[Signal] = match strength {
        // A halted process would never hear the first.
        TerminationSignal::Terminate => &[Signal::SIGTERM, Signal::SIGCONT],
        TerminationSignal::HangUp => &[Signal::SIGHUP, Signal::SIGCONT],
        TerminationSignal::Stop => &[Signal::SIGSTOP],
        TerminationSignal::Kill => &[Signal::SIGKILL],
    };
    for signal in signals {
        if kill(Pid::from_raw(pid), *signal).is_err() {
            return;
        }
    }
}

/// Ends a process, but only on kill: there is only one way to end a process here, so politeness means waiting.
#[cfg(not(unix))]
fn send(row: &ProcessEntry, strength: TerminationSignal) {
    use sysinfo::{Pid, ProcessesToUpdate, System};

    if !matches!(strength, TerminationSignal::Kill)
        || !matches!(table::process(row.pid), Ok(Some(now)) if now.start == row.start)
    {
        return;
    }
    let pid = Pid::from_u32(row.pid);
    if let Ok(mut system) = System::new() {
        system.refresh_processes(ProcessesToUpdate::Some(&[pid]), true);
        if let Some(process) = system.process(pid) {
            process.kill();
        }
    }
}
