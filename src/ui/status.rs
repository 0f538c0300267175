//! How a task or an agent is marked: glyph, word, colour role (K80, P50). The word alone says everything.

use super::theme::{Glyphs, StyleRole};
use crate::domain::attempt::{ActivityKind, Attempt, AttemptState, StopCause};
use crate::domain::task::{HoldReason, Task, TaskState, WaitReason};
use crate::domain::{FailureClass, Timestamp, Worker};
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

    /// What it stands for, for the help.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            DisplayStatus::Backlog => "in the backlog",
            DisplayStatus::Queued => "waits for room",
            DisplayStatus::Waiting => "waits for a task",
            DisplayStatus::Starting => "starting",
            DisplayStatus::Running => "at work",
            DisplayStatus::Quiet => "silent",
            DisplayStatus::NeedsYou => "needs you",
            DisplayStatus::Gate => "being checked",
            DisplayStatus::Retry => "retry",
            DisplayStatus::Paused => "parked or paused",
            DisplayStatus::Unsure => "not certain",
            DisplayStatus::Failed => "failed",
            DisplayStatus::Skipped => "skipped",
            DisplayStatus::Done => "done",
        }
    }

    /// The glyph. All are one column wide in every locale.
    pub(super) fn glyph(self, glyphs: Glyphs) -> &'static str {
        let (unicode, ascii) = match self {
            DisplayStatus::Backlog => ("◦", "o"),
            DisplayStatus::Queued => ("◌", "."),
            DisplayStatus::Waiting => ("⋯", "#"),
            DisplayStatus::Starting => ("⠋", "*"),
            DisplayStatus::Running => ("▸", ">"),
            DisplayStatus::Quiet => ("▹", "-"),
            DisplayStatus::NeedsYou => ("⚑", "!"),
            DisplayStatus::Gate => ("◍", "~"),
            DisplayStatus::Retry => ("↻", "r"),
            DisplayStatus::Paused => ("▫", "p"),
            DisplayStatus::Unsure => ("?", "?"),
            DisplayStatus::Failed => ("✗", "x"),
            DisplayStatus::Skipped => ("»", "s"),
            DisplayStatus::Done => ("✓", "+"),
        };
        match glyphs {
            Glyphs::Unicode => unicode,
            Glyphs::Ascii => ascii,
        }
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

fn marker(mark: DisplayStatus, word: impl Into<String>, role: StyleRole, since: Timestamp) -> StatusLabel {
    StatusLabel {
        mark,
        word: word.into(),
        role,
        since,
    }
}

/// How a task is marked.
pub(super) fn task_status(task: &Task, model: &ReadModel, now: Timestamp) -> StatusLabel {
    let since = task.since;
    match &task.state {
        TaskState::Backlog => marker(DisplayStatus::Backlog, "backlog", StyleRole::Pending, since),
        TaskState::Released => waiting(task, now),
        TaskState::Active | TaskState::Verifying => model.open_attempt(task).map_or_else(
            || {
                marker(
                    DisplayStatus::Unsure,
                    "unsure: no attempt is open",
                    StyleRole::Retry,
                    since,
                )
            },
            |attempt| match attempt.state {
                // Since it is verified; the agent may have worked for hours before.
                AttemptState::Verifying => StatusLabel {
                    since,
                    ..attempt_status(attempt)
                },
                _ => attempt_status(attempt),
            },
        ),
        TaskState::Held(HoldReason::Approval) => {
            marker(DisplayStatus::NeedsYou, "approve?", StyleRole::Human, since)
        }
        TaskState::Held(hold) => marker(
            DisplayStatus::NeedsYou,
            format!("held: {}", task.hold_text(hold)),
            StyleRole::Blocked,
            since,
        ),
        TaskState::Parked(why) => marker(
            DisplayStatus::Paused,
            format!("parked: {why}"),
            StyleRole::Pending,
            since,
        ),
        TaskState::Done => marker(DisplayStatus::Done, "done", StyleRole::Done, since),
        TaskState::Failed(why) => marker(
            DisplayStatus::Failed,
            format!("failed: {why}"),
            StyleRole::Failed,
            since,
        ),
        TaskState::Skipped(root) => marker(
            DisplayStatus::Skipped,
            format!("skipped, {root} failed"),
            StyleRole::Pending,
            since,
        ),
        TaskState::Cancelled => marker(DisplayStatus::Skipped, "cancelled", StyleRole::Pending, since),
    }
}

