//! Plans and PRDs that agents make of a text: the next step of a job, concluded from the job, the tasks of its batch and the documents that
//! these have committed. What was concluded before is not kept, so that a job goes on wherever it was left.

mod design;
mod design_tasks;
mod graph_file;
mod history;
mod placing;
mod plan_files;
mod prd_file;
mod so_far;
mod texts;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use self::design::{LARGEST_GOAL, goal_name};
use self::design_tasks::{PendingStep, step_id};
pub use self::graph_file::summary;
pub use self::placing::committed_file;
pub use self::so_far::DesignSoFar;
use super::reconcile::PlanTasks;
use super::setup::PlanSetup;
use crate::adapters::child_process::own_program;
use crate::config::atdd::StorySettings;
use crate::config::project_paths::ProjectPaths;
use crate::domain::task::GateCommand;
use crate::domain::{
    AgentSettings, BatchId, Cause, Command, JobStep, MadeForm, PlanJob, Span, Task, TaskDraft, TaskId,
    TaskState,
};
use crate::formats::design::Complexity;
use crate::formats::plan;
use crate::formats::prompt::MAX_PROMPT_BYTES;

/// Maximum bytes of a text that is converted: the agent receives it as a whole.
pub const LARGEST_TEXT: usize = 96 * 1024;
/// Maximum bytes of a prompt beside the text of its task, as far as they are known here.
const BESIDE_TEXT: usize = 16 * 1024;
/// Maximum bytes of a file of the result that is taken over.
const LARGEST_RESULT: usize = 256 * 1024;
const _: () = assert!(LARGEST_TEXT + BESIDE_TEXT <= MAX_PROMPT_BYTES);

/// Files of a result by their paths in its folder.
pub type MadeFiles = BTreeMap<PathBuf, String>;

/// Function that reads a file at the commit of a task that was checked, by its path in the project.
pub type OpenCommitted<'a> = &'a dyn Fn(&Task, &Path) -> Result<String, Cause>;

/// Name and place of what a job makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeName {
    pub form: MadeForm,
    pub feature: String,
    pub slug: String,
    /// Folder of the result, from the root of the project.
    pub folder: String,
}

/// A job with all that its next step depends on.
pub struct PlanMaking<'a> {
    pub name: MadeName,
    paths: &'a ProjectPaths,
    job: &'a PlanJob,
    /// The tasks of the board, at least those of the job's batch.
    tasks: &'a PlanTasks,
    open: OpenCommitted<'a>,
    setup: PlanSetup,
}

/// Next step of a job.
#[derive(Debug, PartialEq)]
pub enum MakingStep {
    /// A task has to be over first, or a person has to say yes.
    Wait,
    /// The board is to do this, all of it or none.
    Ask(Vec<Command>),
    /// The result of the task has a yes, and is to be put in its place.
    Place(TaskId),
}

impl MadeName {
    /// Names what is made of that name in a project.
    pub fn new(paths: &ProjectPaths, form: MadeForm, feature: &str) -> MadeName {
        let feature = feature.trim().to_owned();
        let slug = plan::slug(&feature);
        let folder = match form {
            MadeForm::Plan => format!("plans/{slug}"),
            MadeForm::Prd => StorySettings::of(&paths.read_config()).folder,
            MadeForm::Graph => graph_file::FOLDER.to_owned(),
        };
        MadeName {
            form,
            feature,
            slug,
            folder,
        }
    }

    /// Returns the batch of the job.
    pub fn batch(&self) -> BatchId {
        BatchId::new(self.task().as_str())
    }

    /// Returns the task that writes the result, unless a person has overruled the complexity of the goal.
    pub fn task(&self) -> TaskId {
        TaskId::new(format!("{}-{}", self.form.prefix(), self.slug))
    }

