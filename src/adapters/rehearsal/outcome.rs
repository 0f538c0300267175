//! End of a rehearsal, including the death of its process.

use std::process::ExitCode;

use crate::formats::scenario::CrashKind;

/// End of a rehearsal: an exit code or a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RehearsalExit {
    Code(u8),
    Crash(CrashKind),
}

impl RehearsalExit {
    /// Ends: returns the exit code for `main`, or does not return because the process is dead.
    pub fn finish(self) -> ExitCode {
        match self {
            RehearsalExit::Code(code) => ExitCode::from(code),
            RehearsalExit::Crash(how) => {
                die(how);
                std::process::abort()
            }
        }
    }
}

#[cfg(unix)]
fn die(how: CrashKind) {
    use nix::sys::signal::{SigSet, Signal, raise};
    let signal = match how {
        CrashKind::Abort => return,
        CrashKind::Kill => Signal::SIGKILL,
        CrashKind::Term => Signal::SIGTERM,
    };
    // A rehearsal that ignored TERM before must still be able to die by it.
    // When it fails, the abort that follows is a death too.
    SigSet::from(signal)
        .thread_unblock()
        .and_then(|()| raise(signal))
        .unwrap_or_default();
}

/// Does nothing: without signals every crash is an abort.
#[cfg(not(unix))]
fn die(_how: CrashKind) {}
