//! Pushing branches and merges from the control repository. What counts is what the remote says when asked again
//! afterwards, not how the push ended (LK-11, LK-12, B3-20).

use memchr::memmem;

use super::cli::GitCli;
use super::error_text;
use super::files::missing;
use crate::domain::{Cause, TroubleKind};
use crate::ports::git::{
    BranchName, CommitId, GitError, PublishOutcome, PublishRequest, PushOutcome, Revision,
};

/// What git says of a hook or a helper that a signal has ended.
const KILLED: &[u8] = b"died of signal";

/// How git reported the end of a push: accepted, outdated or refused.
pub(super) enum PushReply {
    /// The remote took it, or had it.
    Accepted,
    /// The remote is not where it was expected, or somebody else is changing it.
    Stale(String),
    Refused(String),
}

impl PushReply {
    /// Why a remote that shows no change gives no answer.
    pub(super) fn unconfirmed(&self, branch: &BranchName) -> Cause {
        match self {
            Self::Accepted => TroubleKind::Other.cause(format!("push {branch}: the remote does not show it")),
            Self::Stale(why) => TroubleKind::Lock.cause(format!("push {branch}: {why}")),
            Self::Refused(why) => TroubleKind::Other.cause(format!("push {branch}: {why}")),
        }
    }
}

impl GitCli {
    pub(super) fn push_local(
        &self,
        branch: &BranchName,
        replaces: Option<&CommitId>,
    ) -> Result<PushOutcome, GitError> {
        let Some(local) = self.local_head(branch)? else {
            return Ok(PushOutcome::NoBranch);
        };
        self.import_known(local.clone())?;
        let remote = self.import_remote(branch)?;
        match &remote {
            Some(there) if *there == local => return Ok(PushOutcome::AlreadyThere(local)),
            Some(there) if replaces != Some(there) && !self.is_ancestor(there, &local)? => {
                let remote = there.clone();
                return Ok(PushOutcome::Diverged { local, remote });
            }
            Some(_) | None => {}
        }
        let end = self.push(Some(&local), branch, remote.as_ref());
        // A push that broke off may have arrived.
        let there = self.remote_branch_head(branch)?;
        match (there, end) {
            (Some(there), _) if there == local => Ok(PushOutcome::Pushed(local)),
            (_, Err(error)) => Err(error),
            (_, Ok(PushReply::Refused(why))) => Ok(PushOutcome::Refused(why)),
            (Some(there), Ok(_)) if Some(&there) != remote.as_ref() => {
                Ok(PushOutcome::Diverged { local, remote: there })
            }
            (_, Ok(end)) => Ok(PushOutcome::Unknown(end.unconfirmed(branch))),
        }
    }

    /// Makes a branch of the remote where another one stands; false where it is there already.
    pub(super) fn push_new(&self, branch: &BranchName, from: &BranchName) -> Result<bool, GitError> {
        let wanted = [branch, from].map(|name| Revision::RemoteBranch(name.clone()));
        let [there, start] = self.resolve_each(&wanted)?;
        if there.is_some() {
            return Ok(false);
        }
        let start = start.ok_or_else(|| missing_on_origin(from))?;
        let end = self.push(Some(&start), branch, None);
        // A push that broke off may have arrived, and somebody else may have made it meanwhile.
        if self.remote_branch_head(branch)?.is_some() {
            return Ok(true);
        }
        let what = format!("make branch {branch} on origin");
        Err(match end? {
            PushReply::Refused(why) => GitError::Failed {
                kind: TroubleKind::Refusal,
                what,
                why,
            },
            end => {
                let why = end.unconfirmed(branch);
                GitError::Unreachable {
                    kind: why.kind,
                    what,
                    why: why.text,
                }
            }
        })
    }

    pub(super) fn push_merge(&self, publication: &PublishRequest) -> Result<PublishOutcome, GitError> {
        let PublishRequest {
            commit,
            base,
            expected,
        } = publication;
        let Some(there) = self.import_remote(base)? else {
            return Ok(PublishOutcome::Refused(format!("origin has no branch {base}")));
        };
        if !self.has(commit)? || !self.is_ancestor(expected, commit)? {
            let why = format!("{commit} does not build on {expected}");
            return Ok(PublishOutcome::Refused(why));
        }
        if self.is_ancestor(commit, &there)? {
            return Ok(PublishOutcome::AlreadyDone);
        }
        if there != *expected {
            return Ok(PublishOutcome::Moved(there));
        }
        let end = self.push(Some(commit), base, Some(expected));
        let there = self.import_remote(base)?;
        let holds = there
            .as_ref()
            .map_or(Ok(false), |there| self.is_ancestor(commit, there))?;
        match (end, there) {
            _ if holds => Ok(PublishOutcome::Done),
            (Err(error), _) => Err(error),
            (Ok(PushReply::Refused(why)), _) => Ok(PublishOutcome::Refused(why)),
            (Ok(_), Some(there)) if there != *expected => Ok(PublishOutcome::Moved(there)),
            (Ok(end), _) => Ok(PublishOutcome::Unknown(end.unconfirmed(base))),
        }
    }

    /// Sets a branch of the remote to a commit, or deletes it, if it stands at `expected` (none: does not exist).
    pub(super) fn push(
        &self,
        commit: Option<&CommitId>,
        branch: &BranchName,
        expected: Option<&CommitId>,
    ) -> Result<PushReply, GitError> {
        let call = self.over_network(format!("push {branch}"))?;
        let call = call.words("push --porcelain --no-verify --no-follow-tags --no-signed --no-thin");
        let call = call.words("--recurse-submodules=no --receive-pack=git-receive-pack");
        let lease = expected.map_or(String::new(), CommitId::to_string);
        let call = call.arg(format!("--force-with-lease={}:{lease}", branch.full()));
        let call = call.words("--end-of-options origin");
        let source = commit.map_or(String::new(), CommitId::to_string);
        let output = self.run_in_control_lock(call.arg(format!("{source}:{}", branch.full())))?;
        if output.code == Some(0) {
            return Ok(PushReply::Accepted);
        }
        let (report, why) = (output.text(), error_text::reason(&output));
        let Some(refusal) = report.lines().find_map(|line| line.strip_prefix("!\t")) else {
            return Err(output.failure());
        };
        let is_remote = refusal.contains("[remote rejected]") || refusal.contains("[no match]");
        let is_locked = refusal.contains("failed to update ref") || refusal.contains("cannot lock ref");
        // A program of the remote that was killed, or had no room, has judged nothing: the work is not to be done again for that.
        let is_broken = refusal.contains("unpacker error") || memmem::find(&output.stderr, KILLED).is_some();
        let why = error_text::one_line(&format!("{refusal}; {why}"));
        Ok(if is_remote && !is_locked && !is_broken {
            PushReply::Refused(why)
        } else {
            PushReply::Stale(why)
        })
    }
}

/// The error for a base branch that the remote does not have.
pub(super) fn missing_on_origin(branch: &BranchName) -> GitError {
    let hint = format!("push it first with `git push origin {branch}`");
    missing(format!("branch {branch} on origin"), hint)
}
