//! Recovery at the start of the engine, which reports what it found. Unknown never means dead (LK-3); a restart changes no counter, and the
//! same inventory twice changes nothing more.

use super::Board;
use super::transition::Transition;
use crate::attempt::{
    Activity, ActivityKind, Attempt, AttemptState, ProcessExit, StopCause, Worker, WorkspaceState,
};
use crate::effect::{Effect, NoticeLevel};
use crate::event::Inventory;
use crate::id::AttemptId;

/// Signals with which a logout ends processes: SIGHUP, SIGKILL and SIGTERM.
const LOGOUT_SIGNALS: [i32; 3] = [1, 9, 15];

/// State of one attempt according to the inventory after a start.
enum InventoryStatus<'a> {
    Running,
    Ended(&'a ProcessExit, &'a str),
    Unknown,
    Missing,
}

impl Board {
    /// Compares the known attempts with the inventory, one by one.
    pub(super) fn woke(&mut self, transition: &mut Transition, inventory: &Inventory) {
        self.asleep = false;
        if let Some(text) = inventory.loss_text() {
            transition.notify(NoticeLevel::Warning, "server", text);
        }
        let ids: Vec<AttemptId> = self.attempts.keys().copied().collect();
        for id in ids {
            let Some(attempt) = self.attempt(id) else { continue };
            match (&attempt.worker, &attempt.state) {
                (_, AttemptState::Settled(_)) => resume_removal(transition, &attempt),
                (_, AttemptState::Verifying) => self.verify_again(transition, &attempt),
                (Worker::Engine(action), AttemptState::Starting | AttemptState::Running) => {
                    transition.emit(Effect::Act(id, *action));
                }
                // Nothing waits for its outcome; when the task comes back, the action finds its own results.
                (Worker::Engine(_), AttemptState::Stopping(_)) => {
                    self.settle_stopped(transition, id, StopCause::Cancelled);
                }
                (Worker::Agent { .. }, _) if attempt.is_saving() => transition.emit(Effect::Checkpoint(id)),
                (
                    Worker::Agent { .. },
                    AttemptState::Starting | AttemptState::Running | AttemptState::Stopping(_),
                ) => {
                    self.doubt_answers(transition, &attempt);
                    self.reconcile(transition, &attempt, inventory);
                }
            }
        }
    }

    fn reconcile(&mut self, transition: &mut Transition, attempt: &Attempt, inventory: &Inventory) {
        let id = attempt.id;
        match (status_of(inventory, id), &attempt.state) {
            (InventoryStatus::Ended(exit, tail), _) => {
                let exit = exit_of(exit, inventory);
                self.ended(transition, id, exit, tail, inventory.causes.get(&id));
            }
            (InventoryStatus::Missing, AttemptState::Running | AttemptState::Stopping(_)) => {
                let exit = exit_of(&ProcessExit::Vanished, inventory);
                self.ended(transition, id, exit, "", None);
            }
            // Starting is safe to repeat, and its answer says where the attempt works.
            (_, AttemptState::Starting) => transition.emit(Effect::Start(id)),
            (found, AttemptState::Stopping(cause)) => {
                transition.emit(Effect::Stop(id, *cause));
                if matches!(found, InventoryStatus::Unknown) {
                    self.mark_lost(transition, attempt);
                }
            }
            (InventoryStatus::Running, _) => self.mark_alive(transition, attempt),
            (InventoryStatus::Unknown | InventoryStatus::Missing, _) => self.mark_lost(transition, attempt),
        }
    }

    fn mark_alive(&mut self, transition: &Transition, attempt: &Attempt) {
        if attempt.activity.doing == ActivityKind::Lost {
            self.edit_attempt(attempt.id, |row| {
                row.activity = Activity::new(ActivityKind::Working, "inventory", transition.now);
            });
        }
    }

    fn mark_lost(&mut self, transition: &mut Transition, attempt: &Attempt) {
        if attempt.activity.doing == ActivityKind::Lost {
            return;
        }
        self.edit_attempt(attempt.id, |row| {
            row.activity = Activity::new(ActivityKind::Lost, "inventory", transition.now);
        });
        let name = attempt.worker.name();
        let text = format!(
            "lost contact with {name} on {}; its time limit still applies",
            attempt.task
        );
        transition.notify_attempt(NoticeLevel::Warning, "unknown", attempt, text);
    }

    fn verify_again(&mut self, transition: &mut Transition, attempt: &Attempt) {
        if is_unanswered(attempt) {
            self.repeat_evidence(transition, attempt.id);
        }
    }
}

/// Returns the end of an agent, which is no crash if everything else ended with it. The program may have been killed before its holder.
fn exit_of<'a>(exit: &'a ProcessExit, inventory: &Inventory) -> &'a ProcessExit {
    let is_killed = match exit {
        ProcessExit::Vanished => true,
        ProcessExit::Signal(number) => LOGOUT_SIGNALS.contains(number),
        _ => false,
    };
    if is_killed && inventory.all_was_lost() {
        &ProcessExit::Together
    } else {
        exit
    }
}

/// Returns true if a request was not answered; otherwise the attempt waits for its time.
fn is_unanswered(attempt: &Attempt) -> bool {
    attempt.awaited.is_some() || attempt.deadline.is_none()
}

fn resume_removal(transition: &mut Transition, attempt: &Attempt) {
    if attempt.workspace == WorkspaceState::Leaving && is_unanswered(attempt) {
        transition.emit(Effect::Settle(attempt.id));
    }
}

fn status_of(inventory: &Inventory, id: AttemptId) -> InventoryStatus<'_> {
    if let Some((exit, tail)) = inventory.ended.get(&id) {
        InventoryStatus::Ended(exit, tail)
    } else if inventory.running.contains(&id) {
        InventoryStatus::Running
    } else if inventory.unknown.contains(&id) {
        InventoryStatus::Unknown
    } else {
        InventoryStatus::Missing
    }
}
