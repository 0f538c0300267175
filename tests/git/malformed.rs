//! Objects that git's own check refuses, and remotes that never end.
#![expect(
    clippy::disallowed_methods,
    reason = "has git write what its own commands would not make"
)]

use std::fs;
use std::process::{Command, Stdio};

use dbs::adapters::git::GitCli;
use dbs::ports::git::{CommitsAhead, Git as _, Head, MergeOutcome, Revision};

use crate::git_fixture::GitFixture;
use crate::{branch, developed, id, merge_of, name, open, saver, setup};

/// Writes an object as it is given, which git's own commands would not make.
fn object(fixture: &GitFixture, kind: &str, content: &[u8]) -> String {
    let mut git = Command::new("git");
    git.args(["hash-object", "-t", kind, "-w", "--stdin", "--literally"]);
    git.current_dir(fixture.project())
        .env_clear()
        .envs(fixture.environment());
    let mut git = git.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut git.stdin.take().unwrap(), content).unwrap();
    let output = git.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Makes a commit on the head of the task, with the given text before its message.
fn commit_with(fixture: &GitFixture, before: &str, message: &str) -> String {
    let tree = fixture.git(&fixture.project(), &["rev-parse", "feature/t1^{tree}"]);
    let parent = fixture.git(&fixture.project(), &["rev-parse", "feature/t1"]);
    object(
        fixture,
        "commit",
        format!("tree {tree}\nparent {parent}\n{before}\n\n{message}").as_bytes(),
    )
}

/// Makes a commit of a tree that has a file with the given name.
fn commit_of(fixture: &GitFixture, file: &str) -> String {
    let blob = fixture.git(&fixture.project(), &["rev-parse", "feature/t1:README.md"]);
    let bytes = (0..blob.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(blob.get(at..at + 2).unwrap(), 16).unwrap());
    let mut content = format!("100644 {file}\0").into_bytes();
    content.extend(bytes);
    let tree = object(fixture, "tree", &content);
    fixture.git(
        &fixture.project(),
        &["commit-tree", &tree, "-p", "feature/t1", "-m", "Odd"],
    )
}

/// Function that makes a commit that is refused, and returns the commit.
type OddCommit<'a> = &'a dyn Fn(&GitFixture) -> String;

const PERSON: &str = "a <a@example.org> 1700000000 +0000";

#[test]
fn commits_that_gits_own_check_refuses_are_named_and_kept_all_the_same() {
    let signed = format!("author {PERSON}\ncommitter {PERSON}");
    let odd: [(&str, OddCommit<'_>); 5] = [
        ("missingAuthor", &|fixture| {
            commit_with(fixture, &format!("committer {PERSON}"), "no author\n")
        }),
        ("nulInCommit", &|fixture| {
            commit_with(fixture, &signed, "nul\0here\n")
        }),
        ("hasDotgit", &|fixture| commit_of(fixture, ".git")),
        ("hasDotdot", &|fixture| commit_of(fixture, "..")),
        ("hasDotgit", &|fixture| commit_of(fixture, "git~1")),
    ];
    for (why, make) in odd {
        let fixture = GitFixture::new();
        let git = open(&fixture);
        let (worktree, good) = developed(&fixture, &git);
        let base = crate::base(&git, "main").head;
        let bad = id(&make(&fixture));
        fixture.git(
            &fixture.project(),
            &["update-ref", "refs/heads/feature/t1", bad.as_str()],
        );
        let head = git.resolve(&Revision::LocalBranch(branch("feature/t1")));
        assert_eq!(head, Head::At(bad.clone()), "{why}");
        let refused = git.refused_objects(&bad, base.as_ref()).unwrap().unwrap();
        assert!(
            refused.contains(why) && refused.contains(bad.as_str()),
            "{refused}"
        );
        assert_eq!(git.refused_objects(&good, base.as_ref()).unwrap(), None);
        // A commit that builds on it is refused as well, although it is good itself, also after a restart.
        let next = fixture.git(
            &fixture.project(),
            &[
                "commit-tree",
                &format!("{good}^{{tree}}"),
                "-p",
                bad.as_str(),
                "-m",
                "x",
            ],
        );
        fixture.git(
            &fixture.project(),
            &["update-ref", "refs/heads/feature/t1", &next],
        );
        let git = open(&fixture);
        git.resolve(&Revision::LocalBranch(branch("feature/t1")));
        assert!(
            git.refused_objects(&id(&next), base.as_ref()).unwrap().is_some(),
            "{why}"
        );
        // The refused commit may be the only copy of an agent's work.
        fixture.git(&worktree.path, &["checkout", "-q", "--detach", good.as_str()]);
        git.remove_worktree(&name("a"), &saver("t1")).unwrap();
        let control = fixture.state().join("control.git");
        fixture.git(&control, &["cat-file", "-e", bad.as_str()]);
    }
}

#[test]
fn an_odd_commit_that_the_base_holds_is_held_against_no_task() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    let odd = commit_with(&fixture, &format!("committer {PERSON}"), "no author\n");
    fixture.git(
        &fixture.project(),
        &["push", "-q", "origin", &format!("{odd}:refs/heads/main")],
    );
    let base = crate::base(&git, "main").head.unwrap();
    assert_eq!(base, id(&odd));
    assert!(git.refused_objects(&base, None).unwrap().is_some());
    fixture.git(&worktree.path, &["reset", "-q", "--hard", &odd]);
    let onto = fixture.commit(&worktree.path, "more.txt", "more\n", "More");
    git.resolve(&Revision::LocalBranch(branch("feature/t1")));
    assert_eq!(git.refused_objects(&id(&onto), Some(&base)).unwrap(), None);
    assert!(matches!(
        git.merge(&merge_of(&id(&onto))),
        MergeOutcome::Merged { .. }
    ));
}

