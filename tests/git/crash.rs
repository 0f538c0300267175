//! Calls cut off in the middle, and locks held by others: repeating gives the world a single call would have given.

use std::fs;
use std::thread;
use std::time::Duration;

use dbs::adapters::git::{GitCli, Limits};
use dbs::ports::git::{Git, MergeOutcome, Place, Publication, Published, Push, Removal};

use super::{GitFixture, branch, file_at, id, merge_of, name, on_branch, open, saver, setup, spec};

/// An adapter whose git calls are all ended after this long.
fn hasty(fixture: &GitFixture, limit: Duration) -> Option<GitCli> {
    let mut setup = setup(fixture);
    setup.limits = Limits {
        local: limit,
        ask: limit,
        transfer: limit,
        ..Limits::default()
    };
    GitCli::open(&setup).ok()
}

#[test]
fn a_round_that_is_cut_anywhere_is_completed_by_repeating() {
    for millis in [2, 4, 6, 9, 12, 16, 25] {
        let fixture = GitFixture::new();
        let hasty = hasty(&fixture, Duration::from_millis(millis));
        let cut = |work: &dyn Fn(&GitCli)| hasty.iter().for_each(|git| (0..3).for_each(|_| work(git)));
        cut(&|git| drop(git.ensure_worktree(&spec("a", on_branch("t1")))));
        let git = open(&fixture);
        let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
        assert_eq!(
            fixture.git(&worktree.path, &["status", "--porcelain"]),
            "",
            "{millis} ms"
        );
        let head = id(&fixture.commit(&worktree.path, "work.txt", "work\n", "Work"));
        cut(&|git| drop(git.push_branch(&branch("feature/t1"), None)));
        let push = || git.push_branch(&branch("feature/t1"), None);
        let mut pushed = push();
        if matches!(&pushed, Push::Unknown(why) if has_freed_the_remote(&fixture, why)) {
            pushed = push();
        }
        assert!(
            matches!(pushed, Push::Pushed(_) | Push::AlreadyThere(_)),
            "{millis} ms: {pushed:?}"
        );
        cut(&|git| drop(git.merge(&merge_of(&head))));
        let MergeOutcome::Merged { commit, base, .. } = git.merge(&merge_of(&head)) else {
            panic!()
        };
        let publication = Publication {
            commit,
            base: branch("main"),
            expected: base,
        };
        cut(&|git| drop(git.publish(&publication)));
        let mut published = git.publish(&publication);
        if matches!(&published, Published::Unknown(why) if has_freed_the_remote(&fixture, why)) {
            published = git.publish(&publication);
        }
        assert!(
            matches!(published, Published::Done | Published::AlreadyDone),
            "{millis} ms: {published:?}"
        );
        assert_eq!(
            fixture.git(&fixture.origin(), &["rev-list", "--count", "--merges", "main"]),
            "1"
        );
        assert_removed_completely(&fixture, &git, &cut);
    }
}

/// A remote whose own git was killed may keep a lock, which only its owner may remove; the answer must name it.
fn has_freed_the_remote(fixture: &GitFixture, why: &str) -> bool {
    let locks = ["HEAD.lock", "refs/heads/main.lock", "refs/heads/feature/t1.lock"];
    let is_named = locks.iter().any(|lock| why.contains(lock));
    is_named
        && locks
            .iter()
            .filter(|lock| fs::remove_file(fixture.origin().join(lock)).is_ok())
            .count()
            > 0
}

/// Does some work with an adapter that is cut off.
type Cut<'a> = &'a dyn Fn(&dyn Fn(&GitCli));

fn assert_removed_completely(fixture: &GitFixture, git: &GitCli, cut: Cut<'_>) {
    let folder = fixture.project().join(".debussy-worktrees/a");
    fs::write(folder.join("unsaved.txt"), "precious").unwrap();
    let kept = git.snapshot(&Place::Worktree(name("a")), &saver("t1")).unwrap();
    cut(&|git| drop(git.remove_worktree(&name("a"), &saver("t1"))));
    let removed = git.remove_worktree(&name("a"), &saver("t1")).unwrap();
    assert!(
        matches!(removed, Removal::Removed(_) | Removal::Absent),
        "{removed:?}"
    );
    assert!(!folder.exists());
    assert_eq!(file_at(fixture, &kept.commit, "unsaved.txt"), "precious");
}

#[test]
fn locks_held_by_somebody_for_a_while_are_waited_for() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let git_dir = fixture.project().join(".git");
    let locks = [
        "packed-refs.lock",
        "config.lock",
        "index.lock",
        "refs/heads/feature/t1.lock",
    ];
    fs::create_dir_all(git_dir.join("refs/heads/feature")).unwrap();
    for name in locks {
        fs::write(git_dir.join(name), "").unwrap();
    }
    let dir = git_dir;
    let owner = thread::Builder::new().spawn(move || {
        let (keep, never) = std::sync::mpsc::sync_channel::<()>(1);
        never.recv_timeout(Duration::from_secs(1)).unwrap_err();
        drop(keep);
        for name in locks {
            fs::remove_file(dir.join(name)).unwrap();
        }
    });
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    assert_eq!(
        fixture.git(&worktree.path, &["branch", "--show-current"]),
        "feature/t1"
    );
    owner.unwrap().join().unwrap();
}

#[test]
fn a_lock_that_stays_is_named_and_leaves_no_worktree() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    fs::create_dir_all(fixture.project().join(".git/refs/heads/feature")).unwrap();
    let lock = fixture.project().join(".git/refs/heads/feature/t1.lock");
    fs::write(&lock, "").unwrap();
    let error = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap_err();
    assert!(error.to_string().contains("t1.lock"), "{error}");
    assert!(!fixture.project().join(".debussy-worktrees/a").exists());
    fs::remove_file(lock).unwrap();
    git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
}
