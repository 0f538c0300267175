//! Facts for the prompt with which an agent starts: taken from the board as one plain value, without any wording.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::attempt::{Attempt, AttemptMode, AttemptState, Verdict, Worker};
use super::batch::RunOptions;
use super::context_restart::SavedWork;
use super::criteria::criteria;
use super::evidence::GateBaseline;
use super::failure::FailureClass;
use super::id::{AttemptId, RoleId, TaskId, WorkflowId};
use super::integration::Integration;
use super::plan_entry::PlanEntry;
use super::settings::BoardSettings;
use super::signal::SignalKind;
use super::task::{Comment, GateCommand, Task};
use super::time::Span;
use super::workflow::{Actor, EvidenceKind, FileAccess, Stage, Workflow, Workspace};

/// Maximum number of earlier attempts in the facts, the latest ones.
const MAX_EARLIER: usize = 5;
/// Maximum number of remarks in the facts on a task or on a dependency, the latest ones.
const MAX_REMARKS: usize = 12;
/// Maximum number of dependencies in the facts.
const MAX_DEPENDENCIES: usize = 50;

/// Facts that a prompt can name: the task, its stage, the agent, the place it works in, and what happened before.
///
/// Ids are plain texts here: they are printed and never looked up again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PromptFacts {
    pub task: TaskFacts,
    pub stage: StageFacts,
    pub agent: AgentFacts,
    pub place: PlaceFacts,
    pub dependencies: Vec<DependencyFacts>,
    /// Remarks on the task, the latest ones, in their order.
    pub comments: Vec<Comment>,
    /// Attempts at the task that ended, the latest ones, in their order.
    pub earlier: Vec<EarlierAttempt>,
    /// Reason the last attempt was not accepted.
    pub finding: Option<String>,
    /// Commands that the engine runs after the attempt: the task's own, then the project's.
    pub gates: Vec<GateCommand>,
    /// Maximum run time of one of these commands, if it is known.
    pub gate_limit: Option<Span>,
    /// Results of these commands at the commit the attempt begins at, if they were run before the work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates_before: Vec<GateBaseline>,
    /// Further requirements of the task's plan, if the task comes from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Arc<PlanEntry>>,
    /// Paths the stage protects, besides those of the plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protected: Vec<String>,
    /// Work left by an earlier session whose context was full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restart: Option<RestartFacts>,
    /// Texts that the agent of a story is given to read (A10, A11).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reading: String,
}

/// Facts for an agent that begins a fresh session after one whose context was full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestartFacts {
    /// Number of this session at the stage, from 1.
    pub session: u32,
    /// Maximum number of restarts.
    pub most: u32,
    /// Steps that were reported.
    pub steps: Vec<String>,
    pub work: SavedWork,
}

/// Text and labels of a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskFacts {
    pub id: String,
    pub batch: String,
    pub title: String,
    pub body: String,
    pub tags: BTreeSet<String>,
    /// Items of the list below a heading of its description that names criteria.
    pub criteria: Vec<String>,
    pub rejections: u32,
}

/// Requirements and permissions of an attempt's stage.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StageFacts {
    pub workflow: String,
    pub id: String,
    pub label: String,
    pub signals: BTreeSet<SignalKind>,
    pub evidence: Vec<EvidenceKind>,
    pub may_write: bool,
    pub workspace: Option<Workspace>,
    /// Maximum run time of the attempt, after which it is stopped.
    pub time_limit: Span,
}

/// Identity of the agent, and the attempt it works for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AgentFacts {
    pub role: String,
    /// Composer name of the agent, once it has one.
    pub name: Option<String>,
    pub attempt: Option<AttemptId>,
    /// Number of attempts at this stage of the task, this one included.
    pub number: u32,
    pub mode: AttemptMode,
    /// True if the agent continues an interrupted session, and was given the task before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub goes_on: bool,
}

/// Folder, branches and commits that an attempt works with; values not known before its start are left open.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PlaceFacts {
    pub worktree: Option<String>,
    pub branch: String,
    pub base: String,
    /// Name by which the agent's git knows the remote; empty stands for `origin`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub remote: String,
    pub base_commit: Option<String>,
    /// Commit that is recorded for the task.
    pub head: Option<String>,
    /// File with the difference from the base to that commit, as the engine made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<String>,
    /// Files that the task's branch changed already.
    pub changed: Vec<String>,
    /// Changes of an integrator, if only they are to be reviewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integration: Option<Integration>,
    /// True if the earlier work was put aside, so that the branch is as clean as the base.
    #[serde(default)]
    pub begins_anew: bool,
}

