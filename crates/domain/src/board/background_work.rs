//! Agents whose turn is over while commands or subagents of theirs still run. That is work: they report when nothing of it runs, and are
//! not ended before. A server that never ends does not hold their task up: after [`background`](crate::BoardSettings::background) the agent
//! is told to report, and what still runs then ends with it.

use super::Board;
use super::process_end::deciding_signal;
use super::rows::ENGINE;
use super::transition::Transition;
use crate::attempt::{ActivityKind, Attempt, AttemptState};
use crate::background_work::BackgroundWork;
use crate::effect::{Effect, NoticeLevel};
use crate::id::AttemptId;
use crate::time::{Span, Timestamp};

impl Board {
    /// Notes what an agent has left running at the end of its turn, or that nothing of it runs any more.
    pub(super) fn observe_background(
        &mut self,
        transition: &Transition,
        attempt: &Attempt,
        doing: &ActivityKind,
    ) {
        let has_reported = deciding_signal(attempt).is_some() && attempt.state == AttemptState::Running;
        match doing {
            ActivityKind::Background(what) => {
                let (now, wait) = (transition.now, self.settings.background);
                let end = now + self.settings.linger;
                self.edit_attempt(attempt.id, |row| {
                    let until = row.leaves_running(what, now, wait);
                    if has_reported {
                        row.deadline = Some(until.max(end));
                    }
                });
            }
            doing if doing.is_between_turns() && attempt.background.is_some() => {
                self.edit_attempt(attempt.id, |row| row.background = None);
            }
            _ => {}
        }
    }

    /// Tells an agent without a report, once, that what it left running is not waited for any longer.
    pub(super) fn background_expired(&mut self, transition: &mut Transition, id: AttemptId) {
        let Some(attempt) = self.attempt(id) else { return };
        self.edit_attempt(id, |row| {
            if let Some(left) = &mut row.background {
                left.was_told = true;
            }
        });
        let Some(left) = &attempt.background else { return };
        let (what, wait) = (&left.what, self.settings.background);
        let line = format!(
            "dbs: your turn is over, and this still runs after {wait}: {what}. If your work needs its end, wait for it in your turn; if it \
             never ends, report now with `dbs signal`: it ends with you."
        );
        transition.emit(Effect::Tell(id, line));
        let name = attempt.worker.name();
        let text = format!("{name} is told to report: it ended its turn, and {what} still runs after {wait}");
        transition.notify_attempt(NoticeLevel::Warning, "background", &attempt, text);
    }

    /// Reports the background work that ends together with an agent that has reported.
    pub(super) fn background_ended(&mut self, transition: &mut Transition, attempt: &Attempt) {
        let Some(left) = &attempt.background else { return };
        let name = attempt.worker.name();
        let text = format!(
            "{name} has reported and is ended together with what it left running: {}",
            left.what
        );
        self.comment(transition.now, &attempt.task, ENGINE, text.clone());
        transition.notify_attempt(NoticeLevel::Warning, "background", attempt, text);
    }
}

impl Attempt {
    /// Notes background work and returns the time until which it is waited for. Once the agent was told, other work is not waited for
    /// either, until nothing runs.
    fn leaves_running(&mut self, what: &str, now: Timestamp, wait: Span) -> Timestamp {
        let known = self.background.take();
        let known = known.filter(|known| known.what == what || known.was_told);
        let left = self.background.insert(known.unwrap_or(BackgroundWork {
            what: String::new(),
            until: now + wait,
            was_told: false,
        }));
        what.clone_into(&mut left.what);
        left.until
    }

    /// Returns the time at which the agent is told to report although something of it runs in the background.
    pub(super) fn background_until(&self) -> Option<Timestamp> {
        let left = self.background.as_ref().filter(|left| !left.was_told)?;
        let rests = matches!(self.activity.doing, ActivityKind::Background(_));
        let is_due =
            self.state == AttemptState::Running && rests && !self.conducts() && self.leaves.is_none();
        (is_due && deciding_signal(self).is_none()).then_some(left.until)
    }
}
