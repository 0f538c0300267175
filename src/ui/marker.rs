//! How a task or an agent is marked: glyph, word, colour role (K80, P50). The word alone says everything.

use super::theme::{Glyphs, Role};
use crate::domain::attempt::{Attempt, AttemptState, Doing, StopCause};
use crate::domain::task::{Hold, Task, TaskState, WhyNot};
use crate::domain::{FailureClass, Timestamp, Worker};
use crate::read_model::{AttentionKind, ReadModel, known_from};

/// The states a person tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    /// Not released.
    Backlog,
    /// Waits for a slot.
    Queued,
    /// Waits for another task.
    Waiting,
    /// Is being started.
    Starting,
    /// At work.
    Running,
    /// Alive, but silent.
    Quiet,
    /// A person must act.
    NeedsYou,
    /// Checks run.
    Gate,
    /// Will be tried again.
    Retry,
    /// Set aside or paused.
    Paused,
    /// Nothing certain is known.
    Unsure,
    /// Failed.
    Failed,
    /// Left out.
    Skipped,
    /// Done.
    Done,
}

impl Mark {
    /// All, in the order a task may go through them.
    pub(super) const ALL: [Mark; 14] = [
        Mark::Backlog,
        Mark::Waiting,
        Mark::Queued,
        Mark::Starting,
        Mark::Running,
        Mark::Quiet,
        Mark::NeedsYou,
        Mark::Gate,
        Mark::Retry,
        Mark::Paused,
        Mark::Unsure,
        Mark::Failed,
        Mark::Skipped,
        Mark::Done,
    ];

    /// What it stands for, for the help.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Mark::Backlog => "in the backlog",
            Mark::Queued => "waits for room",
            Mark::Waiting => "waits for a task",
            Mark::Starting => "starting",
            Mark::Running => "at work",
            Mark::Quiet => "silent",
            Mark::NeedsYou => "needs you",
            Mark::Gate => "being checked",
            Mark::Retry => "tried again",
            Mark::Paused => "set aside",
            Mark::Unsure => "not certain",
            Mark::Failed => "failed",
            Mark::Skipped => "left out",
            Mark::Done => "done",
        }
    }

    /// The glyph. All are one column wide in every locale.
    pub(super) fn glyph(self, glyphs: Glyphs) -> &'static str {
        let (unicode, ascii) = match self {
            Mark::Backlog => ("◦", "o"),
            Mark::Queued => ("◌", "."),
            Mark::Waiting => ("⋯", "#"),
            Mark::Starting => ("⠋", "*"),
            Mark::Running => ("▸", ">"),
            Mark::Quiet => ("▹", "-"),
            Mark::NeedsYou => ("⚑", "!"),
            Mark::Gate => ("◍", "~"),
            Mark::Retry => ("↻", "r"),
            Mark::Paused => ("▫", "p"),
            Mark::Unsure => ("?", "?"),
            Mark::Failed => ("✗", "x"),
            Mark::Skipped => ("»", "s"),
            Mark::Done => ("✓", "+"),
        };
        match glyphs {
            Glyphs::Unicode => unicode,
            Glyphs::Ascii => ascii,
        }
    }
}

/// Mark, words and colour of one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marker {
    /// Which glyph.
    pub mark: Mark,
    /// What it says, in full.
    pub word: String,
    /// Its colour.
    pub role: Role,
    /// Since when.
    pub since: Timestamp,
}

fn marker(mark: Mark, word: impl Into<String>, role: Role, since: Timestamp) -> Marker {
    Marker {
        mark,
        word: word.into(),
        role,
        since,
    }
}

/// How a task is marked.
pub(super) fn of_task(task: &Task, model: &ReadModel, now: Timestamp) -> Marker {
    let since = task.since;
    match &task.state {
        TaskState::Backlog => marker(Mark::Backlog, "backlog", Role::Pending, since),
        TaskState::Released => waiting(task, now),
        TaskState::Active | TaskState::Verifying => model.open_attempt(task).map_or_else(
            || marker(Mark::Unsure, "unsure: no attempt is open", Role::Retry, since),
            |attempt| match attempt.state {
                // Since it is verified; the agent may have worked for hours before.
                AttemptState::Verifying => Marker {
                    since,
                    ..of_attempt(attempt)
                },
                _ => of_attempt(attempt),
            },
        ),
        TaskState::Held(Hold::Approval) => marker(Mark::NeedsYou, "approve?", Role::Human, since),
        TaskState::Held(hold) => marker(Mark::NeedsYou, format!("held: {hold}"), Role::Blocked, since),
        TaskState::Parked(why) => marker(Mark::Paused, format!("parked: {why}"), Role::Pending, since),
        TaskState::Done => marker(Mark::Done, "done", Role::Done, since),
        TaskState::Failed(why) => marker(Mark::Failed, format!("failed: {why}"), Role::Failed, since),
        TaskState::Skipped(root) => marker(
            Mark::Skipped,
            format!("skipped, {root} failed"),
            Role::Pending,
            since,
        ),
        TaskState::Cancelled => marker(Mark::Skipped, "cancelled", Role::Pending, since),
    }
}

