//! Calls that are cut off in the middle, and locks that others hold: repeating a call gives the same result as a single undisturbed call.

use std::fs;
use std::thread;
use std::time::Duration;

use dbs::adapters::git::{GitCli, GitLimits};
use dbs::ports::git::{
    Git, MergeOutcome, PublishOutcome, PublishRequest, PushOutcome, RemoveOutcome, WorkingTree,
};

use super::{
    GitFixture, base, branch, developed, file_at, id, merge_of, name, on_branch, open, saver, setup, spec,
};

/// Returns an adapter whose git calls are all ended after this time.
fn hasty(fixture: &GitFixture, limit: Duration) -> Option<GitCli> {
    let mut setup = setup(fixture);
    setup.limits = GitLimits {
        local: limit,
        ask: limit,
        transfer: limit,
        ..GitLimits::default()
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
        if matches!(&pushed, PushOutcome::Unknown(why) if has_freed_the_remote(&fixture, &why.text)) {
            pushed = push();
        }
        assert!(
            matches!(pushed, PushOutcome::Pushed(_)),
            "{millis} ms: {pushed:?}"
        );
        cut(&|git| drop(git.merge(&merge_of(&head))));
        let MergeOutcome::Merged { commit, base, .. } = git.merge(&merge_of(&head)) else {
            panic!()
        };
        let publication = PublishRequest {
            commit,
            base: branch("main"),
            expected: base,
        };
        cut(&|git| drop(git.publish(&publication)));
        let mut published = git.publish(&publication);
        if matches!(&published, PublishOutcome::Unknown(why) if has_freed_the_remote(&fixture, &why.text)) {
            published = git.publish(&publication);
        }
        assert!(
            matches!(published, PublishOutcome::Done),
            "{millis} ms: {published:?}"
        );
        assert_eq!(
            fixture.git(&fixture.origin(), &["rev-list", "--count", "--merges", "main"]),
            "1"
        );
        assert_removed_completely(&fixture, &git, &cut);
    }
}

/// Removes locks of the remote that the answer names, and returns true if there was one. A remote whose own git was killed may keep a lock,
/// which only its owner may remove.
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

/// Function that does some work with an adapter that is cut off.
type Cut<'a> = &'a dyn Fn(&dyn Fn(&GitCli));

