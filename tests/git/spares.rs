//! Files of removed worktrees, which serve the next worktrees.
#![expect(
    clippy::disallowed_methods,
    reason = "the door of this file: git with an index of its own, a pipe, and a process that is left"
)]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use dbs::adapters::git::GitCli;
use dbs::ports::git::{CommitId, Git as _, RemoveOutcome, Revision, Worktree, WorktreeKind};

use super::{GitFixture, id, name, on_branch, saver, setup, spec};

/// Makes a project of a few files, in which every worktree is large enough to be used again.
fn project() -> (GitFixture, GitCli) {
    let fixture = GitFixture::new();
    let project = fixture.project();
    for file in [
        "same.txt",
        "changed.txt",
        "deep/er/a.txt",
        "folder/b.txt",
        "gone.txt",
    ] {
        fixture.commit(&project, file, "text\n", "More");
    }
    fixture.git(&project, &["push", "-q", "origin", "main"]);
    let mut setup = setup(&fixture);
    setup.limits.spare = 0;
    let git = GitCli::open(&setup).unwrap();
    (fixture, git)
}

fn inode(worktree: &Worktree) -> u64 {
    worktree.path.join("same.txt").metadata().unwrap().ino()
}

fn remove(git: &GitCli, folder: &str) {
    let removed = git.remove_worktree(&name(folder), &saver("t1")).unwrap();
    assert!(matches!(removed, RemoveOutcome::Removed(_)), "{removed:?}");
}

fn spares(fixture: &GitFixture) -> Vec<PathBuf> {
    let entries = fs::read_dir(fixture.state().join("spares"))
        .into_iter()
        .flatten()
        .flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect()
}

/// Asserts that the worktree has the files of its commit and nothing else, whatever git ignores.
fn assert_as_made(fixture: &GitFixture, worktree: &Worktree) {
    let listed = fixture.git(
        &worktree.path,
        &["status", "--porcelain", "--ignored", "--untracked-files=all"],
    );
    assert_eq!(listed, "");
    let index = fixture.root().join("fresh-index");
    let mut compare = Command::new("git");
    compare.args(["read-tree", "HEAD"]).current_dir(&worktree.path);
    compare
        .env_clear()
        .envs(fixture.environment())
        .env("GIT_INDEX_FILE", &index);
    assert!(compare.status().unwrap().success());
    let mut compare = Command::new("git");
    compare.args(["diff-files", "--stat"]).current_dir(&worktree.path);
    compare
        .env_clear()
        .envs(fixture.environment())
        .env("GIT_INDEX_FILE", &index);
    let output = compare.output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "",
        "read again, byte by byte"
    );
    fs::remove_file(index).unwrap();
}

