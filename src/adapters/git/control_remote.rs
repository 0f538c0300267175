//! The control repository in place of a remote, where the project works without one: its own branches are those of the remote. Each moves
//! only from where it was seen.

use super::cli::GitCli;
use super::discovery;
use super::error_text;
use super::files::missing;
use super::options::RemoteChoice;
use super::push::{PushLease, PushReply};
use crate::domain::TroubleKind;
use crate::ports::git::{AgentsRemote, BranchName, CommitId, GitError};

impl GitCli {
    /// Returns false where the project works without a remote.
    pub(super) fn has_remote(&self) -> bool {
        self.remote != RemoteChoice::Control
    }

    /// Returns the head of a branch in place of the remote's. What the person did on a base counts, unless it has to be settled first.
    pub(super) fn control_head(&self, branch: &BranchName) -> Result<Option<CommitId>, GitError> {
        if self.is_shared(branch)? {
            match self.read_person(branch) {
                Err(GitError::Missing { .. }) => return Ok(None),
                Ok(())
                | Err(GitError::Failed {
                    kind: TroubleKind::Refusal,
                    ..
                }) => {}
                Err(error) => return Err(error),
            }
        }
        self.control_ref(&branch.full())
    }

    /// Moves a branch of the control repository, makes it, or deletes it.
    pub(super) fn set_in_control(
        &self,
        commit: Option<&CommitId>,
        branch: &BranchName,
        lease: PushLease<'_>,
    ) -> Result<PushReply, GitError> {
        let there = self.control_ref(&branch.full())?;
        if there.as_ref() == commit {
            return Ok(PushReply::Accepted);
        }
        let is_expected = match (lease, &there, commit) {
            (PushLease::At(expected), there, _) => expected == there.as_ref(),
            (PushLease::Nothing, Some(there), Some(commit)) => self.is_ancestor(there, commit)?,
            (PushLease::Nothing, _, _) => true,
        };
        if !is_expected {
            let there = there.map_or_else(|| "nowhere".to_owned(), |commit| commit.to_string());
            return Ok(PushReply::Stale(format!("it is at {there} now")));
        }
        self.swap_control_ref(&branch.full(), there.as_ref(), commit)
    }

    /// Moves a ref of the control repository from where it was seen; none: it is made, or deleted.
    pub(super) fn swap_control_ref(
        &self,
        name: &str,
        seen: Option<&CommitId>,
        commit: Option<&CommitId>,
    ) -> Result<PushReply, GitError> {
        let call = self.in_control(format!("set {name} of the control repository"))?;
        let before = seen.map(CommitId::to_string);
        let call = if let Some(commit) = commit {
            let before = before.unwrap_or_else(|| "0".repeat(commit.as_str().len()));
            let call = call.words("update-ref --end-of-options").arg(name);
            call.arg(commit.as_str()).arg(before)
        } else {
            let call = call.words("update-ref -d --end-of-options").arg(name);
            call.args(before)
        };
        let output = self.run_in_control_lock(call)?;
        match error_text::trouble(&output) {
            _ if output.code == Some(0) => Ok(PushReply::Accepted),
            Some(TroubleKind::Lock) => Ok(PushReply::Stale(error_text::reason(&output))),
            _ => Err(output.failure()),
        }
    }

    /// Returns the remote for the git of agents. They know the control repository by settings of their own, since the project does not.
    pub(super) fn remote_of_agents(&self) -> AgentsRemote {
        let name = self.remote.name().to_owned();
        let settings = if self.has_remote() {
            Vec::new()
        } else {
            vec![
                (
                    format!("remote.{name}.url"),
                    self.control.path.to_string_lossy().into_owned(),
                ),
                (
                    format!("remote.{name}.fetch"),
                    format!("+refs/heads/*:refs/remotes/{name}/*"),
                ),
            ]
        };
        let person = self.person();
        AgentsRemote {
            name,
            settings,
            person,
        }
    }

    fn person(&self) -> Option<(String, String)> {
        let identity = discovery::identity(&self.program, &self.project).ok()?;
        let (name, address) = identity.strip_suffix('>')?.split_once(" <")?;
        Some((name.to_owned(), address.to_owned()))
    }

    /// The sentence about a branch that the remote does not have.
    pub(super) fn no_branch(&self, branch: &BranchName) -> String {
        match &self.remote {
            RemoteChoice::Named(name) => format!("{name} has no branch {branch}"),
            RemoteChoice::Control => format!("this repository has no branch {branch}"),
        }
    }

    /// The error for a base branch that the remote does not have.
    pub(super) fn missing_base(&self, branch: &BranchName) -> GitError {
        match &self.remote {
            RemoteChoice::Named(name) => {
                let hint = format!("push it first with `git push {name} {branch}`");
                missing(format!("branch {branch} on {name}"), hint)
            }
            RemoteChoice::Control => {
                let hint = format!(
                    "make it with `git branch {branch}`, or name another: `dbs config base_branch NAME`"
                );
                missing(format!("branch {branch} in this repository"), hint)
            }
        }
    }
}