fn assert_removed_completely(fixture: &GitFixture, git: &GitCli, cut: Cut<'_>) {
    let folder = fixture.project().join(".debussy-worktrees/a");
    fs::write(folder.join("unsaved.txt"), "precious").unwrap();
    let kept = git
        .snapshot(&WorkingTree::Worktree(name("a")), &saver("t1"))
        .unwrap();
    cut(&|git| drop(git.remove_worktree(&name("a"), &saver("t1"))));
    let removed = git.remove_worktree(&name("a"), &saver("t1")).unwrap();
    assert!(
        matches!(removed, RemoveOutcome::Removed(_) | RemoveOutcome::Absent),
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

/// Writes a git that is killed as soon as it has locked a branch of the project.
#[cfg(unix)]
fn killed_at_a_branch(fixture: &GitFixture) -> std::path::PathBuf {
    let program = fixture.root().join("killed-git");
    let text = "#!/bin/sh\ncase \"$*\" in *update-ref*refs/heads/feature/t1*)\n\
        mkdir -p .git/refs/heads/feature && : > .git/refs/heads/feature/t1.lock && kill -9 $$ ;;\nesac\n\
        exec git \"$@\"\n";
    crate::script::write_script(&program, text);
    program
}

#[cfg(unix)]
#[test]
fn a_lock_a_killed_git_of_ours_left_on_a_branch_is_removed_by_the_next_start_and_no_other_lock_is() {
    let fixture = GitFixture::new();
    let mut killed = setup(&fixture);
    killed.program = killed_at_a_branch(&fixture).into();
    let git = GitCli::open(&killed).unwrap();
    let git_dir = fixture.project().join(".git");
    git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap_err();
    let lock = git_dir.join("refs/heads/feature/t1.lock");
    assert!(lock.exists(), "git was killed while it held the lock");
    let others = [
        "packed-refs.lock",
        "refs/heads/feature/t2.lock",
        "refs/heads/main.lock",
    ];
    for other in others {
        fs::write(git_dir.join(other), "").unwrap();
    }
    drop(open(&fixture));
    assert!(lock.exists(), "a fresh lock may belong to another process");
    let mut later = setup(&fixture);
    later.limits.abandoned = Duration::ZERO;
    let git = GitCli::open(&later).unwrap();
    assert!(!lock.exists(), "the start has swept it");
    for other in others {
        assert!(git_dir.join(other).exists(), "{other} is not ours");
    }
    git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    drop(GitCli::open(&later).unwrap());
    for other in others {
        assert!(git_dir.join(other).exists(), "{other} is not ours");
    }
}

#[test]
fn a_lock_on_a_branch_that_was_never_made_is_gone_once_it_is_old_before_an_agent_works_there() {
    let fixture = GitFixture::new();
    fs::create_dir_all(fixture.project().join(".git/refs/heads/feature")).unwrap();
    let lock = fixture.project().join(".git/refs/heads/feature/t1.lock");
    fs::write(&lock, "").unwrap();
    super::repair::open_later(&fixture)
        .ensure_worktree(&spec("a", on_branch("t1")))
        .unwrap();
    assert!(!lock.exists());
}

/// Commit as git leaves it after a power cut: its lock is on the disk, and the name that the lock was to become is not.
#[test]
fn a_commit_that_only_the_lock_of_its_branch_names_is_kept_before_the_lock_goes() {
    for is_deleted in [false, true] {
        let fixture = GitFixture::new();
        let git = open(&fixture);
        let (worktree, before) = developed(&fixture, &git);
        let done = fixture.commit(&worktree.path, "more.txt", "more\n", "More");
        git.remove_worktree(&name("a"), &saver("t1")).unwrap();
        let refs = fixture.project().join(".git/refs/heads/feature");
        fs::write(refs.join("t1.lock"), format!("{done}\n")).unwrap();
        fs::write(refs.join("t1"), format!("{before}\n")).unwrap();
        let later = super::repair::open_later(&fixture);
        if is_deleted {
            later.delete_branch(
                &branch("feature/t1"),
                &before,
                &base(&later, "main"),
                &saver("t1"),
            );
            assert!(!refs.join("t1").exists());
        } else {
            let made = later.ensure_worktree(&spec("b", on_branch("t1"))).unwrap();
            let saved: Vec<&str> = made.saved.iter().map(|kept| kept.commit.as_str()).collect();
            assert_eq!(saved, [done.as_str()]);
        }
        assert!(!refs.join("t1.lock").exists());
        let control = fixture.state().join("control.git");
        let kept = fixture.git(&control, &["rev-list", "--glob=refs/dbs/attic"]);
        assert!(kept.contains(&done), "{kept}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_known_of_a_lock_stays_known_whenever_the_one_who_writes_beside_it_dies() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    fs::create_dir_all(fixture.project().join(".git/refs/heads/feature")).unwrap();
    let lock = fixture.project().join(".git/refs/heads/feature/t1.lock");
    fs::write(&lock, "").unwrap();
    let notes = fixture.state().join("control.git/project-queue");
    let note = "0 refs/heads/feature/t1.lock\n";
    fs::write(&notes, note).unwrap();
    let (end, ended) = std::sync::mpsc::sync_channel::<()>(1);
    let seen = thread::Builder::new().spawn(move || {
        while ended.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
            let text = fs::read_to_string(&notes).unwrap();
            assert!(text.starts_with(note), "{text:?}");
        }
    });
    for nth in 0..10 {
        git.ensure_worktree(&spec(&format!("w-{nth}"), on_branch(&format!("w{nth}"))))
            .unwrap();
    }
    drop(end);
    seen.unwrap().join().unwrap();
}

#[test]
fn a_lock_that_somebody_held_before_us_is_swept_by_no_start() {
    let fixture = GitFixture::new();
    let mut eager = setup(&fixture);
    eager.limits.abandoned = Duration::ZERO;
    drop(GitCli::open(&eager).unwrap());
    fs::create_dir_all(fixture.project().join(".git/refs/heads/feature")).unwrap();
    let lock = fixture.project().join(".git/refs/heads/feature/t1.lock");
    fs::write(&lock, "").unwrap();
    drop(GitCli::open(&eager).unwrap());
    assert!(lock.exists(), "the lock is older than anything we did");
    // Notes as if a git of ours had been killed later.
    let notes = fixture.state().join("control.git/project-queue");
    fs::write(&notes, "!\n99999999999999 refs/heads/feature/t1.lock").unwrap();
    GitCli::open(&eager).unwrap();
    assert!(lock.exists(), "the lock was there before that git began");
    fs::write(
        &notes,
        "!\n0 ../refs/heads/feature/t1.lock\n0 config\n0 refs/heads/main\nnonsense",
    )
    .unwrap();
    GitCli::open(&eager).unwrap();
    assert!(fixture.project().join(".git/config").exists());
    fs::write(&notes, "!\n0 refs/heads/feature/t1.lock").unwrap();
    GitCli::open(&eager).unwrap();
    assert!(!lock.exists());
}

#[test]
fn a_lock_is_left_alone_while_a_git_of_ours_may_still_be_at_work() {
    let fixture = GitFixture::new();
    let mut eager = setup(&fixture);
    eager.limits.abandoned = Duration::ZERO;
    eager.limits.transfer = Duration::from_secs(2);
    drop(GitCli::open(&eager).unwrap());
    fs::create_dir_all(fixture.project().join(".git/refs/heads/feature")).unwrap();
    let lock = fixture.project().join(".git/refs/heads/feature/t1.lock");
    let notes = fixture.state().join("control.git/project-queue");
    fs::write(&notes, "!\n0 refs/heads/feature/t1.lock").unwrap();
    fs::write(&lock, "").unwrap();
    let held = fs::File::options().read(true).write(true).open(&notes).unwrap();
    held.lock().unwrap();
    let git = GitCli::open(&eager).unwrap();
    assert!(lock.exists(), "the holder of the queue may hold the lock");
    let error = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap_err();
    assert!(error.to_string().contains("another git still works"), "{error}");
    drop(held);
    eager.limits.transfer = Duration::from_mins(1);
    let git = GitCli::open(&eager).unwrap();
    git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
}
