//! The one place that starts git: own process group, bounded output, a time limit. Knows nothing about git itself.
#![expect(
    clippy::disallowed_methods,
    reason = "the door of this adapter: starts git and reads the clock for its time limit"
)]

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// Most bytes kept of what git says on its error output; the end is what matters.
const STDERR_LIMIT: usize = 16 * 1024;
/// How long the output of an ended process may stay open in the hands of a grandchild.
const DRAIN: Duration = Duration::from_millis(500);
/// How long a process may take to clean its lock files up after being asked to end.
const GRACE: Duration = Duration::from_secs(2);
/// Pause between two looks at a process whose outputs just closed: the end follows at once, and somebody waits for it.
const SHORTEST_STEP: Duration = Duration::from_micros(50);
/// Longest pause between two looks at a process whose outputs stay open.
const LONGEST_STEP: Duration = Duration::from_millis(16);

/// One process to be run.
pub(super) struct Invocation {
    pub(super) program: OsString,
    pub(super) args: Vec<OsString>,
    pub(super) env: Vec<(OsString, OsString)>,
    pub(super) cwd: PathBuf,
    pub(super) input: Input,
    pub(super) timeout: Duration,
    /// Most bytes of standard output; after that the pipe is closed.
    pub(super) limit: usize,
}

/// What a process finds on its standard input.
pub(super) enum Input {
    Nothing,
    /// Written before anything is read: keep it below 4 KiB.
    Bytes(Vec<u8>),
    /// A file that is kept open, and so locked, as long as the process lives.
    Held(File),
}

/// What an ended process left.
pub(super) struct Output {
    /// Exit code; none when a signal ended it.
    pub(super) code: Option<i32>,
    pub(super) stdout: Vec<u8>,
    pub(super) truncated: bool,
    pub(super) stderr: Vec<u8>,
}

/// Why there is no [`Output`].
pub(super) enum RunError {
    NotStarted(std::io::Error),
    TimedOut(Duration),
}

/// Runs to the end or to the time limit; at the limit the whole process group is ended.
pub(super) fn run(mut invocation: Invocation) -> Result<Output, RunError> {
    let deadline = Instant::now() + invocation.timeout;
    let input = std::mem::replace(&mut invocation.input, Input::Nothing);
    let mut child = start(&invocation, &input).map_err(RunError::NotStarted)?;
    let ends = Arc::new(Ends::default());
    let stdout = Collector::start(child.stdout.take(), Keep::First(invocation.limit), &ends);
    let stderr = Collector::start(child.stderr.take(), Keep::Last(STDERR_LIMIT), &ends);
    feed(&mut child, input);
    let Some(status) = wait_until(&mut child, deadline, &ends) else {
        end(&mut child, &ends);
        return Err(RunError::TimedOut(invocation.timeout));
    };
    ends.drain(Instant::now() + DRAIN);
    let kept = stdout.take();
    Ok(Output {
        code: status.code(),
        stdout: kept.bytes,
        truncated: kept.truncated,
        stderr: stderr.take().bytes,
    })
}

fn start(invocation: &Invocation, input: &Input) -> std::io::Result<Child> {
    let mut command = Command::new(&invocation.program);
    command
        .args(&invocation.args)
        .env_clear()
        .current_dir(&invocation.cwd);
    command.envs(invocation.env.iter().map(|(name, value)| (name, value)));
    let input = match input {
        Input::Nothing => Stdio::null(),
        Input::Bytes(_) => Stdio::piped(),
        Input::Held(file) => Stdio::from(file.try_clone()?),
    };
    command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
    group::lead(&mut command);
    command.spawn()
}

fn feed(child: &mut Child, input: Input) {
    if let (Some(mut pipe), Input::Bytes(bytes)) = (child.stdin.take(), input) {
        // A process that does not read its input ends with an exit code that says so.
        drop(pipe.write_all(&bytes));
    }
}

/// Waits for the end; wakes early when an output closes, because the end then follows at once.
fn wait_until(child: &mut Child, deadline: Instant, ends: &Ends) -> Option<ExitStatus> {
    let mut step = SHORTEST_STEP;
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        let left = deadline.checked_duration_since(Instant::now())?;
        step = if ends.pause(step.min(left)) {
            SHORTEST_STEP
        } else {
            (step * 2).min(LONGEST_STEP)
        };
    }
}

