//! Evidence about commits: ancestry, counts, whether something is merged. All from the control repository, after
//! asking the places the question is about.

use super::cli::GitCli;
use super::parse;
use crate::domain::{Tri, TroubleKind};
use crate::ports::git::{BranchName, CommitId, CommitsAhead, GitError, Revision};

/// Pairs of commits that are remembered; all are forgotten when there are more.
const MOST_PAIRS: usize = 1_000;

impl GitCli {
    /// Returns true if the newer commit holds the older one; each holds itself. Both are in the control repository.
    pub(super) fn is_ancestor(&self, older: &CommitId, newer: &CommitId) -> Result<bool, GitError> {
        if older == newer || self.ancestors.lock().contains(&(older.clone(), newer.clone())) {
            return Ok(true);
        }
        let call = self.in_control(format!("compare {older} and {newer}"))?;
        let call = call.words("merge-base --is-ancestor");
        let is_part = call.arg(older.as_str()).arg(newer.as_str()).run_bool()?;
        if is_part {
            self.remember_ancestor(older, newer);
        }
        Ok(is_part)
    }

    /// Remembers that a commit is part of another, which stays so. That it is not may change, where history is brought later.
    pub(super) fn remember_ancestor(&self, older: &CommitId, newer: &CommitId) {
        let mut ancestors = self.ancestors.lock();
        if ancestors.len() >= MOST_PAIRS {
            ancestors.clear();
        }
        ancestors.insert((older.clone(), newer.clone()));
    }

    pub(super) fn count_ahead(&self, head: &Revision, base: &Revision) -> Result<CommitsAhead, GitError> {
        let Some(head) = self.resolve_revision(head)? else {
            return Ok(CommitsAhead::Absent(self.gone("the work", head)));
        };
        let Some(base) = self.resolve_revision(base)? else {
            return Ok(CommitsAhead::Absent(self.gone("the base", base)));
        };
        let call = self.in_control("count commits")?.words("rev-list --count");
        let landed = self.landed_part(&head, &base)?;
        let call = call.args([head.as_str(), "--not", base.as_str()]);
        let printed = call.args(landed.iter().map(CommitId::as_str)).run_line()?;
        let n_commits = printed.parse().map_err(|_no_number| GitError::Failed {
            kind: TroubleKind::Other,
            what: "count commits".to_owned(),
            why: super::error_text::one_line(&printed),
        })?;
        Ok(CommitsAhead::Commits {
            n_commits,
            head,
            base,
        })
    }

    pub(super) fn check_merged(&self, commit: &CommitId, base: &BranchName) -> Result<Tri, GitError> {
        let Some(base_head) = self.import_remote(base)? else {
            return Ok(Tri::No(self.no_branch(base)));
        };
        if !self.import_commit(commit)? {
            let why = format!("commit {commit} is not part of {base} at {base_head}");
            return Ok(Tri::No(why));
        }
        if self.is_ancestor(commit, &base_head)?
            || self.landing_in(commit, &base_head, None)?.is_some()
            || self.is_merge_empty(commit, &base_head)?
        {
            return Ok(Tri::Yes);
        }
        Ok(Tri::No(format!(
            "{base} at {base_head} does not contain {commit}"
        )))
    }

    /// Returns true if merging would change nothing: the content came another way, by squash or by picking.
    pub(super) fn is_merge_empty(&self, commit: &CommitId, base: &CommitId) -> Result<bool, GitError> {
        let call = self.in_control(format!("try {commit} on {base}"))?;
        let call = call.words("merge-tree --write-tree --name-only -z");
        let output = call.arg(base.as_str()).arg(commit.as_str()).run()?;
        match output.code {
            Some(0) => {
                let tree = parse::merge_tree(&output.stdout).map(|merged| merged.tree);
                Ok(tree.as_ref() == Some(&self.tree_of(base)?))
            }
            Some(1) => Ok(false),
            _ if super::merge::is_unrelated(&output) => Ok(false),
            _ => Err(output.failure()),
        }
    }

    fn gone(&self, part: &str, revision: &Revision) -> String {
        match revision {
            Revision::RemoteBranch(branch) => format!("{part} is gone: {}", self.no_branch(branch)),
            Revision::LocalBranch(branch) => format!("{part} is gone: there is no local branch {branch}"),
            Revision::Commit(commit) => format!("{part} is gone: commit {commit} exists nowhere"),
            Revision::TaskBranch(of) => format!("{part} is gone: nothing is kept of branch {}", of.branch),
            Revision::WorkingTree(_) => format!("{part} has no commit yet"),
        }
    }
}
