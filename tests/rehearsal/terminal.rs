//! The program under test in a pseudo-terminal: its output, its screen, and keys and sizes for it.
#![expect(
    clippy::disallowed_methods,
    reason = "the test's own terminal: threads, deadlines and an emulator of its own"
)]

use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use tempfile::TempDir;

use crate::polling::holds_within;

/// Limit far above the time that any step here takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running rehearsal. Killed when dropped.
pub(crate) struct Terminal {
    master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    chunks: Receiver<Vec<u8>>,
    /// Everything written so far.
    pub(crate) bytes: Vec<u8>,
    /// Working directory of the rehearsal.
    pub(crate) tree: TempDir,
    size: (u16, u16),
    /// Sizes given to the terminal while all output was kept, each with the length of the output before it.
    sizes: Vec<(usize, (u16, u16))>,
}

impl Terminal {
    /// Starts a part with these steps at 80 columns and 24 rows; `head` goes before the steps.
    pub(crate) fn start(head: &str, steps: &str) -> Self {
        let tree = tempfile::tempdir().unwrap();
        let scenario = tree.path().join("s.toml");
        std::fs::write(&scenario, format!("[[part]]\n{head}\nsteps = [{steps}]\n")).unwrap();
        let pty = native_pty_system().openpty(pty_size(80, 24)).unwrap();
        let child = pty.slave.spawn_command(program(&scenario, tree.path())).unwrap();
        let mut reader = pty.master.try_clone_reader().unwrap();
        let (sender, chunks) = sync_channel(64);
        let read = move || {
            let mut block = vec![0; 65536];
            while let Ok(length) = reader.read(&mut block)
                && length > 0
                && sender.send(block.iter().copied().take(length).collect()).is_ok()
            {}
        };
        std::thread::Builder::new()
            .name("pty reader".into())
            .spawn(read)
            .unwrap();
        let keyboard = pty.master.take_writer().unwrap();
        Self {
            master: pty.master,
            keyboard,
            child,
            chunks,
            bytes: Vec::new(),
            tree,
            size: (80, 24),
            sizes: Vec::new(),
        }
    }

    /// Reads until the condition holds; fails and shows the screen if it never does.
    pub(crate) fn until(&mut self, what: &str, condition: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !condition(self) {
            match self
                .chunks
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(chunk) => self.bytes.extend(chunk),
                Err(error) if !self.sizes.is_empty() => panic!(
                    "{what} did not happen; {error}; the pane has\n{}",
                    self.lines_in_a_pane().join("\n")
                ),
                Err(error) => panic!("{what} did not happen; {error}; the screen is\n{}", self.screen()),
            }
        }
    }

    /// Reads until the screen shows a text.
    pub(crate) fn until_seen(&mut self, text: &str) {
        self.until(text, |terminal| terminal.screen().contains(text));
    }

    /// Returns true if the rehearsal does not end within a short time.
    pub(crate) fn stays_alive(&mut self) -> bool {
        let deadline = Instant::now() + Duration::from_millis(400);
        loop {
            match self
                .chunks
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(chunk) => self.bytes.extend(chunk),
                Err(RecvTimeoutError::Timeout) => return self.child.try_wait().unwrap().is_none(),
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }

    /// The screen as a person sees it.
    pub(crate) fn screen(&self) -> String {
        let mut parser = vt100::Parser::new(
            NonZero::new(self.size.1).unwrap(),
            NonZero::new(self.size.0).unwrap(),
            0,
        );
        parser.process(&self.bytes);
        parser.screen().contents()
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    /// Changes the size of the terminal. Forgets the output so far, because all of it must be drawn again.
    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        self.master.resize(pty_size(columns, rows)).unwrap();
        self.size = (columns, rows);
        self.bytes.clear();
    }

    /// Changes the size of the terminal and keeps the output so far.
    pub(crate) fn resize_and_keep(&mut self, columns: u16, rows: u16) {
        self.master.resize(pty_size(columns, rows)).unwrap();
        self.size = (columns, rows);
        self.sizes.push((self.bytes.len(), self.size));
    }

    /// The lines of the history and the screen of a pane that had each size in turn.
    pub(crate) fn lines_in_a_pane(&self) -> Vec<String> {
        let size = |(columns, rows)| dbs::term::Size::new(columns, rows);
        let mut pane = dbs::term::Terminal::new(dbs::term::EmulatorKind::Rio, size((80, 24)), 1000);
        let mut fed = 0;
        for (at, next) in &self.sizes {
            pane.feed(0, self.bytes.get(fed..*at).unwrap_or_default());
            pane.resize(size(*next));
            fed = *at;
        }
        pane.feed(0, self.bytes.get(fed..).unwrap_or_default());
        pane.all_lines()
    }

    /// Sends a signal to the rehearsal.
    pub(crate) fn signal(&self, signal: Signal) {
        let pid = self.child.process_id().unwrap().try_into().unwrap();
        kill(Pid::from_raw(pid), signal).unwrap();
    }

    /// Reads to the end and returns the exit status.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        while let Ok(chunk) = self
            .chunks
            .recv_timeout(deadline.saturating_duration_since(Instant::now()))
        {
            self.bytes.extend(chunk);
        }
        assert!(
            Instant::now() < deadline,
            "the rehearsal does not end; the screen is\n{}",
            self.screen()
        );
        self.child.wait().unwrap()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The rehearsal has ended already in most tests.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Waits for a condition outside of the terminal.
pub(crate) fn wait_until(what: &str, condition: impl Fn() -> bool) {
    assert!(holds_within(PATIENCE, condition), "{what} did not happen");
}

fn program(scenario: &Path, tree: &Path) -> CommandBuilder {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_dbs"));
    command.arg("rehearse");
    command.arg(scenario);
    command.env_clear();
    for (name, value) in [
        ("DBS_TASK", "a-1"),
        ("DBS_TITLE", "Watch me"),
        ("TERM", "xterm-256color"),
    ] {
        command.env(name, value);
    }
    command.env("DBS_WORKTREE", tree);
    command.cwd(tree);
    command
}

fn pty_size(columns: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    }
}
