//! Programs with a deadline: one that hangs is killed, and its test fails and says so.
#![expect(
    clippy::disallowed_methods,
    reason = "the tests' door: waits with a deadline, on threads of their own"
)]

use std::io::Read;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Longest life of a program that a test starts; far more than any of them needs.
const LIFE: Duration = Duration::from_mins(2);
/// Longest wait for the end of a program that was told to end.
const PATIENCE: Duration = Duration::from_secs(30);

/// A program that a test has started. Killed when dropped or when its time is over; its readers then see the end of its output.
pub(crate) struct Program {
    child: Arc<Mutex<Child>>,
    called: String,
    _needed: SyncSender<()>,
}

impl Program {
    pub(crate) fn begin(command: &mut Command) -> Program {
        let child = Arc::new(Mutex::new(command.spawn().unwrap()));
        let (needed, over) = sync_channel(1);
        let watched = Arc::clone(&child);
        std::thread::spawn(move || {
            if over.recv_timeout(LIFE) == Err(RecvTimeoutError::Timeout) {
                // The program may just have ended.
                drop(watched.lock().unwrap().kill());
            }
        });
        let words = command.get_args().map(|word| word.to_string_lossy().into_owned());
        Program {
            child,
            called: words.collect::<Vec<_>>().join(" "),
            _needed: needed,
        }
    }

    #[cfg(unix)]
    pub(crate) fn id(&self) -> u32 {
        self.child.lock().unwrap().id()
    }

    pub(crate) fn stdin(&self) -> ChildStdin {
        self.child.lock().unwrap().stdin.take().unwrap()
    }

    pub(crate) fn stdout(&self) -> ChildStdout {
        self.child.lock().unwrap().stdout.take().unwrap()
    }

    /// Exit status, if the program has ended.
    pub(crate) fn ended(&self) -> Option<ExitStatus> {
        self.child.lock().unwrap().try_wait().unwrap()
    }

    /// Exit status of a program that must end soon.
    pub(crate) fn end(&self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.ended() {
                return status;
            }
            assert!(
                Instant::now() < deadline,
                "`dbs {}` does not end by itself",
                self.called
            );
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }

    /// The whole output and the exit status of a program that ends by itself. Piped output must not have been taken before.
    pub(crate) fn output(self) -> Output {
        let (out, err) = {
            let mut child = self.child.lock().unwrap();
            (child.stdout.take(), child.stderr.take())
        };
        let problems = std::thread::spawn(move || all(err));
        let stdout = all(out);
        let stderr = problems.join().unwrap();
        let output = Output {
            status: self.end(),
            stdout,
            stderr,
        };
        assert!(
            output.status.code().is_some(),
            "`dbs {}` was killed, after {LIFE:?} by the test: {output:?}",
            self.called
        );
        output
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let mut child = self.child.lock().unwrap();
        drop(child.kill());
        drop(child.wait());
    }
}

fn all(source: Option<impl Read>) -> Vec<u8> {
    let mut text = Vec::new();
    if let Some(mut source) = source {
        source.read_to_end(&mut text).unwrap();
    }
    text
}

/// Runs a program to its end.
pub(crate) fn output(command: &mut Command) -> Output {
    Program::begin(command.stdout(Stdio::piped()).stderr(Stdio::piped())).output()
}
