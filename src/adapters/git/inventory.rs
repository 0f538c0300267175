//! What is there at start-up (K60): worktrees and branches. Lists only; what is garbage is for the caller to decide,
//! from its own records (LK-19, LK-20).

use std::fs;
use std::io;

use super::cli::GitCli;
use super::files::failed;
use super::parse;
use super::worktree_link;
use crate::ports::git::{BranchEntry, BranchName, GitError, SafeName, WorktreeEntry};

impl GitCli {
    pub(super) fn list_worktrees(&self) -> Result<Vec<WorktreeEntry>, GitError> {
        let root = worktree_link::root(&self.project);
        let registered = self.registered()?;
        let mut entries: Vec<WorktreeEntry> = Vec::new();
        let found = match fs::read_dir(&root) {
            Ok(found) => found
                .collect::<io::Result<Vec<_>>>()
                .map_err(|error| failed("read", &root, &error))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(failed("read", &root, &error)),
        };
        for folder in found {
            let path = folder.path();
            let entry = registered.iter().find(|entry| entry.is_at(&path));
            entries.push(WorktreeEntry {
                folder: folder
                    .file_name()
                    .to_str()
                    .and_then(|name| SafeName::new(name).ok()),
                checked_out: entry.map(|entry| entry.checked_out.clone()),
                path,
                is_present: true,
            });
        }
        for entry in registered {
            let is_ours = entry.path.parent().is_some_and(|parent| {
                parent == root || parent.canonicalize().ok() == root.canonicalize().ok() && root.exists()
            });
            if is_ours && !entry.path.exists() {
                let name = entry.path.file_name().and_then(|name| name.to_str());
                entries.push(WorktreeEntry {
                    folder: name.and_then(|name| SafeName::new(name).ok()),
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
        let call = self.in_project("list the branches");
        let output = call
            .args([
                "for-each-ref",
                "--format=%(objectname) %(refname)",
                "--",
                "refs/heads/",
            ])
            .run_ok()?;
        Ok(entries(&output.stdout))
    }

    pub(super) fn list_remote_branches(&self) -> Result<Vec<BranchEntry>, GitError> {
        let call = self
            .over_network("ask origin for its branches")?
            .timeout(self.program.limits.ask);
        let call = call.args([
            "ls-remote",
            "--quiet",
            "--heads",
            "--upload-pack=git-upload-pack",
            "--",
            "origin",
        ]);
        Ok(entries(&call.run_ok()?.stdout))
    }
}

fn entries(bytes: &[u8]) -> Vec<BranchEntry> {
    let entry = |(head, name): (_, String)| {
        let branch = BranchName::new(name.strip_prefix("refs/heads/")?).ok()?;
        Some(BranchEntry { branch, head })
    };
    parse::refs(bytes).into_iter().filter_map(entry).collect()
}
