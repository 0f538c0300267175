//! Files of plans in the person's checkout as projections of the board: `plan.json`, `state.json` and `history.md` say what the board knows,
//! and whatever a person wrote into them stays.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::list_files;
use super::reconcile::{PlanRows, PlanTasks};
use super::story_record::{BaseRecord, StoryRecord};
use super::write_back::WriteBack;
use crate::adapters::clock;
use crate::adapters::{projected, text_file};
use crate::config::project_paths::ProjectPaths;
use crate::domain::{Cause, Task, TaskId, TaskState};
use crate::formats::plan::PlanKind;
use crate::formats::story_files::{HISTORY_FILE, STATE_FILE};
use crate::ports::git::Git;

/// Facts of a task of which its plan tells something.
pub type PlanTaskFacts = (TaskId, TaskState, bool, u32, u32, usize);

/// Returns what the files of plans tell of the board: as long as it is the same, they are, too.
pub fn facts(tasks: &PlanTasks) -> Vec<PlanTaskFacts> {
    let planned = tasks.values().filter(|task| task.plan.is_some());
    let facts = planned.map(|task| {
        let work = &task.record.work;
        let (id, state, is_merged) = (task.id.clone(), task.state.clone(), task.merged.is_some());
        let tries = task.tries_of_work();
        (id, state, is_merged, tries, work.sessions, work.stuck.len())
    });
    facts.collect()
}

/// Writer of the files of plans. It keeps what is on the base, which changes with the stories that are done.
#[derive(Debug, Default)]
pub struct PlanFiles {
    base: Option<(usize, BaseRecord)>,
}

impl PlanFiles {
    /// Brings the files of all plans to what the board has. Returns the reasons why some were not written, for people.
    pub fn write(
        &mut self,
        paths: &ProjectPaths,
        git: &dyn Git,
        tasks: &PlanTasks,
        base: Option<&str>,
    ) -> Vec<Cause> {
        let mut problems = Vec::new();
        for file in graph_files(tasks) {
            problems.extend(write_graph(paths, tasks, file).unwrap_or_else(|why| vec![why]));
        }
        if tasks.values().any(|task| is_story(task)) {
            problems.extend(self.write_stories(paths, git, tasks, base).err());
        }
        problems.extend(list_files::write(paths, tasks));
        problems
    }

    /// Writes the record of stories; the base is asked again when another story is done.
    fn write_stories(
        &mut self,
        paths: &ProjectPaths,
        git: &dyn Git,
        tasks: &PlanTasks,
        base: Option<&str>,
    ) -> Result<(), Cause> {
        let done = tasks
            .values()
            .filter(|task| task.state == TaskState::Done)
            .count();
        let known = self.base.take().filter(|(known, _)| *known == done);
        let (_, base) = self.base.insert(match known {
            Some(known) => known,
            None => (done, BaseRecord::read(git, base)?),
        });
        let own = |name: &str| own_text(&paths.root.join(name));
        let (state, history) = (own(STATE_FILE)?, own(HISTORY_FILE)?);
        let stories = tasks.values().filter(|task| is_story(task));
        let record = StoryRecord {
            base,
            state: state.as_deref(),
            history: history.as_deref(),
            stories: stories.map(Arc::as_ref).collect(),
        };
        let prd = |path: &str| base.text(git, path);
        let written = record.now(&prd, clock::now())?;
        put(paths, STATE_FILE, state.as_deref(), written.state.as_deref())?;
        put(
            paths,
            HISTORY_FILE,
            history.as_deref(),
            written.history.as_deref(),
        )
    }
}

fn is_story(task: &Task) -> bool {
    task.plan.as_ref().is_some_and(|plan| plan.tests.is_some())
}

/// Returns the files of the graph plans on the board.
fn graph_files(tasks: &PlanTasks) -> BTreeSet<&str> {
    let of_graph = tasks
        .values()
        .filter(|task| task.workflow.as_str() == PlanKind::Graph.workflow());
    let plans = of_graph.filter_map(|task| task.plan.as_ref());
    plans.map(|plan| plan.source.plan.as_str()).collect()
}

/// Writes the progress of its tasks into a `plan.json`; returns what a person has to look at. A file of another plan stays as it is.
fn write_graph(paths: &ProjectPaths, tasks: &PlanTasks, file: &str) -> Result<Vec<Cause>, Cause> {
    let path = paths.root.join(file);
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let read = super::read(&path, Some(paths), &|_| true)?;
    let rows = PlanRows::on_board(&read.plan, tasks);
    if rows.tasks.is_empty() {
        return Ok(Vec::new());
    }
    let changes = WriteBack::new(&read, paths, &rows)?;
    changes.write()?;
    Ok(changes.strangers().map(Cause::from).collect())
}

fn own_text(file: &Path) -> Result<Option<String>, Cause> {
    if file.symlink_metadata().is_err() {
        return Ok(None);
    }
    let text = text_file::read_text(file, text_file::LARGEST_WRITTEN);
    text.map(Some)
        .map_err(|error| format!("could not read {}: {error}", file.display()).into())
}

/// Writes a file at the root of the checkout that git ignores there.
fn put(paths: &ProjectPaths, name: &str, old: Option<&str>, new: Option<&str>) -> Result<(), Cause> {
    let Some(new) = new.filter(|new| Some(*new) != old) else {
        return Ok(());
    };
    let file = paths.root.join(name);
    let failed = |why: &dyn std::fmt::Display| format!("could not write {}: {why}", file.display());
    paths.ignore(name).map_err(|error| failed(&error))?;
    let noted = [(file.as_path(), Some(new.as_bytes()))];
    projected::note(&paths.state, &paths.root, noted.into_iter()).map_err(|error| failed(&error))?;
    let written = match old {
        Some(old) => text_file::replace_unchanged(&file, old.as_bytes(), new.as_bytes()),
        None => text_file::replace(&file, new.as_bytes()),
    };
    written.map_err(|error| failed(&error).into())
}
