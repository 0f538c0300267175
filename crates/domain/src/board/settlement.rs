//! End of an attempt: its verdict is written once, its workspace is put away, its task is free again. Also stops of processes, and the
//! deletions when a task is over.

use super::Board;
use super::retry::MOST_TRIES;
use super::rows::ENGINE;
use super::transition::Transition;
use crate::attempt::{
    Activity, ActivityKind, Attempt, AttemptState, StopCause, Verdict, Worker, WorkspaceState,
};
use crate::effect::Effect;
use crate::event::Event;
use crate::id::{AttemptId, TaskId};
use crate::kept_work::KeptWork;
use crate::task::TaskState;
use crate::time::Span;

/// Time after which a process that was asked to stop is asked again.
const STOP_RETRY: Span = Span::seconds(60);
/// Number of settled attempts of a task that stay in memory; the store keeps all.
const KEPT_ATTEMPTS: usize = 3;

impl Board {
    /// Ends an attempt for good. The caller decides what happens to its task.
    pub(super) fn settle(&mut self, transition: &mut Transition, id: AttemptId, verdict: Verdict) {
        let Some(attempt) = self.attempt(id) else { return };
        if !attempt.state.is_open() {
            return;
        }
        let now = transition.now;
        let has_worked = has_worked(&verdict);
        self.remember_work(now, &attempt, &verdict);
        let task = self.tasks.get(&attempt.task);
        let is_continued = task.is_some_and(|task| task.continues == Some(id));
        self.close_asks(now, id, |_| true);
        self.edit_attempt(id, |attempt| {
            attempt.state = AttemptState::Settled(verdict);
            attempt.ended_at = Some(now);
            attempt.obstacle = None;
            attempt.expect_no_answer();
            attempt.failed_turns.go_on_at = None;
            if attempt.activity.doing != ActivityKind::Exited {
                attempt.activity = Activity::new(ActivityKind::Exited, "exit", now);
            }
            if attempt.workspace == WorkspaceState::Present && is_continued {
                attempt.workspace = WorkspaceState::Kept;
            } else if attempt.workspace == WorkspaceState::Present {
                attempt.workspace = WorkspaceState::Leaving;
                attempt.expect_answer(now);
                transition.effects.push(Effect::Settle(id));
            }
        });
        if self.tasks.get(&attempt.task).and_then(|task| task.open_attempt) == Some(id) {
            self.edit(&attempt.task, |task| {
                task.open_attempt = None;
                task.before = None;
                if has_worked {
                    task.troubles = 0;
                    task.interruptions = 0;
                }
            });
        }
        self.prune_attempts(&attempt.task);
    }

    /// Gives back an attempt that came to nothing for no fault of the task.
    pub(super) fn refund_attempt(&mut self, attempt: &Attempt) {
        self.edit(&attempt.task, |task| {
            task.spawns = task.spawns.saturating_sub(1);
            task.give_back_try(&attempt.stage, &attempt.worker, attempt.mode);
        });
    }

    /// Settles an attempt that we stopped; its task goes back to its stage unless a person has moved it.
    pub(super) fn settle_stopped(&mut self, transition: &mut Transition, id: AttemptId, cause: StopCause) {
        let Some(attempt) = self.attempt(id) else { return };
        self.settle(transition, id, Verdict::Stopped(cause));
        self.refund_attempt(&attempt);
        let working = |state: &TaskState| matches!(state, TaskState::Active | TaskState::Verifying);
        if self
            .tasks
            .get(&attempt.task)
            .is_some_and(|task| working(&task.state))
        {
            self.set_state(transition.now, &attempt.task, TaskState::Released);
        }
        self.retire_if_unused(transition, &attempt.task);
    }

