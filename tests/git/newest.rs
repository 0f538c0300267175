//! Tests with the newest git, which runs hooks that a configuration names. `.ci/run` gets it and runs these tests with it; the variable
//! `DBS_NEWEST_GIT` names the folder of its program, which `.ci/git/install FOLDER` prints.
#![expect(
    clippy::disallowed_methods,
    reason = "the folder of the newest git is in the environment"
)]

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use dbs::adapters::git::{GitCli, GitSetup};
use dbs::ports::git::{
    DeleteOutcome, Git as _, MergeOutcome, PublishOutcome, PublishRequest, PushOutcome, RemoveOutcome,
    Revision, WorkingTree, WorktreeOrigin,
};

use crate::git_fixture::GitFixture;
use crate::script::write_script;
use crate::{branch, developed, id, merge_of, name, on_branch, saver, setup, spec};

/// Events for which git runs hooks in the repositories that the engine works in or pushes to.
const EVENTS: [&str; 9] = [
    "reference-transaction",
    "post-index-change",
    "post-checkout",
    "pre-push",
    "pre-receive",
    "update",
    "post-receive",
    "post-update",
    "pre-auto-gc",
];

/// Names of hooks that a command line or a configuration could trip over.
const NAMES: [&str; 4] = ["plain", "With.Dots and Blanks", "a=b", "quote'\"$(x)"];

fn newest() -> PathBuf {
    let folder = std::env::var_os("DBS_NEWEST_GIT");
    let Some(folder) = folder else {
        panic!("set DBS_NEWEST_GIT to what `.ci/git/install FOLDER` prints");
    };
    Path::new(&folder).join("git")
}

fn newest_setup(fixture: &GitFixture) -> GitSetup {
    let mut setup = setup(fixture);
    let program = newest();
    let found = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths(
        std::iter::once(program.parent().unwrap().to_path_buf()).chain(std::env::split_paths(&found)),
    );
    setup.environment.retain(|(name, _)| name != "PATH");
    setup.environment.push((OsString::from("PATH"), path.unwrap()));
    setup
        .environment
        .push((OsString::from("USER"), OsString::from("engine")));
    setup.program = program.into();
    setup
}

/// Writes a hook for each event under each name into a file of configuration.
fn plant(file: &Path, trap: &Path) {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut text = fs::read_to_string(file).unwrap_or_default();
    for name in NAMES {
        writeln!(
            text,
            "[hook \"{}\"]\n\tcommand = {}",
            quoted(name),
            trap.display()
        )
        .unwrap();
        for event in EVENTS {
            writeln!(text, "\tevent = {event}").unwrap();
        }
    }
    fs::write(file, text).unwrap();
}

/// Does everything for which the engine has git write.
fn work(git: &GitCli, fixture: &GitFixture) {
    let (worktree, _) = developed(fixture, git);
    fs::write(worktree.path.join("unsaved.txt"), "precious").unwrap();
    git.snapshot(&WorkingTree::Worktree(name("a")), &saver("t1"))
        .unwrap();
    fs::remove_file(worktree.path.join("unsaved.txt")).unwrap();
    let head = id(&fixture.git(&worktree.path, &["rev-parse", "HEAD"]));
    let pushed = git.push_branch(&branch("feature/t1"), None);
    assert_eq!(pushed, PushOutcome::Pushed(head.clone()));
    fixture.commit_on_origin("main", "other.txt", "other\n");
    let MergeOutcome::Merged { commit, base, .. } = git.merge(&merge_of(&head)) else {
        panic!("not merged")
    };
    git.checkout_clean(&commit, &fixture.root().join("checkout"))
        .unwrap();
    let publication = PublishRequest {
        commit,
        base: branch("main"),
        expected: base,
    };
    assert_eq!(git.publish(&publication), PublishOutcome::Done);
    git.ensure_worktree(&spec("b", on_branch("t2"))).unwrap();
    git.resolve(&Revision::LocalBranch(branch("feature/t2")));
    for folder in ["a", "b"] {
        git.remove_worktree(&name(folder), &saver("t1")).unwrap();
    }
    let base = crate::base(git, "main");
    for outcome in [
        git.delete_branch(&branch("feature/t1"), &head, &base, &saver("t1")),
        git.delete_remote_branch(&branch("feature/t1"), &head, &base, &saver("t1")),
    ] {
        assert!(matches!(outcome, DeleteOutcome::Deleted { .. }), "{outcome:?}");
    }
}

