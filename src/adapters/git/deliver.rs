//! Delivery of merged work to the person's checkout: the base branch, the index and the files move by fast-forward, together or not at all.
//! Nothing that the person wrote is ever changed: a move begins only where every path it touches holds the content of the checked-out
//! commit, each file is put aside by a rename and looked at again before another takes its place, and the journal lets the next call finish
//! or undo a move that was cut off. The files are checked in `delivery_checks` and moved in `delivery_files`.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::cli::GitCli;
use super::command::GitCommand;
use super::files::{ensure_excludes, failed, missing, sync_file_system, write_atomically};
use super::parse::{self, RegisteredWorktree, TreeChange};
use super::refs::PinKind;
use super::stale_locks::lock_of;
use super::write_lock::WriteGuard;
use crate::adapters::projected::ProjectedFiles;
use crate::adapters::text_file;
use crate::domain::{Delivery, DeliveryEnd, TroubleKind};
use crate::ports::git::{BranchName, CommitId, GitError};

/// Called with the name of each step before it is done.
pub type DeliveryStep<'a> = &'a dyn Fn(&str);

/// Folder in the checkout for files that are about to come or go; `.debussy*` is excluded.
pub(super) const STAGE: &str = ".debussy-delivery";
/// Files in the git folder of the checkout.
const INDEX_COPY: &str = "dbs-index";
pub(super) const INDEX_OF_COMMIT: &str = "dbs-index-of-commit";
const PREPARED_LOCK: &str = "dbs-index-lock";
/// Content of the lock of the index, by which it is recognised.
const LOCK_TEXT: &str = "held by dbs while it moves the files of this checkout\n";
/// Bytes of paths that one call of git gets as arguments.
const MOST_ARGUMENTS: usize = 64 * 1024;

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

/// Reason for which a move ended before its time.
pub(super) enum Halt {
    /// Rule that keeps the checkout as it is; for people, with the way out.
    Kept(String),
    Failed(GitError),
}

impl From<GitError> for Halt {
    fn from(error: GitError) -> Self {
        Halt::Failed(error)
    }
}

/// The rule that keeps the checkout until a person has done something about it.
pub(super) fn until(why: impl std::fmt::Display) -> Halt {
    Halt::Kept(format!("{why}, then `dbs pull`"))
}

pub(super) type Moving<T> = Result<T, Halt>;

/// Record of a move under way.
#[derive(Serialize, Deserialize)]
struct Journal {
    base: String,
    from: String,
    to: String,
    /// Paths that had their new content before; nothing while no file has been moved.
    settled: Option<BTreeSet<String>>,
}

/// Move of a checkout from one commit to another.
pub(super) struct Move<'a> {
    pub(super) git: &'a GitCli,
    pub(super) base: BranchName,
    pub(super) from: CommitId,
    pub(super) to: CommitId,
    pub(super) changes: Vec<TreeChange>,
    /// Paths that had their new content before.
    pub(super) settled: BTreeSet<String>,
    pub(super) projected: ProjectedFiles,
    pub(super) at: DeliveryStep<'a>,
}

impl GitCli {
    /// Brings a commit of the base into the person's checkout, or only into the branch where that is checked out nowhere. Before each step
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
            let why = format!("your branch {base} has commits that were not merged; `git pull` or push them");
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
            self.follow_remote(base, to, turn);
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
        self.follow_remote(base, to, turn);
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

