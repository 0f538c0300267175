//! Deletions: nothing that holds work is deleted without a recoverable copy.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, UNIX_EPOCH};

use dbs::domain::{Timestamp, Tri};
use dbs::ports::git::{DeleteOutcome, Git, RemoveOutcome, Revision, WorkingTree, WorktreeKind};

use super::{GitFixture, base, branch, developed, file_at, id, name, on_branch, open, saver, spec};

fn attic(fixture: &GitFixture) -> String {
    let control = fixture.state().join("control.git");
    fixture.git(
        &control,
        &["for-each-ref", "--format=%(refname)", "refs/dbs/attic"],
    )
}

#[test]
fn a_snapshot_holds_untracked_files_and_leaves_index_and_branch_alone() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, commit) = developed(&fixture, &git);
    fs::write(worktree.path.join("README.md"), "staged\n").unwrap();
    fixture.git(&worktree.path, &["add", "README.md"]);
    fs::write(worktree.path.join("new.txt"), "precious").unwrap();
    fs::write(worktree.path.join(".gitignore"), "*.log\n").unwrap();
    fs::write(worktree.path.join("x.log"), "noise").unwrap();
    let before = fixture.git(&worktree.path, &["status", "--porcelain"]);
    let kept = git
        .snapshot(&WorkingTree::Worktree(name("a")), &saver("t1"))
        .unwrap();
    assert_eq!(kept.attic_ref, "refs/dbs/attic/t1/1");
    assert_eq!(file_at(&fixture, &kept.commit, "new.txt"), "precious");
    assert_eq!(file_at(&fixture, &kept.commit, "README.md"), "staged");
    let control = fixture.state().join("control.git");
    assert!(
        !fixture
            .try_git(&control, &["cat-file", "-e", &format!("{}:x.log", kept.commit)])
            .status
            .success()
    );
    assert_eq!(fixture.git(&worktree.path, &["status", "--porcelain"]), before);
    assert_eq!(
        fixture.git(&worktree.path, &["rev-parse", "HEAD"]),
        commit.to_string()
    );
    assert_eq!(
        fixture.git(&control, &["rev-parse", &format!("{}^1", kept.commit)]),
        commit.to_string()
    );
}

#[test]
fn the_same_content_gives_the_same_snapshot_and_other_content_the_next() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    let place = WorkingTree::Worktree(name("a"));
    let first = git.snapshot(&place, &saver("t1")).unwrap();
    assert_eq!(git.snapshot(&place, &saver("t1")).unwrap(), first);
    fs::write(worktree.path.join("new.txt"), "x").unwrap();
    assert_eq!(
        git.snapshot(&place, &saver("t1")).unwrap().attic_ref,
        "refs/dbs/attic/t1/2"
    );
}

#[test]
fn removal_keeps_untracked_files_and_a_second_removal_finds_nothing() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    fs::write(worktree.path.join("new.txt"), "precious").unwrap();
    let removed = git.remove_worktree(&name("a"), &saver("t1")).unwrap();
    let RemoveOutcome::Removed(Some(kept)) = removed else {
        panic!("{removed:?}")
    };
    assert_eq!(file_at(&fixture, &kept.commit, "new.txt"), "precious");
    assert!(!worktree.path.exists());
    assert_eq!(
        git.remove_worktree(&name("a"), &saver("t1")).unwrap(),
        RemoveOutcome::Absent
    );
    assert_eq!(attic(&fixture).lines().count(), 1);
}

#[test]
fn a_clean_worktree_on_a_branch_is_removed_without_a_snapshot() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    developed(&fixture, &git);
    assert_eq!(
        git.remove_worktree(&name("a"), &saver("t1")).unwrap(),
        RemoveOutcome::Removed(None)
    );
    assert_eq!(attic(&fixture), "");
}

#[test]
fn commits_thrown_away_by_a_reset_are_kept() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, thrown) = developed(&fixture, &git);
    fixture.git(&worktree.path, &["reset", "-q", "--hard", "origin/main"]);
    let removed = git.remove_worktree(&name("a"), &saver("t1")).unwrap();
    let RemoveOutcome::Removed(Some(kept)) = removed else {
        panic!("{removed:?}")
    };
    let control = fixture.state().join("control.git");
    fixture.git(
        &control,
        &[
            "merge-base",
            "--is-ancestor",
            thrown.as_str(),
            kept.commit.as_str(),
        ],
    );
}