fn waiting(task: &Task, now: Timestamp) -> Marker {
    let since = task.since;
    let (mark, word, role) = match &task.why_not {
        None => (Mark::Queued, "queued".to_owned(), Role::Pending),
        Some(WhyNot::Until(at)) => {
            let left = at.since(now);
            let word = if task.rejections > 0 || !task.failures.is_empty() {
                format!("retry in {left}")
            } else {
                format!("cools down {left}")
            };
            (Mark::Retry, word, Role::Retry)
        }
        Some(why @ (WhyNot::Dependencies(_) | WhyNot::DependencyNotMerged(_))) => {
            (Mark::Waiting, why.to_string(), Role::Pending)
        }
        Some(why @ (WhyNot::UnknownDependency(_) | WhyNot::NoBase | WhyNot::NoStage(..))) => {
            (Mark::Unsure, why.to_string(), Role::Blocked)
        }
        Some(WhyNot::Paused) => (Mark::Paused, "paused".to_owned(), Role::Pending),
        Some(
            why @ (WhyNot::SingletonBusy(_)
            | WhyNot::NoRoom { .. }
            | WhyNot::TurnLimit
            | WhyNot::StillEnding(_)
            | WhyNot::NoGoAhead
            | WhyNot::Aborted),
        ) => (Mark::Queued, format!("queued: {why}"), Role::Pending),
    };
    marker(mark, word, role, since)
}

/// How an attempt is marked.
pub(super) fn of_attempt(attempt: &Attempt) -> Marker {
    let since = attempt.started_at.unwrap_or(attempt.created_at);
    match &attempt.state {
        AttemptState::Starting => marker(Mark::Starting, "starting", Role::Running, attempt.created_at),
        AttemptState::Stopping(cause) => marker(
            Mark::Quiet,
            format!("stopping: {}", stop_word(*cause)),
            Role::Pending,
            since,
        ),
        AttemptState::Verifying => {
            let ended = attempt.activity.doing == Doing::Exited;
            let since = if ended { attempt.activity.since } else { since };
            marker(Mark::Gate, "verifying", Role::Verifying, since)
        }
        AttemptState::Settled(_) => marker(
            Mark::Quiet,
            "ended",
            Role::Pending,
            attempt.ended_at.unwrap_or(since),
        ),
        AttemptState::Running => match &attempt.worker {
            Worker::Agent { .. } => of_activity(attempt),
            Worker::Engine(_) => marker(Mark::Gate, attempt.worker.name(), Role::Verifying, since),
        },
    }
}

fn of_activity(attempt: &Attempt) -> Marker {
    let since = attempt.activity.since;
    match &attempt.activity.doing {
        Doing::Starting => marker(Mark::Starting, "starting", Role::Running, since),
        Doing::Working => marker(Mark::Running, "running", Role::Running, since),
        Doing::Permission(what) => marker(Mark::NeedsYou, format!("may it? {what}"), Role::Human, since),
        Doing::Question(what) => marker(Mark::NeedsYou, format!("asks: {what}"), Role::Human, since),
        Doing::Idle => marker(Mark::Quiet, "idle", Role::Running, since),
        Doing::Exited => marker(Mark::Gate, "ended, being judged", Role::Verifying, since),
        Doing::Lost => {
            let word = format!("unsure ({})", known_from(&attempt.activity));
            marker(Mark::Unsure, word, Role::Retry, since)
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
        FailureClass::Infra => "Something outside the work: it is tried again by itself and uses up nothing.",
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
pub(super) fn attention_word(kind: AttentionKind) -> (&'static str, Role) {
    match kind {
        AttentionKind::Permission => ("wants to", Role::Human),
        AttentionKind::Question => ("asks", Role::Human),
        AttentionKind::Approval => ("approve?", Role::Human),
        AttentionKind::Gate => ("checks failed", Role::Failed),
        AttentionKind::Merge => ("cannot be merged", Role::Failed),
        AttentionKind::Held => ("held", Role::Blocked),
        AttentionKind::Failed => ("failed", Role::Failed),
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
        let signs = Mark::ALL.map(|mark| (mark.glyph(Glyphs::Unicode), mark.glyph(Glyphs::Ascii)));
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
            let mut seen: Vec<_> = Mark::ALL.iter().map(|mark| mark.glyph(glyphs)).collect();
            assert!(
                seen.iter()
                    .all(|glyph| glyph.width() == 1 && glyph.width_cjk() == 1),
                "{seen:?}"
            );
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), Mark::ALL.len());
        }
        assert!(Mark::ALL.iter().all(|mark| mark.glyph(Glyphs::Ascii).is_ascii()));
    }
}
