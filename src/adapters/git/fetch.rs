//! Bringing commits into the control repository, from the project and from the remote. Every commit brought is pinned under
//! `refs/dbs/pin/<id>` or `refs/dbs/remote/<id>`, so that no rewriting elsewhere takes it away.

use std::ffi::OsString;

use super::cli::GitCli;
use super::command::{GitCommand, GitOutput};
use super::error_text;
use super::files::missing;
use super::malformed;
use super::refs::PinKind;
use crate::domain::TroubleKind;
use crate::ports::git::{BranchName, CommitId, GitError};

/// Number of tries for a branch that moves between asking and fetching.
const N_TRIES: usize = 3;

/// Fetch of exactly the refs named after it: no tags, no submodules, nothing else written or started, and the other side's own program
/// whatever a configuration says.
const FETCH: &str = "fetch --quiet --no-tags --no-write-fetch-head --no-recurse-submodules --no-auto-maintenance \
                     --upload-pack=git-upload-pack --end-of-options";

impl GitCli {
    /// Brings commits of the control repository into the project's.
    pub(super) fn export_to_project(&self, refspecs: &[&str]) -> Result<(), GitError> {
        self.export_command(refspecs).run_ok().map(drop)
    }

    /// The control repository is given a name made up for this call, which no planted `remote.*` or `url.*` can know.
    pub(super) fn export_command(&self, refspecs: &[&str]) -> GitCommand {
        let named = refspecs.join(" and ");
        let word = format!("{}:", self.unique_name("dbs-control"));
        let mut key = OsString::from("url.");
        key.push(&self.control.path);
        key.push(".insteadOf");
        let call = self.in_project(format!("hand {named} over to the project"));
        let call = call.setting(key, &word);
        call.words(FETCH).arg(word).args(refspecs)
    }

    /// Imports from the project a commit that the remote has, too. If that fails, the commit is fetched from the remote.
    pub(super) fn import_pushed(&self, commit: &CommitId) {
        if !self.is_pinned(PinKind::Remote, commit) {
            drop(self.import_pinned(commit, &[PinKind::Pin, PinKind::Remote]));
        }
    }

    /// Returns true if the control repository holds a commit with everything below it. A fetch that was cut off leaves commits without
    /// their files, so only commits that a ref reaches count: git sets refs when everything is there.
    pub(super) fn has(&self, commit: &CommitId) -> Result<bool, GitError> {
        if self.is_pinned(PinKind::Pin, commit) || self.is_pinned(PinKind::Remote, commit) {
            return Ok(true);
        }
        let look = || self.in_control(format!("look for commit {commit}"));
        Ok(is_there(look()?, commit)? && look()?.reaches(commit, "refs/dbs/")?)
    }

    /// Imports a commit that is known to exist in the project: one that no ref names here is most likely new.
    pub(super) fn import_known(&self, commit: CommitId) -> Result<CommitId, GitError> {
        if self.is_pinned(PinKind::Pin, &commit) || self.is_pinned(PinKind::Remote, &commit) {
            return Ok(commit);
        }
        match self.import_pinned(&commit, &[PinKind::Pin]) {
            Err(error) if !self.has(&commit)? => Err(error),
            Ok(()) | Err(_) => Ok(commit),
        }
    }

    /// Brings a commit from wherever it is; false: neither the project nor the remote has it.
    pub(super) fn import_commit(&self, commit: &CommitId) -> Result<bool, GitError> {
        if self.has(commit)? {
            return Ok(true);
        }
        if is_there(self.in_project(format!("look for commit {commit}")), commit)? {
            self.import_pinned(commit, &[PinKind::Pin])?;
            return Ok(true);
        }
        let fetched = self.try_fetch("origin", &[kept(PinKind::Pin, commit)])?;
        if is_denial(&fetched) {
            return Ok(false);
        }
        fetched.ok().map(|_| true)
    }

    /// Head of a branch of the remote, with its commits. None: the remote has no such branch.
    pub(super) fn import_remote(&self, branch: &BranchName) -> Result<Option<CommitId>, GitError> {
        let asked = self.remote_branch_head(branch)?;
        self.import_remote_at(branch, asked)
    }

    /// The same, after the remote was asked.
    pub(super) fn import_remote_at(
        &self,
        branch: &BranchName,
        mut asked: Option<CommitId>,
    ) -> Result<Option<CommitId>, GitError> {
        for _ in 0..N_TRIES {
            let Some(commit) = asked else { return Ok(None) };
            let fetched = self.fetch_pinned(&commit);
            if fetched.is_ok() {
                return Ok(Some(commit));
            }
            asked = self.remote_branch_head(branch)?;
            if asked.as_ref() == Some(&commit) {
                return fetched.map(|()| Some(commit));
            }
        }
        Err(GitError::Unreachable {
            kind: TroubleKind::Other,
            what: format!("fetch branch {branch} of {}", self.remote.name()),
            why: "it moved each time it was asked for".to_owned(),
        })
    }

    /// Fetches a commit the remote just named; the ref that keeps it is set by git when all of it is there.
    pub(super) fn fetch_pinned(&self, commit: &CommitId) -> Result<(), GitError> {
        if self.is_pinned(PinKind::Remote, commit) {
            return Ok(());
        }
        if self.has(commit)? {
            return self.pin(PinKind::Remote, commit);
        }
        if !self.control.path.join("refs/dbs/remote").exists() {
            return self.fetch_first(commit);
        }
        self.fetch_checked("origin", commit, &[kept(PinKind::Remote, commit)])
    }

