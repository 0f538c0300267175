//! Waits of an agent for a person: its time limit stands still meanwhile, so that an answer given the next morning still reaches it.

use super::Board;
use crate::ask::AskChannel;
use crate::attempt::{ActivityKind, Attempt, AttemptState};
use crate::id::AttemptId;
use crate::time::{Span, Timestamp};

/// Minimum time that an agent has left once it was answered.
const LEAST_TIME: Span = Span::seconds(60);

impl Board {
    /// Stops the time limit of an agent that waits for a person from now on.
    pub(super) fn await_person(&mut self, now: Timestamp, id: AttemptId) {
        self.edit_attempt(id, |row| {
            row.person_awaited.get_or_insert(now);
        });
    }
}

impl Attempt {
    /// Returns true while the agent can do nothing before a person answers: it does not work on after a question in words, and is within
    /// reach of an answer.
    pub(super) fn stands_for_person(&self, now: Timestamp) -> bool {
        let works = self.activity.doing.is_work();
        let is_lost = self.activity.doing == ActivityKind::Lost;
        let mut asks = self.open_asks(now);
        let waits = asks.any(|known| !works || known.ask.channel != AskChannel::Line);
        self.person_awaited.is_some() && waits && !is_lost
    }

    /// Adds the time that the agent has waited for a person to its time limit, and lets the limit count again unless the agent still waits.
    pub(super) fn add_person_wait(&mut self, now: Timestamp) {
        let Some(since) = self.person_awaited.take() else {
            return;
        };
        if self.state != AttemptState::Running {
            return;
        }
        let waited = now.since(since);
        let later = |due: Timestamp| (due + waited).max(now + LEAST_TIME);
        self.deadline = self.deadline.map(later);
        let still_waits = self.open_asks(now).next().is_some();
        self.person_awaited = still_waits.then_some(now);
    }
}
