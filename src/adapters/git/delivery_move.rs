//! Move of the person's checkout from one commit to another, step by step, its end, and the end of one that was cut off. The steps are in the
//! files beside this one: `delivery_checks`, `delivery_index`, `delivery_obstacles` and `delivery_files`.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::cli::GitCli;
use super::command::GitCommand;
use super::files::{ensure_excludes, failed, remove_if_there, sync_file_system};
use super::parse::{self, FileEntry, TreeChange};
use super::write_lock::WriteGuard;
use crate::adapters::projected::ProjectedFiles;
use crate::ports::git::{BranchName, CommitId, GitError};

/// Called with the name of each step before it is done.
pub type DeliveryStep<'a> = &'a dyn Fn(&str);

/// Folder in the checkout for files that are about to come or go; `.debussy*` is excluded.
pub(super) const STAGE: &str = ".debussy-delivery";
/// File in the git folder of the checkout.
pub(super) const INDEX_OF_COMMIT: &str = "dbs-index-of-commit";
/// Bytes of paths that one call of git gets as arguments.
const MOST_ARGUMENTS: usize = 64 * 1024;
/// Mode of an entry that is a commit of another repository.
const GITLINK: &str = "160000";

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

impl FileEntry {
    pub(super) fn is_gitlink(&self) -> bool {
        self.mode == GITLINK
    }
}

/// Returns the entry, if it is a file or a link on the disk.
pub(super) fn on_disk(entry: Option<&FileEntry>) -> Option<&FileEntry> {
    entry.filter(|entry| !entry.is_gitlink())
}

impl<'a> Move<'a> {
    pub(super) fn new(
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
            let why = "the name of a changed file is not UTF-8 text; `git pull` moves it".to_owned();
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
    pub(super) fn carry_out(mut self, turn: &mut WriteGuard<'_>) -> Moving<()> {
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
    pub(super) fn settle(&self, has_begun: bool) -> Moving<()> {
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
        for file in self.own_files() {
            remove_if_there(&file)?;
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

    /// Fails unless the base is checked out here, at the commit from which it is moved.
    fn require_head(&self) -> Moving<()> {
        let call = self.git.in_project("see what is checked out");
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

/// Returns what is at a path; `None` if there is nothing. A link is not followed.
pub(super) fn present(path: &Path) -> io::Result<Option<fs::Metadata>> {
    match path.symlink_metadata() {
        Ok(found) => Ok(Some(found)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
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
