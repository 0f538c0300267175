//! The scheduler: what starts now, and for everything else the stored reason why not (seeds 3.9, design 5.7).

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Board;
use super::admitting::{Admission, Places};
use super::naming::name_for;
use super::signalling::activity;
use super::step::Step;
use crate::domain::attempt::{Attempt, AttemptState, Doing, Worker, WorkspaceState};
use crate::domain::effect::{Effect, Level};
use crate::domain::id::{AttemptId, TaskId};
use crate::domain::task::{Hold, Task, TaskState, WhyNot};
use crate::domain::workflow::{Actor, Stage};

impl Board {
    /// Starts what may start, in order, and stores for every other released task why it was not started. Looked at is what
    /// changed, what waits for it, and what a time kept waiting that has come. What only lacked room is looked at when other
    /// room is taken than the last time.
    pub(super) fn schedule(&mut self, step: &mut Step) {
        self.link();
        let mut due = self.due(step);
        let mut places = self.places();
        let paused = self.pause.is_some();
        let as_before =
            |(tried, was_paused): &(Places, bool)| tried.is_as_full_as(&places) && *was_paused == paused;
        let changed =
            !self.index.turn_limited.is_empty() || !self.index.tried.as_ref().is_some_and(as_before);
        if changed {
            due.extend(self.index.contenders.iter().cloned());
        }
        let before = places.clone();
        self.go_through(step, &due, &mut places);
        if !changed && !places.is_as_full_as(&before) {
            let others: Vec<TaskId> = self.index.contenders.difference(&due).cloned().collect();
            self.go_through(step, &others, &mut places);
        }
        self.index.tried = Some((places, paused));
    }

    fn due(&mut self, step: &Step) -> BTreeSet<TaskId> {
        let pending = std::mem::take(&mut self.index.scheduling);
        let mut due = self.near(pending);
        let has_come = |id: &&TaskId| {
            let why_not = self.tasks.get(*id).and_then(|task| task.why_not.as_ref());
            matches!(why_not, Some(WhyNot::Until(until)) if *until <= step.now)
        };
        due.extend(self.index.cooling.iter().filter(has_come).cloned());
        due
    }

