//! Repositories of unusual shapes: a task, a phase and a task of a graph that meets a conflict are merged in each, with the right bytes.

use std::fs;
use std::path::PathBuf;

use dbs::adapters::git::{GitSetup, RemoteChoice};
use dbs::domain::{BoardSettings, SignalKind};

use crate::bench::{Bench, draft};
use crate::git_fixture::GitFixture;
use crate::shapes::{clone_anew, name_author};

/// Name of a file that needs care wherever names are handed on.
const NAME: &str = "-n \"\u{fc} u\u{308} \u{5d0}' $(x).txt";

/// A project with some history: two folders, and a file of the base that a task will change.
fn usual() -> GitFixture {
    grown(GitFixture::new())
}

fn grown(fixture: GitFixture) -> GitFixture {
    let project = fixture.project();
    for file in ["in/a.txt", "out/b.txt", "same.txt"] {
        fixture.commit(&project, file, "text\n", "More");
    }
    fixture.git(&project, &["push", "-q", "origin", "main"]);
    fixture
}

/// A project and its origin, made with those options of `git init`, with one commit.
fn made_with(options: &[&str]) -> GitFixture {
    let fixture = GitFixture::unborn_with(options);
    fixture.commit(&fixture.project(), "README.md", "hello\n", "First");
    fixture.git(&fixture.project(), &["push", "-q", "origin", "main"]);
    fixture
}

/// Makes the project anew as a worktree of a bare clone.
fn lay_out_bare(fixture: &GitFixture) {
    let (project, bare) = (fixture.project(), fixture.root().join("bare.git"));
    fs::remove_dir_all(&project).unwrap();
    let clone = ["clone", "-q", "--bare", "origin.git", "bare.git"];
    fixture.git(&fixture.root(), &clone);
    let fetch = "+refs/heads/*:refs/remotes/origin/*";
    fixture.git(&bare, &["config", "remote.origin.fetch", fetch]);
    fixture.git(
        &bare,
        &["worktree", "add", "-q", project.to_str().unwrap(), "main"],
    );
    name_author(fixture);
}

struct Works {
    bench: Bench,
    has_remote: bool,
}

impl Works {
    fn new(fixture: GitFixture, remote: RemoteChoice) -> Works {
        let has_remote = remote != RemoteChoice::Control;
        fixture.git(&fixture.project(), &["branch", "-f", "work"]);
        let setup = GitSetup {
            remote,
            ..GitSetup::new(fixture.project(), fixture.environment())
        };
        let settings = BoardSettings {
            base: Some("work".to_owned()),
            ..BoardSettings::default()
        };
        Works {
            bench: Bench::over(fixture, &setup, settings),
            has_remote,
        }
    }

    /// Text of a file of the base.
    fn on_base(&self, file: &str) -> String {
        let folder = self.merged_repository();
        self.bench.git.git(&folder, &["show", &format!("work:{file}")])
    }

    /// Repository whose base branch has what is merged.
    fn merged_repository(&self) -> PathBuf {
        let git = &self.bench.git;
        if self.has_remote {
            git.origin()
        } else {
            git.state().join("control.git")
        }
    }

    fn assert_done(&self, id: &str) {
        let bench = &self.bench;
        let state = bench.task(id).state.word();
        assert_eq!(state, "done", "{id}: {}", bench.comments(id));
    }

    /// A task that is developed, reviewed and merged.
    fn do_task(&mut self) {
        self.bench.release(draft("t-1", "kanban", None));
        self.bench.develop("t-1", NAME, "task\n");
        self.bench.last_word("t-1", SignalKind::Done);
        self.assert_done("t-1");
        assert_eq!(self.on_base(NAME), "task");
    }

    /// A phase whose agent leaves its files to the engine to commit.
    fn do_phase(&mut self) {
        self.bench.release(draft("p-1", "phased", None));
        let file = self.bench.folder("p-1").join("in/phase.txt");
        fs::write(file, "phase\n").unwrap();
        self.bench.last_word("p-1", SignalKind::Done);
        self.assert_done("p-1");
        assert_eq!(self.on_base("in/phase.txt"), "phase");
    }

