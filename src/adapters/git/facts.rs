//! Evidence about commits: ancestry, counts, whether something is merged. All from the control repository, after
//! asking the places the question is about.

use super::call::{Realm, failure};
use super::cli::GitCli;
use super::parse;
use crate::domain::Tri;
use crate::ports::git::{Ahead, BranchName, CommitId, GitError, Revision};

impl GitCli {
    pub(super) fn is_ancestor(&self, older: &CommitId, newer: &CommitId) -> Result<bool, GitError> {
        let call = self.in_control(format!("compare {older} and {newer}"))?;
        call.args(["merge-base", "--is-ancestor", older.as_str(), newer.as_str()])
            .yes()
    }

    pub(super) fn count_ahead(&self, head: &Revision, base: &Revision) -> Result<Ahead, GitError> {
        let Some(head) = self.find(head)? else {
            return Ok(Ahead::Absent(describe("the work", head)));
        };
        let Some(base) = self.find(base)? else {
            return Ok(Ahead::Absent(describe("the base", base)));
        };
        let call = self.in_control("count commits")?.args([
            "rev-list",
            "--count",
            head.as_str(),
            "--not",
            base.as_str(),
        ]);
        let said = call.line()?;
        let n_commits = said.parse().map_err(|_no_number| GitError::Failed {
            what: "count commits".to_owned(),
            why: super::plain::one_line(&said),
        })?;
        Ok(Ahead::Commits {
            n_commits,
            head,
            base,
        })
    }

    pub(super) fn check_merged(&self, commit: &CommitId, base: &BranchName) -> Result<Tri, GitError> {
        let Some(base_head) = self.bring_remote(base)? else {
            return Ok(Tri::No(format!("origin has no branch {base}")));
        };
        if !self.bring(commit)? {
            return Ok(Tri::No(format!(
                "commit {commit} is not part of {base} at {base_head}"
            )));
        }
        if self.is_ancestor(commit, &base_head)? || self.adds_nothing(commit, &base_head)? {
            return Ok(Tri::Yes);
        }
        Ok(Tri::No(format!(
            "{base} at {base_head} does not contain {commit}"
        )))
    }

    /// Whether merging would change nothing: the content came another way, by squash or by picking.
    pub(super) fn adds_nothing(&self, commit: &CommitId, base: &CommitId) -> Result<bool, GitError> {
        let call = self.in_control(format!("try {commit} on {base}"))?;
        let call = call.args(["merge-tree", "--write-tree", "--name-only", "-z"]);
        let output = call.arg(base.as_str()).arg(commit.as_str()).run()?;
        match output.code {
            Some(0) => {
                let tree = parse::merge_tree(&output.stdout).map(|merged| merged.tree);
                Ok(tree.as_ref() == Some(&self.tree_of(base)?))
            }
            Some(1) => Ok(false),
            _ if super::merge::is_unrelated(&output) => Ok(false),
            _ => Err(failure(
                format!("try {commit} on {base}"),
                Realm::Control,
                &output,
            )),
        }
    }
}

fn describe(part: &str, revision: &Revision) -> String {
    match revision {
        Revision::Origin(branch) => format!("{part} is gone: origin has no branch {branch}"),
        Revision::Project(branch) => format!("{part} is gone: there is no local branch {branch}"),
        Revision::Commit(commit) => format!("{part} is gone: nobody has commit {commit}"),
        Revision::Place(_) => format!("{part} has no commit yet"),
    }
}