fn waiting(task: &Task, now: Timestamp) -> StatusLabel {
    let since = task.since;
    let (mark, word, role) = match &task.why_not {
        None => (DisplayStatus::Queued, "queued".to_owned(), StyleRole::Pending),
        Some(WaitReason::Until(at)) => {
            let word = format!("retry in {}", at.since(now));
            (DisplayStatus::Retry, word, StyleRole::Retry)
        }
        Some(why @ (WaitReason::Dependencies(_) | WaitReason::DependencyNotMerged(_))) => {
            (DisplayStatus::Waiting, why.to_string(), StyleRole::Pending)
        }
        Some(why @ (WaitReason::UnknownDependency(_) | WaitReason::NoBase | WaitReason::NoStage(..))) => {
            (DisplayStatus::Unsure, why.to_string(), StyleRole::Blocked)
        }
        Some(WaitReason::Paused) => (DisplayStatus::Paused, "paused".to_owned(), StyleRole::Pending),
        Some(
            why @ (WaitReason::SingletonBusy(_)
            | WaitReason::NoRoom { .. }
            | WaitReason::TurnLimit
            | WaitReason::StillEnding(_)
            | WaitReason::NoGoAhead
            | WaitReason::Aborted),
        ) => (
            DisplayStatus::Queued,
            format!("queued: {why}"),
            StyleRole::Pending,
        ),
    };
    marker(mark, word, role, since)
}

/// How an attempt is marked.
pub(super) fn attempt_status(attempt: &Attempt) -> StatusLabel {
    let since = attempt.started_at.unwrap_or(attempt.created_at);
    match &attempt.state {
        AttemptState::Starting => marker(
            DisplayStatus::Starting,
            "starting",
            StyleRole::Running,
            attempt.created_at,
        ),
        AttemptState::Stopping(cause) => marker(
            DisplayStatus::Quiet,
            format!("stopping: {}", stop_word(*cause)),
            StyleRole::Pending,
            since,
        ),
        AttemptState::Verifying => {
            let ended = attempt.activity.doing == ActivityKind::Exited;
            let since = if ended { attempt.activity.since } else { since };
            marker(DisplayStatus::Gate, "verifying", StyleRole::Verifying, since)
        }
        AttemptState::Settled(_) => marker(
            DisplayStatus::Quiet,
            "ended",
            StyleRole::Pending,
            attempt.ended_at.unwrap_or(since),
        ),
        AttemptState::Running => match &attempt.worker {
            Worker::Agent { .. } => of_activity(attempt),
            Worker::Engine(_) => marker(
                DisplayStatus::Gate,
                attempt.worker.name(),
                StyleRole::Verifying,
                since,
            ),
        },
    }
}

fn of_activity(attempt: &Attempt) -> StatusLabel {
    let since = attempt.activity.since;
    match &attempt.activity.doing {
        ActivityKind::Starting => marker(DisplayStatus::Starting, "starting", StyleRole::Running, since),
        ActivityKind::Working => marker(DisplayStatus::Running, "running", StyleRole::Running, since),
        ActivityKind::Permission(what) => marker(
            DisplayStatus::NeedsYou,
            format!("asks: {}?", what.trim_end_matches('?')),
            StyleRole::Human,
            since,
        ),
        ActivityKind::Question(what) => marker(
            DisplayStatus::NeedsYou,
            format!("asks: {what}"),
            StyleRole::Human,
            since,
        ),
        ActivityKind::Idle => marker(DisplayStatus::Quiet, "idle", StyleRole::Running, since),
        ActivityKind::Exited => marker(
            DisplayStatus::Gate,
            "ended, checking",
            StyleRole::Verifying,
            since,
        ),
        ActivityKind::Lost => {
            let word = format!("unsure ({})", source_words(&attempt.activity));
            marker(DisplayStatus::Unsure, word, StyleRole::Retry, since)
        }
    }
}

/// The word for why an attempt is stopped.
pub(super) fn stop_word(cause: StopCause) -> &'static str {
    match cause {
        StopCause::Finished => "finished",
        StopCause::Timeout => "ran too long",
        StopCause::Paused => "paused",
        StopCause::Killed => "stopped by a person",
        StopCause::Cancelled => "task moved or closed",
        StopCause::Quota => "usage limit",
    }
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

/// The word for what waits for a person, and its colour.
pub(super) fn attention_word(kind: AttentionKind) -> (&'static str, StyleRole) {
    match kind {
        AttentionKind::Permission | AttentionKind::Question => ("asks:", StyleRole::Human),
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
