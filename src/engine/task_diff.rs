//! Translates the comparison of a task's work, as the board knows it, into the two ends that git compares.

use std::path::Path;

use crate::ports::git::{
    BranchName, CommitId, DiffRange, NameError, Revision, SafeName, TaskBranch, WorkingTree,
};
use crate::read_model::{ChangeRange, TaskChanges, TaskWork};

/// Returns the ends of a comparison. Only the comparison itself is looked at, so the result fits the request.
///
/// # Errors
/// When git would not take a name of it.
pub fn diff_range(changes: &TaskChanges) -> Result<DiffRange, NameError> {
    let task = SafeName::derive(changes.task.as_str());
    Ok(match &changes.range {
        ChangeRange::Merged(commit) => DiffRange::Commit {
            commit: CommitId::new(commit)?,
        },
        ChangeRange::SinceBase { base, work } => {
            let base = Revision::RemoteBranch(BranchName::new(base)?);
            match work {
                TaskWork::Folder { path, .. } => DiffRange::WorkInProgress {
                    base,
                    place: worktree(path),
                },
                TaskWork::Branch { head, .. } => DiffRange::SinceFork {
                    base,
                    head: branch(task, head.as_deref())?,
                },
            }
        }
        ChangeRange::SinceReview { seen, work } => DiffRange::Between {
            from: Revision::Commit(CommitId::new(seen)?),
            to: match work {
                TaskWork::Folder { path, .. } => Revision::WorkingTree(worktree(path)),
                TaskWork::Branch { head, .. } => branch(task, head.as_deref())?,
            },
        },
    })
}

fn worktree(path: &str) -> WorkingTree {
    let folder = Path::new(path).file_name().unwrap_or_default();
    WorkingTree::Worktree(SafeName::derive(&folder.to_string_lossy()))
}

fn branch(task: SafeName, head: Option<&str>) -> Result<Revision, NameError> {
    Ok(Revision::TaskBranch(TaskBranch {
        branch: BranchName::feature(&task),
        recorded: head.map(CommitId::new).transpose()?,
        task,
    }))
}
