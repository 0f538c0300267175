//! Refs read from their files, because starting git costs much more. Only a clear answer is taken from a file; if a file is missing or
//! looks odd, git is asked. Must never write.

use std::path::Path;

use memchr::memmem;

use super::cli::GitCli;
use crate::adapters::text_file;
use crate::ports::git::{BranchName, CommitId, GitError};

/// Maximum length of a file that can be a ref: an id and the end of its line, or a name.
const REF_LIMIT: u64 = 512;
/// Maximum size of the list of packed refs that is looked through.
const PACKED_LIMIT: u64 = 64 * 1024 * 1024;

/// Reason for which the control repository keeps a commit: it was worked with or seen on the remote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PinKind {
    Pin,
    Remote,
}

impl PinKind {
    /// The ref that keeps a commit. It is never moved and never deleted.
    pub(super) fn ref_name(self, commit: &CommitId) -> String {
        match self {
            PinKind::Pin => format!("refs/dbs/pin/{commit}"),
            PinKind::Remote => format!("refs/dbs/remote/{commit}"),
        }
    }
}

impl GitCli {
    /// Returns true if the control repository keeps a commit for that reason, with everything below it: git sets a ref when everything is
    /// there. False: no file says so.
    pub(super) fn is_pinned(&self, class: PinKind, commit: &CommitId) -> bool {
        let name = class.ref_name(commit);
        at(&self.control.path.join(&name)).as_ref() == Some(commit)
            || is_packed(&self.control.path, &name, commit)
    }

    /// Returns false if files say that the control repository has no ref below a name, which ends in `/`. True: perhaps.
    pub(super) fn has_refs_below(&self, name: &str) -> bool {
        let packed = self.control.path.join("packed-refs");
        self.control.path.join(name).is_dir()
            || packed.exists()
                && text_file::read(&packed, PACKED_LIMIT).map_or(true, |text| {
                    memmem::find(&text, format!(" {name}").as_bytes()).is_some()
                })
    }

    /// Returns the commit of a ref of the control repository, if the ref exists.
    pub(super) fn control_ref(&self, name: &str) -> Result<Option<CommitId>, GitError> {
        if let Some(commit) = at(&self.control.path.join(name)) {
            return Ok(Some(commit));
        }
        let found = self.in_control(format!("read {name}"))?.list_refs(name)?;
        let mut found = found.into_iter();
        Ok(found.find_map(|(id, other)| (other == name).then_some(id)))
    }

    /// Returns the commit of a local branch of the project, if a file gives it. None: git has to be asked.
    pub(super) fn branch_at(&self, branch: &BranchName) -> Option<CommitId> {
        // There a file answers to names that are not its own.
        let is_exact = !self.project.has("core.ignorecase=true");
        let file = self.project.common.join(branch.full());
        is_exact.then(|| at(&file)).flatten()
    }

    /// Returns the name of the project's copy of a branch of the remote.
    pub(super) fn tracking_name(&self, branch: &BranchName) -> String {
        format!("refs/remotes/{}/{branch}", self.remote.name())
    }

    /// Returns the commit of the project's copy of a branch, to see whether it moves. None: it has not moved since it was packed, or there is
    /// none.
    pub(super) fn tracked(&self, name: &str) -> Result<Option<CommitId>, GitError> {
        if !self.project.common.join("reftable").is_dir() {
            return Ok(at(&self.project.common.join(name)));
        }
        let found = self.in_project(format!("read {name}")).list_refs(name)?;
        let mut found = found.into_iter();
        Ok(found.find_map(|(id, other)| (other == name).then_some(id)))
    }

    /// Returns the commit that is checked out in the place of that git folder, if files give it. None: git has to be asked.
    pub(super) fn checked_out_at(&self, git_dir: &Path) -> Option<CommitId> {
        let text = small_file(&git_dir.join("HEAD"))?;
        match branch_in(&text) {
            Some(branch) => self.branch_at(&branch),
            None => CommitId::new(&text).ok(),
        }
    }

    /// The branch the main checkout is on, if files say that it has a commit. None: to be asked of git.
    pub(super) fn branch_checked_out(&self) -> Option<BranchName> {
        let branch = branch_in(&small_file(&self.project.git_dir.join("HEAD"))?)?;
        self.branch_at(&branch).map(|_| branch)
    }
}

fn branch_in(head: &str) -> Option<BranchName> {
    BranchName::new(head.strip_prefix("ref: refs/heads/")?).ok()
}

fn at(file: &Path) -> Option<CommitId> {
    CommitId::new(&small_file(file)?).ok()
}

fn small_file(file: &Path) -> Option<String> {
    let found = file.symlink_metadata().ok()?;
    let text =
        (found.is_file() && found.len() <= REF_LIMIT).then(|| text_file::read_text(file, REF_LIMIT).ok());
    Some(text??.strip_suffix('\n')?.to_owned())
}

/// Looked at after the file of the ref itself, as git does, which packs in the other order.
fn is_packed(repository: &Path, name: &str, commit: &CommitId) -> bool {
    let file = repository.join("packed-refs");
    let is_readable = file
        .symlink_metadata()
        .is_ok_and(|found| found.is_file() && found.len() <= PACKED_LIMIT);
    let line = format!("\n{commit} {name}\n");
    is_readable
        && text_file::read(&file, PACKED_LIMIT)
            .is_ok_and(|text| memmem::find(&text, line.as_bytes()).is_some())
}
