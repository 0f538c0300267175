//! Where heads are: of revisions, of the project's branches, of the remote's. What the remote holds is asked of the remote, in
//! one question where several branches are wanted. Brings nothing itself.

use super::cli::GitCli;
use super::parse;
use crate::ports::git::{BranchName, CommitId, DefaultBranch, GitError, Revision};

impl GitCli {
    /// Where a revision stands; its commits are in the control repository afterwards. None: positively absent.
    pub(super) fn find(&self, revision: &Revision) -> Result<Option<CommitId>, GitError> {
        match revision {
            Revision::Commit(commit) => Ok(self.bring(commit)?.then(|| commit.clone())),
            Revision::Origin(branch) => self.bring_remote(branch),
            Revision::Project(branch) => match self.local_head(branch)? {
                Some(commit) => self.bring_known(commit).map(Some),
                None => Ok(None),
            },
            Revision::Place(place) => match self.site(place)?.head(self)? {
                Some(commit) => self.bring_known(commit).map(Some),
                None => Ok(None),
            },
        }
    }

    /// The same for several, asking the remote once. What the remote holds and the project has, too, is brought from there.
    pub(super) fn find_all(&self, revisions: &[Revision]) -> Vec<Result<Option<CommitId>, GitError>> {
        let branches: Vec<&BranchName> = revisions.iter().filter_map(remote_branch).collect();
        let asked = match branches.as_slice() {
            [_, _, ..] => self.ask_remote_for(&branches),
            [] | [_] => Ok(Vec::new()),
        };
        let (there, silence) = match asked {
            Ok(there) => (there, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let local: Vec<CommitId> = revisions.iter().filter_map(|one| self.cheaply(one)).collect();
        for commit in there.iter().flatten().filter(|commit| local.contains(commit)) {
            self.bring_pushed(commit);
        }
        let mut there = there.into_iter();
        let find = |revision: &Revision| match (revision, &silence) {
            (Revision::Origin(_), Some(error)) => Err(error.clone()),
            (Revision::Origin(branch), None) => match there.next() {
                Some(seen) => self.bring_asked(branch, seen),
                None => self.bring_remote(branch),
            },
            (revision, _) => self.find(revision),
        };
        revisions.iter().map(find).collect()
    }

    /// The same where all are needed.
    pub(super) fn find_each<const N: usize>(
        &self,
        revisions: &[Revision; N],
    ) -> Result<[Option<CommitId>; N], GitError> {
        let mut found = self.find_all(revisions).into_iter();
        let mut heads = [const { None }; N];
        for head in &mut heads {
            *head = found.next().transpose()?.flatten();
        }
        Ok(heads)
    }

    fn cheaply(&self, revision: &Revision) -> Option<CommitId> {
        match revision {
            Revision::Project(branch) => self.branch_at(branch),
            Revision::Commit(_) | Revision::Origin(_) | Revision::Place(_) => None,
        }
    }

    /// Asks the remote where a branch is. Nothing is fetched.
    pub(super) fn ask_remote(&self, branch: &BranchName) -> Result<Option<CommitId>, GitError> {
        Ok(self.ask_remote_for(&[branch])?.into_iter().next().flatten())
    }

    /// Asks the remote once where all of these branches are; one answer each, in order.
    pub(super) fn ask_remote_for(&self, branches: &[&BranchName]) -> Result<Vec<Option<CommitId>>, GitError> {
        let names: Vec<&str> = branches.iter().map(|branch| branch.as_str()).collect();
        let call = self
            .over_network(format!("ask origin for branch {}", names.join(" and ")))?
            .timeout(self.program.limits.ask);
        let output = call.args([
            "ls-remote",
            "--quiet",
            "--upload-pack=git-upload-pack",
            "--",
            "origin",
        ]);
        let output = output.args(branches.iter().map(|branch| branch.full())).ok()?;
        let there = parse::refs(&output.stdout);
        let head = |branch: &&BranchName| {
            let seen = there.iter().find(|(_, name)| *name == branch.full());
            seen.map(|(id, _)| id.clone())
        };
        Ok(branches.iter().map(head).collect())
    }

    pub(super) fn ask_default_branch(&self) -> Result<DefaultBranch, GitError> {
        let call = self
            .over_network("ask origin for its main branch")?
            .timeout(self.program.limits.ask);
        let output = call.args([
            "ls-remote",
            "--quiet",
            "--symref",
            "--upload-pack=git-upload-pack",
            "--",
            "origin",
        ]);
        let output = output.arg("HEAD").ok()?;
        let said = String::from_utf8_lossy(&output.stdout);
        let named = said
            .lines()
            .find_map(|line| line.strip_prefix("ref: refs/heads/")?.strip_suffix("\tHEAD"));
        Ok(match named {
            Some(name) => DefaultBranch::Named(BranchName::new(name)?),
            None => DefaultBranch::Unnamed,
        })
    }

    /// Head of a local branch of the project.
    pub(super) fn local_head(&self, branch: &BranchName) -> Result<Option<CommitId>, GitError> {
        if let Some(head) = self.branch_at(branch) {
            return Ok(Some(head));
        }
        let call = self.in_project(format!("look for branch {branch}"));
        let output = call
            .args(["for-each-ref", "--format=%(objectname) %(refname)", "--"])
            .arg(branch.full())
            .ok()?;
        Ok(parse::refs(&output.stdout)
            .into_iter()
            .find(|(_, name)| *name == branch.full())
            .map(|(id, _)| id))
    }
}

fn remote_branch(revision: &Revision) -> Option<&BranchName> {
    match revision {
        Revision::Origin(branch) => Some(branch),
        Revision::Commit(_) | Revision::Project(_) | Revision::Place(_) => None,
    }
}
