//! Worktrees that are damaged or half-made: a start repairs them, and nothing in them is lost.

use std::fs;
use std::path::Path;
use std::time::Duration;

use dbs::adapters::git::{GitCli, GitSetup};
use dbs::ports::git::{Git, RemoveOutcome, WorkingTree, WorktreeOrigin};

use super::{GitFixture, developed, file_at, name, on_branch, open, saver, setup, spec};

/// Opens the adapter as a start does, long after everything else.
pub(crate) fn open_later(fixture: &GitFixture) -> GitCli {
    let mut later = setup(fixture);
    later.limits.abandoned = Duration::ZERO;
    GitCli::open(&later).unwrap()
}

pub(crate) fn assert_sound(fixture: &GitFixture, when: &str) {
    for repository in [fixture.project(), fixture.state().join("control.git")] {
        let checked = fixture.try_git(&repository, &["fsck", "--no-dangling", "--no-progress"]);
        let said = String::from_utf8_lossy(&checked.stderr);
        assert!(checked.status.success(), "{when}: {said}");
    }
}

/// Damage to a registration and to the folder of its worktree.
type Damage = fn(&Path, &Path);

const DAMAGES: &[(&str, Damage)] = &[
    ("empty commondir", |git_dir, _| {
        fs::write(git_dir.join("commondir"), "").unwrap();
    }),
    ("no commondir", |git_dir, _| {
        fs::remove_file(git_dir.join("commondir")).unwrap();
    }),
    ("no HEAD", |git_dir, _| {
        fs::remove_file(git_dir.join("HEAD")).unwrap();
    }),
    ("empty HEAD", |git_dir, _| {
        fs::write(git_dir.join("HEAD"), "").unwrap();
    }),
    ("no HEAD and no log", |git_dir, _| {
        fs::remove_file(git_dir.join("HEAD")).unwrap();
        fs::remove_dir_all(git_dir.join("logs")).unwrap();
    }),
    ("no path", |git_dir, _| {
        fs::remove_file(git_dir.join("gitdir")).unwrap();
    }),
    ("empty path", |git_dir, _| {
        fs::write(git_dir.join("gitdir"), "").unwrap();
    }),
    ("locked HEAD", |git_dir, _| {
        fs::write(git_dir.join("HEAD.lock"), "").unwrap();
    }),
    ("no .git", |_, folder| {
        fs::remove_file(folder.join(".git")).unwrap();
    }),
    ("empty .git", |_, folder| {
        fs::write(folder.join(".git"), "").unwrap();
    }),
    ("all of it", |git_dir, folder| {
        for file in ["commondir", "HEAD", "HEAD.lock"] {
            fs::write(git_dir.join(file), "").unwrap();
        }
        fs::remove_file(folder.join(".git")).unwrap();
    }),
];

#[test]
fn a_damaged_worktree_is_repaired_by_the_next_start_and_goes_with_a_copy() {
    for (what, damage) in DAMAGES {
        let fixture = GitFixture::new();
        let git = open(&fixture);
        let (worktree, commit) = developed(&fixture, &git);
        fs::write(worktree.path.join("unsaved.txt"), "precious").unwrap();
        drop(git);
        let git_dir = fixture.project().join(".git/worktrees/a");
        damage(&git_dir, &worktree.path);
        let git = open_later(&fixture);
        assert_sound(&fixture, what);
        assert!(!git_dir.join("HEAD.lock").exists(), "{what}");
        let listed = git.worktrees().unwrap();
        assert!(
            listed.iter().any(|entry| entry.checked_out.is_some()),
            "{what}: {listed:?}"
        );
        git.preflight().unwrap();
        git.workspace_tree(&WorkingTree::Worktree(name("a"))).unwrap();
        let removed = git.remove_worktree(&name("a"), &saver("t1")).unwrap();
        let RemoveOutcome::Removed(Some(kept)) = removed else {
            panic!("{what}: {removed:?}")
        };
        assert_eq!(
            file_at(&fixture, &kept.commit, "unsaved.txt"),
            "precious",
            "{what}"
        );
        assert_eq!(file_at(&fixture, &kept.commit, "work.txt"), "work", "{what}");
        assert!(!git_dir.exists() && !worktree.path.exists(), "{what}");
        let head = fixture.git(&fixture.project(), &["rev-parse", "feature/t1"]);
        assert_eq!(head, commit.to_string(), "{what}");
        git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
        assert_sound(&fixture, what);
    }
}