/// Returns a program that leaves its arguments in a file if the engine's git started it, and that file.
fn trap(fixture: &GitFixture) -> (PathBuf, PathBuf) {
    let (program, marks) = (fixture.root().join("trap"), fixture.root().join("marks"));
    let text = format!(
        "#!/bin/sh\n[ \"$USER\" = engine ] && echo \"$@\" >> '{}'\ncat >/dev/null\n",
        marks.display()
    );
    write_script(&program, text);
    (program, marks)
}

/// Plants hooks, lets the engine work, and returns what ran for it. The agents' own git may run them.
fn ran(place: impl Fn(&GitFixture) -> PathBuf, before_opening: bool) -> String {
    let fixture = GitFixture::new();
    let (program, marks) = trap(&fixture);
    if before_opening {
        plant(&place(&fixture), &program);
    }
    let git = GitCli::open(&newest_setup(&fixture)).unwrap();
    if !before_opening {
        git.resolve(&Revision::RemoteBranch(branch("main")));
        plant(&place(&fixture), &program);
    }
    work(&git, &fixture);
    let ran = fs::read_to_string(marks).unwrap_or_default();
    // The traps themselves work.
    plant(&fixture.project().join(".git/config"), &program);
    let git = std::process::Command::new(newest())
        .args(["update-ref", "refs/heads/trapped", "HEAD"])
        .current_dir(fixture.project())
        .env_clear()
        .envs(newest_setup(&fixture).environment)
        .output();
    assert!(git.unwrap().status.success());
    assert!(
        fs::read_to_string(fixture.root().join("marks"))
            .unwrap()
            .contains("committed")
    );
    ran
}

#[test]
#[ignore = "needs the newest git: DBS_NEWEST_GIT (.ci/git/install)"]
fn no_hook_that_a_projects_configuration_names_runs_for_the_engine() {
    for before in [true, false] {
        assert_eq!(ran(|fixture| fixture.project().join(".git/config"), before), "");
    }
}

#[test]
#[ignore = "needs the newest git: DBS_NEWEST_GIT (.ci/git/install)"]
fn no_hook_that_the_persons_configuration_names_runs_for_the_engine() {
    for before in [true, false] {
        assert_eq!(ran(GitFixture::personal_config, before), "");
    }
}

#[test]
#[ignore = "needs the newest git: DBS_NEWEST_GIT (.ci/git/install)"]
fn no_hook_that_an_origin_on_this_machine_names_in_its_configuration_runs_for_the_engine() {
    assert_eq!(ran(|fixture| fixture.origin().join("config"), true), "");
}

#[test]
#[ignore = "needs the newest git: DBS_NEWEST_GIT (.ci/git/install)"]
fn no_hook_in_a_file_that_a_configuration_includes_runs_for_the_engine() {
    let included = |fixture: &GitFixture| {
        let file = fixture.root().join("included");
        let config = fixture.project().join(".git/config");
        let text = fs::read_to_string(&config).unwrap();
        fs::write(&config, format!("{text}[include]\n\tpath = {}\n", file.display())).unwrap();
        file
    };
    assert_eq!(ran(included, false), "");
}

#[test]
#[ignore = "needs the newest git: DBS_NEWEST_GIT (.ci/git/install)"]
fn a_project_whose_worktrees_have_relative_paths_is_no_trouble() {
    let fixture = GitFixture::new();
    let setup = newest_setup(&fixture);
    let mut add = std::process::Command::new(newest());
    add.args([
        "-c",
        "worktree.useRelativePaths=true",
        "worktree",
        "add",
        "-q",
        "../mine",
    ]);
    add.current_dir(fixture.project())
        .env_clear()
        .envs(setup.environment.clone());
    assert!(add.status().unwrap().success());
    let mine = fixture.root().join("mine");
    let pointer = fs::read_to_string(mine.join(".git")).unwrap();
    assert!(pointer.starts_with("gitdir: ../project"), "{pointer}");
    for project in [fixture.project(), mine] {
        let setup = GitSetup {
            project,
            ..setup.clone()
        };
        let git = GitCli::open(&setup).unwrap();
        let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
        let again = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
        assert_eq!((again.path, again.origin), (worktree.path, WorktreeOrigin::Found));
        let removed = git.remove_worktree(&name("a"), &saver("t1")).unwrap();
        assert!(matches!(removed, RemoveOutcome::Removed(_)), "{removed:?}");
    }
}
