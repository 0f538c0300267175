//! Application of one event: the time it happens at and the effects collected so far. Decides nothing.

use crate::attempt::Attempt;
use crate::effect::{Effect, Notice, NoticeLevel};
use crate::id::{AttemptId, TaskId};
use crate::time::Timestamp;

/// Transition of the board: the time of the event and the effects collected so far.
#[derive(Debug)]
pub(super) struct Transition {
    pub(super) now: Timestamp,
    pub(super) effects: Vec<Effect>,
}

impl Transition {
    pub(super) fn new(now: Timestamp) -> Transition {
        Transition {
            now,
            effects: Vec::new(),
        }
    }

    /// Adds an effect.
    pub(super) fn emit(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Notifies people of something about the board as a whole.
    pub(super) fn notify(&mut self, level: NoticeLevel, kind: &str, text: String) {
        self.note(level, kind, None, None, text);
    }

    /// Notifies people of something about a task.
    pub(super) fn notify_task(&mut self, level: NoticeLevel, kind: &str, task: &TaskId, text: String) {
        self.note(level, kind, Some(task), None, text);
    }

    /// Notifies people of something about an attempt.
    pub(super) fn notify_attempt(&mut self, level: NoticeLevel, kind: &str, attempt: &Attempt, text: String) {
        self.note(level, kind, Some(&attempt.task), Some(attempt.id), text);
    }

    fn note(
        &mut self,
        level: NoticeLevel,
        kind: &str,
        task: Option<&TaskId>,
        attempt: Option<AttemptId>,
        text: String,
    ) {
        self.emit(Effect::Notify(Notice {
            level,
            kind: kind.to_owned(),
            task: task.cloned(),
            attempt,
            text,
        }));
    }
}
