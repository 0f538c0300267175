//! Writing the files of a commit: into worktrees, and as clean checkouts for gates. Through the control
//! repository, so that only built-in conversions and filters of the person apply, and no attribute that leaves files out.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::cli::GitCli;
use super::files::{failed, missing, not_ours};
use super::files::{remove_if_there, write_atomically};
use super::submodules::FilledPlace;
use crate::adapters::text_file;
use crate::ports::git::{CleanCheckout, CommitId, GitError};

impl GitCli {
    pub(super) fn export(&self, commit: &CommitId, dir: &Path) -> Result<CleanCheckout, GitError> {
        if !self.import_commit(commit)? {
            let what = format!("commit {commit}");
            return Err(missing(what, "the repository it was in is gone"));
        }
        self.refuse_foreign_filters(commit)?;
        self.discard(dir)?;
        let parent = dir.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(parent).map_err(failed("make", parent))?;
        let parent = parent.canonicalize().map_err(failed("find", parent))?;
        let path = parent.join(dir.file_name().unwrap_or_default());
        write_atomically(&self.note_of(&path)?, &digest(&path))?;
        fs::create_dir(&path).map_err(failed("make", &path))?;
        let git_dir = self.own_repository(&path, commit)?;
        let index = self.index_of(&path)?;
        remove_if_there(&index)?;
        self.write_files(&path, &index, commit)?;
        fs::copy(&index, git_dir.join("index")).map_err(failed("copy", &index))?;
        self.fill_submodules(&path, &index, commit, FilledPlace::Checkout)?;
        Ok(CleanCheckout {
            path,
            commit: commit.clone(),
            tree: self.tree_of(commit)?,
        })
    }

    /// Removes a checkout this adapter made and noted, or an empty folder.
    pub(super) fn discard(&self, dir: &Path) -> Result<(), GitError> {
        let Ok(found) = dir.symlink_metadata() else {
            return Ok(());
        };
        let path = resolved(dir);
        if let Some(note) = self.own_note(&path)?.filter(|_| found.is_dir()) {
            fs::remove_dir_all(&path).map_err(failed("remove", &path))?;
            remove_if_there(&self.index_of(&path)?)?;
            return remove_if_there(&note);
        }
        fs::remove_dir(&path).map_err(|_full| not_ours(path, "it is not a clean checkout of the engine"))
    }

    /// Brings a checkout back to its commit after a gate; false if it made a new one, because that left something that is not of the commit.
    pub(super) fn restore_export(&self, commit: &CommitId, dir: &Path) -> Result<bool, GitError> {
        let path = resolved(dir);
        let is_there = path.symlink_metadata().is_ok_and(|found| found.is_dir());
        if is_there
            && self.own_note(&path)?.is_some()
            && self.restore_in_place(commit, &path).unwrap_or(false)
        {
            return Ok(true);
        }
        self.export(commit, dir).map(|_made| false)
    }

    /// Returns whether every file is as in the commit afterwards, and nothing else is there except files that git ignores.
    fn restore_in_place(&self, commit: &CommitId, path: &Path) -> Result<bool, GitError> {
        let index = self.index_of(path)?;
        // First: git would ask a repository that a gate has put in the place of an empty one.
        self.unlink_submodules(path, &index)?;
        remove_special_files(path).map_err(failed("clean", path))?;
        self.write_files(path, &index, commit)?;
        let call = self.on_files(path, &index, "remove what a gate left")?;
        call.words("clean -ffdq").run_ok()?;
        let git_dir = path.join(".git");
        let is_folder = git_dir.symlink_metadata().is_ok_and(|found| found.is_dir());
        if is_folder {
            fs::remove_dir_all(&git_dir).map_err(failed("remove", &git_dir))?;
        } else {
            remove_if_there(&git_dir)?;
        }
        self.own_repository(path, commit)?;
        fs::copy(&index, git_dir.join("index")).map_err(failed("copy", &index))?;
        let compare = || self.on_files(path, &index, "compare a checkout with its commit");
        let is_same = compare()?
            .words("diff-files --quiet --ignore-submodules=all")
            .run_bool()?;
        let others = compare()?
            .words("ls-files --others --exclude-standard -z")
            .run_ok()?;
        self.fill_submodules(path, &index, commit, FilledPlace::Checkout)?;
        Ok(is_same && others.stdout.is_empty())
    }

