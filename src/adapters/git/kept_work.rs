//! Return of work that the attic keeps of a task into the project, as branches that a person can look at.

use super::cli::GitCli;
use crate::ports::git::Git as _;
use crate::ports::git::{BranchName, CommitId, DiffRange, GitError, SafeName};

/// Snapshot that the attic keeps of a task, and the branch of the project that has it now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroughtBack {
    pub attic_ref: String,
    pub branch: BranchName,
    pub commit: CommitId,
    /// The files in which it differs from the commit it was made on.
    pub files: Vec<String>,
}

impl GitCli {
    /// Makes a branch of the project for everything that the attic keeps of a task, oldest first. A branch that is there already stays
    /// as it is.
    ///
    /// # Errors
    /// When git cannot be asked, or refuses.
    pub fn bring_back(&self, task: &SafeName) -> Result<Vec<BroughtBack>, GitError> {
        let mut brought = Vec::new();
        for (number, kept) in self.kept_of(task)? {
            let branch = BranchName::new(&format!("kept/{task}-{number}"))?;
            if self.local_head(&branch)?.is_none() {
                self.export_to_project(&[&format!("{}:{}", kept.attic_ref, branch.full())])?;
            }
            let commit = kept.commit.clone();
            brought.push(BroughtBack {
                files: self.changed_paths(&DiffRange::Commit { commit })?,
                attic_ref: kept.attic_ref,
                commit: kept.commit,
                branch,
            });
        }
        Ok(brought)
    }
}
