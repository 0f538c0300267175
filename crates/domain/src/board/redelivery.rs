//! Effects whose completion is not reported. Each is emitted again, less and less often, until it is; the engine skips those it is still
//! performing, and every effect may be repeated.

use super::Board;
use super::transition::Transition;
use crate::attempt::{Attempt, AttemptState, StopCause, Worker, WorkspaceState};
use crate::effect::{Effect, NoticeLevel};
use crate::id::TaskId;
use crate::task::{BranchCleanup, Task, TaskState};
use crate::time::{Span, Timestamp};

/// Time an answer may take before the request is repeated.
const FIRST_WAIT: Span = Span::seconds(60);
/// Maximum time between two requests.
const MAX_WAIT: Span = Span::minutes(10);
/// Time an answer may take before people are notified.
const WARN_AFTER: Span = Span::minutes(10);
/// First and longest wait after a branch could not be deleted.
const BRANCH_FIRST_WAIT: Span = Span::seconds(30);
const BRANCH_MAX_WAIT: Span = Span::minutes(60);
/// Number of tries to delete a branch before it waits for the next start.
const BRANCH_MAX_TRIES: u32 = 10;

impl Attempt {
    /// Records that the engine was asked for something, and gives the answer its time.
    pub(super) fn expect_answer(&mut self, now: Timestamp) {
        self.awaited = Some(now);
        self.deadline = Some(now + FIRST_WAIT);
    }

    /// Records that nothing is asked of the engine any more.
    pub(super) fn expect_no_answer(&mut self) {
        self.awaited = None;
        self.deadline = None;
    }
}

impl Board {
    /// Repeats a request whose answer did not come in time.
    pub(super) fn redeliver(&mut self, transition: &mut Transition, attempt: &Attempt, since: Timestamp) {
        let id = attempt.id;
        let waited = transition.now.since(since);
        let wait = Span(waited.0.clamp(FIRST_WAIT.0, MAX_WAIT.0));
        self.edit_attempt(id, |row| row.deadline = Some(transition.now + wait));
        if waited >= WARN_AFTER {
            let (task, work) = (&attempt.task, awaited_work(attempt));
            let text = format!("{task} has waited {waited} for {work} of attempt {id}; asking again");
            transition.notify_attempt(NoticeLevel::Warning, "unanswered", attempt, text);
        }
        match (&attempt.worker, &attempt.state) {
            (_, AttemptState::Verifying) => self.repeat_evidence(transition, id),
            (Worker::Agent { .. }, AttemptState::Starting) => transition.emit(Effect::Start(id)),
            (Worker::Engine(action), AttemptState::Starting | AttemptState::Running) => {
                transition.emit(Effect::Act(id, *action));
            }
            (_, AttemptState::Settled(_)) if attempt.workspace == WorkspaceState::Leaving => {
                transition.emit(Effect::Settle(id));
            }
            (Worker::Agent { .. }, AttemptState::Stopping(StopCause::Context)) => {
                transition.emit(Effect::Checkpoint(id));
            }
            (Worker::Agent { .. }, AttemptState::Running)
            | (_, AttemptState::Stopping(_) | AttemptState::Settled(_)) => {
                self.edit_attempt(id, Attempt::expect_no_answer);
            }
        }
    }

    /// Requests the removal of a finished task's branch once nothing works on it any more (K25, LK-20).
    pub(super) fn retire_if_unused(&mut self, transition: &mut Transition, id: &TaskId) {
        let wish = Effect::Retire(id.clone());
        if !self.is_retirable(id) || transition.effects.contains(&wish) {
            return;
        }
        transition.emit(wish);
        let tries = self.tasks.get(id).and_then(|task| task.letting_go.as_ref());
        let tries = tries.map_or(0, |before| before.tries);
        let at = transition.now + MAX_WAIT;
        self.edit(id, |task| task.letting_go = Some(BranchCleanup { tries, at }));
    }

    /// Returns true if a task is done or cancelled, and none of its work is checked out.
    pub fn is_retirable(&self, id: &TaskId) -> bool {
        let over = |task: &Task| {
            let is_over = matches!(task.state, TaskState::Done | TaskState::Cancelled);
            is_over && task.handed_over_on().is_none()
        };
        let used = |workspace| {
            matches!(
                workspace,
                WorkspaceState::Present | WorkspaceState::Kept | WorkspaceState::Leaving
            )
        };
        let busy = || {
            self.attempts
                .values()
                .any(|attempt| attempt.task == *id && (attempt.state.is_open() || used(attempt.workspace)))
        };
        self.tasks.get(id).is_some_and(|task| over(task)) && !busy()
    }

    /// Tries once more to delete the branches whose retry is due.
    pub(super) fn retry_retirements(&mut self, transition: &mut Transition) {
        self.update_links();
        let by_time = self.index.branch_cleanups.iter();
        let ids: Vec<TaskId> = by_time
            .take_while(|(at, _)| *at <= transition.now)
            .map(|(_, id)| id.clone())
            .collect();
        for id in ids {
            if self.is_retirable(&id) {
                self.retire_if_unused(transition, &id);
            } else {
                self.edit(&id, |task| task.letting_go = None);
            }
        }
    }

    /// Records that an effect on a whole task was carried out, or could not be; the rules do not depend on it.
    pub(super) fn performed(&mut self, transition: &mut Transition, key: &str, problem: Option<&str>) {
        let task = key.strip_prefix("retire/").map(TaskId::from);
        let before = task.as_ref().and_then(|id| self.tasks.get(id));
        let tries = before
            .and_then(|task| task.letting_go.as_ref())
            .map_or(1, |go| go.tries.saturating_add(1));
        let (Some(id), Some(problem)) = (&task, problem) else {
            if let Some(id) = &task
                && before.is_some_and(|task| task.letting_go.is_some())
            {
                self.edit(id, |task| task.letting_go = None);
            }
            return;
        };
        if tries >= BRANCH_MAX_TRIES || before.is_none() {
            self.edit(id, |task| task.letting_go = None);
            let text = format!("could not delete the branch of {id}: {problem}; retry at the next start");
            transition.notify_task(NoticeLevel::Warning, "not_performed", id, text);
            return;
        }
        let wait = BRANCH_FIRST_WAIT.scaled(1 << tries.saturating_sub(1).min(20), BRANCH_MAX_WAIT);
        let at = transition.now + wait;
        self.edit(id, |task| task.letting_go = Some(BranchCleanup { tries, at }));
        if tries == 1 {
            let text = format!("could not delete the branch of {id}: {problem}; retry in {wait}");
            transition.notify_task(NoticeLevel::Warning, "not_performed", id, text);
        }
    }
}

fn awaited_work(attempt: &Attempt) -> &'static str {
    match (&attempt.worker, &attempt.state) {
        (_, AttemptState::Verifying) => "the evidence",
        (Worker::Engine(_), _) => "the engine's action",
        (Worker::Agent { .. }, AttemptState::Settled(_)) => "the removal of the workspace",
        (Worker::Agent { .. }, AttemptState::Stopping(_)) => "the saving of the work",
        (Worker::Agent { .. }, _) => "the start of the agent",
    }
}
