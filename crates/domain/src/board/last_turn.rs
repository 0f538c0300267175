//! Time of an agent between its report and its end. An agent whose tool reports its turns may end the turn in which it has reported: its
//! last words and their cost count, and what it leaves running is only known then. Any other agent lingers for a fixed time.

use super::Board;
use super::process_end::deciding_signal;
use super::transition::Transition;
use crate::attempt::{ActivityKind, Attempt, AttemptState};
use crate::time::{Span, Timestamp};

/// Maximum time from the report of an agent to the end of its turn.
const LONGEST_TURN: Span = Span::minutes(1);
/// Time for the last figures of a tool whose turn is over.
const LAST_FIGURES: Span = Span::seconds(2);

impl Board {
    /// Gives an agent a moment to end by itself after its last signal, and what it has left running its time.
    pub(super) fn start_linger(&mut self, transition: &Transition, attempt: &Attempt) {
        if attempt.state != AttemptState::Running {
            return;
        }
        let end = transition.now + self.time_to_end(attempt);
        let left = attempt.background.as_ref().map(|left| left.until);
        let end = left.map_or(end, |until| until.max(end));
        self.edit_attempt(attempt.id, |row| {
            row.deadline = Some(row.deadline.map_or(end, |deadline| deadline.min(end)));
            row.person_awaited = None;
        });
    }

    /// Returns the time that an agent has from its report on.
    fn time_to_end(&self, attempt: &Attempt) -> Span {
        let doing = &attempt.activity.doing;
        if !attempt.activity.is_reported_by_tool() {
            self.settings.linger
        } else if doing.is_between_turns() {
            self.time_after_turn()
        } else {
            LONGEST_TURN.max(self.settings.linger)
        }
    }

    /// Returns the time that an agent with a report has from the end of its turn on.
    fn time_after_turn(&self) -> Span {
        LAST_FIGURES.min(self.settings.linger)
    }

    /// Ends an agent that has reported soon after its turn, and lets it go on if it was not the end of it.
    pub(super) fn observe_last_turn(
        &mut self,
        transition: &Transition,
        attempt: &Attempt,
        doing: &ActivityKind,
    ) {
        let Some(reported) = deciding_signal(attempt).filter(|_| attempt.state == AttemptState::Running)
        else {
            return;
        };
        let longest = reported.at + LONGEST_TURN;
        let after_turn = transition.now + self.time_after_turn();
        self.edit_attempt(attempt.id, |row| {
            let later = |end: Timestamp| Some(row.deadline.map_or(end, |deadline| deadline.max(end)));
            row.deadline = match doing {
                doing if doing.is_between_turns() => Some(after_turn),
                ActivityKind::Working => later(longest),
                _ => row.deadline,
            };
        });
    }
}
