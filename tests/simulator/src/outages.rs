//! What lasts until a person sees to it: definite refusals, holders nobody can read, questions git never answers.

use std::collections::{BTreeMap, BTreeSet};

use dbs_domain::{AttemptId, TaskId};

use super::dice::Dice;
use super::faults::Faults;

/// What a remote says that protects its branch, or whose hook says no.
pub(super) const PROTECTED: &str = "the remote refused: protected branch";
/// What a start says whose base is not there.
pub(super) const NO_BASE: &str = "could not find the base on origin";
/// What is said of a process that cannot be looked at.
pub(super) const UNREADABLE: &str = "could not read the folder of its holder";

/// What lasts, and how much of it there was.
#[derive(Debug, Clone, Default)]
pub(super) struct Outages {
    /// Whether the merge, and the start, of a task is refused; decided when it is first tried.
    merges: BTreeMap<TaskId, bool>,
    starts: BTreeMap<TaskId, bool>,
    /// Whether git answers questions about a task; decided when one is first asked.
    mute: BTreeMap<TaskId, bool>,
    /// Processes that nobody can read.
    pub(super) holders: BTreeSet<AttemptId>,
    /// Refusals so far.
    pub(super) n_refused: usize,
    /// Holders that could not be read, and tasks about which git was silent.
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

    /// A person saw to what keeps a task.
    pub(super) fn lift(&mut self, task: &TaskId, owners: &BTreeMap<AttemptId, TaskId>) {
        for lasting in [&mut self.merges, &mut self.starts, &mut self.mute] {
            lasting.insert(task.clone(), false);
        }
        self.holders
            .retain(|id| owners.get(id).is_some_and(|owner| owner != task));
    }
}
