//! The board's columns and the order of cards in them (K80).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::domain::task::{Task, TaskState};
use crate::domain::{StageId, TaskId, Workflow, WorkflowId};

/// Column of the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub kind: ColumnKind,
    pub title: String,
    pub cards: Vec<TaskId>,
}

/// Kind of a column: backlog, stage or done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnKind {
    Backlog,
    Stage(WorkflowId, StageId),
    Done,
}

impl Column {
    /// Backlog, then the stages on the way of a task of the board, kanban first, then Done. The workflows come in the order of their ids.
    /// Two stages of one name have that of their workflow, too.
    pub fn all<'a>(
        tasks: &BTreeMap<TaskId, Arc<Task>>,
        flows: impl IntoIterator<Item = &'a Workflow>,
    ) -> Vec<Column> {
        let mut cards: BTreeMap<(&WorkflowId, &StageId), Vec<&Task>> = BTreeMap::new();
        let mut open: BTreeMap<&WorkflowId, OpenTasks<'_>> = BTreeMap::new();
        let mut backlog = Vec::new();
        let mut done = Vec::new();
        for task in tasks.values() {
            match task.state {
                TaskState::Backlog | TaskState::Parked(_) => backlog.push(task.as_ref()),
                TaskState::Done | TaskState::Skipped(_) | TaskState::Cancelled => {
                    done.push(task.as_ref());
                    continue;
                }
                TaskState::Released
                | TaskState::Active
                | TaskState::Verifying
                | TaskState::Held(_)
                | TaskState::Failed(_) => cards.entry((&task.workflow, &task.stage)).or_default().push(task),
            }
            open.entry(&task.workflow).or_default().add(task);
        }
        let mut columns = vec![Column::new(ColumnKind::Backlog, "Backlog", ordered(backlog))];
        let main = WorkflowId::from("kanban");
        let (first, others): (Vec<&Workflow>, Vec<&Workflow>) =
            flows.into_iter().partition(|flow| flow.id == main);
        for flow in first.into_iter().chain(others) {
            let used = open.get(&flow.id).map(|open| open.way(flow)).unwrap_or_default();
            for stage in flow.stages.iter().filter(|stage| used.contains(&stage.id)) {
                let here = cards.remove(&(&flow.id, &stage.id)).unwrap_or_default();
                let kind = ColumnKind::Stage(flow.id.clone(), stage.id.clone());
                columns.push(Column::new(kind, &stage.label, ordered(here)));
            }
        }
        done.sort_by(|a, b| b.since.cmp(&a.since).then_with(|| b.id.cmp(&a.id)));
        let cards = done.into_iter().map(|task| task.id.clone()).collect();
        columns.push(Column::new(ColumnKind::Done, "Done", cards));
        tell_apart(&mut columns);
        columns
    }

    fn new(kind: ColumnKind, title: &str, cards: Vec<TaskId>) -> Column {
        let title = title.to_owned();
        Column { kind, title, cards }
    }
}

/// Stages and tags of the tasks of a workflow that are not over.
#[derive(Default)]
struct OpenTasks<'a> {
    stages: BTreeSet<&'a StageId>,
    tags: BTreeSet<&'a str>,
}

impl<'a> OpenTasks<'a> {
    fn add(&mut self, task: &'a Task) {
        self.stages.insert(&task.stage);
        self.tags.extend(task.tags.iter().map(String::as_str));
    }

    /// Returns the stages on the way of one of them: from the entry, if it leads to where one stands, and behind each.
    fn way<'b>(&self, flow: &'b Workflow) -> BTreeSet<&'b StageId> {
        let own = flow.stages.iter().map(|stage| &stage.id);
        let mut way = self.behind(flow, own.filter(|id| self.stages.contains(id)).collect());
        let from_entry = self.behind(flow, vec![&flow.entry]);
        if from_entry.iter().any(|id| self.stages.contains(id)) {
            way.extend(from_entry);
        }
        way
    }

    /// Returns these stages and those that success leads to from them, along the edges that are open to one of the tasks.
    fn behind<'b>(&self, flow: &'b Workflow, mut next: Vec<&'b StageId>) -> BTreeSet<&'b StageId> {
        let mut found = BTreeSet::new();
        while let Some(id) = next.pop() {
            if !found.insert(id) {
                continue;
            }
            let edges = flow.stage(id).map_or(&[][..], |stage| &stage.success);
            let is_open =
                |tag: &Option<String>| tag.as_ref().is_none_or(|tag| self.tags.contains(tag.as_str()));
            next.extend(
                edges
                    .iter()
                    .filter(|edge| is_open(&edge.when))
                    .map(|edge| &edge.to),
            );
        }
        found
    }
}

/// Adds the workflow to the titles that several columns have.
fn tell_apart(columns: &mut [Column]) {
    let titles: Vec<String> = columns.iter().map(|column| column.title.clone()).collect();
    for column in columns {
        let same = titles.iter().filter(|title| **title == column.title).count();
        if let (ColumnKind::Stage(workflow, _), 2..) = (&column.kind, same) {
            column.title = format!("{} ({workflow})", column.title);
        }
    }
}

/// Sorts tasks as planned: `priority` tag, priority number, then order of creation. Events of a task never move it in its column.
fn ordered(mut tasks: Vec<&Task>) -> Vec<TaskId> {
    tasks.sort_unstable_by_key(|task| {
        let task: &Task = task;
        (
            Reverse(task.tags.contains("priority")),
            task.priority,
            task.created_at,
            task.number,
            &task.id,
        )
    });
    tasks.into_iter().map(|task| task.id.clone()).collect()
}
