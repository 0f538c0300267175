//! Ending all children of this process that lead a group: for a server that must end while git or a gate still works.

use std::time::Duration;

use super::{kill_group, leads_group, terminate_group};
use crate::adapters::holder::process::{ProcessSelector, processes, terminate};

/// Force with which children are ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndForce {
    /// Request to end, so that they may clean up.
    Ask,
    Kill,
}

/// Ends the children of this process, each with its group, or kills them with everything below them. The thread that waits for one sees
/// that it has ended. Holders are not children: they have left, and a start of one that is under way leads no group.
pub(crate) fn end_all(force: EndForce) {
    let Ok(found) = processes() else { return };
    let own = std::process::id();
    for child in found
        .iter()
        .filter(|row| row.parent == own && leads_group(row.pid))
    {
        match force {
            EndForce::Ask => terminate_group(child.pid),
            EndForce::Kill => {
                // A keeper that is killed first would lose the processes it has adopted. A process that cannot be ended now is tried again.
                terminate(&mut ProcessSelector::descendants(child.pid), Duration::ZERO).ok();
                kill_group(child.pid);
            }
        }
    }
}