#[test]
fn a_snapshot_survives_the_agents_own_cleaning() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    fs::write(worktree.path.join("new.txt"), "precious").unwrap();
    let kept = git
        .snapshot(&WorkingTree::Worktree(name("a")), &saver("t1"))
        .unwrap();
    fixture.git(&worktree.path, &["reset", "-q", "--hard", "origin/main"]);
    fixture.git(&worktree.path, &["reflog", "expire", "--expire=now", "--all"]);
    fixture.git(&worktree.path, &["gc", "-q", "--prune=now"]);
    assert_eq!(file_at(&fixture, &kept.commit, "new.txt"), "precious");
    assert_eq!(file_at(&fixture, &kept.commit, "work.txt"), "work");
}

#[test]
fn a_folder_that_is_not_ours_is_never_removed() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let folder = fixture.project().join(".debussy-worktrees/a");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("mine.txt"), "mine").unwrap();
    let removed = git.remove_worktree(&name("a"), &saver("t1")).unwrap();
    assert!(matches!(removed, RemoveOutcome::Kept(_)), "{removed:?}");
    assert!(folder.join("mine.txt").exists());
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_keeps_a_worktree_from_being_removed_or_is_kept() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    let file = worktree.path.join("closed.txt");
    fs::write(&file, "precious").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    match git.remove_worktree(&name("a"), &saver("t1")) {
        Ok(RemoveOutcome::Removed(Some(kept))) => {
            assert_eq!(file_at(&fixture, &kept.commit, "closed.txt"), "precious");
        }
        Err(_) => assert!(file.exists()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_unmerged_branch_is_deleted_only_with_its_head_in_the_attic() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, commit) = developed(&fixture, &git);
    let delete = || git.delete_branch(&branch("feature/t1"), &commit, &base(&git, "main"), &saver("t1"));
    assert!(matches!(delete(), DeleteOutcome::Kept(why) if why.contains("checked out")));
    git.remove_worktree(&name("a"), &saver("t1")).unwrap();
    let DeleteOutcome::Deleted { kept_as: Some(kept) } = delete() else {
        panic!("not kept")
    };
    assert!(attic(&fixture).lines().any(|line| line == kept));
    assert_eq!(file_at(&fixture, &commit, "work.txt"), "work");
    assert_eq!(delete(), DeleteOutcome::Absent);
}

#[test]
fn a_branch_whose_commits_the_base_holds_goes_without_a_copy() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, commit) = developed(&fixture, &git);
    let feature = branch("feature/t1");
    git.push_branch(&feature, None);
    fixture.git(
        &fixture.origin(),
        &["update-ref", "refs/heads/main", commit.as_str()],
    );
    git.remove_worktree(&name("a"), &saver("t1")).unwrap();
    let base = base(&git, "main");
    let outcomes = [
        git.delete_branch(&feature, &commit, &base, &saver("t1")),
        git.delete_remote_branch(&feature, &commit, &base, &saver("t1")),
    ];
    assert_eq!(outcomes, [const { DeleteOutcome::Deleted { kept_as: None } }; 2]);
    assert_eq!(attic(&fixture), "");
}

#[test]
fn a_branch_merged_by_squash_still_leaves_its_commits_in_the_attic() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, commit) = developed(&fixture, &git);
    fixture.commit_on_origin("main", "work.txt", "work\n");
    assert_eq!(git.is_merged(&commit, &branch("main")), Tri::Yes);
    git.remove_worktree(&name("a"), &saver("t1")).unwrap();
    let deleted = git.delete_branch(&branch("feature/t1"), &commit, &base(&git, "main"), &saver("t1"));
    assert!(
        matches!(deleted, DeleteOutcome::Deleted { kept_as: Some(_) }),
        "{deleted:?}"
    );
}

#[test]
fn a_branch_that_moved_since_it_was_recorded_is_kept() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, recorded) = developed(&fixture, &git);
    fixture.commit(&worktree.path, "more.txt", "more", "More");
    git.remove_worktree(&name("a"), &saver("t1")).unwrap();
    let deleted = git.delete_branch(
        &branch("feature/t1"),
        &recorded,
        &base(&git, "main"),
        &saver("t1"),
    );
    assert!(matches!(deleted, DeleteOutcome::Kept(_)), "{deleted:?}");
    assert_eq!(git.branches().unwrap().len(), 2);
}

