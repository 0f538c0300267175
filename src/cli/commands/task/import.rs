//! `dbs task import`: many tasks from a file, all of them or none, in one turn of the board.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::create;
use crate::cli::commands::prelude::*;
use crate::cli::text_input;
use crate::domain::{Command, Refusal, TaskDraft, TaskId};
use crate::formats::finding::{Finding, FindingLevel};
use crate::formats::task_list::{self, ListedTask};
use crate::formats::work_list::{TextShape, shape_of};

/// Maximum bytes of a file that is read: everything the board takes in one turn goes over one wire.
pub(in crate::cli::commands) const LARGEST: usize = 16 * 1024 * 1024;

/// Create many tasks in the backlog, all of them or none
///
/// Each task is an object with a `title`. Optional fields are `description`, `deps`, `tags`, `priority`, `type`, `stage`, `workflow`,
/// `batch`, `approval`, `gates`, `timeout`, `agent`, `plan`, `id` and `name`; docs/commands.md describes them. Errors are reported with
/// file and line, and then no task is created. From the output of `dbs task list --json`, tasks are taken without their progress.
///
/// `dbs import` also reads lists of other tools, and asks first; `dbs convert` has an agent turn a text into a plan.
#[derive(Debug, Args)]
#[command(add = facts(Conductors, "dbs task import plan.jsonl\ndbs task import - <tasks.json"))]
pub struct ImportArgs {
    /// JSON objects, one per line, or the output of `dbs task list --json`; `-` reads standard input
    file: PathBuf,
    /// Release the tasks at once
    #[arg(long)]
    release: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for ImportArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let mut access = BoardAccess::open(env)?;
        let tasks = read(&self.file)?;
        put_all(
            &mut access,
            &env.author(),
            &self.file,
            &tasks,
            self.release,
            self.json,
        )
    }
}

/// Puts the tasks of a file on the board in one turn, and prints their ids.
pub(in crate::cli::commands) fn put_all(
    access: &mut BoardAccess,
    by: &str,
    file: &Path,
    tasks: &[ListedTask],
    release: bool,
    json: JsonFlag,
) -> CommandResult {
    let drafts: Vec<&TaskDraft> = tasks.iter().map(|task| &task.draft).collect();
    let (made, ids) = create::create_tasks(access, by, &drafts, |ids| {
        Command::CreateAll(with_ids(tasks, ids))
    })?;
    let mut answer = made.map_err(|refusal| at_its_line(file, tasks, &ids, refusal))?;
    if release {
        answer = access
            .execute(by, Command::Release(ids.clone()))?
            .map_err(|refusal| {
                CommandError::user(format!(
                    "the tasks were made and stay in the backlog: {}",
                    refusal.why
                ))
            })?;
    }
    let made = tasks.iter().zip(&ids);
    if json.json {
        let made =
            made.map(|(task, id)| serde_json::json!({ "task": id, "name": task.name, "line": task.line }));
        output::json(&serde_json::json!({ "ok": answer.0, "tasks": made.collect::<Vec<_>>() }));
    } else {
        let word = if release { "released" } else { "created" };
        output::all(made.map(|(task, id)| format!("{word} {id}: {}", task.draft.title)));
    }
    Ok(ExitCode::SUCCESS)
}

fn read(file: &Path) -> CommandResult<Vec<ListedTask>> {
    let shown = shown(file);
    let text = text_input::text(file, LARGEST)
        .map_err(failed(format!("could not read tasks from {}", shown.display())))?;
    let shape = shape_of(&text);
    if !matches!(
        shape,
        TextShape::Tasks | TextShape::OtherJson | TextShape::Empty | TextShape::OtherText
    ) {
        let file = shown.display();
        return Err(CommandError::user(format!(
            "could not read tasks from {file}: it is a {}; `dbs import {file}` shows what becomes of it",
            shape.word()
        )));
    }
    tasks_of(shown, &text)
}

/// Reads tasks as they are written for the board.
pub(in crate::cli::commands) fn tasks_of(shown: &Path, text: &str) -> CommandResult<Vec<ListedTask>> {
    let (tasks, findings) = task_list::read(shown, text);
    if !findings.is_empty() {
        let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
        return Err(CommandError::user(lines.join("\n")));
    }
    if tasks.is_empty() {
        return Err(CommandError::user(format!(
            "could not find a task in {}: it is empty; write each as a JSON object on a line of its own, for example {{\"title\": \"Fix login\"}}",
            shown.display()
        )));
    }
    Ok(tasks)
}

/// Returns the file as messages name it.
pub(in crate::cli::commands) fn shown(file: &Path) -> &Path {
    if file.as_os_str() == "-" {
        Path::new("standard input")
    } else {
        file
    }
}

/// Returns the drafts with these ids, and with dependencies given by ids alone.
fn with_ids(tasks: &[ListedTask], ids: &[TaskId]) -> Vec<TaskDraft> {
    let listed = tasks.iter().zip(ids);
    let by_name = listed
        .clone()
        .flat_map(|(task, id)| task.names().map(move |name| (name, id)));
    let by_name: HashMap<&str, &TaskId> = by_name.collect();
    let finished = |(task, id): (&ListedTask, &TaskId)| TaskDraft {
        id: id.clone(),
        deps: task
            .draft
            .deps
            .iter()
            .map(|name| (*by_name.get(name.as_str()).unwrap_or(&name)).clone())
            .collect(),
        ..task.draft.clone()
    };
    listed.map(finished).collect()
}

/// Returns the refusal with the line of the task it is about.
fn at_its_line(file: &Path, tasks: &[ListedTask], ids: &[TaskId], refusal: Refusal) -> CommandError {
    let mut listed = tasks.iter().zip(ids);
    let Some((task, _)) = listed.find(|(_, id)| refusal.about.as_ref() == Some(*id)) else {
        return refusal.into();
    };
    let finding = Finding::new(FindingLevel::Error, shown(file), task.line, refusal.why);
    CommandError::user(finding.to_string())
}
