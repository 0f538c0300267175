//! Items of a list of work as tasks of the board: which become new tasks, under which ids, and which are there already.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::domain::{BatchId, PlanEntry, PlanSource, TaskDraft, TaskId, WorkSource, WorkflowId, pluralized};
use crate::formats::finding::Finding;
use crate::formats::task_list::{self, ListedTask};
use crate::formats::work_list::{WorkItem, WorkList};
use crate::term::sanitize;

/// Maximum number of tasks that share an id with a number behind it.
const MOST_TRIES: u32 = 100;
/// Maximum length of an item's id that is taken as it is, so that a number fits behind it.
const LONGEST_ID: usize = 40;

/// Place of the tasks of a list on the board.
#[derive(Debug, Clone)]
pub struct ImportPlace {
    /// Name of the list: a path in the project, or the address of a forge.
    pub list: String,
    pub batch: BatchId,
    pub workflow: WorkflowId,
}

/// A list of work compared with the board.
#[derive(Debug)]
pub struct ListImport {
    /// New tasks, each behind those it waits for.
    pub tasks: Vec<ListedTask>,
    /// Number of items that are done in the list.
    pub n_done: usize,
    /// Number of open items that are tasks already.
    pub n_known: usize,
    pub findings: Vec<Finding>,
}

/// Marks of the items of one list whose name others have, too: digests of the texts of all of them, by name.
#[derive(Default)]
pub(super) struct Marks(BTreeMap<String, String>);

impl Marks {
    /// Returns the mark of an item; empty if no other one has its name.
    pub(super) fn of(&mut self, item: &WorkItem) -> String {
        let Some(alike) = &item.alike else {
            return String::new();
        };
        // Thousands of items may share one long text.
        let mark = self.0.entry(alike.name.clone());
        mark.or_insert_with(|| hex::encode(Sha256::digest(&alike.texts)))
            .clone()
    }
}

/// Function that returns the origin of the task with an id; `None` if there is no such task.
pub type OriginOf<'a, E> = &'a mut dyn FnMut(&TaskId) -> Result<Option<PlanSource>, E>;

impl ListImport {
    /// Compares a list with the board.
    ///
    /// # Errors
    /// Those of `origin_of`.
    pub fn new<E>(
        list: &WorkList,
        file: &Path,
        place: &ImportPlace,
        origin_of: OriginOf<'_, E>,
    ) -> Result<ListImport, E> {
        let mut ids: BTreeMap<&str, TaskId> = BTreeMap::new();
        let mut used: BTreeSet<String> = BTreeSet::new();
        let mut new: Vec<(&WorkItem, TaskId)> = Vec::new();
        let open = list.items.iter().filter(|item| !item.is_done);
        for item in open {
            let base = id_of(list.source, item);
            for nth in 1..=MOST_TRIES {
                let id = TaskId::new(if nth == 1 {
                    base.clone()
                } else {
                    format!("{base}-{nth}")
                });
                let origin = origin_of(&id)?;
                if origin
                    .as_ref()
                    .is_some_and(|origin| origin.plan == place.list && origin.item == item.id)
                {
                    ids.insert(&item.id, id);
                    break;
                }
                if origin.is_none() && used.insert(id.as_str().to_ascii_lowercase()) {
                    ids.insert(&item.id, id.clone());
                    new.push((item, id));
                    break;
                }
            }
        }
        let mut marks = Marks::default();
        let tasks = new.iter().map(|(item, id)| ListedTask {
            line: item.line,
            name: None,
            draft: TaskDraft {
                plan: Some(origin(item, marks.of(item), list.source, place)),
                ..draft(item, id, place, &ids)
            },
        });
        let (tasks, faults) = task_list::in_order(file, tasks.collect());
        let n_done = list.items.iter().filter(|item| item.is_done).count();
        Ok(ListImport {
            tasks,
            n_done,
            n_known: list.items.len() - n_done - new.len(),
            findings: list.findings.iter().cloned().chain(faults).collect(),
        })
    }

    /// Returns what becomes of the list, in lines for people.
    pub fn lines(&self, kind: &str, place: &ImportPlace) -> Vec<String> {
        let mut head = format!(
            "{kind}: {}, {} to be created",
            place.list,
            pluralized(self.tasks.len(), "task")
        );
        if self.n_done > 0 {
            head = format!("{head}, {} done", self.n_done);
        }
        if self.n_known > 0 {
            head = format!("{head}, {} on the board already", self.n_known);
        }
        let mut lines = vec![head];
        lines.extend(self.tasks.iter().map(|task| {
            let draft = &task.draft;
            let waits: Vec<&str> = draft.deps.iter().map(TaskId::as_str).collect();
            let waits = if waits.is_empty() {
                String::new()
            } else {
                format!(", waits for {}", waits.join(", "))
            };
            let place = place_of(draft, task.line, &place.list);
            let line = format!("{:<12} {}  ({place}{waits})", draft.id.as_str(), draft.title);
            sanitize(&line).into_owned()
        }));
        lines
    }
}

/// Returns where a task comes from: file and line, or the address of an issue.
fn place_of(draft: &TaskDraft, line: usize, list: &str) -> String {
    let origin = draft.plan.as_ref().map(|plan| &plan.source);
    match origin.filter(|origin| origin.imported.is_some_and(WorkSource::is_forge)) {
        Some(issue) => format!("{list}/{}", issue.item),
        None => format!("{list}:{line}"),
    }
}

