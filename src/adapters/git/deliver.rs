//! Delivery of merged work to the person's checkout: the base branch, the index and the files move by fast-forward, together or not at all.
//! Nothing that the person wrote is ever changed: a move begins only where every path it touches holds the content of the checked-out
//! commit, each file is put aside by a rename and looked at again before another takes its place, and the journal lets the next call finish
//! or undo a move that was cut off.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::cli::GitCli;
use super::delivery_move::{DeliveryStep, Halt, Move, Moving, until};
use super::files::{failed, missing, write_atomically};
use super::parse::RegisteredWorktree;
use super::person_base::person_name;
use super::refs::PinKind;
use super::stale_locks::lock_of;
use super::write_lock::WriteGuard;
use crate::adapters::text_file;
use crate::domain::{Delivery, DeliveryEnd, TroubleKind};
use crate::ports::git::{BranchName, CommitId, Git as _, GitError};

/// Time that a start waits for another process, which may be at the very move that is to be finished.
const START_WAIT: Duration = Duration::from_secs(2);

/// Files and folders of a git folder that show that something is under way in its checkout.
const UNDER_WAY: [(&str, &str); 7] = [
    ("MERGE_HEAD", "a merge"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase or `git am`"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("sequencer", "a cherry-pick or revert"),
    ("BISECT_LOG", "a bisect"),
];

/// Record of a move under way.
#[derive(Serialize, Deserialize)]
struct Journal {
    base: String,
    from: String,
    to: String,
    /// Paths that had their new content before; `None` while no file has been moved.
    settled: Option<BTreeSet<String>>,
}

impl GitCli {
    /// Brings a commit of the base into the person's checkout, or only into the branch if that is checked out nowhere. Before each step
    /// `at` is called with its name.
    ///
    /// # Errors
    /// When the repositories cannot be read or written. Then nothing was moved, or the next call finishes or undoes it.
    pub fn deliver_in_steps(
        &self,
        base: &BranchName,
        to: &CommitId,
        at: DeliveryStep<'_>,
    ) -> Result<Delivery, GitError> {
        let mut turn = self.lock_project()?;
        self.settle_delivery(&turn)?;
        if !self.import_commit(to)? {
            return Err(missing(
                format!("commit {to}"),
                "the repository it was in is gone",
            ));
        }
        let mut delivery = Delivery {
            base: base.as_str().to_owned(),
            remote: self.remote_name(),
            to: to.as_str().to_owned(),
            n_commits: 0,
            end: DeliveryEnd::Current,
        };
        let Some(from) = self.local_head(base)? else {
            delivery.end = DeliveryEnd::NoBranch;
            return Ok(delivery);
        };
        let from = self.import_known(from)?;
        if self.is_ancestor(to, &from)? {
            return Ok(delivery);
        }
        let count = self.in_control("count commits")?.words("rev-list --count");
        let count = count.args([to.as_str(), "--not", from.as_str()]).run_line()?;
        delivery.n_commits = count.parse().unwrap_or_default();
        delivery.end = match self.deliver_from(base, &from, to, at, &mut turn) {
            Ok(end) => end,
            Err(Halt::Kept(why)) => DeliveryEnd::Kept(why),
            Err(Halt::Failed(error)) => return Err(error),
        };
        Ok(delivery)
    }

    fn deliver_from(
        &self,
        base: &BranchName,
        from: &CommitId,
        to: &CommitId,
        at: DeliveryStep<'_>,
        turn: &mut WriteGuard<'_>,
    ) -> Moving<DeliveryEnd> {
        let root = self.project.root.display();
        if let Some(what) = self.under_way()? {
            return Err(until(format!("{what} is under way in {root}; end it")));
        }
        if !self.is_ancestor(from, to)? {
            let way = if self.has_remote() {
                "`git pull` or push them"
            } else {
                "`dbs pull` merges them"
            };
            let why = format!("your branch {base} has commits that were not merged; {way}");
            return Err(Halt::Kept(why));
        }
        let entries = self.registered()?;
        let is_here = |entry: &&RegisteredWorktree| entry.is_at(&self.project.root);
        let (here, others): (Vec<_>, Vec<_>) = entries.iter().partition(is_here);
        let elsewhere = others.iter().find(|entry| entry.holds(base));
        if let Some(other) = elsewhere {
            let why = format!(
                "{base} is checked out in {}; `git pull` there",
                other.path.display()
            );
            return Err(Halt::Kept(why));
        }
        if self.is_held_elsewhere(base) {
            return Err(until(format!(
                "{base} is rebased or bisected in another worktree; end that"
            )));
        }
        self.pin(PinKind::Pin, to)?;
        self.export_to_project(&[&PinKind::Pin.ref_name(to)])?;
        if !here.iter().any(|entry| entry.holds(base)) {
            self.move_branch(base, Some(from), to, "dbs: deliver", turn)?;
            self.note_moved(base, to, turn);
            return Ok(DeliveryEnd::Branch);
        }
        let moving = Move::new(self, base, from, to, at)?;
        moving.refuse_stage()?;
        self.write_journal(&moving, false)?;
        let moved = moving.carry_out(turn);
        if moved.is_err() {
            self.settle_delivery(turn)?;
            moved?;
        }
        self.note_moved(base, to, turn);
        Ok(DeliveryEnd::Files)
    }

    /// Finishes or undoes a move that was cut off, by the journal. Nothing remains of it afterwards.
    pub(super) fn settle_delivery(&self, _turn: &WriteGuard<'_>) -> Result<(), GitError> {
        let file = self.journal_file();
        let text = match text_file::read(&file, text_file::LARGEST_WRITTEN) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(failed("read", &file)(error)),
        };
        let journal: Journal =
            serde_json::from_slice(&text).map_err(|error| failed("read", &file)(error.into()))?;
        let (base, from, to) = (
            BranchName::new(&journal.base)?,
            CommitId::new(&journal.from)?,
            CommitId::new(&journal.to)?,
        );
        let settled = journal.settled;
        let again = Move::new(self, &base, &from, &to, &|_| {}).map_err(no_rule)?;
        let again = Move {
            settled: settled.clone().unwrap_or_default(),
            ..again
        };
        again.settle(settled.is_some()).map_err(no_rule)
    }

    /// Does the same at a start, if no other process is at work for long.
    pub(super) fn settle_delivery_if_free(&self) {
        if self.journal_file().symlink_metadata().is_err() {
            return;
        }
        let turn = self
            .project_lock
            .acquire(START_WAIT, |notes| self.sweep_noted(notes));
        let Ok(turn) = turn else { return };
        if let Err(error) = self.settle_delivery(&turn.finishing_when_dropped()) {
            tracing::warn!("could not {error}");
        }
    }

    fn journal_file(&self) -> PathBuf {
        self.control.path.join("delivery.json")
    }

    pub(super) fn write_journal(&self, of: &Move<'_>, is_moving: bool) -> Result<(), GitError> {
        let journal = Journal {
            base: of.base.as_str().to_owned(),
            from: of.from.as_str().to_owned(),
            to: of.to.as_str().to_owned(),
            settled: is_moving.then(|| of.settled.clone()),
        };
        let text = serde_json::to_string(&journal);
        let file = self.journal_file();
        let text = text.map_err(|error| failed("write", &file)(error.into()))?;
        write_atomically(&file, &text)
    }

    /// Forgets a move that is over.
    pub(super) fn end_journal(&self) -> Result<(), GitError> {
        let file = self.journal_file();
        fs::remove_file(&file).map_err(failed("remove", &file))
    }

    /// Returns what is under way in the person's checkout, such as a merge.
    fn under_way(&self) -> Result<Option<&'static str>, GitError> {
        let keeps_files = !self.project.common.join("reftable").is_dir();
        for (name, what) in UNDER_WAY {
            let is_there = self.project.git_dir.join(name).symlink_metadata().is_ok();
            let ask = || {
                self.in_project("see which operation is under way")
                    .words("rev-parse --verify --quiet")
            };
            if is_there || (!keeps_files && name.ends_with("HEAD") && ask().arg(name).run()?.code == Some(0))
            {
                return Ok(Some(what));
            }
        }
        Ok(None)
    }

    /// Returns true if another worktree rebases or bisects a branch, which is checked out nowhere meanwhile.
    fn is_held_elsewhere(&self, branch: &BranchName) -> bool {
        let linked = fs::read_dir(self.project.common.join("worktrees"))
            .into_iter()
            .flatten();
        let linked = linked.flatten().map(|entry| entry.path());
        let names = ["rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"];
        let mut folders = linked.chain([self.project.common.clone()]);
        folders.any(|folder| {
            names.iter().any(|name| {
                let text = text_file::read_text(&folder.join(name), 4096).unwrap_or_default();
                text.trim_end().trim_start_matches("refs/heads/") == branch.as_str()
            })
        })
    }

    /// Notes where the person's branch was moved to. A note that is missing is made by the next look at that branch.
    fn note_moved(&self, base: &BranchName, to: &CommitId, turn: &mut WriteGuard<'_>) {
        if self.has_remote() {
            self.follow_remote(base, to, turn);
        } else if let Err(error) = self.set_control_ref(&person_name(base), to) {
            tracing::warn!("could not {error}");
        }
    }

    /// Moves the tracking branch of the base on, which `git pull` would do; only for people, so that it may fail.
    fn follow_remote(&self, base: &BranchName, to: &CommitId, turn: &mut WriteGuard<'_>) {
        let tracking = self.tracking_name(base);
        let call = self
            .in_project("compare the tracking branch")
            .words("merge-base --is-ancestor");
        let is_behind = call
            .args([tracking.as_str(), to.as_str()])
            .run_bool()
            .unwrap_or(false);
        if is_behind && self.is_pinned(PinKind::Remote, to) {
            let call = self.in_project("move the tracking branch").words("update-ref -m");
            let call = call.args(["dbs: deliver", &tracking, to.as_str()]);
            drop(call.run_locked(turn, &[lock_of(&tracking)]));
        }
    }
}

/// The error of a move that must not be stopped by a rule any more.
fn no_rule(halt: Halt) -> GitError {
    match halt {
        Halt::Failed(error) => error,
        Halt::Kept(why) => GitError::Failed {
            kind: TroubleKind::Other,
            what: "finish or undo the move of the checkout that was cut off".to_owned(),
            why,
        },
    }
}
