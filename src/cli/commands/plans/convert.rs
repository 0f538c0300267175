//! `dbs convert` and `dbs atdd new`: an agent turns a text into a phased plan or a PRD, as a task of the workflow `convert`. The engine gives
//! it its terminal, its limits and what the check found; nothing is written to its place before a person has seen it.

mod plan_files;
mod prd_file;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::consent::{self, Consent};
use super::headless::{self, StartServer};
use super::{in_project, run};
use crate::adapters::child_process::own_program;
use crate::adapters::git::{GitCli, GitSetup};
use crate::adapters::output;
use crate::adapters::text_file;
use crate::cli::args::{ConvertArgs, JsonFlag};
use crate::cli::board_access::BoardAccess;
use crate::cli::commands::CommandResult;
use crate::cli::commands::show::EventCursor;
use crate::cli::failure::could_not;
use crate::cli::text_input;
use crate::config::atdd::StorySettings;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::config::trust::{ListedText, TrustItem, TrustKind, TrustListing};
use crate::domain::task::GateCommand;
use crate::domain::{
    AgentSettings, BatchId, Command, RunOptions, RunState, Task, TaskDraft, TaskId, TaskState,
};
use crate::formats::plan;
use crate::ports::git::{CommitFile, CommitId, Git as _};

/// Largest text that is converted, in bytes: it is told to the agent as a whole.
const LARGEST: u64 = 128 * 1024;
/// Largest file of the result that is taken over, in bytes.
const LARGEST_RESULT: usize = 256 * 1024;

/// What a text is turned into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MadeForm {
    /// A phased plan: a folder with a master file.
    Plan,
    /// A PRD: one file of the queue of stories.
    Prd,
}

impl MadeForm {
    fn word(self) -> &'static str {
        match self {
            MadeForm::Plan => "plan",
            MadeForm::Prd => "PRD",
        }
    }

    /// Begins the ids of its tasks.
    fn prefix(self) -> &'static str {
        match self {
            MadeForm::Plan => "convert",
            MadeForm::Prd => "prd",
        }
    }
}

/// Files of a result by their paths in its folder.
type MadeFiles = BTreeMap<PathBuf, String>;

/// Reads a file of the commit that an agent made, by its path in the project.
type OpenMade<'a> = &'a mut dyn FnMut(&Path) -> Result<String, String>;

/// Has a text turned into a plan or a PRD, and writes that where a person says yes to it.
///
/// # Errors
/// What could not be done, for people.
pub fn convert(
    edge: &ProcessEnv,
    (wanted, form): (&ConvertArgs, MadeForm),
    serve: StartServer<'_>,
) -> CommandResult {
    let place = ProjectPaths::find(&edge.folder, edge).map_err(could_not)?;
    let failed = |why: &dyn std::fmt::Display| format!("could not convert {}: {why}", wanted.file.display());
    let text = text_of(wanted).map_err(|why| failed(&why))?;
    let stem = wanted.file.file_stem().unwrap_or_default().to_string_lossy();
    let feature = wanted.name.as_deref().unwrap_or(&stem).trim().to_owned();
    let slug = plan::slug(&feature);
    let job = Conversion {
        edge,
        place: &place,
        form,
        folder: match form {
            MadeForm::Plan => format!("plans/{slug}"),
            MadeForm::Prd => StorySettings::of(&place.config()).folder,
        },
        slug,
        feature,
    };
    if let Some(there) = job.taken() {
        return Err(failed(&format!(
            "{} is there already; choose another name with --name",
            there.display()
        )));
    }
    let mut events = EventCursor::new(place.store.clone());
    events.print_new(wanted.json, &|_old| false)?;
    if let Err(why) = run::trusted(&place) {
        return Ok(ended(headless::UNREADY, &why));
    }
    job.ask_for(wanted, &text)?;
    if let Err(why) = serve(&place) {
        return Ok(ended(headless::UNREADY, &why));
    }
    let code = headless::wait(&place, &job.batch(), (events, wanted.output, wanted.json), serve)?;
    // Whoever approved it elsewhere has not seen it written.
    let is_made = |task: &std::sync::Arc<Task>| task.state.awaits_approval() || task.state == TaskState::Done;
    let Some(task) = job.task()?.filter(is_made) else {
        return Ok(ExitCode::from(code));
    };
    let files = job.result(&task).map_err(|why| failed(&why))?;
    if let Err(why) = consent::ask(&job.consent(&files), wanted.trust.as_deref()) {
        let id = job.id();
        let why =
            format!("{why}; `dbs reject {id} WHY` has it written again, and the same command waits for that");
        if wanted.trust.is_none() && !consent::can_ask() {
            return Ok(ended(RunState::Stalled.exit_code(), &why));
        }
        return Err(why);
    }
    job.write(&files).map_err(|why| failed(&why))?;
    job.conclude(&task, &files, wanted.json)
}

/// Says why it ends here; the exit code of that.
fn ended(code: u8, why: &str) -> ExitCode {
    output::problem(why);
    ExitCode::from(code)
}

/// The text of a file, or what comes in, which has no name by itself.
fn text_of(wanted: &ConvertArgs) -> Result<String, String> {
    if wanted.file.as_os_str() != "-" {
        return text_file::read_text(&wanted.file, LARGEST).map_err(|error| error.to_string());
    }
    if wanted.name.is_none() {
        return Err("a text from standard input has no name; give one with --name".to_owned());
    }
    text_input::text(&wanted.file, usize::try_from(LARGEST).unwrap_or(usize::MAX))
}

/// The making of one plan or PRD.
struct Conversion<'a> {
    edge: &'a ProcessEnv,
    place: &'a ProjectPaths,
    form: MadeForm,
    /// The folder of the result, from the root of the project.
    folder: String,
    feature: String,
    slug: String,
}

