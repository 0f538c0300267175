//! Files that a program converts on their way to the disk and back: they are converted as by the person's own git, or not at all.

use std::fs;

use dbs::domain::Tri;
use dbs::ports::git::{
    CommitOutcome, CommitRequest, Git, MergeOutcome, RemoveOutcome, WorkingTree, WorktreeKind,
};

use super::{GitFixture, branch, file_at, id, merge_of, name, on_branch, open, saver, signature, spec};

const ROT: &str = "tr a-z n-za-m";

/// Sets the filter `rot` in a file of settings.
fn set_rot(fixture: &GitFixture, file: &str, command: &str) {
    for part in ["clean", "smudge"] {
        let key = format!("filter.rot.{part}");
        fixture.git(&fixture.project(), &["config", "--file", file, &key, command]);
    }
}

/// Makes a project with `secret.txt`, which is `hello` on the disk and `uryyb` in the repository, and the person's filter for it.
fn rotated() -> GitFixture {
    let fixture = GitFixture::new();
    set_rot(&fixture, fixture.personal_config().to_str().unwrap(), ROT);
    let project = fixture.project();
    fs::write(project.join(".gitattributes"), "*.txt filter=rot\n").unwrap();
    fixture.commit(&project, "secret.txt", "hello\n", "Secret");
    assert_eq!(
        fixture.git(&project, &["cat-file", "-p", "HEAD:secret.txt"]),
        "uryyb"
    );
    fixture.git(&project, &["push", "-q", "origin", "main"]);
    fixture
}

#[test]
fn a_filter_of_the_person_converts_files_on_their_way_out_and_back_once() {
    let fixture = rotated();
    let git = open(&fixture);
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    let secret = worktree.path.join("secret.txt");
    assert_eq!(fs::read_to_string(&secret).unwrap(), "hello\n");
    let place = WorkingTree::Worktree(name("a"));
    assert_eq!(git.workspace_unchanged(&place, &worktree.start), Tri::Yes);
    assert_eq!(fixture.git(&worktree.path, &["status", "--porcelain"]), "");
    fs::write(worktree.path.join("new.txt"), "abc\n").unwrap();
    let kept = git.snapshot(&place, &saver("t1")).unwrap();
    let control = fixture.state().join("control.git");
    let stored =
        |commit: &str, path: &str| fixture.git(&control, &["cat-file", "-p", &format!("{commit}:{path}")]);
    assert_eq!(stored(kept.commit.as_str(), "new.txt"), "nop");
    assert_eq!(stored(kept.commit.as_str(), "secret.txt"), "uryyb");
    let head = id(&fixture.commit(&worktree.path, "secret.txt", "hello you\n", "Change"));
    let MergeOutcome::Merged { commit, .. } = git.merge(&merge_of(&head)) else {
        panic!()
    };
    assert_eq!(stored(commit.as_str(), "secret.txt"), "uryyb lbh");
    let checkout = git
        .checkout_clean(&commit, &fixture.root().join("checkout"))
        .unwrap();
    assert_eq!(
        fs::read_to_string(checkout.path.join("secret.txt")).unwrap(),
        "hello you\n"
    );
}

#[test]
fn attributes_of_the_person_count_as_well() {
    let fixture = GitFixture::new();
    let attributes = fixture.root().join("home/attributes");
    fs::write(&attributes, "*.md filter=rot\n").unwrap();
    let personal = fixture.personal_config();
    let personal = personal.to_str().unwrap();
    set_rot(&fixture, personal, ROT);
    let set = ["config", "--file", personal, "core.attributesFile"];
    fixture.git(
        &fixture.root(),
        &[&set[..], &[attributes.to_str().unwrap()]].concat(),
    );
    let git = open(&fixture);
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    let readme = fs::read_to_string(worktree.path.join("README.md")).unwrap();
    assert_eq!(readme, "uryyb\n", "it was committed without the filter");
    let place = WorkingTree::Worktree(name("a"));
    assert_eq!(git.workspace_unchanged(&place, &worktree.start), Tri::Yes);
}

/// Takes the filter away from the person and gives it to the repository, with a program that leaves a mark.
fn hand_over(fixture: &GitFixture) -> std::path::PathBuf {
    let mark = fixture.root().join("executed");
    fs::write(fixture.personal_config(), "").unwrap();
    let config = fixture.project().join(".git/config");
    let command = format!("touch {}; {ROT}", mark.display());
    set_rot(fixture, config.to_str().unwrap(), &command);
    mark
}

