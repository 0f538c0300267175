//! One application of an event: the time it happens at and the effects collected so far. Decides nothing.

use crate::domain::attempt::Attempt;
use crate::domain::effect::{Effect, Notice, NoticeLevel};
use crate::domain::id::TaskId;
use crate::domain::time::Timestamp;

/// One transition of the board: the time of the event and the effects collected so far.
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

    /// Tells people something about the board as a whole.
    pub(super) fn notify(&mut self, level: NoticeLevel, kind: &str, text: String) {
        self.emit(Effect::Notify(Notice {
            level,
            kind: kind.to_owned(),
            task: None,
            attempt: None,
            text,
        }));
    }

    /// Tells people something about a task.
    pub(super) fn notify_task(&mut self, level: NoticeLevel, kind: &str, task: &TaskId, text: String) {
        self.emit(Effect::Notify(Notice {
            level,
            kind: kind.to_owned(),
            task: Some(task.clone()),
            attempt: None,
            text,
        }));
    }

    /// Tells people something about an attempt.
    pub(super) fn notify_attempt(&mut self, level: NoticeLevel, kind: &str, attempt: &Attempt, text: String) {
        self.emit(Effect::Notify(Notice {
            level,
            kind: kind.to_owned(),
            task: Some(attempt.task.clone()),
            attempt: Some(attempt.id),
            text,
        }));
    }
}
