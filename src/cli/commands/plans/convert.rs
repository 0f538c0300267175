//! `dbs convert`, `dbs atdd new` and `dbs design`: an agent turns a text into a plan or a PRD, as a task of the workflow `convert`. The
//! engine gives it its terminal, its limits and the findings of the check; nothing is written to its place before a person has seen it.

mod graph_file;
mod history;
mod placing;
mod plan_files;
mod prd_file;
mod so_far;
mod step_tasks;
mod step_texts;
mod steps;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use self::so_far::DesignSoFar;
use self::step_tasks::DesignTasks;
use self::steps::DesignSteps;
use super::consent;
use super::headless::{self, StartServer};
use super::{in_project, run};
use crate::adapters::child_process::own_program;
use crate::adapters::output;
use crate::adapters::text_file;
use crate::cli::args::{ConvertArgs, JsonFlag, WriterArgs};
use crate::cli::board_access::BoardAccess;
use crate::cli::commands::CommandResult;
use crate::cli::commands::show::EventCursor;
use crate::cli::failure::could_not;
use crate::cli::text_input;
use crate::config::atdd::StorySettings;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::domain::task::GateCommand;
use crate::domain::{
    AgentSettings, BatchId, Command, RunOptions, RunState, Span, Task, TaskDraft, TaskId, TaskState,
};
use crate::formats::design::Complexity;
use crate::formats::plan;
use crate::formats::prompt::MAX_PROMPT_BYTES;

pub use steps::design;

/// Maximum bytes of a text that is converted: the agent receives it as a whole.
const LARGEST: usize = 96 * 1024;
/// Maximum bytes of a prompt beside the text of its task, as far as they are known here.
const BESIDE_TEXT: usize = 16 * 1024;
const _: () = assert!(LARGEST + BESIDE_TEXT <= MAX_PROMPT_BYTES);
/// Maximum bytes of a file of the result that is taken over.
const LARGEST_RESULT: usize = 256 * 1024;

/// Form of the result of a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MadeForm {
    /// A phased plan: a folder with a master file.
    Plan,
    /// A PRD: one file of the queue of stories.
    Prd,
    /// A graph plan for a goal: `.design/plan.json`.
    Graph,
}

impl MadeForm {
    fn word(self) -> &'static str {
        match self {
            MadeForm::Plan => "plan",
            MadeForm::Prd => "PRD",
            MadeForm::Graph => "graph plan",
        }
    }

    /// Returns the beginning of the ids of its tasks.
    fn prefix(self) -> &'static str {
        match self {
            MadeForm::Plan => "convert",
            MadeForm::Prd => "prd",
            MadeForm::Graph => "design",
        }
    }
}

/// Files of a result by their paths in its folder.
type MadeFiles = BTreeMap<PathBuf, String>;

/// Function that reads a file of the commit that an agent made, by its path in the project.
type OpenMade<'a> = &'a mut dyn FnMut(&Path) -> Result<String, String>;

/// Material from which an agent makes a plan.
struct Material {
    /// Operation on it, in messages: `convert ideas.md`.
    tried: String,
    text: String,
    /// Name of the result.
    feature: String,
    /// Complexity of a goal according to a person.
    complexity: Option<Complexity>,
}

/// Has a text turned into a phased plan, and writes that where a person says yes to it.
///
/// # Errors
/// The failure, for people.
pub fn convert(edge: &ProcessEnv, wanted: &ConvertArgs, serve: StartServer<'_>) -> CommandResult {
    of_file(edge, (wanted, MadeForm::Plan), serve)
}

/// Has a text turned into a PRD, which goes to the queue of stories.
///
/// # Errors
/// The failure, for people.
pub fn new_prd(edge: &ProcessEnv, wanted: &ConvertArgs, serve: StartServer<'_>) -> CommandResult {
    of_file(edge, (wanted, MadeForm::Prd), serve)
}

fn of_file(
    edge: &ProcessEnv,
    (wanted, form): (&ConvertArgs, MadeForm),
    serve: StartServer<'_>,
) -> CommandResult {
    let place = ProjectPaths::find(&edge.folder, edge).map_err(could_not)?;
    let tried = format!("convert {}", wanted.file.display());
    let text = text_of(&wanted.file, wanted.writer.name.as_deref());
    let text = text.map_err(|why| format!("could not {tried}: {why}"))?;
    let stem = wanted.file.file_stem().unwrap_or_default().to_string_lossy();
    let feature = wanted.writer.name.clone().unwrap_or_else(|| stem.into_owned());
    let material = Material {
        tried,
        text,
        feature,
        complexity: None,
    };
    made_of((edge, &place), (&material, form), &wanted.writer, serve)
}

