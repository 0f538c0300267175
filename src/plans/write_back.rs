//! The state of phases on the board, written into the files of their plan; nothing else in them changes.

use std::path::{Path, PathBuf};

use super::plan_folder::LARGEST;
use super::reconcile::PlanRows;
use super::{ReadPlan, in_project};
use crate::adapters::projected;
use crate::adapters::text_file;
use crate::config::project_paths::ProjectPaths;
use crate::domain::{Cause, Task, TaskState};
use crate::formats::graph_plan;
use crate::formats::plan::{self, PhaseStatus, Plan, PlanItem, PlanKind};

/// Number of plans of one name that are done and kept.
const MOST_DONE: u32 = 1000;
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A file as it was read, and its new text.
#[derive(Debug)]
struct Change {
    file: PathBuf,
    old: Vec<u8>,
    new: Vec<u8>,
}

/// Changes of the files of a plan to what the board knows.
#[derive(Debug)]
pub struct WriteBack {
    changes: Vec<Change>,
    file: PathBuf,
    done_name: Option<PathBuf>,
    root: PathBuf,
    state: PathBuf,
    strangers: Vec<String>,
}

impl WriteBack {
    /// Compares the files of a plan with its tasks on the board.
    ///
    /// # Errors
    /// When a file is no longer as it was read, or lies outside of the project; for people.
    pub fn new(read: &ReadPlan, paths: &ProjectPaths, rows: &PlanRows) -> Result<WriteBack, Cause> {
        Ok(WriteBack {
            changes: changes(read, paths, rows)?,
            file: read.plan.file.clone(),
            done_name: name_when_done(&read.plan, rows),
            root: paths.root.clone(),
            state: paths.state.clone(),
            strangers: strangers(&read.plan, rows),
        })
    }

    /// Returns the files that change, as they are named in the project.
    pub fn files(&self, paths: &ProjectPaths) -> Vec<String> {
        let changes = self.changes.iter();
        let mut files: Vec<String> = changes
            .map(|change| in_project(&change.file, &paths.root))
            .collect();
        files.sort();
        files
    }

    /// Returns the name under which a plan is kept whose tasks are all done; `None` for any other.
    pub fn done_name(&self) -> Option<&Path> {
        self.done_name.as_deref()
    }

    /// Returns a sentence on each task of the file that is not the one on the board: nothing is written into it.
    pub fn strangers(&self) -> impl Iterator<Item = &str> {
        self.strangers.iter().map(String::as_str)
    }

    /// Writes the files, and gives a plan that is done its name.
    ///
    /// # Errors
    /// When a file was changed meanwhile, or cannot be written; for people.
    pub fn write(&self) -> Result<(), Cause> {
        self.note().map_err(|error| failed(&self.file, &error))?;
        for change in &self.changes {
            text_file::replace_unchanged(&change.file, &change.old, &change.new)
                .map_err(|error| failed(&change.file, &error))?;
        }
        self.done_name
            .as_ref()
            .map_or(Ok(()), |name| rename(&self.file, name))
    }

    /// Notes what is about to be written, so that it is not taken for a change of the person.
    fn note(&self) -> std::io::Result<()> {
        let written = self.changes.iter();
        let mut files: Vec<(&Path, Option<&[u8]>)> = written
            .map(|change| (change.file.as_path(), Some(change.new.as_slice())))
            .collect();
        let text = text_file::read(&self.file, LARGEST).ok();
        if let Some(name) = &self.done_name {
            let new = files.iter().find(|(file, _)| *file == self.file);
            let content = new.and_then(|(_, content)| *content).or(text.as_deref());
            files.retain(|(file, _)| *file != self.file);
            files.extend([(name.as_path(), content), (self.file.as_path(), None)]);
        }
        if files.is_empty() {
            return Ok(());
        }
        projected::note(&self.state, &self.root, files.into_iter())
    }
}

/// Renames a file; an existing file of that name is never replaced.
fn rename(file: &Path, name: &Path) -> Result<(), Cause> {
    let free = std::fs::File::create_new(name).and_then(|_made| std::fs::rename(file, name));
    free.map_err(|error| failed(file, &error).into())
}

fn failed(file: &Path, why: &dyn std::fmt::Display) -> String {
    format!("could not write back to {}: {why}", file.display())
}

/// Returns the changes of each file; an error if one is no longer as it was read.
fn changes(of: &ReadPlan, paths: &ProjectPaths, rows: &PlanRows) -> Result<Vec<Change>, Cause> {
    let ReadPlan { plan, texts } = of;
    let root = paths
        .root
        .canonicalize()
        .map_err(|error| failed(&paths.root, &error))?;
    let mut found = Vec::new();
    let mut change = |file: &Path, edit: &dyn Fn(&str) -> String| {
        let real = file.canonicalize().map_err(|error| failed(file, &error))?;
        if !real.starts_with(&root) {
            return Err(failed(file, &"it is outside of the project"));
        }
        let old = text_file::read(&real, LARGEST).map_err(|error| failed(&real, &error))?;
        let whole = std::str::from_utf8(&old).map_err(|_not_text| failed(&real, &"it is not UTF-8 text"))?;
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
        change(&plan.file, &|text| with_progress(plan, text, rows))?;
        return Ok(found);
    }
    let status = |item: &PlanItem| plan::status_of(rows.task_of(item)?);
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

/// Returns the text of a graph plan with the progress of its tasks on the board.
fn with_progress(plan: &Plan, text: &str, rows: &PlanRows) -> String {
    let task = |at: usize| {
        let item = plan.items.get(at)?;
        rows.task_of(item).filter(|task| is_same(item, task))
    };
    graph_plan::with_progress(text, &|at| plan::progress_of(task(at)?))
}

/// Returns true if a task of the file is the one on the board: a person may have put another before it.
fn is_same(item: &PlanItem, task: &Task) -> bool {
    item.title.trim() == task.title
}

fn strangers(plan: &Plan, rows: &PlanRows) -> Vec<String> {
    if plan.kind != PlanKind::Graph {
        return Vec::new();
    }
    let others = plan.items.iter().filter_map(|item| {
        let task = rows.task_of(item).filter(|task| !is_same(item, task))?;
        Some(format!(
            "the progress of {} is not written to {}: task {} is called {:?} there; put its subject back, or take the edit over with \
             `dbs run {}`",
            task.id,
            plan.file.display(),
            item.id,
            item.title,
            plan.file.display()
        ))
    });
    others.collect()
}

/// Returns the name under which a graph plan is kept whose tasks are all done (G54); `None` while one is not, and if it has that name.
fn name_when_done(plan: &Plan, rows: &PlanRows) -> Option<PathBuf> {
    let is_done = |item: &PlanItem| match rows.task_of(item) {
        Some(task) => task.state == TaskState::Done && is_same(item, task),
        None => item.status == PhaseStatus::Completed,
    };
    let name = plan.file.file_name()?.to_str()?;
    let is_open = plan.kind == PlanKind::Graph && !name.ends_with(".done.json");
    if !is_open || plan.items.is_empty() || !plan.items.iter().all(is_done) {
        return None;
    }
    let stem = plan.file.file_stem()?.to_string_lossy();
    let later = (2..MOST_DONE).map(|number| format!("{stem}-{number}.done.json"));
    let mut names = std::iter::once(format!("{stem}.done.json")).chain(later);
    let is_free = |name: &PathBuf| name.symlink_metadata().is_err();
    names
        .by_ref()
        .map(|name| plan.file.with_file_name(name))
        .find(is_free)
}
