//! A base that was read before a merge of the engine landed, and that is used after it.

use std::path::{Path, PathBuf};

use dbs::adapters::git::{GitCli, GitSetup, RemoteChoice};
use dbs::ports::git::{
    CommitId, Git as _, GitError, Head, MergeOutcome, MergeRequest, PublishOutcome, PublishRequest, Revision,
};

use crate::git_fixture::GitFixture;
use crate::script::write_script;
use crate::{branch, developed, id, merge_of, on_branch, setup, spec};

/// A project whose base is read too early.
struct EarlyRead {
    fixture: GitFixture,
    setup: GitSetup,
}

impl EarlyRead {
    fn with_remote() -> Self {
        let fixture = GitFixture::new();
        let setup = setup(&fixture);
        Self { fixture, setup }
    }

    fn without_remote(options: &[&str]) -> Self {
        let fixture = GitFixture::unborn_with(options);
        fixture.commit(&fixture.project(), "README.md", "hello\n", "First");
        fixture.git(&fixture.project(), &["remote", "remove", "origin"]);
        let setup = GitSetup {
            remote: RemoteChoice::Control,
            ..setup(&fixture)
        };
        Self { fixture, setup }
    }

    fn each() -> [Self; 3] {
        [
            Self::with_remote(),
            Self::without_remote(&[]),
            Self::without_remote(&["--ref-format=reftable"]),
        ]
    }

    fn open(&self) -> GitCli {
        GitCli::open(&self.setup).unwrap()
    }

    fn has_remote(&self) -> bool {
        self.setup.remote != RemoteChoice::Control
    }

    fn control(&self) -> PathBuf {
        self.fixture.state().join("control.git")
    }

    /// Repository whose base counts.
    fn source(&self) -> PathBuf {
        if self.has_remote() {
            self.fixture.origin()
        } else {
            self.control()
        }
    }

    fn set_base(&self, to: &CommitId) {
        let words = ["update-ref", "refs/heads/main", to.as_str()];
        self.fixture.git(&self.source(), &words);
    }

    fn tracking(&self) -> &'static str {
        if self.has_remote() {
            "refs/remotes/origin/main"
        } else {
            "refs/remotes/dbs/main"
        }
    }

    /// The project's copy of the base.
    fn copy(&self) -> CommitId {
        id(&self
            .fixture
            .git(&self.fixture.project(), &["rev-parse", self.tracking()]))
    }

    /// Returns a git during whose first call with these words a merge lands and the project learns of it.
    fn with_landing(&self, words: &str, merge: &CommitId) -> GitCli {
        let root = self.fixture.root();
        let git = |folder: &Path, words: String| {
            format!(
                "env -i PATH=\"$PATH\" HOME='{}' git -C '{}' {words} || exit 99\n",
                root.join("home").display(),
                folder.display()
            )
        };
        let (control, source) = (self.control(), self.source());
        let at_source = source.display();
        let text = format!(
            "#!/bin/sh\ncase \"$*\" in *'{words}'*)\nif mkdir '{}' 2>/dev/null; then\n{}{}{}fi ;;\nesac\nexec git \"$@\"\n",
            self.landed().display(),
            git(&source, format!("fetch -q '{}' {merge}", control.display())),
            git(&source, format!("update-ref refs/heads/main {merge}")),
            git(
                &self.fixture.project(),
                format!("fetch -q '{at_source}' refs/heads/main:{}", self.tracking())
            ),
        );
        let program = root.join("landing-git");
        write_script(&program, text);
        let mut setup = self.setup.clone();
        setup.program = program.into();
        GitCli::open(&setup).unwrap()
    }

    /// Folder that exists once the merge has landed.
    fn landed(&self) -> PathBuf {
        self.fixture.root().join("landed")
    }
}

fn base_of(git: &GitCli) -> CommitId {
    match git.resolve(&Revision::RemoteBranch(branch("main"))) {
        Head::At(commit) => commit,
        other => panic!("{other:?}"),
    }
}

/// Returns a merge that is ready to be published, and the base that it was made on.
fn merge(git: &GitCli, request: &MergeRequest) -> (CommitId, CommitId) {
    let MergeOutcome::Merged { commit, base, .. } = git.merge(request) else {
        panic!("not merged");
    };
    (commit, base)
}

