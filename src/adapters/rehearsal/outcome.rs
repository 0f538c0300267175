//! How a rehearsal ends, and dying where that is how.

use std::process::ExitCode;

use crate::formats::scenario::Crash;

/// How a rehearsal ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitOutcome {
    /// With an exit code.
    Code(u8),
    /// By dying.
    Crash(Crash),
}

impl ExitOutcome {
    /// Ends: returns the exit code for `main`, or does not return because the process is dead.
    pub fn finish(self) -> ExitCode {
        match self {
            ExitOutcome::Code(code) => ExitCode::from(code),
            ExitOutcome::Crash(how) => {
                die(how);
                std::process::abort()
            }
        }
    }
}

#[cfg(unix)]
fn die(how: Crash) {
    use nix::sys::signal::{SigSet, Signal, raise};
    let signal = match how {
        Crash::Abort => return,
        Crash::Kill => Signal::SIGKILL,
        Crash::Term => Signal::SIGTERM,
    };
    // A rehearsal that ignored TERM before must still be able to die by it.
    // When it fails, the abort that follows is a death too.
    SigSet::from(signal)
        .thread_unblock()
        .and_then(|()| raise(signal))
        .unwrap_or_default();
}

/// Where there are no signals every crash is an abort.
#[cfg(not(unix))]
fn die(_how: Crash) {}
