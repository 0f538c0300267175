//! `dbs atdd status` and `dbs atdd history`: the state of the queue, by the base branch and the board, and the finished stories.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::adapters::clock;
use crate::adapters::git::GitCli;
use crate::cli::commands::prelude::*;
use crate::cli::commands::run::rows;
use crate::config::atdd::StorySettings;
use crate::config::session_setup;
use crate::domain::{Task, counted, queued_prd};
use crate::formats::prd::{self, PrdDocument, PrdStory};
use crate::formats::story_files::{HISTORY_FILE, STATE_FILE, StoryState, read_history, read_state};
use crate::plans::all_stories;
use crate::plans::shown::standing_of;
use crate::plans::story_record::{BaseRecord, RecordedTexts, StoryRecord};
use crate::ports::git::{BranchName, CommitFile, CommitId, Git as _, Head, Revision};

/// Maximum bytes of a file that is read.
const LARGEST: usize = 1024 * 1024;

/// The files of the base branch as origin has them: the results of stories are written there.
struct BaseFiles {
    git: GitCli,
    name: String,
    commit: CommitId,
}

impl BaseFiles {
    fn open(env: &ProcessEnv, paths: &ProjectPaths) -> CommandResult<BaseFiles> {
        let base = session_setup::read(paths, env)?.settings.base;
        let name = base.ok_or_else(|| {
            CommandError::config(
                "could not look at the queue: no base branch is set: dbs config base_branch NAME",
            )
        })?;
        let branch = BranchName::new(&name)?;
        let setup = paths.git_setup(env.environment.clone());
        let remote = setup.remote.name();
        let git = GitCli::open(&setup)?;
        match git.resolve(&Revision::RemoteBranch(branch)) {
            Head::At(commit) => Ok(BaseFiles { git, name, commit }),
            Head::Absent => Err(CommandError::project(format!(
                "could not look at the queue: {remote} has no branch {name}; push it: git push {remote} {name}"
            ))),
            Head::Unknown(why) => Err(CommandError::project(format!(
                "could not look for {name} on {remote}: {why}"
            ))),
        }
    }

    fn read(&self, path: &str) -> CommandResult<Option<String>> {
        let failed = |why: &str| {
            Err(CommandError::project(format!(
                "could not read {path} of {}: {why}",
                self.name
            )))
        };
        match self.git.file_at(&self.commit, path, LARGEST) {
            Ok(CommitFile::Absent) => Ok(None),
            Ok(CommitFile::Text(text)) if !text.truncated => Ok(Some(text.text)),
            Ok(CommitFile::Text(_)) => failed(&format!("it has more than {LARGEST} bytes")),
            Ok(CommitFile::NoFile) => failed("it is not a file"),
            Err(error) => Err(could_not(error)),
        }
    }

    /// Returns the record of stories, with what the board knows of those that are not on the base.
    fn record(&self, tasks: &[Arc<Task>]) -> CommandResult<RecordedTexts> {
        let base = BaseRecord::at(&self.git, self.commit.clone())?;
        let record = StoryRecord {
            base: &base,
            state: None,
            history: None,
            stories: tasks.iter().map(Arc::as_ref).collect(),
        };
        Ok(record.now(&|path| base.text(&self.git, path), clock::now())?)
    }

    /// Returns the PRDs in the folder of the queue, in the order of their names.
    fn prds(&self, folder: &str) -> CommandResult<Vec<PrdDocument>> {
        let files = self.git.list_files(&self.commit, Some(folder))?;
        let is_prd = |path: &&String| queued_prd(folder, path).is_some();
        let mut names: Vec<&String> = files.iter().filter(is_prd).collect();
        names.sort();
        let read = |path: &String| Ok(prd::read(Path::new(path), &self.read(path)?.unwrap_or_default()));
        names.into_iter().map(read).collect()
    }
}

