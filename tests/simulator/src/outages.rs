//! Outages that last until a person sees to them: definite refusals, holders that cannot be read, and questions that git never answers.

use std::collections::{BTreeMap, BTreeSet};

use dbs_domain::{AttemptId, TaskId};

use super::dice::Dice;
use super::faults::Faults;

/// Message of a remote that protects its branch or whose hook refuses.
pub(super) const PROTECTED: &str = "the remote refused: protected branch";
/// Message of a start whose base does not exist.
pub(super) const NO_BASE: &str = "could not find the base on origin";
/// Message about a process that cannot be inspected.
pub(super) const UNREADABLE: &str = "could not read the folder of its holder";

/// Lasting outages, with counters.
#[derive(Debug, Clone, Default)]
pub(super) struct Outages {
    /// True for tasks whose merge (`merges`) or start (`starts`) is refused; decided at the first try.
    merges: BTreeMap<TaskId, bool>,
    starts: BTreeMap<TaskId, bool>,
    /// True for tasks about which git never answers; decided at the first question.
    mute: BTreeMap<TaskId, bool>,
    /// Processes whose holder cannot be read.
    pub(super) holders: BTreeSet<AttemptId>,
    /// Refusals so far.
    pub(super) n_refused: usize,
    /// Number of holders that could not be read and of tasks about which git was silent.
    pub(super) n_unknown: usize,
}

impl Outages {
    pub(super) fn merge_refused(&mut self, task: &TaskId, dice: &mut Dice, faults: &Faults) -> bool {
        let decide = || dice.percent(faults.refusal);
        let refused = *self.merges.entry(task.clone()).or_insert_with(decide);
        self.n_refused += usize::from(refused);
        refused
    }

    pub(super) fn start_refused(&mut self, task: &TaskId, dice: &mut Dice, faults: &Faults) -> bool {
        let decide = || dice.percent(faults.refusal / 2);
        let refused = *self.starts.entry(task.clone()).or_insert_with(decide);
        self.n_refused += usize::from(refused);
        refused
    }

    pub(super) fn is_mute(&mut self, task: &TaskId, dice: &mut Dice, faults: &Faults) -> bool {
        let known = self.mute.get(task).copied();
        known.unwrap_or_else(|| {
            let mute = dice.percent(faults.forever);
            self.n_unknown += usize::from(mute);
            self.mute.insert(task.clone(), mute);
            mute
        })
    }

    pub(super) fn lose_holder(&mut self, id: AttemptId) {
        self.n_unknown += usize::from(self.holders.insert(id));
    }

    /// Ends all outages of a task, as a person does who sees to them.
    pub(super) fn lift(&mut self, task: &TaskId, owners: &BTreeMap<AttemptId, TaskId>) {
        for lasting in [&mut self.merges, &mut self.starts, &mut self.mute] {
            lasting.insert(task.clone(), false);
        }
        self.holders
            .retain(|id| owners.get(id).is_some_and(|owner| owner != task));
    }
}
