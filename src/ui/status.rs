//! How a task or an agent is marked: glyph, word, colour role (K80, P50). The word alone says everything.

use super::theme::{Glyphs, StyleRole};
use crate::domain::WaitReason;
use crate::domain::attempt::{ActivityKind, Attempt, AttemptState};
use crate::domain::task::{HoldReason, Task, TaskState, behind_failed};
use crate::domain::{FailureClass, NoticeLevel, Timestamp, Worker};
use crate::read_model::{AttentionKind, ReadModel, source_words};

/// The states of tasks and agents that the screen tells apart, each with its own glyph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DisplayStatus {
    Backlog,
    /// Waits for a slot.
    Queued,
    Waiting,
    Starting,
    Running,
    /// Alive, but silent.
    Quiet,
    /// A person must act.
    NeedsYou,
    Gate,
    /// Will be tried again.
    Retry,
    Paused,
    /// Nothing certain is known.
    Unsure,
    Failed,
    Skipped,
    Done,
}

impl DisplayStatus {
    /// All, in the order a task may go through them.
    pub(super) const ALL: [DisplayStatus; 14] = [
        DisplayStatus::Backlog,
        DisplayStatus::Waiting,
        DisplayStatus::Queued,
        DisplayStatus::Starting,
        DisplayStatus::Running,
        DisplayStatus::Quiet,
        DisplayStatus::NeedsYou,
        DisplayStatus::Gate,
        DisplayStatus::Retry,
        DisplayStatus::Paused,
        DisplayStatus::Unsure,
        DisplayStatus::Failed,
        DisplayStatus::Skipped,
        DisplayStatus::Done,
    ];

    /// The meaning that the help gives, the glyph (Unicode, ASCII; one column wide in every locale) and the usual colour.
    fn row(self) -> (&'static str, [&'static str; 2], StyleRole) {
        match self {
            DisplayStatus::Backlog => ("in the backlog", ["◦", "o"], StyleRole::Pending),
            DisplayStatus::Queued => ("waits for room", ["◌", "."], StyleRole::Pending),
            DisplayStatus::Waiting => ("waits for a task", ["⋯", "#"], StyleRole::Pending),
            DisplayStatus::Starting => ("starting", ["⠋", "*"], StyleRole::Running),
            DisplayStatus::Running => ("at work", ["▸", ">"], StyleRole::Running),
            DisplayStatus::Quiet => ("silent", ["▹", "-"], StyleRole::Pending),
            DisplayStatus::NeedsYou => ("needs you", ["⚑", "!"], StyleRole::Human),
            DisplayStatus::Gate => ("being checked", ["◍", "~"], StyleRole::Verifying),
            DisplayStatus::Retry => ("retry", ["↻", "r"], StyleRole::Retry),
            DisplayStatus::Paused => ("parked or paused", ["▫", "p"], StyleRole::Pending),
            DisplayStatus::Unsure => ("not certain", ["?", "?"], StyleRole::Retry),
            DisplayStatus::Failed => ("failed", ["✗", "x"], StyleRole::Failed),
            DisplayStatus::Skipped => ("skipped", ["»", "s"], StyleRole::Pending),
            DisplayStatus::Done => ("done", ["✓", "+"], StyleRole::Done),
        }
    }

    /// The meaning, for the help.
    pub(super) fn meaning(self) -> &'static str {
        self.row().0
    }

    /// The glyph.
    pub(super) fn glyph(self, glyphs: Glyphs) -> &'static str {
        let (_, [unicode, ascii], _) = self.row();
        glyphs.pick(unicode, ascii)
    }
}

/// The glyph, word and colour that show the state of a task or an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StatusLabel {
    pub mark: DisplayStatus,
    /// What it says, in full.
    pub word: String,
    pub role: StyleRole,
    pub since: Timestamp,
}

impl StatusLabel {
    fn new(mark: DisplayStatus, word: impl Into<String>, since: Timestamp) -> StatusLabel {
        let (_, _, role) = mark.row();
        let word = word.into();
        StatusLabel {
            mark,
            word,
            role,
            since,
        }
    }

    fn with_role(self, role: StyleRole) -> StatusLabel {
        StatusLabel { role, ..self }
    }
}

