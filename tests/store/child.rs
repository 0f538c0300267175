//! The test program started again as another process that uses a store, to be killed or to race.
#![expect(
    clippy::disallowed_methods,
    reason = "the door: starts this program again and reads what it is told"
)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use dbs::adapters::store::SqliteStore;
use dbs::ports::store::{Store, StoreError};

use super::boards::{NOW, commit, files, nth_turn, owner};

const ROLE: &str = "DBS_STORE_TEST_ROLE";
const FOLDER: &str = "DBS_STORE_TEST_FOLDER";
/// Longest time for an answer of a child on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// Another process; killed when dropped.
pub(crate) struct Other {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Other {
    /// Starts the process with a role: `write` or `race`.
    pub(crate) fn start(role: &str, folder: &Path) -> Other {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["child::other_process", "--exact", "--nocapture"])
            .env(ROLE, role)
            .env(FOLDER, folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = sync_channel(10_000);
        std::thread::Builder::new()
            .spawn(move || {
                for line in output.lines().map_while(Result::ok) {
                    if let Some((_, said)) = line.split_once("said ")
                        && sender.send(said.to_owned()).is_err()
                    {
                        return;
                    }
                }
            })
            .unwrap();
        Other {
            input: child.stdin.take(),
            child,
            lines,
        }
    }

    /// The number of a process that has ended.
    pub(crate) fn dead() -> u32 {
        let other = Other::start("race", Path::new("/nowhere"));
        let number = other.child.id();
        drop(other);
        number
    }

    /// The next line of its output; `None` once it has ended.
    pub(crate) fn hear(&self) -> Option<String> {
        self.lines.recv_timeout(PATIENCE).ok()
    }

    /// Lets the process continue.
    pub(crate) fn go(&mut self) {
        let input = self.input.as_mut().unwrap();
        input.write_all(b"go\n").unwrap();
        input.flush().unwrap();
    }

    /// Kills the process with SIGKILL and returns its remaining output.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.lines.iter().collect()
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        // The process may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The work of the other process; not a test by itself.
#[test]
fn other_process() {
    let (Ok(role), Ok(folder)) = (std::env::var(ROLE), std::env::var(FOLDER)) else {
        return;
    };
    match role.as_str() {
        "write" => write_until_killed(Path::new(&folder)),
        _ => race(Path::new(&folder)),
    }
}

fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\nsaid {text}").unwrap();
    out.flush().unwrap();
}

fn write_until_killed(folder: &Path) {
    let mut store = SqliteStore::open(&files(folder), &owner(), NOW).unwrap();
    let mut last = store.load().unwrap().last_attempt;
    loop {
        last += 1;
        let (event, board, touched, effects) = nth_turn(last);
        let seq = commit(&mut store, &event, (&board, &touched), &effects).unwrap();
        assert_eq!(seq, last);
        say(&last.to_string());
    }
}

/// Waits for the start, tries to open the store, reports the result, and keeps what it has until its input ends.
fn race(folder: &Path) {
    let mut input = std::io::stdin().lock().lines();
    say("ready");
    drop(input.next());
    let opened = SqliteStore::open(&files(folder), &owner(), NOW);
    match &opened {
        Ok(_) => say("won"),
        Err(StoreError::Locked { .. }) => say("lost"),
        Err(error) => say(&format!("failed: {error}")),
    }
    input.for_each(drop);
}
