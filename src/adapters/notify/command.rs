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
    /// Longest run; after that it is killed with all it started in its group.
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
mod tests {
    use super::*;
    use crate::adapters::notify::body::tests::question;

    fn notification(words: &str) -> Notification {
        Notification {
            text: words.to_owned(),
            ..question()
        }
    }

    fn command(argv: &[&str], cwd: &std::path::Path, limit: Duration) -> CommandNotifier {
        CommandNotifier::new(CommandSetup {
            argv: argv.iter().map(|&word| word.to_owned()).collect(),
            environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
            cwd: cwd.to_owned(),
            limit,
        })
    }

    const LONG: Duration = Duration::from_mins(1);

    #[test]
    fn the_line_is_the_last_argument_and_nothing_in_it_is_read_by_a_shell_or_acts_on_a_terminal() {
        let folder = tempfile::tempdir().unwrap();
        let words = "t-1 question: $(touch ran); `touch ran` \x1b]0;x\x07 'a' \"b\"\n--help";
        let sent = command(
            &[
                "sh",
                "-c",
                "printf '%s|' \"$0\" \"$@\" > sent; env >> sent",
                "first",
            ],
            folder.path(),
            LONG,
        );
        sent.send(&notification(words)).unwrap();
        let sent = std::fs::read_to_string(folder.path().join("sent")).unwrap();
        let (line, environment) = sent.rsplit_once('|').unwrap();
        assert!(
            line.starts_with("first|dbs shop: t-1 question: $(touch ran); `touch ran` \\x1b]0;x\\x07 'a'"),
            "{line}"
        );
        assert!(!line.contains(['\x1b', '\x07', '\n']), "{line:?}");
        assert!(!folder.path().join("ran").exists());
        assert!(
            !environment.contains("HOME="),
            "only what was given: {environment}"
        );
    }

    #[test]
    fn a_program_that_is_missing_or_fails_says_so_with_its_cause() {
        let folder = tempfile::tempdir().unwrap();
        let missing = command(&["dbs-no-such-program", "dbs"], folder.path(), LONG);
        let why = missing.send(&notification("x")).unwrap_err();
        assert!(
            matches!(&why, NotifyError::Permanent(why) if why.starts_with("start dbs-no-such-program: there is no such program")),
            "{why}"
        );
        let failing = command(&["sh", "-c", "exit 3"], folder.path(), LONG);
        let why = failing.send(&notification("x")).unwrap_err();
        assert_eq!(
            why,
            NotifyError::Temporary("use sh: it ended with exit status: 3".to_owned())
        );
    }

    #[test]
    fn a_program_that_hangs_is_killed_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let hanging = command(
            &["sh", "-c", "sleep 600 & echo $! > sleeper; echo $$ > own; wait"],
            folder.path(),
            Duration::from_secs(3),
        );
        let why = hanging.send(&notification("x")).unwrap_err();
        assert!(why.to_string().contains("longer than 3 s"), "{why}");
        let pid = |name: &str| {
            let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
            nix::unistd::Pid::from_raw(text.trim().parse().unwrap())
        };
        assert!(
            nix::sys::signal::kill(pid("own"), None).is_err(),
            "killed and reaped"
        );
        let deadline = Instant::now() + LONG;
        while is_running(pid("sleeper").as_raw()) {
            assert!(Instant::now() < deadline, "what it started goes on");
            std::thread::yield_now();
        }
    }

    /// Returns true if the process runs. A killed process may stay as a zombie until the process that adopted it looks.
    fn is_running(pid: i32) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        match status {
            Ok(text) => !text.contains(") Z "),
            Err(_) => nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), None).is_ok(),
        }
    }

    #[test]
    fn a_server_that_ends_waits_for_no_program() {
        let folder = tempfile::tempdir().unwrap();
        let hanging = command(&["sh", "-c", "sleep 600; true"], folder.path(), LONG);
        std::thread::scope(|scope| {
            let telling = scope.spawn(|| hanging.send(&notification("x")));
            hanging.cancel();
            let why = telling.join().unwrap().unwrap_err();
            assert!(why.to_string().contains("the server ends"), "{why}");
        });
    }
}
