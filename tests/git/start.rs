//! Opening, preflight, and exclusion of the engine's folders.

use std::fs;
use std::path::Path;

use dbs::adapters::git::{GitCli, GitSetup, likely_base};
use dbs::adapters::project::Project;
use dbs::domain::TroubleKind;
use dbs::ports::git::{
    CheckedOut, Git, Head, MergeOutcome, PreflightError, PublishOutcome, PublishRequest, RemoveOutcome,
    Revision,
};

use super::{GitFixture, branch, id, merge_of, name, on_branch, open, saver, setup, spec};

#[test]
fn a_good_repository_passes_preflight() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let found = git.preflight().unwrap();
    assert_eq!(found.root, fixture.project());
    assert_eq!(found.checked_out, CheckedOut::Branch(branch("main")));
    assert_eq!(found.identity, "Fixture <fixture@example.org>");
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
fn the_inside_of_a_repository_names_its_checkout() {
    let fixture = GitFixture::new();
    let layout = fixture.root().join("layout");
    let checkout = layout.join("main");
    fixture.git(
        &fixture.root(),
        &["clone", "-q", "--bare", "origin.git", "layout/.bare"],
    );
    fs::write(layout.join(".git"), "gitdir: ./.bare\n").unwrap();
    let refusal = |folder: &Path| {
        let setup = GitSetup::new(folder, fixture.environment());
        GitCli::open(&setup).err().unwrap()
    };
    let without = refusal(&layout);
    assert!(
        without
            .to_string()
            .contains("make one there with `git worktree add NAME`"),
        "{without}"
    );
    fixture.git(&layout, &["worktree", "add", "-q", "main"]);
    for folder in [
        layout.clone(),
        layout.join(".bare"),
        checkout.join("../.bare/refs"),
    ] {
        let named = PreflightError::NoCheckout {
            folder: folder.clone(),
            checkout: Some(checkout.clone()),
        };
        assert_eq!(refusal(&folder), named);
    }
    let inside = fixture.project().join(".git/refs");
    assert_eq!(
        refusal(&inside),
        PreflightError::NoCheckout {
            folder: inside,
            checkout: Some(fixture.project()),
        }
    );
    let setup = GitSetup::new(&checkout, fixture.environment());
    assert!(GitCli::open(&setup).is_ok(), "the checkout is a project");
}

#[test]
fn a_checkout_that_a_setting_calls_bare_names_the_setting_and_its_file() {
    let fixture = GitFixture::new();
    let project = fixture.project();
    fixture.git(&project, &["config", "core.bare", "true"]);
    let error = GitCli::open(&setup(&fixture)).err().unwrap();
    let file = project.join(".git/config");
    let way = format!("`git config --file {} core.bare false`", file.display());
    assert!(error.to_string().contains(&way), "{error}");
    fixture.git(
        &fixture.root(),
        &["config", "--file", file.to_str().unwrap(), "core.bare", "false"],
    );
    assert!(GitCli::open(&setup(&fixture)).is_ok());
}

#[test]
fn a_repository_without_origin_is_named_with_the_way_out() {
    let fixture = GitFixture::new();
    fixture.git(&fixture.project(), &["remote", "remove", "origin"]);
    let error = GitCli::open(&setup(&fixture)).err().unwrap();
    assert_eq!(error, PreflightError::NoRemote("origin".to_owned()));
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
    assert_eq!(
        git.preflight().unwrap().origin.unwrap(),
        "https://example.org/x.git"
    );
    assert_eq!(
        open(&fixture).preflight().unwrap().origin.unwrap(),
        "https://example.org/x.git"
    );
}