    /// Does the same at a start, if nothing else is at work.
    pub(super) fn settle_delivery_if_free(&self) {
        if self.journal_file().symlink_metadata().is_err() {
            return;
        }
        let turn = self
            .project_lock
            .acquire(Duration::ZERO, |notes| self.sweep_noted(notes));
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
                self.in_project("look what is under way")
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

    /// Moves the tracking branch of the base on, which `git pull` would do; only for people, so that it may fail.
    fn follow_remote(&self, base: &BranchName, to: &CommitId, turn: &mut WriteGuard<'_>) {
        let tracking = format!("refs/remotes/origin/{base}");
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

impl<'a> Move<'a> {
    fn new(
        git: &'a GitCli,
        base: &BranchName,
        from: &CommitId,
        to: &CommitId,
        at: DeliveryStep<'a>,
    ) -> Moving<Self> {
        let call = git.in_control("compare two commits")?;
        let call = call.words("diff-tree -r --raw -z --no-abbrev --no-renames --end-of-options");
        let output = call.args([from.as_str(), to.as_str()]).run_whole()?;
        if std::str::from_utf8(&output.stdout).is_err() {
            let why = "the name of a changed file is no UTF-8 text; `git pull` moves it".to_owned();
            return Err(Halt::Kept(why));
        }
        let state = git.control.path.parent().unwrap_or(&git.control.path);
        Ok(Self {
            git,
            base: base.clone(),
            from: from.clone(),
            to: to.clone(),
            changes: parse::tree_changes(&output.stdout),
            settled: BTreeSet::new(),
            projected: ProjectedFiles::read(state),
            at,
        })
    }

    /// Moves the files, the branch and the index. After an error [`Move::settle`] puts everything back.
    fn carry_out(mut self, turn: &mut WriteGuard<'_>) -> Moving<()> {
        let git = self.git;
        self.step("lock");
        self.lock_index()?;
        self.require_head()?;
        self.step("stage");
        ensure_excludes(&git.project.common)?;
        self.make_stage()?;
        self.check()?;
        // After a power cut, a file that is not on the disk yet is empty.
        sync_file_system(&self.stage()).map_err(failed("write to the disk", &self.stage()))?;
        git.write_journal(&self, true)?;
        self.put_aside()?;
        self.put_in_place()?;
        self.require_head()?;
        self.step("branch");
        git.move_branch(&self.base, Some(&self.from), &self.to, "dbs: deliver", turn)?;
        self.finish()
    }

    /// Finishes the move if the branch has moved, else undoes it.
    fn settle(&self, has_begun: bool) -> Moving<()> {
        if has_begun {
            let head = self.git.local_head(&self.base)?;
            if head.as_ref() == Some(&self.to) {
                return self.finish();
            }
            // A person who has gone on from here finds nothing changed, only what is missing put back.
            if head.as_ref() == Some(&self.from) {
                self.take_away()?;
            }
            self.put_back()?;
        }
        self.leave()
    }

    /// Writes the index of the moved branch, and removes what the move needed.
    fn finish(&self) -> Moving<()> {
        self.step("index");
        if !self.holds_lock() {
            self.lock_index()?;
        }
        match self.merged_index() {
            Ok(index) => {
                self.refresh_index();
                let to = self.git.project.git_dir.join("index");
                if let Ok(before) = to.symlink_metadata() {
                    fs::set_permissions(&index, before.permissions()).map_err(failed("write", &index))?;
                }
                fs::rename(&index, &to).map_err(failed("write", &to))?;
            }
            // A person has staged other content since: `git status` shows it.
            Err(Halt::Kept(why)) => tracing::warn!("the index stays as it is: {why}"),
            Err(error) => return Err(error),
        }
        self.leave()
    }

    /// Removes what a move needed, in an order in which a cut is noticed.
    fn leave(&self) -> Moving<()> {
        self.step("unlock");
        let lock = self.lock_file();
        if self.holds_lock() {
            fs::remove_file(&lock).map_err(failed("remove", &lock))?;
        }
        for name in [INDEX_COPY, INDEX_OF_COMMIT, PREPARED_LOCK] {
            remove_if_there(&self.git.project.git_dir.join(name))?;
        }
        self.step("clean up");
        self.remove_stage()?;
        self.step("end");
        Ok(self.git.end_journal()?)
    }

    pub(super) fn step(&self, name: &str) {
        (self.at)(name);
    }

    pub(super) fn stage(&self) -> PathBuf {
        self.git.project.root.join(STAGE)
    }

    /// The copy of the index that is prepared for the new commit.
    pub(super) fn index_copy(&self) -> PathBuf {
        self.git.project.git_dir.join(INDEX_COPY)
    }

    fn lock_file(&self) -> PathBuf {
        self.git.project.git_dir.join("index.lock")
    }

    fn holds_lock(&self) -> bool {
        text_file::read_text(&self.lock_file(), 1024).is_ok_and(|text| text == LOCK_TEXT)
    }

    /// Takes git's own lock of the index: no other git stages, commits or switches meanwhile. It appears with its content.
    fn lock_index(&self) -> Moving<()> {
        let (lock, prepared) = (self.lock_file(), self.git.project.git_dir.join(PREPARED_LOCK));
        fs::write(&prepared, LOCK_TEXT).map_err(failed("write", &prepared))?;
        match put(&prepared, &lock) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                remove_if_there(&prepared)?;
                Err(until(format!(
                    "another git is at work: {} exists; wait for it",
                    lock.display()
                )))
            }
            Err(error) => Err(failed("lock", &lock)(error).into()),
        }
    }

    /// Fails unless the base is checked out here, at the commit from which it is moved.
    fn require_head(&self) -> Moving<()> {
        let call = self.git.in_project("look what is checked out");
        let call = call
            .words("for-each-ref --format=%(HEAD)%(objectname) --")
            .arg(self.base.full());
        let seen = call.run_line()?;
        if seen == format!("*{}", self.from) {
            return Ok(());
        }
        Err(until(format!(
            "{} was moved or left meanwhile; look at it",
            self.base
        )))
    }
}

/// Runs a call once for each part of the paths that fits on a command line, and returns all that is printed.
pub(super) fn in_parts(
    paths: &[&str],
    call: impl Fn() -> Result<GitCommand, GitError>,
) -> Result<Vec<u8>, GitError> {
    let mut printed = Vec::new();
    let mut rest = paths;
    while !rest.is_empty() {
        let mut length = 0;
        let fits = rest.iter().take_while(|path| {
            length += path.len() + 1;
            length <= MOST_ARGUMENTS
        });
        let (part, others) = rest.split_at(fits.count().max(1));
        printed.extend(call()?.arg("--").args(part).run_whole()?.stdout.iter());
        rest = others;
    }
    Ok(printed)
}

/// Gives a file another name that nothing may have; a link is not followed. Both names are there for a moment.
pub(super) fn put(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // Not all file systems have such links.
        Err(error) => match to.symlink_metadata() {
            Err(absent) if absent.kind() == io::ErrorKind::NotFound => fs::rename(from, to),
            Ok(_) | Err(_) => Err(error),
        },
    }
}

pub(super) fn remove_if_there(file: &Path) -> Result<(), GitError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", file)(error)),
        _ => Ok(()),
    }
}
