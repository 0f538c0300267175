//! Spare worktrees: the files of removed worktrees of a large project, for the next ones. Making and deleting many files takes far longer
//! than writing the few in which two commits differ. Removed worktrees wait here, too, until their files are deleted. An agent has written
//! in a spare, so spares serve agents that write, never reviews or gates; what the agent left there is removed by an index that only the
//! engine had, and the result is compared with the commit.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use memchr::memmem;

use super::cli::GitCli;
use super::files::{failed, missing, remove_if_there};
use super::place_tree::LINK_MODE;
use super::worktree_link::CheckoutDir;
use crate::adapters::text_file;
use crate::ports::git::{CommitId, GitError};

/// Maximum number of spares; each has the files of a commit.
const MAX_SPARES: usize = 2;
/// Maximum size of the index of a worktree that becomes a spare, in bytes.
const LARGEST_INDEX: u64 = 256 * 1024 * 1024;

/// Starts of the names of removed worktrees whose files are to be deleted, and are being deleted by a process.
const GONE: &str = "gone";
const DELETED: &str = "deleted";
/// Starts of the names of spares: not cleaned yet, being cleaned or taken by a process, and ready.
const NEW: &str = "new";
const CLAIMED: &str = "claimed";
const READY: &str = "ready";

impl GitCli {
    fn spares(&self) -> PathBuf {
        self.control.path.with_file_name("spares")
    }

    /// Notes the index of the files of a new worktree, if it is large enough to become a spare. Without the note it becomes none.
    pub(super) fn note_files(&self, worktree: &CheckoutDir, index: &Path) {
        let note = || -> io::Result<()> {
            let text = text_file::read(index, LARGEST_INDEX)?;
            let has_repositories = memmem::find(&text, LINK_MODE).is_some();
            if (text.len() as u64) < self.program.limits.spare || has_repositories {
                return Ok(());
            }
            fs::create_dir_all(self.spares())?;
            let note = self.note_of_files(worktree);
            fs::write(&note, text)?;
            // Files that were changed in the second in which the index was written are recognised by its time.
            let written = index.metadata()?.modified()?;
            fs::File::options().write(true).open(&note)?.set_modified(written)
        };
        if let Err(error) = note() {
            tracing::info!("could not note the files of a worktree: {error}");
        }
    }

    fn note_of_files(&self, worktree: &CheckoutDir) -> PathBuf {
        let name = worktree.folder.file_name().unwrap_or_default();
        self.spares().join(name).with_added_extension("index")
    }

    /// Moves a worktree aside that is about to be removed: it becomes a spare, or its files are deleted later, since that may take long.
    /// One that cannot be moved stays for git to delete.
    pub(super) fn set_aside(&self, worktree: &CheckoutDir) {
        self.set_aside_spare(worktree);
        let moves = || {
            fs::create_dir_all(self.spares())?;
            fs::rename(&worktree.folder, self.spares().join(self.unique_name(GONE)))
        };
        if worktree.folder.exists()
            && let Err(error) = moves()
        {
            tracing::info!("could not move a worktree aside: {error}");
        }
    }

    fn set_aside_spare(&self, worktree: &CheckoutDir) {
        let note = self.note_of_files(worktree);
        let spares = [NEW, CLAIMED, READY].iter().map(|start| self.named(start).len());
        let has_room = spares.sum::<usize>() < MAX_SPARES;
        let spare = self.spares().join(self.unique_name(NEW));
        let moved = note.exists() && has_room && fs::rename(&worktree.folder, &spare).is_ok();
        let noted = moved && fs::rename(&note, index_of(&spare)).is_ok();
        if !noted {
            drop(fs::remove_file(note));
        }
    }

    /// Deletes the files of removed worktrees, and removes from new spares what is not of their commits. Call without the project queue: it
    /// may take long.
    pub(super) fn clean_set_aside(&self) {
        for gone in self.named(GONE) {
            if let Err(error) = delete(&gone) {
                tracing::warn!(
                    "could not delete the removed worktree {}: {error}",
                    gone.display()
                );
            }
        }
        // Only this process is at work here: what another one claimed was left by it.
        let own = claimed_by_us();
        for (start, ours) in [(CLAIMED, &own), (DELETED, &deleted_by_us())] {
            for left in self.named(start) {
                let name = left.file_name().unwrap_or_default().to_string_lossy();
                if !name.starts_with(&format!("{ours}-")) {
                    discard(&left);
                }
            }
        }
        self.forget_notes();
        for spare in self.named(NEW) {
            let Some(claimed) = rename(&spare, NEW, &own) else {
                continue;
            };
            match self.clean_spare(&claimed) {
                Ok(()) => drop(rename(&claimed, &own, READY)),
                Err(error) => {
                    tracing::info!("could not {error}");
                    discard(&claimed);
                }
            }
        }
    }

    /// Removes the notes of worktrees that are gone.
    fn forget_notes(&self) {
        let entries = fs::read_dir(self.spares()).into_iter().flatten().flatten();
        for note in entries.map(|entry| entry.path()) {
            let name = note.file_stem().unwrap_or_default().to_string_lossy();
            let is_of_spare = [NEW, CLAIMED, READY].iter().any(|start| name.starts_with(start));
            let is_note = note.extension().is_some_and(|end| end == "index") && !is_of_spare;
            let mut roots = self.project.worktree_roots.iter();
            if is_note && !roots.any(|root| root.join(&*name).exists()) {
                drop(fs::remove_file(&note));
            }
        }
    }

