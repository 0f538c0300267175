//! Ending all children of this process that lead a group: for a server that must end while git or a gate still works.

use super::{kill_group, terminate_group};
use crate::adapters::holder::process::processes;

/// How children are ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndForce {
    /// They may clean up.
    Ask,
    Kill,
}

/// Ends the children of this process, each with its group. Who waits for one sees that it has ended. Holders are no children: they
/// have left, and a start of one that is under way leads no group.
pub(crate) fn end_all(force: EndForce) {
    let Ok(found) = processes() else { return };
    for child in found.iter().filter(|row| row.parent == std::process::id()) {
        match force {
            EndForce::Ask => terminate_group(child.pid),
            EndForce::Kill => kill_group(child.pid),
        }
    }
}
