//! Runs `dbs rehearse` without a terminal, as one attempt of a task.
#![expect(clippy::disallowed_methods, reason = "starts the program under test")]

use std::path::Path;
use std::process::{Command, Stdio};

use dbs::domain::SignalKind;
use dbs::protocol::wire::SignalSent;

use crate::git_fixture::GitFixture;

/// The attempt that is played.
pub(crate) struct Attempt<'a> {
    pub(crate) task: &'a str,
    pub(crate) stage: &'a str,
    pub(crate) role: &'a str,
    pub(crate) mode: &'a str,
    pub(crate) number: u32,
    pub(crate) tags: &'a [String],
}

/// Result of an attempt.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Exit code; `None` if a signal ended the process.
    pub(crate) code: Option<i32>,
    /// Everything it drew.
    pub(crate) said: String,
    /// Its signals, in order.
    pub(crate) signals: Vec<SignalSent>,
}

impl Ended {
    /// The last signal, if it ends an attempt.
    pub(crate) fn verdict(&self) -> Option<SignalKind> {
        self.signals
            .last()
            .map(|signal| signal.kind)
            .filter(|kind| kind.is_terminal())
    }
}

/// Plays a scenario (`demo` or a file) in a worktree, a thousand times as fast; questions answer themselves.
pub(crate) fn rehearse(
    fixture: &GitFixture,
    scenario: &str,
    worktree: &Path,
    attempt: &Attempt<'_>,
) -> Ended {
    let inbox = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_dbs"));
    command
        .args(["rehearse", scenario])
        .env_clear()
        .envs(fixture.environment())
        .stdin(Stdio::null());
    let (number, tags) = (attempt.number.to_string(), attempt.tags.join(","));
    let branch = format!("feature/{}", attempt.task);
    command.envs([
        ("DBS_ATTEMPT", "7"),
        ("DBS_TOKEN", "secret"),
        ("DBS_TASK", attempt.task),
        ("DBS_TITLE", "A title"),
        ("DBS_TAGS", tags.as_str()),
        ("DBS_STAGE", attempt.stage),
        ("DBS_ROLE", attempt.role),
        ("DBS_MODE", attempt.mode),
        ("DBS_ATTEMPT_NUMBER", number.as_str()),
        ("DBS_BRANCH", branch.as_str()),
        ("DBS_BASE", "main"),
        ("DBS_REHEARSAL_SPEED", "1000"),
        ("DBS_REHEARSAL_ANSWER_AFTER", "0"),
    ]);
    command
        .env("DBS_INBOX", inbox.path())
        .env("DBS_WORKTREE", worktree);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    Ended {
        code: output.status.code(),
        said,
        signals: signals(inbox.path()),
    }
}

/// Exit code and output of `dbs rehearse --check`.
pub(crate) fn check(tree: &Path, complete: bool) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dbs"));
    command
        .args(["rehearse", "--check"])
        .arg(tree)
        .args(complete.then_some("--complete"));
    let output = command.stdin(Stdio::null()).output().unwrap();
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

fn signals(inbox: &Path) -> Vec<SignalSent> {
    let files = std::fs::read_dir(inbox)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let read = |path| serde_json::from_str::<SignalSent>(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut signals: Vec<SignalSent> = files.map(read).collect();
    let order = |signal: &SignalSent| signal.key.rsplit('-').next().unwrap().parse::<u32>().unwrap();
    signals.sort_by_key(order);
    signals
}