    /// Returns the existing file or folder of that name.
    pub fn taken(&self, paths: &ProjectPaths) -> Option<PathBuf> {
        let folder = paths.root.join(&self.folder);
        match self.form {
            MadeForm::Plan => Some(folder).filter(|folder| folder.exists()),
            MadeForm::Prd => prd_file::taken(&folder, &self.slug),
            // The plan that is there is kept beside the new one.
            MadeForm::Graph => None,
        }
    }
}

impl<'a> PlanMaking<'a> {
    /// Puts together what the next step of a job depends on.
    pub fn new(
        paths: &'a ProjectPaths,
        job: &'a PlanJob,
        tasks: &'a PlanTasks,
        open: OpenCommitted<'a>,
    ) -> PlanMaking<'a> {
        PlanMaking {
            name: MadeName::new(paths, job.form, &job.feature),
            paths,
            job,
            tasks,
            open,
            setup: PlanSetup::read(paths),
        }
    }

    /// Returns the next step of the job.
    ///
    /// # Errors
    /// When the job cannot go on.
    pub fn step(&self) -> Result<MakingStep, Cause> {
        match &self.job.step {
            JobStep::Preparing => self.prepare(),
            JobStep::Ordered => {
                let mut commands = vec![Command::MoveJob(self.name.batch(), JobStep::Preparing)];
                if let MakingStep::Ask(more) = self.prepare()? {
                    commands.extend(more);
                }
                Ok(MakingStep::Ask(commands))
            }
            JobStep::Accepted(writer) => Ok(MakingStep::Place(writer.clone())),
            JobStep::Writing(_) | JobStep::Written(..) | JobStep::Failed(..) => Ok(MakingStep::Wait),
        }
    }

    /// Returns the next step of those before the result is written.
    fn prepare(&self) -> Result<MakingStep, Cause> {
        match self.design() {
            Ok(design) => self.writing(&design).map(MakingStep::Ask),
            Err(PendingStep::Ask(commands)) => Ok(MakingStep::Ask(commands)),
            Err(PendingStep::Wait) => Ok(MakingStep::Wait),
            Err(PendingStep::Fault(why)) => Err(why.into()),
        }
    }

    /// Puts the result of a task in its place, unless it is there already. Returns the commands that say so to the board.
    ///
    /// # Errors
    /// When the task is not on the board any more, its result cannot be used, or the files cannot be written.
    pub fn put_in_place(&self, writer: &TaskId) -> Result<Vec<Command>, Cause> {
        let Some(task) = self.tasks.get(writer) else {
            return Err(format!("{writer} is not on the board any more").into());
        };
        let (design, files) = (self.so_far()?, self.result(task)?);
        let files = if let Some(placed) = self.placed(&files) {
            placed
        } else {
            self.write(&files, &design)?;
            files.into_keys().collect()
        };
        let names = files
            .iter()
            .map(|name| format!("{}/{}", self.name.folder, name.display()));
        let written = JobStep::Written(writer.clone(), names.collect());
        Ok(self
            .closing_missing(&design)
            .chain([Command::MoveJob(self.name.batch(), written)])
            .collect())
    }

    /// Returns the commands that close the tasks without a result: the plan was made without them, so they need no person any more.
    fn closing_missing(&self, design: &DesignSoFar) -> impl Iterator<Item = Command> {
        let failed = |id: &&TaskId| {
            let task = self.tasks.get(*id);
            task.is_some_and(|task| matches!(task.state, TaskState::Failed(_)))
        };
        let missing = design.missing.iter().filter(failed);
        missing.map(|id| Command::Close(id.clone(), "the plan was made without it".to_owned()))
    }

    /// Returns the results of the steps before the result itself is written.
    ///
    /// # Errors
    /// A step that is to be taken or is not over.
    fn design(&self) -> Result<DesignSoFar, PendingStep> {
        match self.job.form {
            MadeForm::Plan | MadeForm::Prd => Ok(DesignSoFar::default()),
            MadeForm::Graph => self.designed(),
        }
    }

    /// Returns the results of the steps before, once all are over.
    ///
    /// # Errors
    /// When one of them is worked on again; for people.
    pub fn so_far(&self) -> Result<DesignSoFar, Cause> {
        self.design()
            .map_err(|pending| match pending {
                PendingStep::Fault(why) => why,
                PendingStep::Ask(_) | PendingStep::Wait => {
                    "a step before it is worked on again; call again when that is over".to_owned()
                }
            })
            .map_err(Into::into)
    }

    /// Returns the task that writes the result.
    fn writer(&self, design: &DesignSoFar) -> TaskId {
        let other = design.complexity.filter(|_| design.is_overruled);
        match other {
            Some(complexity) => step_id(&format!("design-{complexity}"), &self.name.slug),
            None => self.name.task(),
        }
    }

    /// Returns the commands that have the result written; a task that is there is waited for.
    fn writing(&self, design: &DesignSoFar) -> Result<Vec<Command>, Cause> {
        let id = self.writer(design);
        let mut commands = Vec::new();
        match self.tasks.get(&id) {
            Some(task) if task.state == TaskState::Cancelled => {
                return Err(format!("{id} was closed; choose another name with --name").into());
            }
            Some(task) if task.state == TaskState::Backlog => {
                commands.push(Command::Release(vec![id.clone()]));
            }
            Some(_) => {}
            None => {
                commands.push(Command::Create(self.writing_task(&id, design)?));
                commands.push(Command::Release(vec![id.clone()]));
            }
        }
        commands.push(Command::MoveJob(self.name.batch(), JobStep::Writing(id)));
        Ok(commands)
    }

    /// Returns the command that closes the task of a plan that was made according to the analysis, once a person overrules it.
    fn closing_first(&self, id: &TaskId) -> Option<Command> {
        let first = self.name.task();
        let known = self.tasks.get(&first).filter(|_| first != *id)?;
        let is_open = !known.state.is_terminal();
        is_open.then(|| Command::Close(first, format!("designed again as {id}")))
    }

    fn writing_task(&self, id: &TaskId, design: &DesignSoFar) -> Result<TaskDraft, Cause> {
        let (body, check) = match self.job.form {
            MadeForm::Plan => self.plan_order()?,
            MadeForm::Prd => self.prd_order()?,
            MadeForm::Graph => self.graph_order(design)?,
        };
        let what = format!("{} of {}", self.job.form.word(), self.name.feature);
        Ok(TaskDraft {
            batch: self.name.batch(),
            workflow: "convert".into(),
            body,
            gates: vec![GateCommand {
                name: "plan".to_owned(),
                command: own_program(&check),
            }],
            agent: Box::new(AgentSettings {
                agent: self.job.agent.clone(),
                model: match self.job.form {
                    MadeForm::Graph => self.graph_model(design),
                    MadeForm::Plan | MadeForm::Prd => self.job.model.clone(),
                },
                ..AgentSettings::default()
            }),
            // An agent that designs looks at the whole project first.
            timeout: (self.job.form == MadeForm::Graph).then(|| Span::minutes(30)),
            ..TaskDraft::new(id.as_str(), format!("Write the {what}"))
        })
    }

    /// Returns the model of an agent: the one the person named, or the one that suits the work where Claude does it.
    fn model(&self, workflow: &str, stage: &str, hint: &str) -> Option<String> {
        let is_claude = match self.job.agent.as_deref() {
            Some(agent) => agent == "claude",
            None => self.setup.is_claude(workflow, Some(stage)),
        };
        let hint = || is_claude.then(|| hint.to_owned());
        self.job.model.clone().or_else(hint)
    }

    fn complexity(&self) -> Option<Complexity> {
        self.job.complexity.as_deref().and_then(|word| word.parse().ok())
    }

    fn task(&self, id: &TaskId) -> Option<&Arc<Task>> {
        self.tasks.get(id)
    }
}
