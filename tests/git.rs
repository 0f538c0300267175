//! Tests of the git adapter with real git in temporary folders.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what cannot be set up is a failed test"
)]

#[path = "support/git_fixture.rs"]
mod git_fixture;

#[path = "git/attic.rs"]
mod attic;
#[path = "git/crash.rs"]
mod crash;
#[path = "git/deliver.rs"]
mod deliver;
#[path = "git/delivering.rs"]
mod delivering;
#[path = "git/everything.rs"]
mod everything;
#[path = "git/file_origin.rs"]
mod file_origin;
#[cfg(unix)]
#[path = "git/filters.rs"]
mod filters;
#[path = "git/first_fill.rs"]
mod first_fill;
#[path = "git/hostile.rs"]
mod hostile;
#[path = "git/integrating.rs"]
mod integrating;
#[cfg(target_os = "linux")]
#[path = "git/killed.rs"]
mod killed;
#[cfg(unix)]
#[path = "git/large_files.rs"]
mod large_files;
#[path = "git/malformed.rs"]
mod malformed;
#[path = "git/merging.rs"]
mod merging;
#[path = "git/nested.rs"]
mod nested;
#[cfg(unix)]
#[path = "git/newest.rs"]
mod newest;
#[cfg(unix)]
#[path = "git/old_reads.rs"]
mod old_reads;
#[path = "git/person_notes.rs"]
mod person_notes;
#[path = "git/remote.rs"]
mod remote;
#[path = "git/repair.rs"]
mod repair;
#[path = "support/script.rs"]
mod script;
#[path = "support/shapes.rs"]
mod shapes;
#[cfg(unix)]
#[path = "git/signing.rs"]
mod signing;
#[cfg(unix)]
#[path = "git/spares.rs"]
mod spares;
#[path = "git/sparse.rs"]
mod sparse;
#[path = "git/start.rs"]
mod start;
#[path = "git/styles.rs"]
mod styles;
#[cfg(unix)]
#[path = "git/thrift.rs"]
mod thrift;
#[path = "git/upkeep.rs"]
mod upkeep;
#[path = "git/without_remote.rs"]
mod without_remote;
#[path = "git/worktrees.rs"]
mod worktrees;

use dbs::adapters::git::{GitCli, GitLimits, GitSetup};
use dbs::domain::MergeStyle;
use dbs::ports::git::{
    AtticOwner, BranchName, CommitId, Git, MergeRequest, RemoteBase, Revision, SafeName, Signature, Worktree,
    WorktreeKind, WorktreeSpec,
};
use std::time::Duration;

use git_fixture::GitFixture;

pub(crate) fn open(fixture: &GitFixture) -> GitCli {
    GitCli::open(&setup(fixture)).unwrap()
}

pub(crate) fn setup(fixture: &GitFixture) -> GitSetup {
    let mut setup = GitSetup::new(fixture.project(), fixture.environment());
    setup.limits = GitLimits {
        local: Duration::from_mins(1),
        ask: Duration::from_secs(20),
        transfer: Duration::from_mins(1),
        ..GitLimits::default()
    };
    setup
}

pub(crate) fn branch(name: &str) -> BranchName {
    BranchName::new(name).unwrap()
}

/// Returns a base branch as the remote has it now.
pub(crate) fn base(git: &GitCli, name: &str) -> RemoteBase {
    RemoteBase::new(branch(name), git.resolve(&Revision::RemoteBranch(branch(name))))
}

pub(crate) fn name(name: &str) -> SafeName {
    SafeName::new(name).unwrap()
}

pub(crate) fn id(text: &str) -> CommitId {
    CommitId::new(text).unwrap()
}

pub(crate) fn signature() -> Signature {
    Signature {
        name: "Engine".to_owned(),
        email: "engine@example.org".to_owned(),
        seconds: 1_700_000_100,
    }
}

pub(crate) fn saver(task: &str) -> AtticOwner {
    AtticOwner {
        task: name(task),
        signature: signature(),
    }
}

pub(crate) fn spec(folder: &str, kind: WorktreeKind) -> WorktreeSpec {
    WorktreeSpec {
        folder: name(folder),
        kind,
        ended_folders: Vec::new(),
        attic_owner: saver("t1"),
    }
}

pub(crate) fn on_branch(task: &str) -> WorktreeKind {
    WorktreeKind::Branch {
        branch: branch(&format!("feature/{task}")),
        base: branch("main"),
        resume: None,
    }
}

/// Makes a worktree `a` on `feature/t1` with one commit of `work.txt`.
pub(crate) fn developed(fixture: &GitFixture, git: &GitCli) -> (Worktree, CommitId) {
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    let commit = fixture.commit(&worktree.path, "work.txt", "work\n", "Work");
    (worktree, id(&commit))
}

pub(crate) fn merge_of(head: &CommitId) -> MergeRequest {
    MergeRequest {
        task: name("t1"),
        attempt: name("17"),
        start: "Merge feature/t1:".to_owned(),
        title: "Add the work".to_owned(),
        message: None,
        style: MergeStyle::Merge,
        head: head.clone(),
        branch: branch("feature/t1"),
        base: branch("main"),
        edits: None,
        reviewed: None,
        signature: signature(),
    }
}

/// Returns the text of a file in a commit of the control repository.
pub(crate) fn file_at(fixture: &GitFixture, commit: &CommitId, path: &str) -> String {
    let control = fixture.state().join("control.git");
    fixture.git(&control, &["show", &format!("{commit}:{path}")])
}
