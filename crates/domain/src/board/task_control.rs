//! Commands that move tasks by a person's will: release, park, close, retry, approve, reject, skip. `held` and `parked` end only here, by
//! an act with an author.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Board;
use super::commands::{accepted, refusal, refuse, require_text};
use super::transition::Transition;
use crate::attempt::AttemptMode;
use crate::batch::RunState;
use crate::command::Refusal;
use crate::effect::{CommandReply, NoticeLevel};
use crate::id::{BatchId, StageId, TaskId};
use crate::skip::Skip;
use crate::task::{HoldReason, Task, TaskState};
use crate::wait_reason::WaitReason;
use crate::workflow::{Actor, RejectTo};

impl Board {
    /// Hands tasks to the pipeline, all of them or none, and gives their batches the go-ahead (LK-33).
    pub(super) fn release(&mut self, transition: &mut Transition, by: &str, ids: &[TaskId]) -> CommandReply {
        let mut fresh = Vec::new();
        let mut seen = BTreeSet::new();
        let ids: Vec<&TaskId> = ids.iter().filter(|id| seen.insert(*id)).collect();
        for id in ids.iter().copied() {
            let task = self.require_task(id)?;
            match &task.state {
                TaskState::Backlog | TaskState::Parked(_) => fresh.push(task),
                TaskState::Released | TaskState::Active | TaskState::Verifying => {}
                TaskState::Held(HoldReason::Approval) => {
                    refuse!("{id} waits for approval: `dbs approve {id}`");
                }
                TaskState::Held(_) | TaskState::Failed(_) | TaskState::Skipped(_) => {
                    refuse!("{id} is {}: retry it with `dbs retry {id}`", task.state.word());
                }
                TaskState::Done | TaskState::Cancelled => {
                    refuse!(
                        "{id} is {}: create a new task for the remaining work",
                        task.state.word()
                    );
                }
            }
        }
        if ids.is_empty() {
            refuse!("no task was named: `dbs task release ID…`");
        }
        let batches: BTreeSet<BatchId> = ids
            .iter()
            .filter_map(|id| self.tasks.get(*id))
            .map(|task| task.batch.clone())
            .collect();
        for batch in &batches {
            self.check_acceptance(batch, &ids)?;
        }
        for batch in batches {
            self.go_ahead(transition, &batch);
        }
        for task in &fresh {
            self.set_state(transition.now, &task.id, TaskState::Released);
            let text = format!(
                "{} released by {by} to {}",
                task.id,
                self.stage_label(task, &task.stage)
            );
            transition.notify_task(NoticeLevel::Info, "release", &task.id, text);
        }
        let names: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
        let text = format!("released {}", names.join(", "));
        Ok(accepted(match self.gate_warning(&ids) {
            Some(warning) => format!("{text}; {warning}"),
            None => text,
        }))
    }

    /// Returns a warning that names the tasks that will wait for a gate command.
    fn gate_warning(&self, ids: &[&TaskId]) -> Option<String> {
        let lacks = |id: &&&TaskId| {
            let task = self.tasks.get(**id);
            task.is_some_and(|task| {
                self.stage_of(task)
                    .is_some_and(|stage| self.lacks_gates(task, stage))
            })
        };
        let waiting: Vec<&str> = ids.iter().filter(lacks).map(|id| id.as_str()).collect();
        let verb = if waiting.len() == 1 { "waits" } else { "wait" };
        (!waiting.is_empty()).then(|| format!("{} {verb}: {}", waiting.join(", "), WaitReason::NoGate))
    }

    /// Lets the batch run, even after it was aborted.
    fn go_ahead(&mut self, transition: &Transition, id: &BatchId) {
        let Some(batch) = self.batches.get(id) else { return };
        let aborted = matches!(batch.run, RunState::Aborted(_));
        if batch.go_ahead.is_some() && !aborted {
            return;
        }
        self.edit_batch(id, |batch| {
            batch.go_ahead.get_or_insert(transition.now);
            if aborted {
                batch.run = RunState::Running;
                batch.since = transition.now;
            }
        });
    }

