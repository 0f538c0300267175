//! Scheduler: starts tasks, and stores for every other one the reason it was not started.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Board;
use super::admission::{Admission, Slots};
use super::agent_names::name_for;
use super::index::Pauses;
use super::transition::Transition;
use crate::agent_choice::AgentChoice;
use crate::attempt::{Activity, ActivityKind, Attempt, AttemptState, Worker, WorkspaceState};
use crate::effect::{Effect, NoticeLevel};
use crate::failed_turns::FailedTurns;
use crate::id::{AttemptId, TaskId};
use crate::session::AgentSession;
use crate::task::{HoldReason, Task, TaskState};
use crate::usage::AttemptUsage;
use crate::wait_reason::WaitReason;
use crate::workflow::{Actor, Stage};

impl Board {
    /// Starts the tasks that may start, in order, and stores for every other released task the reason it was not started. It looks at tasks
    /// that changed, their dependents, and tasks whose time has come. Tasks that only lacked room are looked at if the taken room differs
    /// from the last time.
    pub(super) fn schedule(&mut self, transition: &mut Transition) {
        self.update_links();
        let mut due = self.due_tasks(transition);
        let mut places = self.used_slots();
        let pauses = Pauses {
            is_paused: self.pause.is_some(),
            limits: self.limits.keys().cloned().collect(),
        };
        let as_before =
            |(tried, before): &(Slots, Pauses)| tried.has_same_usage(&places) && *before == pauses;
        let changed =
            !self.index.turn_limited.is_empty() || !self.index.last_usage.as_ref().is_some_and(as_before);
        if changed {
            due.extend(self.index.ready.iter().cloned());
        }
        let before = places.clone();
        self.start_tasks(transition, &due, &mut places);
        if !places.has_same_usage(&before) {
            // Tasks that were looked at before another start, too: they lack another thing by now, and the next look, which comes only when
            // room changes, must not be the first to report it.
            self.update_links();
            let ready = self.index.ready.clone();
            self.start_tasks(transition, &ready, &mut places);
        }
        self.index.last_usage = Some((places, pauses));
    }

    fn due_tasks(&mut self, transition: &Transition) -> BTreeSet<TaskId> {
        let pending = std::mem::take(&mut self.index.schedule);
        let mut due = self.with_dependents(pending);
        let has_come = |id: &&TaskId| {
            let why_not = self.tasks.get(*id).and_then(|task| task.why_not.as_ref());
            matches!(why_not, Some(WaitReason::Until(until)) if *until <= transition.now)
        };
        due.extend(self.index.delayed.iter().filter(has_come).cloned());
        due
    }

