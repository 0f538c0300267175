//! The remote: pushes, and silence that is never taken for an answer (LK-12, LK-23, LK-56).

use std::fs;
use std::time::Duration;

use dbs::adapters::git::GitCli;
use dbs::domain::{Tri, TroubleKind};
use dbs::ports::git::{
    CommitId, CommitsAhead, DeleteOutcome, Git, GitError, Head, MergeOutcome, PublishOutcome, PushOutcome,
    Revision,
};

use super::{GitFixture, base, branch, developed, id, merge_of, name, on_branch, open, saver, setup, spec};

#[test]
fn a_branch_is_pushed_once_and_read_back() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, commit) = developed(&fixture, &git);
    let feature = branch("feature/t1");
    assert_eq!(git.remote_head(&feature), Head::Absent);
    assert_eq!(
        git.push_branch(&feature, None),
        PushOutcome::Pushed(commit.clone())
    );
    assert_eq!(
        git.push_branch(&feature, None),
        PushOutcome::Pushed(commit.clone())
    );
    assert_eq!(git.remote_head(&feature), Head::At(commit));
    let next = id(&fixture.commit(&worktree.path, "next.txt", "x", "Next"));
    assert_eq!(git.push_branch(&feature, None), PushOutcome::Pushed(next));
    assert_eq!(
        git.push_branch(&branch("feature/none"), None),
        PushOutcome::NoBranch
    );
}

#[cfg(unix)]
#[test]
fn a_push_whose_helper_at_the_remote_was_killed_is_unknown_and_a_refused_one_is_not() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_worktree, commit) = developed(&fixture, &git);
    let hook = fixture.origin().join("hooks/pre-receive");
    let feature = branch("feature/t1");
    let pushed = |script: &str| {
        crate::script::write_script(&hook, format!("#!/bin/sh\n{script}\n"));
        git.push_branch(&feature, None)
    };
    let refused = pushed("exit 1");
    assert!(matches!(refused, PushOutcome::Refused(_)), "{refused:?}");
    let killed = pushed("kill -9 $$");
    assert!(matches!(killed, PushOutcome::Unknown(_)), "{killed:?}");
    assert_eq!(pushed("exit 0"), PushOutcome::Pushed(commit));
}

#[test]
fn a_rewritten_branch_replaces_only_what_was_recorded() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, first) = developed(&fixture, &git);
    let feature = branch("feature/t1");
    git.push_branch(&feature, None);
    fixture.git(&worktree.path, &["reset", "-q", "--hard", "origin/main"]);
    let second = id(&fixture.commit(&worktree.path, "work.txt", "other\n", "Other"));
    let diverged = PushOutcome::Diverged {
        local: second.clone(),
        remote: first.clone(),
    };
    assert_eq!(git.push_branch(&feature, None), diverged);
    assert_eq!(git.push_branch(&feature, Some(&second)), diverged);
    assert_eq!(
        git.push_branch(&feature, Some(&first)),
        PushOutcome::Pushed(second)
    );
}

#[test]
fn a_stale_tracking_ref_is_not_taken_for_the_remote() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, commit) = developed(&fixture, &git);
    fixture.git(
        &worktree.path,
        &["update-ref", "refs/remotes/origin/feature/t1", commit.as_str()],
    );
    assert_eq!(git.remote_head(&branch("feature/t1")), Head::Absent);
    assert_eq!(
        git.resolve(&Revision::RemoteBranch(branch("feature/t1"))),
        Head::Absent
    );
    let ahead = git.commits_ahead(
        &Revision::RemoteBranch(branch("feature/t1")),
        &Revision::RemoteBranch(branch("main")),
    );
    assert!(matches!(ahead, CommitsAhead::Absent(_)), "{ahead:?}");
}

#[test]
fn a_remote_branch_is_deleted_only_where_it_was_recorded() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, commit) = developed(&fixture, &git);
    let (feature, base) = (branch("feature/t1"), base(&git, "main"));
    git.push_branch(&feature, None);
    let newer = id(&fixture.commit_on_origin("feature/t1", "theirs.txt", "x"));
    let kept = git.delete_remote_branch(&feature, &commit, &base, &saver("t1"));
    assert!(matches!(kept, DeleteOutcome::Kept(_)), "{kept:?}");
    let deleted = git.delete_remote_branch(&feature, &newer, &base, &saver("t1"));
    assert!(
        matches!(deleted, DeleteOutcome::Deleted { kept_as: Some(_) }),
        "{deleted:?}"
    );
    assert_eq!(
        git.delete_remote_branch(&feature, &newer, &base, &saver("t1")),
        DeleteOutcome::Absent
    );
}

#[test]
fn a_remote_branch_whose_recorded_commit_nobody_has_any_more_is_gone_or_left_alone() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let base = base(&git, "main");
    let lost = id(&"1".repeat(40));
    let delete = || git.delete_remote_branch(&branch("feature/t1"), &lost, &base, &saver("t1"));
    assert_eq!(delete(), DeleteOutcome::Absent);
    fixture.git(&fixture.origin(), &["branch", "feature/t1", "main"]);
    let theirs = fixture.git(&fixture.origin(), &["rev-parse", "feature/t1"]);
    assert!(matches!(delete(), DeleteOutcome::Kept(why) if why.contains(&theirs)));
}