/// Task that this one waited for, and its results.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DependencyFacts {
    pub id: String,
    pub title: String,
    pub state: String,
    pub merged: Option<String>,
    /// Reports of the dependency's agents when they were done, and the remarks on it.
    pub results: Vec<Comment>,
}

/// Attempt at the same task that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierAttempt {
    pub stage: String,
    pub agent: String,
    /// Verdict and its reason.
    pub verdict: String,
    /// Steps the attempt reported.
    pub progress: Vec<String>,
}

/// Rows of the board that facts are read from.
#[derive(Debug, Clone, Copy)]
pub struct PromptSources<'a> {
    pub tasks: &'a BTreeMap<TaskId, Arc<Task>>,
    pub attempts: &'a BTreeMap<AttemptId, Arc<Attempt>>,
    pub workflows: &'a BTreeMap<WorkflowId, Arc<Workflow>>,
    pub settings: &'a BoardSettings,
    /// Base branch of the task, if one is set.
    pub base: Option<&'a str>,
    /// Options chosen for the task's batch.
    pub options: RunOptions,
}

impl PromptSources<'_> {
    /// Returns the facts of that attempt at the task, or without one of the next. `role` replaces the role that the stage names. `None` if
    /// no agent acts and no role is given, or the stage is not known.
    pub fn facts(
        &self,
        task: &Task,
        attempt: Option<&Attempt>,
        role: Option<&RoleId>,
    ) -> Option<PromptFacts> {
        let flow = self.workflows.get(&task.workflow)?;
        let stage = flow.stage(attempt.map_or(&task.stage, |attempt| &attempt.stage))?;
        let agent = Self::agent(task, stage, attempt, role)?;
        Some(PromptFacts {
            task: TaskFacts::of(task),
            stage: self.stage(flow, stage, task, agent.mode),
            place: self.place(task),
            dependencies: self.dependencies(task),
            comments: latest(&task.comments),
            earlier: self.earlier(task, attempt),
            finding: task.finding.clone(),
            gates: self.settings.gates_of(task, stage),
            gate_limit: None,
            gates_before: attempt
                .map(|attempt| attempt.gates_before.clone())
                .unwrap_or_default(),
            plan: task.plan.clone(),
            protected: stage.protected.clone(),
            restart: attempt.and_then(|attempt| self.restart(task, attempt)),
            reading: String::new(),
            agent,
        })
    }

    fn agent(
        task: &Task,
        stage: &Stage,
        attempt: Option<&Attempt>,
        role: Option<&RoleId>,
    ) -> Option<AgentFacts> {
        let worker = attempt.and_then(|attempt| match &attempt.worker {
            Worker::Agent { role, name } => Some((role, name)),
            Worker::Engine(_) => None,
        });
        let of_stage = match (&stage.actor, task.next_mode) {
            (Actor::Engine(_), AttemptMode::Fallback) => stage.fallback.as_ref(),
            (Actor::Role(role), _) => Some(role),
            (Actor::Engine(_) | Actor::Human, _) => None,
        };
        let role = role.or(worker.map(|(role, _)| role)).or(of_stage)?;
        // An engine's stage calls an agent only for work that the engine could not do.
        let is_called = matches!(stage.actor, Actor::Engine(_)) && stage.fallback.as_ref() == Some(role);
        let next = if is_called {
            AttemptMode::Fallback
        } else {
            task.next_mode
        };
        let tried = task.tries.get(&stage.id).copied().unwrap_or_default();
        Some(AgentFacts {
            role: role.to_string(),
            name: worker.map(|(_, name)| name.clone()),
            attempt: attempt.map(|attempt| attempt.id),
            number: attempt.map_or(tried + 1, |attempt| attempt.n),
            mode: attempt.map_or(next, |attempt| attempt.mode),
            goes_on: false,
        })
    }

    fn stage(&self, flow: &Workflow, stage: &Stage, task: &Task, mode: AttemptMode) -> StageFacts {
        let mut evidence = mode.evidence(stage);
        evidence.retain(|kind| task.asks_for(kind, stage));
        StageFacts {
            workflow: flow.id.to_string(),
            id: stage.id.to_string(),
            label: stage.label.clone(),
            signals: stage.signals.clone(),
            evidence,
            may_write: mode.access(stage) == FileAccess::Write,
            workspace: Some(mode.workspace(stage)),
            time_limit: task.time_limit(&stage.id, stage.timeout, self.settings.agent_timeout),
        }
    }

    fn place(&self, task: &Task) -> PlaceFacts {
        PlaceFacts {
            base: self.base.unwrap_or_default().to_owned(),
            head: task.head.clone().filter(|_| !task.begins_anew),
            begins_anew: task.begins_anew,
            integration: task.integration_to_review().cloned(),
            ..PlaceFacts::default()
        }
    }

    fn restart(&self, task: &Task, attempt: &Attempt) -> Option<RestartFacts> {
        let session = attempt.session.restart()?.session;
        let kept = task.checkpoint.as_ref()?;
        Some(RestartFacts {
            session,
            most: self.options.context(self.settings.context).restarts,
            steps: kept.steps.iter().map(|step| step.text.clone()).collect(),
            work: kept.work.clone(),
        })
    }

    fn dependencies(&self, task: &Task) -> Vec<DependencyFacts> {
        let known = task.deps.iter().take(MAX_DEPENDENCIES);
        known
            .map(|id| match self.tasks.get(id) {
                None => DependencyFacts {
                    id: id.to_string(),
                    state: "unknown".to_owned(),
                    ..DependencyFacts::default()
                },
                Some(other) => DependencyFacts {
                    id: id.to_string(),
                    title: other.title.clone(),
                    state: other.state.word().to_owned(),
                    merged: other.merged.clone(),
                    results: self.results(other),
                },
            })
            .collect()
    }

    fn results(&self, task: &Task) -> Vec<Comment> {
        let own = self.attempts.values().filter(|attempt| attempt.task == task.id);
        let reported = own.flat_map(|attempt| {
            let done = attempt
                .signals
                .iter()
                .filter(|signal| signal.kind == SignalKind::Done);
            done.filter(|signal| !signal.text.trim().is_empty())
                .map(|signal| Comment {
                    author: attempt.worker.name().to_owned(),
                    text: signal.text.clone(),
                    at: signal.at,
                })
        });
        let mut all: Vec<Comment> = reported.chain(task.comments.iter().cloned()).collect();
        all.sort_by_key(|remark| remark.at);
        latest(&all)
    }

    fn earlier(&self, task: &Task, own: Option<&Attempt>) -> Vec<EarlierAttempt> {
        let others = self.attempts.values().filter(|other| {
            let is_agent = matches!(other.worker, Worker::Agent { .. });
            other.task == task.id && is_agent && own.is_none_or(|own| own.id != other.id)
        });
        let ended: Vec<EarlierAttempt> = others.filter_map(|other| EarlierAttempt::of(other)).collect();
        latest_of(&ended, MAX_EARLIER)
    }
}

