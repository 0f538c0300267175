//! The end: leftovers are ended, the output is drained, `exit.json` is written, peers are informed, and after a while the holder ends.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::maintenance::{pack_all, sync};
use super::peer::PeerContext;
use crate::files::{EXIT, ExitRecord, now, write_durably, write_reserved};
use crate::process::{ProcessSelector, terminate};
use dbs_domain::{ProcessExit, Timestamp};
use dbs_ports::holders::OrphanPolicy;

/// Time that leftovers get to comply before they are killed.
const LEFTOVER_GRACE: Duration = Duration::from_millis(500);
/// Maximum time for which output is drained after everything that could write is gone.
const DRAIN: Duration = Duration::from_secs(2);
/// Limit of draining where leftovers may keep the terminal open for days.
const DRAIN_BESIDE_LEFTOVERS: Duration = Duration::from_millis(300);
/// Maximum wait for a peer that fetches the end; it is on disk anyway.
const LINGER_ALONE: Duration = Duration::from_secs(10);
/// Maximum wait for a connected peer to leave.
const LINGER: Duration = Duration::from_mins(1);
/// Time during which writing the end to a full disk is tried.
const WRITE_RETRY_TIME: Duration = Duration::from_hours(1);

/// Resources for the end of a holder: the file reserved for `exit.json`, the policy for leftovers and the socket.
pub(super) struct ExitResources {
    /// Room on disk taken for `exit.json`.
    pub(super) reserved: File,
    pub(super) leftovers: OrphanPolicy,
    /// The socket, removed at the very end.
    pub(super) socket: PathBuf,
}

/// Does everything from the program's end to the holder's.
pub(super) fn finish(context: &PeerContext, resources: &ExitResources, exit: ProcessExit, at: Timestamp) {
    match resources.leftovers {
        OrphanPolicy::Sweep => {
            let mut target = ProcessSelector::marked(&context.marker).below(std::process::id());
            // Processes that cannot be listed or ended are found by the next inventory's sweep.
            drop(terminate(&mut target, LEFTOVER_GRACE));
            context.hub.wait_drained(DRAIN);
        }
        OrphanPolicy::Leave => context.hub.wait_drained(DRAIN_BESIDE_LEFTOVERS),
    }
    sync(&context.log);
    let record = context.hub.record_end(exit, at);
    context.log.lock().finish(now());
    let path = context.folder.join(EXIT);
    let written = write_reserved(&path, &resources.reserved, &record);
    context.hub.announce_end();
    if written.is_err() {
        write_exit_record(&path, &record);
    }
    pack_all(&context.log);
    // Once the socket was removed no peer can come any more.
    context
        .hub
        .linger(LINGER_ALONE, LINGER, &|| resources.socket.exists());
    // Only a folder that was removed already has no socket.
    drop(std::fs::remove_file(&resources.socket));
}

/// Tries again and again, because an end that is not on disk is an attempt that vanished. If the folder was removed, nothing would look for
/// the end.
fn write_exit_record(path: &Path, record: &ExitRecord) {
    let deadline = Instant::now() + WRITE_RETRY_TIME;
    let is_wanted = || path.parent().is_some_and(Path::exists);
    while write_durably(path, record).is_err() && is_wanted() && Instant::now() < deadline {
        std::thread::park_timeout(Duration::from_secs(1));
    }
}