#[test]
fn a_reviewers_untouched_worktree_goes_without_a_snapshot() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, commit) = developed(&fixture, &git);
    git.push_branch(&branch("feature/t1"), None);
    let kind = WorktreeKind::Detached(Revision::Commit(commit));
    git.ensure_worktree(&spec("r", kind)).unwrap();
    assert_eq!(
        git.remove_worktree(&name("r"), &saver("t1")).unwrap(),
        RemoveOutcome::Removed(None)
    );
}

#[test]
fn file_conversions_of_the_project_are_no_change() {
    let fixture = GitFixture::new();
    fixture.git(&fixture.project(), &["config", "core.autocrlf", "true"]);
    let git = open(&fixture);
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    assert_eq!(
        fs::read_to_string(worktree.path.join("README.md")).unwrap(),
        "hello\r\n"
    );
    assert_eq!(fixture.git(&worktree.path, &["status", "--porcelain"]), "");
    assert_eq!(
        git.remove_worktree(&name("a"), &saver("t1")).unwrap(),
        RemoveOutcome::Removed(None)
    );
}

#[test]
fn the_log_of_the_main_checkout_is_not_swept_into_snapshots() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let old = fixture.commit(&fixture.project(), "private.txt", "private", "Private");
    fixture.git(&fixture.project(), &["reset", "-q", "--hard", "HEAD~1"]);
    let kept = git.snapshot(&WorkingTree::Main, &saver("t1")).unwrap();
    let control = fixture.state().join("control.git");
    let output = fixture.try_git(
        &control,
        &[
            "merge-base",
            "--is-ancestor",
            id(&old).as_str(),
            kept.commit.as_str(),
        ],
    );
    assert!(!output.status.success());
}

/// Sets the time at which a name of the attic was made, which its log tells.
fn made_at(fixture: &GitFixture, attic_ref: &str, at: Timestamp) {
    let log = fixture.state().join("control.git/logs").join(attic_ref);
    let log = fs::File::options().append(true).open(log).unwrap();
    log.set_modified(UNIX_EPOCH + Duration::from_millis(at.0))
        .unwrap();
}

#[test]
fn only_old_names_of_tasks_that_are_over_go_from_the_attic_and_no_object_does() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    let place = WorkingTree::Worktree(name("a"));
    let keep = |task: &str, text: &str| {
        fs::write(worktree.path.join("new.txt"), text).unwrap();
        git.snapshot(&place, &saver(task)).unwrap()
    };
    let kept = [
        keep("t1", "1"),
        keep("t1", "2"),
        keep("t2", "3"),
        keep("t1", "4"),
        keep("t11", "5"),
    ];
    let (old, before) = (Timestamp(1_000_000), Timestamp(2_000_000));
    for n in [0, 2, 3, 4] {
        made_at(&fixture, &kept[n].attic_ref, old);
    }
    let control = fixture.state().join("control.git");
    fs::remove_file(control.join("logs").join(&kept[3].attic_ref)).unwrap();
    fixture.git(&control, &["pack-refs", "--all"]);
    assert_eq!(git.expire_attic(&BTreeSet::new(), before).unwrap(), 0);
    assert_eq!(
        git.expire_attic(&[name("t1")].into(), old).unwrap(),
        0,
        "not older than that"
    );
    assert_eq!(git.expire_attic(&[name("t1")].into(), before).unwrap(), 1);
    let left: Vec<String> = attic(&fixture).lines().map(str::to_owned).collect();
    // The second was made just now, the age of the fourth is unknown, and the others belong to tasks that go on.
    let expected = [
        "refs/dbs/attic/t1/2",
        "refs/dbs/attic/t1/3",
        "refs/dbs/attic/t11/1",
        "refs/dbs/attic/t2/1",
    ];
    assert_eq!(left, expected);
    assert_eq!(file_at(&fixture, &kept[0].commit, "new.txt"), "1");
    let next = git.snapshot(&place, &saver("t1")).unwrap();
    assert_eq!(
        next.attic_ref, "refs/dbs/attic/t1/4",
        "no name is used again while a later one is there"
    );
}
