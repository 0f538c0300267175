//! Memory of gates that passed on the base.

use std::collections::BTreeSet;

use parking_lot::Mutex;

use crate::domain::task::GateCommand;
use crate::ports::git::CommitId;

/// Maximum number of gates that are remembered; all are forgotten when there are more.
const MOST_GREEN: usize = 1_000;

/// Gates that passed on a head of a base, so that they need not run there again. What failed may pass once the machine is another.
#[derive(Debug, Default)]
pub struct GreenGates(Mutex<BTreeSet<(String, String)>>);

impl GreenGates {
    pub(super) fn knows(&self, base: &CommitId, gate: &GateCommand) -> bool {
        let known = (base.to_string(), gate.command.clone());
        self.0.lock().contains(&known)
    }

    pub(super) fn note(&self, base: &CommitId, gate: &GateCommand) {
        let mut all = self.0.lock();
        if all.len() >= MOST_GREEN {
            all.clear();
        }
        all.insert((base.to_string(), gate.command.clone()));
    }
}
