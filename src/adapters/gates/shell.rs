//! One gate at a time per caller: start, wait, kill what is left, report.
#![expect(
    clippy::disallowed_methods,
    reason = "the door of this adapter: starts gates and reads the clock for their time limits"
)]

use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::output::OutputRecorder;
use super::processes;
use crate::domain::Tri;
use crate::ports::gates::{GateExit, GateReport, GateRun, Gates};

/// How long an ended gate's output may stay open in other hands.
const DRAIN: Duration = Duration::from_millis(500);
/// Longest pause between two looks at a running gate.
const STEP: Duration = Duration::from_millis(20);

/// Numbers the runs of this process, so that no two ever bear the same mark.
static N_RUNS: AtomicU64 = AtomicU64::new(0);

/// Implementation of the `Gates` port that runs commands through `sh -c`, or `cmd /C` on Windows.
#[derive(Debug, Default, Clone, Copy)]
pub struct ShellGates;

impl Gates for ShellGates {
    fn run(&self, run: &GateRun) -> GateReport {
        let began = Instant::now();
        let mark = format!(
            "{}-{}",
            std::process::id(),
            N_RUNS.fetch_add(1, Ordering::Relaxed)
        );
        let (exit, written) = match start(run, &mark) {
            Err(error) => (
                GateExit::NotRun(format!("start it in {}: {error}", run.cwd.display())),
                None,
            ),
            Ok((mut child, recorder)) => {
                let exit = wait_for_exit(&mut child, &recorder, began + run.timeout);
                let survivors = processes::GateProcesses {
                    leader: child.id(),
                    is_leader_alive: exit.is_none(),
                    mark: &mark,
                };
                survivors.kill(|pause| {
                    recorder.wait_closed(pause);
                });
                let exit = exit.unwrap_or_else(|| {
                    child.wait().ok();
                    GateExit::TimedOut
                });
                recorder.wait_read(DRAIN);
                (exit, Some(recorder.finish()))
            }
        };
        let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let Some(written) = written else {
            let outcome = outcome(run, &exit);
            return GateReport {
                exit,
                outcome,
                duration_ms,
                tail: String::new(),
                truncated: false,
            };
        };
        let exit = match written.write_error {
            Some(why) => GateExit::NotRun(format!("keep its output in {}: {why}", run.output.display())),
            None => exit,
        };
        let outcome = outcome(run, &exit);
        GateReport {
            exit,
            outcome,
            duration_ms,
            tail: written.tail,
            truncated: written.truncated,
        }
    }
}

fn start(run: &GateRun, mark: &str) -> io::Result<(Child, OutputRecorder)> {
    let (reader, writer) = io::pipe()?;
    let recorder = OutputRecorder::start(reader, &run.output, run.output_limit)?;
    let mut command = shell(&run.command);
    command
        .current_dir(&run.cwd)
        .env_clear()
        .envs(run.env.iter().map(|(name, value)| (name, value)));
    command.env(processes::MARK, mark);
    command
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer);
    processes::new_process_group(&mut command);
    Ok((command.spawn()?, recorder))
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

/// Waits for the gate itself; none at the time limit.
fn wait_for_exit(child: &mut Child, recorder: &OutputRecorder, deadline: Instant) -> Option<GateExit> {
    let mut step = Duration::from_millis(1);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(exit_of(status)),
            Ok(None) => {}
            Err(error) => return Some(GateExit::NotRun(format!("wait for it: {error}"))),
        }
        let left = deadline.checked_duration_since(Instant::now())?;
        if recorder.wait_closed(step.min(left)) {
            std::thread::sleep(step.min(left));
        }
        step = (step * 2).min(STEP);
    }
}

#[cfg(unix)]
fn exit_of(status: ExitStatus) -> GateExit {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => GateExit::Code(code),
        (None, Some(signal)) => GateExit::Signal(signal),
        (None, None) => GateExit::NotRun("it ended without a code".to_owned()),
    }
}

#[cfg(not(unix))]
fn exit_of(status: ExitStatus) -> GateExit {
    status.code().map_or(
        GateExit::NotRun("it ended without a code".to_owned()),
        GateExit::Code,
    )
}

fn outcome(run: &GateRun, exit: &GateExit) -> Tri {
    match exit {
        GateExit::Code(0) => Tri::Yes,
        GateExit::Code(code) => Tri::No(format!("ended with code {code}")),
        GateExit::Signal(signal) => Tri::No(format!("was ended by signal {signal}")),
        GateExit::TimedOut => Tri::No(format!("took longer than {} s", run.timeout.as_secs_f32())),
        GateExit::NotRun(why) => Tri::Unknown(format!("could not {why}")),
    }
}

#[cfg(test)]
mod tests;
