//! Deliveries to the person's checkout: what moves, what stops a move, and what an interrupted move leaves.

use std::cell::Cell;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use dbs::adapters::git::GitCli;
use dbs::adapters::projected;
use dbs::domain::DeliveryEnd;
use dbs::ports::git::{CommitId, Git, Head, Revision};

use super::{GitFixture, branch, open};

/// Edits a clone of the origin and pushes everything there to its `main`, as a merge of the engine does.
pub(crate) fn merged(fixture: &GitFixture, git: &GitCli, edit: &dyn Fn(&Path)) -> CommitId {
    let elsewhere = tempfile::tempdir_in(fixture.root()).unwrap();
    let folder = elsewhere.path();
    let origin = fixture.origin();
    fixture.git(
        &fixture.root(),
        &["clone", "-q", origin.to_str().unwrap(), folder.to_str().unwrap()],
    );
    fixture.git(folder, &["checkout", "-q", "-B", "main", "origin/main"]);
    edit(folder);
    fixture.git(folder, &["add", "-A", "-f"]);
    let commit = [
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@example.org",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "W",
    ];
    fixture.git(folder, &commit);
    fixture.git(folder, &["push", "-q", "origin", "HEAD:refs/heads/main"]);
    match git.resolve(&Revision::RemoteBranch(branch("main"))) {
        Head::At(commit) => commit,
        other => panic!("{other:?}"),
    }
}

fn write(folder: &Path, file: &str, text: &str) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Makes a project whose checkout has these files committed and pushed.
fn project(files: &[(&str, &str)]) -> (GitFixture, GitCli) {
    let fixture = GitFixture::new();
    for (file, text) in files {
        write(&fixture.project(), file, text);
    }
    fixture.commit(&fixture.project(), "README.md", "hello again\n", "Files");
    fixture.git(&fixture.project(), &["push", "-q", "origin", "main"]);
    let git = open(&fixture);
    (fixture, git)
}

fn deliver(git: &GitCli, to: &CommitId) -> DeliveryEnd {
    git.deliver(&branch("main"), to).unwrap().end
}

/// Asserts that nothing is moved and everything is as it was; returns the reason.
fn kept(fixture: &GitFixture, git: &GitCli, to: &CommitId) -> String {
    let project = fixture.project();
    let seen = || {
        let head = fixture.git(&project, &["rev-parse", "main"]);
        (
            head,
            fixture.git(&project, &["ls-files", "-s"]),
            fixture.git(&project, &["status", "--porcelain"]),
        )
    };
    let before = seen();
    let DeliveryEnd::Kept(why) = deliver(git, to) else {
        panic!("the checkout was moved")
    };
    assert_eq!(seen(), before, "{why}");
    assert_nothing_left(fixture);
    why
}

fn assert_moved(fixture: &GitFixture, to: &CommitId) {
    let project = fixture.project();
    assert_eq!(fixture.git(&project, &["rev-parse", "HEAD"]), to.as_str());
    assert_eq!(fixture.git(&project, &["status", "--porcelain"]), "");
    // This also holds for programs that do not refresh the index first.
    fixture.git(&project, &["diff-files", "--quiet"]);
    fixture.git(&project, &["diff-index", "--cached", "--quiet", "HEAD"]);
    assert_nothing_left(fixture);
}

pub(crate) fn assert_nothing_left(fixture: &GitFixture) {
    let project = fixture.project();
    for name in [
        ".debussy-delivery",
        ".git/index.lock",
        ".git/dbs-index",
        ".git/dbs-index-lock",
    ] {
        assert!(project.join(name).symlink_metadata().is_err(), "{name}");
    }
    assert!(!fixture.state().join("control.git/delivery.json").exists());
}

