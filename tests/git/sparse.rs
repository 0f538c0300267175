//! A sparse checkout of the person.

use std::fs;

use dbs::adapters::git::GitCli;
use dbs::domain::Tri;
use dbs::ports::git::{DiffRange, Git as _, MergeOutcome, RemoveOutcome, WorkingTree};

use super::{GitFixture, developed, id, merge_of, name, on_branch, open, saver, spec};

/// Makes a project whose checkout has the folder `in` and no file of `out`.
fn sparse() -> (GitFixture, GitCli) {
    let fixture = GitFixture::new();
    let project = fixture.project();
    for file in ["in/a.txt", "out/b.txt", "out/deep/c.txt"] {
        fixture.commit(&project, file, "text\n", "More");
    }
    fixture.git(&project, &["push", "-q", "origin", "main"]);
    fixture.git(&project, &["sparse-checkout", "set", "in"]);
    assert!(!project.join("out").exists());
    let git = open(&fixture);
    (fixture, git)
}

fn files_of(fixture: &GitFixture, commit: &str) -> String {
    let control = fixture.state().join("control.git");
    fixture.git(&control, &["ls-tree", "-r", "--name-only", commit])
}

#[test]
fn a_worktree_holds_what_the_checkout_holds_and_its_merge_keeps_every_file() {
    let (fixture, git) = sparse();
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    assert!(worktree.path.join("in/a.txt").exists());
    assert!(!worktree.path.join("out").exists());
    assert_eq!(fixture.git(&worktree.path, &["status", "--porcelain"]), "");
    let place = WorkingTree::Worktree(name("a"));
    assert_eq!(git.workspace_unchanged(&place, &worktree.start), Tri::Yes);
    fs::write(worktree.path.join("in/a.txt"), "changed\n").unwrap();
    fs::create_dir(worktree.path.join("in/new")).unwrap();
    fs::write(worktree.path.join("in/new/file.txt"), "new\n").unwrap();
    let head = id(&fixture.commit(&worktree.path, "in/more.txt", "more\n", "Work"));
    let MergeOutcome::Merged { commit, .. } = git.merge(&merge_of(&head)) else {
        panic!()
    };
    let files = files_of(&fixture, commit.as_str());
    for file in [
        "in/a.txt",
        "in/more.txt",
        "in/new/file.txt",
        "out/b.txt",
        "out/deep/c.txt",
    ] {
        assert!(files.lines().any(|line| line == file), "{file}: {files}");
    }
}

#[test]
fn what_is_kept_of_a_sparse_worktree_has_the_files_that_were_left_out() {
    let (fixture, git) = sparse();
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    fs::write(worktree.path.join("in/a.txt"), "not committed\n").unwrap();
    fs::create_dir(worktree.path.join("out")).unwrap();
    fs::write(worktree.path.join("out/b.txt"), "written over\n").unwrap();
    let removed = git.remove_worktree(&name("a"), &saver("t1")).unwrap();
    let RemoveOutcome::Removed(Some(kept)) = removed else {
        panic!("{removed:?}")
    };
    let files = files_of(&fixture, kept.commit.as_str());
    assert!(files.contains("out/deep/c.txt"), "{files}");
    let changed = git
        .changed_paths(&DiffRange::Commit { commit: kept.commit })
        .unwrap();
    assert_eq!(changed, ["in/a.txt", "out/b.txt"]);
}

#[test]
fn a_file_that_an_agent_really_deletes_or_replaces_is_gone() {
    let (fixture, git) = sparse();
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    fs::remove_file(worktree.path.join("in/a.txt")).unwrap();
    fs::write(worktree.path.join("out"), "a file in the place of a folder\n").unwrap();
    let RemoveOutcome::Removed(Some(kept)) = git.remove_worktree(&name("a"), &saver("t1")).unwrap() else {
        panic!()
    };
    let files = files_of(&fixture, kept.commit.as_str());
    assert!(!files.contains("in/a.txt") && !files.contains("out/"), "{files}");
    assert!(files.lines().any(|line| line == "out"), "{files}");
}

#[test]
fn an_agent_that_makes_its_own_worktree_sparse_deletes_nothing() {
    let fixture = GitFixture::new();
    let project = fixture.project();
    for file in ["in/a.txt", "out/b.txt"] {
        fixture.commit(&project, file, "text\n", "More");
    }
    fixture.git(&project, &["push", "-q", "origin", "main"]);
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    fixture.git(
        &worktree.path,
        &["sparse-checkout", "set", "--sparse-index", "in"],
    );
    assert!(!worktree.path.join("out").exists());
    let state = git.workspace_tree(&WorkingTree::Worktree(name("a"))).unwrap();
    let tree = fixture.git(&worktree.path, &["rev-parse", "HEAD^{tree}"]);
    assert_eq!(state.tree.as_str(), tree);
}

#[test]
fn the_checkout_of_the_person_has_no_changes_and_gates_see_all_files() {
    let (fixture, git) = sparse();
    let state = git.uncommitted().unwrap();
    assert_eq!((state.changed.len(), state.new.len()), (0, 0), "{state:?}");
    let (_, head) = developed(&fixture, &git);
    let gates = git.checkout_clean(&head, &fixture.root().join("gates")).unwrap();
    assert!(gates.path.join("out/deep/c.txt").exists());
}
