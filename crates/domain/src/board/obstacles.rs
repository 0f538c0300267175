//! Obstacles of the engine: a process whose state it cannot find out, or a workspace it cannot remove. It tries [`MOST_TRIES`] times, then
//! leaves the rest to a person. A place for an agent is not kept for longer, and the count begins again when a person retries the task.

use super::Board;
use super::retry::{AttemptFailure, MOST_TRIES};
use super::rows::ENGINE;
use super::transition::Transition;
use crate::attempt::{Attempt, AttemptState, Obstacle, StopCause, Verdict, WorkspaceState};
use crate::cause::Cause;
use crate::effect::{Effect, NoticeLevel};
use crate::failure::FailureClass;
use crate::id::{AttemptId, TaskId};
use crate::task::{HoldReason, TaskState};
use crate::time::Span;

/// First and longest wait after a workspace could not be removed.
const REMOVAL_FIRST_WAIT: Span = Span::seconds(30);
const REMOVAL_MAX_WAIT: Span = Span::minutes(5);

impl Board {
    /// Records that the state of an attempt's process could not be determined. Starts are counted here; a stop is counted when it is
    /// requested again, because most stops that bring nothing are not reported at all.
    pub(super) fn process_unknown(&mut self, transition: &mut Transition, id: AttemptId, why: &Cause) {
        let Some(attempt) = self.attempt(id) else { return };
        match attempt.state {
            AttemptState::Starting => {
                let tries = self.count_obstacle(id, Some(why));
                if tries >= MOST_TRIES {
                    return self.give_up_process(transition, id);
                }
                let wait = self.wait_for_evidence(tries);
                self.edit_attempt(id, |row| row.deadline = Some(transition.now + wait));
            }
            AttemptState::Stopping(_) => {
                let tries = attempt.obstacle.as_ref().map_or(0, |before| before.tries);
                let why = why.clone();
                self.edit_attempt(id, |row| row.obstacle = Some(Obstacle { tries, why }));
            }
            AttemptState::Running | AttemptState::Verifying | AttemptState::Settled(_) => {}
        }
    }

    /// Counts one more try in a row that brought nothing; returns their number.
    pub(super) fn count_obstacle(&mut self, id: AttemptId, why: Option<&Cause>) -> u32 {
        let before = self.attempt(id).and_then(|attempt| attempt.obstacle.clone());
        let tries = before.as_ref().map_or(0, |before| before.tries).saturating_add(1);
        let known = why.cloned().or(before.map(|before| before.why));
        let why = known.unwrap_or_else(|| "nothing was heard of its process".into());
        self.edit_attempt(id, |row| row.obstacle = Some(Obstacle { tries, why }));
        tries
    }

    /// Gives the place of an attempt back though its process may run, and leaves its task to a person. Its workspace is not removed before
    /// it is known that the process has ended.
    pub(super) fn give_up_process(&mut self, transition: &mut Transition, id: AttemptId) {
        let Some(attempt) = self.attempt(id) else { return };
        let Some(Obstacle { tries, why }) = attempt.obstacle.clone() else {
            return;
        };
        let (name, task) = (attempt.worker.name(), &attempt.task);
        let tried = match attempt.state {
            AttemptState::Starting => format!("could not tell whether {name} runs: "),
            _ => format!("could not stop {name}: "),
        };
        let mut cause = why.after(&tried);
        cause.text = format!(
            "{}; make sure that no process of attempt {id} runs, then `dbs retry {task}`",
            cause.text
        );
        let is_waited_for = self.is_waited_for(&attempt);
        // A process is ended before its workspace is put away, even one without a folder of its own; and it may have got a folder without a
        // report of it.
        self.edit_attempt(id, |row| {
            if row.workspace == WorkspaceState::None {
                row.workspace = WorkspaceState::Present;
            }
        });
        self.settle(
            transition,
            id,
            Verdict::Failed(FailureClass::Infra, cause.clone()),
        );
        self.refund_attempt(&attempt);
        transition.emit(Effect::Stop(id, StopCause::Cancelled));
        if is_waited_for {
            let failure = AttemptFailure::retry_same(FailureClass::Infra, cause.clone(), attempt.mode);
            self.hold_for_trouble(
                transition,
                &attempt,
                &failure,
                HoldReason::Trouble { tries, cause },
            );
        } else {
            let text = format!("gave up attempt {id} after {tries} tries: {cause}");
            self.comment(transition.now, task, ENGINE, text.clone());
            transition.notify_attempt(NoticeLevel::Alert, "block", &attempt, text);
            self.retire_if_unused(transition, task);
        }
    }

    /// Returns true if the next attempt at the attempt's task would begin by itself.
    fn is_waited_for(&self, attempt: &Attempt) -> bool {
        self.tasks.get(&attempt.task).is_some_and(|task| {
            matches!(
                task.state,
                TaskState::Active | TaskState::Verifying | TaskState::Released
            )
        })
    }

    /// Schedules another try after a workspace could not be removed: less and less often, then it is left to a person.
    pub(super) fn retry_removal_later(
        &mut self,
        transition: &mut Transition,
        attempt: &Attempt,
        problem: &str,
    ) {
        let (id, task) = (attempt.id, &attempt.task);
        let tries = self.count_obstacle(id, Some(&problem.into()));
        let doublings = tries.saturating_sub(1).min(20);
        let wait = REMOVAL_FIRST_WAIT.scaled(1 << doublings, REMOVAL_MAX_WAIT);
        let deadline = (tries < MOST_TRIES).then_some(transition.now + wait);
        self.edit_attempt(id, |row| {
            row.awaited = None;
            row.deadline = deadline;
        });
        let text = format!("could not remove the workspace of attempt {id}: {problem}");
        if tries == MOST_TRIES {
            let text = format!("{text}; tried {tries} times, now `dbs retry {task}` tries again");
            self.comment(transition.now, task, ENGINE, text.clone());
            transition.notify_attempt(NoticeLevel::Alert, "workspace", attempt, text);
        } else if tries % 5 == 1 {
            transition.notify_attempt(NoticeLevel::Warning, "workspace", attempt, text);
        }
    }

    /// Tries again, for a person, to remove the workspaces of a task that the engine no longer tries to remove; returns their number.
    pub(super) fn retry_removals(&mut self, transition: &mut Transition, task: &TaskId) -> usize {
        let of_task = self.attempts.values().filter(|attempt| attempt.task == *task);
        let left = of_task.filter(|attempt| attempt.unremovable().is_some());
        let left: Vec<AttemptId> = left.map(|attempt| attempt.id).collect();
        for id in &left {
            self.edit_attempt(*id, |row| {
                row.obstacle = None;
                row.expect_answer(transition.now);
            });
            transition.emit(Effect::Settle(*id));
        }
        left.len()
    }
}
