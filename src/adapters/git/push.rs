//! Pushes of branches and merges from the control repository. The state of the remote when asked again afterwards counts, not the result of
//! the push (LK-11, LK-12, B3-20).

use memchr::memmem;

use super::cli::GitCli;
use super::discovery::is_on_this_machine;
use super::error_text;
use super::process::ProcessOutput;
use super::program_keys::{HOOK_EVENTS, hook_off};
use super::refusal;
use crate::domain::{Cause, TroubleKind};
use crate::ports::git::{
    BranchName, CommitId, GitError, PublishOutcome, PublishRequest, PushOutcome, Revision,
};

/// Message of git about a hook or a helper that a signal has ended.
const KILLED: &[u8] = b"died of signal";

/// Messages of the git of a remote when another process is changing the branch, or has just changed it. The last three are of git 2.50 and
/// newer.
const LOST_RACES: [&str; 5] = [
    "failed to update ref",
    "cannot lock ref",
    "incorrect old value",
    "reference already exists",
    "reference does not exist",
];

/// Result of a push as git reported it: accepted, outdated or refused.
pub(super) enum PushReply {
    /// Push that the remote took, or commit that it had.
    Accepted,
    /// Push to a remote that is not at the expected commit, or whose branch another process is changing.
    Stale(String),
    Refused(String),
}

impl PushReply {
    /// Returns the reason why a remote that shows no change gives no answer.
    pub(super) fn unconfirmed(&self, branch: &BranchName) -> Cause {
        match self {
            Self::Accepted => TroubleKind::Other.cause(format!("push {branch}: the remote does not show it")),
            Self::Stale(why) => TroubleKind::Lock.cause(format!("push {branch}: {why}")),
            Self::Refused(why) => TroubleKind::Other.cause(format!("push {branch}: {why}")),
        }
    }
}

/// State on the remote that a push may replace.
#[derive(Clone, Copy)]
pub(super) enum PushLease<'a> {
    /// Nothing: the commit there must be part of the pushed one.
    Nothing,
    /// Branch at this commit; none: a branch that does not exist.
    At(Option<&'a CommitId>),
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
        let mut end = self.push(Some(&local), branch, PushLease::Nothing);
        // A push that broke off may have arrived.
        let mut there = self.remote_branch_head(branch)?;
        let is_replaceable = there.is_some() && there.as_ref() == replaces;
        if is_replaceable && matches!(end, Ok(PushReply::Stale(_))) {
            end = self.push(Some(&local), branch, PushLease::At(replaces));
            there = self.remote_branch_head(branch)?;
        }
        match (there, end) {
            (Some(there), _) if there == local => Ok(PushOutcome::Pushed(local)),
            (_, Err(error)) => Err(error),
            (_, Ok(PushReply::Refused(why))) => Ok(PushOutcome::Refused(self.with_secret_named(why, &local))),
            (there, Ok(end)) => match self.import_remote_at(branch, there)? {
                Some(remote) if !self.is_ancestor(&remote, &local)? => {
                    Ok(PushOutcome::Diverged { local, remote })
                }
                Some(_) | None => Ok(PushOutcome::Unknown(end.unconfirmed(branch))),
            },
        }
    }

    /// Makes a branch of the remote at the commit of another one; false where it exists already.
    pub(super) fn push_new(&self, branch: &BranchName, from: &BranchName) -> Result<bool, GitError> {
        let wanted = [branch, from].map(|name| Revision::RemoteBranch(name.clone()));
        let [there, start] = self.resolve_each(&wanted)?;
        if there.is_some() {
            return Ok(false);
        }
        let start = start.ok_or_else(|| self.missing_base(from))?;
        let end = self.push(Some(&start), branch, PushLease::At(None));
        // A push that broke off may have arrived, and another process may have made the branch meanwhile.
        if self.remote_branch_head(branch)?.is_some() {
            return Ok(true);
        }
        let what = format!("make branch {branch} on {}", self.remote.name());
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
        if !self.has(commit)? || !self.has(expected)? || !self.is_ancestor(expected, commit)? {
            let why = format!("{commit} does not build on {expected}");
            return Ok(PublishOutcome::Refused(why));
        }
        self.read_person(base)?;
        self.note_pushed(base, commit)?;
        let end = self.push(Some(commit), base, PushLease::At(Some(expected)));
        let Some(there) = self.import_remote(base)? else {
            return Ok(PublishOutcome::Refused(self.no_branch(base)));
        };
        if self.is_ancestor(commit, &there)? {
            self.bring_to_person(base);
            return Ok(PublishOutcome::Done);
        }
        match end? {
            PushReply::Refused(why) if refusal::is_of_base(&why) => {
                let way = refusal::setting_for(&why);
                let why = way.map_or_else(|| why.clone(), |way| format!("{why}; {way}"));
                Ok(PublishOutcome::Closed(why))
            }
            PushReply::Refused(why) => Ok(PublishOutcome::Refused(self.with_secret_named(why, commit))),
            _ if there != *expected => Ok(PublishOutcome::Moved(there)),
            end => Ok(PublishOutcome::Unknown(end.unconfirmed(base))),
        }
    }

    /// Sets a branch of the remote to a commit, or deletes it.
    pub(super) fn push(
        &self,
        commit: Option<&CommitId>,
        branch: &BranchName,
        lease: PushLease<'_>,
    ) -> Result<PushReply, GitError> {
        if !self.has_remote() {
            return self.set_in_control(commit, branch, lease);
        }
        if let Some(commit) = commit {
            self.send_large_files(commit)?;
        }
        let call = self.over_network(format!("push {branch}"))?;
        let call = call.words("push --porcelain --no-verify --no-follow-tags --no-signed --no-thin");
        let mut call = call.words("--recurse-submodules=no");
        call = call.arg(format!("--receive-pack={}", self.receiver()));
        if let PushLease::At(expected) = lease {
            let expected = expected.map_or(String::new(), CommitId::to_string);
            call = call.arg(format!("--force-with-lease={}:{expected}", branch.full()));
        }
        let call = call.words("--end-of-options origin");
        let source = commit.map_or(String::new(), CommitId::to_string);
        let call = call.arg(format!("{source}:{}", branch.full()));
        // A remote on this machine runs its hooks.
        let output = self.run_in_control_lock(self.program.kept(call))?;
        if output.code == Some(0) {
            return Ok(PushReply::Accepted);
        }
        let is_killed = memmem::find(&output.stderr, KILLED).is_some();
        match rejection(&output, is_killed) {
            Some(reply) => Ok(reply),
            None => Err(output.failure()),
        }
    }
}