fn publish(git: &GitCli, (commit, expected): (CommitId, CommitId)) {
    let base = branch("main");
    let publication = PublishRequest {
        commit,
        base,
        expected,
    };
    assert_eq!(git.publish(&publication), PublishOutcome::Done);
}

#[test]
fn a_base_that_was_read_before_a_merge_of_the_engine_is_not_taken_for_one_that_was_set_back() {
    for early in EarlyRead::each() {
        let git = early.open();
        let main = branch("main");
        let before = base_of(&git);
        assert_eq!(git.base_move(&main, &before).unwrap(), None);
        let (_worktree, work) = developed(&early.fixture, &git);
        publish(&git, merge(&git, &merge_of(&work)));
        assert_eq!(git.base_move(&main, &base_of(&git)).unwrap(), None);
        assert_eq!(git.base_move(&main, &before).unwrap(), None);
        // A commit that came after the merge is still found, and no other.
        let after = base_of(&git);
        let words = ["commit-tree", "-p", after.as_str(), "-m", "Elsewhere"];
        let tree = format!("{after}^{{tree}}");
        let control = early.control();
        let who = ["-c", "user.name=Boss", "-c", "user.email=boss@example.org"];
        let foreign = early
            .fixture
            .git(&control, &[&who[..], &words[..], &[tree.as_str()]].concat());
        let source = early.source();
        let fetch = ["fetch", "-q", control.to_str().unwrap(), &foreign];
        early.fixture.git(&source, &fetch);
        early.set_base(&id(&foreign));
        let moved = git.base_move(&main, &before).unwrap().unwrap();
        assert_eq!(
            (moved.to.as_str(), moved.n_commits, moved.n_lost),
            (foreign.as_str(), 1, 0)
        );
        git.note_base(&main, &id(&foreign)).unwrap();
        // A base that was set back is found, too.
        early.set_base(&before);
        let moved = git.base_move(&main, &base_of(&git)).unwrap().unwrap();
        assert_eq!((moved.to.as_str(), moved.n_lost), (before.as_str(), 3));
    }
}

#[test]
fn preparing_a_worktree_never_sets_the_projects_copy_of_the_base_back_to_an_older_one() {
    for early in EarlyRead::each() {
        let git = early.open();
        let (_worktree, work) = developed(&early.fixture, &git);
        let (merged, before) = merge(&git, &merge_of(&work));
        assert_eq!(early.copy(), before);
        // The base is read before the branch is looked for.
        let landing = early.with_landing("-- refs/heads/feature/t2", &merged);
        landing.ensure_worktree(&spec("b", on_branch("t2"))).unwrap();
        assert!(early.landed().exists(), "nothing landed meanwhile");
        assert_eq!(early.copy(), merged);
        // A base that was really set back is followed.
        early.set_base(&before);
        git.ensure_worktree(&spec("c", on_branch("t3"))).unwrap();
        assert_eq!(early.copy(), before);
    }
}

#[test]
fn a_base_that_waits_for_the_person_is_shown_as_it_is_and_not_as_it_was() {
    let early = EarlyRead::without_remote(&[]);
    let git = early.open();
    let (_worktree, work) = developed(&early.fixture, &git);
    publish(&git, merge(&git, &merge_of(&work)));
    let second = git.ensure_worktree(&spec("b", on_branch("t2"))).unwrap();
    let next = early.fixture.commit(&second.path, "next.txt", "next\n", "Next");
    let request = MergeRequest {
        branch: branch("feature/t2"),
        ..merge_of(&id(&next))
    };
    let (merged, _) = merge(&git, &request);
    early
        .fixture
        .commit(&early.fixture.project(), "work.txt", "mine\n", "Mine");
    let landing = early.with_landing("merge-tree", &merged);
    let refused = landing.ensure_worktree(&spec("c", on_branch("t3"))).unwrap_err();
    assert!(matches!(refused, GitError::Failed { .. }), "{refused}");
    assert!(early.landed().exists(), "nothing landed meanwhile");
    assert_eq!(early.copy(), merged);
}