#[test]
fn a_filter_that_only_the_repository_names_is_refused_and_not_run() {
    let fixture = rotated();
    let mark = hand_over(&fixture);
    let git = open(&fixture);
    let error = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap_err();
    let said = error.to_string();
    assert!(
        said.contains("filter rot") && said.contains("git config --global"),
        "{said}"
    );
    assert!(!fixture.project().join(".debussy-worktrees/a").exists());
    let commit = id(&fixture.git(&fixture.origin(), &["rev-parse", "main"]));
    let error = git.checkout_clean(&commit, &fixture.root().join("checkout"));
    assert!(error.unwrap_err().to_string().contains("filter rot"));
    assert!(!mark.exists());
    // The way out works without a restart.
    set_rot(&fixture, fixture.personal_config().to_str().unwrap(), ROT);
    git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap_err();
    let config = fixture.project().join(".git/config");
    set_rot(&fixture, config.to_str().unwrap(), ROT);
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    let secret = fs::read_to_string(worktree.path.join("secret.txt")).unwrap();
    assert_eq!(secret, "hello\n");
}

#[test]
fn a_filter_that_the_repository_gets_later_is_not_run_either_and_what_an_agent_left_is_not_committed() {
    let fixture = rotated();
    fs::write(fixture.personal_config(), "").unwrap();
    let git = open(&fixture);
    git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    let mark = hand_over(&fixture);
    let folder = fixture.project().join(".debussy-worktrees/a");
    fs::write(folder.join("new.txt"), "abc\n").unwrap();
    let request = CommitRequest {
        folder: name("a"),
        branch: branch("feature/t1"),
        task: name("t1"),
        attempt: name("17"),
        start: "[t1]".to_owned(),
        agent: None,
        title: "Leftovers".to_owned(),
        text: String::new(),
        signature: signature(),
    };
    let refused = git.commit_leftovers(&request).unwrap();
    assert!(
        matches!(&refused, CommitOutcome::Refused(why) if why.contains("filter rot")),
        "{refused:?}"
    );
    let error = git.ensure_worktree(&spec("b", on_branch("t2"))).unwrap_err();
    assert!(error.to_string().contains("filter rot"), "{error}");
    let removed = git.remove_worktree(&name("a"), &saver("t1")).unwrap();
    let RemoveOutcome::Removed(Some(kept)) = removed else {
        panic!("{removed:?}")
    };
    assert_eq!(file_at(&fixture, &kept.commit, "new.txt"), "abc", "kept as it is");
    assert!(!mark.exists());
}

#[test]
fn a_filter_asked_for_by_the_private_attributes_of_the_repository_is_refused() {
    let fixture = GitFixture::new();
    set_rot(&fixture, fixture.personal_config().to_str().unwrap(), ROT);
    let git = open(&fixture);
    let info = fixture.project().join(".git/info/attributes");
    fs::write(info, b"# \xff\n*.md filter=rot\n").unwrap();
    let error = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap_err();
    assert!(error.to_string().contains("info/attributes"), "{error}");
}

#[test]
fn a_filter_nobody_asks_for_is_in_nobodys_way() {
    let fixture = GitFixture::new();
    let mark = hand_over(&fixture);
    let git = open(&fixture);
    git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    assert!(!mark.exists());
}

#[test]
fn files_in_lfs_are_there_and_go_back_as_pointers() {
    let fixture = GitFixture::new();
    let project = fixture.project();
    if !fixture.try_git(&project, &["lfs", "version"]).status.success() {
        eprintln!("skipped: git-lfs is not installed");
        return;
    }
    fixture.git(&project, &["lfs", "install", "--skip-repo"]);
    fixture.git(&project, &["lfs", "track", "*.bin"]);
    fixture.commit(&project, "large.bin", "large\n", "In LFS");
    fixture.git(&project, &["push", "-q", "origin", "main"]);
    let git = open(&fixture);
    let review = WorktreeKind::Detached(dbs::ports::git::Revision::RemoteBranch(branch("main")));
    let worktree = git.ensure_worktree(&spec("r", review)).unwrap();
    let large = worktree.path.join("large.bin");
    assert_eq!(fs::read_to_string(&large).unwrap(), "large\n");
    let place = WorkingTree::Worktree(name("r"));
    assert_eq!(git.workspace_unchanged(&place, &worktree.start), Tri::Yes);
    fs::write(&large, "larger\n").unwrap();
    let kept = git.snapshot(&place, &saver("t1")).unwrap();
    assert!(file_at(&fixture, &kept.commit, "large.bin").starts_with("version https://git-lfs"));
}
