//! Admission of released tasks: whether a task may start now, and if not, the reason (K41–K48). People see the first reason that applies.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Board;
use crate::attempt::{AttemptMode, Worker};
use crate::batch::RunState;
use crate::id::{AttemptId, BatchId, RoleId, StageId, TaskId};
use crate::plan_entry::PlanEntry;
use crate::settings::FaultReach;
use crate::task::Task;
use crate::time::Timestamp;
use crate::wait_reason::WaitReason;
use crate::workflow::{
    Actor, ApprovalRule, EngineAction, EvidenceKind, FileAccess, Stage, StartGuard, Workspace,
};

/// Worker that may start on a released task now: an agent, the engine or a person.
pub(super) enum Admission {
    Agent(RoleId),
    Engine(EngineAction),
    Person,
}

/// Agent and singleton slots that open attempts occupy.
#[derive(Debug, Clone, Default)]
pub(super) struct Slots {
    agents: u32,
    by_role: BTreeMap<RoleId, u32>,
    by_batch: BTreeMap<BatchId, u32>,
    started: u32,
    singletons: BTreeMap<SingletonKey, AttemptId>,
    /// Bases that take no merges, each with the task that is held for it.
    closed: BTreeMap<String, TaskId>,
    /// Tasks with a list of files, on whose branches agents write.
    writing: BTreeMap<TaskId, Arc<PlanEntry>>,
    /// Tasks with a list of files whose work was left on its branch, and that the base lacks.
    left: BTreeMap<TaskId, Arc<PlanEntry>>,
    pub(super) names: BTreeSet<String>,
}

/// Key under which a singleton stage admits one attempt at a time: its id and the base branch.
pub(super) type SingletonKey = (StageId, Option<String>);

impl Slots {
    /// Takes the place of an attempt that starts now on a task of that batch.
    pub(super) fn reserve(
        &mut self,
        id: AttemptId,
        worker: &Worker,
        batch: &BatchId,
        single: Option<SingletonKey>,
    ) {
        self.occupy(id, worker, batch, single);
        if matches!(worker, Worker::Agent { .. }) {
            self.started += 1;
        }
    }

    /// Returns true if the same room is taken as in `other`: a task that found none there finds none here.
    pub(super) fn has_same_usage(&self, other: &Slots) -> bool {
        self.agents == other.agents
            && self.by_role == other.by_role
            && self.by_batch == other.by_batch
            && self.singletons == other.singletons
            && self.closed == other.closed
            && self.writing == other.writing
            && self.left == other.left
    }

    /// Reserves the files that an agent of that task makes and changes.
    pub(super) fn reserve_files(&mut self, task: &Task, stage: &Stage) {
        if let Some(plan) = writes_listed(task, stage) {
            self.writing.insert(task.id.clone(), Arc::clone(plan));
        }
    }

    /// Returns another task at work on a file that this one lists, or whose work on it the base lacks, and that file (G: overlapping tasks
    /// are serialised).
    fn busy_file(&self, task: &Task, stage: &Stage) -> Option<WaitReason> {
        let own = writes_listed(task, stage)?;
        let shared = |others: &BTreeMap<TaskId, Arc<PlanEntry>>| {
            let mut others = others.iter().filter(|(id, _)| **id != task.id);
            others.find_map(|(id, other)| Some((id.clone(), own.paths.overlap(&other.paths)?.to_owned())))
        };
        let busy = shared(&self.writing).map(|(task, path)| WaitReason::FileBusy { task, path });
        busy.or_else(|| shared(&self.left).map(|(task, path)| WaitReason::FileLeft { task, path }))
    }

    fn occupy(&mut self, id: AttemptId, worker: &Worker, batch: &BatchId, single: Option<SingletonKey>) {
        if let Worker::Agent { role, name } = worker {
            // A conductor that waits for its person keeps no other agent from work.
            let places = u32::from(!role.is_conductor());
            self.agents += places;
            *self.by_batch.entry(batch.clone()).or_insert(0) += places;
            *self.by_role.entry(role.clone()).or_insert(0) += 1;
            self.names.insert(name.clone());
        }
        if let Some(single) = single {
            self.singletons.insert(single, id);
        }
    }
}