    /// Writes all files of a commit into a folder and leaves a matching index.
    pub(super) fn write_files(&self, folder: &Path, index: &Path, commit: &CommitId) -> Result<(), GitError> {
        let call = self.on_files(folder, index, "write the files of a commit")?;
        // Later changes are recognised by the time that the system notes, which a program cannot set.
        let call = call
            .config("core.trustctime=true")
            .config("core.checkStat=default");
        let call = call.timeout(self.program.limits.transfer);
        call.words("read-tree --reset -u --end-of-options")
            .arg(commit.as_str())
            .run_ok()
            .map(drop)
    }

    /// A small repository inside the checkout, so that gates may ask git about it; it borrows our objects. Nothing is
    /// ever read back from it.
    fn own_repository(&self, path: &Path, commit: &CommitId) -> Result<PathBuf, GitError> {
        let git_dir = path.join(".git");
        let objects = self.control.path.join("objects");
        self.borrowing_repository(&git_dir, Some(&objects), commit.as_str())?;
        Ok(git_dir)
    }

    /// Makes a repository that has nothing but a head and the objects it borrows from a folder, if there is one.
    pub(super) fn borrowing_repository(
        &self,
        git_dir: &Path,
        objects: Option<&Path>,
        head: &str,
    ) -> Result<(), GitError> {
        let make = |name: &str| {
            let folder = git_dir.join(name);
            fs::create_dir_all(&folder).map_err(failed("make", &folder))
        };
        let write = |name: &str, text: &str| {
            let file = git_dir.join(name);
            fs::write(&file, text).map_err(failed("write", &file))
        };
        make("objects/info")?;
        make("refs")?;
        if let Some(objects) = objects {
            write("objects/info/alternates", &format!("{}\n", objects.display()))?;
        }
        let format = &self.project.object_format;
        let (version, extension) = match format.as_str() {
            "sha1" => (0, String::new()),
            other => (1, format!("[extensions]\n\tobjectformat = {other}\n")),
        };
        write(
            "config",
            &format!("[core]\n\trepositoryformatversion = {version}\n\tbare = false\n{extension}"),
        )?;
        write("HEAD", &format!("{head}\n"))
    }

    /// Name of the note of a checkout. Gates run in checkouts and can read the notes, so these do not say where another one is.
    fn note_of(&self, path: &Path) -> Result<PathBuf, GitError> {
        let folder = self.control.path.join("checkouts");
        fs::create_dir_all(&folder).map_err(failed("make", &folder))?;
        Ok(folder.join(digest(path)))
    }

    /// The note of a checkout this adapter made.
    fn own_note(&self, path: &Path) -> Result<Option<PathBuf>, GitError> {
        let note = self.note_of(path)?;
        let is_noted =
            text_file::read_text(&note, text_file::LARGEST_WRITTEN).is_ok_and(|text| text == digest(path));
        Ok(is_noted.then_some(note))
    }

    /// Returns the index of a checkout, out of its gates' way: changes to the one in the checkout hide nothing.
    fn index_of(&self, path: &Path) -> Result<PathBuf, GitError> {
        Ok(self.note_of(path)?.with_extension("index"))
    }
}

/// The name of a path that does not tell it.
fn digest(path: &Path) -> String {
    hex::encode(Sha256::digest(path.as_os_str().as_encoded_bytes()))
}

/// The path with its folder resolved; the last part may be missing, or a link.
fn resolved(dir: &Path) -> PathBuf {
    match (dir.parent().map(Path::canonicalize), dir.file_name()) {
        (Some(Ok(parent)), Some(name)) => parent.join(name),
        _ => dir.to_path_buf(),
    }
}

/// Removes pipes, sockets and devices, which git does not know.
fn remove_special_files(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            remove_special_files(&entry.path())?;
        } else if !kind.is_file() && !kind.is_symlink() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
