//! The slow work beside the bytes: making the log safe from a power cut, compressing closed segments. Never under the
//! log's lock, because a disk may take seconds.

use parking_lot::Mutex;

use super::shared::{MaintenanceJob, SharedState};
use crate::log::{LogWriter, pack};
use dbs_domain::{ProcessExit, Timestamp};

/// Does chores until the program ends; returns its exit and the time of it.
pub(super) fn run_until_exit(log: &Mutex<LogWriter>, hub: &SharedState) -> (ProcessExit, Timestamp) {
    loop {
        match hub.next_job() {
            MaintenanceJob::Sync => sync(log),
            MaintenanceJob::Pack => pack_one(log),
            MaintenanceJob::End(exit, at) => return (exit, at),
        }
    }
}

/// Stores the bytes written so far. Bytes that cannot be stored now are tried again with the next ones.
pub(super) fn sync(log: &Mutex<LogWriter>) {
    let files = log.lock().files_to_sync();
    for file in files {
        drop(file.sync_data());
    }
}

pub(super) fn pack_all(log: &Mutex<LogWriter>) {
    while pack_next(log) {}
}

fn pack_one(log: &Mutex<LogWriter>) {
    pack_next(log);
}

fn pack_next(log: &Mutex<LogWriter>) -> bool {
    let Some((folder, number)) = log.lock().next_to_pack() else {
        return false;
    };
    let outcome = pack(&folder, number);
    log.lock().packed(number, outcome);
    true
}
