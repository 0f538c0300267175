//! Marks of tasks and agents: glyph, word, colour role (K80, P50). The word alone has the full meaning.

use super::scene::Scene;
use super::theme::StyleRole;
use crate::display::Glyphs;
use crate::domain::{Attempt, FailureClass, NoticeLevel, Task, Timestamp};
pub(super) use crate::read_model::DisplayStatus;
use crate::read_model::{AttentionKind, Look, Standing, attempt_standing};

impl DisplayStatus {
    /// All statuses that have a glyph of their own, in the order a task may go through them.
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

    /// Returns the meaning that the help gives, the glyph (Unicode, ASCII; one column wide in every locale) and the usual colour.
    fn row(self) -> (&'static str, [&'static str; 2], StyleRole) {
        match self {
            DisplayStatus::Backlog => ("in the backlog", ["◦", "o"], StyleRole::Pending),
            DisplayStatus::Queued => ("waits for room", ["◌", "."], StyleRole::Pending),
            DisplayStatus::Waiting => ("waits for a task", ["⋯", "#"], StyleRole::Pending),
            DisplayStatus::Starting => ("starting", ["⠋", "*"], StyleRole::Running),
            DisplayStatus::Running => ("at work", ["▸", ">"], StyleRole::Running),
            DisplayStatus::Quiet => ("silent", ["▹", "-"], StyleRole::Pending),
            DisplayStatus::Idle => ("idle", ["▹", "-"], StyleRole::Running),
            DisplayStatus::NeedsYou => ("needs you", ["⚑", "!"], StyleRole::Human),
            DisplayStatus::Held => ("held", ["⚑", "!"], StyleRole::Blocked),
            DisplayStatus::Gate => ("being checked", ["◍", "~"], StyleRole::Verifying),
            DisplayStatus::Retry => ("retry", ["↻", "r"], StyleRole::Retry),
            DisplayStatus::Paused => ("parked or paused", ["▫", "p"], StyleRole::Pending),
            DisplayStatus::Unsure => ("not certain", ["?", "?"], StyleRole::Retry),
            DisplayStatus::Hindered => ("cannot start", ["?", "?"], StyleRole::Blocked),
            DisplayStatus::Failed => ("failed", ["✗", "x"], StyleRole::Failed),
            DisplayStatus::Skipped => ("skipped", ["»", "s"], StyleRole::Pending),
            DisplayStatus::Done => ("done", ["✓", "+"], StyleRole::Done),
        }
    }

    /// Returns the meaning, for the help.
    pub(super) fn meaning(self) -> &'static str {
        self.row().0
    }

    /// Returns the glyph.
    pub(super) fn glyph(self, glyphs: Glyphs) -> &'static str {
        let (_, [unicode, ascii], _) = self.row();
        glyphs.pick(unicode, ascii)
    }
}

/// The glyph, word and colour that show the state of a task or an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StatusLabel {
    pub mark: DisplayStatus,
    /// Full text of the status.
    pub word: String,
    pub role: StyleRole,
    pub since: Timestamp,
    /// Parts of which the word is made.
    pub standing: Standing,
}

impl StatusLabel {
    fn of(standing: Standing) -> StatusLabel {
        let (_, _, role) = standing.mark.row();
        StatusLabel {
            mark: standing.mark,
            word: standing.line(),
            role,
            since: standing.since,
            standing,
        }
    }
}

/// Returns the mark of a task.
pub(super) fn task_status(task: &Task, scene: &Scene<'_>) -> StatusLabel {
    let live = task.open_attempt.and_then(|open| scene.screens.activity(open));
    let look = Look {
        now: scene.now,
        live: live.as_ref(),
    };
    StatusLabel::of(scene.model.standing_at(task, look))
}

/// Returns the mark of an attempt.
pub(super) fn attempt_status(attempt: &Attempt, scene: &Scene<'_>) -> StatusLabel {
    let live = scene.screens.activity(attempt.id);
    let look = Look {
        now: scene.now,
        live: live.as_ref(),
    };
    StatusLabel::of(attempt_standing(attempt, look))
}

/// Returns the meaning of a class of failure, in a sentence.
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

/// Returns the mark of a notice of that level, and its colour.
pub(super) fn level_status(level: NoticeLevel) -> (DisplayStatus, StyleRole) {
    match level {
        NoticeLevel::Info => (DisplayStatus::Running, StyleRole::Text),
        NoticeLevel::Success => (DisplayStatus::Done, StyleRole::Done),
        NoticeLevel::Warning => (DisplayStatus::Retry, StyleRole::Retry),
        NoticeLevel::Error => (DisplayStatus::Failed, StyleRole::Failed),
        NoticeLevel::Alert => (DisplayStatus::NeedsYou, StyleRole::Human),
    }
}

/// Returns the word for an item that waits for a person, and its colour.
pub(super) fn attention_word(kind: AttentionKind) -> (&'static str, StyleRole) {
    match kind {
        AttentionKind::Permission | AttentionKind::Question => ("asks:", StyleRole::Human),
        AttentionKind::Dialog => ("dialog:", StyleRole::Human),
        AttentionKind::Approval => ("approval:", StyleRole::Human),
        AttentionKind::Gate => ("checks failed", StyleRole::Failed),
        AttentionKind::Merge => ("cannot be merged", StyleRole::Failed),
        AttentionKind::Held => ("held", StyleRole::Blocked),
        AttentionKind::Failed => ("failed", StyleRole::Failed),
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
