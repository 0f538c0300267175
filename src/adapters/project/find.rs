//! Search for the project that a folder belongs to. Reads git's files about worktrees; does not run git.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::{ProjectError, failed};
use crate::adapters::{state_folder, text_file};

/// Maximum length of a text read from git's pointer files.
const LONGEST_POINTER: u64 = 8192;

/// A git repository's main checkout and the git folder that all its worktrees share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    root: PathBuf,
    git: PathBuf,
    state: PathBuf,
}

impl Project {
    /// Finds the project of `from`: the nearest folder upwards that is a checkout. A linked worktree belongs to the project of
    /// its main checkout, so that an agent's worktree leads to the one board; only a worktree with a `.debussy` folder or
    /// a state of its own is a project of its own.
    ///
    /// # Errors
    /// When there is no repository, or it has no checkout, or a folder cannot be read.
    pub fn find(from: &Path) -> Result<Project, ProjectError> {
        let start = fs::canonicalize(from).map_err(failed("find", from))?;
        for folder in start.ancestors() {
            let git = folder.join(".git");
            match fs::metadata(&git) {
                Ok(found) if found.is_dir() => return Ok(project(folder, &git, &git)),
                Ok(found) if found.is_file() => return linked(folder, &git),
                Ok(_) | Err(_) => {}
            }
            let has_folders = ["objects", "refs"].iter().all(|name| folder.join(name).is_dir());
            if has_folders && folder.join("HEAD").is_file() {
                return inside_git(folder);
            }
        }
        Err(ProjectError::Nowhere { from: start })
    }

    /// The main checkout, without links in its path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The git folder that all worktrees share.
    pub fn git_folder(&self) -> &Path {
        &self.git
    }

    /// The folder of the project's state: database, backups, secret, records of attempts. Inside the git folder, if no git command
    /// reaches that people or agents run in a checkout.
    pub fn dbs(&self) -> PathBuf {
        self.state.clone()
    }
}

/// `git` is the folder that all checkouts share, `own` the one of this checkout.
fn project(root: &Path, git: &Path, own: &Path) -> Project {
    Project {
        root: root.to_owned(),
        git: git.to_owned(),
        state: state_folder::of(git, own),
    }
}

/// `folder` has a `.git` file: a linked worktree or a submodule.
fn linked(folder: &Path, pointer: &Path) -> Result<Project, ProjectError> {
    let text = read_pointer(pointer)?;
    let target = text.strip_prefix("gitdir:").map_or("", str::trim);
    let own = canonical(folder, target, pointer)?;
    let common = own.join("commondir");
    if !common.is_file() {
        return Ok(project(folder, &own, &own));
    }
    let git = canonical(&own, read_pointer(&common)?.trim(), &common)?;
    let main = git.parent().filter(|_| git.ends_with(".git"));
    let is_own = folder.join(".debussy").is_dir() || state_folder::of(&git, &own).is_dir();
    Ok(match main.filter(|_| !is_own) {
        Some(main) => project(main, &git, &git),
        None => project(folder, &git, &own),
    })
}

/// The search ended in a git folder itself: of a checkout beside it, or of none.
fn inside_git(folder: &Path) -> Result<Project, ProjectError> {
    match folder.parent() {
        Some(root) if folder.ends_with(".git") => Ok(project(root, folder, folder)),
        _ => Err(ProjectError::Bare {
            path: folder.to_owned(),
        }),
    }
}

fn read_pointer(path: &Path) -> Result<String, ProjectError> {
    let text = text_file::read_text(path, LONGEST_POINTER).map_err(failed("read", path))?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

fn canonical(base: &Path, target: &str, pointer: &Path) -> Result<PathBuf, ProjectError> {
    if target.is_empty() {
        return Err(ProjectError::Foreign {
            path: pointer.to_owned(),
            found: "not a pointer as git writes it".to_owned(),
        });
    }
    let path = base.join(target);
    fs::canonicalize(&path).map_err(failed("follow", &path))
}