fn end(child: &mut Child, ends: &Ends) {
    group::ask_to_end(child);
    let patience = Instant::now() + GRACE;
    let left_by_itself = wait_until(child, patience, ends).is_some();
    // What git started has lock files of its own to clean up; it closes its outputs last.
    ends.drain(patience);
    group::kill(child);
    if !left_by_itself {
        drop(child.wait());
    }
}

/// How many outputs are still open.
#[derive(Default)]
struct Ends {
    open: Mutex<usize>,
    closed: Condvar,
}

impl Ends {
    /// Waits at most this long; true when an output closed meanwhile.
    fn pause(&self, at_most: Duration) -> bool {
        let mut open = self.open.lock();
        !self.closed.wait_for(&mut open, at_most).timed_out()
    }

    /// Waits until all outputs are closed.
    fn drain(&self, deadline: Instant) {
        let mut open = self.open.lock();
        while *open > 0 && !self.closed.wait_until(&mut open, deadline).timed_out() {}
    }
}

#[derive(Clone, Copy)]
enum Keep {
    First(usize),
    Last(usize),
}

#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    truncated: bool,
}

/// A thread that reads one output; it ends when the output does.
struct Collector(Arc<Mutex<Kept>>);

impl Collector {
    fn start(pipe: Option<impl Read + Send + 'static>, keep: Keep, ends: &Arc<Ends>) -> Self {
        let kept = Arc::new(Mutex::new(Kept::default()));
        if let Some(mut pipe) = pipe {
            *ends.open.lock() += 1;
            let (into, reading) = (Arc::clone(&kept), Arc::clone(ends));
            let work = move || {
                read_all(&mut pipe, keep, &into);
                drop(pipe);
                *reading.open.lock() -= 1;
                reading.closed.notify_all();
            };
            if thread::Builder::new()
                .name("git output".to_owned())
                .spawn(work)
                .is_err()
            {
                kept.lock().truncated = true;
                *ends.open.lock() -= 1;
            }
        }
        Self(kept)
    }

    fn take(&self) -> Kept {
        std::mem::take(&mut *self.0.lock())
    }
}

fn read_all(pipe: &mut impl Read, keep: Keep, into: &Mutex<Kept>) {
    let mut chunk = [0; 16 * 1024];
    while let Ok(n_bytes) = pipe.read(&mut chunk) {
        let Some(bytes) = chunk.get(..n_bytes).filter(|bytes| !bytes.is_empty()) else {
            return;
        };
        let mut kept = into.lock();
        kept.bytes.extend_from_slice(bytes);
        match keep {
            Keep::First(limit) if kept.bytes.len() > limit => {
                kept.bytes.truncate(limit);
                kept.truncated = true;
                return;
            }
            Keep::Last(limit) if kept.bytes.len() > limit => {
                let excess = kept.bytes.len() - limit;
                kept.bytes.drain(..excess);
            }
            Keep::First(_) | Keep::Last(_) => {}
        }
    }
}

#[cfg(unix)]
mod group {
    //! Process groups on unix: git and all it starts end together.

    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;

    pub(super) fn lead(command: &mut Command) {
        command.process_group(0);
    }

    pub(super) fn ask_to_end(child: &mut Child) {
        signal(child, Signal::SIGTERM);
    }

    pub(super) fn kill(child: &mut Child) {
        signal(child, Signal::SIGKILL);
    }

    fn signal(child: &Child, signal: Signal) {
        if let Ok(id) = i32::try_from(child.id()) {
            // The only failure is that nobody is left.
            killpg(Pid::from_raw(id), signal).ok();
        }
    }
}

#[cfg(not(unix))]
mod group {
    //! Elsewhere only git itself is ended; its children notice their closed pipes.

    use std::process::{Child, Command};

    pub(super) fn lead(_command: &mut Command) {}

    pub(super) fn ask_to_end(child: &mut Child) {
        kill(child);
    }

    pub(super) fn kill(child: &mut Child) {
        drop(child.kill());
    }
}
