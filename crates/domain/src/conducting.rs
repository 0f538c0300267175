//! Commands open to a conductor (K1, LK-32): it writes plans into the backlog, and a person releases them. A conductor may not run
//! anything, choose an agent or its permissions, or move released tasks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::agent_choice::AgentSettings;
use crate::batch::{Batch, BatchPatch, RunOptions};
use crate::command::{Command, Refusal, TaskDraft, TaskPatch};
use crate::id::{BatchId, StageId, TaskId};
use crate::task::{Task, TaskState};

/// Maximum number of tasks in the backlog of batches that conductors plan; a person would not read more before they are released.
const MOST_PLANNED: usize = 200;
/// Stages at which a conductor's tasks can begin, besides the entry of their workflow.
const STAGES: [&str; 2] = [Task::ACCEPTANCE, "consolidating"];

/// Tasks and batches of a board against which conductors' commands are checked.
#[derive(Debug, Clone, Copy)]
pub struct PlannedBoard<'a> {
    pub tasks: &'a BTreeMap<TaskId, Arc<Task>>,
    pub batches: &'a BTreeMap<BatchId, Arc<Batch>>,
}

impl PlannedBoard<'_> {
    /// Returns the reason a conductor may not give that command; `None` if it may.
    pub fn refusal(&self, command: &Command) -> Option<String> {
        self.check(command).err().map(|refusal| refusal.why)
    }

    fn check(&self, command: &Command) -> Result<(), Refusal> {
        match command {
            Command::ChangeBatch { id, is_new, change } => self.check_batch(id, *is_new, change),
            Command::Create(draft) => self.check_drafts(std::slice::from_ref(draft)),
            Command::CreateAll(drafts) => self.check_drafts(drafts),
            Command::Update(id, patch) => self.check_patch(id, patch),
            Command::AddDependency(id, _) | Command::RemoveDependency(id, _) => self.check_planned(id),
            Command::Close(id, _) => self.check_closed(id),
            Command::Comment(..) => Ok(()),
            Command::All(_)
            | Command::PutJob(..)
            | Command::MoveJob(..)
            | Command::PutBatch { .. }
            | Command::Release(_)
            | Command::ReleaseBatch(_)
            | Command::Withdraw(_)
            | Command::Undo(_)
            | Command::Park(..)
            | Command::Retry { .. }
            | Command::Approve(_)
            | Command::Reject(..)
            | Command::Skip(_)
            | Command::Answer(..)
            | Command::AnswerAsk { .. }
            | Command::Interrupt(_)
            | Command::Kill(_)
            | Command::SetMode(..)
            | Command::Clear
            | Command::Merged(_)
            | Command::Pulled(_)
            | Command::Pause
            | Command::Resume => Err(Refusal::new(
                "that is for persons: say in your terminal what you would do",
            )),
        }
    }

    fn check_batch(&self, id: &BatchId, is_new: bool, change: &BatchPatch) -> Result<(), Refusal> {
        let ends_accepted = change.options.acceptance.unwrap_or(!is_new);
        let own = RunOptions {
            acceptance: change.options.acceptance,
            ..RunOptions::default()
        };
        if !ends_accepted || change.options != own {
            return Err(Refusal::new(format!(
                "a conductor's batch ends with an acceptance, and chooses no other option: `dbs batch create {id} --base BRANCH \
                 --acceptance`"
            )));
        }
        let has_base = change
            .base
            .as_deref()
            .map_or(!is_new, |base| !base.trim().is_empty());
        match self.batches.get(id) {
            Some(known) if !is_new && !known.needs_acceptance() => Err(Refusal::new(format!(
                "the batch {id} is a person's: plan in one of your own, such as `dbs batch create NAME --base BRANCH --acceptance`"
            ))),
            Some(known) if !is_new && known.go_ahead.is_some() => Err(Refusal::new(format!(
                "the batch {id} is released: a person changes it, or plan in a new one"
            ))),
            _ if !has_base => Err(Refusal::new(format!(
                "the batch {id} needs the branch it is merged into: say --base BRANCH"
            ))),
            _ => Ok(()),
        }
    }

    fn check_drafts(&self, drafts: &[TaskDraft]) -> Result<(), Refusal> {
        let planned = self.tasks.values().filter(|task| self.is_planned(task)).count();
        if planned + drafts.len() > MOST_PLANNED {
            return Err(Refusal::new(format!(
                "{planned} tasks wait to be released, and a conductor plans {MOST_PLANNED} at most: let a person release some"
            )));
        }
        drafts.iter().try_for_each(|draft| self.check_draft(draft))
    }

    fn check_draft(&self, draft: &TaskDraft) -> Result<(), Refusal> {
        if !self
            .batches
            .get(&draft.batch)
            .is_some_and(|batch| batch.needs_acceptance())
        {
            return Err(Refusal::new(format!(
                "a conductor's tasks belong to a batch with a branch and an acceptance, and {} is not such a batch: create one with `dbs batch create \
                 NAME --base BRANCH --acceptance`, then create the task with `--batch NAME`",
                draft.batch
            )));
        }
        let stage = draft.stage.as_ref().map(StageId::as_str);
        if stage.is_some_and(|stage| !STAGES.contains(&stage)) {
            return Err(Refusal::new(format!(
                "a conductor's task begins at the first stage of its workflow, or at one of {}",
                STAGES.join(", ")
            )));
        }
        let runs_something = !draft.gates.is_empty() || draft.plan.is_some();
        let chooses = *draft.agent != AgentSettings::default() || draft.timeout.is_some();
        if runs_something || chooses || draft.workflow.is_conduct() {
            return Err(Refusal::new(
                "checks of a task, its time limit, its agents, models and permissions, and new conductors are a person's choice: leave \
                 them out, and write into the description what you would choose",
            ));
        }
        Ok(())
    }

    fn check_patch(&self, id: &TaskId, patch: &TaskPatch) -> Result<(), Refusal> {
        self.check_planned(id)?;
        let rest = TaskPatch {
            title: None,
            body: None,
            priority: None,
            add_tags: BTreeSet::new(),
            remove_tags: BTreeSet::new(),
            ..patch.clone()
        };
        if rest == TaskPatch::default() {
            return Ok(());
        }
        Err(Refusal::new(
            "a conductor changes title, description, priority and tags of a task, and nothing else",
        ))
    }

    /// Allows only tasks that wait to be released, in a batch that a conductor plans.
    fn check_planned(&self, id: &TaskId) -> Result<(), Refusal> {
        match self.tasks.get(id) {
            Some(task) if !self.is_planned(task) => Err(Refusal::new(format!(
                "{id} is not an unreleased task of a conductor's batch: leave a comment on it, a person decides"
            ))),
            // The board itself refuses an unknown task.
            _ => Ok(()),
        }
    }

    /// Allows tasks that wait to be released, and an acceptance that failed: a new one takes its place (K91).
    fn check_closed(&self, id: &TaskId) -> Result<(), Refusal> {
        let failed = |task: &Arc<Task>| {
            task.is_acceptance() && matches!(task.state, TaskState::Held(_)) && self.is_of_conductor(task)
        };
        if self.tasks.get(id).is_some_and(failed) {
            return Ok(());
        }
        self.check_planned(id)
    }

    fn is_planned(&self, task: &Task) -> bool {
        task.state == TaskState::Backlog && self.is_of_conductor(task)
    }

    fn is_of_conductor(&self, task: &Task) -> bool {
        let batch = self.batches.get(&task.batch);
        batch.is_some_and(|batch| batch.needs_acceptance())
    }
}