#[test]
fn the_branch_the_index_and_the_files_of_a_clean_checkout_move_together() {
    let (fixture, git) = project(&[
        ("a.txt", "a\n"),
        ("gone/deep/b.txt", "b\n"),
        ("same.txt", "same\n"),
    ]);
    let to = merged(&fixture, &git, &|folder| {
        write(folder, "a.txt", "changed\n");
        write(folder, "new/deep/c.txt", "c\n");
        fs::remove_file(folder.join("gone/deep/b.txt")).unwrap();
    });
    let delivery = git.deliver(&branch("main"), &to).unwrap();
    assert_eq!(delivery.end, DeliveryEnd::Files);
    assert_eq!(delivery.n_commits, 1);
    assert_moved(&fixture, &to);
    let project = fixture.project();
    assert_eq!(fs::read_to_string(project.join("new/deep/c.txt")).unwrap(), "c\n");
    assert!(
        !project.join("gone").exists(),
        "empty folders are removed, as git does"
    );
    assert_eq!(fixture.git(&project, &["rev-parse", "origin/main"]), to.as_str());
    assert_eq!(deliver(&git, &to), DeliveryEnd::Current);
}

#[test]
fn changes_elsewhere_stay_what_they_are() {
    let (fixture, git) = project(&[("a.txt", "a\n"), ("mine.txt", "1\n"), ("staged.txt", "1\n")]);
    let project = fixture.project();
    write(&project, "mine.txt", "2\n");
    write(&project, "staged.txt", "2\n");
    write(&project, "added.txt", "new\n");
    write(&project, "untracked.txt", "u\n");
    fixture.git(&project, &["add", "staged.txt", "added.txt"]);
    write(&project, "staged.txt", "3\n");
    let before = fixture.git(&project, &["status", "--porcelain"]);
    let to = merged(&fixture, &git, &|folder| write(folder, "a.txt", "changed\n"));
    assert_eq!(deliver(&git, &to), DeliveryEnd::Files);
    assert_eq!(fixture.git(&project, &["status", "--porcelain"]), before);
    assert_eq!(fs::read_to_string(project.join("a.txt")).unwrap(), "changed\n");
    assert_eq!(fixture.git(&project, &["show", ":staged.txt"]), "2");
}

#[test]
fn an_ignored_file_that_the_merged_work_adds_is_not_overwritten() {
    let (fixture, git) = project(&[(".gitignore", ".env\n"), ("a.txt", "a\n")]);
    write(&fixture.project(), ".env", "SECRET=mine\n");
    let to = merged(&fixture, &git, &|folder| {
        write(folder, ".env", "SECRET=theirs\n");
        write(folder, "a.txt", "changed\n");
    });
    let why = kept(&fixture, &git, &to);
    assert!(why.contains(".env is a file of yours"), "{why}");
    assert_eq!(
        fs::read_to_string(fixture.project().join(".env")).unwrap(),
        "SECRET=mine\n"
    );
    assert_eq!(
        fs::read_to_string(fixture.project().join("a.txt")).unwrap(),
        "a\n"
    );
    fs::remove_file(fixture.project().join(".env")).unwrap();
    assert_eq!(deliver(&git, &to), DeliveryEnd::Files);
    assert_moved(&fixture, &to);
}

