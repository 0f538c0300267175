//! Lists of work in the person's checkout: an item is closed in its list once its task is done, and no other byte changes. Each is closed
//! once, and none whose place in the list is not certain.

use std::collections::{BTreeMap, BTreeSet};

use super::closed_items::ClosedItems;
use super::importing::Marks;
use super::reconcile::PlanTasks;
use crate::adapters::{clock, projected, text_file};
use crate::config::project_paths::ProjectPaths;
use crate::config::schema;
use crate::domain::{Cause, Task, TaskState, WorkSource};
use crate::formats::work_list;

/// Maximum size of a list in bytes.
const LARGEST: u64 = 16 * 1024 * 1024;
/// Maximum number of items that a message names.
const MOST_NAMED: usize = 3;

/// Items of a list whose tasks are done, each with the mark that it had when it was imported.
type DoneItems<'a> = BTreeMap<&'a str, &'a str>;

/// Closes the items of all tasks that are done, in the lists they were imported from, if the settings ask for it. Returns the reasons why
/// some were not closed, for people.
pub(super) fn write(paths: &ProjectPaths, tasks: &PlanTasks) -> Vec<Cause> {
    let all = done_items(tasks);
    if all.is_empty() || !paths.read_config().value(&schema::IMPORT_WRITE_BACK) {
        return Vec::new();
    }
    let mut closed = match ClosedItems::of_lists(&paths.state) {
        Ok(closed) => closed,
        Err(why) => return vec![why],
    };
    let mut problems = Vec::new();
    for ((source, list), mut items) in all {
        items.retain(|item, _| !closed.has(list, item));
        if items.is_empty() {
            continue;
        }
        let result = close(paths, source, list, &items, &mut closed);
        problems.extend(
            result
                .err()
                .map(|why| Cause::from(format!("could not close the items of {list}: {why}"))),
        );
    }
    problems
}

/// Returns the items whose tasks are done, by the list in the checkout that they are of.
fn done_items(tasks: &PlanTasks) -> BTreeMap<(WorkSource, &str), DoneItems<'_>> {
    let mut done: BTreeMap<_, DoneItems<'_>> = BTreeMap::new();
    for task in tasks.values().filter(|task| is_finished(task)) {
        let Some(origin) = task.plan.as_ref().map(|plan| &plan.source) else {
            continue;
        };
        let Some(source) = origin.imported.filter(|source| !source.is_forge()) else {
            continue;
        };
        let items = done.entry((source, origin.plan.as_str())).or_default();
        items.insert(&origin.item, &origin.hash);
    }
    done
}

/// Returns true for a task that is done, and whose work is not left on a branch for others to merge.
fn is_finished(task: &Task) -> bool {
    task.state == TaskState::Done && task.handover.is_none()
}

/// Closes the items of a list whose places are certain; the others are named in the error.
fn close(
    paths: &ProjectPaths,
    source: WorkSource,
    list: &str,
    items: &DoneItems<'_>,
    closed: &mut ClosedItems,
) -> Result<(), Cause> {
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
    let text = std::str::from_utf8(&old).map_err(|_error| Cause::from("it is not UTF-8 text"))?;
    let (certain, uncertain) = places(source, text, items);
    let at = clock::on_calendar(clock::now()).to_string();
    let new = work_list::with_done(source, text, &certain, &at);
    if new != text {
        let noted = [(path.as_path(), Some(new.as_bytes()))];
        projected::note(&paths.state, &paths.root, noted.into_iter()).map_err(failed)?;
        text_file::replace_unchanged(&file, &old, new.as_bytes()).map_err(failed)?;
    }
    closed.note(list, certain)?;
    if uncertain.is_empty() {
        return Ok(());
    }
    let mut names: Vec<String> = uncertain
        .iter()
        .take(MOST_NAMED)
        .map(|item| format!("{item:?}"))
        .collect();
    names.extend((uncertain.len() > MOST_NAMED).then(|| format!("{} more", uncertain.len() - MOST_NAMED)));
    Err(format!(
        "several items have the name of {}, and which of them was imported is not certain; close it by hand",
        names.join(", ")
    )
    .into())
}

/// Returns those items that are in a list just once and as they were imported, and those that are in it otherwise. One that is gone is
/// neither.
fn places<'a>(
    source: WorkSource,
    text: &str,
    items: &DoneItems<'a>,
) -> (BTreeSet<&'a str>, BTreeSet<&'a str>) {
    let mut marks = Marks::default();
    let mut found: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let there = work_list::items(source, text);
    for item in there.iter().filter(|item| items.contains_key(item.id.as_str())) {
        found.entry(&item.id).or_default().push(marks.of(item));
    }
    let there = items.iter().filter(|(item, _)| found.contains_key(**item));
    let (certain, uncertain): (Vec<_>, Vec<_>) =
        there.partition(|(item, mark)| found.get(**item).is_some_and(|marks| marks == &[**mark]));
    let names = |all: Vec<(&&'a str, &&'a str)>| all.into_iter().map(|(item, _)| *item).collect();
    (names(certain), names(uncertain))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(source: WorkSource, text: &str) -> Vec<(String, String)> {
        let mut marks = Marks::default();
        let items = work_list::items(source, text);
        items
            .iter()
            .map(|item| (item.id.clone(), marks.of(item)))
            .collect()
    }

    #[test]
    fn an_item_is_closed_only_where_the_list_has_it_once_and_as_it_was_imported() {
        let before = "- [ ] fix\n- [ ] fix\n  - [ ] part\n- [ ] alone\n";
        let imported = marks(WorkSource::Checklist, before);
        let items: DoneItems<'_> = imported
            .iter()
            .map(|(id, mark)| (id.as_str(), mark.as_str()))
            .collect();
        let look = |text: &str| {
            let (certain, uncertain) = places(WorkSource::Checklist, text, &items);
            let joined = |names: BTreeSet<&str>| names.into_iter().collect::<Vec<_>>().join(", ");
            (joined(certain), joined(uncertain))
        };
        let pair = |certain: &str, uncertain: &str| (certain.to_owned(), uncertain.to_owned());
        assert_eq!(
            look(&before.replacen("[ ]", "[x]", 1)),
            pair("alone, fix, fix (2)", "")
        );
        for changed in [
            "- [ ] fix\n- [ ] fix\n- [ ] fix\n  - [ ] part\n- [ ] alone\n",
            "- [ ] fix\n  - [ ] part\n- [ ] fix\n- [ ] alone\n",
        ] {
            assert_eq!(look(changed), pair("alone", "fix, fix (2)"), "{changed}");
        }
        assert_eq!(look("- [ ] fix\n  - [ ] part\n"), pair("", "fix"));
        let issue = "{\"id\":\"alone\",\"title\":\"T\",\"status\":\"open\",\"issue_type\":\"task\"}\n";
        let twice = issue.repeat(2);
        let look = |text| places(WorkSource::Beads, text, &items);
        assert_eq!(look(issue), (["alone"].into(), BTreeSet::new()));
        assert_eq!(look(&twice), (BTreeSet::new(), ["alone"].into()));
    }
}