fn made_of(
    (edge, place): (&ProcessEnv, &ProjectPaths),
    (material, form): (&Material, MadeForm),
    wanted: &WriterArgs,
    serve: StartServer<'_>,
) -> CommandResult {
    let failed = |why: &dyn std::fmt::Display| format!("could not {}: {why}", material.tried);
    let feature = material.feature.trim().to_owned();
    let slug = plan::slug(&feature);
    let mut job = Conversion {
        edge,
        place,
        form,
        folder: match form {
            MadeForm::Plan => format!("plans/{slug}"),
            MadeForm::Prd => StorySettings::of(&place.read_config()).folder,
            MadeForm::Graph => graph_file::FOLDER.to_owned(),
        },
        slug,
        feature,
        design: DesignSoFar::default(),
    };
    if let Some(there) = job.taken() {
        return Err(failed(&format!(
            "{} is there already; choose another name with --name",
            there.display()
        ))
        .into());
    }
    if let Err(why) = run::trusted(place) {
        return Ok(ended(headless::UNREADY, &why));
    }
    if let Err(error) = serve(place) {
        return Ok(ended(headless::UNREADY, &error.to_string()));
    }
    if form == MadeForm::Graph {
        let steps = DesignSteps {
            tasks: DesignTasks {
                job: &job,
                wanted,
                serve,
            },
            material,
        };
        match steps.take()? {
            Ok(design) => job.design = design,
            Err(code) => return Ok(code),
        }
    }
    job.have_written((material, wanted), serve)
}

/// Prints the reason for ending here; returns its exit code.
fn ended(code: u8, why: &str) -> ExitCode {
    output::problem(why);
    ExitCode::from(code)
}

/// Reads the text of a file, or of standard input, which has no name by itself.
fn text_of(file: &Path, name: Option<&str>) -> Result<String, String> {
    if file.as_os_str() != "-" {
        let most = u64::try_from(LARGEST).unwrap_or(u64::MAX);
        return text_file::read_text(file, most).map_err(|error| error.to_string());
    }
    if name.is_none() {
        return Err("a text from standard input has no name; give one with --name".to_owned());
    }
    text_input::text(file, LARGEST).map_err(|error| error.to_string())
}

/// The conversion to one plan or PRD.
struct Conversion<'a> {
    edge: &'a ProcessEnv,
    place: &'a ProjectPaths,
    form: MadeForm,
    /// The folder of the result, relative to the root of the project.
    folder: String,
    feature: String,
    slug: String,
    /// Results of the steps before a graph plan.
    design: DesignSoFar,
}

