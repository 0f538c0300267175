//! One application of an event: the time it happens at and the wishes collected so far. Decides nothing.

use crate::domain::attempt::Attempt;
use crate::domain::effect::{Effect, Level, Notice};
use crate::domain::id::TaskId;
use crate::domain::time::Timestamp;

/// One application of an event.
#[derive(Debug)]
pub(super) struct Step {
    /// When it happens.
    pub(super) now: Timestamp,
    /// What should follow, in order.
    pub(super) effects: Vec<Effect>,
}

impl Step {
    pub(super) fn new(now: Timestamp) -> Step {
        Step {
            now,
            effects: Vec::new(),
        }
    }

    /// Adds a wish.
    pub(super) fn wish(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Tells people something about the board as a whole.
    pub(super) fn announce(&mut self, level: Level, kind: &str, text: String) {
        self.wish(Effect::Notify(Notice {
            level,
            kind: kind.to_owned(),
            task: None,
            attempt: None,
            text,
        }));
    }

    /// Tells people something about a task.
    pub(super) fn say(&mut self, level: Level, kind: &str, task: &TaskId, text: String) {
        self.wish(Effect::Notify(Notice {
            level,
            kind: kind.to_owned(),
            task: Some(task.clone()),
            attempt: None,
            text,
        }));
    }

    /// Tells people something about an attempt.
    pub(super) fn report(&mut self, level: Level, kind: &str, attempt: &Attempt, text: String) {
        self.wish(Effect::Notify(Notice {
            level,
            kind: kind.to_owned(),
            task: Some(attempt.task.clone()),
            attempt: Some(attempt.id),
            text,
        }));
    }
}
