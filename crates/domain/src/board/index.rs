//! Index of a board's rows, kept so that an event costs what it touches and not the size of the board. Every rule asks it which rows it
//! still has to look at. The index is derived from the rows alone: it is never stored, does not make two boards differ, and a copy of a
//! board begins without it and builds a new one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::Board;
use super::admission::Slots;
use super::run_state::{BatchTotals, TaskProgress};
use crate::attempt::Attempt;
use crate::id::{AttemptId, BatchId, TaskId};
use crate::task::{HoldReason, Task, TaskState};
use crate::time::Timestamp;
use crate::wait_reason::WaitReason;

/// Set of tasks that a rule has yet to look at because they changed.
#[derive(Default)]
pub(super) struct DirtyTasks {
    /// True if something changed that may concern every task.
    pub(super) all: bool,
    /// Tasks that changed.
    pub(super) tasks: BTreeSet<TaskId>,
}

/// Pauses that keep tasks from being started: of the board, and of accounts at their usage limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pauses {
    pub(super) is_paused: bool,
    pub(super) limits: Vec<String>,
}

/// Lookup tables derived from the board's rows, so that an event costs what it touches; never stored.
#[derive(Default)]
pub(super) struct BoardIndex {
    /// True if the index was built.
    pub(super) is_built: bool,
    links: DirtyTasks,
    /// Tasks to check for exhausted efforts.
    pub(super) exhaustion: DirtyTasks,
    /// Tasks to check for skips, because they can never start.
    pub(super) cascade: DirtyTasks,
    /// Tasks to check for a start.
    pub(super) schedule: DirtyTasks,
    /// Tasks to check for workspaces kept for an attempt that will not come.
    pub(super) continuing: DirtyTasks,
    /// Tasks to check for the run states of batches.
    pub(super) run_states: DirtyTasks,
    /// Tasks by the dependencies they have or name as their wait reason.
    dependents: BTreeMap<TaskId, BTreeSet<TaskId>>,
    /// Dependencies by task, as they were when `dependents` was updated.
    needs: BTreeMap<TaskId, BTreeSet<TaskId>>,
    /// Attempts that are open.
    pub(super) open: BTreeSet<AttemptId>,
    /// Attempts for which something is due.
    pub(super) timed: BTreeSet<AttemptId>,
    /// Released tasks that wait for a time.
    pub(super) delayed: BTreeSet<TaskId>,
    /// Due times of branch deletions, the earliest first.
    pub(super) branch_cleanups: BTreeSet<(Timestamp, TaskId)>,
    /// Due times of branch deletions by task.
    cleanup_times: BTreeMap<TaskId, Timestamp>,
    /// Released tasks that only the limit of a turn kept from starting.
    pub(super) turn_limited: BTreeSet<TaskId>,
    /// Released tasks that are looked at again when room or a pause changes. Other things that they lack are reported only while the board
    /// is not paused.
    pub(super) ready: BTreeSet<TaskId>,
    /// Slots that were taken, and the pauses in force, when starting was last tried.
    pub(super) last_usage: Option<(Slots, Pauses)>,
    /// Tasks that are held because nothing can be merged into their base.
    pub(super) closed: BTreeSet<TaskId>,
    /// Tasks with listed files whose work is on a branch and not merged yet, unless they are at rest.
    pub(super) unmerged: BTreeSet<TaskId>,
    /// Tasks whose work was left on its branch.
    pub(super) handed_over: BTreeSet<TaskId>,
    /// Tasks that continue without a person.
    pub(super) ongoing: BTreeSet<TaskId>,
    /// Progress as which each task counts in its batch.
    pub(super) progress: BTreeMap<TaskId, (BatchId, TaskProgress)>,
    /// Totals of the tasks of each batch.
    pub(super) totals: BTreeMap<BatchId, BatchTotals>,
}

impl BoardIndex {
    /// Marks a task that changed, or is new.
    pub(super) fn task_changed(&mut self, id: &TaskId) {
        for pending in self.dirty_sets() {
            pending.tasks.insert(id.clone());
        }
    }

    /// Marks an attempt that changed, or is new.
    pub(super) fn attempt_changed(&mut self, attempt: &Attempt) {
        set_membership(&mut self.open, attempt.id, attempt.state.is_open());
        set_membership(&mut self.timed, attempt.id, attempt.due().is_some());
    }

    /// Removes an attempt that has left the board.
    pub(super) fn attempt_gone(&mut self, id: AttemptId) {
        self.open.remove(&id);
        self.timed.remove(&id);
    }

    /// Marks every task, after a change that may concern all of them: settings, workflows, permissions of a batch.
    pub(super) fn everything_changed(&mut self) {
        for pending in self.dirty_sets() {
            pending.all = true;
        }
    }

