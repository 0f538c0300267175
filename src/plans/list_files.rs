//! Lists of work in the person's checkout: an item is closed in its list once its task is done, and no other byte changes.

use std::collections::{BTreeMap, BTreeSet};

use super::reconcile::PlanTasks;
use crate::adapters::{clock, projected, text_file};
use crate::config::project_paths::ProjectPaths;
use crate::config::schema;
use crate::domain::{Cause, Task, TaskState, WorkSource};
use crate::formats::work_list;

/// Maximum size of a list in bytes.
const LARGEST: u64 = 16 * 1024 * 1024;

/// Closes the items of all tasks that are done, in the lists they were imported from, if the settings ask for it. Returns the reasons why
/// some lists were not written, for people.
pub(super) fn write(paths: &ProjectPaths, tasks: &PlanTasks) -> Vec<Cause> {
    let done = done_items(tasks);
    if done.is_empty() || !paths.read_config().value(&schema::IMPORT_WRITE_BACK) {
        return Vec::new();
    }
    let problems = done.iter().filter_map(|((source, list), items)| {
        let written = close(paths, *source, list, items);
        written
            .err()
            .map(|why| Cause::from(format!("could not close the items of {list}: {why}")))
    });
    problems.collect()
}

/// Names of the items whose tasks are done, by the list in the checkout that they are of.
fn done_items(tasks: &PlanTasks) -> BTreeMap<(WorkSource, &str), BTreeSet<&str>> {
    let mut done: BTreeMap<_, BTreeSet<&str>> = BTreeMap::new();
    for task in tasks.values().filter(|task| is_finished(task)) {
        let Some(origin) = task.plan.as_ref().map(|plan| &plan.source) else {
            continue;
        };
        let Some(source) = origin.imported.filter(|source| !source.is_forge()) else {
            continue;
        };
        let items = done.entry((source, origin.plan.as_str())).or_default();
        items.insert(&origin.item);
    }
    done
}

/// Returns true for a task that is done, and whose work is not left on a branch for others to merge.
fn is_finished(task: &Task) -> bool {
    task.state == TaskState::Done && task.handover.is_none()
}

fn close(paths: &ProjectPaths, source: WorkSource, list: &str, items: &BTreeSet<&str>) -> Result<(), Cause> {
    let failed = |error: std::io::Error| Cause::from(error.to_string());
    let path = paths.root.join(list);
    // A list that was moved or removed has nothing to close.
    if !path.is_file() {
        return Ok(());
    }
    let root = paths.root.canonicalize().map_err(failed)?;
    let file = path.canonicalize().map_err(failed)?;
    if !file.starts_with(&root) {
        return Err("it is outside of the project".into());
    }
    let old = text_file::read(&file, LARGEST).map_err(failed)?;
    let text = std::str::from_utf8(&old).map_err(|_error| Cause::from("it is no UTF-8 text"))?;
    let at = clock::on_calendar(clock::now()).to_string();
    let new = work_list::with_done(source, text, items, &at);
    if new == text {
        return Ok(());
    }
    let noted = [(path.as_path(), Some(new.as_bytes()))];
    projected::note(&paths.state, &paths.root, noted.into_iter()).map_err(failed)?;
    text_file::replace_unchanged(&file, &old, new.as_bytes()).map_err(failed)
}
