//! Runs of plans as tables: a row for each phase, story or task of a graph.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::domain::plan_entry::Risk;
use crate::domain::workflow::GateSet;
use crate::domain::{Attempt, Batch, Cost, EvidenceKind, Task, TaskState, Tri};
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
    /// Dollars that its agents have used; none where their tools report no cost.
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

    /// Returns true if an item may still change.
    pub fn is_open(&self) -> bool {
        self.rows.iter().any(|row| !row.task.state.is_terminal())
    }
}

impl ReadModel {
    /// Returns the runs of plans on the board: those with open items first, otherwise the newest first.
    pub fn plan_runs(&self) -> Vec<PlanRun<'_>> {
        let runs = self.batches.values().filter_map(|batch| {
            let mut rows: Vec<PlanRow<'_>> = self
                .tasks
                .values()
                .filter(|task| task.batch == batch.id)
                .filter_map(|task| self.plan_row(task))
                .collect();
            rows.sort_by_key(|row| row.task.number);
            (!rows.is_empty()).then_some(PlanRun { batch, rows })
        });
        let mut runs: Vec<PlanRun<'_>> = runs.collect();
        runs.sort_by_key(|run| {
            (
                !run.is_open(),
                Reverse(run.batch.go_ahead),
                Reverse(run.batch.since),
            )
        });
        runs
    }

    fn plan_row<'a>(&'a self, task: &'a Task) -> Option<PlanRow<'a>> {
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
            gates: self.gate_count(task),
            tries: task.tries_of_work(),
            cost: Some(task.spent()).filter(|cost| *cost > Cost::default()),
        })
    }

    fn gate_count(&self, task: &Task) -> GateCount {
        let stages = self
            .workflows
            .get(&task.workflow)
            .into_iter()
            .flat_map(|flow| &flow.stages);
        let checking: Vec<_> = stages.filter(|stage| stage.gates != GateSet::None).collect();
        let gates = task.gates.iter().chain(&self.settings.gates);
        let run = gates.filter(|gate| checking.iter().any(|stage| stage.runs_gate(&gate.name)));
        let all = run.map(|gate| &gate.name).collect::<BTreeSet<_>>().len();
        let passed = if task.state == TaskState::Done {
            Some(all)
        } else {
            let mut attempts = self
                .attempts
                .values()
                .rev()
                .filter(|attempt| attempt.task == task.id);
            attempts.find_map(|attempt| passed_gates(attempt, all))
        };
        GateCount { passed, all }
    }
}

/// Returns the number of gates that passed at an attempt; nothing where they did not run.
fn passed_gates(attempt: &Attempt, all: usize) -> Option<usize> {
    let ran = attempt
        .evidence
        .iter()
        .rfind(|found| found.kind == EvidenceKind::Gates)?;
    match &ran.outcome {
        Tri::Yes => Some(all),
        Tri::No(_) => Some(all.saturating_sub(ran.issues.len().max(1))),
        Tri::Unknown(_) => None,
    }
}
