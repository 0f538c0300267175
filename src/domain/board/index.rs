//! What can be read off the rows of a board, kept so that an event costs what it touches and not what there is. Every rule asks
//! here which rows it still has to look at. It is derived from the rows alone: it is never stored, makes no two boards differ,
//! and a copy of a board begins without it and makes it anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::Board;
use super::admitting::Places;
use super::running::{Standing, Sum};
use crate::domain::attempt::Attempt;
use crate::domain::id::{AttemptId, BatchId, TaskId};
use crate::domain::task::{Task, TaskState, WhyNot};

/// Tasks that a rule has not looked at since they changed.
#[derive(Default)]
pub(super) struct Pending {
    /// Something changed that may concern every task.
    pub(super) all: bool,
    /// Tasks that changed.
    pub(super) tasks: BTreeSet<TaskId>,
}

/// Derived from the rows of a board.
#[derive(Default)]
pub(super) struct Index {
    /// Whether it was made at all.
    pub(super) is_made: bool,
    links: Pending,
    /// For the end of efforts.
    pub(super) spending: Pending,
    /// For skipping what can never start.
    pub(super) cascading: Pending,
    /// For starting.
    pub(super) scheduling: Pending,
    /// For where batches stand.
    pub(super) judging: Pending,
    /// Tasks by what they wait for, or say that they wait for.
    dependents: BTreeMap<TaskId, BTreeSet<TaskId>>,
    /// The other way round, as it was when `dependents` was made.
    needs: BTreeMap<TaskId, BTreeSet<TaskId>>,
    /// Attempts that are open.
    pub(super) open: BTreeSet<AttemptId>,
    /// Attempts with a deadline.
    pub(super) timed: BTreeSet<AttemptId>,
    /// Released tasks that wait for a time.
    pub(super) cooling: BTreeSet<TaskId>,
    /// Released tasks that only the limit of a turn kept from starting.
    pub(super) turn_limited: BTreeSet<TaskId>,
    /// Released tasks that nothing of their own keeps from starting: they wait for room, for their turn or for the end of a pause.
    pub(super) contenders: BTreeSet<TaskId>,
    /// What was taken when starting was last tried, and whether the board was paused then.
    pub(super) tried: Option<(Places, bool)>,
    /// Tasks that go on without a person.
    pub(super) moving: BTreeSet<TaskId>,
    /// How each task counts in its batch.
    pub(super) standings: BTreeMap<TaskId, (BatchId, Standing)>,
    /// What the tasks of each batch add up to.
    pub(super) sums: BTreeMap<BatchId, Sum>,
}

impl Index {
    /// A task changed, or is new.
    pub(super) fn task_changed(&mut self, id: &TaskId) {
        for pending in self.readers() {
            pending.tasks.insert(id.clone());
        }
    }

    /// An attempt changed, or is new.
    pub(super) fn attempt_changed(&mut self, attempt: &Attempt) {
        keep(&mut self.open, attempt.id, attempt.state.is_open());
        keep(&mut self.timed, attempt.id, attempt.deadline.is_some());
    }

    /// An attempt has left the board.
    pub(super) fn attempt_gone(&mut self, id: AttemptId) {
        self.open.remove(&id);
        self.timed.remove(&id);
    }

    /// Something changed that may concern every task: settings, workflows, what a batch allows.
    pub(super) fn everything_changed(&mut self) {
        for pending in self.readers() {
            pending.all = true;
        }
    }

    fn readers(&mut self) -> [&mut Pending; 5] {
        [
            &mut self.links,
            &mut self.spending,
            &mut self.cascading,
            &mut self.scheduling,
            &mut self.judging,
        ]
    }

    /// Tasks that wait for that one.
    pub(super) fn dependents(&self, id: &TaskId) -> impl Iterator<Item = &TaskId> {
        self.dependents.get(id).into_iter().flatten()
    }

    /// Reads off a task's row what it waits for.
    fn link(&mut self, task: &Task) {
        let mut needs = task.deps.clone();
        if let Some(WhyNot::Dependencies(on)) = &task.why_not {
            needs.extend(on.iter().cloned());
        }
        let before = self.needs.get(&task.id);
        if before != Some(&needs) {
            for on in before.into_iter().flatten() {
                if let Some(dependents) = self.dependents.get_mut(on) {
                    dependents.remove(&task.id);
                }
            }
            for on in &needs {
                self.dependents
                    .entry(on.clone())
                    .or_default()
                    .insert(task.id.clone());
            }
            self.needs.insert(task.id.clone(), needs);
        }
        let why_not = (task.state == TaskState::Released).then_some(&task.why_not);
        let cools = matches!(why_not, Some(Some(WhyNot::Until(_))));
        let limited = matches!(why_not, Some(Some(WhyNot::TurnLimit)));
        let contends = matches!(
            why_not,
            Some(
                None | Some(
                    WhyNot::Paused | WhyNot::SingletonBusy(_) | WhyNot::NoRoom { .. } | WhyNot::TurnLimit
                )
            )
        );
        keep(&mut self.cooling, task.id.clone(), cools);
        keep(&mut self.turn_limited, task.id.clone(), limited);
        keep(&mut self.contenders, task.id.clone(), contends);
    }
}

impl Board {
    /// Makes the index of a board that has none yet.
    pub(super) fn make_index(&mut self) {
        if self.index.is_made {
            return;
        }
        self.index = Index {
            is_made: true,
            ..Index::default()
        };
        self.index.everything_changed();
        for attempt in self.attempts.values() {
            self.index.attempt_changed(attempt);
        }
    }

    /// Brings up to date who waits for whom and for what.
    pub(super) fn link(&mut self) {
        let changed = std::mem::take(&mut self.index.links);
        for id in self.ids_of(changed) {
            if let Some(task) = self.tasks.get(&id) {
                self.index.link(task);
            }
        }
    }

    /// The tasks meant.
    pub(super) fn ids_of(&self, pending: Pending) -> BTreeSet<TaskId> {
        if pending.all {
            self.tasks.keys().cloned().collect()
        } else {
            pending.tasks
        }
    }

    /// The tasks meant, and those that wait for them.
    pub(super) fn near(&self, pending: Pending) -> BTreeSet<TaskId> {
        if pending.all {
            return self.ids_of(pending);
        }
        let mut near = pending.tasks.clone();
        for id in &pending.tasks {
            near.extend(self.index.dependents(id).cloned());
        }
        near
    }
}

fn keep<T: Ord>(set: &mut BTreeSet<T>, what: T, is_in: bool) {
    if is_in {
        set.insert(what);
    } else {
        set.remove(&what);
    }
}

impl Clone for Index {
    fn clone(&self) -> Index {
        Index::default()
    }
}

impl PartialEq for Index {
    fn eq(&self, _other: &Index) -> bool {
        true
    }
}

impl Eq for Index {}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Index")
    }
}
