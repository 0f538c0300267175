//! The end: leftovers are ended, the output is drained, `exit.json` is written, peers are told, and after a while the
//! holder goes.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::chores::{pack_all, sync};
use super::peer::Desk;
use crate::adapters::holder::process::{Target, terminate};
use crate::adapters::holder::records::{EXIT, ExitRecord, now, write_durably, write_reserved};
use crate::domain::{Exit, Timestamp};
use crate::ports::holders::Leftovers;

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
const INSIST: Duration = Duration::from_hours(1);

/// What the end needs besides the desk.
pub(super) struct Estate {
    /// Room on disk taken for `exit.json`.
    pub(super) reserved: File,
    /// What becomes of leftovers.
    pub(super) leftovers: Leftovers,
    /// The socket, removed at the very end.
    pub(super) socket: PathBuf,
}

/// Everything from the program's end to the holder's.
pub(super) fn finish(desk: &Desk, estate: &Estate, exit: Exit, at: Timestamp) {
    match estate.leftovers {
        Leftovers::Sweep => {
            let mut target = Target::marked(&desk.marker).below(std::process::id());
            // What cannot be listed or ended is found by the next inventory's sweep.
            drop(terminate(&mut target, LEFTOVER_GRACE));
            desk.hub.wait_drained(DRAIN);
        }
        Leftovers::Leave => desk.hub.wait_drained(DRAIN_BESIDE_LEFTOVERS),
    }
    sync(&desk.log);
    let record = desk.hub.record_end(exit, at);
    desk.log.lock().finish(now());
    let path = desk.folder.join(EXIT);
    let written = write_reserved(&path, &estate.reserved, &record);
    desk.hub.announce_end();
    if written.is_err() {
        insist(&path, &record);
    }
    pack_all(&desk.log);
    // Where the socket was removed nobody can come any more.
    desk.hub.linger(LINGER_ALONE, LINGER, &|| estate.socket.exists());
    // Only a folder that was removed already has no socket.
    drop(std::fs::remove_file(&estate.socket));
}

/// Tries again and again, because an end that is not on disk is an attempt that vanished. Where the folder was removed
/// there is nobody who would look for it.
fn insist(path: &Path, record: &ExitRecord) {
    let deadline = Instant::now() + INSIST;
    let is_wanted = || path.parent().is_some_and(Path::exists);
    while write_durably(path, record).is_err() && is_wanted() && Instant::now() < deadline {
        std::thread::park_timeout(Duration::from_secs(1));
    }
}
