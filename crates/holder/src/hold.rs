//! The life of a holder: leave the starter, take the folder, start the program, pump its bytes, listen, and, when the program has ended,
//! write its end to the disk. Blocking threads, no runtime: main (chores and the end), output, input, collector of children, signals,
//! listener, and two for each peer.

mod daemon;
mod maintenance;
mod peer;
mod platform;
mod pty;
mod pump;
mod shared;
mod shutdown;
mod start;

use std::io::{Read, Write};
use std::time::Duration;

#[cfg(target_os = "linux")]
pub(super) use daemon::own_program;
#[cfg(target_os = "linux")]
pub(super) use platform::{SignalAction, daemonize};

use super::error::HolderError;
use super::files::{HoldSpec, LaunchAnswer, StartStage};

/// Time that a stop may take beyond its grace: killing is repeated for five seconds, then the output is drained and stored.
pub(super) const STOP_SLACK: Duration = Duration::from_secs(15);

/// Runs `dbs hold`: reads its task from `input`, answers one line on standard output, and holds until the program has ended. Returns early
/// in the first of the two processes, which only starts the second.
///
/// # Errors
/// When nothing could be started. The same error was then answered on standard output.
pub fn run_holder(mut input: impl Read) -> Result<(), HolderError> {
    let mut text = Vec::new();
    let outcome = input
        .read_to_end(&mut text)
        .map_err(HolderError::io("read what to hold"))
        .and_then(|_| serde_json::from_slice(&text).map_err(|error| HolderError::Refused(error.to_string())))
        .and_then(|spec: HoldSpec| match spec.step {
            StartStage::Leave => daemon::start_second(spec),
            StartStage::Hold => start::start(spec).map(start::StartedHolder::run),
        });
    outcome.inspect_err(|error| answer(&refusal(error)))
}

fn refusal(error: &HolderError) -> LaunchAnswer {
    match error {
        HolderError::Taken(_) => LaunchAnswer::Taken,
        HolderError::Refused(_) | HolderError::Program { .. } => LaunchAnswer::Refused(error.cause()),
        HolderError::Io { .. } | HolderError::Protocol(_) => LaunchAnswer::Failed(error.cause()),
    }
}

/// Writes the one line of the answer. A starter that is gone by now needs none.
fn answer(started: &LaunchAnswer) {
    if let Ok(mut line) = serde_json::to_vec(started) {
        line.push(b'\n');
        let mut out = std::io::stdout();
        drop(out.write_all(&line).and_then(|()| out.flush()));
    }
}

/// Starts a thread of the holder. A panic in one would leave a program whose output is not read, so it ends the holder: the server then
/// finds it lost, which is true.
fn thread(name: &str, body: impl FnOnce() + Send + 'static) -> Result<(), HolderError> {
    let guarded = move || {
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)).is_err() {
            std::process::abort();
        }
    };
    let builder = std::thread::Builder::new()
        .name(name.to_owned())
        .stack_size(256 * 1024);
    builder
        .spawn(guarded)
        .map(drop)
        .map_err(HolderError::io(format!("start the thread {name}")))
}
