//! Removal of the leftovers of killed holders: their sockets, and the processes they had started.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use super::launch::{SOCKET_PREFIX, socket_name};
use super::{LocalHolders, SWEEP_GRACE};
use dbs_ports::holders::{HolderLiveness, Holders as _};

/// Ends the processes that the programs of killed holders left running and removes the sockets without a listener. Looks only at sockets
/// that exist, so that it costs the same however many attempts there were.
pub(super) fn sweep_killed(own: &LocalHolders) {
    let mut sockets = sockets(own);
    if sockets.is_empty() {
        return;
    }
    for id in own.ids().unwrap_or_default() {
        let Some(socket) = sockets.remove(&socket_name(&own.folder(&id))) else {
            continue;
        };
        match own.status(&id).state {
            // Processes that cannot be ended are found again the next time.
            HolderLiveness::Lost => drop(own.end_marked(&id, SWEEP_GRACE)),
            HolderLiveness::Exited(_) | HolderLiveness::GoneWithMachine => drop(fs::remove_file(socket)),
            HolderLiveness::NotStarted | HolderLiveness::Running(_) | HolderLiveness::Unknown(_) => {}
        }
    }
}

/// Returns the paths of the holders' sockets by their names.
fn sockets(own: &LocalHolders) -> BTreeMap<String, PathBuf> {
    let entries = fs::read_dir(&own.runtime).into_iter().flatten().flatten();
    let named = entries.filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())));
    named
        .filter(|(name, _)| name.starts_with(SOCKET_PREFIX))
        .collect()
}
