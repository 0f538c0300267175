//! Time: when something is due, and what happens then. Deadlines are stored, so a restart changes nothing.

use super::Board;
use super::ending::last_word;
use super::step::Step;
use crate::domain::attempt::{Attempt, AttemptState, StopCause, WorkspaceState};
use crate::domain::effect::{Effect, Level};
use crate::domain::id::AttemptId;
use crate::domain::run::Pause;
use crate::domain::task::WhyNot;
use crate::domain::time::Timestamp;

impl Board {
    /// When something is due if nothing happens before. A time in the past means at once: more could start than one turn may.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        if !self.index.is_made {
            let mut copy = self.clone();
            copy.make_index();
            copy.link();
            return copy.next_deadline();
        }
        let timed = self.index.timed.iter().filter_map(|id| self.attempts.get(id));
        let of_attempts = timed.filter_map(|attempt| attempt.deadline);
        let waiting = self.index.cooling.iter().chain(&self.index.turn_limited);
        let waiting = waiting.filter_map(|id| self.tasks.get(id));
        let of_tasks = waiting.filter_map(|task| match task.why_not {
            Some(WhyNot::Until(until)) => Some(until),
            Some(WhyNot::TurnLimit) => Some(Timestamp::default()),
            _ => None,
        });
        let of_pause = match &self.pause {
            Some(Pause::Quota { until, .. }) => Some(*until),
            Some(Pause::Operator { .. }) | None => None,
        };
        let of_branches = self
            .tasks
            .values()
            .filter_map(|task| Some(task.letting_go.as_ref()?.at));
        of_attempts
            .chain(of_tasks)
            .chain(of_pause)
            .chain(of_branches)
            .min()
    }

    /// Time has passed.
    pub(super) fn ticked(&mut self, step: &mut Step) {
        let due = |deadline: Option<Timestamp>| deadline.is_some_and(|deadline| deadline <= step.now);
        let timed = self.index.timed.iter().filter_map(|id| self.attempts.get(id));
        let attempts: Vec<AttemptId> = timed
            .filter(|attempt| due(attempt.deadline))
            .map(|attempt| attempt.id)
            .collect();
        for id in attempts {
            self.came_due(step, id);
        }
        self.let_go_again(step);
        if let Some(Pause::Quota { until, .. }) = &self.pause
            && *until <= step.now
        {
            self.pause = None;
            step.announce(
                Level::Info,
                "resume",
                "the usage limit is over; work goes on".to_owned(),
            );
        }
    }

    fn came_due(&mut self, step: &mut Step, id: AttemptId) {
        let Some(attempt) = self.attempt(id) else { return };
        if let Some(since) = attempt.awaited {
            self.ask_again(step, &attempt, since);
            return;
        }
        match attempt.state {
            AttemptState::Running if last_word(&attempt).is_some() => {
                self.stop(step, id, StopCause::Finished);
            }
            AttemptState::Running => self.stop(step, id, StopCause::Timeout),
            AttemptState::Stopping(cause) => self.stop_again(step, id, cause),
            AttemptState::Verifying => self.ask_for_evidence(step, id),
            AttemptState::Settled(_) | AttemptState::Starting => {
                self.edit_attempt(id, Attempt::await_nothing);
                if attempt.workspace == WorkspaceState::Leaving {
                    self.edit_attempt(id, |attempt| attempt.await_answer(step.now));
                    step.wish(Effect::Settle(id));
                }
            }
        }
    }
}
