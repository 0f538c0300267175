//! Removes the folders of attempts that are long over: the log of their terminal and the output of their checks. Work is not in them: it is
//! on branches, and work that was nowhere else is in the control repository.

mod attic;

pub(in crate::server) use attic::AtticExpiry;

use std::fs::{self, DirEntry};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use crate::domain::{AttemptId, Span, TaskState, Timestamp};
use crate::ports::holders::{HolderId, HolderLiveness, Holders};
use crate::read_model::ReadModel;

/// Milliseconds of a day.
const DAY: u64 = 24 * 60 * 60 * 1000;

/// Location of the attempts' folders, and the holders that know the programs running in them.
pub(in crate::server) struct Retention {
    pub(in crate::server) attempts: PathBuf,
    pub(in crate::server) holders: Arc<dyn Holders>,
}

impl Retention {
    /// Removes the folders that nothing was written to for `days` days and whose task is done or gone.
    pub(in crate::server) fn sweep(&self, model: &ReadModel, days: u32, now: Timestamp) {
        let keep = Span(u64::from(days) * DAY);
        let entries = fs::read_dir(&self.attempts).into_iter().flatten().flatten();
        let old = entries.filter(|entry| self.is_over(entry, model) && is_older(entry, keep, now));
        let mut n_removed = 0_usize;
        for entry in old {
            match fs::remove_dir_all(entry.path()) {
                Ok(()) => n_removed += 1,
                Err(error) => tracing::warn!("could not remove {}: {error}", entry.path().display()),
            }
        }
        if n_removed > 0 {
            tracing::info!("removed {n_removed} logs of attempts that ended more than {days} days ago");
        }
    }

    /// Returns true if it is the folder of an attempt that is over for good.
    fn is_over(&self, entry: &DirEntry, model: &ReadModel) -> bool {
        let name = entry.file_name();
        let name = name.to_str().unwrap_or_default();
        // Other ways to write the number do not belong to an attempt either.
        let number = name
            .parse()
            .ok()
            .filter(|number: &u64| number.to_string() == name);
        // The target of a link does not belong to an attempt.
        let (Some(id), true) = (
            number.map(AttemptId),
            entry.file_type().is_ok_and(|kind| kind.is_dir()),
        ) else {
            return false;
        };
        // The board forgets attempts that are over.
        let is_settled = model.attempts.get(&id).is_none_or(|attempt| {
            let task = model.tasks.get(&attempt.task);
            let is_done = |state| matches!(state, TaskState::Done | TaskState::Cancelled);
            !attempt.state.is_open() && task.is_none_or(|task| is_done(task.state.clone()))
        });
        let state = || self.holders.status(&HolderId::from(id)).state;
        is_settled && !matches!(state(), HolderLiveness::Running(_) | HolderLiveness::Unknown(_))
    }
}

/// Returns true if neither the folder nor a file in it was written to for that time: a log that grows does not change its folder.
fn is_older(folder: &DirEntry, keep: Span, now: Timestamp) -> bool {
    let is_old = |entry: &DirEntry| {
        let changed = entry.metadata().and_then(|facts| facts.modified());
        let changed = changed.ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        changed.is_some_and(|at| {
            let at = Timestamp(u64::try_from(at.as_millis()).unwrap_or(u64::MAX));
            now.since(at) > keep
        })
    };
    is_old(folder)
        && fs::read_dir(folder.path())
            .is_ok_and(|mut files| files.all(|file| file.is_ok_and(|file| is_old(&file))))
}

#[cfg(test)]
pub(in crate::server) mod tests;
