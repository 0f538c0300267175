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
pub(in crate::server) mod tests {
    use std::time::Duration;

    use super::*;
    use crate::adapters::clock;
    use crate::adapters::holder::LocalHolders;
    use crate::domain::{Board, BoardSettings, Command, Event, Inventory, RequestId, TaskDraft, TaskId};

    /// A board with a released task whose first attempt is open, and that many attempts before it on disk.
    pub(in crate::server) fn board() -> Board {
        let texts = crate::formats::workflow::builtin();
        let read =
            |(name, text): (&str, &str)| crate::formats::workflow::read(std::path::Path::new(name), text).0;
        let asked = |command| Event::Asked {
            request: RequestId(1),
            by: "ada".to_owned(),
            command,
        };
        let settings = BoardSettings {
            base: Some("work".to_owned()),
            ..BoardSettings::default()
        };
        let mut board = Board::default();
        for event in [
            Event::configured(settings),
            Event::WorkflowsLoaded(texts.into_iter().filter_map(read).collect()),
            asked(Command::Create(TaskDraft::new("t", "Build"))),
            asked(Command::Release(vec!["t".into()])),
            Event::Woke(Inventory::default()),
        ] {
            board.apply(clock::now(), &event);
        }
        board
    }

    fn count(folder: &std::path::Path) -> usize {
        let entries = fs::read_dir(folder).unwrap().flatten();
        entries
            .map(|entry| {
                let is_folder = entry.file_type().unwrap().is_dir();
                1 + if is_folder { count(&entry.path()) } else { 0 }
            })
            .sum()
    }

    #[test]
    fn what_hundreds_of_attempts_left_is_removed_when_it_is_old_and_over_and_nothing_else_is() {
        let folder = tempfile::tempdir().unwrap();
        let attempts = folder.path().join("attempts");
        for number in 1..=300 {
            let gates = attempts.join(number.to_string()).join("gates");
            fs::create_dir_all(&gates).unwrap();
            for name in ["index.jsonl", "00000.log", "gates/00.json", "gates/00.log"] {
                fs::write(attempts.join(number.to_string()).join(name), "x").unwrap();
            }
        }
        for other in ["shell-1", "notes", "002"] {
            fs::create_dir(attempts.join(other)).unwrap();
        }
        let mut board = board();
        let open: Vec<AttemptId> = board.attempts.keys().copied().collect();
        assert_eq!(open, [AttemptId(1)]);
        let holders = LocalHolders::new("dbs".into(), attempts.clone(), folder.path().to_owned());
        let retention = Retention {
            attempts: attempts.clone(),
            holders: Arc::new(holders),
        };
        let (now, later) = (clock::now(), clock::now() + Span(31 * DAY));
        let before = count(&attempts);
        assert_eq!(before, 300 * 6 + 3);
        retention.sweep(&ReadModel::of(&board, now), 30, now);
        assert_eq!(count(&attempts), before, "all of it is young");
        retention.sweep(&ReadModel::of(&board, later), 32, later);
        assert_eq!(count(&attempts), before, "it is not old enough for that");
        let log = fs::File::options()
            .append(true)
            .open(attempts.join("7/00000.log"))
            .unwrap();
        log.set_modified(UNIX_EPOCH + Duration::from_millis((now + Span(2 * DAY)).0))
            .unwrap();
        retention.sweep(&ReadModel::of(&board, later), 30, later);
        let left = 2 * 6 + 3;
        assert_eq!(
            count(&attempts),
            left,
            "the open attempt, one whose log grew, and what is no attempt"
        );
        let close = Event::Asked {
            request: RequestId(2),
            by: "ada".to_owned(),
            command: Command::Close(TaskId::from("t"), "enough".to_owned()),
        };
        board.apply(later, &close);
        retention.sweep(&ReadModel::of(&board, later), 30, later);
        assert_eq!(
            count(&attempts),
            left,
            "an attempt that is being stopped is not over"
        );
    }
}
