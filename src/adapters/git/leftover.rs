//! Committing what an agent left in its worktree, on the task's branch, without its index, its configuration or any hook: the
//! same files on the same head give the same commit, so a crash between any two steps is repaired by repeating.

use super::cli::GitCli;
use super::plain;
use super::refs::Class;
use super::snapshot::Draft;
use crate::ports::git::{GitError, Place, Rest, RestRequest};

/// Longest title in the first line, in characters.
const TITLE_LIMIT: usize = 150;

impl GitCli {
    pub(super) fn make_rest(&self, request: &RestRequest) -> Result<Rest, GitError> {
        let site = self.site(&Place::Worktree(request.folder.clone()))?;
        let state = self.read_state(&site)?;
        let (Some(stands), Some(branch)) = (state.head, self.local_head(&request.branch)?) else {
            return Ok(Rest::Refused(format!("{} does not exist", request.branch)));
        };
        if stands != branch {
            return Ok(Rest::Refused(format!(
                "the worktree stands at {stands}, and {} at {branch}",
                request.branch
            )));
        }
        if state.tree == self.tree_of(&stands)? {
            return Ok(Rest::Nothing(stands));
        }
        let nested = self.nested_repositories(&site.folder, &state.tree)?;
        if !nested.is_empty() {
            return Ok(Rest::Refused(format!(
                "repositories of their own cannot be committed: {}",
                nested.join(", ")
            )));
        }
        let draft = Draft {
            tree: &state.tree,
            parents: std::slice::from_ref(&stands),
            message: message(request),
            signature: &request.signature,
        };
        let commit = self.commit(&draft)?;
        self.pin(Class::Pin, &commit)?;
        self.hand_over(&[&Class::Pin.keeps(&commit)])?;
        let _queue = self.queue_project();
        let call = self.in_project(format!("commit on {}", request.branch));
        let call = call.args([
            "update-ref",
            "-m",
            "dbs: commit what was left",
            "--end-of-options",
        ]);
        call.arg(request.branch.full())
            .arg(commit.as_str())
            .arg(stands.as_str())
            .ok()?;
        Ok(Rest::Committed(commit))
    }
}

fn message(request: &RestRequest) -> String {
    let words = request.title.split_whitespace().collect::<Vec<_>>().join(" ");
    let title: String = plain::one_line(&words).chars().take(TITLE_LIMIT).collect();
    let RestRequest { task, attempt, .. } = request;
    format!("[{task}] {title}\n\nDbs-Task: {task}\nDbs-Attempt: {attempt}\n")
}
