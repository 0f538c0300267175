//! The values of a scenario file. Reading and playing are done elsewhere.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::selector::{AttemptContext, PartSelector};
use dbs_domain::SignalKind;

/// A scenario file: the steps of the rehearsal agent in each attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    pub name: String,
    pub author: CommitAuthor,
    /// Tried from first to last; the first whose [`PartSelector`] fits is played.
    pub parts: Vec<ScenarioPart>,
}

impl Scenario {
    /// Returns the first part that fits, if any does.
    pub fn part(&self, now: &AttemptContext<'_>) -> Option<&ScenarioPart> {
        self.parts.iter().find(|part| part.select.matches(now))
    }
}

/// The name and mail address a rehearsal's commits are made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitAuthor {
    pub name: String,
    pub email: String,
}

impl Default for CommitAuthor {
    fn default() -> Self {
        Self {
            name: "Rehearsal".into(),
            email: "rehearsal@localhost".into(),
        }
    }
}

/// Steps that one attempt of a rehearsal plays, and the conditions of their choice.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioPart {
    pub name: String,
    pub select: PartSelector,
    pub screen: ScenarioScreen,
    pub steps: Vec<ScenarioStep>,
    pub line: usize,
}

/// Screen of the terminal on which a scenario part draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScenarioScreen {
    /// The normal screen: output scrolls into the history.
    #[default]
    Inline,
    /// The alternate screen, as used by most agents' interfaces.
    Full,
}

/// Step of a scenario and its line in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioStep {
    pub line: usize,
    pub action: StepAction,
}

/// Action of a scenario step, as `docs/rehearsal.md` describes it. Variables in texts and paths are replaced when the step is played.
#[derive(Debug, Clone, PartialEq)]
pub enum StepAction {
    /// Writes text to the transcript, at once or as if typed.
    Print {
        text: String,
        look: TextStyle,
        typed: bool,
    },
    /// Sends text to the terminal unchanged, control sequences included.
    Raw(String),
    Think {
        text: String,
        time: Duration,
    },
    /// A tool call: name and target in colour, a spinner, then the output.
    Tool {
        name: String,
        target: String,
        output: Option<String>,
        time: Duration,
    },
    Diff(String),
    /// The worktree's real difference from this base, in colour.
    Changes(String),
    Bar {
        label: String,
        time: Duration,
    },
    Draw {
        animation: Animation,
        time: Duration,
    },
    Write {
        path: String,
        text: String,
        append: bool,
    },
    /// Replaces the first line of a file that equals one of the edits.
    Replace {
        path: String,
        edits: Vec<LineEdit>,
    },
    Remove(String),
    Commit(String),
    /// Pushes the worktree's commit to a branch: the task's, unless another is named.
    Push {
        remote: String,
        to: Option<String>,
        force: bool,
    },
    /// Merges a reference and resolves conflicts by given contents.
    Merge {
        reference: String,
        fetch: Option<String>,
        text: Option<String>,
        resolve: Vec<Resolution>,
    },
    /// Sends a signal to the engine; `token` and `attempt` replace the attempt's own to misbehave.
    Signal {
        kind: SignalKind,
        text: Option<String>,
        report: Option<serde_json::Value>,
        token: Option<String>,
        attempt: Option<String>,
    },
    Ask {
        text: String,
        kind: ScenarioAskKind,
        choices: Vec<String>,
        answer_after: Option<Duration>,
        refused: Vec<ScenarioStep>,
    },
    /// Checks that a file contains a text.
    Require {
        path: String,
        text: String,
        failed: Vec<ScenarioStep>,
    },
    /// Runs the tree check of `check.toml` on the worktree.
    Check {
        complete: bool,
        failed: Vec<ScenarioStep>,
    },
    State {
        state: ScenarioState,
        kind: Option<ScenarioAskKind>,
        text: Option<String>,
    },
    Title(String),
    /// Waits, with the screen alive.
    Sleep(Duration),
    /// Stops doing anything, for good or for a time; keys are ignored.
    Hang(Option<Duration>),
    /// Writes this many MiB of lines of `width` bytes.
    Flood {
        mebibytes: u64,
        width: usize,
    },
    /// Writes one line of this many bytes.
    HugeLine(u64),
    /// Writes pseudo-random bytes, the same for the same seed.
    Garbage {
        bytes: u64,
        seed: u64,
    },
    /// Leaves a process behind that has its own session and ignores polite signals.
    ForkDaemon {
        time: Duration,
        pid_file: Option<String>,
    },
    /// From here on ignores TERM, INT and HUP.
    IgnoreTerm,
    Crash(CrashKind),
    Exit(u8),
}

/// Colour and weight of text a scenario prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextStyle {
    pub colour: ScenarioColour,
    pub bold: bool,
}

/// Colour of the terminal's own, as a scenario names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScenarioColour {
    #[default]
    Plain,
    Grey,
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
}

/// Picture of a scenario's full-screen drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Animation {
    Waves,
    Boxes,
}

/// A line of a file and the line that replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineEdit {
    /// The whole line as it is now.
    pub line: String,
    /// The whole line as it is to be.
    pub with: String,
}

/// The content that resolves a merge conflict in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    pub path: String,
    pub text: String,
}

/// Request of a rehearsed agent to a person: a permission, an answer or a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScenarioAskKind {
    Permission,
    Question,
    Auth,
}

/// A state that a scenario reports through OSC 7501.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScenarioState {
    Idle,
    Working,
    Blocked,
    Done,
    Error,
    /// No state any more.
    Clear,
}

/// Death of a rehearsed agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CrashKind {
    Abort,
    /// Death by SIGKILL, as from the kernel when memory runs out.
    Kill,
    Term,
}