impl GitCli {
    /// Returns the program at the other end of a push. On this machine it would read the person's configuration, too, so it gets settings
    /// to run no hooks except those in the folder of the repository it writes to.
    fn receiver(&self) -> String {
        let origin = self.control.origin();
        if !is_on_this_machine(origin.push_url.as_deref().unwrap_or(&origin.url)) {
            return "git-receive-pack".to_owned();
        }
        let set = |setting: String| ["-c".to_owned(), setting];
        let hooks = HOOK_EVENTS.split_whitespace().map(hook_off);
        let settings = std::iter::once("core.hooksPath=hooks".to_owned())
            .chain(hooks)
            .flat_map(set);
        let named = self.hook_keys().into_iter();
        // After the last sign comes a variable of every call that is false.
        let named = named.map(|key| format!("--config-env={}=GIT_TERMINAL_PROMPT", key.to_string_lossy()));
        let words = std::iter::once("git".to_owned()).chain(settings).chain(named);
        shell_words::join(words.chain(["receive-pack".to_owned()]))
    }
}

/// Reads the result for the branch from git's report of a failed push; `None` if the push broke off before there was an answer.
fn rejection(output: &ProcessOutput, is_killed: bool) -> Option<PushReply> {
    let report = output.text();
    let line = report.lines().find_map(|line| line.strip_prefix("!\t"))?;
    let is_remote = line.contains("[remote rejected]") || line.contains("[no match]");
    let is_race = LOST_RACES.iter().any(|words| line.contains(words));
    // A program of the remote that was killed, or had no room, has judged nothing: the work is not to be done again for that.
    let is_broken = line.contains("unpacker error") || is_killed;
    Some(if is_remote && !is_race && !is_broken {
        PushReply::Refused(refusal::sentence(line, output))
    } else {
        let verdict = line.rsplit('\t').next().unwrap_or(line);
        PushReply::Stale(error_text::one_line(&format!(
            "{verdict}; {}",
            error_text::reason(output)
        )))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(report: &str) -> ProcessOutput {
        ProcessOutput {
            code: Some(1),
            stdout: report.as_bytes().to_vec(),
            truncated: false,
            stderr: b"error: failed to push some refs".to_vec(),
        }
    }

    fn reply(line: &str, is_killed: bool) -> PushReply {
        let report = format!("To /srv/origin.git\n!\tHEAD:refs/heads/work\t{line}\nDone\n");
        rejection(&output(&report), is_killed).unwrap()
    }

    #[test]
    fn only_a_remote_that_judged_the_branch_itself_refuses_it() {
        let refused = [
            "[remote rejected] (pre-receive hook declined)",
            "[remote rejected] (protected branch hook declined)",
            "[no match]",
        ];
        for line in refused {
            assert!(
                matches!(reply(line, false), PushReply::Refused(why) if why.contains(line)),
                "{line}"
            );
            assert!(matches!(reply(line, true), PushReply::Stale(_)), "killed: {line}");
        }
        let outrun = [
            "[rejected] (stale info)",
            "[rejected] (fetch first)",
            "[remote rejected] (failed to update ref)",
            "[remote rejected] (cannot lock ref 'refs/heads/work': is at 1 but expected 2)",
            "[remote rejected] (incorrect old value provided)",
            "[remote rejected] (reference already exists)",
            "[remote rejected] (reference does not exist)",
            "[remote rejected] (unpacker error)",
        ];
        for line in outrun {
            assert!(matches!(reply(line, false), PushReply::Stale(_)), "{line}");
        }
        assert!(rejection(&output("To /srv/origin.git\n"), false).is_none());
    }
}
