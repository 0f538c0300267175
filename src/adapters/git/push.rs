//! Pushing branches and merges from the control repository. What counts is what the remote says when asked again
//! afterwards, not how the push ended (LK-11, LK-12, B3-20).

use super::cli::GitCli;
use super::plain;
use crate::ports::git::{BranchName, CommitId, GitError, Publication, Published, Push};

/// How a push ended by its own account.
pub(super) enum PushEnd {
    /// The remote took it, or had it.
    Taken,
    /// The remote is not where it was expected, or somebody else is changing it.
    Outrun(String),
    /// The remote said no.
    Refused(String),
}

impl PushEnd {
    /// Why a remote that shows no change gives no answer.
    pub(super) fn unseen(&self, branch: &BranchName) -> String {
        match self {
            Self::Taken => format!("push {branch}: the remote does not show it"),
            Self::Outrun(why) | Self::Refused(why) => format!("push {branch}: {why}"),
        }
    }
}

impl GitCli {
    pub(super) fn push_local(
        &self,
        branch: &BranchName,
        replaces: Option<&CommitId>,
    ) -> Result<Push, GitError> {
        let Some(local) = self.local_head(branch)? else {
            return Ok(Push::NoBranch);
        };
        self.bring_known(local.clone())?;
        let remote = self.bring_remote(branch)?;
        match &remote {
            Some(there) if *there == local => return Ok(Push::AlreadyThere(local)),
            Some(there) if replaces != Some(there) && !self.is_ancestor(there, &local)? => {
                return Ok(Push::Diverged {
                    local,
                    remote: there.clone(),
                });
            }
            Some(_) | None => {}
        }
        let end = self.push(Some(&local), branch, remote.as_ref());
        // A push that broke off may have arrived.
        let there = self.ask_remote(branch)?;
        match (there, end) {
            (Some(there), _) if there == local => Ok(Push::Pushed(local)),
            (_, Err(error)) => Err(error),
            (_, Ok(PushEnd::Refused(why))) => Ok(Push::Refused(why)),
            (Some(there), Ok(_)) if Some(&there) != remote.as_ref() => {
                Ok(Push::Diverged { local, remote: there })
            }
            (_, Ok(end)) => Ok(Push::Unknown(end.unseen(branch))),
        }
    }

    pub(super) fn push_merge(&self, publication: &Publication) -> Result<Published, GitError> {
        let Publication {
            commit,
            base,
            expected,
        } = publication;
        let Some(there) = self.bring_remote(base)? else {
            return Ok(Published::Refused(format!("origin has no branch {base}")));
        };
        if !self.has(commit)? || !self.is_ancestor(expected, commit)? {
            return Ok(Published::Refused(format!(
                "{commit} does not build on {expected}"
            )));
        }
        if self.is_ancestor(commit, &there)? {
            return Ok(Published::AlreadyDone);
        }
        if there != *expected {
            return Ok(Published::Moved(there));
        }
        let end = self.push(Some(commit), base, Some(expected));
        let there = self.bring_remote(base)?;
        let holds = there
            .as_ref()
            .map_or(Ok(false), |there| self.is_ancestor(commit, there))?;
        match (end, there) {
            _ if holds => Ok(Published::Done),
            (Err(error), _) => Err(error),
            (Ok(PushEnd::Refused(why)), _) => Ok(Published::Refused(why)),
            (Ok(_), Some(there)) if there != *expected => Ok(Published::Moved(there)),
            (Ok(end), _) => Ok(Published::Unknown(end.unseen(base))),
        }
    }

    /// Sets a branch of the remote to a commit, or deletes it, if it stands at `expected` (none: does not exist).
    pub(super) fn push(
        &self,
        commit: Option<&CommitId>,
        branch: &BranchName,
        expected: Option<&CommitId>,
    ) -> Result<PushEnd, GitError> {
        let call = self.over_network(format!("push {branch}"))?;
        let call = call.args([
            "push",
            "--porcelain",
            "--no-verify",
            "--no-follow-tags",
            "--no-signed",
            "--no-thin",
        ]);
        let call = call.args(["--recurse-submodules=no", "--receive-pack=git-receive-pack"]);
        let lease = expected.map_or(String::new(), CommitId::to_string);
        let call = call
            .arg(format!("--force-with-lease={}:{lease}", branch.full()))
            .args(["--end-of-options", "origin"]);
        let source = commit.map_or(String::new(), CommitId::to_string);
        let output = self.in_turn(call.arg(format!("{source}:{}", branch.full())))?;
        if output.code == Some(0) {
            return Ok(PushEnd::Taken);
        }
        let said = String::from_utf8_lossy(&output.stdout);
        let Some(refusal) = said.lines().find_map(|line| line.strip_prefix("!\t")) else {
            return Err(GitError::Unreachable {
                what: format!("push {branch}"),
                why: plain::reason(&output),
            });
        };
        let is_remote = refusal.contains("[remote rejected]") || refusal.contains("[no match]");
        if is_remote && !refusal.contains("failed to update ref") && !refusal.contains("cannot lock ref") {
            return Ok(PushEnd::Refused(plain::one_line(&format!(
                "{refusal}; {}",
                plain::reason(&output)
            ))));
        }
        Ok(PushEnd::Outrun(plain::one_line(&format!(
            "{refusal}; {}",
            plain::reason(&output)
        ))))
    }
}