    fn start_tasks<'a>(
        &mut self,
        transition: &mut Transition,
        ids: impl IntoIterator<Item = &'a TaskId>,
        places: &mut Slots,
    ) {
        for id in self.queue(ids) {
            let Some(task) = self.task(&id) else { continue };
            let admission = self.admit(transition.now, &task, places);
            announce_unblocked(transition, &task, &admission);
            match admission {
                Ok(Admission::Agent(role)) => {
                    let attempt = AttemptId(self.last_attempt.saturating_add(1));
                    let before = self.name_to_go_on(&task, &role, &places.names);
                    let name = before.unwrap_or_else(|| name_for(&role, attempt, &places.names));
                    self.start_attempt(transition, &task, Worker::Agent { role, name }, places);
                }
                Ok(Admission::Engine(action)) => {
                    self.start_attempt(transition, &task, Worker::Engine(action), places);
                }
                Ok(Admission::Person) => self.hold_for_approval(transition, &id),
                Err(why_not) => self.set_wait_reason(transition, &task, why_not),
            }
        }
    }

    fn start_attempt(
        &mut self,
        transition: &mut Transition,
        task: &Arc<Task>,
        worker: Worker,
        places: &mut Slots,
    ) {
        let Some(stage) = self.stage_of(task).cloned() else {
            return;
        };
        self.last_attempt = self.last_attempt.saturating_add(1);
        let id = AttemptId(self.last_attempt);
        let n = task.tries.get(&stage.id).copied().unwrap_or(0).saturating_add(1);
        places.reserve(id, &worker, &task.batch, self.singleton_key(task, &stage));
        places.reserve_files(task, &stage);
        let mut attempt = new_attempt(transition, task, &stage, id, n, worker);
        if let Some(role) = attempt.worker.role() {
            let layers = &self.settings.agents;
            attempt.choice = layers.choose(role, &stage.id, &task.agent);
        }
        attempt.session = self.session_for(task, &attempt);
        match &attempt.session {
            AgentSession::Continued(before) => {
                let name = attempt.worker.name();
                let text = format!(
                    "{name} on {} continues the session of attempt {}",
                    task.id, before.after
                );
                transition.notify_attempt(NoticeLevel::Info, "continued", &attempt, text);
            }
            AgentSession::Fresh => self.give_up_session(transition, &task.id),
            // The notice was given when the restart was decided.
            AgentSession::Restarted(_) => {}
        }
        self.edit(&task.id, |task| {
            task.open_attempt = Some(id);
            task.spawns = task.spawns.saturating_add(1);
            task.tries.insert(stage.id.clone(), n);
            task.count_try(&stage, &attempt.worker, attempt.mode);
            task.not_before = None;
        });
        self.set_state(transition.now, &task.id, TaskState::Active);
        transition.emit(match attempt.worker {
            Worker::Agent { .. } => Effect::Start(id),
            Worker::Engine(action) => Effect::Act(id, action),
        });
        self.insert_attempt(attempt);
    }

    /// Holds a task whose stage waits for a person: as its actor, or for an approval before its actor begins.
    fn hold_for_approval(&mut self, transition: &mut Transition, id: &TaskId) {
        let Some(task) = self.task(id) else { return };
        self.set_state(transition.now, id, TaskState::Held(HoldReason::Approval));
        let text = format!("{id} waits for approval in {}: {}", task.stage, task.title);
        transition.notify_task(NoticeLevel::Alert, "approval", id, text);
    }

    /// Stores the reason a task waits; the task is touched only if the reason differs.
    fn set_wait_reason(&mut self, transition: &mut Transition, task: &Task, why_not: WaitReason) {
        if task.why_not.as_ref() == Some(&why_not) {
            return;
        }
        if matches!(
            why_not,
            WaitReason::NoBase
                | WaitReason::NoGate
                | WaitReason::Setting(_)
                | WaitReason::UnknownDependency(_)
                | WaitReason::NoStage(..)
        ) {
            let text = format!("{} cannot start: {why_not}", task.id);
            transition.notify_task(NoticeLevel::Warning, "hold", &task.id, text);
        }
        self.edit(&task.id, |task| task.why_not = Some(why_not));
    }

    /// Ends the efforts for tasks that used up their attempts (K43) or their budget.
    pub(super) fn end_exhausted(&mut self, transition: &mut Transition) {
        let pending = std::mem::take(&mut self.index.exhaustion);
        let ids = self.ids_of(pending);
        let spent: Vec<(TaskId, HoldReason)> = ids
            .iter()
            .filter_map(|id| self.tasks.get(id))
            .filter(|task| task.state == TaskState::Released && task.open_attempt.is_none())
            .filter_map(|task| Some((task.id.clone(), self.exhaustion(task)?)))
            .collect();
        for (id, hold) in spent {
            transition.notify_task(NoticeLevel::Alert, "block", &id, format!("{id} held: {hold}"));
            self.give_up(transition, &id, hold);
        }
    }

    /// Returns the reason a task gets no more attempts, if that is so.
    fn exhaustion(&self, task: &Task) -> Option<HoldReason> {
        let over_budget = match self.stage_of(task)?.actor {
            Actor::Human => return None,
            Actor::Role(_) => self.over_budget(task),
            Actor::Engine(_) => None,
        };
        let most = self.workflow_of(task)?.limits.spawns;
        let too_many = (task.spawns >= most).then_some(HoldReason::TooManyAttempts(task.spawns));
        too_many.or(over_budget)
    }
}

/// Notifies people of a task that no longer waits for others (K36).
fn announce_unblocked(transition: &mut Transition, task: &Task, admission: &Result<Admission, WaitReason>) {
    let waited = matches!(task.why_not, Some(WaitReason::Dependencies(_)));
    let waits = matches!(
        admission,
        Err(WaitReason::Dependencies(_)
            | WaitReason::UnknownDependency(_)
            | WaitReason::Aborted
            | WaitReason::NoGoAhead)
    );
    if waited && !waits {
        let text = format!("{} unblocked: its dependencies are done", task.id);
        transition.notify_task(NoticeLevel::Info, "unblock", &task.id, text);
    }
}

fn new_attempt(
    transition: &Transition,
    task: &Task,
    stage: &Stage,
    id: AttemptId,
    n: u32,
    worker: Worker,
) -> Attempt {
    let is_agent = matches!(worker, Worker::Agent { .. });
    // An engine action needs nothing to be made first.
    let (life, doing) = if is_agent {
        (AttemptState::Starting, ActivityKind::Starting)
    } else {
        (AttemptState::Running, ActivityKind::Working)
    };
    let mut attempt = Attempt {
        id,
        task: task.id.clone(),
        stage: stage.id.clone(),
        n,
        mode: task.next_mode,
        session: AgentSession::Fresh,
        choice: AgentChoice::default(),
        worker,
        state: life,
        signals: Vec::new(),
        refused: Vec::new(),
        workplace: None,
        gates_before: Vec::new(),
        activity: Activity::new(doing, "started", transition.now),
        asks: Vec::new(),
        asks_made: 0,
        leaves: None,
        failed_turns: FailedTurns::default(),
        background: None,
        usage: AttemptUsage::default(),
        evidence: Vec::new(),
        checks: 0,
        created_at: transition.now,
        comments_before: task.comments.len(),
        started_at: (!is_agent).then_some(transition.now),
        deadline: None,
        model: None,
        person_awaited: None,
        awaited: None,
        ended_at: None,
        workspace: WorkspaceState::None,
        obstacle: None,
        kept: None,
    };
    attempt.expect_answer(transition.now);
    attempt
}
