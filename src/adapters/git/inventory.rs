//! Inventory at start-up (K60): worktrees and branches. Lists only; the caller decides from its own records which of them are garbage
//! (LK-19, LK-20).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::cli::GitCli;
use super::files::failed;
use super::parse;
use super::worktree_link;
use crate::ports::git::{BranchEntry, BranchName, CommitId, GitError, SafeName, WorktreeEntry};

impl GitCli {
    pub(super) fn list_worktrees(&self) -> Result<Vec<WorktreeEntry>, GitError> {
        self.repair_if_free();
        let registered = self.registered()?;
        let mut entries: Vec<WorktreeEntry> = Vec::new();
        for root in &self.project.worktree_roots {
            for path in folders_in(root)? {
                let entry = registered.iter().find(|entry| entry.is_at(&path));
                // An earlier folder may have become a person's.
                if entry.is_some() || root == worktree_link::root(&self.project) {
                    entries.push(WorktreeEntry {
                        folder: safe_name(&path),
                        checked_out: entry.map(|entry| entry.checked_out.clone()),
                        path,
                        is_present: true,
                    });
                }
            }
        }
        for entry in registered {
            if worktree_link::is_in_root(&self.project, &entry.path) && !entry.path.exists() {
                entries.push(WorktreeEntry {
                    folder: safe_name(&entry.path),
                    checked_out: Some(entry.checked_out),
                    path: entry.path,
                    is_present: false,
                });
            }
        }
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(entries)
    }

    pub(super) fn list_branches(&self) -> Result<Vec<BranchEntry>, GitError> {
        Ok(entries(
            self.in_project("list the branches").list_refs("refs/heads/")?,
        ))
    }

    pub(super) fn list_remote_branches(&self) -> Result<Vec<BranchEntry>, GitError> {
        if !self.has_remote() {
            let call = self.in_control("list the branches")?;
            return Ok(entries(call.list_refs("refs/heads/")?));
        }
        let call = self.ask_origin(format!("ask {} for its branches", self.remote.name()))?;
        let output = call.words("-- origin").run_whole()?;
        Ok(entries(parse::refs(&output.stdout)))
    }
}

/// Entries of a folder of worktrees, without files and folders that the program keeps beside them.
fn folders_in(root: &Path) -> Result<Vec<PathBuf>, GitError> {
    let found = match fs::read_dir(root) {
        Ok(found) => found
            .collect::<io::Result<Vec<_>>>()
            .map_err(failed("read", root))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(failed("read", root)(error)),
    };
    let shown = |entry: &fs::DirEntry| !entry.file_name().as_encoded_bytes().starts_with(b".");
    Ok(found
        .iter()
        .filter(|entry| shown(entry))
        .map(fs::DirEntry::path)
        .collect())
}

/// The name of a folder, if it is one that the engine gives.
pub(super) fn safe_name(folder: &Path) -> Option<SafeName> {
    SafeName::new(folder.file_name()?.to_str()?).ok()
}

fn entries(refs: Vec<(CommitId, String)>) -> Vec<BranchEntry> {
    let entry = |(head, name): (_, String)| {
        let branch = BranchName::new(name.strip_prefix("refs/heads/")?).ok()?;
        Some(BranchEntry { branch, head })
    };
    refs.into_iter().filter_map(entry).collect()
}