    fn clean_spare(&self, spare: &Path) -> Result<(), GitError> {
        let index = index_of(spare);
        if !index.exists() {
            return Err(missing(
                index.display().to_string(),
                "the spare worktree is deleted",
            ));
        }
        remove_if_there(&spare.join(".git"))?;
        remove_shared_files(spare).map_err(failed("clean", spare))?;
        let call = self.on_files(spare, &index, "remove what an agent left")?;
        let call = call.timeout(self.program.limits.transfer);
        call.words("clean -ffdxq").run_ok().map(drop)
    }

    /// Puts a spare in the place of a new worktree without files, and writes the files of the commit with their index. Returns false if
    /// there is no spare that serves; then the worktree has no files.
    pub(super) fn take_spare(
        &self,
        worktree: &CheckoutDir,
        index: &Path,
        commit: &CommitId,
    ) -> Result<bool, GitError> {
        let mut ready = self.named(READY).into_iter();
        let Some(spare) = ready.find_map(|spare| rename(&spare, READY, &claimed_by_us())) else {
            return Ok(false);
        };
        if is_used(&spare) {
            discard(&spare);
            return Ok(false);
        }
        let folder = &worktree.folder;
        let swap = || {
            fs::rename(index_of(&spare), index)?;
            fs::rename(folder.join(".git"), spare.join(".git"))?;
            fs::remove_dir(folder)?;
            fs::rename(&spare, folder)
        };
        swap().map_err(failed("use a spare worktree for", folder))?;
        let written = self.write_files(folder, index, commit);
        if written
            .and_then(|()| self.is_as_in(folder, index))
            .unwrap_or(false)
        {
            return Ok(true);
        }
        remove_if_there(index)?;
        remove_files(folder).map_err(failed("empty", folder))?;
        Ok(false)
    }

    /// Returns true if a folder has exactly the files of an index.
    fn is_as_in(&self, folder: &Path, index: &Path) -> Result<bool, GitError> {
        let compare = || self.on_files(folder, index, "compare a worktree with its commit");
        let is_same = compare()?.words("diff-files --quiet").run_bool()?;
        let others = compare()?.words("ls-files --others -z").run_ok()?;
        Ok(is_same && others.stdout.is_empty())
    }

    /// Folders of spares whose names start so.
    fn named(&self, start: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.spares()).into_iter().flatten().flatten();
        let is_spare = |entry: &fs::DirEntry| {
            let name = entry.file_name();
            entry.file_type().is_ok_and(|kind| kind.is_dir()) && name.to_string_lossy().starts_with(start)
        };
        entries.filter(is_spare).map(|entry| entry.path()).collect()
    }
}

fn index_of(spare: &Path) -> PathBuf {
    spare.with_added_extension("index")
}

/// Start of the name of a spare that this process has claimed.
fn claimed_by_us() -> String {
    format!("{CLAIMED}-{}", std::process::id())
}

/// Start of the name of a removed worktree that this process deletes.
fn deleted_by_us() -> String {
    format!("{DELETED}-{}", std::process::id())
}

/// Gives a spare and its index names that start otherwise, unless another process was faster.
fn rename(spare: &Path, from: &str, to: &str) -> Option<PathBuf> {
    let name = spare.file_name()?.to_str()?.strip_prefix(from)?;
    let renamed = spare.with_file_name(format!("{to}{name}"));
    fs::rename(spare, &renamed).ok()?;
    drop(fs::rename(index_of(spare), index_of(&renamed)));
    Some(renamed)
}

/// Deletes the files of a removed worktree, unless another thread does. What cannot be deleted is found again with the next one.
fn delete(gone: &Path) -> io::Result<()> {
    let name = gone.file_name().unwrap_or_default().to_string_lossy();
    let taken = gone.with_file_name(format!("{}-{name}", deleted_by_us()));
    match fs::rename(gone, &taken) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        renamed => renamed?,
    }
    fs::remove_dir_all(&taken).inspect_err(|_| drop(fs::rename(&taken, gone)))
}

/// Deletes a spare. What cannot be deleted costs only room.
fn discard(spare: &Path) {
    drop(fs::remove_file(index_of(spare)));
    drop(fs::remove_dir_all(spare));
}

/// Removes everything of a worktree but its link to the repository.
fn remove_files(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() == ".git" {
            continue;
        }
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Removes files that can be changed from elsewhere: those with another name, and pipes, sockets and devices.
fn remove_shared_files(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            remove_shared_files(&entry.path())?;
        } else if !kind.is_symlink() && (!kind.is_file() || has_other_names(&entry)?) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn has_other_names(entry: &fs::DirEntry) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    Ok(entry.metadata()?.nlink() > 1)
}

/// Not known where the system does not count names: the file is written again.
#[cfg(not(unix))]
fn has_other_names(_entry: &fs::DirEntry) -> io::Result<bool> {
    Ok(true)
}

/// Returns true if a process works in a folder, has a file of it open, or may.
#[cfg(target_os = "linux")]
fn is_used(folder: &Path) -> bool {
    let is_below = |link: PathBuf| fs::read_link(link).is_ok_and(|at| at.starts_with(folder));
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.map(|entry| entry.path()).any(|process| {
        let open = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
        is_below(process.join("cwd")) || open.map(|entry| entry.path()).any(is_below)
    })
}

/// Returns true if a process works in a folder, has a file of it open, or may.
#[cfg(not(target_os = "linux"))]
fn is_used(_folder: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_worktree_that_two_threads_have_found_is_deleted_by_one_and_is_no_fault_to_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let gone = folder.path().join("gone-1-0");
        fs::create_dir_all(gone.join("deep")).unwrap();
        delete(&gone).unwrap();
        delete(&gone).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_could_not_be_deleted_is_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let gone = folder.path().join("gone-1-0");
        fs::write(&gone, "not a folder").unwrap();
        delete(&gone).unwrap_err();
        assert!(gone.exists());
    }
}
