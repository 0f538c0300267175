//! Index of the person's checkout while its files are moved: its lock, the checks of what is staged, and the entries of the new commit. Git
//! reads and writes only a copy, which takes the place of the index at the end.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::command::GitCommand;
use super::delivery_move::{Halt, INDEX_OF_COMMIT, Move, Moving, in_parts, on_disk, put, until};
use super::error_text::{one_line, reason};
use super::files::{failed, remove_if_there};
use super::parse::{self, TreeChange};
use crate::adapters::deadline::Deadline;
use crate::adapters::text_file;
use crate::ports::git::GitError;

/// Files in the git folder of the checkout.
const INDEX_COPY: &str = "dbs-index";
const PREPARED_LOCK: &str = "dbs-index-lock";
/// Content of the lock of the index, by which it is recognised.
const LOCK_TEXT: &str = "held by dbs while it moves the files of this checkout\n";

/// Time that another git may take for its own change of the index, such as the `git status` of an editor.
const LOCK_WAIT: Duration = Duration::from_secs(2);

impl Move<'_> {
    /// The files of a move in the git folder, besides the lock.
    pub(super) fn own_files(&self) -> [PathBuf; 3] {
        [INDEX_COPY, INDEX_OF_COMMIT, PREPARED_LOCK].map(|name| self.git.project.git_dir.join(name))
    }

    /// The copy of the index that is prepared for the new commit.
    pub(super) fn index_copy(&self) -> PathBuf {
        self.git.project.git_dir.join(INDEX_COPY)
    }

    pub(super) fn lock_file(&self) -> PathBuf {
        self.git.project.git_dir.join("index.lock")
    }

    pub(super) fn holds_lock(&self) -> bool {
        text_file::read_text(&self.lock_file(), 1024).is_ok_and(|text| text == LOCK_TEXT)
    }

    /// Takes git's own lock of the index: no other git stages, commits or switches meanwhile. It appears with its content.
    pub(super) fn lock_index(&self) -> Moving<()> {
        let (lock, prepared) = (self.lock_file(), self.git.project.git_dir.join(PREPARED_LOCK));
        fs::write(&prepared, LOCK_TEXT).map_err(failed("write", &prepared))?;
        let deadline = Deadline::after(LOCK_WAIT);
        loop {
            match put(&prepared, &lock) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(failed("lock", &lock)(error).into());
                }
                Err(_) if deadline.is_over() => {
                    remove_if_there(&prepared)?;
                    return Err(until(format!(
                        "another git is at work: {} exists; wait for it",
                        lock.display()
                    )));
                }
                Err(_) => deadline.sleep(),
            }
        }
    }

    /// Copies the index and fails where the person has staged something at a changed path, or hidden it from git.
    pub(super) fn prepare_index(&self) -> Moving<()> {
        self.copy_index()?;
        let paths: BTreeMap<&str, &TreeChange> = self
            .changes
            .iter()
            .map(|change| (change.path.as_str(), change))
            .collect();
        let call = self.on_index("compare the index")?;
        let call = call
            .words("diff-index --cached --raw -z --no-abbrev --no-renames")
            .arg(self.from.as_str());
        for staged in parse::tree_changes(&call.arg("--").run_whole()?.stdout) {
            // A file that the person took out of the index stays on the disk, and so does the move.
            let has_new = staged.to.is_some()
                && paths
                    .get(staged.path.as_str())
                    .is_some_and(|change| change.to == staged.to);
            if !has_new && touches(&paths, &staged.path) {
                return Err(until(format!(
                    "{} is staged; commit or unstage it",
                    one_line(&staged.path)
                )));
            }
        }
        let call = self.on_index("list the index")?.words("ls-files -v -z");
        let output = call.run_whole()?;
        for entry in output.text().split('\0') {
            let (tag, path) = entry.split_once(' ').unwrap_or_default();
            if tag == "M" {
                return Err(until(format!("{} is in conflict; resolve it", one_line(path))));
            }
            if !matches!(tag, "H" | "") && paths.contains_key(path) {
                let why = format!(
                    "git was told to skip {} or not to look at it; `git pull`",
                    one_line(path)
                );
                return Err(Halt::Kept(why));
            }
        }
        Ok(())
    }

    fn copy_index(&self) -> Moving<()> {
        let (index, copy) = (self.git.project.git_dir.join("index"), self.index_copy());
        remove_if_there(&copy)?;
        match fs::copy(&index, &copy) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(failed("copy", &index)(error).into())
            }
            _ => Ok(()),
        }
    }

    /// Returns a copy of the index with the entries of the new commit where the two differ, and all others as they are.
    pub(super) fn merged_index(&self) -> Moving<PathBuf> {
        self.copy_index()?;
        let call = self.on_index("move the index")?.words("read-tree -i -m");
        let output = call.args([self.from.as_str(), self.to.as_str()]).run()?;
        if output.code != Some(0) {
            let why = reason(&output);
            return Err(until(format!(
                "the index is in the way ({why}); see `git status`"
            )));
        }
        Ok(self.index_copy())
    }

    /// Notes in the copy of the index how the written files look on the disk, so that git need not read them. Nothing depends on it.
    pub(super) fn refresh_index(&self) {
        let (root, copy) = (&self.git.project.root, self.index_copy());
        let changed = self
            .changes
            .iter()
            .filter(|change| on_disk(change.to.as_ref()).is_some());
        let written: Vec<&str> = changed.map(|change| change.path.as_str()).collect();
        let refresh = || {
            Ok(self
                .git
                .on_files(root, &copy, "refresh the index")?
                .words("add --refresh"))
        };
        drop(in_parts(&written, refresh));
    }

    /// A call that reads or writes only the copy of the index.
    fn on_index(&self, what: &str) -> Result<GitCommand, GitError> {
        Ok(self
            .git
            .in_control(what)?
            .env("GIT_INDEX_FILE", self.index_copy()))
    }
}

/// Returns true if a path is one of those that change, is below one or has one below it.
fn touches(paths: &BTreeMap<&str, &TreeChange>, path: &str) -> bool {
    let below = format!("{path}/");
    let mut above = path
        .match_indices('/')
        .map(|(end, _)| path.get(..end).unwrap_or_default());
    paths.contains_key(path)
        || above.any(|folder| paths.contains_key(folder))
        || paths
            .range(below.as_str()..)
            .next()
            .is_some_and(|(next, _)| next.starts_with(&below))
}
