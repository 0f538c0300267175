//! Commands that write the plan: tasks, their details and their dependencies. Nothing starts because of them, except that moving a task
//! makes its open attempt void (K21).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Board;
use super::batch_commands::new_batch;
use super::commands::{accepted, refusal, refuse};
use super::task_text::{
    check_agent, check_body, check_comment, check_gates, check_id, check_new, check_priority, check_tags,
    check_title,
};
use super::transition::Transition;
use super::waiting_circles::Awaited;
use crate::attempt::AttemptMode;
use crate::command::{Refusal, TaskDraft, TaskPatch};
use crate::effect::{CommandReply, NoticeLevel};
use crate::id::{StageId, TaskId, WorkflowId};
use crate::task::{Task, TaskState};
use crate::workflow::Workflow;

impl Board {
    pub(super) fn create(&mut self, transition: &mut Transition, draft: &TaskDraft) -> CommandReply {
        let alike = |known: &&TaskId| known.as_str().eq_ignore_ascii_case(draft.id.as_str());
        check_new(&draft.id, self.tasks.keys().find(alike))?;
        let stage = self.check_draft(draft, &BTreeMap::new())?;
        self.insert_planned(transition, draft, stage);
        Ok(accepted(format!("created {}", draft.id)))
    }

    /// Puts a checked task on the board.
    pub(super) fn insert_planned(&mut self, transition: &mut Transition, draft: &TaskDraft, stage: StageId) {
        if !self.batches.contains_key(&draft.batch) {
            self.insert_batch(new_batch(transition.now, &draft.batch));
        }
        let number = u64::try_from(self.tasks.len() + 1).unwrap_or(u64::MAX);
        self.insert_task(Task {
            number,
            ..Task::planned(transition.now, draft, stage)
        });
        let text = format!("{} created: {}", draft.id, draft.title.trim());
        transition.notify_task(NoticeLevel::Info, "create", &draft.id, text);
    }

    /// Checks everything about a new task but whether its id is free; it may wait for tasks of the board and for those `before` it.
    pub(super) fn check_draft(
        &self,
        draft: &TaskDraft,
        before: &BTreeMap<&TaskId, &TaskDraft>,
    ) -> Result<StageId, Refusal> {
        check_id("task", draft.id.as_str())?;
        check_id("batch", draft.batch.as_str())?;
        check_title("the task's title", &draft.title)?;
        check_body(&draft.body)?;
        check_tags(draft.tags.iter())?;
        check_priority(draft.priority)?;
        check_gates(&draft.gates)?;
        check_agent(&draft.agent)?;
        let known = |id: &TaskId| self.tasks.contains_key(id) || before.contains_key(id);
        if let Some(unknown) = draft.deps.iter().find(|id| !known(id)) {
            refuse!("it would wait for {unknown}, which does not exist: create that one first");
        }
        self.check_circle(draft, before)?;
        let flow = self.known_workflow(&draft.workflow)?;
        let stage = draft.stage.as_ref().unwrap_or(&flow.entry);
        if flow.stage(stage).is_none() {
            return Err(unknown_stage(stage, flow.scan.iter()));
        }
        Ok(stage.clone())
    }

    pub(super) fn update(
        &mut self,
        transition: &mut Transition,
        by: &str,
        id: &TaskId,
        patch: &TaskPatch,
    ) -> CommandReply {
        let task = self.require_task(id)?;
        let title = match &patch.title {
            Some(title) => Some(check_title("the new title", title)?.to_owned()),
            None => None,
        };
        if let Some(priority) = patch.priority {
            check_priority(priority)?;
        }
        check_body(patch.body.as_deref().unwrap_or_default())?;
        check_gates(patch.gates.as_deref().unwrap_or_default())?;
        if let Some(agent) = &patch.agent {
            check_agent(agent)?;
        }
        let kept = task.tags.iter().filter(|tag| !patch.remove_tags.contains(*tag));
        check_tags(kept.chain(&patch.add_tags))?;
        let moved = self.target(&task, patch)?;
        self.edit(id, |task| {
            task.title = title.unwrap_or_else(|| task.title.clone());
            task.apply(patch);
        });
        if let Some(stage) = moved {
            self.move_to_stage(transition, by, &task, &stage);
        }
        if let Some(begins_anew) = patch.begins_anew {
            self.edit(id, |task| task.begins_anew = begins_anew);
        }
        Ok(accepted(format!("changed {id}")))
    }

