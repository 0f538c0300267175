//! Rows of tasks, as made from a draft and as changed by a patch.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::attempt::AttemptMode;
use crate::command::{TaskDraft, TaskPatch};
use crate::id::StageId;
use crate::plan_entry::PlanRecord;
use crate::task::{MergeCheck, Task, TaskState};
use crate::time::{Span, Timestamp};
use crate::usage::Cost;

impl Task {
    /// Applies a change to everything but the title and the stage.
    pub(super) fn apply(&mut self, patch: &TaskPatch) {
        if let Some(body) = &patch.body {
            self.body.clone_from(body);
        }
        self.priority = patch.priority.unwrap_or(self.priority);
        self.tags.retain(|tag| !patch.remove_tags.contains(tag));
        self.tags.extend(patch.add_tags.iter().cloned());
        if let Some(workflow) = &patch.workflow {
            self.workflow.clone_from(workflow);
        }
        if let Some(gates) = &patch.gates {
            self.gates.clone_from(gates);
        }
        if let Some(agent) = &patch.agent {
            self.agent = (**agent).clone();
        }
        self.needs_approval = patch.needs_approval.unwrap_or(self.needs_approval);
        if let Some(timeout) = patch.timeout {
            self.timeout = Some(timeout).filter(|timeout| *timeout != Span::default());
        }
        if let Some(plan) = &patch.plan {
            self.plan = Some(Arc::clone(plan));
        }
    }

    /// Creates a task that was just planned: in the backlog, nothing tried.
    pub fn planned(now: Timestamp, draft: &TaskDraft, stage: StageId) -> Task {
        Task {
            id: draft.id.clone(),
            batch: draft.batch.clone(),
            workflow: draft.workflow.clone(),
            title: draft.title.trim().to_owned(),
            body: draft.body.clone(),
            kind: draft.kind,
            tags: draft.tags.clone(),
            priority: draft.priority,
            deps: draft.deps.clone(),
            gates: draft.gates.clone(),
            timeout: draft.timeout.filter(|limit| *limit != Span::default()),
            stage,
            state: TaskState::Backlog,
            open_attempt: None,
            next_mode: AttemptMode::Fresh,
            begins_anew: false,
            continues: None,
            agent: (*draft.agent).clone(),
            needs_approval: draft.needs_approval,
            approved: None,
            not_before: None,
            failures: BTreeMap::new(),
            rejections: 0,
            spawns: 0,
            tries: BTreeMap::new(),
            work_tries: BTreeMap::new(),
            troubles: 0,
            interruptions: 0,
            spending: Vec::new(),
            spent_at_retry: Cost::default(),
            head: None,
            stage_head: None,
            integration: None,
            merged: None,
            merge_check: MergeCheck::default(),
            handover: None,
            why_not: None,
            comments: Vec::new(),
            finding: None,
            letting_go: None,
            plan: draft.plan.clone(),
            record: PlanRecord::default(),
            checkpoint: None,
            before: None,
            created_at: now,
            number: 0,
            since: now,
        }
    }
}
