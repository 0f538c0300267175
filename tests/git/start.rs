//! Opening, preflight, exclusion of the engine's folders.

use std::fs;

use dbs::adapters::git::{GitCli, GitSetup};
use dbs::ports::git::{CheckedOut, DefaultBranch, Git, PreflightError};

use super::{GitFixture, branch, id, open, setup};

#[test]
fn a_good_repository_passes_preflight() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let found = git.preflight().unwrap();
    assert_eq!(found.root, fixture.project());
    assert_eq!(found.checked_out, CheckedOut::Branch(branch("main")));
    assert_eq!(found.identity, "Fixture <fixture@example.org>");
    assert_eq!(git.default_branch(), DefaultBranch::Named(branch("main")));
}

#[test]
fn a_folder_without_a_repository_is_named_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = GitFixture::new();
    let error = GitCli::open(&GitSetup::new(folder.path(), fixture.environment()))
        .err()
        .unwrap();
    assert!(matches!(error, PreflightError::NotARepository(_)), "{error}");
    assert!(error.to_string().contains("git init"));
}

#[test]
fn a_repository_without_origin_is_named_with_the_way_out() {
    let fixture = GitFixture::new();
    fixture.git(&fixture.project(), &["remote", "remove", "origin"]);
    let error = GitCli::open(&setup(&fixture)).err().unwrap();
    assert_eq!(error, PreflightError::NoOrigin);
    assert!(error.to_string().contains("git remote add origin"));
}

#[test]
fn a_missing_git_is_named_with_the_way_out() {
    let fixture = GitFixture::new();
    let mut setup = setup(&fixture);
    setup.program = "git-that-is-not-there".into();
    let error = GitCli::open(&setup).err().unwrap();
    assert!(matches!(error, PreflightError::NoGit(_)), "{error}");
}

#[test]
fn a_missing_identity_is_named_with_the_way_out() {
    let fixture = GitFixture::new();
    fixture.git(&fixture.project(), &["config", "--unset", "user.email"]);
    assert_eq!(open(&fixture).preflight().err(), Some(PreflightError::NoIdentity));
}

#[test]
fn unborn_and_detached_checkouts_are_told_apart() {
    let fixture = GitFixture::unborn();
    let git = open(&fixture);
    assert_eq!(
        git.preflight().unwrap().checked_out,
        CheckedOut::Unborn("main".to_owned())
    );
    let commit = fixture.commit(&fixture.project(), "a", "a\n", "A");
    fixture.git(&fixture.project(), &["checkout", "-q", "--detach"]);
    assert_eq!(
        git.preflight().unwrap().checked_out,
        CheckedOut::Detached(id(&commit))
    );
}

#[test]
fn a_changed_origin_is_refused_until_a_person_accepts_it() {
    let fixture = GitFixture::new();
    drop(open(&fixture));
    fixture.git(
        &fixture.project(),
        &[
            "remote",
            "set-url",
            "origin",
            "https://me:secret@example.org/x.git",
        ],
    );
    let git = open(&fixture);
    let error = git.preflight().err().unwrap();
    assert!(matches!(error, PreflightError::OriginChanged { .. }), "{error}");
    assert!(!error.to_string().contains("secret"));
    git.accept_origin().unwrap();
    assert_eq!(git.preflight().unwrap().origin, "https://example.org/x.git");
    assert_eq!(
        open(&fixture).preflight().unwrap().origin,
        "https://example.org/x.git"
    );
}

#[test]
fn the_engines_folders_are_excluded_privately_and_once() {
    let fixture = GitFixture::new();
    drop(open(&fixture));
    drop(open(&fixture));
    let text = fs::read_to_string(fixture.project().join(".git/info/exclude")).unwrap();
    assert_eq!(text.matches("/.debussy*").count(), 1);
    assert_eq!(fixture.git(&fixture.project(), &["status", "--porcelain"]), "");
    assert!(!fixture.project().join(".gitignore").exists());
}

#[cfg(unix)]
#[test]
fn a_link_in_place_of_the_exclude_file_is_not_written_through() {
    let fixture = GitFixture::new();
    let (exclude, victim) = (
        fixture.project().join(".git/info/exclude"),
        fixture.root().join("victim"),
    );
    fs::write(&victim, "mine\n").unwrap();
    fs::remove_file(&exclude).unwrap();
    std::os::unix::fs::symlink(&victim, &exclude).unwrap();
    drop(open(&fixture));
    assert_eq!(fs::read_to_string(victim).unwrap(), "mine\n");
    assert!(fs::read_to_string(exclude).unwrap().contains("/.debussy*"));
}

#[cfg(unix)]
#[test]
fn a_state_folder_that_is_a_link_is_refused() {
    let fixture = GitFixture::new();
    let elsewhere = fixture.root().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, fixture.project().join(".debussy")).unwrap();
    assert!(GitCli::open(&setup(&fixture)).is_err());
    assert_eq!(fs::read_dir(elsewhere).unwrap().count(), 0);
}