#[test]
fn whatever_the_person_has_at_a_path_that_changes_keeps_the_checkout() {
    type Edit = fn(&GitFixture, &Path);
    let cases: [(&str, Edit); 10] = [
        ("a.txt has changes of yours", |_, at| write(at, "a.txt", "mine\n")),
        ("a.txt is deleted here", |_, at| {
            fs::remove_file(at.join("a.txt")).unwrap();
        }),
        ("gone.txt has changes of yours", |_, at| {
            write(at, "gone.txt", "mine\n");
        }),
        ("new.txt is a file of yours", |_, at| {
            write(at, "new.txt", "mine\n");
        }),
        ("a.txt is staged", |fixture, at| {
            write(at, "a.txt", "mine\n");
            fixture.git(at, &["add", "a.txt"]);
            write(at, "a.txt", "a\n");
        }),
        ("gone.txt is staged", |fixture, at| {
            fixture.git(at, &["rm", "-q", "--cached", "gone.txt"]);
        }),
        ("deep/in.txt/x is staged", |fixture, at| {
            write(at, "deep/in.txt/x", "mine\n");
            fixture.git(at, &["add", "deep"]);
            fs::remove_dir_all(at.join("deep")).unwrap();
        }),
        ("new.txt/inside is in the way", |_, at| {
            write(at, "new.txt/inside", "mine\n");
        }),
        ("deep is not a folder here", |_, at| write(at, "deep", "mine\n")),
        ("deep is another repository", |fixture, at| {
            fixture.git(at, &["init", "-q", "deep"]);
        }),
    ];
    for (words, edit) in cases {
        let (fixture, git) = project(&[("a.txt", "a\n"), ("gone.txt", "g\n")]);
        let to = merged(&fixture, &git, &|folder| {
            write(folder, "a.txt", "changed\n");
            write(folder, "new.txt", "new\n");
            write(folder, "deep/in.txt", "new\n");
            fs::remove_file(folder.join("gone.txt")).unwrap();
        });
        edit(&fixture, &fixture.project());
        let why = kept(&fixture, &git, &to);
        assert!(why.contains(words), "{words}: {why}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_above_a_path_is_not_followed() {
    let (fixture, git) = project(&[("deep/a.txt", "a\n")]);
    let project = fixture.project();
    let outside = fixture.root().join("outside");
    write(&outside, "a.txt", "a\n");
    fs::remove_dir_all(project.join("deep")).unwrap();
    std::os::unix::fs::symlink(&outside, project.join("deep")).unwrap();
    let to = merged(&fixture, &git, &|folder| write(folder, "deep/a.txt", "changed\n"));
    let why = kept(&fixture, &git, &to);
    assert!(why.contains("deep is not a folder here"), "{why}");
    assert_eq!(fs::read_to_string(outside.join("a.txt")).unwrap(), "a\n");
}

#[test]
fn a_file_may_become_a_folder_and_a_folder_a_file() {
    let (fixture, git) = project(&[("one", "1\n"), ("two/a", "a\n"), ("two/b/c", "c\n")]);
    fs::create_dir_all(fixture.project().join("two/empty/deeper")).unwrap();
    let to = merged(&fixture, &git, &|folder| {
        fs::remove_file(folder.join("one")).unwrap();
        write(folder, "one/x/y", "y\n");
        fs::remove_dir_all(folder.join("two")).unwrap();
        write(folder, "two", "2\n");
    });
    assert_eq!(deliver(&git, &to), DeliveryEnd::Files);
    assert_moved(&fixture, &to);
}

#[cfg(unix)]
#[test]
fn executable_bits_and_links_move_as_git_moves_them() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let mode = |path: &Path, bits| fs::set_permissions(path, fs::Permissions::from_mode(bits)).unwrap();
    let (fixture, git) = project(&[("run.sh", "echo\n"), ("a.txt", "a\n")]);
    let to = merged(&fixture, &git, &|folder| {
        write(folder, "run.sh", "echo changed\n");
        mode(&folder.join("run.sh"), 0o755);
        fs::remove_file(folder.join("a.txt")).unwrap();
        symlink("run.sh", folder.join("a.txt")).unwrap();
        symlink("/nowhere", folder.join("dangling")).unwrap();
    });
    mode(&fixture.project().join("run.sh"), 0o755);
    let why = kept(&fixture, &git, &to);
    assert!(why.contains("run.sh has changes"), "{why}");
    mode(&fixture.project().join("run.sh"), 0o644);
    assert_eq!(deliver(&git, &to), DeliveryEnd::Files);
    assert_moved(&fixture, &to);
    assert_eq!(
        fs::read_link(fixture.project().join("dangling")).unwrap(),
        Path::new("/nowhere")
    );
    let back = merged(&fixture, &git, &|folder| {
        fs::remove_file(folder.join("a.txt")).unwrap();
        write(folder, "a.txt", "a file again\n");
        fs::remove_file(folder.join("dangling")).unwrap();
    });
    assert_eq!(deliver(&git, &back), DeliveryEnd::Files);
    assert_moved(&fixture, &back);
}

#[test]
fn line_endings_are_converted_as_git_converts_them() {
    let fixture = GitFixture::new();
    let project = fixture.project();
    fixture.git(&project, &["config", "core.autocrlf", "true"]);
    write(
        &project,
        ".gitattributes",
        "*.sh text eol=lf\n*.16 text working-tree-encoding=UTF-16LE eol=lf\n",
    );
    write(&project, "a.txt", "a\n");
    fixture.commit(&project, "run.sh", "echo\n", "Files");
    fixture.git(&project, &["push", "-q", "origin", "main"]);
    fs::remove_file(project.join("a.txt")).unwrap();
    fixture.git(&project, &["checkout", "-q", "a.txt"]);
    let git = open(&fixture);
    let to = merged(&fixture, &git, &|folder| {
        write(folder, "a.txt", "one\ntwo\n");
        write(folder, "run.sh", "echo two\n");
        fs::write(folder.join("wide.16"), b"x\0\n\0").unwrap();
    });
    assert_eq!(deliver(&git, &to), DeliveryEnd::Files);
    assert_moved(&fixture, &to);
    assert_eq!(
        fs::read_to_string(project.join("a.txt")).unwrap(),
        "one\r\ntwo\r\n"
    );
    assert_eq!(fs::read_to_string(project.join("run.sh")).unwrap(), "echo two\n");
    assert_eq!(fs::read(project.join("wide.16")).unwrap(), b"x\0\n\0");
}

#[cfg(unix)]
#[test]
fn a_file_that_needs_a_filter_keeps_the_checkout_and_the_filter_does_not_run() {
    let (fixture, git) = project(&[("a.txt", "a\n")]);
    let ran = fixture.root().join("ran");
    let smudge = format!("touch '{}'; cat", ran.display());
    let to = merged(&fixture, &git, &|folder| {
        write(
            folder,
            ".gitattributes",
            "*.bin filter=big\n*.odd filter=unknown\n",
        );
        write(folder, "x.odd", "no program is known for it\n");
    });
    assert_eq!(deliver(&git, &to), DeliveryEnd::Files);
    fs::write(
        fixture.personal_config(),
        format!("[filter \"big\"]\n\tsmudge = \"{smudge}\"\n\tclean = \"{smudge}\"\n"),
    )
    .unwrap();
    let git = open(&fixture);
    let to = merged(&fixture, &git, &|folder| write(folder, "x.txt", "x\n"));
    assert_eq!(deliver(&git, &to), DeliveryEnd::Files);
    let to = merged(&fixture, &git, &|folder| write(folder, "y.bin", "y\n"));
    drop(fs::remove_file(&ran));
    let why = kept(&fixture, &git, &to);
    assert!(why.contains("y.bin needs the filter big"), "{why}");
    assert!(!ran.exists());
}

#[test]
fn attributes_outside_of_commits_a_sparse_checkout_and_hidden_files_keep_the_checkout() {
    type Edit = fn(&GitFixture, &Path);
    let cases: [(&str, Edit); 4] = [
        ("info/attributes", |_, at| {
            write(at, ".git/info/attributes", "# why\n*.txt eol=crlf\n");
        }),
        ("is sparse", |fixture, at| {
            fixture.git(at, &["config", "core.sparseCheckout", "true"]);
        }),
        ("skip a.txt", |fixture, at| {
            fixture.git(at, &["update-index", "--skip-worktree", "a.txt"]);
        }),
        ("skip a.txt", |fixture, at| {
            fixture.git(at, &["update-index", "--assume-unchanged", "a.txt"]);
        }),
    ];
    for (words, edit) in cases {
        let (fixture, git) = project(&[("a.txt", "a\n")]);
        let to = merged(&fixture, &git, &|folder| write(folder, "a.txt", "changed\n"));
        edit(&fixture, &fixture.project());
        let why = kept(&fixture, &git, &to);
        assert!(why.contains(words), "{words}: {why}");
    }
}

#[test]
fn nothing_moves_while_something_is_under_way() {
    type Begin = fn(&GitFixture, &Path);
    let cases: [(&str, Begin); 7] = [
        ("a merge", |fixture, at| {
            fixture.git(at, &["merge", "-q", "--no-ff", "--no-commit", "side"]);
        }),
        ("a cherry-pick", |fixture, at| {
            fixture.try_git(at, &["cherry-pick", "clash"]);
        }),
        ("a revert", |fixture, at| {
            fixture.try_git(at, &["revert", "--no-edit", "main~1"]);
        }),
        ("a rebase", |fixture, at| {
            fixture.try_git(at, &["rebase", "-q", "clash"]);
        }),
        ("a rebase or `git am`", |fixture, at| {
            let patch = fixture.git(at, &["format-patch", "-1", "--stdout", "clash"]);
            write(at, "../clash.patch", &patch);
            fixture.try_git(at, &["am", "-q", "../clash.patch"]);
        }),
        ("a bisect", |fixture, at| {
            fixture.git(at, &["bisect", "start"]);
        }),
        ("another git is at work", |_, at| write(at, ".git/index.lock", "")),
    ];
    for (words, begin) in cases {
        let (fixture, git) = project(&[("clash.txt", "1\n")]);
        let at = fixture.project();
        for (name, file) in [("side", "side.txt"), ("clash", "clash.txt")] {
            fixture.git(&at, &["checkout", "-q", "-b", name, "main"]);
            fixture.commit(&at, file, "theirs\n", "Theirs");
        }
        fixture.git(&at, &["checkout", "-q", "main"]);
        fixture.commit(&at, "clash.txt", "2\n", "Two");
        fixture.commit(&at, "clash.txt", "3\n", "Three");
        fixture.git(&at, &["push", "-q", "origin", "main"]);
        let to = merged(&fixture, &git, &|folder| write(folder, "a.txt", "changed\n"));
        begin(&fixture, &at);
        let head = fixture.git(&at, &["rev-parse", "main"]);
        let DeliveryEnd::Kept(why) = deliver(&git, &to) else {
            panic!("{words}")
        };
        assert!(why.starts_with(words), "{words}: {why}");
        assert_eq!(fixture.git(&at, &["rev-parse", "main"]), head, "{words}");
        assert!(
            !at.join("a.txt").exists() && !at.join(".debussy-delivery").exists(),
            "{words}"
        );
    }
}

#[test]
fn a_lock_of_the_index_that_another_git_soon_gives_up_is_waited_for() {
    let (fixture, git) = project(&[]);
    let at = fixture.project();
    let to = merged(&fixture, &git, &|folder| write(folder, "a.txt", "changed\n"));
    let lock = at.join(".git/index.lock");
    fs::write(&lock, "").unwrap();
    let is_over = AtomicBool::new(false);
    let end = thread::scope(|scope| {
        scope.spawn(|| {
            // This file is written just before the lock is tried.
            while !at.join(".git/dbs-index-lock").exists() && !is_over.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            fs::remove_file(&lock).unwrap();
        });
        let end = deliver(&git, &to);
        is_over.store(true, Ordering::Relaxed);
        end
    });
    assert_eq!(end, DeliveryEnd::Files);
}

#[test]
fn only_the_branch_moves_where_it_is_checked_out_nowhere() {
    for away in [
        ["checkout", "-q", "--detach"].as_slice(),
        &["checkout", "-q", "-b", "other"],
    ] {
        let (fixture, git) = project(&[("a.txt", "a\n")]);
        let project = fixture.project();
        fixture.git(&project, away);
        let to = merged(&fixture, &git, &|folder| write(folder, "a.txt", "changed\n"));
        assert_eq!(deliver(&git, &to), DeliveryEnd::Branch);
        assert_eq!(fixture.git(&project, &["rev-parse", "main"]), to.as_str());
        assert_eq!(fixture.git(&project, &["status", "--porcelain"]), "");
        assert_eq!(fs::read_to_string(project.join("a.txt")).unwrap(), "a\n");
    }
}

#[test]
fn a_branch_that_another_worktree_has_or_rebases_stays() {
    let (fixture, git) = project(&[("a.txt", "a\n")]);
    let project = fixture.project();
    fixture.git(&project, &["checkout", "-q", "-b", "other"]);
    let theirs = fixture.commit(&project, "a.txt", "other\n", "Other");
    fixture.git(&project, &["worktree", "add", "-q", "../linked", "main"]);
    let to = merged(&fixture, &git, &|folder| write(folder, "a.txt", "changed\n"));
    let why = kept(&fixture, &git, &to);
    assert!(why.contains("linked"), "{why}");
    let linked = fixture.root().join("linked");
    fixture.commit(&linked, "a.txt", "mine\n", "Mine");
    fixture.try_git(&linked, &["rebase", "-q", &theirs]);
    fixture.git(&project, &["update-ref", "refs/heads/main", "main~1"]);
    let why = kept(&fixture, &git, &to);
    assert!(why.contains("rebased or bisected"), "{why}");
}

#[test]
fn a_branch_with_commits_of_its_own_stays() {
    let (fixture, git) = project(&[("a.txt", "a\n")]);
    fixture.commit(&fixture.project(), "mine.txt", "mine\n", "Mine");
    let to = merged(&fixture, &git, &|folder| write(folder, "a.txt", "changed\n"));
    let why = kept(&fixture, &git, &to);
    assert!(why.contains("has commits that were not merged"), "{why}");
}

#[test]
fn a_submodule_with_files_keeps_the_checkout_and_one_without_moves() {
    let (fixture, git) = project(&[("a.txt", "a\n")]);
    let library = GitFixture::new();
    let link = |folder: &Path, commit: &str| {
        let entry = format!("160000,{commit},lib");
        fixture.git(folder, &["update-index", "--add", "--cacheinfo", &entry]);
        fs::create_dir_all(folder.join("lib")).unwrap();
    };
    let first = library.git(&library.project(), &["rev-parse", "HEAD"]);
    let to = merged(&fixture, &git, &|folder| link(folder, &first));
    assert_eq!(deliver(&git, &to), DeliveryEnd::Files);
    assert_moved(&fixture, &to);
    assert!(fixture.project().join("lib").is_dir());
    let second = library.commit(&library.project(), "b.txt", "b\n", "Second");
    let to = merged(&fixture, &git, &|folder| link(folder, &second));
    let lib = fixture.project().join("lib");
    write(&lib, "README.md", "hello\n");
    let why = kept(&fixture, &git, &to);
    assert!(why.contains("submodule lib changes"), "{why}");
    fs::remove_file(lib.join("README.md")).unwrap();
    assert_eq!(deliver(&git, &to), DeliveryEnd::Files);
    assert_moved(&fixture, &to);
}

#[test]
fn a_name_that_differs_in_case_only_keeps_the_checkout_where_case_is_ignored() {
    let (fixture, _) = project(&[("a.txt", "a\n")]);
    fixture.git(&fixture.project(), &["config", "core.ignorecase", "true"]);
    let git = open(&fixture);
    write(&fixture.project(), "Notes/mine.txt", "mine\n");
    let to = merged(&fixture, &git, &|folder| {
        write(folder, "notes/theirs.txt", "theirs\n");
    });
    let why = kept(&fixture, &git, &to);
    assert!(why.contains("Notes differs from notes in case only"), "{why}");
}

#[test]
fn a_file_that_this_program_wrote_is_no_change_of_the_person() {
    let (fixture, git) = project(&[(".design/plan.json", "{}\n"), ("a.txt", "a\n")]);
    let project = fixture.project();
    let plan = project.join(".design/plan.json");
    let to = merged(&fixture, &git, &|folder| {
        write(folder, ".design/plan.json", "{\"merged\":1}\n");
    });
    fs::write(&plan, "{\"state\":1}\n").unwrap();
    let why = kept(&fixture, &git, &to);
    assert!(why.contains("plan.json has changes of yours"), "{why}");
    let noted = [(plan.as_path(), Some(b"{\"state\":1}\n".as_slice()))];
    projected::note(&fixture.state(), &project, noted.into_iter()).unwrap();
    assert_eq!(deliver(&git, &to), DeliveryEnd::Files);
    assert_moved(&fixture, &to);
}

#[test]
fn a_folder_of_the_moves_own_name_is_left_alone() {
    let (fixture, git) = project(&[("a.txt", "a\n")]);
    write(&fixture.project(), ".debussy-delivery/precious", "mine\n");
    let to = merged(&fixture, &git, &|folder| write(folder, "a.txt", "changed\n"));
    let DeliveryEnd::Kept(why) = deliver(&git, &to) else {
        panic!()
    };
    assert!(why.contains(".debussy-delivery is in the way"), "{why}");
    assert!(fixture.project().join(".debussy-delivery/precious").exists());
}

#[cfg(unix)]
#[test]
fn no_hook_of_the_repository_runs() {
    let (fixture, git) = project(&[("a.txt", "a\n")]);
    let (ran, hooks) = (fixture.root().join("ran"), fixture.project().join(".git/hooks"));
    fs::create_dir_all(&hooks).unwrap();
    for name in [
        "post-checkout",
        "post-merge",
        "reference-transaction",
        "post-index-change",
        "fsmonitor",
    ] {
        let hook = hooks.join(name);
        super::script::write_script(&hook, format!("#!/bin/sh\ntouch '{}'\n", ran.display()));
    }
    fixture.git(
        &fixture.project(),
        &["config", "core.hooksPath", hooks.to_str().unwrap()],
    );
    drop(fs::remove_file(&ran));
    let monitor = hooks.join("fsmonitor");
    fixture.git(
        &fixture.project(),
        &["config", "core.fsmonitor", monitor.to_str().unwrap()],
    );
    let to = merged(&fixture, &git, &|folder| write(folder, "a.txt", "changed\n"));
    assert_eq!(deliver(&git, &to), DeliveryEnd::Files);
    assert!(!ran.exists());
}

/// Delivers, and stops like a killed process before the step of that number; returns the name of the step, or none if the delivery came to
/// its end.
pub(crate) fn killed_at(git: &GitCli, to: &CommitId, number: usize) -> Option<String> {
    let (count, last) = (Cell::new(0), std::cell::RefCell::new(String::new()));
    let step = |name: &str| {
        name.clone_into(&mut last.borrow_mut());
        assert!(count.get() < number, "killed before {name}");
        count.set(count.get() + 1);
    };
    let ended = catch_unwind(AssertUnwindSafe(|| {
        git.deliver_in_steps(&branch("main"), to, &step)
    }));
    match ended {
        Ok(delivered) => {
            delivered.unwrap();
            None
        }
        Err(_killed) => Some(last.into_inner()),
    }
}

#[test]
fn a_move_that_is_killed_before_any_step_is_finished_or_undone_by_the_next_start() {
    let mut steps = Vec::new();
    for number in 0.. {
        let (fixture, git) = project(&[("a.txt", "a\n"), ("b", "b\n"), ("gone/c.txt", "c\n")]);
        let project = fixture.project();
        let from = fixture.git(&project, &["rev-parse", "HEAD"]);
        write(&project, "mine.txt", "mine\n");
        let to = merged(&fixture, &git, &|folder| {
            write(folder, "a.txt", "changed\n");
            fs::remove_file(folder.join("b")).unwrap();
            write(folder, "b/d.txt", "d\n");
            fs::remove_file(folder.join("gone/c.txt")).unwrap();
        });
        let Some(step) = killed_at(&git, &to, number) else {
            break;
        };
        drop(git);
        let git = open(&fixture);
        assert_nothing_left(&fixture);
        let head = fixture.git(&project, &["rev-parse", "HEAD"]);
        assert!([from.as_str(), to.as_str()].contains(&head.as_str()), "{step}");
        assert_eq!(
            fixture.git(&project, &["status", "--porcelain"]),
            "?? mine.txt",
            "{step}: {head}"
        );
        let end = deliver(&git, &to);
        assert!(
            matches!(end, DeliveryEnd::Files | DeliveryEnd::Current),
            "{step}: {end:?}"
        );
        assert_eq!(
            fixture.git(&project, &["rev-parse", "HEAD"]),
            to.as_str(),
            "{step}"
        );
        assert_eq!(
            fixture.git(&project, &["status", "--porcelain"]),
            "?? mine.txt",
            "{step}"
        );
        steps.push(step);
    }
    for name in [
        "lock",
        "stage",
        "put aside",
        "look again",
        "put in place",
        "branch",
        "index",
        "unlock",
        "clean up",
        "end",
    ] {
        assert!(steps.iter().any(|step| step == name), "{name} among {steps:?}");
    }
}

#[test]
fn who_writes_in_the_moment_of_the_move_keeps_every_byte() {
    type Act = fn(&GitFixture, &Path);
    let cases: [(&str, &str, Act); 4] = [
        ("put aside", "a.txt was changed meanwhile", |_, at| {
            write(at, "a.txt", "mine\n");
        }),
        ("look again", "a.txt was made meanwhile", |_, at| {
            write(at, "a.txt", "mine\n");
        }),
        ("put in place", "a.txt was made meanwhile", |_, at| {
            write(at, "a.txt", "mine\n");
        }),
        ("stage", "a.txt has changes of yours", |_, at| {
            write(at, "a.txt", "mine\n");
        }),
    ];
    for (moment, words, act) in cases {
        let (fixture, git) = project(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
        let project = fixture.project();
        let to = merged(&fixture, &git, &|folder| {
            write(folder, "a.txt", "changed\n");
            write(folder, "b.txt", "changed\n");
        });
        let from = fixture.git(&project, &["rev-parse", "main"]);
        let is_done = Cell::new(false);
        let step = |name: &str| {
            if name == moment && !is_done.replace(true) {
                act(&fixture, &project);
            }
        };
        let delivery = git.deliver_in_steps(&branch("main"), &to, &step).unwrap();
        let DeliveryEnd::Kept(why) = delivery.end else {
            panic!("{moment}: it was moved")
        };
        assert!(why.contains(words), "{moment}: {why}");
        assert_eq!(
            fs::read_to_string(project.join("a.txt")).unwrap(),
            "mine\n",
            "{moment}"
        );
        assert_eq!(
            fs::read_to_string(project.join("b.txt")).unwrap(),
            "b\n",
            "{moment}"
        );
        assert_eq!(fixture.git(&project, &["rev-parse", "main"]), from, "{moment}");
        assert_nothing_left(&fixture);
    }
}

#[test]
fn a_branch_that_somebody_moves_in_the_last_moment_has_everything_undone() {
    let (fixture, git) = project(&[("a.txt", "a\n"), ("gone.txt", "g\n")]);
    let project = fixture.project();
    let to = merged(&fixture, &git, &|folder| {
        write(folder, "a.txt", "changed\n");
        fs::remove_file(folder.join("gone.txt")).unwrap();
    });
    let first = fixture.git(&project, &["rev-parse", "main~1"]);
    let step = |name: &str| {
        if name == "branch" {
            fixture.git(&project, &["update-ref", "refs/heads/main", &first]);
        }
    };
    git.deliver_in_steps(&branch("main"), &to, &step).unwrap_err();
    assert_eq!(fixture.git(&project, &["rev-parse", "main"]), first);
    assert!(
        project.join("gone.txt").exists(),
        "the file that was put aside is put back"
    );
    assert_nothing_left(&fixture);
}
