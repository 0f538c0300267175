//! Deadlines: when something is due, and what happens then. Deadlines are stored, so a restart changes nothing.

use super::Board;
use super::process_end::deciding_signal;
use super::transition::Transition;
use crate::attempt::{Attempt, AttemptState, StopCause, WorkspaceState};
use crate::batch::PauseReason;
use crate::effect::{Effect, NoticeLevel};
use crate::id::AttemptId;
use crate::time::{Span, Timestamp};
use crate::wait_reason::WaitReason;

impl Board {
    /// Returns the longest run of an attempt.
    pub(super) fn time_limit(&self, attempt: &Attempt) -> Span {
        let of_stage = self.stage_of_attempt(attempt).and_then(|stage| stage.timeout);
        let of_settings = self.settings.agent_timeout;
        match self.tasks.get(&attempt.task) {
            Some(task) => task.time_limit(&attempt.stage, of_stage, of_settings),
            None => of_stage.unwrap_or(of_settings),
        }
    }

    /// Returns the time at which something is due if nothing happens before. A time in the past means at once: more tasks could start than
    /// one turn allows.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        if !self.index.is_built {
            let mut copy = self.clone();
            copy.build_index();
            copy.update_links();
            return copy.next_deadline();
        }
        let timed = self.index.timed.iter().filter_map(|id| self.attempts.get(id));
        let of_attempts = timed.filter_map(|attempt| attempt.due());
        let waiting = self.index.delayed.iter().chain(&self.index.turn_limited);
        let waiting = waiting.filter_map(|id| self.tasks.get(id));
        let of_tasks = waiting.filter_map(|task| match task.why_not {
            Some(WaitReason::Until(until)) => Some(until),
            Some(WaitReason::TurnLimit) => Some(Timestamp::default()),
            _ => None,
        });
        let of_pause = match &self.pause {
            Some(PauseReason::Quota { until, .. }) => Some(*until),
            Some(PauseReason::Operator { .. }) | None => None,
        };
        let owed = self.batches.values().filter_map(|batch| batch.owed.as_deref());
        let of_deliveries = owed.map(|owed| owed.at);
        let of_merges = self.index.handed_over.iter().filter_map(|id| self.next_look(id));
        let of_branches = self.index.branch_cleanups.first().map(|(at, _)| *at);
        of_attempts
            .chain(of_tasks)
            .chain(of_pause)
            .chain(self.limits.values().map(|limit| limit.until))
            .chain(of_branches)
            .chain(of_deliveries)
            .chain(of_merges)
            .min()
    }

    /// Handles everything that is due by now.
    pub(super) fn ticked(&mut self, transition: &mut Transition) {
        let due = |deadline: Option<Timestamp>| deadline.is_some_and(|deadline| deadline <= transition.now);
        let due_by = |time: fn(&Attempt) -> Option<Timestamp>| -> Vec<AttemptId> {
            let timed = self.index.timed.iter().filter_map(|id| self.attempts.get(id));
            let found = timed.filter(|attempt| due(time(attempt)));
            found.map(|attempt| attempt.id).collect()
        };
        let attempts = due_by(|attempt| attempt.deadline);
        let waiting = due_by(Attempt::goes_on_at);
        let left_running = due_by(Attempt::background_until);
        let still = due_by(Attempt::still_until);
        for id in attempts {
            self.expire(transition, id);
        }
        for id in waiting {
            self.tell_to_go_on(transition, id);
        }
        for id in left_running {
            self.background_expired(transition, id);
        }
        for id in still {
            self.stands_still(transition, id);
        }
        self.retry_retirements(transition);
        self.look_at_deliveries(transition);
        self.look_for_merges(transition);
        self.end_limits(transition);
        if let Some(PauseReason::Quota { until, .. }) = &self.pause
            && *until <= transition.now
        {
            self.pause = None;
            transition.notify(
                NoticeLevel::Info,
                "resume",
                "resumed: the usage limit is over".to_owned(),
            );
        }
    }

    fn expire(&mut self, transition: &mut Transition, id: AttemptId) {
        let Some(attempt) = self.attempt(id) else { return };
        if let Some(since) = attempt.awaited {
            self.redeliver(transition, &attempt, since);
            return;
        }
        match attempt.state {
            AttemptState::Running if deciding_signal(&attempt).is_some() => {
                self.background_ended(transition, &attempt);
                self.stop(transition, id, StopCause::Finished);
            }
            AttemptState::Running if attempt.leaves.is_some() => {
                self.stop(transition, id, StopCause::Context);
            }
            AttemptState::Running if attempt.stands_for_person(transition.now) => {
                self.edit_attempt(id, |row| row.add_person_wait(transition.now));
            }
            AttemptState::Running => self.stop(transition, id, StopCause::Timeout),
            AttemptState::Stopping(cause) => self.stop_again(transition, id, cause),
            AttemptState::Verifying => self.ask_for_evidence(transition, id),
            AttemptState::Settled(_) | AttemptState::Starting => {
                self.edit_attempt(id, Attempt::expect_no_answer);
                if attempt.workspace == WorkspaceState::Leaving {
                    self.edit_attempt(id, |attempt| attempt.expect_answer(transition.now));
                    transition.emit(Effect::Settle(id));
                }
            }
        }
    }
}
