//! `dbs plan write-back`: writes the state of its phases on the board into the files of a plan. Only on request, and nothing else in them
//! changes.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use super::run::known;
use super::{LARGEST, PlanTexts, TaskOf, graphs, in_project, read_files};
use crate::adapters::output;
use crate::adapters::text_file;
use crate::cli::args::WriteBackArgs;
use crate::cli::board_access::BoardAccess;
use crate::cli::commands::CommandResult;
use crate::cli::failure::could_not;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::domain::{Task, pluralized};
use crate::formats::plan::{self, PhaseStatus, Plan, PlanItem, PlanKind};

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A file as it was read, and its new text.
struct Change {
    file: PathBuf,
    old: Vec<u8>,
    new: Vec<u8>,
}

/// Writes the statuses of its phases into a plan, and ticks the tasks of those that are done.
pub(super) fn write_back(edge: &ProcessEnv, wanted: &WriteBackArgs) -> CommandResult {
    let place = ProjectPaths::find(&edge.folder, edge).map_err(could_not)?;
    let (plan, texts) = read_files(&wanted.plan, Some(&place))?;
    if !plan.is_sound() {
        return Err(could_not("write back: the plan has errors, `dbs audit` shows them").into());
    }
    let (_, tasks) = known(&mut BoardAccess::open_project(place.clone())?, &plan)?;
    if tasks.is_empty() {
        return Err(could_not("write back: the plan is not on the board; `dbs run` puts it there").into());
    }
    let task = |item: &PlanItem| {
        let is_it = |task: &&Arc<Task>| {
            let entry = task.plan.as_ref();
            entry.is_some_and(|entry| entry.source.item == item.id)
        };
        tasks.values().find(is_it)
    };
    let changes = changes((&plan, &texts), &place, &task)?;
    let mut files: Vec<String> = changes
        .iter()
        .map(|change| in_project(&change.file, &place.root))
        .collect();
    files.sort();
    if !wanted.dry_run {
        for change in &changes {
            text_file::replace_unchanged(&change.file, &change.old, &change.new)
                .map_err(|error| failed(&change.file, &error))?;
        }
    }
    let done = graphs::name_when_done(&plan, &task);
    if let Some(name) = done.as_deref().filter(|_| !wanted.dry_run) {
        rename(&plan.file, name)?;
    }
    let done = done.map(|name| in_project(&name, &place.root));
    if wanted.json.json {
        output::json(&serde_json::json!({ "files": files, "written": !wanted.dry_run, "renamed": done }));
        return Ok(ExitCode::SUCCESS);
    }
    let what = if wanted.dry_run {
        "to be changed"
    } else {
        "changed"
    };
    if files.is_empty() {
        output::line("the files of the plan say already what the board knows");
    } else {
        output::line(&format!(
            "{} {what}: {}",
            pluralized(files.len(), "file"),
            files.join(", ")
        ));
    }
    if let Some(name) = done {
        let what = if wanted.dry_run {
            "to be renamed"
        } else {
            "renamed"
        };
        output::line(&format!("all tasks are done; the plan is {what} to {name}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Renames a file; an existing file of that name is never replaced.
fn rename(file: &Path, name: &Path) -> Result<(), String> {
    if name.exists() {
        let why = format!(
            "all its tasks are done, but {} is there already; move that away",
            name.display()
        );
        return Err(failed(file, &why));
    }
    std::fs::rename(file, name).map_err(|error| failed(file, &error))
}

fn failed(file: &Path, why: &dyn std::fmt::Display) -> String {
    format!("could not write back to {}: {why}", file.display())
}

/// Returns the changes of each file; an error where one is no longer as it was read.
fn changes(
    (plan, texts): (&Plan, &PlanTexts),
    place: &ProjectPaths,
    task: TaskOf<'_>,
) -> Result<Vec<Change>, String> {
    let root = place
        .root
        .canonicalize()
        .map_err(|error| failed(&place.root, &error))?;
    let mut found = Vec::new();
    let mut change = |file: &Path, edit: &dyn Fn(&str) -> String| {
        let real = file.canonicalize().map_err(|error| failed(file, &error))?;
        if !real.starts_with(&root) {
            return Err(failed(file, &"it is outside of the project"));
        }
        let old = text_file::read(&real, LARGEST).map_err(|error| failed(&real, &error))?;
        let whole = std::str::from_utf8(&old).map_err(|_not_text| failed(&real, &"it is no UTF-8 text"))?;
        let text = whole.strip_prefix(BYTE_ORDER_MARK).unwrap_or(whole);
        if texts.get(file).map(String::as_str) != Some(text) {
            return Err(failed(&real, &"it was changed meanwhile"));
        }
        let mark = whole.len() - text.len();
        let new = [
            whole.as_bytes().get(..mark).unwrap_or_default(),
            edit(text).as_bytes(),
        ]
        .concat();
        if new != old {
            found.push(Change { file: real, old, new });
        }
        Ok(())
    };
    if plan.kind == PlanKind::Graph {
        change(&plan.file, &|text| graphs::with_progress(plan, text, task))?;
        return Ok(found);
    }
    let status = |item: &PlanItem| plan::status_of(task(item)?);
    change(&plan.file, &|text| plan::with_statuses(plan, text, &status))?;
    for item in &plan.items {
        if status(item) == Some(PhaseStatus::Completed)
            && let Some(file) = &item.file
        {
            change(file, &|text| plan::with_ticks(item, text))?;
        }
    }
    Ok(found)
}