#[test]
fn an_origin_that_is_recorded_in_other_words_still_counts_and_one_that_cannot_be_read_is_an_error() {
    let fixture = GitFixture::new();
    drop(open(&fixture));
    let config = fixture.state().join("control.git/config");
    let written = fs::read_to_string(&config).unwrap();
    let other = written
        .replace("[remote \"origin\"]", "[Remote \"origin\"] # ours")
        .replace("\turl = ", "\tURL=");
    assert_ne!(other, written);
    fixture.git(
        &fixture.project(),
        &["remote", "set-url", "origin", "https://example.org/x.git"],
    );
    fs::write(&config, &other).unwrap();
    let error = open(&fixture).preflight().err().unwrap();
    assert!(matches!(error, PreflightError::OriginChanged { .. }), "{error}");
    assert_eq!(fs::read_to_string(&config).unwrap(), written, "it is put right");

    fs::write(&config, "[remote \"origin\n").unwrap();
    let setup = GitSetup::new(fixture.project(), fixture.environment());
    let error = GitCli::open(&setup)
        .err()
        .expect("the recorded origin is unknown");
    assert!(
        error.to_string().contains("the recorded address of origin"),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_the_recorded_origin_is_refused_and_not_waited_for() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let config = fixture.state().join("control.git/config");
    let written = fs::read_to_string(&config).unwrap();
    let plant = || {
        fs::remove_file(&config).unwrap();
        nix::unistd::mkfifo(&config, nix::sys::stat::Mode::S_IRWXU).unwrap();
    };
    plant();
    git.branches().unwrap();
    git.remote_branches().unwrap();
    assert_eq!(fs::read_to_string(&config).unwrap(), written, "it is put right");
    plant();
    let setup = GitSetup::new(fixture.project(), fixture.environment());
    let error = GitCli::open(&setup)
        .err()
        .expect("the recorded origin is unknown");
    assert!(error.to_string().contains("it is not a regular file"), "{error}");
}

#[test]
fn a_private_exclude_file_that_is_no_utf8_text_counts_all_the_same() {
    let fixture = GitFixture::new();
    let exclude = fixture.project().join(".git/info/exclude");
    fs::write(&exclude, b"# gr\xfc\xdfe\nprivate.txt\n").unwrap();
    drop(open(&fixture));
    let copied = fs::read_to_string(fixture.state().join("control.git/info/exclude")).unwrap();
    assert!(copied.lines().any(|line| line == "private.txt"), "{copied}");
}

#[test]
fn the_engines_folders_are_excluded_privately_and_once() {
    let fixture = GitFixture::new();
    drop(open(&fixture));
    drop(open(&fixture));
    let exclude = fixture.project().join(".git/info/exclude");
    let text = fs::read_to_string(&exclude).unwrap();
    assert_eq!(text.matches("/.debussy*\n").count(), 1);
    assert_eq!(fixture.git(&fixture.project(), &["status", "--porcelain"]), "");
    assert!(!fixture.project().join(".gitignore").exists());
    // Preparing the project's folders adds the same rules.
    Project::find(&fixture.project()).unwrap().init().unwrap();
    assert_eq!(fs::read_to_string(&exclude).unwrap(), text);
}

#[test]
fn nothing_of_ours_is_in_a_commit_of_any_checkout_unless_a_person_adds_it_by_force() {
    let fixture = GitFixture::new();
    drop(open(&fixture));
    let linked = fixture.root().join("linked");
    let add = ["worktree", "add", "-q", "-b", "mine", linked.to_str().unwrap()];
    fixture.git(&fixture.project(), &add);
    for checkout in [fixture.project(), linked] {
        let own = [
            ".debussy/config.toml",
            ".debussy/dbs/store.db",
            ".debussy-worktrees/a/file",
        ];
        for name in own {
            fs::create_dir_all(checkout.join(name).parent().unwrap()).unwrap();
            fs::write(checkout.join(name), "x").unwrap();
        }
        fixture.git(&checkout, &["add", "-A"]);
        assert_eq!(fixture.git(&checkout, &["diff", "--cached", "--name-only"]), "");
        fixture.git(&checkout, &["add", "-f", ".debussy/config.toml"]);
        assert_eq!(
            fixture.git(&checkout, &["diff", "--cached", "--name-only"]),
            ".debussy/config.toml"
        );
    }
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
    assert!(fs::read_to_string(exclude).unwrap().contains("/.debussy*\n"));
}

#[cfg(unix)]
#[test]
fn a_state_folder_that_is_a_link_is_refused() {
    let fixture = GitFixture::new();
    let elsewhere = fixture.root().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, fixture.state()).unwrap();
    assert!(GitCli::open(&setup(&fixture)).is_err());
    assert_eq!(fs::read_dir(elsewhere).unwrap().count(), 0);
}

#[test]
fn a_subfolder_or_a_linked_worktree_of_the_project_will_do() {
    let fixture = GitFixture::new();
    let deep = fixture.project().join("deep");
    fs::create_dir(&deep).unwrap();
    let below = GitCli::open(&GitSetup {
        project: deep,
        ..setup(&fixture)
    })
    .unwrap();
    assert_eq!(below.preflight().unwrap().root, fixture.project());
    let linked = fixture.root().join("linked");
    fixture.git(
        &fixture.project(),
        &["worktree", "add", "-q", "-b", "mine", linked.to_str().unwrap()],
    );
    let git = GitCli::open(&GitSetup {
        project: linked.clone(),
        ..setup(&fixture)
    })
    .unwrap();
    assert_eq!(
        git.preflight().unwrap().checked_out,
        CheckedOut::Branch(branch("mine"))
    );
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    assert_eq!(worktree.path, linked.join(".debussy-worktrees/a"));
}

