//! Heads of revisions, of the project's branches, of the remote's. The remote is asked for its heads, in one call where several branches
//! are wanted. Fetches nothing itself.

use super::cli::GitCli;
use super::parse;
use crate::ports::git::{BranchName, CommitId, GitError, Revision, TaskBranch};

impl GitCli {
    /// Returns the commit of a revision, and puts its commits into the control repository. None: certainly absent.
    pub(super) fn resolve_revision(&self, revision: &Revision) -> Result<Option<CommitId>, GitError> {
        let import = |found: Option<CommitId>| found.map(|commit| self.import_known(commit)).transpose();
        match revision {
            Revision::Commit(commit) => Ok(self.import_commit(commit)?.then(|| commit.clone())),
            Revision::RemoteBranch(branch) => self.import_remote(branch),
            Revision::LocalBranch(branch) => import(self.local_head(branch)?),
            Revision::WorkingTree(place) => import(self.locate(place)?.head(self)?),
            Revision::TaskBranch(of) => match self.local_head(&of.branch)? {
                Some(head) => self.import_known(head).map(Some),
                None => self.kept_head(of),
            },
        }
    }

    /// Returns the kept head of a task's branch that is gone.
    fn kept_head(&self, of: &TaskBranch) -> Result<Option<CommitId>, GitError> {
        if let Some(recorded) = &of.recorded
            && self.import_commit(recorded)?
        {
            return Ok(Some(recorded.clone()));
        }
        self.newest_in_attic(&of.task)
    }

    /// Resolves several revisions, asking the remote once. Commits of the remote that the project has, too, are taken from the project.
    pub(super) fn resolve_revisions(
        &self,
        revisions: &[Revision],
    ) -> Vec<Result<Option<CommitId>, GitError>> {
        let branches: Vec<&BranchName> = revisions.iter().filter_map(remote_branch).collect();
        let asked = match branches.as_slice() {
            [_, _, ..] => self.remote_branch_heads(&branches),
            [] | [_] => Ok(Vec::new()),
        };
        let (there, silence) = match asked {
            Ok(there) => (there, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let local = revisions.iter().filter_map(|one| self.resolve_from_files(one));
        let local: Vec<CommitId> = local.collect();
        for commit in there.iter().flatten().filter(|commit| local.contains(commit)) {
            self.import_pushed(commit);
        }
        let mut there = there.into_iter();
        let find = |revision: &Revision| match (revision, &silence) {
            (Revision::RemoteBranch(_), Some(error)) => Err(error.clone()),
            (Revision::RemoteBranch(branch), None) => match there.next() {
                Some(seen) => self.import_remote_at(branch, seen),
                None => self.import_remote(branch),
            },
            (revision, _) => self.resolve_revision(revision),
        };
        revisions.iter().map(find).collect()
    }

    /// The same where all are needed.
    pub(super) fn resolve_each<const N: usize>(
        &self,
        revisions: &[Revision; N],
    ) -> Result<[Option<CommitId>; N], GitError> {
        let mut found = self.resolve_revisions(revisions).into_iter();
        let mut heads = [const { None }; N];
        for head in &mut heads {
            *head = found.next().transpose()?.flatten();
        }
        Ok(heads)
    }

    fn resolve_from_files(&self, revision: &Revision) -> Option<CommitId> {
        match revision {
            Revision::LocalBranch(branch) => self.branch_at(branch),
            Revision::Commit(_)
            | Revision::RemoteBranch(_)
            | Revision::WorkingTree(_)
            | Revision::TaskBranch(_) => None,
        }
    }

    /// Asks the remote where a branch is. Nothing is fetched.
    pub(super) fn remote_branch_head(&self, branch: &BranchName) -> Result<Option<CommitId>, GitError> {
        Ok(self.remote_branch_heads(&[branch])?.into_iter().next().flatten())
    }

    /// Asks the remote once where all of these branches are; one answer each, in order.
    pub(super) fn remote_branch_heads(
        &self,
        branches: &[&BranchName],
    ) -> Result<Vec<Option<CommitId>>, GitError> {
        if !self.has_remote() {
            return branches.iter().map(|branch| self.control_head(branch)).collect();
        }
        let names: Vec<&str> = branches.iter().map(|branch| branch.as_str()).collect();
        let call = self.ask_origin(format!(
            "ask {} for branch {}",
            self.remote.name(),
            names.join(" and ")
        ))?;
        let call = call
            .words("-- origin")
            .args(branches.iter().map(|branch| branch.full()));
        let output = call.run_whole()?;
        let there = parse::refs(&output.stdout);
        let head = |branch: &&BranchName| {
            let seen = there.iter().find(|(_, name)| *name == branch.full());
            seen.map(|(id, _)| id.clone())
        };
        Ok(branches.iter().map(head).collect())
    }

    pub(super) fn local_head(&self, branch: &BranchName) -> Result<Option<CommitId>, GitError> {
        if let Some(head) = self.branch_at(branch) {
            return Ok(Some(head));
        }
        let call = self.in_project(format!("look for branch {branch}"));
        let mut found = call.list_refs(&branch.full())?.into_iter();
        Ok(found.find_map(|(id, name)| (name == branch.full()).then_some(id)))
    }
}

fn remote_branch(revision: &Revision) -> Option<&BranchName> {
    match revision {
        Revision::RemoteBranch(branch) => Some(branch),
        Revision::Commit(_)
        | Revision::LocalBranch(_)
        | Revision::WorkingTree(_)
        | Revision::TaskBranch(_) => None,
    }
}
