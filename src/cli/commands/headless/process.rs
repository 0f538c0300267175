//! The processes of a tool without an interface, one after another, each from its start to its end.

use std::io;
use std::pin::Pin;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::time::{Sleep, sleep};

use crate::adapters::tool_process::{ToolOutput, ToolProcess};
use crate::cli::command_error::{CommandResult, failed};

/// Time in which a tool that was asked to end may do so, and time to wait for the output of one that has ended: a process it left behind
/// may hold it open.
const TO_END: Duration = Duration::from_secs(5);
const DRAIN: Duration = Duration::from_secs(2);
/// Shortest time of a suspension that counts. What limits a program's share of the processor suspends it for less, again and again.
const SUSPENDED: Duration = Duration::from_millis(500);

/// Event of a process.
#[derive(Debug)]
pub(super) enum ProcessEvent {
    Output(ToolOutput),
    /// The process is suspended.
    Suspended,
    /// End of the process, after all its output was handed on.
    Ended(io::Result<ExitStatus>),
}

/// The running process, if there is one.
#[derive(Default)]
pub(super) struct ToolRun {
    process: Option<ToolProcess>,
    status: Option<io::Result<ExitStatus>>,
    is_output_over: bool,
    /// Time until which the next step of the end is waited for.
    limit: Option<Pin<Box<Sleep>>>,
    /// Time from which a suspension counts.
    suspended: Option<Pin<Box<Sleep>>>,
}

impl ToolRun {
    /// Starts a process; one that still runs is ended.
    pub(super) fn start(&mut self, argv: &[String], takes_lines: bool) -> CommandResult<()> {
        let process = ToolProcess::start(argv, takes_lines)
            .map_err(failed(format!("could not start {}", argv.join(" "))))?;
        *self = ToolRun {
            process: Some(process),
            ..ToolRun::default()
        };
        Ok(())
    }

    pub(super) fn is_running(&self) -> bool {
        self.process.is_some()
    }

    /// Writes a line; returns false when it is lost.
    pub(super) fn write(&self, line: String) -> bool {
        let process = self.process.as_ref();
        process.is_some_and(|process| process.write(line))
    }

    /// Asks it to end, and ends it when it does not.
    pub(super) fn terminate(&mut self) {
        if let Some(process) = &mut self.process {
            process.terminate();
            self.limit = Some(Box::pin(sleep(TO_END)));
        }
    }

    /// Interrupts it, and ends it when it does not end by itself.
    pub(super) fn interrupt(&mut self) {
        if let Some(process) = &mut self.process {
            process.interrupt();
            self.limit = Some(Box::pin(sleep(TO_END)));
        }
    }

    /// Suspends this run until another process continues it, and then the process too.
    pub(super) fn share_suspension(&self) {
        if let Some(process) = &self.process {
            process.share_suspension();
        }
    }

    /// Returns the next event; waits for ever while no process runs.
    pub(super) async fn next(&mut self) -> ProcessEvent {
        loop {
            let Some(process) = &mut self.process else {
                return std::future::pending().await;
            };
            tokio::select! {
                event = process.events.recv() => match event {
                    Some(ToolOutput::OutputOver) => self.is_output_over = true,
                    Some(ToolOutput::Ended(status)) => {
                        self.status = Some(status);
                        self.limit = Some(Box::pin(sleep(DRAIN)));
                    }
                    Some(ToolOutput::Suspended(is_suspended)) => {
                        self.suspended = is_suspended.then(|| Box::pin(sleep(SUSPENDED)));
                    }
                    Some(event) => return ProcessEvent::Output(event),
                    None => {
                        self.is_output_over = true;
                        self.status.get_or_insert_with(|| Err(io::Error::other("its thread ended without a report")));
                    }
                },
                () = reached(self.suspended.as_mut()) => {
                    self.suspended = None;
                    // One that has to end soon ends suspended.
                    if self.limit.is_none() {
                        return ProcessEvent::Suspended;
                    }
                }
                () = reached(self.limit.as_mut()) => {
                    self.limit = None;
                    if self.status.is_none() {
                        process.kill();
                    }
                    self.is_output_over |= self.status.is_some();
                }
            }
            if self.is_output_over
                && let Some(status) = self.status.take()
            {
                // Processes it left behind end with it.
                *self = ToolRun::default();
                return ProcessEvent::Ended(status);
            }
        }
    }
}

async fn reached(limit: Option<&mut Pin<Box<Sleep>>>) {
    match limit {
        Some(limit) => limit.await,
        None => std::future::pending().await,
    }
}