    /// Takes a task on which no agent works back into the backlog: the opposite of a release.
    pub(super) fn withdraw(&mut self, transition: &mut Transition, by: &str, id: &TaskId) -> CommandReply {
        let task = self.require_task(id)?;
        match &task.state {
            TaskState::Backlog => return Ok(accepted(format!("{id} is in the backlog already"))),
            TaskState::Released | TaskState::Parked(_) | TaskState::Skipped(Skip::Person { .. }) => {}
            TaskState::Active | TaskState::Verifying => {
                refuse!("{id} is running: park it with `dbs task park {id} REASON`");
            }
            TaskState::Held(_) | TaskState::Failed(_) | TaskState::Skipped(_) => {
                refuse!(
                    "{id} is {}: retry it with `dbs retry {id}`, or park it",
                    task.state.word()
                );
            }
            TaskState::Done | TaskState::Cancelled => return Err(already_over(&task)),
        }
        self.set_state(transition.now, id, TaskState::Backlog);
        self.cancel_open_attempt(transition, id);
        let text = format!("{by} moved {id} back to the backlog");
        transition.notify_task(NoticeLevel::Info, "withdraw", id, text);
        Ok(accepted(format!("moved {id} back to the backlog")))
    }

    pub(super) fn park(
        &mut self,
        transition: &mut Transition,
        by: &str,
        id: &TaskId,
        why: &str,
    ) -> CommandReply {
        let task = self.require_task(id)?;
        let why = require_text("the reason", why)?;
        if task.state.is_terminal() {
            return Err(already_over(&task));
        }
        self.set_state(transition.now, id, TaskState::Parked(why.to_owned()));
        self.comment(transition.now, id, by, format!("parked: {why}"));
        self.cancel_open_attempt(transition, id);
        transition.notify_task(NoticeLevel::Info, "park", id, format!("{by} parked {id}: {why}"));
        Ok(accepted(format!("parked {id}")))
    }

    pub(super) fn close(
        &mut self,
        transition: &mut Transition,
        by: &str,
        id: &TaskId,
        why: &str,
    ) -> CommandReply {
        let task = self.require_task(id)?;
        let why = require_text("the reason", why)?;
        if matches!(task.state, TaskState::Done | TaskState::Cancelled) {
            refuse!("{id} is {} already", task.state.word());
        }
        self.set_state(transition.now, id, TaskState::Cancelled);
        self.comment(transition.now, id, by, format!("closed: {why}"));
        self.cancel_open_attempt(transition, id);
        self.retire_if_unused(transition, id);
        transition.notify_task(
            NoticeLevel::Info,
            "cancel",
            id,
            format!("{by} closed {id}: {why}"),
        );
        Ok(accepted(format!("closed {id}")))
    }

    /// Takes a task up again; the counters that held it are cleared. Removals of its workspaces that failed are tried again, too, even if
    /// nothing else can be retried.
    pub(super) fn retry(
        &mut self,
        transition: &mut Transition,
        by: &str,
        id: &TaskId,
        stage: Option<&StageId>,
        note: Option<&str>,
    ) -> CommandReply {
        let task = self.require_task(id)?;
        if let Err(refusal) = self.check_retry(&task) {
            return match self.retry_removals(transition, id) {
                0 => Err(refusal),
                _ => Ok(accepted(format!("removing the workspaces of {id} again"))),
            };
        }
        let (is_named, stage) = (stage.is_some(), stage.unwrap_or(&task.stage));
        self.check_stage(&task, stage)?;
        if is_named {
            self.give_up_session(transition, id);
        }
        let mode = if *stage == task.stage {
            task.next_mode
        } else {
            AttemptMode::Fresh
        };
        self.enter_stage(transition.now, id, stage, mode);
        self.edit(id, |row| {
            row.failures.remove(stage);
            (row.troubles, row.interruptions, row.checkpoint) = (0, 0, None);
            match task.state {
                TaskState::Held(HoldReason::RejectLoop(_)) => row.rejections = 0,
                TaskState::Held(HoldReason::TooManyAttempts(_)) | TaskState::Failed(_) => row.spawns = 0,
                TaskState::Held(HoldReason::Budget { .. }) => row.spent_at_retry = row.spent(),
                _ => {}
            }
        });
        if let Some(note) = note.map(str::trim).filter(|note| !note.is_empty()) {
            self.comment(transition.now, id, by, note.to_owned());
            let finding = match &task.state {
                TaskState::Held(HoldReason::Blocked(question)) => {
                    format!("The question was: {question}\n{by} answers: {note}")
                }
                _ => note.to_owned(),
            };
            self.edit(id, |row| row.finding = Some(finding));
        }
        if self.is_aborted(&task.batch) {
            self.go_ahead(transition, &task.batch);
        }
        self.retry_removals(transition, id);
        let label = self.stage_label(&task, stage);
        let text = format!("{by} retried {id} in {label}");
        let reply = format!("retrying {id} in {label}");
        transition.notify_task(NoticeLevel::Info, "retry", id, text);
        Ok(accepted(reply))
    }

