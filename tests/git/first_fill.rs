//! First content of the control repository.

use std::fs;
use std::path::{Path, PathBuf};

use dbs::adapters::git::GitCli;
use dbs::ports::git::{CommitId, Git as _, Head, MergeOutcome, PublishOutcome, PublishRequest, Revision};

use super::{GitFixture, branch, developed, merge_of, open};
use crate::shapes::clone_anew;

/// Returns the files of a folder of objects, relative to it.
fn objects(of: &Path) -> Vec<PathBuf> {
    let root = of.join("objects");
    let mut files = Vec::new();
    for folder in fs::read_dir(&root).unwrap().flatten() {
        if folder.file_name() == "info" || !folder.path().is_dir() {
            continue;
        }
        for file in fs::read_dir(folder.path()).unwrap().flatten() {
            files.push(file.path().strip_prefix(&root).unwrap().to_owned());
        }
    }
    files.sort();
    files
}

/// Makes a project of a few packed commits, and one more that is not packed.
fn packed() -> GitFixture {
    let fixture = GitFixture::new();
    let project = fixture.project();
    for n in 0..20 {
        fixture.commit(&project, &format!("f{n}.txt"), &format!("{n}\n"), "More");
    }
    fixture.git(&project, &["repack", "-a", "-d", "-q"]);
    fixture.commit(&project, "loose.txt", "loose\n", "Loose");
    fixture.git(&project, &["push", "-q", "origin", "main"]);
    fixture
}

fn base(git: &GitCli) -> CommitId {
    let heads = git.resolve_all(&[Revision::RemoteBranch(branch("main"))]);
    let [Head::At(commit)] = heads.as_slice() else {
        panic!("{heads:?}")
    };
    commit.clone()
}

fn control(fixture: &GitFixture) -> PathBuf {
    fixture.state().join("control.git")
}

/// Asserts that the control repository holds everything of the commit.
fn assert_whole(fixture: &GitFixture, commit: &CommitId) {
    fixture.git(
        &control(fixture),
        &["rev-list", "--objects", "--quiet", commit.as_str()],
    );
    fixture.git(&control(fixture), &["fsck", "--connectivity-only"]);
}

#[test]
fn the_objects_of_the_project_are_copied_and_not_fetched_and_outlive_the_project() {
    let fixture = packed();
    let project = fixture.project().join(".git");
    let git = open(&fixture);
    let commit = base(&git);
    assert_eq!(
        objects(&control(&fixture)),
        objects(&project),
        "nothing came twice"
    );
    #[cfg(unix)]
    for file in objects(&project) {
        use std::os::unix::fs::MetadataExt as _;
        let inode = |of: &Path| of.join("objects").join(&file).metadata().unwrap().ino();
        // An agent that may write to the objects of the project changes nothing here.
        assert_ne!(inode(&project), inode(&control(&fixture)), "{}", file.display());
    }
    assert!(!control(&fixture).join("objects/info/alternates").exists());
    fs::remove_dir_all(project.join("objects")).unwrap();
    assert_whole(&fixture, &commit);
}

#[test]
fn only_what_the_project_lacks_comes_from_the_remote() {
    let fixture = packed();
    let newer = fixture.commit_on_origin("main", "newer.txt", "newer\n");
    let git = open(&fixture);
    assert_eq!(base(&git).as_str(), newer);
    assert_whole(&fixture, &CommitId::new(&newer).unwrap());
    let own = objects(&fixture.project().join(".git"));
    let n_new = objects(&control(&fixture))
        .iter()
        .filter(|file| !own.contains(file))
        .count();
    assert_eq!(n_new, 3, "a commit, a tree and a file");
}

/// Works on a branch, merges and publishes it.
fn assert_merges(fixture: &GitFixture, git: &GitCli) {
    let (_, head) = developed(fixture, git);
    let merged = git.merge(&merge_of(&head));
    let MergeOutcome::Merged { commit, base, .. } = merged else {
        panic!("{merged:?}")
    };
    assert_whole(fixture, &commit);
    let publication = PublishRequest {
        commit: commit.clone(),
        base: branch("main"),
        expected: base,
    };
    assert_eq!(git.publish(&publication), PublishOutcome::Done);
    fixture.git(
        &fixture.origin(),
        &["rev-list", "--objects", "--quiet", commit.as_str()],
    );
}

#[test]
fn of_a_shallow_or_partial_clone_nothing_is_shared_and_its_work_is_merged_all_the_same() {
    for option in ["--depth=1", "--filter=blob:none", "--filter=tree:0"] {
        let fixture = packed();
        clone_anew(&fixture, &[option]);
        let git = open(&fixture);
        assert_whole(&fixture, &base(&git));
        assert_merges(&fixture, &git);
    }
}

#[test]
fn a_fetch_of_an_agent_that_makes_the_repository_shallow_is_no_loss() {
    let fixture = packed();
    let project = fixture.project();
    let git = open(&fixture);
    base(&git);
    let origin = format!("file://{}", fixture.origin().display());
    fixture.git(&project, &["fetch", "-q", "--depth=1", &origin, "main"]);
    assert!(
        project.join(".git/shallow").exists(),
        "the repository is shallow now"
    );
    assert_merges(&fixture, &git);
}
