//! What a scenario says, as plain values. No reading and no playing here.

use std::time::Duration;

use super::selector::{AttemptContext, PartSelector};
use crate::domain::SignalKind;

/// A scenario file: what the rehearsal agent does in each attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Shown in the title; the file's own choice.
    pub name: String,
    /// Who the commits of the rehearsal are by.
    pub author: CommitAuthor,
    /// Tried from first to last; the first whose [`Select`] fits is played.
    pub parts: Vec<ScenarioPart>,
}

impl Scenario {
    /// The first part that fits, if any does.
    pub fn part(&self, now: &AttemptContext<'_>) -> Option<&ScenarioPart> {
        self.parts.iter().find(|part| part.select.matches(now))
    }
}

/// The name and mail address a rehearsal's commits are made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitAuthor {
    /// Full name.
    pub name: String,
    /// Mail address.
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

/// The steps that one attempt of a rehearsal plays, and when it is chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioPart {
    /// For people; empty when the file gives none.
    pub name: String,
    /// When this part is played.
    pub select: PartSelector,
    /// Where it draws.
    pub screen: ScenarioScreen,
    /// Played in order.
    pub steps: Vec<ScenarioStep>,
    /// Line of the part's head, counted from 1.
    pub line: usize,
}

/// Which of the terminal's two screens a scenario part draws on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScenarioScreen {
    /// The normal screen: what was said scrolls into the history.
    #[default]
    Inline,
    /// The alternate screen, as most agents' interfaces do.
    Full,
}

/// One step of a scenario and its line in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioStep {
    /// Line in the file, counted from 1.
    pub line: usize,
    /// What is done.
    pub action: StepAction,
}

/// What a scenario step does. Texts and paths are unexpanded: variables are replaced when the step is played.
#[expect(
    missing_docs,
    reason = "the fields are the keys of the file format: docs/rehearsal.md describes each"
)]
#[derive(Debug, Clone, PartialEq)]
pub enum StepAction {
    /// Writes text to the transcript, at once or as if typed.
    Print {
        text: String,
        look: TextStyle,
        typed: bool,
    },
    /// Sends text to the terminal unchanged, control sequences included.
    Raw { text: String },
    /// A spinner with a label.
    Think { text: String, time: Duration },
    /// A tool call: name and target in colour, a spinner, then the output.
    Tool {
        name: String,
        target: String,
        output: Option<String>,
        time: Duration,
    },
    /// Lines coloured as a diff.
    Diff { text: String },
    /// The worktree's real difference from a base, in colour.
    Changes { base: String },
    /// A progress bar that fills within `time`.
    Bar { label: String, time: Duration },
    /// A full-screen drawing.
    Draw { picture: Animation, time: Duration },
    /// Writes a file.
    Write {
        path: String,
        text: String,
        append: bool,
    },
    /// Replaces the first line of a file that equals one of the edits.
    Replace { path: String, edits: Vec<LineEdit> },
    /// Removes a file.
    Remove { path: String },
    /// Commits everything in the worktree.
    Commit { text: String },
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
    /// Says something to the engine; `token` and `attempt` replace the attempt's own to misbehave.
    Signal {
        kind: SignalKind,
        text: Option<String>,
        report: Option<serde_json::Value>,
        token: Option<String>,
        attempt: Option<String>,
    },
    /// Asks the person and waits.
    Ask {
        text: String,
        kind: ScenarioAskKind,
        choices: Vec<String>,
        answer_after: Option<Duration>,
        refused: Vec<ScenarioStep>,
    },
    /// Looks whether a file holds a text.
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
    /// Reports a state through OSC 7501.
    State {
        state: ScenarioState,
        kind: Option<ScenarioAskKind>,
        text: Option<String>,
    },
    /// Sets the terminal's title.
    Title { text: String },
    /// Waits, with the screen alive.
    Sleep { time: Duration },
    /// Stops doing anything, for good or for a time; keys are ignored.
    Hang { time: Option<Duration> },
    /// Writes this many MiB of lines of `width` bytes.
    Flood { mebibytes: u64, width: usize },
    /// Writes one line of this many bytes.
    HugeLine { bytes: u64 },
    /// Writes pseudo-random bytes, the same for the same seed.
    Garbage { bytes: u64, seed: u64 },
    /// Leaves a process behind that has its own session and ignores polite signals.
    ForkDaemon {
        time: Duration,
        pid_file: Option<String>,
    },
    /// From here on ignores TERM, INT and HUP.
    IgnoreTerm,
    /// Dies.
    Crash { how: CrashKind },
    /// Ends with this exit code.
    Exit { code: u8 },
}

/// Colour and weight of text a scenario prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextStyle {
    /// The colour of the letters.
    pub colour: ScenarioColour,
    /// Whether the letters are bold.
    pub bold: bool,
}

/// One of the terminal's own colours, as a scenario names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScenarioColour {
    /// The terminal's text colour.
    #[default]
    Plain,
    /// ANSI 8.
    Grey,
    /// ANSI 1.
    Red,
    /// ANSI 2.
    Green,
    /// ANSI 3.
    Yellow,
    /// ANSI 4.
    Blue,
    /// ANSI 5.
    Magenta,
    /// ANSI 6.
    Cyan,
}

/// What a scenario's full-screen drawing shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Animation {
    /// Coloured waves that move.
    Waves,
    /// Nested boxes that grow and shrink.
    Boxes,
}

/// A line of a file and the line that replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineEdit {
    /// The whole line as it is now.
    pub line: String,
    /// The whole line as it shall be.
    pub with: String,
}

/// The content that resolves a merge conflict in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// The file in conflict.
    pub path: String,
    /// Its whole content.
    pub text: String,
}

/// What a rehearsed agent asks a person for: a permission, an answer or a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScenarioAskKind {
    /// Leave to do something.
    Permission,
    /// An answer.
    Question,
    /// A login.
    Auth,
}

impl ScenarioAskKind {
    /// The word OSC 7501 uses for it.
    pub fn word(self) -> &'static str {
        match self {
            ScenarioAskKind::Permission => "permission",
            ScenarioAskKind::Question => "question",
            ScenarioAskKind::Auth => "auth",
        }
    }
}

/// A state that a scenario reports through OSC 7501.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScenarioState {
    /// Waiting for a prompt.
    Idle,
    /// At work.
    Working,
    /// Needs a person.
    Blocked,
    /// The turn is finished.
    Done,
    /// Something went wrong.
    Error,
    /// No state any more.
    Clear,
}

impl ScenarioState {
    /// The word OSC 7501 uses for it.
    pub fn word(self) -> &'static str {
        match self {
            ScenarioState::Idle => "idle",
            ScenarioState::Working => "working",
            ScenarioState::Blocked => "blocked",
            ScenarioState::Done => "done",
            ScenarioState::Error => "error",
            ScenarioState::Clear => "clear",
        }
    }
}

/// How a rehearsed agent dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrashKind {
    /// `abort()`.
    Abort,
    /// By SIGKILL, as the kernel does when memory runs out.
    Kill,
    /// By SIGTERM.
    Term,
}
