//! Pieces of work that agents wrote, and their places: a worktree, a branch, the attic or the base.

use std::collections::{BTreeMap, BTreeSet};

use dbs_domain::{AttemptId, TaskId};

/// Places of all pieces of work; a piece stands in for any bytes.
#[derive(Debug, Clone, Default)]
pub(super) struct Contents {
    /// Number of pieces written so far; they are numbered from 1.
    n: u64,
    /// Pieces in each worktree that are in no commit.
    worktrees: BTreeMap<AttemptId, BTreeSet<u64>>,
    /// Worktrees that were made, including those that were removed since.
    made: BTreeSet<AttemptId>,
    branches: BTreeMap<TaskId, BTreeSet<u64>>,
    attic: BTreeSet<u64>,
    base: BTreeSet<u64>,
    lost: Option<u64>,
}

impl Contents {
    pub(super) fn check_out(&mut self, id: AttemptId) {
        self.made.insert(id);
        self.worktrees.entry(id).or_default();
    }

    /// Writes a piece as an agent does. If its worktree was removed while it works, the piece is lost; the main checkout is never removed.
    pub(super) fn write(&mut self, id: AttemptId) {
        if !self.made.contains(&id) {
            return;
        }
        self.n += 1;
        match self.worktrees.get_mut(&id) {
            Some(tree) => drop(tree.insert(self.n)),
            None => self.lost = Some(self.n),
        }
    }

    pub(super) fn commit(&mut self, id: AttemptId, task: &TaskId) {
        if let Some(tree) = self.worktrees.get_mut(&id) {
            let written = std::mem::take(tree);
            self.branches.entry(task.clone()).or_default().extend(written);
        }
    }

    pub(super) fn merge(&mut self, task: &TaskId) {
        self.base.extend(self.branches.get(task).into_iter().flatten());
    }

    /// Copies what is in a worktree and nowhere else to the attic.
    pub(super) fn keep(&mut self, id: AttemptId) {
        self.attic.extend(self.worktrees.get(&id).into_iter().flatten());
    }

    /// Removes a worktree, with a copy first.
    pub(super) fn put_away(&mut self, id: AttemptId) {
        self.keep(id);
        if let Some(removed) = self.worktrees.remove(&id) {
            self.look_for(&removed);
        }
    }

    /// Deletes a branch; pieces that are not in the base go to the attic.
    pub(super) fn let_go(&mut self, task: &TaskId) {
        let branch = self.branches.remove(task).unwrap_or_default();
        self.attic.extend(branch.difference(&self.base));
        self.look_for(&branch);
    }

    /// Returns the number of pieces written.
    pub(super) fn written(&self) -> u64 {
        self.n
    }

    /// Returns a piece that is in no place any more.
    pub(super) fn lost(&self) -> Option<u64> {
        self.lost
    }

    /// Checks that pieces removed from one place are still in another.
    fn look_for(&mut self, removed: &BTreeSet<u64>) {
        let is_lost = |piece: &&u64| {
            let mut places = self.worktrees.values().chain(self.branches.values());
            let kept = self.attic.contains(*piece) || self.base.contains(*piece);
            !kept && !places.any(|place| place.contains(*piece))
        };
        self.lost = self.lost.or(removed.iter().find(is_lost).copied());
    }
}
