//! The one place that starts git: own process group, no terminal where a program may ask, bounded output, a time limit. Knows nothing about git itself.
#![expect(
    clippy::disallowed_methods,
    reason = "the door of this adapter: starts git and reads the clock for its time limit"
)]

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::adapters::child_process;
use crate::adapters::child_process::memory::memory_of;
use crate::adapters::child_process::output::{CapturedOutput, OutputCollector, OutputLimit, RunningProcess};
use crate::adapters::holder::process::Keeper;
use crate::ports::holders::OrphanPolicy;

/// Maximum number of bytes of git's error output that are kept; the end is what matters.
const STDERR_LIMIT: usize = 16 * 1024;
/// Time between two looks at the memory of a process with a memory limit: it can take more in that time.
const MEMORY_INTERVAL: Duration = Duration::from_millis(200);
/// Time that a process has to clean its lock files up after being asked to end.
const GRACE: Duration = Duration::from_secs(2);

/// A child process to be run: its command, its input and its limits.
pub(super) struct ProcessSpec {
    /// Begins with an empty environment.
    pub(super) command: Command,
    pub(super) input: StdinSource,
    pub(super) timeout: Duration,
    /// Maximum number of bytes of standard output; after that the pipe is closed.
    pub(super) limit: usize,
    /// Maximum number of bytes of memory that the process and all it starts may take.
    pub(super) memory: Option<u64>,
    /// Keeper above the process, where the command may start programs that others wrote.
    pub(super) keeper: Option<Keeper>,
    /// Program that takes the terminal of this process from it, where the command may start a program that asks.
    pub(super) apart: Option<Keeper>,
}

impl ProcessSpec {
    pub(super) fn new(program: &OsStr, cwd: &Path, timeout: Duration, limit: usize) -> Self {
        let mut command = Command::new(program);
        command.env_clear().current_dir(cwd);
        Self {
            command,
            input: StdinSource::Nothing,
            timeout,
            limit,
            memory: None,
            keeper: None,
            apart: None,
        }
    }
}

/// Standard input of a child process: nothing, bytes or an open file.
pub(super) enum StdinSource {
    Nothing,
    /// Written before anything is read: keep it below 4 KiB.
    Bytes(Vec<u8>),
    /// A file that is kept open, and so locked, as long as the process lives.
    Held(File),
}

/// Exit code and captured output of a process that has ended.
pub(super) struct ProcessOutput {
    /// Exit code; `None` if a signal ended it.
    pub(super) code: Option<i32>,
    pub(super) stdout: Vec<u8>,
    pub(super) truncated: bool,
    pub(super) stderr: Vec<u8>,
}

impl ProcessOutput {
    /// Returns its standard output as text.
    pub(super) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.stdout)
    }
}

/// Error of a process that left no output: it could not be started or exceeded one of its limits.
pub(super) enum ProcessError {
    NotStarted(std::io::Error),
    TimedOut(Duration),
    /// Memory use above this number of bytes.
    TooLarge(u64),
}

/// Runs to the end or to the time limit; at the limit the whole process group is ended.
pub(super) fn run(mut spec: ProcessSpec) -> Result<ProcessOutput, ProcessError> {
    let deadline = Instant::now() + spec.timeout;
    match (&spec.keeper, &spec.apart) {
        // Processes that are left may serve the person: a cache of credentials, a connection that stays open.
        (Some(keeper), _) => spec.command = keeper.around(&spec.command, OrphanPolicy::Leave),
        (None, Some(keeper)) => spec.command = keeper.apart(&spec.command),
        (None, None) => child_process::new_process_group(&mut spec.command),
    }
    let (mut process, stdout, stderr) = start(&mut spec).map_err(ProcessError::NotStarted)?;
    if let (Some(mut pipe), StdinSource::Bytes(bytes)) = (process.take_input(), spec.input) {
        // A process that does not read its input ends with an exit code that says so.
        drop(pipe.write_all(&bytes));
    }
    let (id, mut last_look, mut taken) = (process.id(), Instant::now(), 0);
    let is_too_large = || {
        let is_due = spec.memory.is_some() && last_look.elapsed() >= MEMORY_INTERVAL;
        if is_due {
            (last_look, taken) = (Instant::now(), memory_of(id));
        }
        spec.memory.is_some_and(|limit| taken > limit)
    };
    let Ok(Some(status)) = process.wait_unless(deadline, is_too_large) else {
        process.end(Instant::now() + GRACE);
        let passed = spec.memory.filter(|limit| taken > *limit);
        return Err(passed.map_or(ProcessError::TimedOut(spec.timeout), ProcessError::TooLarge));
    };
    if !process.wait_drained(|| stdout.has_all() && stderr.has_all(), deadline) {
        return Err(ProcessError::TimedOut(spec.timeout));
    }
    let mut kept = stdout.kept();
    Ok(ProcessOutput {
        code: status.code(),
        stdout: std::mem::take(&mut kept.bytes),
        truncated: kept.truncated,
        stderr: std::mem::take(&mut stderr.kept().bytes),
    })
}

type Started = (
    RunningProcess,
    OutputCollector<CapturedOutput>,
    OutputCollector<CapturedOutput>,
);

fn start(spec: &mut ProcessSpec) -> std::io::Result<Started> {
    let input = match &spec.input {
        StdinSource::Nothing => Stdio::null(),
        StdinSource::Bytes(_) => Stdio::piped(),
        StdinSource::Held(file) => Stdio::from(file.try_clone()?),
    };
    let command = spec.command.stdin(input);
    let mut process = RunningProcess::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let stdout = process.collect_output(CapturedOutput::new(OutputLimit::First(spec.limit)))?;
    let stderr = process.collect_errors(CapturedOutput::new(OutputLimit::Last(STDERR_LIMIT)))?;
    Ok((process, stdout, stderr))
}

#[cfg(all(test, unix))]
mod tests;
