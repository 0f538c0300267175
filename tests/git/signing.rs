//! Signatures of the engine's merges, made with real keys of ssh and gpg.
#![expect(
    clippy::disallowed_methods,
    reason = "makes keys with the programs that a person makes them with"
)]

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use dbs::adapters::git::{GitCli, GitLimits, GitSetup};
use dbs::domain::{MergeStyle, TroubleKind};
use dbs::ports::git::{CommitId, Git, MergeOutcome, MergeRequest, PublishOutcome, PublishRequest};

use super::{GitFixture, branch, developed, id, merge_of};
use crate::script::write_script;

/// Runs a program that makes a key.
fn run(fixture: &GitFixture, program: &str, args: &[&str]) {
    let made = Command::new(program)
        .args(args)
        .env("GNUPGHOME", fixture.root().join("gnupg"))
        .env("HOME", fixture.root().join("home"))
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

/// Makes the person's git sign with an ssh key from now on; returns the file of the key.
fn with_ssh_key(fixture: &GitFixture, passphrase: &str) -> String {
    let key = fixture.root().join("key").to_string_lossy().into_owned();
    run(
        fixture,
        "ssh-keygen",
        &["-q", "-t", "ed25519", "-N", passphrase, "-f", &key],
    );
    let allowed = fixture.root().join("allowed");
    let public = fs::read_to_string(format!("{key}.pub")).unwrap();
    fs::write(&allowed, format!("* {public}")).unwrap();
    for (name, value) in [
        ("commit.gpgSign", "true"),
        ("gpg.format", "ssh"),
        ("user.signingKey", &key),
        ("gpg.ssh.allowedSignersFile", &allowed.to_string_lossy()),
    ] {
        fixture.git(&fixture.project(), &["config", "--global", name, value]);
    }
    key
}

fn setup(fixture: &GitFixture) -> GitSetup {
    let home = (
        OsString::from("GNUPGHOME"),
        fixture.root().join("gnupg").into_os_string(),
    );
    let environment = fixture.environment().into_iter().chain([home]);
    GitSetup {
        limits: GitLimits {
            ask: Duration::from_secs(20),
            ..GitLimits::default()
        },
        ..GitSetup::new(fixture.project(), environment)
    }
}

fn made(git: &GitCli, request: &MergeRequest) -> PublishRequest {
    match git.merge(request) {
        MergeOutcome::Merged { commit, base, .. } => PublishRequest {
            commit,
            base: branch("main"),
            expected: base,
        },
        other => panic!("{other:?}"),
    }
}

/// Returns the verdict of git on a signature, with author and committer.
fn verdict(fixture: &GitFixture, commit: &CommitId) -> String {
    let control = fixture.state().join("control.git");
    fixture.git(&control, &["log", "-1", "--format=%G?|%an|%cn", commit.as_str()])
}

fn person(fixture: &GitFixture) -> String {
    fixture.git(&fixture.project(), &["config", "user.name"])
}

#[test]
#[cfg_attr(not(has_ssh_keygen), ignore = "there is no ssh-keygen")]
fn merges_of_every_form_are_signed_by_an_ssh_key_in_the_name_of_its_person() {
    let fixture = GitFixture::new();
    let git = GitCli::open(&setup(&fixture)).unwrap();
    let (worktree, _) = developed(&fixture, &git);
    let head = id(&fixture.commit(&worktree.path, "work.txt", "more\n", "More"));
    with_ssh_key(&fixture, "");
    let who = person(&fixture);
    for style in [MergeStyle::Merge, MergeStyle::Squash, MergeStyle::Rebase] {
        let request = MergeRequest {
            style,
            ..merge_of(&head)
        };
        let commit = made(&git, &request).commit;
        let shown = verdict(&fixture, &commit);
        assert!(
            shown.starts_with("G|") && shown.ends_with(&format!("|{who}")),
            "{style:?}: {shown}"
        );
        if style == MergeStyle::Rebase {
            let first = id(&fixture.git(
                &fixture.state().join("control.git"),
                &["rev-parse", &format!("{commit}^")],
            ));
            assert!(
                verdict(&fixture, &first).starts_with("G|"),
                "each commit is signed"
            );
        }
    }
    let publication = made(&git, &merge_of(&head));
    assert_eq!(git.publish(&publication), PublishOutcome::Done);
    assert!(matches!(
        git.merge(&merge_of(&head)),
        MergeOutcome::AlreadyMerged { .. }
    ));
}

#[test]
#[cfg_attr(not(has_ssh_keygen), ignore = "there is no ssh-keygen")]
fn a_repository_cannot_name_the_program_that_signs() {
    let fixture = GitFixture::new();
    let git = GitCli::open(&setup(&fixture)).unwrap();
    let (_, head) = developed(&fixture, &git);
    with_ssh_key(&fixture, "");
    let trap = fixture.root().join("trap");
    write_script(
        &trap,
        format!("#!/bin/sh\ntouch '{}'\n", fixture.root().join("sprung").display()),
    );
    for name in ["gpg.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand"] {
        fixture.git(&fixture.project(), &["config", name, &trap.to_string_lossy()]);
    }
    let commit = made(&git, &merge_of(&head)).commit;
    assert!(verdict(&fixture, &commit).starts_with("G|"));
    assert!(!fixture.root().join("sprung").exists());
}

fn unsigned(git: &GitCli, head: &CommitId) -> String {
    match git.merge(&merge_of(head)) {
        MergeOutcome::Unknown(why) if why.kind == TroubleKind::Base => why.text,
        other => panic!("{other:?}"),
    }
}

#[test]
#[cfg_attr(not(has_ssh_keygen), ignore = "there is no ssh-keygen")]
fn a_locked_key_makes_no_merge_and_asks_nobody() {
    let fixture = GitFixture::new();
    let git = GitCli::open(&setup(&fixture)).unwrap();
    let (_, head) = developed(&fixture, &git);
    with_ssh_key(&fixture, "a passphrase");
    let why = unsigned(&git, &head);
    assert!(why.contains("ssh-keygen") && why.contains("merge.sign"), "{why}");
    assert_eq!(
        GitCli::open(&GitSetup {
            signs_merges: false,
            ..setup(&fixture)
        })
        .map(|git| verdict(&fixture, &made(&git, &merge_of(&head)).commit).starts_with("N|"))
        .ok(),
        Some(true)
    );
}

#[test]
fn a_program_that_asks_and_waits_is_ended_and_named() {
    let fixture = GitFixture::new();
    let mut setup = setup(&fixture);
    setup.limits.ask = Duration::from_secs(3);
    let git = GitCli::open(&setup).unwrap();
    let (_, head) = developed(&fixture, &git);
    let slow = fixture.root().join("slow-gpg");
    write_script(&slow, "#!/bin/sh\nexec sleep 1000\n");
    for (name, value) in [
        ("commit.gpgSign", "true"),
        ("gpg.program", &*slow.to_string_lossy()),
    ] {
        fixture.git(&fixture.project(), &["config", "--global", name, value]);
    }
    let why = unsigned(&git, &head);
    assert!(why.contains("slow-gpg gave no signature within 3 s"), "{why}");
}

#[test]
#[cfg_attr(not(has_gpg), ignore = "there is no gpg")]
fn merges_are_signed_by_a_gpg_key() {
    let fixture = GitFixture::new();
    let home = fixture.root().join("gnupg");
    private_folder(&home);
    let email = fixture.git(&fixture.project(), &["config", "user.email"]);
    let who = format!("{} <{email}>", person(&fixture));
    run(
        &fixture,
        "gpg",
        &[
            "--batch",
            "--quiet",
            "--passphrase",
            "",
            "--quick-generate-key",
            &who,
            "default",
            "default",
            "never",
        ],
    );
    let git = GitCli::open(&setup(&fixture)).unwrap();
    let (_, head) = developed(&fixture, &git);
    fixture.git(
        &fixture.project(),
        &["config", "--global", "commit.gpgSign", "true"],
    );
    let commit = made(&git, &merge_of(&head)).commit;
    let control = fixture.state().join("control.git");
    let shown = Command::new("git")
        .arg("-C")
        .arg(control)
        .args(["log", "-1", "--format=%G?", commit.as_str()])
        .env("GNUPGHOME", &home)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&shown.stdout).trim(), "G", "{shown:?}");
    run(&fixture, "gpgconf", &["--kill", "all"]);
}

fn private_folder(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::create_dir_all(folder).unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
}