    /// Two tasks of a graph that change the same line; the second one meets the first at its merge.
    fn do_graph(&mut self) {
        for id in ["g-1", "g-2"] {
            self.bench.release(draft(id, "graph", None));
        }
        for id in ["g-1", "g-2"] {
            let file = self.bench.folder(id).join("same.txt");
            fs::write(file, format!("{id}\n")).unwrap();
        }
        self.bench.last_word("g-1", SignalKind::Done);
        self.assert_done("g-1");
        self.bench.last_word("g-2", SignalKind::Done);
        assert_eq!(
            self.bench.stage("g-2"),
            ("merging", "active"),
            "{}",
            self.bench.comments("g-2")
        );
        let (git, folder) = (&self.bench.git, self.bench.folder("g-2"));
        let merged = self.merged_repository();
        git.git(&folder, &["fetch", "-q", merged.to_str().unwrap(), "work"]);
        assert!(
            !git.try_git(&folder, &["merge", "-q", "FETCH_HEAD"])
                .status
                .success()
        );
        git.commit(&folder, "same.txt", "g-1\ng-2\n", "Resolve");
        self.bench.last_word("g-2", SignalKind::Done);
        self.assert_done("g-2");
        assert_eq!(self.on_base("same.txt"), "g-1\ng-2");
    }

    /// Nothing that was there before is lost, and the checkout of the person is as it was.
    fn assert_whole(&self) {
        for file in ["README.md", "in/a.txt", "out/b.txt"] {
            assert!(!self.on_base(file).is_empty(), "{file}");
        }
        let git = &self.bench.git;
        assert_eq!(git.git(&git.project(), &["status", "--porcelain"]), "");
        git.git(&git.state().join("control.git"), &["fsck", "--connectivity-only"]);
    }
}

fn all_works_are_done(fixture: GitFixture, remote: RemoteChoice) {
    let mut works = Works::new(fixture, remote);
    works.do_task();
    works.do_phase();
    works.do_graph();
    works.assert_whole();
    works.bench.tidy();
    assert_eq!(works.bench.worktrees(), Vec::<String>::new());
}

#[test]
fn a_sparse_checkout() {
    for remote in [RemoteChoice::default(), RemoteChoice::Control] {
        let fixture = usual();
        fixture.git(&fixture.project(), &["sparse-checkout", "set", "in"]);
        all_works_are_done(fixture, remote);
    }
}

#[test]
fn a_partial_clone() {
    for filter in ["--filter=blob:none", "--filter=tree:0"] {
        let fixture = usual();
        clone_anew(&fixture, &[filter]);
        all_works_are_done(fixture, RemoteChoice::default());
    }
}

#[test]
fn a_shallow_clone() {
    let fixture = usual();
    clone_anew(&fixture, &["--depth=1"]);
    all_works_are_done(fixture, RemoteChoice::default());
}

#[test]
fn a_worktree_of_a_bare_repository() {
    for remote in [RemoteChoice::default(), RemoteChoice::Control] {
        let fixture = usual();
        lay_out_bare(&fixture);
        all_works_are_done(fixture, remote);
    }
}

#[test]
fn long_object_ids() {
    all_works_are_done(
        grown(made_with(&["--object-format=sha256"])),
        RemoteChoice::default(),
    );
}

#[test]
fn refs_in_tables() {
    for remote in [RemoteChoice::default(), RemoteChoice::Control] {
        all_works_are_done(grown(made_with(&["--ref-format=reftable"])), remote);
    }
}

/// As jj leaves the repository that it shares.
#[test]
fn a_detached_head_beside_a_folder_of_another_tool() {
    for remote in [RemoteChoice::default(), RemoteChoice::Control] {
        let fixture = usual();
        let project = fixture.project();
        fixture.git(&project, &["checkout", "-q", "--detach"]);
        fs::create_dir(project.join(".jj")).unwrap();
        fs::write(project.join(".jj/.gitignore"), "/*\n").unwrap();
        all_works_are_done(fixture, remote);
    }
}

#[test]
fn worktrees_with_relative_paths() {
    let fixture = usual();
    fixture.git(
        &fixture.project(),
        &["config", "worktree.useRelativePaths", "true"],
    );
    all_works_are_done(fixture, RemoteChoice::default());
}