/// Show the progress of the queue: PRDs, stories, and what each waits for
///
/// The current or next story comes from `state.json`. The PRDs are those of the base branch, each with its stories and their state on the
/// board.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs atdd status\ndbs atdd status --json"))]
pub struct AtddStatusArgs {
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for AtddStatusArgs {
    /// Prints the queue: its state, and its PRDs with their stories and the progress of each.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let place = ProjectPaths::find(&env.folder, env)?;
        let folder = StorySettings::of(&place.read_config()).folder;
        let base = BaseFiles::open(env, &place)?;
        let prds = base.prds(&folder)?;
        let tasks = tasks(place)?;
        let state = match base.record(&tasks)?.state {
            Some(text) => Some(read_state(&text).map_err(failed(format!("could not read {STATE_FILE}")))?),
            None => None,
        };
        if self.json.json {
            let prds = prds.iter().map(|prd| as_json(prd, &tasks));
            output::json(&json!({
                "base": base.name, "commit": base.commit.as_str(), "state": state, "prds": prds.collect::<Vec<_>>(),
            }));
            return Ok(ExitCode::SUCCESS);
        }
        output::line(&head(&base.name, state.as_ref()));
        if prds.is_empty() {
            output::line(&format!("queue empty: {} has no PRD in {folder}/", base.name));
        }
        for prd in &prds {
            output::line(&format!(
                "{}: {}, {}",
                prd.file.display(),
                prd.name,
                counted(prd.stories.len(), "story", "stories")
            ));
            output::all(prd.in_order().into_iter().map(|story| {
                format!(
                    "  {:<12} {}  {}",
                    story.id,
                    story.title,
                    standing(prd, story, &tasks)
                )
            }));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the tasks of stories.
fn tasks(paths: ProjectPaths) -> CommandResult<Vec<Arc<Task>>> {
    let rows = rows(&mut BoardAccess::open_project(paths)?, &all_stories())?;
    Ok(rows.tasks.into_values().collect())
}

fn head(base: &str, state: Option<&StoryState>) -> String {
    let Some(state) = state else {
        return format!("{base} has no {STATE_FILE}: no story is done yet");
    };
    let at_hand = match (&state.current_prd, &state.current_story) {
        (Some(prd), Some(story)) => format!("{story} of {prd} is next"),
        _ => "nothing is next".to_owned(),
    };
    format!(
        "{base}: {at_hand}; {}, written {}",
        counted(
            usize::try_from(state.session_count).unwrap_or(usize::MAX),
            "session",
            "sessions"
        ),
        state.last_updated
    )
}

/// Returns the task of a story, found by its PRD and its id.
fn task<'a>(prd: &PrdDocument, story: &PrdStory, tasks: &'a [Arc<Task>]) -> Option<&'a Arc<Task>> {
    let is_it = |task: &&Arc<Task>| {
        let plan = task.plan.as_ref();
        let tests = plan.and_then(|plan| plan.tests.as_ref());
        tests.is_some_and(|tests| tests.id == story.id)
            && plan.is_some_and(|plan| Path::new(&plan.source.plan) == prd.file)
    };
    tasks.iter().find(is_it)
}

/// Returns the progress of a story: from its PRD once it passes, and until then from the board.
fn standing(prd: &PrdDocument, story: &PrdStory, tasks: &[Arc<Task>]) -> String {
    match task(prd, story, tasks) {
        _ if story.passes == Some(true) => "passes".to_owned(),
        Some(task) => standing_of(task),
        None => "not on the board; `dbs atdd run` puts it there".to_owned(),
    }
}

fn as_json(prd: &PrdDocument, tasks: &[Arc<Task>]) -> Value {
    let stories = prd.in_order().into_iter().map(|story| {
        let task = task(prd, story, tasks);
        json!({
            "id": story.id, "title": story.title, "passes": story.passes, "task": task.map(|task| &task.id),
            "state": task.map(|task| task.state.word()), "standing": standing(prd, story, tasks),
        })
    });
    json!({ "file": prd.file, "name": prd.name, "stories": stories.collect::<Vec<_>>() })
}

/// Show the last entries of history.md
///
/// The entries name stories that are done, as the base branch has them, and those that got stuck.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs atdd history\ndbs atdd history --limit 3"))]
pub struct AtddHistoryArgs {
    /// Maximum number of entries to show, newest last
    #[arg(long, default_value_t = 10, value_name = "N", allow_negative_numbers = true)]
    limit: usize,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for AtddHistoryArgs {
    /// Prints the last entries of the history.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let place = ProjectPaths::find(&env.folder, env)?;
        let base = BaseFiles::open(env, &place)?;
        let text = base.record(&tasks(place)?)?.history.unwrap_or_default();
        let entries = read_history(&text);
        let shown = entries
            .get(entries.len().saturating_sub(self.limit)..)
            .unwrap_or_default();
        if self.json.json {
            let shown = shown.iter().map(|entry| {
            json!({
                "story": entry.story, "prd": entry.prd, "commit": entry.commit, "is_blocked": entry.is_blocked, "line": entry.line,
            })
        });
            output::json(&shown.collect::<Vec<_>>());
            return Ok(ExitCode::SUCCESS);
        }
        match shown.first() {
            Some(first) => output::all(text.lines().skip(first.line.saturating_sub(1))),
            None => output::line(&format!("{} has no story in {HISTORY_FILE} yet", base.name)),
        }
        Ok(ExitCode::SUCCESS)
    }
}