#[test]
fn damage_done_while_we_run_is_repaired_by_the_next_call() {
    for (what, damage) in DAMAGES
        .iter()
        .filter(|(what, _)| !what.contains("locked") && !what.contains("all"))
    {
        let fixture = GitFixture::new();
        let git = open(&fixture);
        let (worktree, _) = developed(&fixture, &git);
        fs::write(worktree.path.join("unsaved.txt"), "precious").unwrap();
        damage(&fixture.project().join(".git/worktrees/a"), &worktree.path);
        let removed = git.remove_worktree(&name("a"), &saver("t1")).unwrap();
        let RemoveOutcome::Removed(Some(kept)) = removed else {
            panic!("{what}: {removed:?}")
        };
        assert_eq!(
            file_at(&fixture, &kept.commit, "unsaved.txt"),
            "precious",
            "{what}"
        );
    }
}

/// Files of a registration as a killed `git worktree add` leaves them, and whether the worktree has its link.
const HALF_MADE: &[(&[(&str, &str)], bool)] = &[
    (&[], false),
    (&[("locked", "initializing")], false),
    (&[("locked", "initializing"), ("gitdir", "")], false),
    (&[("locked", "initializing"), ("gitdir", "PATH/.git\n")], false),
    (&[("locked", "initializing"), ("gitdir", "PATH/.git\n")], true),
    (
        &[("locked", ""), ("gitdir", "PATH/.git\n"), ("commondir", "")],
        true,
    ),
    (
        &[
            ("gitdir", "PATH/.git\n"),
            ("commondir", "../..\n"),
            ("HEAD.lock", ""),
        ],
        true,
    ),
];

#[test]
fn what_a_killed_git_had_made_of_a_worktree_is_gone_after_the_next_start() {
    for (files, has_link) in HALF_MADE {
        let fixture = GitFixture::new();
        drop(open(&fixture));
        let git_dir = fixture.project().join(".git/worktrees/a");
        let folder = fixture.project().join(".debussy-worktrees/a");
        fs::create_dir_all(&git_dir).unwrap();
        fs::create_dir_all(folder.parent().unwrap()).unwrap();
        for (file, text) in *files {
            let text = text.replace("PATH", folder.to_str().unwrap());
            fs::write(git_dir.join(file), text).unwrap();
        }
        if *has_link {
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join(".git"), format!("gitdir: {}\n", git_dir.display())).unwrap();
        }
        let git = open_later(&fixture);
        assert!(!git_dir.exists(), "{files:?}");
        assert!(!folder.exists(), "{files:?}");
        assert_sound(&fixture, "half-made");
        git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    }
}

