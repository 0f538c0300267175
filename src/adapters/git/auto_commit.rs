//! Commits of the files that an agent left in its worktree, on the task's branch, without its index, its configuration or any hook: the
//! same files on the same head give the same commit, so a crash between any two steps is repaired by repeating.

use super::attic::CommitDraft;
use super::cli::GitCli;
use super::commit_message::{CommitMessage, Trailers};
use super::error_text;
use super::files::path_of;
use super::refs::PinKind;
use super::worktree_link::CheckoutDir;
use crate::ports::git::{CommitId, CommitOutcome, CommitRequest, GitError, TreeId, WorkingTree};

impl GitCli {
    pub(super) fn commit_leftovers(&self, request: &CommitRequest) -> Result<CommitOutcome, GitError> {
        let refused = |why: String| Ok(CommitOutcome::Refused(why));
        let site = self.locate(&WorkingTree::Worktree(request.folder.clone()))?;
        let state = self.read_state(&site)?;
        let (Some(stands), Some(branch)) = (state.head, self.local_head(&request.branch)?) else {
            return refused(format!("{} does not exist", request.branch));
        };
        if stands != branch {
            let name = &request.branch;
            return refused(format!("the worktree stands at {stands}, and {name} at {branch}"));
        }
        if state.tree == self.tree_of(&stands)? {
            return Ok(CommitOutcome::NothingToCommit(stands));
        }
        if let Some(why) = self.foreign_filter(state.tree.as_str())? {
            return refused(why);
        }
        let nested = self.new_repositories(&stands, &state.tree)?;
        if !nested.is_empty() {
            let nested = nested.join(", ");
            return refused(format!("repositories of their own cannot be committed: {nested}"));
        }
        let large = self.large_files(&site, &stands, &state.tree)?;
        if !large.is_empty() {
            return refused(format!(
                "files of more than {} MiB are not committed by the engine, delete or ignore them, or commit them yourself: {}",
                self.program.limits.largest / (1024 * 1024),
                large.join(", ")
            ));
        }
        let draft = CommitDraft {
            tree: &state.tree,
            parents: std::slice::from_ref(&stands),
            message: message(request),
            signature: &request.signature,
            author: None,
        };
        let commit = self.commit(&draft)?;
        self.pin(PinKind::Pin, &commit)?;
        self.export_to_project(&[&PinKind::Pin.ref_name(&commit)])?;
        let mut turn = self.lock_project()?;
        let why = "dbs: commit what was left";
        self.move_branch(&request.branch, Some(&stands), &commit, why, &mut turn)?;
        Ok(CommitOutcome::Committed(commit))
    }

    /// Repositories in a tree that are no submodules of the head.
    fn new_repositories(&self, head: &CommitId, tree: &TreeId) -> Result<Vec<String>, GitError> {
        let submodules = self.submodules_named_in(head.as_str())?;
        let new = self.new_links(head, tree)?.into_iter();
        let new = new.filter(|link| !submodules.contains_key(&link.path));
        Ok(new.map(|link| error_text::one_line(&link.path)).collect())
    }

    /// New and changed files that are too large, as far as they can still be looked at.
    fn large_files(
        &self,
        checkout: &CheckoutDir,
        head: &CommitId,
        tree: &TreeId,
    ) -> Result<Vec<String>, GitError> {
        let call = self.in_control("look for large files")?;
        let call = call.words("diff-tree -r -z --name-only --no-renames --diff-filter=AMT");
        let call = call.args(["--end-of-options", head.as_str(), tree.as_str()]);
        let output = call.run_ok()?;
        let is_large = |name: &&[u8]| {
            let found = checkout.folder.join(path_of(name)).symlink_metadata();
            !name.is_empty()
                && found.is_ok_and(|found| found.is_file() && found.len() > self.program.limits.largest)
        };
        let large = output.stdout.split(|byte| *byte == 0).filter(is_large);
        let shown = large.map(|name| error_text::one_line(&String::from_utf8_lossy(name)));
        Ok(shown.collect())
    }
}

fn message(request: &CommitRequest) -> String {
    let task = request.task.as_str();
    let words = CommitMessage {
        start: request.start.clone(),
        title: &request.title,
        text: &request.text,
        trailers: Trailers {
            task,
            attempt: request.attempt.as_str(),
            agent: request.agent.as_deref(),
        },
    };
    words.message()
}
