//! A program of the person's: started with one line as its last argument, given some time, and its output is not read.
//! No shell reads the line.
#![expect(
    clippy::disallowed_methods,
    reason = "a door: starts the person's program for notifications and reads the clock for its time limit"
)]

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::adapters::child_process;
use crate::adapters::child_process::output::RunningProcess;
use crate::ports::notify::{CancelOutcome, Notification, Notifier, NotifyError};
use crate::term::sanitize;

/// Command line, environment and time limit of the notification program.
#[derive(Debug, Clone)]
pub struct CommandSetup {
    pub argv: Vec<String>,
    pub environment: Vec<(OsString, OsString)>,
    pub cwd: PathBuf,
    /// Maximum run time; after that it is killed with all it started in its group.
    pub limit: Duration,
}

/// Notification channel that runs a program of the user's with one line as its last argument.
#[derive(Debug)]
pub struct CommandNotifier {
    setup: CommandSetup,
    /// True once the run is given up.
    is_cancelled: AtomicBool,
}

impl CommandNotifier {
    /// Creates the notifier without starting it.
    pub fn new(setup: CommandSetup) -> CommandNotifier {
        CommandNotifier {
            setup,
            is_cancelled: AtomicBool::new(false),
        }
    }

    fn program(&self) -> &str {
        self.setup.argv.first().map_or("", String::as_str)
    }

    fn start(&self, line: &str) -> std::io::Result<RunningProcess> {
        let mut command = std::process::Command::new(self.program());
        command
            .args(self.setup.argv.iter().skip(1))
            .arg(line)
            .env_clear()
            .envs(self.setup.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.setup.cwd)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        child_process::new_process_group(&mut command);
        RunningProcess::start(&mut command)
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::SeqCst)
    }
}

impl Notifier for CommandNotifier {
    fn send(&self, notification: &Notification) -> Result<(), NotifyError> {
        let program = self.program();
        let line = format!("dbs {}: {}", notification.project, notification.text);
        let line = sanitize(&line);
        let mut process = self.start(&line).map_err(|error| {
            NotifyError::Permanent(match error.kind() {
                ErrorKind::NotFound => {
                    format!("start {program}: there is no such program; install it, or set notify.command")
                }
                _ => format!("start {program}: {error}"),
            })
        })?;
        let deadline = Instant::now() + self.setup.limit;
        let ended = process.wait_unless(deadline, || self.is_cancelled());
        if !matches!(ended, Ok(Some(_))) {
            process.kill();
        }
        let limit = self.setup.limit.as_secs_f32();
        Err(NotifyError::Temporary(match ended {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => format!("use {program}: it ended with {status}"),
            Ok(None) if self.is_cancelled() => format!("wait for {program}: the server ends"),
            Ok(None) => format!("use {program}: it took longer than {limit} s and was killed"),
            Err(error) => format!("wait for {program}: {error}"),
        }))
    }

    fn cancel(&self) -> CancelOutcome {
        self.is_cancelled.store(true, Ordering::SeqCst);
        CancelOutcome::Immediate
    }
}

#[cfg(all(test, unix))]
mod tests;
