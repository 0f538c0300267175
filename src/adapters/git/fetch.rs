//! Bringing commits into the control repository, from the project and from the remote, and asking where heads are.
//! Every commit brought is pinned under `refs/dbs/pin/<id>` or `refs/dbs/remote/<id>`, so that no rewriting elsewhere takes it away.

use super::call::{Realm, failure};
use super::cli::GitCli;
use super::parse;
use super::process::Output;
use crate::ports::git::{BranchName, CommitId, DefaultBranch, GitError, Revision};

/// How often a branch may move between asking and fetching before giving up.
const N_TRIES: usize = 3;

/// A fetch of exactly what is named behind it: no tags, no submodules, nothing written or started besides, and the other side's
/// own program whatever a configuration says.
pub(super) const FETCH: [&str; 8] = [
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    "--no-auto-maintenance",
    "--upload-pack=git-upload-pack",
    "--end-of-options",
];

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

    /// Asks the remote where a branch is. Nothing is fetched.
    pub(super) fn ask_remote(&self, branch: &BranchName) -> Result<Option<CommitId>, GitError> {
        let call = self
            .over_network(format!("ask origin for branch {branch}"))?
            .timeout(self.program.limits.ask);
        let output = call.args([
            "ls-remote",
            "--quiet",
            "--upload-pack=git-upload-pack",
            "--",
            "origin",
        ]);
        let output = output.arg(branch.full()).ok()?;
        Ok(parse::refs(&output.stdout)
            .into_iter()
            .find(|(_, name)| *name == branch.full())
            .map(|(id, _)| id))
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

    /// Whether the control repository holds a commit with everything below it. A fetch that was cut off leaves commits
    /// without their files, so only what a ref reaches counts: git sets refs when all is there.
    pub(super) fn has(&self, commit: &CommitId) -> Result<bool, GitError> {
        let look = || self.in_control(format!("look for commit {commit}"));
        let pins = ["pin", "remote"].map(|class| format!("refs/dbs/{class}/{commit}"));
        let pinned = look()?
            .args(["for-each-ref", "--count=1", "--format=%(refname)", "--"])
            .args(pins);
        if !pinned.line()?.is_empty() {
            return Ok(true);
        }
        if look()?
            .args(["cat-file", "-e"])
            .arg(format!("{commit}^{{commit}}"))
            .run()?
            .code
            != Some(0)
        {
            return Ok(false);
        }
        let reached = look()?.args([
            "for-each-ref",
            "--count=1",
            "--contains",
            commit.as_str(),
            "refs/dbs/",
        ]);
        Ok(!reached.line()?.is_empty())
    }

    /// Brings a commit that is known to exist in the project.
    pub(super) fn bring_known(&self, commit: CommitId) -> Result<CommitId, GitError> {
        if !self.has(&commit)? {
            self.import(&commit)?;
        }
        Ok(commit)
    }

    /// Brings a commit from wherever it is; false: neither the project nor the remote has it.
    pub(super) fn bring(&self, commit: &CommitId) -> Result<bool, GitError> {
        if self.has(commit)? {
            return Ok(true);
        }
        let here = self
            .in_project(format!("look for commit {commit}"))
            .args(["cat-file", "-e"]);
        if here.arg(format!("{commit}^{{commit}}")).run()?.code == Some(0) {
            self.import(commit)?;
            return Ok(true);
        }
        match self.fetch("origin", &format!("{commit}:{}", pin(commit))) {
            Ok(()) => Ok(true),
            Err(GitError::Unreachable { why, .. }) if is_denial(&why) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Head of a branch of the remote, with its commits. None: the remote has no such branch.
    pub(super) fn bring_remote(&self, branch: &BranchName) -> Result<Option<CommitId>, GitError> {
        let mut asked = self.ask_remote(branch)?;
        for _ in 0..N_TRIES {
            let Some(commit) = asked else { return Ok(None) };
            let fetched = self.fetch_seen(&commit);
            if fetched.is_ok() {
                return Ok(Some(commit));
            }
            asked = self.ask_remote(branch)?;
            if asked.as_ref() == Some(&commit) {
                return fetched.map(|()| Some(commit));
            }
        }
        Err(GitError::Unreachable {
            what: format!("fetch branch {branch} of origin"),
            why: "it moved each time it was asked for".to_owned(),
        })
    }

    /// Fetches a commit the remote just named; the ref that keeps it is set by git when all of it is there.
    fn fetch_seen(&self, commit: &CommitId) -> Result<(), GitError> {
        if self.has(commit)? {
            return self.pin("remote", commit);
        }
        self.fetch("origin", &format!("{commit}:refs/dbs/remote/{commit}"))
    }

    /// Keeps a commit for good under `refs/dbs/<class>/`: `remote` for commits seen there, `pin` for others.
    pub(super) fn pin(&self, class: &str, commit: &CommitId) -> Result<(), GitError> {
        let what = format!("pin commit {commit}");
        let call = self
            .in_control(what.clone())?
            .args(["update-ref", "--end-of-options"]);
        let call = call
            .arg(format!("refs/dbs/{class}/{commit}"))
            .arg(commit.as_str());
        success(what, Realm::Control, &self.in_turn(call)?)
    }

    fn import(&self, commit: &CommitId) -> Result<(), GitError> {
        let from = self.project.common.to_string_lossy().into_owned();
        self.fetch(&from, &format!("{commit}:{}", pin(commit)))
    }

    fn fetch(&self, from: &str, refspec: &str) -> Result<(), GitError> {
        let what = format!("fetch {refspec} from {}", super::plain::redact(from));
        let call = self.over_network(what.clone())?;
        let output = self.in_turn(call.args(FETCH).arg(from).arg(refspec))?;
        success(what, Realm::Network, &output)
    }
}

fn success(what: String, realm: Realm, output: &Output) -> Result<(), GitError> {
    if output.code == Some(0) {
        Ok(())
    } else {
        Err(failure(what, realm, output))
    }
}

/// Whether a remote positively said that it does not have a commit; everything else is no answer (LK-56).
fn is_denial(why: &str) -> bool {
    why.contains("not our ref") || why.contains(" not valid")
}

/// Where a commit is pinned in the control repository.
pub(super) fn pin(commit: &CommitId) -> String {
    format!("refs/dbs/pin/{commit}")
}
