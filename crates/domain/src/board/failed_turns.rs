//! Agents whose turn failed and which wait for the next prompt, as after an overload: they are told to continue in the same session, after
//! a wait that grows. It does not count as a try. After [`MOST_TRIES`] times a person is asked.

use super::Board;
use super::process_end::deciding_signal;
use super::retry::{MOST_TRIES, backoff};
use super::rows::ENGINE;
use super::transition::Transition;
use crate::attempt::{ActivityKind, Attempt, AttemptState};
use crate::effect::{Effect, NoticeLevel};
use crate::failed_turns::FailedTurns;
use crate::id::AttemptId;
use crate::time::Timestamp;

/// Prefix of the keys of questions to a person about failed turns.
const KEY: &str = "failed-turns";
/// Prefix of the ids that such questions get from their keys.
const QUESTION: &str = "signal-failed-turns";

impl Board {
    /// Detects from the observed activity that an agent's turn failed. Any other activity ends the wait.
    pub(super) fn observe_failed_turn(
        &mut self,
        transition: &mut Transition,
        attempt: &Attempt,
        doing: &ActivityKind,
    ) {
        let id = attempt.id;
        let ActivityKind::Failed(why) = doing else {
            if attempt.failed_turns.go_on_at.is_some() {
                self.edit_attempt(id, |row| row.failed_turns.go_on_at = None);
            }
            return self.close_asks(transition.now, id, |known| {
                known.ask.id.as_str().starts_with(QUESTION)
            });
        };
        if !waits_for_prompt(attempt) {
            return;
        }
        let written = attempt.usage.own().tokens.output;
        if written > attempt.failed_turns.written {
            let failed_turns = FailedTurns {
                written,
                ..FailedTurns::default()
            };
            self.edit_attempt(id, |row| row.failed_turns = failed_turns);
        }
        self.plan_to_go_on(transition, id, why);
    }

    /// Lets an agent wait until it is told to continue; after enough such prompts it is left to a person.
    fn plan_to_go_on(&mut self, transition: &mut Transition, id: AttemptId, why: &str) {
        let Some(attempt) = self.attempt(id) else { return };
        let (name, told) = (attempt.worker.name(), attempt.failed_turns.told);
        if told >= MOST_TRIES {
            return self.ask_about_failed_turns(transition, &attempt, why);
        }
        let wait = backoff(self.settings.infra_backoff, told.saturating_add(1));
        self.edit_attempt(id, |row| {
            row.failed_turns.go_on_at = Some(transition.now + wait);
            // Its time limit is for work, not for waits.
            row.deadline = row.deadline.map(|deadline| deadline + wait);
        });
        let text = format!("a turn of {name} failed: {why}; it is told to continue in {wait}");
        self.comment(transition.now, &attempt.task, ENGINE, text.clone());
        transition.notify_attempt(NoticeLevel::Warning, "turn_failed", &attempt, text);
    }

    /// Tells an agent whose wait is over to continue. If nothing of it is seen then, it is told again after the next wait.
    pub(super) fn tell_to_go_on(&mut self, transition: &mut Transition, id: AttemptId) {
        let Some(attempt) = self.attempt(id) else { return };
        self.edit_attempt(id, |row| row.failed_turns.go_on_at = None);
        let ActivityKind::Failed(why) = &attempt.activity.doing else {
            return;
        };
        if !waits_for_prompt(&attempt) {
            return;
        }
        if attempt.failed_turns.told >= MOST_TRIES {
            return self.ask_about_failed_turns(transition, &attempt, why);
        }
        let told = attempt.failed_turns.told.saturating_add(1);
        let wait = backoff(self.settings.infra_backoff, told.saturating_add(1));
        self.edit_attempt(id, |row| {
            row.failed_turns.told = told;
            row.failed_turns.go_on_at = Some(transition.now + wait);
        });
        let text = format!("dbs: your last turn failed ({why}). Go on where you stopped.");
        transition.emit(Effect::Tell(id, text));
    }

    /// Asks a person to decide. Any text typed to the agent begins its next turn, and a new row of failures.
    fn ask_about_failed_turns(&mut self, transition: &mut Transition, attempt: &Attempt, why: &str) {
        self.edit_attempt(attempt.id, |row| row.failed_turns.told = 0);
        let name = attempt.worker.name();
        let text = format!(
            "its turn failed again after {MOST_TRIES} requests to continue ({why}); tell it to continue when its model answers again"
        );
        let key = format!("{KEY}-{}", attempt.asks_made.saturating_add(1));
        self.ask_in_words(transition.now, attempt.id, &key, &text);
        transition.notify_attempt(
            NoticeLevel::Alert,
            "question",
            attempt,
            format!("{name} asks: {text}"),
        );
    }
}

impl Attempt {
    /// Returns the time at which something is due for the attempt.
    pub(super) fn due(&self) -> Option<Timestamp> {
        let times = [
            self.deadline,
            self.goes_on_at(),
            self.background_until(),
            self.still_until(),
        ];
        times.into_iter().flatten().min()
    }

    /// Returns the time at which the agent is told to continue after a turn that failed.
    pub fn goes_on_at(&self) -> Option<Timestamp> {
        let is_running = self.state == AttemptState::Running;
        self.failed_turns.go_on_at.filter(|_| is_running)
    }
}

/// Returns true if an agent may be told to continue: it is at work, and has neither reported its end nor been asked to stop.
fn waits_for_prompt(attempt: &Attempt) -> bool {
    let is_at_work = attempt.state == AttemptState::Running && attempt.worker.role().is_some();
    is_at_work && attempt.leaves.is_none() && deciding_signal(attempt).is_none()
}