    /// Asks an attempt to stop. An attempt without a process is settled at once; an engine action runs to its end, and its result is then
    /// void.
    pub(super) fn stop(&mut self, transition: &mut Transition, id: AttemptId, cause: StopCause) {
        let Some(attempt) = self.attempt(id) else { return };
        let is_agent = matches!(attempt.worker, Worker::Agent { .. });
        match (&attempt.state, cause) {
            (AttemptState::Verifying, cause) => self.settle_stopped(transition, id, cause),
            (AttemptState::Stopping(_), StopCause::Cancelled) if attempt.is_saving() => {
                self.settle_stopped(transition, id, cause);
            }
            (AttemptState::Stopping(before), StopCause::Cancelled) if *before != StopCause::Cancelled => {
                self.edit_attempt(id, |attempt| attempt.state = AttemptState::Stopping(cause));
            }
            (AttemptState::Stopping(_) | AttemptState::Settled(_), _) => {}
            (AttemptState::Starting | AttemptState::Running, cause) => {
                let deadline = is_agent.then(|| transition.now + STOP_RETRY);
                self.edit_attempt(id, |attempt| {
                    attempt.state = AttemptState::Stopping(cause);
                    attempt.awaited = None;
                    attempt.obstacle = None;
                    attempt.deadline = deadline;
                });
                if is_agent {
                    transition.emit(Effect::Stop(id, cause));
                }
            }
        }
    }

    /// Repeats a stop; the process may have been out of reach. After [`MOST_TRIES`] times its place is given back.
    pub(super) fn stop_again(&mut self, transition: &mut Transition, id: AttemptId, cause: StopCause) {
        if self.count_obstacle(id, None) >= MOST_TRIES {
            return self.give_up_process(transition, id);
        }
        self.edit_attempt(id, |attempt| attempt.deadline = Some(transition.now + STOP_RETRY));
        transition.emit(Effect::Stop(id, cause));
    }

    /// Makes the open attempt at a task void, because a person moved the task (K21).
    pub(super) fn cancel_open_attempt(&mut self, transition: &mut Transition, id: &TaskId) {
        if let Some(attempt) = self.tasks.get(id).and_then(|task| task.open_attempt) {
            self.stop(transition, attempt, StopCause::Cancelled);
        }
    }

    /// Handles a workspace that was put away, or whose removal will be tried again later; any other event is ignored.
    pub(super) fn workspace_settled(&mut self, transition: &mut Transition, event: &Event) {
        let Event::WorkspaceSettled {
            attempt: id,
            problem,
            kept,
            files,
        } = event
        else {
            return;
        };
        let Some(attempt) = self.attempt(*id) else { return };
        if attempt.workspace != WorkspaceState::Leaving {
            return;
        }
        if let Some(problem) = problem {
            return self.retry_removal_later(transition, &attempt, problem);
        }
        let kept = kept.clone().map(|attic_ref| KeptWork {
            attic_ref,
            files: files.clone(),
        });
        if let Some(kept) = &kept {
            let (name, attic_ref) = (attempt.worker.name(), &kept.attic_ref);
            let text = format!(
                "of {name}: {}; it is {attic_ref} in control.git",
                kept.line(&attempt.task)
            );
            self.comment(transition.now, &attempt.task, ENGINE, text);
        }
        self.edit_attempt(*id, |attempt| {
            attempt.workspace = WorkspaceState::Gone;
            attempt.obstacle = None;
            attempt.expect_no_answer();
            attempt.kept = kept;
        });
        self.retire_if_unused(transition, &attempt.task);
    }

    fn prune_attempts(&mut self, task: &TaskId) {
        let settled = |workspace| matches!(workspace, WorkspaceState::None | WorkspaceState::Gone);
        let continued = self.tasks.get(task).and_then(|task| task.continues);
        let old: Vec<AttemptId> = self
            .attempts
            .values()
            .rev()
            .filter(|attempt| attempt.task == *task && !attempt.state.is_open())
            .skip(KEPT_ATTEMPTS)
            .filter(|attempt| settled(attempt.workspace) && Some(attempt.id) != continued)
            .map(|attempt| attempt.id)
            .collect();
        for id in old {
            self.attempts.remove(&id);
            self.index.attempt_gone(id);
            self.changed.attempts.insert(id);
        }
    }
}

/// Returns true if nothing outside kept an attempt with that verdict from working.
fn has_worked(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Failed(class, _) => class.uses_budget(),
        Verdict::Passed | Verdict::Rejected(_) | Verdict::Blocked(_) => true,
        Verdict::Stopped(_) => false,
    }
}
