//! The engine starts and says what it found. Unknown never means dead (LK-3); a restart changes no counter, and the same
//! inventory twice changes nothing more.

use super::Board;
use super::signalling::activity;
use super::step::Step;
use crate::domain::attempt::{Attempt, AttemptState, Doing, Exit, StopCause, Worker, WorkspaceState};
use crate::domain::effect::{Effect, Level};
use crate::domain::event::Inventory;
use crate::domain::id::AttemptId;

/// What the inventory says of one attempt.
enum Found<'a> {
    Running,
    Ended(&'a Exit, &'a str),
    Unknown,
    Nothing,
}

impl Board {
    /// Compares what is remembered with what was found, attempt by attempt.
    pub(super) fn woke(&mut self, step: &mut Step, inventory: &Inventory) {
        self.asleep = false;
        let ids: Vec<AttemptId> = self.attempts.keys().copied().collect();
        for id in ids {
            let Some(attempt) = self.attempt(id) else { continue };
            match (&attempt.worker, &attempt.state) {
                (_, AttemptState::Settled(_)) => finish_leaving(step, &attempt),
                (_, AttemptState::Verifying) => self.verify_again(step, &attempt),
                (Worker::Engine(action), AttemptState::Starting | AttemptState::Running) => {
                    step.wish(Effect::Act(id, *action));
                }
                // Nobody waits for its outcome; when the task comes back, the action finds what it did.
                (Worker::Engine(_), AttemptState::Stopping(_)) => {
                    self.settle_stopped(step, id, StopCause::Cancelled);
                }
                (
                    Worker::Agent { .. },
                    AttemptState::Starting | AttemptState::Running | AttemptState::Stopping(_),
                ) => self.recognise(step, &attempt, inventory),
            }
        }
    }

    fn recognise(&mut self, step: &mut Step, attempt: &Attempt, inventory: &Inventory) {
        let id = attempt.id;
        match (find(inventory, id), &attempt.state) {
            (Found::Ended(exit, tail), _) => {
                self.ended(step, id, (exit, tail), inventory.causes.get(&id));
            }
            (Found::Nothing, AttemptState::Running | AttemptState::Stopping(_)) => {
                self.ended(step, id, (&Exit::Vanished, ""), None);
            }
            // Starting is safe to repeat, and its answer says where the attempt works.
            (_, AttemptState::Starting) => step.wish(Effect::Start(id)),
            (found, AttemptState::Stopping(cause)) => {
                step.wish(Effect::Stop(id, *cause));
                if matches!(found, Found::Unknown) {
                    self.lost_sight(step, attempt);
                }
            }
            (Found::Running, _) => self.adopt(step, attempt),
            (Found::Unknown | Found::Nothing, _) => self.lost_sight(step, attempt),
        }
    }

    fn adopt(&mut self, step: &Step, attempt: &Attempt) {
        if attempt.activity.doing == Doing::Lost {
            self.edit_attempt(attempt.id, |row| {
                row.activity = activity(Doing::Working, "inventory", step.now);
            });
        }
    }

    fn lost_sight(&mut self, step: &mut Step, attempt: &Attempt) {
        if attempt.activity.doing == Doing::Lost {
            return;
        }
        self.edit_attempt(attempt.id, |row| {
            row.activity = activity(Doing::Lost, "inventory", step.now);
        });
        let name = attempt.worker.name();
        let text = format!(
            "nothing is known of {name} on {}; its deadline stands",
            attempt.task
        );
        step.report(Level::Warning, "unknown", attempt, text);
    }

    fn verify_again(&mut self, step: &mut Step, attempt: &Attempt) {
        if is_unanswered(attempt) {
            self.repeat_evidence(step, attempt.id);
        }
    }
}

/// Whether it was asked for and not answered; else it waits for its time.
fn is_unanswered(attempt: &Attempt) -> bool {
    attempt.awaited.is_some() || attempt.deadline.is_none()
}

fn finish_leaving(step: &mut Step, attempt: &Attempt) {
    if attempt.workspace == WorkspaceState::Leaving && is_unanswered(attempt) {
        step.wish(Effect::Settle(attempt.id));
    }
}

fn find(inventory: &Inventory, id: AttemptId) -> Found<'_> {
    if let Some((exit, tail)) = inventory.ended.get(&id) {
        Found::Ended(exit, tail)
    } else if inventory.running.contains(&id) {
        Found::Running
    } else if inventory.unknown.contains(&id) {
        Found::Unknown
    } else {
        Found::Nothing
    }
}