impl Board {
    /// Returns the slots that open attempts take up. An agent whose evidence is being collected keeps its place, so that the next stage of
    /// the same task gets it rather than new work (K8).
    pub(super) fn used_slots(&self) -> Slots {
        let mut places = Slots::default();
        for attempt in self.index.open.iter().filter_map(|id| self.attempts.get(id)) {
            let Some(task) = self.tasks.get(&attempt.task) else {
                continue;
            };
            if let Some(stage) = self.stage_of_attempt(attempt) {
                places.reserve_files(task, stage);
            }
            let single = match self.stage_of_attempt(attempt) {
                Some(stage) => self.singleton_key(task, stage),
                // Its workflow is not loaded now: until it is known again, its stage may be a singleton.
                None => Some((attempt.stage.clone(), self.base_of(task).map(str::to_owned))),
            };
            places.occupy(attempt.id, &attempt.worker, &task.batch, single);
        }
        let unmerged = self.index.unmerged.iter().filter_map(|id| self.tasks.get(id));
        for task in unmerged.filter(|task| self.is_on_its_way(task)) {
            if let Some(plan) = &task.plan {
                places.writing.insert(task.id.clone(), Arc::clone(plan));
            }
        }
        let left = self.index.handed_over.iter().filter_map(|id| self.tasks.get(id));
        let listed = left.filter_map(|task| Some((task.id.clone(), Arc::clone(task.plan.as_ref()?))));
        places.left = listed.collect();
        let closed = self.index.closed.iter().filter_map(|id| self.tasks.get(id));
        let closed = closed.filter_map(|task| Some((self.base_of(task)?.to_owned(), task.id.clone())));
        places.closed = closed.collect();
        places
    }

    /// Returns true if unmerged work on listed files is past the stage that made it: an agent that began on such a file now would not see it.
    /// Work that waits for other tasks is not on its way: one of them may need the file.
    fn is_on_its_way(&self, task: &Task) -> bool {
        let stage = self.stage_of(task);
        let is_past = stage.is_some_and(|stage| writes_listed(task, stage).is_none());
        let waits_for_none = || {
            let is_known = |id: &TaskId| self.tasks.contains_key(id);
            self.check_go_ahead(task).is_ok()
                && self.open_batches(task).is_empty()
                && task.deps.iter().all(is_known)
                && self.open_dependencies(task).is_empty()
        };
        is_past && (task.open_attempt.is_some() || waits_for_none())
    }

    /// Returns the reason an engine's merge into a base that takes none does not start.
    fn closed_base(&self, task: &Task, places: &Slots) -> Option<WaitReason> {
        let base = self.base_of(task)?;
        let by = places.closed.get(base)?;
        Some(WaitReason::BaseClosed {
            base: base.to_owned(),
            task: by.clone(),
        })
    }

    /// Returns the place an attempt of that stage needs for itself, if the stage is a singleton.
    pub(super) fn singleton_key(&self, task: &Task, stage: &Stage) -> Option<SingletonKey> {
        stage
            .singleton
            .then(|| (stage.id.clone(), self.base_of(task).map(str::to_owned)))
    }