/// How a task is marked.
pub(super) fn task_status(task: &Task, model: &ReadModel, now: Timestamp) -> StatusLabel {
    let (mark, word) = match &task.state {
        TaskState::Released => return waiting(task, model, now),
        TaskState::Active | TaskState::Verifying => match model.open_attempt(task) {
            // Since it is verified; the agent may have worked for hours before.
            Some(attempt) if attempt.state == AttemptState::Verifying => {
                return StatusLabel {
                    since: task.since,
                    ..attempt_status(attempt)
                };
            }
            Some(attempt) => return attempt_status(attempt),
            None => (DisplayStatus::Unsure, "unsure: no attempt is open".to_owned()),
        },
        TaskState::Held(HoldReason::Approval) => (DisplayStatus::NeedsYou, "approve?".to_owned()),
        TaskState::Held(HoldReason::Findings(what)) => (DisplayStatus::NeedsYou, format!("accept? {what}")),
        TaskState::Held(HoldReason::Unreviewed(what)) => (DisplayStatus::NeedsYou, format!("merge? {what}")),
        TaskState::Held(hold) => {
            let label = StatusLabel::new(
                DisplayStatus::NeedsYou,
                format!("held: {}", task.hold_text(hold)),
                task.since,
            );
            return label.with_role(StyleRole::Blocked);
        }
        TaskState::Backlog => (DisplayStatus::Backlog, "backlog".to_owned()),
        TaskState::Parked(why) => (DisplayStatus::Paused, format!("parked: {why}")),
        TaskState::Done => (DisplayStatus::Done, "done".to_owned()),
        TaskState::Failed(why) => (DisplayStatus::Failed, format!("failed: {}", behind_failed(why))),
        TaskState::Skipped(root) => (
            DisplayStatus::Skipped,
            format!("skipped, {} failed", model.name_of(root)),
        ),
        TaskState::Cancelled => (DisplayStatus::Skipped, "cancelled".to_owned()),
    };
    StatusLabel::new(mark, word, task.since)
}

fn waiting(task: &Task, model: &ReadModel, now: Timestamp) -> StatusLabel {
    let (mark, word) = match &task.why_not {
        None => (DisplayStatus::Queued, "queued".to_owned()),
        Some(WaitReason::Until(at)) => (DisplayStatus::Retry, format!("retry in {}", at.since(now))),
        Some(WaitReason::Paused) => (DisplayStatus::Paused, "paused".to_owned()),
        Some(
            why @ (WaitReason::Dependencies(_) | WaitReason::Batches(_) | WaitReason::DependencyNotMerged(_)),
        ) => (DisplayStatus::Waiting, model.wait_text(why)),
        Some(
            why @ (WaitReason::UnknownDependency(_)
            | WaitReason::NoBase
            | WaitReason::NoGate
            | WaitReason::Setting(_)
            | WaitReason::NoStage(..)
            | WaitReason::Untrusted),
        ) => {
            let label = StatusLabel::new(DisplayStatus::Unsure, why.to_string(), task.since);
            return label.with_role(StyleRole::Blocked);
        }
        Some(
            why @ (WaitReason::SingletonBusy(_)
            | WaitReason::FileBusy { .. }
            | WaitReason::NoRoom { .. }
            | WaitReason::BatchFull { .. }
            | WaitReason::TurnLimit
            | WaitReason::StillEnding(_)
            | WaitReason::NoGoAhead
            | WaitReason::Aborted),
        ) => (DisplayStatus::Queued, format!("queued: {why}")),
    };
    StatusLabel::new(mark, word, task.since)
}

/// How an attempt is marked.
pub(super) fn attempt_status(attempt: &Attempt) -> StatusLabel {
    let since = attempt.started_at.unwrap_or(attempt.created_at);
    match &attempt.state {
        AttemptState::Starting => StatusLabel::new(DisplayStatus::Starting, "starting", attempt.created_at),
        AttemptState::Stopping(cause) => {
            let word = format!("stopping: {}", cause.word());
            StatusLabel::new(DisplayStatus::Quiet, word, since)
        }
        AttemptState::Verifying => {
            let ended = attempt.activity.doing == ActivityKind::Exited;
            let since = if ended { attempt.activity.since } else { since };
            StatusLabel::new(DisplayStatus::Gate, "verifying", since)
        }
        AttemptState::Settled(_) => {
            StatusLabel::new(DisplayStatus::Quiet, "ended", attempt.ended_at.unwrap_or(since))
        }
        AttemptState::Running => match &attempt.worker {
            Worker::Agent { .. } => of_activity(attempt),
            Worker::Engine(_) => StatusLabel::new(DisplayStatus::Gate, attempt.worker.name(), since),
        },
    }
}

fn of_activity(attempt: &Attempt) -> StatusLabel {
    let since = attempt.activity.since;
    if !attempt.activity.is_known() {
        return StatusLabel::new(DisplayStatus::Unsure, "not known", since).with_role(StyleRole::Pending);
    }
    let (mark, word) = match &attempt.activity.doing {
        ActivityKind::Starting => (DisplayStatus::Starting, "starting".to_owned()),
        ActivityKind::Working => (DisplayStatus::Running, "running".to_owned()),
        ActivityKind::Permission(what) => (DisplayStatus::NeedsYou, asks(what)),
        ActivityKind::Question(what) => (DisplayStatus::NeedsYou, format!("asks: {what}")),
        ActivityKind::Dialog(what) => (DisplayStatus::NeedsYou, dialog(what)),
        ActivityKind::Limit { why, .. } => (DisplayStatus::Quiet, format!("usage limit: {why}")),
        ActivityKind::NotLoggedIn(why) => (DisplayStatus::NeedsYou, format!("not logged in: {why}")),
        ActivityKind::Failed(why) => (DisplayStatus::Quiet, format!("turn failed: {why}")),
        ActivityKind::Error(why) => (DisplayStatus::NeedsYou, format!("error: {why}")),
        ActivityKind::Idle => {
            return StatusLabel::new(DisplayStatus::Quiet, "idle", since).with_role(StyleRole::Running);
        }
        ActivityKind::Exited => (DisplayStatus::Gate, "ended, checking".to_owned()),
        ActivityKind::Lost => {
            let word = format!("unsure ({})", source_words(&attempt.activity));
            (DisplayStatus::Unsure, word)
        }
    };
    StatusLabel::new(mark, word, since)
}

