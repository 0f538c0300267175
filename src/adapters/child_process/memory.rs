//! The memory that a child and all it started take, for a limit on it. Looked at from outside, because a limit that the system enforces
//! can be set for a child on no system without unsafe code.

use std::collections::BTreeMap;

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};

/// Bytes that a process and its descendants take; none where that cannot be seen.
pub(in crate::adapters) fn memory_of(root: u32) -> u64 {
    let Ok(mut system) = System::new() else { return 0 };
    let what = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, what);
    let mut children: BTreeMap<Pid, Vec<Pid>> = BTreeMap::new();
    let real = system
        .processes()
        .values()
        .filter(|process| process.thread_kind().is_none());
    for process in real {
        if let Some(parent) = process.parent() {
            children.entry(parent).or_default().push(process.pid());
        }
    }
    let (mut open, mut bytes) = (vec![Pid::from_u32(root)], 0);
    while let Some(next) = open.pop() {
        bytes += system.process(next).map_or(0, sysinfo::Process::memory);
        open.extend(children.remove(&next).unwrap_or_default());
    }
    bytes
}