    /// Checks whether a released task may start now, and returns its worker or the reason it waits.
    pub(super) fn admit(&self, now: Timestamp, task: &Task, places: &Slots) -> Result<Admission, WaitReason> {
        let Some(stage) = self.stage_of(task) else {
            return Err(WaitReason::NoStage(task.workflow.clone(), task.stage.clone()));
        };
        self.check_go_ahead(task)?;
        self.check_prerequisites(now, task, stage)?;
        if self.pause.is_some() {
            return Err(WaitReason::Paused);
        }
        if self.settings.untrusted.as_ref().is_some_and(|files| files.holds) {
            return Err(WaitReason::Untrusted);
        }
        if needs_approval(task, stage) {
            return Ok(Admission::Person);
        }
        if self.lacks_gates(task, stage) {
            return Err(WaitReason::NoGate);
        }
        if let Some(single) = self.singleton_key(task, stage)
            && let Some(busy) = places.singletons.get(&single)
        {
            return Err(WaitReason::SingletonBusy(*busy));
        }
        match (&stage.actor, task.next_mode, &stage.fallback) {
            (Actor::Role(role), _, _) | (Actor::Engine(_), AttemptMode::Fallback, Some(role)) => {
                self.check_agent_settings(task, role, stage)?;
                self.check_limit(task, role, stage)?;
                if let Some(busy) = places.busy_file(task, stage) {
                    return Err(busy);
                }
                self.check_batch_capacity(role, task, places)?;
                self.check_capacity(role, places)?;
                Ok(Admission::Agent(role.clone()))
            }
            (Actor::Engine(EngineAction::Merge), _, _) => match self.closed_base(task, places) {
                Some(closed) => Err(closed),
                None => Ok(Admission::Engine(EngineAction::Merge)),
            },
            (Actor::Engine(action), _, _) => Ok(Admission::Engine(*action)),
            (Actor::Human, _, _) => Ok(Admission::Person),
        }
    }

    /// Looks whether the account of the agent that would work is at its usage limit.
    fn check_limit(&self, task: &Task, role: &RoleId, stage: &Stage) -> Result<(), WaitReason> {
        let account = self
            .settings
            .agents
            .choose(role, &stage.id, &task.agent)
            .account(role);
        if self.limits.contains_key(&account) {
            return Err(WaitReason::UsageLimit(account));
        }
        Ok(())
    }

    fn check_go_ahead(&self, task: &Task) -> Result<(), WaitReason> {
        if let Some(attempt) = task.open_attempt {
            return Err(WaitReason::StillEnding(attempt));
        }
        let batch = self.batches.get(&task.batch);
        if batch.is_some_and(|batch| matches!(batch.run, RunState::Aborted(_))) {
            return Err(WaitReason::Aborted);
        }
        if batch.is_none_or(|batch| batch.go_ahead.is_none()) {
            return Err(WaitReason::NoGoAhead);
        }
        Ok(())
    }

    fn check_prerequisites(&self, now: Timestamp, task: &Task, stage: &Stage) -> Result<(), WaitReason> {
        let batches = self.open_batches(task);
        if !batches.is_empty() {
            return Err(WaitReason::Batches(batches));
        }
        if let Some(unknown) = task.deps.iter().find(|id| !self.tasks.contains_key(*id)) {
            return Err(WaitReason::UnknownDependency(unknown.clone()));
        }
        let waiting = self.open_dependencies(task);
        if !waiting.is_empty() {
            return Err(WaitReason::Dependencies(waiting));
        }
        let left = |id: &&TaskId| {
            self.tasks
                .get(*id)
                .is_some_and(|other| other.handed_over_on().is_some())
        };
        let left: Vec<TaskId> = task.deps.iter().filter(left).cloned().collect();
        if !left.is_empty() {
            return Err(WaitReason::DependencyNotMerged(left));
        }
        if let Some(until) = task.not_before.filter(|until| *until > now) {
            return Err(WaitReason::Until(until));
        }
        let needs_base = matches!(
            task.next_mode.workspace(stage),
            Workspace::Branch | Workspace::Head | Workspace::Base
        ) || stage.actor == Actor::Engine(EngineAction::Merge);
        let base = self.base_of(task);
        let stops = |reach: &FaultReach| match reach {
            FaultReach::Everything => true,
            FaultReach::Base(branch) => {
                let is_it = |base: Option<&str>| base == Some(branch);
                needs_base && (is_it(base) || is_it(self.base_origin(task)))
            }
            FaultReach::Role(_) | FaultReach::DefaultRole | FaultReach::Stage(_) => false,
        };
        self.check_settings(stops)?;
        if needs_base && base.is_none() {
            return Err(WaitReason::NoBase);
        }
        if stage.guards.contains(&StartGuard::DependencyHeadsMerged) {
            let unmerged = self.unmerged_dependencies(task);
            if !unmerged.is_empty() {
                return Err(WaitReason::DependencyNotMerged(unmerged));
            }
        }
        Ok(())
    }

