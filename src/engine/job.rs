//! Job of the performer: an effect together with the state of the board when it was committed, so that performing it needs no look at the
//! board.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::domain::task::GateCommand;
use crate::domain::workflow::{Stage, Workspace};
use crate::domain::{
    AgentChoice, AskId, Attempt, AttemptId, AttemptMode, Board, Delivery, DeliveryMode, Effect, EngineAction,
    EvidenceKind, PromptFacts, PromptSources, StopCause, Task,
};
use crate::ports::git::CommitId;

/// An effect together with everything of the board that is needed to perform it.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) kind: JobKind,
    pub(super) task: Arc<Task>,
    /// The attempt it is for; `None` if it is for the task as a whole.
    pub(super) attempt: Option<Arc<Attempt>>,
    /// The attempt whose workspace it takes over, as far as it is remembered.
    pub(super) before: Option<Arc<Attempt>>,
    pub(super) stage: Stage,
    pub(super) base: String,
    /// The branch from which that one is made on the remote if there is none yet.
    pub(super) base_origin: Option<String>,
    /// Gate commands that apply: the task's own, then the project's.
    pub(super) gates: Vec<GateCommand>,
    /// True if a stage reviews the work before it comes to this one.
    pub(super) is_reviewed: bool,
    /// Names of the gates that have a tree of their own.
    pub(super) fresh_gates: BTreeSet<String>,
    /// True if the engine commits files that agents leave uncommitted.
    pub(super) commits: bool,
    /// Earlier attempts at this task that have ended, with their worktree folders.
    pub(super) ended_folders: Vec<(AttemptId, String)>,
    pub(super) priority: JobPriority,
    /// Facts that the prompt of an agent to be started may name.
    pub(super) facts: Option<Box<PromptFacts>>,
    /// The model of the last agent at the task; `default` if none was chosen.
    pub(super) model: String,
}

/// Priority of a job: waited for, or to be run in the background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JobPriority {
    Urgent,
    /// Job that nothing waits for: it puts away what is over, and gives way to starts and evidence.
    Background,
}

/// Kind of a job: start, act, stop, verify, save the work, settle, retire, deliver, type a line, interrupt or answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum JobKind {
    Start,
    Act(EngineAction),
    Stop(StopCause),
    Verify(Vec<EvidenceKind>),
    Checkpoint,
    Settle,
    Retire,
    /// Delivery of the task's merge, with the one that was owed before.
    Deliver(DeliveryMode, Option<Box<Delivery>>),
    TypeLine(String),
    Interrupt,
    Answer(AskId),
}

impl Job {
    /// Reads from the board everything an effect needs; `None` for answers and notices, and for effects whose rows are gone.
    pub(super) fn of(effect: Effect, board: &Board) -> Option<Job> {
        let (attempt, what) = match effect {
            Effect::Start(id) => (id, JobKind::Start),
            Effect::Act(id, action) => (id, JobKind::Act(action)),
            Effect::Stop(id, cause) => (id, JobKind::Stop(cause)),
            Effect::Verify {
                attempt, evidence, ..
            } => (attempt, JobKind::Verify(evidence)),
            Effect::Checkpoint(id) => (id, JobKind::Checkpoint),
            Effect::Settle(id) => (id, JobKind::Settle),
            Effect::Tell(id, line) => (id, JobKind::TypeLine(line)),
            Effect::Interrupt(id) => (id, JobKind::Interrupt),
            Effect::Answer(id, ask) => (id, JobKind::Answer(ask)),
            Effect::Retire(id) => {
                let task = board.tasks.get(&id)?;
                return Job::new(JobKind::Retire, Arc::clone(task), None, board);
            }
            Effect::Deliver(id) => {
                let task = board.tasks.get(&id)?;
                let owed = board.batches.get(&task.batch)?.owed.as_deref();
                let owed = owed
                    .filter(|_| board.owes(&id))
                    .map(|owed| Box::new(owed.delivery.clone()));
                let kind = JobKind::Deliver(board.settings.deliver, owed);
                return Job::new(kind, Arc::clone(task), None, board);
            }
            Effect::Reply(..) | Effect::Notify(_) => return None,
        };
        let attempt = board.attempts.get(&attempt)?;
        let task = board.tasks.get(&attempt.task)?;
        Job::new(what, Arc::clone(task), Some(Arc::clone(attempt)), board)
    }