/// History from before the checks, which is accepted as it is.
#[test]
fn a_project_whose_first_commit_is_odd_can_be_worked_in() {
    let fixture = GitFixture::new();
    let tree = fixture.git(&fixture.project(), &["rev-parse", "HEAD^{tree}"]);
    let odd = object(
        &fixture,
        "commit",
        format!("tree {tree}\ncommitter {PERSON}\n\nold\n").as_bytes(),
    );
    fixture.git(&fixture.project(), &["update-ref", "refs/heads/main", &odd]);
    fixture.git(&fixture.project(), &["push", "-q", "--force", "origin", "main"]);
    let git = open(&fixture);
    let (_, head) = developed(&fixture, &git);
    let base = crate::base(&git, "main").head;
    git.resolve(&Revision::LocalBranch(branch("feature/t1")));
    assert_eq!(git.refused_objects(&head, base.as_ref()).unwrap(), None);
}

#[test]
fn a_remote_that_lists_branches_without_end_is_left_before_it_takes_the_memory() {
    let fixture = GitFixture::new();
    let endless = fixture.root().join("endless");
    let line = format!("0041{} refs/heads/aaaaaaaa", "a".repeat(40));
    crate::script::write_script(
        &endless,
        format!("#!/bin/sh\nprintf '000eversion 2\\n000cls-refs\\n0000'\nexec yes '{line}'\n"),
    );
    let config = fixture.project().join(".git/config");
    let text = fs::read_to_string(&config).unwrap();
    let origin = fixture.origin().display().to_string();
    fs::write(&config, text.replace(&origin, "ssh://example.org/x")).unwrap();
    let mut setup = setup(&fixture);
    setup.environment.push(("GIT_SSH_COMMAND".into(), endless.into()));
    setup
        .environment
        .push(("GIT_SSH_VARIANT".into(), "simple".into()));
    setup.limits.memory = 64 << 20;
    let git = GitCli::open(&setup).unwrap();
    let Head::Unknown(why) = git.remote_head(&branch("main")) else {
        panic!("the remote answered")
    };
    assert!(why.text.contains("64 MiB of memory"), "{}", why.text);
    let CommitsAhead::Unknown(_) = git.commits_ahead(
        &Revision::LocalBranch(branch("main")),
        &Revision::RemoteBranch(branch("main")),
    ) else {
        panic!("the remote answered")
    };
}
