//! Changes of a child that its parent is told.

use dbs_domain::ProcessExit;

/// Change of a child process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChildChange {
    /// Suspension, as by Ctrl-Z (true), or its end (false). Windows has no signal that suspends a program.
    Suspended(bool),
    Ended(ProcessExit),
}

/// Waits for the next change of that child, or of any, and collects one that has ended. Returns nothing if there is no such child.
#[cfg(unix)]
pub fn next_change(of: Option<u32>) -> Option<(u32, ChildChange)> {
    use nix::errno::Errno;
    use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
    use nix::unistd::Pid;

    let of = match of.map(i32::try_from) {
        Some(Ok(id)) => Some(Pid::from_raw(id)),
        Some(Err(_)) => return None,
        None => None,
    };
    loop {
        let (of, change) = match waitpid(of, Some(WaitPidFlag::WUNTRACED | WaitPidFlag::WCONTINUED)) {
            Ok(WaitStatus::Exited(of, code)) => (of, ChildChange::Ended(ProcessExit::Code(code))),
            Ok(WaitStatus::Signaled(of, signal, _)) => {
                (of, ChildChange::Ended(ProcessExit::Signal(signal as i32)))
            }
            Ok(WaitStatus::Stopped(of, _)) => (of, ChildChange::Suspended(true)),
            Ok(WaitStatus::Continued(of)) => (of, ChildChange::Suspended(false)),
            Err(Errno::ECHILD) => return None,
            _ => continue,
        };
        if let Ok(of) = u32::try_from(of.as_raw()) {
            return Some((of, change));
        }
    }
}
