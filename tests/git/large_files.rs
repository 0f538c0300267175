//! Files of Git LFS, with the real program and a remote in a folder.
use std::fs;

use dbs::ports::git::{Git, MergeOutcome, PublishOutcome, PublishRequest, PushOutcome};

use super::{GitFixture, branch, id, merge_of, on_branch, open, spec};

/// Makes a project whose person has set up Git LFS, with one such file on `main`.
fn with_lfs() -> GitFixture {
    let fixture = GitFixture::new();
    let project = fixture.project();
    fixture.git(&project, &["lfs", "install", "--skip-repo"]);
    fs::write(
        project.join(".gitattributes"),
        "*.bin filter=lfs diff=lfs merge=lfs -text\n",
    )
    .unwrap();
    fixture.commit(&project, "old.bin", &"old ".repeat(5_000), "Track large files");
    fixture.git(&project, &["lfs", "push", "origin", "main"]);
    fixture.git(&project, &["push", "-q", "origin", "main"]);
    fixture
}

#[test]
#[cfg_attr(not(has_git_lfs), ignore = "there is no git-lfs")]
fn a_large_file_is_whole_in_a_fresh_clone_after_the_branch_and_after_the_merge() {
    let fixture = with_lfs();
    let git = open(&fixture);
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    let text = "large ".repeat(10_000);
    let head = id(&fixture.commit(&worktree.path, "big.bin", &text, "Add a picture"));
    let pointer = fixture.git(&worktree.path, &["show", "HEAD:big.bin"]);
    assert!(pointer.contains("oid sha256:"), "{pointer}");
    assert_eq!(
        git.push_branch(&branch("feature/t1"), None),
        PushOutcome::Pushed(head.clone())
    );
    let MergeOutcome::Merged { commit, base, .. } = git.merge(&merge_of(&head)) else {
        panic!("not merged");
    };
    let publication = PublishRequest {
        commit,
        base: branch("main"),
        expected: base,
    };
    assert_eq!(git.publish(&publication), PublishOutcome::Done);
    for (name, at) in [("of-branch", "feature/t1"), ("of-base", "main")] {
        let clone = fixture.root().join(name);
        let origin = format!("file://{}", fixture.origin().display());
        fixture.git(
            &fixture.root(),
            &["clone", "-q", "-b", at, &origin, &clone.to_string_lossy()],
        );
        assert_eq!(fs::read_to_string(clone.join("big.bin")).unwrap(), text, "{at}");
    }
}

#[test]
#[cfg_attr(not(has_git_lfs), ignore = "there is no git-lfs")]
fn a_commit_that_names_a_large_file_which_is_nowhere_is_not_pushed() {
    let fixture = with_lfs();
    let git = open(&fixture);
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    let text = "large ".repeat(10_000);
    let head = id(&fixture.commit(&worktree.path, "big.bin", &text, "Add a picture"));
    assert_eq!(git.refused_objects(&head, None).unwrap(), None);
    let objects = fixture.project().join(".git/lfs/objects");
    let known = fixture.git(&worktree.path, &["show", "HEAD:big.bin"]);
    let object = known
        .lines()
        .find_map(|line| line.strip_prefix("oid sha256:"))
        .unwrap();
    fs::remove_file(
        objects
            .join(object.get(..2).unwrap())
            .join(object.get(2..4).unwrap())
            .join(object),
    )
    .unwrap();
    let why = git.refused_objects(&head, None).unwrap().unwrap_or_default();
    assert!(
        why.starts_with("big.bin names the large file") && why.contains(object) && why.contains("git add"),
        "{why}"
    );
    let end = git.push_branch(&branch("feature/t1"), None);
    assert!(
        matches!(&end, PushOutcome::Unknown(why) if why.text.contains("large files")),
        "{end:?}"
    );
    let there = fixture.try_git(&fixture.origin(), &["rev-parse", "--verify", "-q", "feature/t1"]);
    assert!(!there.status.success(), "the pointer must not be there alone");
}

#[test]
#[cfg_attr(not(has_git_lfs), ignore = "there is no git-lfs")]
fn a_text_with_the_line_of_a_pointer_names_no_large_file() {
    let fixture = with_lfs();
    let git = open(&fixture);
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    let text = format!("An example:\noid sha256:{}\n", "a".repeat(64));
    let head = id(&fixture.commit(&worktree.path, "notes.txt", &text, "Notes"));
    assert_eq!(git.refused_objects(&head, None).unwrap(), None);
    assert_eq!(
        git.push_branch(&branch("feature/t1"), None),
        PushOutcome::Pushed(head)
    );
}
