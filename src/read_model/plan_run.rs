//! Runs of plans as tables: a row for each phase, story or task of a graph.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::plan_entry::Risk;
use crate::domain::{Batch, BatchId, Cost, Evidence, EvidenceKind, Task, TaskId, TaskState, Tri};
use crate::read_model::ReadModel;

/// Run of a plan: its batch, and its items in the order of the plan.
#[derive(Debug, Clone)]
pub struct PlanRun<'a> {
    pub batch: &'a Batch,
    pub rows: Vec<PlanRow<'a>>,
}

/// Item of a plan that is carried out as a task.
#[derive(Debug, Clone)]
pub struct PlanRow<'a> {
    pub task: &'a Task,
    /// Name of the item in its plan.
    pub item: &'a str,
    /// Names of the items that it waits for, whether they are done or not.
    pub needs: Vec<&'a str>,
    pub risk: Option<Risk>,
    pub gates: GateCount,
    /// Number of tries of agents at the work.
    pub tries: u32,
    /// Dollars that its agents have used; `None` if their tools report no cost.
    pub cost: Option<Cost>,
}

/// Gates of a task: those that passed when they ran last, and all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateCount {
    /// Nothing before they ran.
    pub passed: Option<usize>,
    pub all: usize,
}

impl PlanRun<'_> {
    /// Returns the number of items that are done.
    pub fn done(&self) -> usize {
        let done = self.rows.iter().filter(|row| row.task.state == TaskState::Done);
        done.count()
    }

    /// Returns the cost of all items, if any of them has one.
    pub fn cost(&self) -> Option<Cost> {
        let costs = self.rows.iter().filter_map(|row| row.cost);
        costs.reduce(|sum, cost| sum + cost)
    }
}

/// Newest evidence of gates for each task that has any.
type GateEvidence<'a> = BTreeMap<&'a TaskId, &'a Evidence>;

/// Returns true if a task is an item of a plan; one of an imported list is none.
fn is_planned(task: &Task) -> bool {
    task.plan.as_ref().is_some_and(|plan| !plan.is_imported())
}

impl ReadModel {
    /// Returns the runs of plans on the board: those with open items first, otherwise the newest first. Takes one pass over the tasks, and
    /// one over the attempts if any task is of a plan.
    pub fn plan_runs(&self) -> Vec<PlanRun<'_>> {
        let planned = self.planned();
        if planned.is_empty() {
            return Vec::new();
        }
        let evidence = self.gate_evidence();
        let runs = planned.into_iter().map(|(batch, tasks)| {
            let rows = tasks
                .into_iter()
                .filter_map(|task| self.plan_row(task, &evidence));
            PlanRun {
                batch,
                rows: rows.collect(),
            }
        });
        runs.collect()
    }

    /// Returns true if an item of a plan may still change.
    pub fn has_open_plan(&self) -> bool {
        let mut planned = self.tasks.values().filter(|task| is_planned(task));
        planned.any(|task| !task.state.is_terminal())
    }

    /// Returns the first task in the table of plans.
    pub fn first_planned(&self) -> Option<&TaskId> {
        let planned = self.planned();
        let (_, tasks) = planned.first()?;
        tasks.first().map(|task| &task.id)
    }

    /// Returns the batches with tasks of plans in the order of the table, each with those tasks.
    fn planned(&self) -> Vec<(&Batch, Vec<&Task>)> {
        let mut tasks: BTreeMap<&BatchId, Vec<&Task>> = BTreeMap::new();
        for task in self.tasks.values().filter(|task| is_planned(task)) {
            tasks.entry(&task.batch).or_default().push(task);
        }
        let mut planned: Vec<(&Batch, Vec<&Task>)> = tasks
            .into_iter()
            .filter_map(|(id, mut tasks)| {
                tasks.sort_by_key(|task| task.number);
                Some((self.batches.get(id)?.as_ref(), tasks))
            })
            .collect();
        planned.sort_by_key(|(batch, tasks)| {
            let is_over = tasks.iter().all(|task| task.state.is_terminal());
            (is_over, Reverse(batch.go_ahead), Reverse(batch.since))
        });
        planned
    }

    fn gate_evidence(&self) -> GateEvidence<'_> {
        let mut newest = GateEvidence::new();
        for attempt in self.attempts.values() {
            let gates = attempt
                .evidence
                .iter()
                .rfind(|found| found.kind == EvidenceKind::Gates);
            if let Some(found) = gates.filter(|found| !matches!(found.outcome, Tri::Unknown(_))) {
                newest.insert(&attempt.task, found);
            }
        }
        newest
    }

    fn plan_row<'a>(&'a self, task: &'a Task, evidence: &GateEvidence<'a>) -> Option<PlanRow<'a>> {
        let plan = task.plan.as_ref()?;
        let item_of = |id| {
            let task = self.tasks.get(id)?;
            Some(task.plan.as_ref()?.source.item.as_str())
        };
        Some(PlanRow {
            task,
            item: &plan.source.item,
            needs: task.deps.iter().filter_map(item_of).collect(),
            risk: plan.risk,
            gates: self.gate_count(task, evidence.get(&task.id).copied()),
            tries: task.tries_of_work(),
            cost: Some(task.spent()).filter(|cost| *cost > Cost::default()),
        })
    }

    fn gate_count(&self, task: &Task, evidence: Option<&Evidence>) -> GateCount {
        let flow = self.workflows.get(&task.workflow);
        let stages = flow.into_iter().flat_map(|flow| &flow.stages);
        let gates = stages.flat_map(|stage| self.settings.gates_of(task, stage));
        let names: BTreeSet<String> = gates.map(|gate| gate.name).collect();
        let all = names.len();
        let passed = match (&task.state, evidence) {
            (TaskState::Done, _) => Some(all),
            (_, None) => None,
            (_, Some(ran)) if ran.outcome == Tri::Yes => Some(all),
            (_, Some(ran)) => Some(all.saturating_sub(ran.issues.len().max(1))),
        };
        GateCount { passed, all }
    }
}