/// Base branch that the remote itself would delete, because it is not checked out there.
#[test]
fn the_base_is_no_branch_to_delete_here_or_on_the_remote() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    for place in [fixture.project(), fixture.origin()] {
        fixture.git(&place, &["branch", "work", "main"]);
    }
    let base = base(&git, "work");
    let head = base.head.clone().unwrap();
    let outcomes = [
        git.delete_branch(&base.branch, &head, &base, &saver("t1")),
        git.delete_remote_branch(&base.branch, &head, &base, &saver("t1")),
    ];
    for outcome in outcomes {
        let is_named = matches!(&outcome, DeleteOutcome::Kept(why) if why.contains("is the base branch"));
        assert!(is_named, "{outcome:?}");
    }
    assert_eq!(git.remote_head(&base.branch), Head::At(head));
}

/// Asks everything that needs the remote, and asserts that each answer is unknown.
fn assert_silence(git: &GitCli, commit: &CommitId) {
    let (feature, base) = (branch("feature/t1"), branch("main"));
    let ahead = git.commits_ahead(
        &Revision::LocalBranch(feature.clone()),
        &Revision::RemoteBranch(base.clone()),
    );
    let answers = [
        ("remote head", matches!(git.remote_head(&base), Head::Unknown(_))),
        (
            "resolve",
            matches!(
                git.resolve(&Revision::RemoteBranch(base.clone())),
                Head::Unknown(_)
            ),
        ),
        (
            "is merged",
            matches!(git.is_merged(commit, &base), Tri::Unknown(_)),
        ),
        (
            "push",
            matches!(git.push_branch(&feature, None), PushOutcome::Unknown(_)),
        ),
        (
            "merge",
            matches!(git.merge(&merge_of(commit)), MergeOutcome::Unknown(_)),
        ),
        ("ahead", matches!(ahead, CommitsAhead::Unknown(_))),
        ("delete", {
            let base = super::base(git, "main");
            let deleted = git.delete_remote_branch(&feature, commit, &base, &saver("t1"));
            matches!(deleted, DeleteOutcome::Unknown(_))
        }),
        ("worktree", {
            let made = git.ensure_worktree(&spec("b", on_branch("t2")));
            matches!(made, Err(GitError::Unreachable { .. }))
        }),
    ];
    for (question, is_unknown) in answers {
        assert!(is_unknown, "{question} was answered without the remote");
    }
}

#[test]
fn a_removed_origin_is_unknown_everywhere_and_changes_nothing() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, commit) = developed(&fixture, &git);
    let MergeOutcome::Merged {
        commit: merge,
        base: expected,
        ..
    } = git.merge(&merge_of(&commit))
    else {
        panic!()
    };
    let away = fixture.root().join("away.git");
    fs::rename(fixture.origin(), &away).unwrap();
    let before = fixture.git(&fixture.project(), &["for-each-ref"]);
    assert_silence(&git, &commit);
    let publication = dbs::ports::git::PublishRequest {
        commit: merge,
        base: branch("main"),
        expected,
    };
    assert!(matches!(git.publish(&publication), PublishOutcome::Unknown(_)));
    assert_eq!(fixture.git(&fixture.project(), &["for-each-ref"]), before);
    assert!(!fixture.project().join(".debussy-worktrees/b").exists());
    assert!(worktree.path.join("work.txt").exists());
    fs::rename(&away, fixture.origin()).unwrap();
    assert_eq!(git.publish(&publication), PublishOutcome::Done);
}

#[test]
fn an_origin_that_never_answers_ends_at_the_time_limit_as_unknown() {
    let fixture = GitFixture::new();
    drop(open(&fixture));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("git://{}/x.git", listener.local_addr().unwrap());
    fixture.git(&fixture.project(), &["remote", "set-url", "origin", &address]);
    let mut setup = setup(&fixture);
    setup.limits.ask = Duration::from_millis(300);
    let git = GitCli::open(&setup).unwrap();
    git.accept_origin().unwrap();
    let answer = git.remote_head(&branch("main"));
    assert!(
        matches!(&answer, Head::Unknown(why) if why.text.contains("longer than 0.3 s") && why.kind == TroubleKind::Network),
        "{answer:?}"
    );
}

#[test]
fn local_work_goes_on_without_the_remote() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, commit) = developed(&fixture, &git);
    fs::rename(fixture.origin(), fixture.root().join("away.git")).unwrap();
    fs::write(worktree.path.join("unsaved.txt"), "x").unwrap();
    assert_eq!(
        git.resolve(&Revision::LocalBranch(branch("feature/t1"))),
        Head::At(commit.clone())
    );
    assert!(matches!(
        git.remove_worktree(&name("a"), &saver("t1")).unwrap(),
        dbs::ports::git::RemoveOutcome::Removed(Some(_))
    ));
    let deleted = git.delete_branch(&branch("feature/t1"), &commit, &base(&git, "main"), &saver("t1"));
    assert!(
        matches!(deleted, DeleteOutcome::Deleted { kept_as: Some(_) }),
        "{deleted:?}"
    );
}

#[test]
fn remote_branches_are_listed_as_the_remote_has_them() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    developed(&fixture, &git);
    git.push_branch(&branch("feature/t1"), None);
    let names: Vec<_> = git
        .remote_branches()
        .unwrap()
        .into_iter()
        .map(|entry| entry.branch)
        .collect();
    assert_eq!(names, [branch("feature/t1"), branch("main")]);
}