#[test]
fn worktrees_of_others_stay_as_they_are_but_git_works_again() {
    let fixture = GitFixture::new();
    drop(open(&fixture));
    let project = fixture.project();
    for other in ["one", "two", "three"] {
        let path = fixture.root().join(other);
        fixture.git(
            &project,
            &["worktree", "add", "-q", "--detach", path.to_str().unwrap()],
        );
    }
    let registered = project.join(".git/worktrees");
    fs::write(registered.join("one/commondir"), "").unwrap();
    fs::remove_file(registered.join("two/HEAD")).unwrap();
    fs::write(registered.join("two/HEAD.lock"), "").unwrap();
    fs::remove_file(fixture.root().join("two/.git")).unwrap();
    fs::remove_file(registered.join("three/gitdir")).unwrap();
    fs::write(
        registered.join("three/locked"),
        "on a disk that is not plugged in",
    )
    .unwrap();
    assert!(!fixture.try_git(&project, &["worktree", "list"]).status.success());
    let git = open(&fixture);
    assert_eq!(
        fs::read_to_string(registered.join("one/commondir")).unwrap(),
        "",
        "another git may be at work there"
    );
    drop(git);
    open_later(&fixture).worktrees().unwrap();
    fixture.git(&fixture.root().join("one"), &["status"]);
    assert!(!registered.join("two/HEAD").exists() && registered.join("two/HEAD.lock").exists());
    assert!(registered.join("three").exists());
}

#[test]
fn commits_that_only_a_broken_registration_remembers_are_kept() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    let thrown = fixture.commit(&worktree.path, "thrown.txt", "thrown", "Thrown away");
    fixture.git(&worktree.path, &["reset", "-q", "--hard", "HEAD~1"]);
    drop(git);
    fs::remove_file(fixture.project().join(".git/worktrees/a/gitdir")).unwrap();
    fs::remove_file(worktree.path.join(".git")).unwrap();
    drop(open_later(&fixture));
    assert!(!fixture.project().join(".git/worktrees/a").exists());
    let control = fixture.state().join("control.git");
    let kept = fixture.git(&control, &["rev-list", "--all"]);
    assert!(kept.contains(&thrown));
    assert!(worktree.path.join("work.txt").exists(), "files are not touched");
}

#[test]
fn the_lock_that_a_killed_commit_left_on_a_branch_is_gone_before_the_next_agent_works_there() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    let branch = fixture.git(&worktree.path, &["symbolic-ref", "HEAD"]);
    let lock = fixture.project().join(format!(".git/{}.lock", branch.trim()));
    git.remove_worktree(&name("a"), &saver("t1")).unwrap();
    fs::write(&lock, "").unwrap();
    let refused = git.ensure_worktree(&spec("b", on_branch("t1"))).unwrap_err();
    assert!(
        refused.to_string().contains("less than a minute ago"),
        "{refused}"
    );
    assert!(lock.exists(), "a git of a person may hold it");

    let git = open_later(&fixture);
    let made = git.ensure_worktree(&spec("b", on_branch("t1"))).unwrap();
    assert!(!lock.exists());
    fixture.commit(&made.path, "more.txt", "more\n", "More");
    fs::write(&lock, "").unwrap();
    git.ensure_worktree(&spec("b", on_branch("t1"))).unwrap();
    assert!(!lock.exists(), "the next agent goes on in the same folder");
}

#[test]
fn a_worktree_is_found_again_after_the_project_was_moved_with_it_or_without_it() {
    for is_inside in [true, false] {
        let fixture = GitFixture::new();
        let beside = fixture.root().join("project.dbs");
        let opened = |project: &Path| {
            let mut setup = GitSetup::new(project, fixture.environment());
            if !is_inside {
                setup.roots.new = Some(beside.clone());
            }
            GitCli::open(&setup).unwrap()
        };
        let git = opened(&fixture.project());
        let made = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
        fs::write(made.path.join("work.txt"), "precious").unwrap();
        let moved = fixture.root().join("moved");
        fs::rename(fixture.project(), &moved).unwrap();
        let git = opened(&moved);
        let found = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
        assert_eq!(found.origin, WorktreeOrigin::Found, "{is_inside}");
        assert_eq!(
            fs::read_to_string(found.path.join("work.txt")).unwrap(),
            "precious"
        );
        let status = fixture.git(&found.path, &["status", "--porcelain"]);
        assert_eq!(status, "?? work.txt");
        let listed = fixture.git(&moved, &["worktree", "list"]);
        assert!(
            listed.lines().count() == 2 && !listed.contains("prunable"),
            "{listed}"
        );
    }
}