    fn dirty_sets(&mut self) -> [&mut DirtyTasks; 6] {
        [
            &mut self.links,
            &mut self.exhaustion,
            &mut self.cascade,
            &mut self.schedule,
            &mut self.continuing,
            &mut self.run_states,
        ]
    }

    /// Returns the tasks that wait for that one.
    pub(super) fn dependents(&self, id: &TaskId) -> impl Iterator<Item = &TaskId> {
        self.dependents.get(id).into_iter().flatten()
    }

    /// Updates the links from a task's row to its dependencies.
    fn link_task(&mut self, task: &Task) {
        let mut needs = task.deps.clone();
        if let Some(WaitReason::Dependencies(on)) = &task.why_not {
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
        self.link_cleanup(task);
        let why_not = (task.state == TaskState::Released).then_some(&task.why_not);
        let cools = matches!(why_not, Some(Some(WaitReason::Until(_))));
        let limited = matches!(why_not, Some(Some(WaitReason::TurnLimit)));
        let contends = matches!(
            why_not,
            Some(
                None | Some(
                    WaitReason::Paused
                        | WaitReason::UsageLimit(_)
                        | WaitReason::Untrusted
                        | WaitReason::NoGate
                        | WaitReason::Setting(_)
                        | WaitReason::SingletonBusy(_)
                        | WaitReason::BaseClosed { .. }
                        | WaitReason::FileBusy { .. }
                        | WaitReason::FileLeft { .. }
                        | WaitReason::NoRoom { .. }
                        | WaitReason::BatchFull { .. }
                        | WaitReason::TurnLimit
                )
            )
        );
        set_membership(&mut self.unmerged, task.id.clone(), has_unmerged_files(task));
        let is_handed_over = task.handed_over_on().is_some();
        set_membership(&mut self.handed_over, task.id.clone(), is_handed_over);
        let closes = matches!(task.state, TaskState::Held(HoldReason::BaseClosed(_)));
        set_membership(&mut self.closed, task.id.clone(), closes);
        set_membership(&mut self.delayed, task.id.clone(), cools);
        set_membership(&mut self.turn_limited, task.id.clone(), limited);
        set_membership(&mut self.ready, task.id.clone(), contends);
    }

    /// Updates the time at which the deletion of a task's branch is due.
    fn link_cleanup(&mut self, task: &Task) {
        let at = task.letting_go.as_ref().map(|cleanup| cleanup.at);
        let before = match at {
            Some(at) => self.cleanup_times.insert(task.id.clone(), at),
            None => self.cleanup_times.remove(&task.id),
        };
        if before == at {
            return;
        }
        if let Some(before) = before {
            self.branch_cleanups.remove(&(before, task.id.clone()));
        }
        if let Some(at) = at {
            self.branch_cleanups.insert((at, task.id.clone()));
        }
    }
}

impl Board {
    /// Builds the index of a board that has none yet.
    pub(super) fn build_index(&mut self) {
        if self.index.is_built {
            return;
        }
        self.index = BoardIndex {
            is_built: true,
            ..BoardIndex::default()
        };
        self.index.everything_changed();
        for attempt in self.attempts.values() {
            self.index.attempt_changed(attempt);
        }
    }

    /// Rebuilds the index of a board whose rows were replaced.
    pub(super) fn forget_index(&mut self) {
        self.index.is_built = false;
        self.build_index();
    }

    /// Updates the links between tasks and their dependencies, and the reasons they wait.
    pub(super) fn update_links(&mut self) {
        let changed = std::mem::take(&mut self.index.links);
        for id in self.ids_of(changed) {
            if let Some(task) = self.tasks.get(&id) {
                self.index.link_task(task);
            }
        }
    }

    /// Returns the tasks in the set.
    pub(super) fn ids_of(&self, pending: DirtyTasks) -> BTreeSet<TaskId> {
        if pending.all {
            self.tasks.keys().cloned().collect()
        } else {
            pending.tasks
        }
    }

    /// Returns the tasks in the set, and those that wait for them.
    pub(super) fn with_dependents(&self, pending: DirtyTasks) -> BTreeSet<TaskId> {
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

fn has_unmerged_files(task: &Task) -> bool {
    let moves = matches!(
        task.state,
        TaskState::Released | TaskState::Active | TaskState::Verifying
    );
    let lists_files = task.plan.as_ref().is_some_and(|plan| plan.paths.lists_files());
    moves && lists_files && task.head.is_some() && task.merged.is_none()
}

fn set_membership<T: Ord>(set: &mut BTreeSet<T>, what: T, is_in: bool) {
    if is_in {
        set.insert(what);
    } else {
        set.remove(&what);
    }
}

impl Clone for BoardIndex {
    fn clone(&self) -> BoardIndex {
        BoardIndex::default()
    }
}

impl PartialEq for BoardIndex {
    fn eq(&self, _other: &BoardIndex) -> bool {
        true
    }
}

impl Eq for BoardIndex {}

impl fmt::Debug for BoardIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BoardIndex")
    }
}