fn origin(item: &WorkItem, hash: String, source: WorkSource, place: &ImportPlace) -> Arc<PlanEntry> {
    let source = PlanSource {
        plan: place.list.clone(),
        file: place.list.clone(),
        item: item.id.clone(),
        line: u32::try_from(item.line).unwrap_or_default(),
        hash,
        imported: Some(source),
    };
    Arc::new(PlanEntry {
        source,
        ..PlanEntry::default()
    })
}

fn draft(item: &WorkItem, id: &TaskId, place: &ImportPlace, ids: &BTreeMap<&str, TaskId>) -> TaskDraft {
    let needs = item
        .needs
        .iter()
        .filter_map(|need| ids.get(need.as_str()).cloned());
    TaskDraft {
        body: item.body.clone(),
        deps: needs.filter(|need| need != id).collect(),
        tags: item.tags.iter().cloned().collect(),
        priority: item.priority,
        kind: item.kind,
        batch: place.batch.clone(),
        workflow: place.workflow.clone(),
        ..TaskDraft::new(id.as_str(), &item.title)
    }
}

/// Returns the id of an item's task: its own where that can be an id, else one that is made of it, the same at each import.
fn id_of(source: WorkSource, item: &WorkItem) -> String {
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || "._-".contains(sign);
    let is_plain = |id: &str| {
        id.len() <= LONGEST_ID
            && id.starts_with(|first: char| first.is_ascii_alphanumeric())
            && id.chars().all(is_sign)
    };
    let prefix = match source {
        WorkSource::Beads | WorkSource::Stories if is_plain(&item.id) => return item.id.clone(),
        WorkSource::Beads => "bead",
        WorkSource::Stories => "story",
        WorkSource::TaskMaster => "tm",
        WorkSource::Checklist => "todo",
        WorkSource::Github => "gh",
        WorkSource::Gitlab => "gl",
    };
    let own = item.id.replace('/', "-");
    if source != WorkSource::Checklist && is_plain(&own) {
        return format!("{prefix}-{own}");
    }
    let digest = Sha256::digest(item.id.as_bytes());
    let digits: Vec<String> = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    format!("{prefix}-{}", digits.concat())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::formats::work_list;

    fn import(source: WorkSource, text: &str, board: &[TaskDraft]) -> ListImport {
        let list = work_list::read(source, Path::new("list"), text);
        let place = ImportPlace {
            list: "list".to_owned(),
            batch: "main".into(),
            workflow: "kanban".into(),
        };
        let mut origin_of = |id: &TaskId| {
            let task = board.iter().find(|task| task.id == *id);
            let origin = |task: &TaskDraft| {
                task.plan
                    .as_ref()
                    .map(|plan| plan.source.clone())
                    .unwrap_or_default()
            };
            Ok::<_, Infallible>(task.map(origin))
        };
        ListImport::new(&list, Path::new("list"), &place, &mut origin_of)
            .unwrap_or_else(|never| match never {})
    }

    fn ids(import: &ListImport) -> Vec<&str> {
        import.tasks.iter().map(|task| task.draft.id.as_str()).collect()
    }

    const ISSUES: &str = "{\"id\":\"x-2\",\"title\":\"Use\",\"status\":\"open\",\"issue_type\":\"task\",\"dependencies\":[{\"depends_on_id\":\"x-1\",\"type\":\"blocks\"}]}\n\
        {\"id\":\"x-1\",\"title\":\"Make\",\"status\":\"open\",\"issue_type\":\"task\"}\n\
        {\"id\":\"../x\",\"title\":\"Odd\",\"status\":\"open\",\"issue_type\":\"task\"}\n";

    #[test]
    fn an_item_is_imported_once_and_a_task_of_another_origin_keeps_its_id() {
        let first = import(WorkSource::Beads, ISSUES, &[]);
        assert_eq!(ids(&first)[..2], ["x-1", "x-2"]);
        assert!(ids(&first)[2].starts_with("bead-"), "{:?}", ids(&first));
        let made: Vec<TaskDraft> = first.tasks.iter().map(|task| task.draft.clone()).collect();
        let again = import(WorkSource::Beads, ISSUES, &made);
        assert_eq!((ids(&again), again.n_known), (Vec::<&str>::new(), 3));
        let others = [TaskDraft::new("x-1", "Another one")];
        let beside = import(WorkSource::Beads, ISSUES, &others);
        assert_eq!(ids(&beside)[..2], ["x-1-2", "x-2"]);
        assert_eq!(beside.tasks[1].draft.deps, ["x-1-2".into()].into());
    }

    #[test]
    fn items_that_wait_for_each_other_are_one_finding() {
        let text = "{\"id\":\"a-1\",\"title\":\"A\",\"status\":\"open\",\"issue_type\":\"task\",\"dependencies\":[\"a-2\"]}\n\
            {\"id\":\"a-2\",\"title\":\"B\",\"status\":\"open\",\"issue_type\":\"task\",\"dependencies\":[\"a-1\"]}\n";
        let found = import(WorkSource::Beads, text, &[]).findings;
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].is_error() && found[0].text.contains("lines 1 > 2"),
            "{found:?}"
        );
    }
}