    /// Returns the stage to which a change moves a task, if it moves it.
    fn target(&self, task: &Task, patch: &TaskPatch) -> Result<Option<StageId>, Refusal> {
        let Some(workflow) = patch.workflow.as_ref().filter(|other| **other != task.workflow) else {
            let moved = patch.stage.as_ref().filter(|stage| **stage != task.stage);
            if let Some(stage) = moved {
                self.check_move(task, stage)?;
            }
            return Ok(moved.cloned());
        };
        if task.open_attempt.is_some() {
            refuse!(
                "an agent is at work on {} by the workflow {}: wait for it, or park the task first",
                task.id,
                task.workflow
            );
        }
        if let Some(stage) = &patch.stage {
            self.check_move(
                &Task {
                    workflow: workflow.clone(),
                    ..task.clone()
                },
                stage,
            )?;
            return Ok(Some(stage.clone()));
        }
        let entry = self.known_workflow(workflow)?.entry.clone();
        self.check_move(
            &Task {
                workflow: workflow.clone(),
                ..task.clone()
            },
            &entry,
        )?;
        Ok(Some(entry))
    }

    fn known_workflow(&self, id: &WorkflowId) -> Result<&Workflow, Refusal> {
        self.workflows.get(id).map(Arc::as_ref).ok_or_else(|| {
            let known: Vec<&str> = self.workflows.keys().map(WorkflowId::as_str).collect();
            refusal(format!(
                "there is no workflow {id}: there are {}",
                known.join(", ")
            ))
        })
    }

    /// Moves a task for a person; its open attempt becomes void (K21).
    fn move_to_stage(&mut self, transition: &mut Transition, by: &str, task: &Task, stage: &StageId) {
        let id = &task.id;
        let stays = matches!(task.state, TaskState::Backlog | TaskState::Parked(_));
        if stays {
            self.edit(id, |task| {
                task.stage = stage.clone();
                task.next_mode = AttemptMode::Fresh;
            });
        } else {
            self.enter_stage(transition.now, id, stage, AttemptMode::Fresh);
        }
        self.cancel_open_attempt(transition, id);
        let (from, to) = (self.stage_label(task, &task.stage), self.stage_label(task, stage));
        let text = format!("{id} {from} → {to}, moved by {by}");
        transition.notify_task(NoticeLevel::Info, "move", id, text);
    }

    fn check_move(&self, task: &Task, stage: &StageId) -> Result<(), Refusal> {
        if task.state == TaskState::Done {
            refuse!("{} is done, and done is final: create a new task", task.id);
        }
        if task.state.is_terminal() {
            refuse!(
                "{} is {}: retry it with `dbs retry {} --stage {stage}`",
                task.id,
                task.state.word(),
                task.id
            );
        }
        self.check_stage(task, stage)
    }

    /// Refuses a stage that the task's workflow does not have.
    pub(super) fn check_stage(&self, task: &Task, stage: &StageId) -> Result<(), Refusal> {
        match self.workflow_of(task) {
            Some(flow) if flow.stage(stage).is_some() => Ok(()),
            Some(flow) => Err(unknown_stage(stage, flow.scan.iter())),
            None => Err(refusal(format!(
                "workflow {} is not loaded: look at `dbs workflow list`",
                task.workflow
            ))),
        }
    }

    pub(super) fn write_comment(
        &mut self,
        transition: &Transition,
        by: &str,
        id: &TaskId,
        text: &str,
    ) -> CommandReply {
        self.require_task(id)?;
        let text = check_comment(text)?;
        self.comment(transition.now, id, by, text.to_owned());
        Ok(accepted(format!("commented on {id}")))
    }

    pub(super) fn add_dependency(&mut self, id: &TaskId, on: &TaskId) -> CommandReply {
        let task = self.require_task(id)?;
        self.require_task(on)?;
        if id == on {
            refuse!("{id} cannot wait for itself: name another task");
        }
        if task.state == TaskState::Done {
            refuse!("{id} is done and waits for nothing any more");
        }
        if task.deps.contains(on) {
            return Ok(accepted(format!("{id} waits for {on} already")));
        }
        let back = |next: Awaited<'_>| next == Awaited::Task(id);
        if self.waits_for([Awaited::Task(on)], back, &BTreeMap::new()) {
            refuse!(
                "{on} waits for {id} already, so neither would ever start: remove one of the two with `dbs task dep ID ON --remove`"
            );
        }
        self.edit(id, |task| {
            task.deps.insert(on.clone());
        });
        Ok(accepted(format!("{id} waits for {on}")))
    }

    pub(super) fn remove_dependency(&mut self, id: &TaskId, on: &TaskId) -> CommandReply {
        let task = self.require_task(id)?;
        if !task.deps.contains(on) {
            refuse!("{id} does not wait for {on}: `dbs task show {id}` lists what it waits for");
        }
        self.edit(id, |task| {
            task.deps.remove(on);
        });
        Ok(accepted(format!("{id} no longer waits for {on}")))
    }
}

fn unknown_stage<'a>(stage: &StageId, known: impl Iterator<Item = &'a StageId>) -> Refusal {
    let known: Vec<&str> = known.map(StageId::as_str).collect();
    refusal(format!(
        "there is no stage {stage}: there are {}",
        known.join(", ")
    ))
}
