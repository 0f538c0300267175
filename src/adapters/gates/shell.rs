//! Shell of the gates: one gate at a time per caller; start, wait, kill what is left, report.
#![expect(
    clippy::disallowed_methods,
    reason = "the door of this adapter: starts gates and reads the clock for their time limits"
)]

use std::io;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::output::RecordedOutput;
use crate::adapters::child_process;
use crate::adapters::child_process::output::{OutputCollector, RunningProcess};
use crate::adapters::holder::process::{Keeper, ProcessSelector, terminate};
use crate::domain::Tri;
use crate::ports::gates::{GateExit, GateReport, GateRun, Gates};
use crate::ports::holders::OrphanPolicy;
use crate::ports::trouble::io_trouble;

/// Time that the thread of a busy machine may take to read the output of an ended gate.
const DRAIN: Duration = Duration::from_mins(1);

/// Time for which a server that has no descriptors left tries to look for processes that a gate left running.
const LOOK_LIMIT: Duration = Duration::from_secs(10);
/// Between two of these tries.
const LOOK_PAUSE: Duration = Duration::from_millis(100);

/// Name of the variable that marks all processes of one gate run.
const MARK: &str = "DBS_GATE_MARK";

/// Numbers the runs of this process, so that no two have the same mark.
static N_RUNS: AtomicU64 = AtomicU64::new(0);

/// Implementation of the `Gates` port that runs commands through `sh -c`, or `cmd /C` on Windows.
#[derive(Debug, Default, Clone)]
pub struct ShellGates {
    /// Keeper that adopts processes that lose their parent, where the system can.
    pub keeper: Option<Keeper>,
}

/// A gate that was started, and the reader of its output.
struct StartedGate {
    /// The keeper, if there is one; it ends with all below it when its standard input is closed.
    process: RunningProcess,
    output: OutputCollector<RecordedOutput>,
}

impl Gates for ShellGates {
    fn run(&self, run: &GateRun) -> GateReport {
        let began = Instant::now();
        let number = N_RUNS.fetch_add(1, Ordering::Relaxed);
        let mark = format!("{}-{number}", std::process::id());
        let mut report = GateReport {
            exit: GateExit::TimedOut,
            outcome: Tri::Yes,
            duration_ms: 0,
            tail: String::new(),
            truncated: false,
            tests: None,
        };
        match self.start(run, &mark) {
            Err(error) => {
                let why = format!("start it in {}: {error}", run.cwd.display());
                report.exit = GateExit::NotRun(io_trouble(error.kind()).cause(why));
            }
            Ok(mut gate) => {
                report.exit = finish(&mut gate, &mark, began + run.timeout);
                let written = gate.output.kept();
                report.tail = String::from_utf8_lossy(&written.tail).into_owned();
                report.truncated = written.truncated;
                if let Some(why) = &written.write_error {
                    let tried = format!("keep its output in {}: ", run.output.display());
                    report.exit = GateExit::NotRun(why.clone().after(&tried));
                }
            }
        }
        report.duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        report.outcome = outcome(run, &report.exit);
        report
    }
}

/// Waits for the gate, kills what it left running, and waits until its output was read.
fn finish(gate: &mut StartedGate, mark: &str, deadline: Instant) -> GateExit {
    let exit = match gate.process.wait(deadline) {
        Ok(status) => status.map(exit_of),
        Err(error) => Some(GateExit::NotRun(format!("wait for it: {error}").into())),
    };
    match (exit.is_none(), gate.process.take_input()) {
        // The keeper ends everything below it. A keeper that cannot is left: without it those processes would pass for a person's.
        (true, Some(input)) => {
            drop(input);
            let ended = gate.process.wait(Instant::now() + LOOK_LIMIT);
            if !matches!(ended, Ok(Some(_))) {
                tracing::warn!(
                    "could not end all processes of a gate; some still run below process {}",
                    gate.process.id()
                );
            }
        }
        (is_leader_alive, _) => kill_left(gate.process.id(), is_leader_alive, mark),
    }
    let exit = exit.unwrap_or_else(|| {
        // It was killed; a keeper that still runs is not waited for.
        gate.process.wait(Instant::now() + LOOK_PAUSE).ok();
        GateExit::TimedOut
    });
    gate.process
        .wait_drained(|| gate.output.has_all(), Instant::now() + DRAIN);
    exit
}

/// Kills the processes that a gate left running: those with its mark, its tree while the leader of that lives, and its process group. The
/// group is last, as the tree is known only while its parents live.
fn kill_left(leader: u32, is_leader_alive: bool, mark: &str) {
    let deadline = Instant::now() + LOOK_LIMIT;
    let marked = ProcessSelector::with_variable(MARK, mark);
    let target = if is_leader_alive {
        retried(deadline, || marked.clone().with_process(leader))
    } else {
        Ok(marked)
    };
    let killed = target.and_then(|mut target| retried(deadline, || terminate(&mut target, Duration::ZERO)));
    if let Err(error) = killed {
        tracing::warn!("could not look for what a gate left running: {error}");
    }
    child_process::kill_group(leader);
}

/// Tries it until it succeeds or the time is over.
fn retried<T>(deadline: Instant, mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match attempt() {
            Err(_) if Instant::now() < deadline => thread::park_timeout(LOOK_PAUSE),
            last => return last,
        }
    }
}

impl ShellGates {
    fn start(&self, run: &GateRun, mark: &str) -> io::Result<StartedGate> {
        let (reader, writer) = io::pipe()?;
        let sink = RecordedOutput::create(&run.output, run.output_limit)?;
        let mut command = shell(&run.command);
        command
            .current_dir(&run.cwd)
            .env_clear()
            .envs(run.env.variables.iter().map(|(name, value)| (name, value)));
        command.env(MARK, mark).stdin(Stdio::null());
        match &self.keeper {
            Some(keeper) => {
                command = keeper.around(&command, OrphanPolicy::Sweep);
                command.stdin(Stdio::piped());
            }
            None => child_process::new_process_group(&mut command),
        }
        command.stdout(writer.try_clone()?).stderr(writer);
        let mut process = RunningProcess::start(&mut command)?;
        let output = process.collect(Some(reader), sink)?;
        Ok(StartedGate { process, output })
    }
}

#[cfg(unix)]
fn shell(text: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", text]);
    command
}

#[cfg(windows)]
fn shell(text: &str) -> Command {
    use std::os::windows::process::CommandExt;
    let mut command = Command::new("cmd");
    command.raw_arg("/C").raw_arg(text);
    command
}

fn exit_of(status: ExitStatus) -> GateExit {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return GateExit::Signal(signal);
    }
    let no_code = || GateExit::NotRun("it ended without a code".into());
    status.code().map_or_else(no_code, GateExit::Code)
}

fn outcome(run: &GateRun, exit: &GateExit) -> Tri {
    match exit {
        GateExit::Code(0) => Tri::Yes,
        GateExit::Code(code) => Tri::No(format!("ended with code {code}")),
        GateExit::Signal(signal) => Tri::No(format!("was ended by signal {signal}")),
        GateExit::TimedOut => Tri::No(format!("took longer than {} s", run.timeout.as_secs_f32())),
        GateExit::NotRun(why) => Tri::Unknown(why.clone().after("could not ")),
    }
}

#[cfg(test)]
mod tests;
