//! Writing the files of a commit: into worktrees, and as clean checkouts for gates (M12). Through the control
//! repository, so that only built-in conversions and filters of the person apply, and no attribute that leaves files out.

use std::fs;
use std::path::{Path, PathBuf};

use super::cli::GitCli;
use super::files::write_atomically;
use super::files::{failed, missing, not_ours};
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
        write_atomically(&self.note_of(&path)?, &path.to_string_lossy())?;
        fs::create_dir(&path).map_err(failed("make", &path))?;
        let git_dir = self.own_repository(&path, commit)?;
        self.write_files(&path, &git_dir.join("index"), commit)?;
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
        let path = match (dir.parent().map(Path::canonicalize), dir.file_name()) {
            (Some(Ok(parent)), Some(name)) => parent.join(name),
            _ => dir.to_path_buf(),
        };
        let note = self.note_of(&path)?;
        if found.is_dir()
            && text_file::read_text(&note, text_file::LARGEST_WRITTEN)
                .ok()
                .as_deref()
                == Some(&*path.to_string_lossy())
        {
            fs::remove_dir_all(&path).map_err(failed("remove", &path))?;
            return fs::remove_file(&note).map_err(failed("remove", &note));
        }
        fs::remove_dir(&path).map_err(|_full| not_ours(path, "it is no clean checkout the engine made"))
    }

    /// Writes all files of a commit into a folder and leaves a matching index.
    pub(super) fn write_files(&self, folder: &Path, index: &Path, commit: &CommitId) -> Result<(), GitError> {
        let call = self.on_files(folder, index, "write the files of a commit")?;
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

    /// A repository that has nothing but a head and what it borrows from a folder of objects, if from any.
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

    fn note_of(&self, path: &Path) -> Result<PathBuf, GitError> {
        let folder = self.control.path.join("checkouts");
        fs::create_dir_all(&folder).map_err(failed("make", &folder))?;
        let name = crate::ports::git::SafeName::derive(&path.to_string_lossy());
        Ok(folder.join(name.as_str()))
    }
}