impl TaskFacts {
    fn of(task: &Task) -> TaskFacts {
        TaskFacts {
            id: task.id.to_string(),
            batch: task.batch.to_string(),
            title: task.title.clone(),
            body: task.body.clone(),
            tags: task.tags.clone(),
            criteria: criteria(&task.body),
            rejections: task.rejections,
        }
    }
}

impl EarlierAttempt {
    fn of(attempt: &Attempt) -> Option<EarlierAttempt> {
        let AttemptState::Settled(verdict) = &attempt.state else {
            return None;
        };
        let steps = attempt
            .signals
            .iter()
            .filter(|signal| signal.kind == SignalKind::Progress);
        let steps: Vec<String> = steps.map(|signal| signal.text.clone()).collect();
        Some(EarlierAttempt {
            stage: attempt.stage.to_string(),
            agent: attempt.worker.name().to_owned(),
            verdict: words(verdict),
            progress: latest_of(&steps, MAX_REMARKS),
        })
    }
}

fn words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Passed => "accepted".to_owned(),
        Verdict::Rejected(why) => format!("rejected: {why}"),
        Verdict::Blocked(why) => format!("blocked: {why}"),
        Verdict::Failed(FailureClass::Timeout, _) => "ran into its time limit".to_owned(),
        Verdict::Failed(class, cause) => format!("failed ({class}): {cause}"),
        Verdict::Stopped(_) => "stopped before it was done".to_owned(),
    }
}

fn latest(remarks: &[Comment]) -> Vec<Comment> {
    latest_of(remarks, MAX_REMARKS)
}

fn latest_of<T: Clone>(all: &[T], most: usize) -> Vec<T> {
    all.iter().skip(all.len().saturating_sub(most)).cloned().collect()
}