/// What a tool shows that only a person can answer.
pub(super) fn dialog(what: &str) -> String {
    format!("shows a dialog: {what}")
}

/// What an agent wants to be allowed, in words.
pub(super) fn asks(what: &str) -> String {
    format!("asks: {}", as_question(what))
}

/// The text as a question; one that is a question already gets no second mark.
pub(super) fn as_question(what: &str) -> String {
    let mark = if what.contains('?') { "" } else { "?" };
    format!("{what}{mark}")
}

/// What a class of failure means, in a sentence.
pub(super) fn class_words(class: FailureClass) -> &'static str {
    match class {
        FailureClass::Infra => "Something outside the work: it is retried by itself and costs no try.",
        FailureClass::Quota => "A usage limit of the agent's provider: it goes on when the limit ends.",
        FailureClass::Crash => "The agent ended without saying what came of its work.",
        FailureClass::Timeout => "The agent ran longer than an attempt may.",
        FailureClass::Empty => "The agent said it was done, and had changed nothing.",
        FailureClass::Gate => "A check of the engine's failed on what the agent left.",
        FailureClass::Rejected => "A later stage sent the work back.",
        FailureClass::Context => "What the agent can keep in mind was full.",
        FailureClass::Protocol => "The agent said something that its stage does not take.",
        FailureClass::Failed => "The agent itself gave up.",
    }
}

/// How a notice of that level is marked, and its colour.
pub(super) fn level_status(level: NoticeLevel) -> (DisplayStatus, StyleRole) {
    match level {
        NoticeLevel::Info => (DisplayStatus::Running, StyleRole::Text),
        NoticeLevel::Success => (DisplayStatus::Done, StyleRole::Done),
        NoticeLevel::Warning => (DisplayStatus::Retry, StyleRole::Retry),
        NoticeLevel::Error => (DisplayStatus::Failed, StyleRole::Failed),
        NoticeLevel::Alert => (DisplayStatus::NeedsYou, StyleRole::Human),
    }
}

/// The word for what waits for a person, and its colour.
pub(super) fn attention_word(kind: AttentionKind) -> (&'static str, StyleRole) {
    match kind {
        AttentionKind::Permission | AttentionKind::Question => ("asks:", StyleRole::Human),
        AttentionKind::Dialog => ("dialog:", StyleRole::Human),
        AttentionKind::Approval => ("approve?", StyleRole::Human),
        AttentionKind::Gate => ("checks failed", StyleRole::Failed),
        AttentionKind::Merge => ("cannot be merged", StyleRole::Failed),
        AttentionKind::Held => ("held", StyleRole::Blocked),
        AttentionKind::Failed => ("failed", StyleRole::Failed),
    }
}

/// One word for what kind of thing waits.
pub(super) fn kind_word(kind: AttentionKind) -> &'static str {
    match kind {
        AttentionKind::Permission => "permission",
        AttentionKind::Question => "question",
        AttentionKind::Dialog => "dialog",
        AttentionKind::Approval => "approval",
        AttentionKind::Gate => "gate",
        AttentionKind::Merge => "merge",
        AttentionKind::Held => "held",
        AttentionKind::Failed => "failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_the_two_signs_of_the_table() {
        let signs = DisplayStatus::ALL.map(|mark| (mark.glyph(Glyphs::Unicode), mark.glyph(Glyphs::Ascii)));
        let table = [
            ("◦", "o"),
            ("⋯", "#"),
            ("◌", "."),
            ("⠋", "*"),
            ("▸", ">"),
            ("▹", "-"),
            ("⚑", "!"),
            ("◍", "~"),
            ("↻", "r"),
            ("▫", "p"),
            ("?", "?"),
            ("✗", "x"),
            ("»", "s"),
            ("✓", "+"),
        ];
        assert_eq!(signs, table);
    }

    #[test]
    fn glyphs_differ_and_take_one_column_in_every_locale() {
        use unicode_width::UnicodeWidthStr;
        for glyphs in [Glyphs::Unicode, Glyphs::Ascii] {
            let mut seen: Vec<_> = DisplayStatus::ALL.iter().map(|mark| mark.glyph(glyphs)).collect();
            assert!(
                seen.iter()
                    .all(|glyph| glyph.width() == 1 && glyph.width_cjk() == 1),
                "{seen:?}"
            );
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), DisplayStatus::ALL.len());
        }
        assert!(
            DisplayStatus::ALL
                .iter()
                .all(|mark| mark.glyph(Glyphs::Ascii).is_ascii())
        );
    }
}