/// Leaves what an agent may leave: changes of every kind, in ways that are hard to notice.
fn wreck(fixture: &GitFixture, worktree: &Worktree) {
    let at = |file: &str| worktree.path.join(file);
    let before = at("changed.txt").metadata().unwrap();
    fs::write(at("changed.txt"), "TEXT\n").unwrap();
    let touched = fs::File::options().write(true).open(at("changed.txt")).unwrap();
    touched.set_modified(before.modified().unwrap()).unwrap();
    fs::set_permissions(at("deep/er/a.txt"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::remove_dir_all(at("folder")).unwrap();
    symlink(fixture.root(), at("folder")).unwrap();
    fs::remove_file(at("gone.txt")).unwrap();
    fs::create_dir_all(at("gone.txt/in/the/way")).unwrap();
    fs::write(at(".gitignore"), "build/\n").unwrap();
    fs::create_dir(at("build")).unwrap();
    fs::write(at("build/cache"), "ignored").unwrap();
    fixture.git(&worktree.path, &["init", "-q", "nested"]);
    fs::write(at("nested/file"), "in a repository of its own").unwrap();
    let made = Command::new("mkfifo").arg(at("pipe")).status().unwrap();
    assert!(made.success());
    fixture.git(
        &worktree.path,
        &["update-index", "--assume-unchanged", "changed.txt"],
    );
}

#[test]
fn a_worktree_is_made_of_the_files_of_a_removed_one_and_nothing_that_an_agent_left() {
    let (fixture, git) = project();
    let first = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    let same = inode(&first);
    wreck(&fixture, &first);
    remove(&git, "a");
    assert!(!first.path.exists());
    assert_eq!(spares(&fixture).len(), 1);
    fixture.commit_on_origin("main", "deep/new.txt", "new\n");
    let second = git.ensure_worktree(&spec("b", on_branch("t2"))).unwrap();
    assert_eq!(inode(&second), same, "it was used again");
    assert_as_made(&fixture, &second);
    assert!(second.path.join("deep/new.txt").exists());
    assert_eq!(spares(&fixture), Vec::<PathBuf>::new());
    // The same once more, from a worktree that was made that way.
    fixture.commit(&second.path, "work.txt", "work\n", "Work");
    remove(&git, "b");
    let third = git.ensure_worktree(&spec("c", on_branch("t3"))).unwrap();
    assert_eq!(inode(&third), same);
    assert_as_made(&fixture, &third);
}

#[test]
fn a_file_with_another_name_elsewhere_is_written_again() {
    let (fixture, git) = project();
    let first = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    let kept = fixture.root().join("another-name");
    fs::hard_link(first.path.join("changed.txt"), &kept).unwrap();
    remove(&git, "a");
    let second = git.ensure_worktree(&spec("b", on_branch("t2"))).unwrap();
    fs::write(&kept, "from outside\n").unwrap();
    assert_as_made(&fixture, &second);
}

#[test]
fn reviews_get_new_files() {
    let (fixture, git) = project();
    let first = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    let same = inode(&first);
    let head: CommitId = id(&fixture.git(&first.path, &["rev-parse", "HEAD"]));
    remove(&git, "a");
    let kind = WorktreeKind::Detached(Revision::Commit(head));
    let review = git.ensure_worktree(&spec("b", kind)).unwrap();
    assert_ne!(inode(&review), same);
    assert_eq!(spares(&fixture).len(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_in_which_a_process_is_left_is_not_used_again() {
    let (fixture, git) = project();
    let first = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    let same = inode(&first);
    let mut left = Command::new("cat");
    left.current_dir(first.path.join("deep")).stdin(Stdio::piped());
    let mut left = left.spawn().unwrap();
    remove(&git, "a");
    let second = git.ensure_worktree(&spec("b", on_branch("t2"))).unwrap();
    drop(left.stdin.take());
    left.wait().unwrap();
    assert_ne!(inode(&second), same);
    assert_as_made(&fixture, &second);
}

#[test]
fn a_spare_that_cannot_be_brought_to_the_commit_is_given_up_and_the_worktree_is_made_anew() {
    let (fixture, git) = project();
    for damages_index in [true, false] {
        let first = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
        let same = inode(&first);
        remove(&git, "a");
        let [spare] = &spares(&fixture)[..] else { panic!() };
        if damages_index {
            fs::write(Path::new(spare).with_added_extension("index"), "no index").unwrap();
        } else {
            fs::write(spare.join("planted.txt"), "planted").unwrap();
        }
        let second = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
        assert_eq!(second.path, first.path);
        assert_ne!(inode(&second), same);
        assert_as_made(&fixture, &second);
        remove(&git, "a");
    }
}

#[test]
fn what_another_process_left_in_the_middle_goes_with_the_next_removal() {
    let (fixture, git) = project();
    let left =
        ["claimed-1-new-0", "deleted-1-gone-1-0"].map(|name| fixture.state().join("spares").join(name));
    for folder in &left {
        fs::create_dir_all(folder.join("files")).unwrap();
    }
    git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    remove(&git, "a");
    assert!(!left.iter().any(|folder| folder.exists()));
}

#[test]
fn few_are_kept_and_none_of_a_small_project() {
    let (fixture, git) = project();
    for n in 0..4 {
        let folder = format!("w{n}");
        git.ensure_worktree(&spec(&folder, on_branch(&folder))).unwrap();
    }
    for n in 0..4 {
        remove(&git, &format!("w{n}"));
    }
    assert_eq!(spares(&fixture).len(), 2);
    let fixture = GitFixture::new();
    let git = super::open(&fixture);
    git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    remove(&git, "a");
    assert_eq!(spares(&fixture), Vec::<PathBuf>::new());
}

#[test]
fn files_of_removed_worktrees_that_a_killed_process_left_are_deleted_with_the_next_one() {
    let fixture = GitFixture::new();
    let git = GitCli::open(&setup(&fixture)).unwrap();
    let aside = fixture.state().join("spares");
    fs::create_dir_all(aside.join("gone-1/deep")).unwrap();
    fs::write(aside.join("gone-1/deep/a.txt"), "left\n").unwrap();
    let worktree = git
        .ensure_worktree(&spec("next", on_branch("feature/next")))
        .unwrap();
    fs::write(worktree.path.join("more.txt"), "more\n").unwrap();
    remove(&git, "next");
    assert!(!worktree.path.exists());
    assert_eq!(spares(&fixture), [] as [PathBuf; 0]);
}