    /// Brings the base as it is, which is the first thing that is brought. What the person's repository has comes from there.
    fn fetch_first(&self, commit: &CommitId) -> Result<(), GitError> {
        let project = self.project.common.to_string_lossy().into_owned();
        let refspecs = [kept(PinKind::Remote, commit)];
        if is_there(self.in_project(format!("look for commit {commit}")), commit)?
            && self.fetch(&project, &refspecs).is_ok()
            && self.is_pinned(PinKind::Remote, commit)
        {
            return Ok(());
        }
        // With a commit that both sides have, the remote sends only what is newer.
        if let Some(newest) = self.newest_tracked()? {
            drop(self.fetch(&project, &[kept(PinKind::Pin, &newest)]));
        }
        self.fetch("origin", &refspecs)
    }

    /// Returns the newest commit that the project knows of the remote.
    fn newest_tracked(&self) -> Result<Option<CommitId>, GitError> {
        let call = self.in_project("look for the newest commit of the remote");
        let call = call.words("for-each-ref --sort=-committerdate --count=1 --format=%(objectname)");
        let call = call.arg(format!("refs/remotes/{}/", self.remote.name()));
        Ok(CommitId::new(&call.run_line()?).ok())
    }

    /// Keeps a commit for good.
    pub(super) fn pin(&self, class: PinKind, commit: &CommitId) -> Result<(), GitError> {
        if self.is_pinned(class, commit) {
            return Ok(());
        }
        self.set_control_ref(&class.ref_name(commit), commit)
    }

    /// Sets a ref of the control repository.
    pub(super) fn set_control_ref(&self, name: &str, commit: &CommitId) -> Result<(), GitError> {
        let call = self.in_control(format!("set {name} to {commit}"))?;
        let call = call.words("update-ref --end-of-options").arg(name);
        self.run_in_control_lock(call.arg(commit.as_str()))?
            .ok()
            .map(drop)
    }

    /// Brings a commit out of the project and keeps it under all those classes.
    pub(super) fn import_pinned(&self, commit: &CommitId, classes: &[PinKind]) -> Result<(), GitError> {
        let from = self.project.common.to_string_lossy().into_owned();
        let refspecs: Vec<String> = classes.iter().map(|class| kept(*class, commit)).collect();
        self.fetch_checked(&from, commit, &refspecs)?;
        // Git leaves out what stands on a commit whose parents are not there, and says nothing.
        if classes.iter().all(|class| self.is_pinned(*class, commit)) {
            return Ok(());
        }
        let what = format!("the history of commit {commit}");
        Err(missing(
            what,
            "this repository is a shallow clone: run `git fetch --unshallow`",
        ))
    }

    /// Brings a commit from another repository and keeps it; false: that does not have it.
    pub(super) fn import_from(&self, from: &str, commit: &CommitId) -> Result<bool, GitError> {
        let call = self.fetch_command(from, &[kept(PinKind::Pin, commit)])?;
        let output = self.run_in_control_lock(call)?;
        if is_denial(&output) {
            return Ok(false);
        }
        output.ok()?;
        // Of a shallow repository git brings nothing, and says nothing.
        Ok(self.is_pinned(PinKind::Pin, commit))
    }

    /// Fetches with a check of the objects. Commits that the check refuses are fetched without it and noted.
    fn fetch_checked(&self, from: &str, commit: &CommitId, refspecs: &[String]) -> Result<(), GitError> {
        let call = self.fetch_command(from, refspecs)?.config(malformed::CHECK);
        let output = self.run_in_control_lock(call)?;
        match malformed::refusal(&output) {
            Some(why) => {
                self.note_malformed(commit, &why)?;
                self.fetch(from, refspecs)
            }
            None => output.ok().map(drop),
        }
    }

    pub(super) fn fetch(&self, from: &str, refspecs: &[String]) -> Result<(), GitError> {
        self.try_fetch(from, refspecs)?.ok().map(drop)
    }

    /// A fetch that ended, well or not.
    fn try_fetch(&self, from: &str, refspecs: &[String]) -> Result<GitOutput, GitError> {
        self.run_in_control_lock(self.fetch_command(from, refspecs)?)
    }

    fn fetch_command(&self, from: &str, refspecs: &[String]) -> Result<GitCommand, GitError> {
        let from_whom = error_text::redact(from);
        let call = self.over_network(format!("fetch {} from {from_whom}", refspecs.join(" and ")))?;
        Ok(call.words(FETCH).arg(from).args(refspecs))
    }
}

/// Returns true if a repository has the object of a commit, with or without the objects below it.
pub(super) fn is_there(call: GitCommand, commit: &CommitId) -> Result<bool, GitError> {
    let call = call.words("cat-file -e").arg(format!("{commit}^{{commit}}"));
    Ok(call.run()?.code == Some(0))
}

/// Returns true if a remote clearly answered that it does not have a commit; everything else is not an answer (LK-56).
pub(super) fn is_denial(output: &GitOutput) -> bool {
    let why = error_text::reason(output);
    output.code != Some(0) && (why.contains("not our ref") || why.contains(" not valid"))
}

/// Options by which a fetch keeps a commit.
fn kept(class: PinKind, commit: &CommitId) -> String {
    format!("{commit}:{}", class.ref_name(commit))
}