    fn check_retry(&self, task: &Task) -> Result<(), Refusal> {
        let id = &task.id;
        match &task.state {
            TaskState::Held(HoldReason::Approval) => Err(refusal(format!(
                "{id} waits for approval: `dbs approve {id}` or `dbs reject {id} REASON`"
            ))),
            TaskState::Skipped(skip) if skip.root().is_some() => match self.broken_dependency(task) {
                Some(broken) => Err(refusal(format!(
                    "{id} was skipped because of {broken}, which is {}: retry that one, or remove the dependency",
                    self.tasks
                        .get(&broken)
                        .map_or("unknown", |task| task.state.word())
                ))),
                None => Ok(()),
            },
            TaskState::Held(_) | TaskState::Parked(_) | TaskState::Failed(_) | TaskState::Skipped(_) => {
                Ok(())
            }
            TaskState::Backlog => Err(refusal(format!(
                "{id} was not released yet: `dbs task release {id}`"
            ))),
            // It only waits for its time, after a failure or a rejection; a person need not wait.
            TaskState::Released if task.not_before.is_some() => Ok(()),
            TaskState::Released | TaskState::Active | TaskState::Verifying => Err(refusal(format!(
                "{id} is running or about to start: `dbs why {id}` says what it waits for"
            ))),
            TaskState::Done | TaskState::Cancelled => Err(already_over(task)),
        }
    }

    pub(super) fn approve(&mut self, transition: &mut Transition, by: &str, id: &TaskId) -> CommandReply {
        let task = self.require_task(id)?;
        if self.accept_again(&task) {
            return Ok(accepted(format!("approved {id} again")));
        }
        if !task.state.awaits_approval() {
            refuse!("{id} does not wait for approval: it is {}", task.state.word());
        }
        let Some(stage) = self.stage_of(&task) else {
            refuse!("workflow {} is not loaded", task.workflow);
        };
        // The findings are accepted as they are, so the stage is over, as it is when a person is its actor.
        let is_over =
            stage.actor == Actor::Human || matches!(task.state, TaskState::Held(HoldReason::Findings(_)));
        self.edit(id, |row| row.approved = Some(row.stage.clone()));
        self.comment(transition.now, id, by, format!("approved in {}", task.stage));
        if is_over {
            self.accept_made(&task);
            self.advance(transition, id, &format!(", approved by {by}"));
        } else if matches!(task.state, TaskState::Held(HoldReason::Unreviewed(_))) {
            self.accept_integration(transition, by, id);
        } else {
            let text = format!("{by} approved {id} in {}", self.stage_label(&task, &task.stage));
            transition.notify_task(NoticeLevel::Success, "approve", id, text);
            self.set_state(transition.now, id, TaskState::Released);
        }
        Ok(accepted(format!("approved {id}")))
    }

