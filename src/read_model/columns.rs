//! The board's columns and the order of cards in them (K80).

use std::cmp::Reverse;
use std::collections::BTreeMap;
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
    /// Backlog, then the stages of every workflow that has tasks, kanban first and always, then Done. The workflows come in the
    /// order of their ids.
    pub fn all<'a>(
        tasks: &BTreeMap<TaskId, Arc<Task>>,
        flows: impl IntoIterator<Item = &'a Workflow>,
    ) -> Vec<Column> {
        let mut cards: BTreeMap<(&WorkflowId, &StageId), Vec<&Task>> = BTreeMap::new();
        let mut backlog = Vec::new();
        let mut done = Vec::new();
        for task in tasks.values() {
            match task.state {
                TaskState::Backlog | TaskState::Parked(_) => backlog.push(task.as_ref()),
                TaskState::Done | TaskState::Skipped(_) | TaskState::Cancelled => done.push(task.as_ref()),
                TaskState::Released
                | TaskState::Active
                | TaskState::Verifying
                | TaskState::Held(_)
                | TaskState::Failed(_) => cards.entry((&task.workflow, &task.stage)).or_default().push(task),
            }
        }
        let mut columns = vec![Column {
            kind: ColumnKind::Backlog,
            title: "Backlog".to_owned(),
            cards: ordered(backlog),
        }];
        let main = WorkflowId::from("kanban");
        let (first, others): (Vec<&Workflow>, Vec<&Workflow>) =
            flows.into_iter().partition(|flow| flow.id == main);
        for flow in first.into_iter().chain(others) {
            let used = cards.keys().any(|(workflow, _)| **workflow == flow.id);
            for stage in flow.stages.iter().filter(|_| used || flow.id == main) {
                let here = cards.remove(&(&flow.id, &stage.id)).unwrap_or_default();
                let side = matches!(stage.id.as_str(), "investigating" | "consolidating");
                if here.is_empty() && side {
                    continue;
                }
                columns.push(Column {
                    kind: ColumnKind::Stage(flow.id.clone(), stage.id.clone()),
                    title: stage.label.clone(),
                    cards: ordered(here),
                });
            }
        }
        done.sort_by(|a, b| b.since.cmp(&a.since).then_with(|| b.id.cmp(&a.id)));
        let cards = done.into_iter().map(|task| task.id.clone()).collect();
        columns.push(Column {
            kind: ColumnKind::Done,
            title: "Done".to_owned(),
            cards,
        });
        columns
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
