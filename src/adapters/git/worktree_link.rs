//! Check that a folder in one of the folders of worktrees is a worktree of the project, seen from both sides. Reads files only; runs
//! nothing, follows no link an agent could have planted.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::discovery::ProjectRepo;
use super::files::failed;
use crate::adapters::text_file;
use crate::domain::Cause;
use crate::ports::git::GitError;

/// Maximum length of a pointer file read.
const POINTER_LIMIT: u64 = 8 * 1024;
/// A file in a worktree's git folder that says its files were written completely.
const READY: &str = "dbs-ready";

/// Status of the path of a worktree: nothing, an empty folder, our worktree or something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathStatus {
    Nothing,
    EmptyFolder,
    /// A worktree of this project, whose links to it were verified in both directions.
    Ours(CheckoutDir),
    /// Something else; the text says why.
    Foreign(String),
}

/// Canonical folder and git folder of a checkout that was located on disk: a worktree, or the main checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CheckoutDir {
    pub(super) folder: PathBuf,
    pub(super) git_dir: PathBuf,
}

impl CheckoutDir {
    /// Returns true if its files were once written completely, so that an agent may have worked here.
    pub(super) fn is_ready(&self) -> bool {
        self.git_dir.join(READY).exists()
    }

    /// Takes the mark away that the worktree is complete: what is left of it after a removal that was cut off is not used again.
    pub(super) fn unset_ready(&self) -> Result<(), GitError> {
        let file = self.git_dir.join(READY);
        match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", &file)(error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Marks the worktree as complete, durably together with its link files: git does not sync those, and a power cut would leave a folder
    /// that belongs to no worktree.
    pub(super) fn set_ready(&self) -> Result<(), GitError> {
        let file = self.git_dir.join(READY);
        fs::write(&file, b"").map_err(failed("write", &file))?;
        let files = ["gitdir", "commondir", "HEAD", "index", READY].map(|name| self.git_dir.join(name));
        let folders = [&self.git_dir, &self.folder].into_iter();
        let above = folders.clone().filter_map(|folder| folder.parent());
        let folders = folders.map(PathBuf::as_path).chain(above);
        for file in files
            .iter()
            .map(PathBuf::as_path)
            .chain([&*self.folder.join(".git")])
        {
            sync(file)?;
        }
        for folder in folders.filter(|_| cfg!(unix)) {
            sync(folder)?;
        }
        Ok(())
    }
}

fn sync(path: &Path) -> Result<(), GitError> {
    match fs::File::open(path).and_then(|opened| opened.sync_all()) {
        // A worktree without files has no index.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        synced => synced.map_err(failed("sync", path)),
    }
}

/// Folder in which new worktrees are made.
pub(super) fn root(project: &ProjectRepo) -> &Path {
    project.worktree_roots.first().unwrap_or(&project.root)
}

/// Returns true if a folder is directly in one of the folders of worktrees.
pub(super) fn is_in_root(project: &ProjectRepo, folder: &Path) -> bool {
    let parent = folder.parent();
    let canonical = parent.and_then(|parent| parent.canonicalize().ok());
    project
        .worktree_roots
        .iter()
        .any(|root| parent == Some(root) || canonical.is_some() && canonical == root.canonicalize().ok())
}

/// Looks at a folder. Errors: it could not be looked at, which is neither ours nor foreign.
pub(super) fn look(project: &ProjectRepo, folder: &Path) -> Result<PathStatus, GitError> {
    let kind = match folder.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(PathStatus::Nothing),
        Err(error) => return Err(failed("look at", folder)(error)),
        Ok(found) => found.file_type(),
    };
    if !kind.is_dir() {
        return Ok(PathStatus::Foreign("it is not a folder".to_owned()));
    }
    let mut entries = fs::read_dir(folder).map_err(failed("read", folder))?;
    if entries.next().is_none() {
        return Ok(PathStatus::EmptyFolder);
    }
    Ok(match verify(project, folder) {
        Ok(link) => PathStatus::Ours(link),
        Err(why) => PathStatus::Foreign(why.text),
    })
}

/// The folder points at a git folder of this project, and that one points back.
fn verify(project: &ProjectRepo, folder: &Path) -> Result<CheckoutDir, Cause> {
    let folder = folder
        .canonicalize()
        .map_err(|error| Cause::from(error.to_string()))?;
    let pointer = read_pointer(&folder.join(".git"))?;
    let target = pointer
        .strip_prefix("gitdir: ")
        .ok_or("its .git file does not point anywhere")?;
    let git_dir = folder
        .join(target)
        .canonicalize()
        .map_err(|_gone| Cause::from("its registration is gone"))?;
    if git_dir.parent() != Some(&project.common.join("worktrees")) {
        return Err("its .git file points outside this project".into());
    }
    let back = git_dir.join(read_pointer(&git_dir.join("gitdir"))?);
    let back = back.parent().and_then(|at| at.canonicalize().ok());
    if back.as_ref() != Some(&folder) {
        return Err("its registration belongs to another folder".into());
    }
    let common = git_dir
        .join(read_pointer(&git_dir.join("commondir"))?)
        .canonicalize()
        .ok();
    if common.as_ref() != Some(&project.common) {
        return Err("its registration belongs to another repository".into());
    }
    Ok(CheckoutDir { folder, git_dir })
}

/// Reads the one line of a small file that is not a link; errors say what it is instead.
pub(super) fn read_pointer(file: &Path) -> Result<String, Cause> {
    let name = file
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let found = file
        .symlink_metadata()
        .map_err(|_missing| Cause::from(format!("it has no {name} file")))?;
    if !found.is_file() || found.len() > POINTER_LIMIT {
        return Err(format!("its {name} is not a small file").into());
    }
    let text = text_file::read_text(file, POINTER_LIMIT)
        .map_err(|error| Cause::from(format!("its {name}: {error}")))?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}