    /// Refuses with the first fault in the settings that affects the start.
    fn check_settings(&self, stops: impl Fn(&FaultReach) -> bool) -> Result<(), WaitReason> {
        let fault = self.settings.faults.iter().find(|fault| stops(&fault.reach));
        fault.map_or(Ok(()), |fault| Err(WaitReason::Setting(fault.text.clone())))
    }

    fn check_agent_settings(&self, task: &Task, role: &RoleId, stage: &Stage) -> Result<(), WaitReason> {
        let choice = self.settings.agents.choose(role, &stage.id, &task.agent);
        let by = choice.agent.map(|chosen| chosen.source);
        self.check_settings(|reach| reach.includes_agent(role, &stage.id, by))
    }

    /// Returns true if a stage demands gates of a task and there is no command for one: no agent could ever succeed there.
    pub(super) fn lacks_gates(&self, task: &Task, stage: &Stage) -> bool {
        let demands = self
            .evidence_for(task, stage, task.next_mode)
            .contains(&EvidenceKind::Gates);
        demands && self.settings.gates_of(task, stage).is_empty()
    }

    /// Returns the batches that the task's batch needs and that are not completed.
    fn open_batches(&self, task: &Task) -> Vec<BatchId> {
        let needs = self.batches.get(&task.batch).map(|batch| &batch.needs);
        let is_open = |id: &&BatchId| {
            let batch = self.batches.get(*id);
            batch.is_none_or(|batch| batch.run != RunState::Completed)
        };
        needs.into_iter().flatten().filter(is_open).cloned().collect()
    }

    /// Returns the dependencies that are not done; unknown ones are included (LK-28).
    pub(super) fn open_dependencies(&self, task: &Task) -> Vec<TaskId> {
        task.open_dependencies(&self.tasks).cloned().collect()
    }

    /// Returns the dependencies whose recorded head is not merged (K46, LK-22): by commit, never by branch name.
    fn unmerged_dependencies(&self, task: &Task) -> Vec<TaskId> {
        let unmerged = |id: &TaskId| {
            self.tasks
                .get(id)
                .is_some_and(|other| other.head.is_some() && other.merged.is_none())
        };
        task.deps.iter().filter(|id| unmerged(id)).cloned().collect()
    }

    /// Checks whether the batch of a task may have another agent at work.
    fn check_batch_capacity(&self, role: &RoleId, task: &Task, places: &Slots) -> Result<(), WaitReason> {
        let running = places.by_batch.get(&task.batch).copied().unwrap_or(0);
        match self.options_of(&task.id).at_once {
            Some(most) if running >= most.max(1) && !role.is_conductor() => {
                Err(WaitReason::BatchFull { running, most })
            }
            Some(_) | None => Ok(()),
        }
    }

    fn check_capacity(&self, role: &RoleId, places: &Slots) -> Result<(), WaitReason> {
        let of_role = places.by_role.get(role).copied().unwrap_or(0);
        if let Some(most) = self.settings.max_by_role.get(role).copied()
            && of_role >= most
        {
            return Err(WaitReason::NoRoom {
                running: of_role,
                most,
            });
        }
        let most = self.settings.max_agents;
        if places.agents >= most && !role.is_conductor() {
            return Err(WaitReason::NoRoom {
                running: places.agents,
                most,
            });
        }
        if places.started >= self.settings.max_starts.max(1) {
            return Err(WaitReason::TurnLimit);
        }
        Ok(())
    }
}

/// Returns the plan of a task if its agent writes files that the plan lists.
fn writes_listed<'a>(task: &'a Task, stage: &Stage) -> Option<&'a Arc<PlanEntry>> {
    let writes = task.next_mode.workspace(stage) == Workspace::Branch && stage.access == FileAccess::Write;
    task.plan
        .as_ref()
        .filter(|plan| writes && plan.paths.lists_files())
}

fn needs_approval(task: &Task, stage: &Stage) -> bool {
    let asked = match stage.approval {
        ApprovalRule::NotNeeded => false,
        ApprovalRule::WhenAsked => task.needs_approval,
        ApprovalRule::Always => true,
    };
    asked && stage.actor != Actor::Human && task.approved.as_ref() != Some(&stage.id)
}
