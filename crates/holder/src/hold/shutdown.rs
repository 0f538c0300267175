//! The end: leftovers are ended, the output is drained, `exit.json` is written, peers are told, and after a while the
//! holder goes.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::maintenance::{pack_all, sync};
use super::peer::PeerContext;
use crate::files::{EXIT, ExitRecord, now, write_durably, write_reserved};
use crate::process::{ProcessSelector, terminate};
use dbs_domain::{ProcessExit, Timestamp};
use dbs_ports::holders::OrphanPolicy;

/// What leftovers get to comply before they are killed.
const LEFTOVER_GRACE: Duration = Duration::from_millis(500);
/// How long output is drained after everything that could write is gone.
const DRAIN: Duration = Duration::from_secs(2);
/// The same where leftovers may keep the terminal open for days.
const DRAIN_BESIDE_LEFTOVERS: Duration = Duration::from_millis(300);
/// How long the end waits for somebody to fetch it; it is on disk anyway.
const LINGER_ALONE: Duration = Duration::from_secs(10);
/// How long it waits for a peer that is there to leave.
const LINGER: Duration = Duration::from_mins(1);
/// How long writing the end to a full disk is tried.
const WRITE_RETRY_TIME: Duration = Duration::from_hours(1);

/// What the end of a holder needs: the file reserved for `exit.json`, the policy for leftovers and the socket.
pub(super) struct ExitResources {
    /// Room on disk taken for `exit.json`.
    pub(super) reserved: File,
    pub(super) leftovers: OrphanPolicy,
    /// The socket, removed at the very end.
    pub(super) socket: PathBuf,
}

/// Everything from the program's end to the holder's.
pub(super) fn finish(desk: &PeerContext, estate: &ExitResources, exit: ProcessExit, at: Timestamp) {
    match estate.leftovers {
        OrphanPolicy::Sweep => {
            let mut target = ProcessSelector::marked(&desk.marker).below(std::process::id());
            // What cannot be listed or ended is found by the next inventory's sweep.
            drop(terminate(&mut target, LEFTOVER_GRACE));
            desk.hub.wait_drained(DRAIN);
        }
        OrphanPolicy::Leave => desk.hub.wait_drained(DRAIN_BESIDE_LEFTOVERS),
    }
    sync(&desk.log);
    let record = desk.hub.record_end(exit, at);
    desk.log.lock().finish(now());
    let path = desk.folder.join(EXIT);
    let written = write_reserved(&path, &estate.reserved, &record);
    desk.hub.announce_end();
    if written.is_err() {
        write_exit_record(&path, &record);
    }
    pack_all(&desk.log);
    // Where the socket was removed nobody can come any more.
    desk.hub.linger(LINGER_ALONE, LINGER, &|| estate.socket.exists());
    // Only a folder that was removed already has no socket.
    drop(std::fs::remove_file(&estate.socket));
}

/// Tries again and again, because an end that is not on disk is an attempt that vanished. Where the folder was removed
/// there is nobody who would look for it.
fn write_exit_record(path: &Path, record: &ExitRecord) {
    let deadline = Instant::now() + WRITE_RETRY_TIME;
    let is_wanted = || path.parent().is_some_and(Path::exists);
    while write_durably(path, record).is_err() && is_wanted() && Instant::now() < deadline {
        std::thread::park_timeout(Duration::from_secs(1));
    }
}
