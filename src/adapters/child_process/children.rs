//! Ending all children of this process that lead a group: for a server that must end while git or a gate still works.

use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System};

use super::{kill_group, terminate_group};

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
    let Ok(mut system) = System::new() else { return };
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, ProcessRefreshKind::nothing());
    let own = sysinfo::get_current_pid().ok();
    let processes = system.processes().values();
    let children = processes.filter(|process| process.parent() == own && process.thread_kind().is_none());
    for child in children {
        match force {
            EndForce::Ask => terminate_group(child.pid().as_u32()),
            EndForce::Kill => kill_group(child.pid().as_u32()),
        }
    }
}