impl Conversion<'_> {
    /// Accepts the work of the agent whose files were written, and says what to do next.
    fn conclude(&self, task: &Task, files: &MadeFiles, json: JsonFlag) -> CommandResult {
        if task.state != TaskState::Done {
            self.execute(Command::Approve(self.id()))?;
        }
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
        });
        Ok(ExitCode::SUCCESS)
    }

    fn id(&self) -> TaskId {
        TaskId::new(format!("{}-{}", self.form.prefix(), self.slug))
    }

    fn batch(&self) -> BatchId {
        BatchId::new(format!("{}-{}", self.form.prefix(), self.slug))
    }

    /// What has its name already.
    fn taken(&self) -> Option<PathBuf> {
        match self.form {
            MadeForm::Plan => Some(self.place.root.join(&self.folder)).filter(|folder| folder.exists()),
            MadeForm::Prd => prd_file::taken(&self.place.root.join(&self.folder), &self.slug),
        }
    }

    fn access(&self) -> Result<BoardAccess, String> {
        BoardAccess::open_project(self.place.clone())
    }

    fn task(&self) -> Result<Option<std::sync::Arc<Task>>, String> {
        Ok(self.access()?.task(&self.id())?.map(|detail| detail.task))
    }

    fn execute(&self, command: Command) -> Result<(), String> {
        let answer = self.access()?.execute(&self.edge.author(), command)?;
        answer.map(drop).map_err(|refusal| refusal.why)
    }

    /// Puts the task on the board; one that is there is waited for.
    fn ask_for(&self, wanted: &ConvertArgs, text: &str) -> Result<(), String> {
        let id = self.id();
        if let Some(task) = self.task()? {
            return match task.state {
                TaskState::Cancelled => Err(format!(
                    "could not convert {}: {id} was closed; choose another name with --name",
                    wanted.file.display()
                )),
                _ => Ok(()),
            };
        }
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
                model: wanted.model.clone(),
                ..AgentSettings::default()
            }),
            ..TaskDraft::new(id.as_str(), format!("Write the {what}"))
        }))?;
        self.execute(Command::Release(vec![id]))
    }

    /// The files of the result at the commit that was checked, and no other.
    fn result(&self, task: &Task) -> Result<MadeFiles, String> {
        let head = task.head.as_deref().ok_or("nothing was committed")?;
        let head = CommitId::new(head).map_err(could_not)?;
        let setup = GitSetup::new(&self.place.root, self.edge.environment.clone());
        let git = GitCli::open(&setup).map_err(could_not)?;
        let mut open = |path: &Path| {
            let name = path.to_str().unwrap_or_default().replace('\\', "/");
            match git.file_at(&head, &name, LARGEST_RESULT) {
                Ok(CommitFile::Text(text)) if !text.truncated => Ok(text.text),
                Ok(CommitFile::Text(_)) => Err(format!("it has more than {LARGEST_RESULT} bytes")),
                Ok(CommitFile::Absent) => Err("it is not there".to_owned()),
                Ok(CommitFile::NoFile) => Err("it is no file".to_owned()),
                Err(error) => Err(could_not(error)),
            }
        };
        match self.form {
            MadeForm::Plan => plan_files::result(self, &mut open),
            MadeForm::Prd => prd_file::result(self, &mut open),
        }
    }

    /// Everything that would be written.
    fn consent(&self, files: &MadeFiles) -> Consent {
        let lines = files.iter().flat_map(|(name, text)| {
            let head = format!("--- {}/{}", self.folder, name.display());
            std::iter::once(head).chain(text.lines().map(str::to_owned))
        });
        let items = files.iter().map(|(name, text)| ListedText {
            item: TrustItem {
                kind: TrustKind::Prompt,
                name: name.display().to_string(),
                text: text.clone(),
            },
            file: self.place.root.join(&self.folder).join(name),
            line: 1,
        });
        Consent {
            listing: TrustListing {
                items: items.collect(),
            },
            trusted: Vec::new(),
            shown: ("What was made:", lines.collect()),
        }
    }

    /// Writes all files or none.
    fn write(&self, files: &MadeFiles) -> Result<(), String> {
        let folder = match self.form {
            MadeForm::Plan => self.place.root.join("plans"),
            MadeForm::Prd => self.place.root.join(&self.folder),
        };
        let failed = |error: std::io::Error| format!("could not write {}: {error}", folder.display());
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let (real, root) = (
            folder.canonicalize().map_err(failed)?,
            self.place.root.canonicalize(),
        );
        if !real.starts_with(root.map_err(failed)?) {
            return Err(format!("{} lies outside of the project", folder.display()));
        }
        let made = tempfile::Builder::new()
            .prefix(".new-")
            .tempdir_in(&real)
            .map_err(failed)?;
        for (name, text) in files {
            let file = made.path().join(&self.slug).join(name);
            std::fs::create_dir_all(file.parent().unwrap_or(&real)).map_err(failed)?;
            std::fs::write(&file, text).map_err(failed)?;
        }
        let made = made.path().join(&self.slug);
        let (from, to) = match (self.form, files.keys().next()) {
            (MadeForm::Prd, Some(name)) => (made.join(name), real.join(name)),
            (MadeForm::Prd | MadeForm::Plan, _) => (made, real.join(&self.slug)),
        };
        if to.exists() {
            return Err(format!("{} is there meanwhile", to.display()));
        }
        std::fs::rename(from, to).map_err(failed)
    }
}

/// A text in a block of code that nothing in it can end.
fn fenced(text: &str) -> String {
    let longest = text
        .split(|sign| sign != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{}\n{fence}", text.trim_end())
}