/// Does a whole round of work in a repository made in an unusual way.
fn assert_works(folder: &Path, init: &[&str]) {
    let fixture = GitFixture::new();
    fs::create_dir_all(folder).unwrap();
    for (name, kind) in [("origin.git", "--bare"), ("project", "--quiet")] {
        let args = [&["init", "-q", "-b", "main"], init, &[kind, name]].concat();
        fixture.git(folder, &args);
    }
    let (origin, project) = (folder.join("origin.git"), folder.join("project"));
    fixture.git(&project, &["remote", "add", "origin", "../origin.git"]);
    fixture.commit(&project, "a.txt", "a\n", "A");
    fixture.git(&project, &["push", "-q", "origin", "main"]);
    let git = GitCli::open(&GitSetup {
        project,
        ..setup(&fixture)
    })
    .unwrap();
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    let head = id(&fixture.commit(&worktree.path, "work.txt", "work\n", "Work"));
    let MergeOutcome::Merged { commit, base, .. } = git.merge(&merge_of(&head)) else {
        panic!()
    };
    let publication = PublishRequest {
        commit: commit.clone(),
        base: branch("main"),
        expected: base,
    };
    assert_eq!(git.publish(&publication), PublishOutcome::Done);
    let checkout = git.checkout_clean(&commit, &folder.join("checkout")).unwrap();
    assert_eq!(fixture.git(&checkout.path, &["status", "--porcelain"]), "");
    assert_eq!(fixture.git(&origin, &["rev-parse", "main"]), commit.to_string());
    fs::write(worktree.path.join("new.txt"), "x").unwrap();
    assert!(matches!(
        git.remove_worktree(&name("a"), &saver("t1")).unwrap(),
        RemoveOutcome::Removed(Some(_))
    ));
}

#[test]
fn odd_characters_in_the_path_of_the_project_are_no_trouble() {
    let folder = tempfile::tempdir().unwrap();
    assert_works(&folder.path().join("a = \u{e9} 'b' $(id) #c;"), &[]);
}

#[test]
fn repositories_with_long_object_ids_work() {
    let folder = tempfile::tempdir().unwrap();
    assert_works(folder.path(), &["--object-format=sha256"]);
}

#[cfg(unix)]
#[test]
fn a_lock_left_in_the_control_repository_by_a_killed_git_is_removed_with_the_next_turn() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (_, head) = super::developed(&fixture, &git);
    let control = fixture.state().join("control.git");
    let lock = control.join(format!("refs/dbs/pin/{head}.lock"));
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    fs::write(&lock, "").unwrap();
    let answer = git.resolve(&Revision::LocalBranch(branch("feature/t1")));
    assert!(
        matches!(answer, Head::Unknown(_)),
        "a lock in a turn that finished has an owner: {answer:?}"
    );
    fs::write(control.join("queue"), "!").unwrap();
    assert_eq!(
        git.resolve(&Revision::LocalBranch(branch("feature/t1"))),
        Head::At(head)
    );
}

#[test]
fn a_git_left_behind_by_a_dead_server_is_waited_for_and_then_given_up() {
    let fixture = GitFixture::new();
    let mut setup = setup(&fixture);
    setup.limits.transfer = std::time::Duration::from_millis(200);
    let git = GitCli::open(&setup).unwrap();
    let control = fixture.state().join("control.git");
    let held = fs::File::create(control.join("queue")).unwrap();
    held.lock().unwrap();
    let answer = git.resolve(&Revision::RemoteBranch(branch("main")));
    assert!(
        matches!(&answer, Head::Unknown(why) if why.text.contains("another git") && why.kind == TroubleKind::Lock),
        "{answer:?}"
    );
    drop(held);
    assert!(matches!(
        open(&fixture).resolve(&Revision::RemoteBranch(branch("main"))),
        Head::At(_)
    ));
}

#[test]
fn several_processes_may_open_a_fresh_project_at_once() {
    for _ in 0..5 {
        let fixture = GitFixture::new();
        let setup = setup(&fixture);
        std::thread::scope(|scope| {
            let openers: Vec<_> = (0..6)
                .map(|_| scope.spawn(|| GitCli::open(&setup).map(drop)))
                .collect();
            for opener in openers {
                opener.join().unwrap().unwrap();
            }
        });
    }
}

#[test]
fn the_likely_base_is_the_head_of_origin_else_what_is_checked_out_else_a_usual_name() {
    let fixture = GitFixture::new();
    let project = fixture.project();
    let found = || {
        likely_base(&setup(&fixture))
            .unwrap()
            .map(|found| (found.name, found.found_by))
    };
    let is = |name: &str, found_by: &str| Some((name.to_owned(), found_by.to_owned()));
    fixture.git(&project, &["push", "--quiet", "origin", "main:trunk"]);
    fixture.git(&project, &["fetch", "--quiet", "origin"]);
    fixture.git(&project, &["remote", "set-head", "origin", "trunk"]);
    assert_eq!(found(), is("trunk", "origin's HEAD"));
    // A name that leads to nothing does not count.
    fixture.git(
        &project,
        &[
            "symbolic-ref",
            "refs/remotes/origin/HEAD",
            "refs/remotes/origin/gone",
        ],
    );
    assert_eq!(found(), is("main", "checked out here"));
    fixture.git(&project, &["remote", "set-head", "origin", "--delete"]);
    fixture.git(&project, &["checkout", "--quiet", "-b", "mine"]);
    assert_eq!(found(), is("main", "its name"));
    fixture.git(&project, &["update-ref", "-d", "refs/remotes/origin/main"]);
    assert_eq!(found(), None);
}