impl Conversion<'_> {
    /// Has the result written, shows it to a person, and puts it in its place.
    fn have_written(
        &self,
        (material, wanted): (&Material, &WriterArgs),
        serve: StartServer<'_>,
    ) -> CommandResult {
        let failed = |why: &dyn std::fmt::Display| format!("could not {}: {why}", material.tried);
        let mut events = EventCursor::new(self.place.store.clone());
        events.print_new(wanted.json, &|_old| false)?;
        if self.task()?.is_some_and(|task| task.state == TaskState::Done) {
            output::problem(&format!(
                "{} is done already, and this is what it made; choose another name with --name to have it made anew",
                self.id()
            ));
        }
        self.ask_for(wanted, material)?;
        let code = headless::wait(
            self.place,
            &self.batch(),
            (events, wanted.output, wanted.json),
            serve,
        )?;
        // A person who approved it elsewhere has not seen it written.
        let is_made =
            |task: &std::sync::Arc<Task>| task.state.awaits_approval() || task.state == TaskState::Done;
        let Some(task) = self.task()?.filter(is_made) else {
            return Ok(ExitCode::from(code));
        };
        let files = self.result(&task).map_err(|why| failed(&why))?;
        if let Err(why) = consent::ask(&self.consent(&files), wanted.trust.as_deref()) {
            let id = self.id();
            let why = format!(
                "{why}; `dbs reject {id} WHY` has it written again, and the same command waits for that"
            );
            if wanted.trust.is_none() && !consent::can_ask() {
                return Ok(ended(RunState::Stalled.exit_code(), &why));
            }
            return Err(why.into());
        }
        self.write(&files).map_err(|why| failed(&why))?;
        self.conclude(&task, &files, wanted.json)
    }

    /// Accepts the work of the agent whose files were written, and prints the next step.
    fn conclude(&self, task: &Task, files: &MadeFiles, json: JsonFlag) -> CommandResult {
        if task.state != TaskState::Done {
            self.execute(Command::Approve(self.id()))?;
        }
        self.close_missing()?;
        let root = &self.place.root;
        let made = files.keys().map(|name| root.join(&self.folder).join(name));
        let mut names: Vec<String> = made.map(|file| in_project(&file, root)).collect();
        if json.json {
            output::json(&serde_json::json!({ "files": names }));
            return Ok(ExitCode::SUCCESS);
        }
        let first = names.swap_remove(0);
        output::line(&match self.form {
            MadeForm::Plan => format!("written; next: dbs audit {first}; dbs run {first}"),
            MadeForm::Prd => {
                format!("written; next: dbs atdd check {first}; commit and push it; dbs atdd run")
            }
            MadeForm::Graph => {
                output::all(graph_file::summary(files));
                "written; next: dbs execute".to_owned()
            }
        });
        Ok(ExitCode::SUCCESS)
    }

    fn id(&self) -> TaskId {
        let other = self.design.complexity.filter(|_| self.design.is_overruled);
        match other {
            Some(complexity) => step_tasks::step_id(&format!("design-{}", complexity.word()), &self.slug),
            None => self.first_id(),
        }
    }

    /// Returns the task that writes the plan, unless a person has overruled the complexity of the goal.
    fn first_id(&self) -> TaskId {
        TaskId::new(format!("{}-{}", self.form.prefix(), self.slug))
    }

    fn batch(&self) -> BatchId {
        BatchId::new(self.id().as_str())
    }

    /// Returns the existing file or folder of that name.
    fn taken(&self) -> Option<PathBuf> {
        match self.form {
            MadeForm::Plan => Some(self.place.root.join(&self.folder)).filter(|folder| folder.exists()),
            MadeForm::Prd => prd_file::taken(&self.place.root.join(&self.folder), &self.slug),
            // The plan that is there is kept beside the new one.
            MadeForm::Graph => None,
        }
    }

    fn access(&self) -> Result<BoardAccess, String> {
        Ok(BoardAccess::open_project(self.place.clone())?)
    }

    fn task(&self) -> Result<Option<std::sync::Arc<Task>>, String> {
        Ok(self.access()?.task(&self.id())?.map(|detail| detail.task))
    }

    fn execute(&self, command: Command) -> Result<(), String> {
        let answer = self.access()?.execute(&self.edge.author(), command)?;
        answer.map(drop).map_err(|refusal| refusal.why)
    }

    /// Puts the task on the board; an existing one is waited for.
    fn ask_for(&self, wanted: &WriterArgs, material: &Material) -> Result<(), String> {
        let text = material.text.as_str();
        let id = self.id();
        if let Some(task) = self.task()? {
            return match task.state {
                TaskState::Cancelled => Err(format!(
                    "could not {}: {id} was closed; choose another name with --name",
                    material.tried
                )),
                _ => Ok(()),
            };
        }
        self.close_first()?;
        let what = format!("{} of {}", self.form.word(), self.feature);
        self.execute(Command::PutBatch {
            id: self.batch(),
            title: what.clone(),
            goal: format!("a {} in {}", self.form.word(), self.folder),
            base: None,
            options: RunOptions::default(),
        })?;
        let (body, check) = match self.form {
            MadeForm::Plan => (
                plan_files::body(self, text),
                format!("audit {}", plan_files::master(self)),
            ),
            MadeForm::Prd => (
                prd_file::body(self, text)?,
                format!("atdd check {}", prd_file::made(self)),
            ),
            MadeForm::Graph => (graph_file::body(self, text), graph_file::check(self)),
        };
        self.execute(Command::Create(TaskDraft {
            batch: self.batch(),
            workflow: "convert".into(),
            body,
            gates: vec![GateCommand {
                name: "plan".to_owned(),
                command: own_program(&check),
            }],
            agent: Box::new(AgentSettings {
                agent: wanted.agent.clone(),
                model: match self.form {
                    MadeForm::Graph => graph_file::model(self, wanted),
                    MadeForm::Plan | MadeForm::Prd => wanted.model.clone(),
                },
                ..AgentSettings::default()
            }),
            // An agent that designs looks at the whole project first.
            timeout: (self.form == MadeForm::Graph).then(|| Span::minutes(30)),
            ..TaskDraft::new(id.as_str(), format!("Write the {what}"))
        }))?;
        self.execute(Command::Release(vec![id]))
    }
}

/// Returns a text in a block of code that nothing in it can end.
fn fenced(text: &str) -> String {
    let longest = text
        .split(|sign| sign != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{}\n{fence}", text.trim_end())
}
