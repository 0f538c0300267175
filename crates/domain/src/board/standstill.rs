//! Agents that stand still: the tool says that the turn is over, and there is no report, no ask and nothing to wait for. The interruption
//! of a turn has that end, and so has a tool that does not report the end of its turns. A person is asked, and not asked any more once the
//! agent works again.

use super::Board;
use super::asks::call_for_answer;
use super::process_end::deciding_signal;
use super::transition::Transition;
use crate::ask::{Ask, AskChannel, AskKind, AskRecord};
use crate::attempt::{ActivityKind, Attempt, AttemptState};
use crate::id::AttemptId;
use crate::time::{Span, Timestamp};

/// Time for which an agent may stand still: its tool may be about to begin a turn, or a person to type.
const STANDSTILL: Span = Span::seconds(30);

/// Question about an agent that stands still.
const QUESTION: &str = "its turn is over and it has not reported; what should it do?";

impl Board {
    /// Asks a person what an agent is to do that stands still.
    pub(super) fn stands_still(&mut self, transition: &mut Transition, id: AttemptId) {
        let Some(attempt) = self.attempt(id) else { return };
        self.ask_about_standstill(transition, &attempt, QUESTION.to_owned());
    }

    /// Asks a person what an agent is to do that stands still for that reason.
    pub(super) fn ask_about_standstill(
        &mut self,
        transition: &mut Transition,
        attempt: &Attempt,
        text: String,
    ) {
        call_for_answer(transition, attempt, AskKind::Question, &text);
        let ask = Ask::about_standstill(attempt.asks_made.into(), text);
        self.add_ask(attempt.id, AskRecord::new(ask.bounded(), transition.now));
        self.await_person(transition.now, attempt.id);
    }
}

impl Attempt {
    /// Returns the time at which a person is asked because the agent stands still.
    pub fn still_until(&self) -> Option<Timestamp> {
        let rests = self.activity.doing == ActivityKind::Idle && self.activity.is_reported_by_tool();
        let is_waited_for = self.asks.iter().any(|known| answered_at(known).is_none());
        let has_other_end = self.conducts() || self.leaves.is_some() || self.background.is_some();
        let is_still = self.state == AttemptState::Running && rests && !is_waited_for && !has_other_end;
        let last_ask = self.asks.iter().filter_map(answered_at).max();
        let since = last_ask.map_or(self.activity.since, |over| over.max(self.activity.since));
        (is_still && deciding_signal(self).is_none()).then_some(since + STANDSTILL)
    }
}

/// Returns the time since which this ask is no longer waited for. A request is over with its answer, which reaches the agent at once: a
/// tool whose turn has ended shows nothing of it.
fn answered_at(known: &AskRecord) -> Option<Timestamp> {
    let given = known.given().filter(|_| known.ask.channel == AskChannel::Request);
    known.closed.or_else(|| given.map(|answer| answer.at))
}