    /// Rejects the work of a task for a person, or sends it back from its current stage.
    pub(super) fn send_back(
        &mut self,
        transition: &mut Transition,
        by: &str,
        id: &TaskId,
        why: &str,
    ) -> CommandReply {
        let task = self.require_task(id)?;
        let why = require_text("the reason", why)?;
        match task.state {
            TaskState::Released | TaskState::Active | TaskState::Verifying | TaskState::Held(_) => {}
            TaskState::Backlog | TaskState::Parked(_) => {
                refuse!("{id} has no work to reject: release it with `dbs task release {id}`");
            }
            TaskState::Done | TaskState::Failed(_) | TaskState::Skipped(_) | TaskState::Cancelled => {
                return Err(already_over(&task));
            }
        }
        if matches!(task.state, TaskState::Held(HoldReason::Findings(_))) {
            self.fix_findings(transition, by, id, why);
            return Ok(accepted(format!("{id} continues, to have that fixed")));
        }
        match self.stage_of(&task).map(|stage| &stage.reject) {
            Some(RejectTo::Stage(_) | RejectTo::Hold) => {}
            Some(RejectTo::Never) | None => {
                refuse!(
                    "work in {} cannot be rejected: move {id} with `dbs task update {id} --stage STAGE`, park it or close it",
                    task.stage
                );
            }
        }
        self.reject(transition, id, by, why);
        self.cancel_open_attempt(transition, id);
        Ok(accepted(format!("rejected {id}")))
    }

    /// Leaves a task out. If its workflow says so, its dependents go with it, and a run that was aborted because of it is judged again
    /// without it.
    pub(super) fn skip(&mut self, transition: &mut Transition, by: &str, id: &TaskId) -> CommandReply {
        let task = self.require_task(id)?;
        if !task.state.can_be_skipped() {
            return Err(already_over(&task));
        }
        let skip = Skip::Person { by: by.to_owned() };
        self.set_state(transition.now, id, TaskState::Skipped(skip));
        self.comment(transition.now, id, by, "skipped".to_owned());
        self.cancel_open_attempt(transition, id);
        if task.root_cause().is_some() && self.is_aborted(&task.batch) {
            self.go_ahead(transition, &task.batch);
        }
        let with = self.skipped_with(id);
        transition.notify_task(
            NoticeLevel::Warning,
            "skip",
            id,
            format!("{by} skipped {id}{with}"),
        );
        // Undo restores those that are skipped with it, too: they have to be when the command is over.
        if !self.workflows.is_empty() {
            self.cascade(transition);
        }
        Ok(accepted(format!("skipped {id}{with}")))
    }

    /// Describes the effect of a skip on the tasks that wait for the task, in words that follow its id.
    fn skipped_with(&mut self, id: &TaskId) -> String {
        self.update_links();
        let doomed = self.unreachable_tasks(&[id.clone()].into());
        let of_it = doomed.iter().filter(|(_, root)| *root == id);
        let lost: Vec<&str> = of_it.map(|(lost, _)| lost.as_str()).collect();
        let waits =
            |task: &&Arc<Task>| !task.state.is_terminal() && !task.passes_over() && task.deps.contains(id);
        let waiting = self.tasks.values().filter(waits).map(|task| task.id.as_str());
        let waiting: Vec<&str> = waiting.filter(|id| !lost.contains(id)).collect();
        let named = |what: &str, ids: &[&str]| match ids {
            [] => String::new(),
            ids => format!("; {what}: {}", ids.join(", ")),
        };
        let (with, behind) = ("skipped with it", "still waiting for it");
        format!("{}{}", named(with, &lost), named(behind, &waiting))
    }
}

fn already_over(task: &Task) -> Refusal {
    let id = &task.id;
    match task.state {
        TaskState::Failed(_) | TaskState::Skipped(_) => refusal(format!(
            "{id} is {} already: retry it with `dbs retry {id}`, or close it",
            task.state.word()
        )),
        TaskState::Backlog
        | TaskState::Released
        | TaskState::Active
        | TaskState::Verifying
        | TaskState::Held(_)
        | TaskState::Parked(_)
        | TaskState::Done
        | TaskState::Cancelled => refusal(format!(
            "{id} is {} already: create a new task for the remaining work",
            task.state.word()
        )),
    }
}
