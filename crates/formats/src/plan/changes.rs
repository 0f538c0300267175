//! A plan compared with its tasks on the board: the changes in its files since they were read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dbs_domain::task::GateCommand;
use dbs_domain::{PlanEntry, Task, TaskDraft, TaskId, TaskPatch, TaskState};

/// Differences of a plan from its tasks on the board.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanChanges {
    /// Phases that are not on the board.
    pub new: Vec<TaskDraft>,
    /// Tasks that change, in the order of the plan.
    pub changed: Vec<TaskChange>,
    /// Tasks that are done although their phases have changed: the change has no effect.
    pub too_late: Vec<TaskId>,
    /// Tasks whose phases the plan no longer has: they stay.
    pub gone: Vec<TaskId>,
}

/// Changes to a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskChange {
    pub task: Arc<Task>,
    pub patch: TaskPatch,
    /// Tasks it waits for from now on.
    pub waits: Vec<TaskId>,
    /// Tasks it no longer waits for.
    pub waits_no_longer: Vec<TaskId>,
}

impl PlanChanges {
    /// Returns true if the board has the plan as its files have it.
    pub fn is_none(&self) -> bool {
        self.new.is_empty() && self.changed.is_empty()
    }

    /// Returns the gates whose commands were not agreed to yet, each with its task.
    pub fn new_gates(&self) -> impl Iterator<Item = (&TaskId, &GateCommand)> {
        let of_new = self
            .new
            .iter()
            .flat_map(|draft| draft.gates.iter().map(move |gate| (&draft.id, gate)));
        let of_changed = self.changed.iter().flat_map(|change| {
            let gates = change.patch.gates.iter().flatten();
            let unknown = gates.filter(|gate| !change.task.gates.contains(gate));
            unknown.map(move |gate| (&change.task.id, gate))
        });
        of_new.chain(of_changed)
    }
}

/// Compares the tasks that a plan would get with those it has. `wanted` names the drafts that are to be made if they are missing.
pub fn compare(
    drafts: Vec<TaskDraft>,
    tasks: &BTreeMap<TaskId, Arc<Task>>,
    wanted: &BTreeSet<TaskId>,
) -> PlanChanges {
    let named: BTreeSet<TaskId> = drafts.iter().map(|draft| draft.id.clone()).collect();
    let exists = |id: &TaskId| tasks.contains_key(id) || wanted.contains(id);
    let is_skipped = |id: &TaskId| {
        let task = tasks.get(id);
        task.is_some_and(|task| matches!(task.state, TaskState::Skipped(_)))
    };
    let mut changes = PlanChanges::default();
    for mut draft in drafts {
        draft.deps.retain(|id| exists(id));
        if let Some(task) = tasks.get(&draft.id) {
            // A task that continued without a phase that a person left out does not wait for that phase again.
            draft.deps.retain(|id| !is_skipped(id) || task.deps.contains(id));
        }
        let Some(task) = tasks.get(&draft.id) else {
            if wanted.contains(&draft.id) {
                changes.new.push(draft);
            }
            continue;
        };
        // A task that is done is not waited for any more, whatever the plan says about it.
        let is_open = |id: &TaskId| tasks.get(id).is_some_and(|task| task.state != TaskState::Done);
        let change = change(task, &draft, is_open);
        if change.is_none() {
            continue;
        }
        if matches!(task.state, TaskState::Done | TaskState::Cancelled) {
            changes.too_late.push(draft.id);
        } else {
            changes.changed.push(change);
        }
    }
    let is_gone = |(id, task): &(&TaskId, &Arc<Task>)| !named.contains(id) && task.state != TaskState::Done;
    changes.gone = tasks.iter().filter(is_gone).map(|(id, _)| id.clone()).collect();
    changes
}

impl TaskChange {
    fn is_none(&self) -> bool {
        self.patch == TaskPatch::default() && self.waits.is_empty() && self.waits_no_longer.is_empty()
    }
}

fn change(task: &Arc<Task>, draft: &TaskDraft, is_of_plan: impl Fn(&TaskId) -> bool) -> TaskChange {
    let ended = task.deps.difference(&draft.deps);
    // Other tasks that a person lets it wait for do not belong to the plan.
    let ended = ended.filter(|id| is_of_plan(id)).cloned().collect();
    let same_plan = match (&task.plan, &draft.plan) {
        (Some(old), Some(new)) => says(old) == says(new),
        (old, new) => old == new,
    };
    let patch = TaskPatch {
        title: (task.title != draft.title.trim()).then(|| draft.title.clone()),
        body: (task.body != draft.body).then(|| draft.body.clone()),
        gates: (task.gates != draft.gates).then(|| draft.gates.clone()),
        // The request of a person to approve the task may be known only to the board: it is never taken away.
        needs_approval: (draft.needs_approval && !task.needs_approval).then_some(true),
        plan: draft.plan.clone().filter(|_| !same_plan),
        ..TaskPatch::default()
    };
    TaskChange {
        task: Arc::clone(task),
        patch,
        waits: draft.deps.difference(&task.deps).cloned().collect(),
        waits_no_longer: ended,
    }
}

/// Returns an entry without its line, which moves with everything above it, without the order, which dependencies say as well, and without
/// its risk, of which the approval is compared.
fn says(entry: &PlanEntry) -> PlanEntry {
    let mut entry = entry.clone();
    entry.source.line = 0;
    entry.follows = None;
    entry.risk = None;
    entry
}
