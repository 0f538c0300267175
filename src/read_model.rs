//! Model of everything a person may see: plain values made from the board after each turn. Drawing and the command line read these values
//! and nothing else; nothing here decides.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::domain::attempt::{Attempt, AttemptState, Verdict, Workplace, WorkspaceState};
use crate::domain::batch::Batch;
use crate::domain::task::{Task, TaskState};
use crate::domain::workflow::{Actor, Stage, Workspace};
use crate::domain::{
    AttemptId, BatchId, Board, BoardSettings, EngineAction, FailureClass, PauseReason, RoleId, StageId,
    TaskId, Timestamp, UndoScope, UsageLimit, Worker, Workflow, WorkflowId,
};

mod agent_words;
mod attention;
mod changes;
mod check_run;
mod columns;
mod cost;
mod diff;
mod graph;
mod live_activity;
mod log_line;
mod machine;
mod metrics;
mod plan_run;
mod prompt;
mod sessions;
mod stall;
mod standing;
mod task_names;
mod task_words;
mod trouble;
mod trust;

pub use crate::domain::TroubleKind;
pub use agent_words::{Look, as_question, attempt_standing, doing_words, file_report_words, source_words};
pub use attention::{AttentionItem, AttentionKind, AttentionRow, AttentionSummary};
pub use changes::{ChangeRange, DiffBase, NoChanges, TaskChanges, TaskWork};
pub use check_run::{CheckResult, CheckRun, RunningCheck, running_check, worst_first};
pub use columns::{Column, ColumnKind};
pub use cost::{CostGroup, CostRow};
pub use diff::{Diff, DiffLine, DiffLineKind, FileChange, FileDiff};
pub use graph::{DependencyGraph, DependencyRow};
pub use live_activity::{LiveActivity, RunningChild, SourceReport};
pub use log_line::{LogLine, general_notice};
pub use machine::MachineLoad;
#[cfg(test)]
pub(crate) use metrics::tests::settled_attempt;
pub use metrics::{AttemptLoad, Metrics, MetricsReport, StageMetrics, Trail, TrailStep, per_span};
pub use plan_run::{GateCount, PlanRow, PlanRun};
pub use sessions::{SessionRow, SessionState};
pub use stall::{Stall, StallAct};
pub use standing::{DisplayStatus, Standing};
pub use task_words::{limit_words, unsaid};
pub use trouble::Trouble;
pub use trust::{TrustOverview, TrustText};

/// Model of everything a person may see of the board at one moment. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct ReadModel {
    pub at: Timestamp,
    /// True if a server is at work, so that attempts move.
    pub is_live: bool,

    pub tasks: BTreeMap<TaskId, Arc<Task>>,
    pub attempts: BTreeMap<AttemptId, Arc<Attempt>>,
    pub batches: BTreeMap<BatchId, Arc<Batch>>,
    pub workflows: BTreeMap<WorkflowId, Arc<Workflow>>,
    /// The board's columns in reading order, cards in the order of K80.
    pub columns: Vec<Column>,
    pub attention: Vec<AttentionItem>,
    /// Outside problems that keep work from continuing, the worst first.
    pub troubles: Vec<Trouble>,
    pub pause: Option<PauseReason>,
    /// Usage limits that are reached, by the account of a tool.
    pub limits: BTreeMap<String, UsageLimit>,
    pub base: Option<String>,
    pub max_agents: u32,
    /// Maximum number of agents of a role alive at a time, for roles that have such a limit.
    pub max_by_role: BTreeMap<RoleId, u32>,
    /// The settings that the rules follow.
    pub settings: Arc<BoardSettings>,
    /// Current activity of live agents. Not part of the board: a server adds it for callers that ask for it.
    pub live: BTreeMap<AttemptId, LiveActivity>,
}

impl ReadModel {
    /// Reads the board.
    pub fn of(board: &Board, now: Timestamp) -> ReadModel {
        ReadModel {
            at: now,
            is_live: true,
            tasks: board.tasks.clone(),
            attempts: board.attempts.clone(),
            batches: board.batches.clone(),
            workflows: board.workflows.clone(),
            columns: Column::all(&board.tasks, board.workflows.values().map(Arc::as_ref)),
            attention: attention::attention(board, now),
            troubles: trouble::troubles(board),
            pause: board.pause.clone(),
            limits: board.limits.clone(),
            base: board.settings.base.clone(),
            max_agents: board.settings.max_agents,
            max_by_role: board.settings.max_by_role.clone(),
            settings: Arc::clone(&board.settings),
            live: BTreeMap::new(),
        }
    }