    fn new(what: JobKind, task: Arc<Task>, attempt: Option<Arc<Attempt>>, board: &Board) -> Option<Job> {
        let flow = board.workflows.get(&task.workflow)?;
        let stage = attempt.as_ref().map_or(&task.stage, |attempt| &attempt.stage);
        let stage = flow.stage(stage)?.clone();
        let base = board.base_of(&task).unwrap_or_default().to_owned();
        let base_origin = match what {
            JobKind::Start => board.base_origin(&task).map(str::to_owned),
            _ => None,
        };
        let gates = board.settings.gates_of(&task, &stage);
        let others = board
            .attempts
            .values()
            .filter(|other| other.task == task.id && !other.state.is_open());
        let ended_folders = others
            .filter_map(|other| Some((other.id, folder_of(other)?)))
            .collect();
        let follows = attempt.as_ref().and_then(|attempt| attempt.session.follows());
        let before = follows.and_then(|of| board.attempts.get(&of).cloned());
        let priority = priority_of(&what, &task, board);
        let facts = match what {
            JobKind::Start => facts_of(&task, attempt.as_deref(), board).map(Box::new),
            _ => None,
        };
        let model = model_of(&task, board);
        let is_reviewed = board.review_before(&task, &stage.id).is_some();
        Some(Job {
            kind: what,
            commits: board.commits_for(&task.id),
            is_reviewed,
            task,
            attempt,
            before,
            stage,
            base,
            base_origin,
            gates,
            fresh_gates: board.settings.fresh_gates.clone(),
            ended_folders,
            priority,
            facts,
            model,
        })
    }

    /// Returns the workspace in which the attempt works.
    pub(super) fn workspace(&self) -> Workspace {
        let attempt = self.attempt.as_ref();
        let mode = attempt.map_or(AttemptMode::Fresh, |attempt| attempt.mode);
        mode.workspace(&self.stage)
    }

    /// Returns the head that is recorded for the task; `None` if there is none, or the record is not a commit.
    pub(super) fn recorded_head(&self) -> Option<CommitId> {
        CommitId::new(self.task.head.as_deref()?).ok()
    }

    /// Name of the worktree folder of this job's attempt.
    pub(super) fn folder(&self) -> Option<String> {
        self.attempt.as_deref().and_then(folder_of)
    }
}

/// Returns the facts of the board for the agent of an attempt.
fn facts_of(task: &Task, attempt: Option<&Attempt>, board: &Board) -> Option<PromptFacts> {
    let sources = PromptSources {
        tasks: &board.tasks,
        attempts: &board.attempts,
        workflows: &board.workflows,
        settings: &board.settings,
        base: board.base_of(task),
        options: board.options_of(&task.id),
    };
    sources.facts(task, attempt, None)
}

fn model_of(task: &Task, board: &Board) -> String {
    let latest = board.attempts.values().rev();
    let mut own = latest.filter(|attempt| attempt.task == task.id);
    let last = own.find(|attempt| attempt.choice != AgentChoice::default());
    if let Some(model) = last.and_then(|attempt| attempt.model.clone()) {
        return model;
    }
    let choice = last.map(|attempt| &attempt.choice);
    let model = choice.and_then(|choice| choice.model.as_ref());
    let agent = choice.and_then(|choice| choice.agent.as_ref());
    match (model, agent) {
        (Some(model), _) => model.value.clone(),
        (None, Some(agent)) => format!("default of {}", agent.value),
        (None, None) => "default".to_owned(),
    }
}

/// Returns the priority of a job. A worktree on the branch that the task's next agent is to have is in that agent's way.
fn priority_of(what: &JobKind, task: &Task, board: &Board) -> JobPriority {
    if !matches!(what, JobKind::Settle | JobKind::Retire) {
        return JobPriority::Urgent;
    }
    let next = task.open_attempt.and_then(|next| board.attempts.get(&next));
    let flow = board.workflows.get(&task.workflow);
    let stage = next.and_then(|next| flow?.stage(&next.stage));
    let wants = next.zip(stage).map(|(next, stage)| next.mode.workspace(stage));
    match wants {
        Some(Workspace::Branch) => JobPriority::Urgent,
        _ => JobPriority::Background,
    }
}

/// Returns the name in the folder of worktrees: the agent's name and the attempt's number, so that a name used twice over the life of a
/// project never means the same folder. An agent that continues a session continues in its folder.
pub(super) fn folder_of(attempt: &Attempt) -> Option<String> {
    Some(attempt.session_origin()?.workspace_folder())
}