    fn go_through<'a>(
        &mut self,
        step: &mut Step,
        ids: impl IntoIterator<Item = &'a TaskId>,
        places: &mut Places,
    ) {
        for id in self.queue(ids) {
            let Some(task) = self.task(&id) else { continue };
            let admission = self.admit(step.now, &task, places);
            tell_unblocked(step, &task, &admission);
            match admission {
                Ok(Admission::Agent(role)) => {
                    let attempt = AttemptId(self.last_attempt.saturating_add(1));
                    let name = name_for(&role, attempt, &places.names);
                    self.begin(step, &task, Worker::Agent { role, name }, places);
                }
                Ok(Admission::Engine(action)) => {
                    self.begin(step, &task, Worker::Engine(action), places);
                }
                Ok(Admission::Person) => self.ask_person(step, &id),
                Err(why_not) => self.keep_waiting(step, &task, why_not),
            }
        }
    }

    fn begin(&mut self, step: &mut Step, task: &Arc<Task>, worker: Worker, places: &mut Places) {
        let Some(stage) = self.stage_of(task).cloned() else {
            return;
        };
        self.last_attempt = self.last_attempt.saturating_add(1);
        let id = AttemptId(self.last_attempt);
        let n = task.tries.get(&stage.id).copied().unwrap_or(0).saturating_add(1);
        places.take(id, &worker, self.single(task, &stage));
        let attempt = new_attempt(step, task, &stage, (id, n), worker);
        self.edit(&task.id, |task| {
            task.open_attempt = Some(id);
            task.spawns = task.spawns.saturating_add(1);
            task.tries.insert(stage.id.clone(), n);
            task.not_before = None;
        });
        self.put(step.now, &task.id, TaskState::Active);
        let name = attempt.worker.name();
        let text = format!("{name} starts on {} ({}, attempt {n})", task.id, stage.label);
        step.report(Level::Info, "spawn", &attempt, text);
        step.wish(match attempt.worker {
            Worker::Agent { .. } => Effect::Start(id),
            Worker::Engine(action) => Effect::Act(id, action),
        });
        self.insert_attempt(attempt);
    }

    /// The stage waits for a person: as its actor, or for a yes before its actor begins.
    fn ask_person(&mut self, step: &mut Step, id: &TaskId) {
        let Some(task) = self.task(id) else { return };
        self.put(step.now, id, TaskState::Held(Hold::Approval));
        let text = format!("{id} waits for approval in {}: {}", task.stage, task.title);
        step.say(Level::Alert, "approval", id, text);
    }

    /// Touches the task only when the reason is another one.
    fn keep_waiting(&mut self, step: &mut Step, task: &Task, why_not: WhyNot) {
        if task.why_not.as_ref() == Some(&why_not) {
            return;
        }
        if matches!(
            why_not,
            WhyNot::NoBase | WhyNot::UnknownDependency(_) | WhyNot::NoStage(..)
        ) {
            let text = format!("{} cannot start: {why_not}", task.id);
            step.say(Level::Warning, "hold", &task.id, text);
        }
        self.edit(&task.id, |task| task.why_not = Some(why_not));
    }

    /// Ends the efforts for tasks that used up their attempts (K43).
    pub(super) fn spend(&mut self, step: &mut Step) {
        let pending = std::mem::take(&mut self.index.spending);
        let ids = self.ids_of(pending);
        let spent: Vec<(TaskId, u32)> = ids
            .iter()
            .filter_map(|id| self.tasks.get(id))
            .filter(|task| task.state == TaskState::Released && task.open_attempt.is_none())
            .filter(|task| self.is_spent(task))
            .map(|task| (task.id.clone(), task.spawns))
            .collect();
        for (id, spawns) in spent {
            let text = format!("{id} used up {spawns} attempts and waits for a person");
            step.say(Level::Alert, "block", &id, text);
            self.exhaust(step, &id, Hold::TooManyAttempts(spawns));
        }
    }

    fn is_spent(&self, task: &Task) -> bool {
        let needs_attempt = self
            .stage_of(task)
            .is_some_and(|stage| stage.actor != Actor::Human);
        needs_attempt
            && self
                .workflow_of(task)
                .is_some_and(|flow| task.spawns >= flow.limits.spawns)
    }
}

/// A task that waited for others and no longer does is told (K36).
fn tell_unblocked(step: &mut Step, task: &Task, admission: &Result<Admission, WhyNot>) {
    let waited = matches!(task.why_not, Some(WhyNot::Dependencies(_)));
    let waits = matches!(
        admission,
        Err(WhyNot::Dependencies(_) | WhyNot::UnknownDependency(_) | WhyNot::Aborted | WhyNot::NoGoAhead)
    );
    if waited && !waits {
        let text = format!("everything {} waited for is done", task.id);
        step.say(Level::Info, "unblock", &task.id, text);
    }
}

fn new_attempt(
    step: &Step,
    task: &Task,
    stage: &Stage,
    (id, n): (AttemptId, u32),
    worker: Worker,
) -> Attempt {
    let is_agent = matches!(worker, Worker::Agent { .. });
    // An engine action has nothing to be made first.
    let (life, doing) = if is_agent {
        (AttemptState::Starting, Doing::Starting)
    } else {
        (AttemptState::Running, Doing::Working)
    };
    let mut attempt = Attempt {
        id,
        task: task.id.clone(),
        stage: stage.id.clone(),
        n,
        mode: task.next_mode,
        worker,
        state: life,
        signals: Vec::new(),
        refused: Vec::new(),
        workplace: None,
        activity: activity(doing, "started", step.now),
        evidence: Vec::new(),
        checks: 0,
        created_at: step.now,
        started_at: (!is_agent).then_some(step.now),
        deadline: None,
        awaited: None,
        ended_at: None,
        workspace: WorkspaceState::None,
    };
    attempt.await_answer(step.now);
    attempt
}