    /// Live agents, in the order they were started.
    pub fn agents(&self) -> impl Iterator<Item = AgentRow<'_>> {
        self.attempts
            .values()
            .filter_map(|attempt| match &attempt.worker {
                Worker::Agent { name, .. } if attempt.state.is_open() => Some(AgentRow {
                    attempt,
                    name,
                    task: self.tasks.get(&attempt.task).map(Arc::as_ref),
                }),
                Worker::Agent { .. } | Worker::Engine(_) => None,
            })
    }

    /// The open attempt of a task.
    pub fn open_attempt(&self, task: &Task) -> Option<&Attempt> {
        task.open_attempt
            .and_then(|id| self.attempts.get(&id))
            .map(Arc::as_ref)
    }

    /// Dependencies of a task that are not done yet; unknown ones are among them (LK-28).
    pub fn open_dependencies(&self, task: &Task) -> Vec<TaskId> {
        task.open_dependencies(&self.tasks).cloned().collect()
    }

    /// Returns the items that wait for the same yes as this one, itself included: the same permission, or approval of the same stage.
    pub fn same_request<'a>(&'a self, item: &'a AttentionItem) -> impl Iterator<Item = &'a AttentionItem> {
        let stage = |item: &AttentionItem| self.tasks.get(&item.task).map(|task| task.stage.clone());
        let own = stage(item);
        self.attention.iter().filter(move |other| {
            other.kind == item.kind
                && match item.kind {
                    AttentionKind::Permission => other.text == item.text,
                    AttentionKind::Approval => stage(other) == own,
                    _ => *other == item,
                }
        })
    }

    /// Returns the number of open attempts in a stage and its limit, if the stage has a limit of its own.
    pub fn limit_of(&self, workflow: &WorkflowId, stage: &StageId) -> Option<(usize, u32)> {
        let known = self.workflows.get(workflow)?.stage(stage)?;
        let own = match &known.actor {
            Actor::Role(role) => self.max_by_role.get(role).copied(),
            Actor::Engine(_) | Actor::Human => None,
        };
        let most = if known.singleton { Some(1) } else { own }?;
        let open = self.attempts.values().filter(|attempt| {
            attempt.state.is_open()
                && attempt.stage == *stage
                && self
                    .tasks
                    .get(&attempt.task)
                    .is_some_and(|task| task.workflow == *workflow)
        });
        Some((open.count(), most))
    }

    /// The base branch of a task: its batch's, else the settings' (K61).
    pub fn base_of(&self, task: &TaskId) -> Option<&str> {
        let task = self.tasks.get(task)?;
        let own = self
            .batches
            .get(&task.batch)
            .and_then(|batch| batch.base.as_deref());
        own.or(self.base.as_deref()).filter(|base| !base.is_empty())
    }

    /// The folder in which an attempt works on a task, or has left work.
    pub fn workplace(&self, task: &Task) -> Option<&Workplace> {
        self.work_folder(task).map(|(_, place)| place)
    }

    /// Returns that folder with the attempt that it belongs to.
    fn work_folder(&self, task: &Task) -> Option<(AttemptId, &Workplace)> {
        let mut attempts = self.attempts.values().rev();
        attempts.find_map(|attempt| {
            let is_there = matches!(attempt.workspace, WorkspaceState::Present | WorkspaceState::Kept);
            let place = attempt.workplace.as_ref()?;
            (attempt.task == task.id && is_there && place.branch.is_some()).then_some((attempt.id, place))
        })
    }

    /// The rows by which it is decided whether a command can be undone.
    pub fn undo_scope(&self) -> UndoScope<'_> {
        UndoScope {
            tasks: &self.tasks,
            batches: &self.batches,
            workflows: &self.workflows,
            attempts: &self.attempts,
        }
    }

    /// All attempts at a task, in order: those the board has forgotten as the store keeps them, the others as the board has them.
    pub fn attempts_at<'a>(&'a self, task: &TaskId, stored: &'a [Attempt]) -> Vec<&'a Attempt> {
        let known = self.attempts.values().map(Arc::as_ref);
        let all = stored.iter().chain(known).filter(|attempt| attempt.task == *task);
        let all: BTreeMap<AttemptId, &Attempt> = all.map(|attempt| (attempt.id, attempt)).collect();
        all.into_values().collect()
    }

    /// Returns the work that the latest attempts at a task left uncommitted, each with the command that brings it back.
    pub fn kept_work(&self, task: &TaskId) -> Vec<String> {
        let attempts = self.attempts.values().filter(|attempt| attempt.task == *task);
        let kept = attempts.filter_map(|attempt| attempt.kept.as_ref());
        kept.map(|kept| kept.line(task)).collect()
    }

    /// Returns the number of attempts at a task that the board has forgotten; the store keeps all.
    pub fn forgotten_attempts(&self, task: &Task) -> usize {
        let made: u32 = task.tries.values().sum();
        let known = self
            .attempts
            .values()
            .filter(|attempt| attempt.task == task.id)
            .count();
        usize::try_from(made).unwrap_or(usize::MAX).saturating_sub(known)
    }

    /// Tasks that wait for their time because of something outside.
    pub fn delayed(&self) -> impl Iterator<Item = &TaskId> {
        let waits = |id: &&TaskId| {
            let task = self.tasks.get(*id);
            task.is_some_and(|task| task.state == TaskState::Released && task.not_before.is_some())
        };
        self.troubles
            .iter()
            .flat_map(|trouble| &trouble.tasks)
            .filter(waits)
    }

    /// Returns the attempt in which a task that is not worked on failed last, and the reason; `None` if it ended in another way.
    pub fn failure_of(&self, task: &Task) -> Option<(&Attempt, FailureClass, &str)> {
        let is_over = matches!(
            task.state,
            TaskState::Backlog | TaskState::Done | TaskState::Cancelled
        );
        if is_over || task.open_attempt.is_some() {
            return None;
        }
        let mut attempts = self.attempts.values().rev().map(Arc::as_ref);
        let last: &Attempt = attempts.find(|attempt| attempt.task == task.id)?;
        match &last.state {
            AttemptState::Settled(Verdict::Failed(class, why)) => Some((last, *class, &why.text)),
            _ => None,
        }
    }

    /// The last settled attempt that looked at a task's work without changing it.
    pub fn last_review(&self, task: &Task) -> Option<&Attempt> {
        let flow = self.workflows.get(&task.workflow)?;
        let reviews = |stage: &StageId| {
            flow.stage(stage)
                .is_some_and(|stage| stage.workspace == Workspace::Head)
        };
        let judged = |attempt: &Attempt| {
            matches!(
                attempt.state,
                AttemptState::Settled(Verdict::Passed | Verdict::Rejected(_))
            ) && attempt
                .workplace
                .as_ref()
                .is_some_and(|place| place.start.is_some())
        };
        let mut attempts = self.attempts.values().rev().map(Arc::as_ref);
        attempts.find(|attempt| attempt.task == task.id && judged(attempt) && reviews(&attempt.stage))
    }

    /// Returns the number of tasks in each state, by the state's word.
    pub fn counts(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for task in self.tasks.values() {
            *counts.entry(task.state.word()).or_insert(0) += 1;
        }
        counts
    }

    /// Returns true if there are tasks, and none of them changes any more by itself.
    pub fn is_all_done(&self) -> bool {
        !self.tasks.is_empty() && self.tasks.values().all(|task| task.state.is_terminal())
    }

    /// The stage in which a task's work is merged, if its workflow has one.
    pub fn merge_of(&self, task: &Task) -> Option<&Stage> {
        let stages = &self.workflows.get(&task.workflow)?.stages;
        let merges = |stage: &&Stage| stage.actor == Actor::Engine(EngineAction::Merge);
        stages.iter().find(merges)
    }

    /// The title of a stage in a task's workflow.
    pub fn stage_label(&self, task: &Task) -> String {
        let flow = self.workflows.get(&task.workflow);
        let known = flow.and_then(|flow| flow.stage(&task.stage));
        known.map_or_else(|| task.stage.to_string(), |stage| stage.label.clone())
    }

    /// Tags that any task carries, or that decide the way of a task in a workflow.
    pub fn tags(&self) -> BTreeSet<&str> {
        let carried = self.tasks.values().flat_map(|task| &task.tags);
        let stages = self.workflows.values().flat_map(|flow| &flow.stages);
        let deciding = stages
            .flat_map(|stage| &stage.success)
            .filter_map(|env| env.when.as_ref());
        carried.chain(deciding).map(String::as_str).collect()
    }
}

/// Running agent with its attempt and task.
#[derive(Debug, Clone, Copy)]
pub struct AgentRow<'a> {
    pub attempt: &'a Attempt,
    pub name: &'a str,
    pub task: Option<&'a Task>,
}
