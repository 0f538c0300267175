//! Traps that an agent plants in a repository, none of which the engine executes (C5-43, C5-44, C5-46, C5-53).
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::script::write_script;

use dbs::domain::Tri;
use dbs::ports::git::{
    CommitId, DiffRange, Git, MergeOutcome, PublishOutcome, PublishRequest, PushOutcome, RemoveOutcome,
    Revision, WorkingTree, WorktreeKind,
};

use dbs::adapters::git::GitCli;

use super::{
    GitFixture, branch, developed, file_at, id, merge_of, name, on_branch, open, saver, setup, spec,
};

const HOOKS: &[&str] = &[
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-merge",
    "post-index-change",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "proc-receive",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
    "update",
];

/// Settings whose value git runs.
const COMMANDS: &[&str] = &[
    "core.fsmonitor",
    "core.sshCommand",
    "core.pager",
    "core.editor",
    "core.askPass",
    "core.gitProxy",
    "core.alternateRefsCommand",
    "sequence.editor",
    "diff.external",
    "diff.evil.textconv",
    "diff.evil.command",
    "filter.evil.clean",
    "filter.evil.smudge",
    "filter.evil.process",
    "merge.evil.driver",
    "gpg.program",
    "gpg.ssh.program",
    "credential.helper",
    "uploadpack.packObjectsHook",
    "remote.origin.uploadpack",
    "remote.origin.receivepack",
    "trailer.x.command",
    "interactive.diffFilter",
    "man.viewer",
    "hook.Evil One.command",
    "imap.tunnel",
    "sendemail.toCmd",
    "tar.zip.command",
];

/// A program that leaves a mark with its reason.
struct Trap {
    marks: PathBuf,
    program: PathBuf,
}

impl Trap {
    fn new(fixture: &GitFixture) -> Self {
        let (marks, program) = (fixture.root().join("marks"), fixture.root().join("trap"));
        fs::create_dir(&marks).unwrap();
        let script = format!(
            "#!/bin/sh\ntouch '{}'/\"$(basename \"$0\")-$1-$$\"\ncat\n",
            marks.display()
        );
        write_script(&program, &script);
        Self { marks, program }
    }

    fn command(&self, reason: &str) -> String {
        format!("{} {reason}", self.program.display())
    }

    fn sprung(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.marks).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn reset(&self) {
        for name in self.sprung() {
            fs::remove_file(self.marks.join(name)).unwrap();
        }
    }
}

/// Plants all known traps into the project's repository and a worktree's tree.
fn plant(fixture: &GitFixture, trap: &Trap, worktree: &Path) {
    let git_dir = fixture.project().join(".git");
    let hooks = fixture.root().join("hooks");
    for folder in [&hooks, &git_dir.join("hooks")] {
        fs::create_dir_all(folder).unwrap();
        for hook in HOOKS {
            write_script(&folder.join(hook), fs::read_to_string(&trap.program).unwrap());
        }
    }
    let included = fixture.root().join("included");
    fs::write(
        &included,
        format!("[core]\n\tfsmonitor = {}\n", trap.command("included")),
    )
    .unwrap();
    let mut settings = vec![
        ("core.hooksPath".to_owned(), hooks.display().to_string()),
        ("include.path".to_owned(), included.display().to_string()),
    ];
    settings.extend(
        COMMANDS
            .iter()
            .map(|name| ((*name).to_owned(), trap.command(name))),
    );
    for alias in ["status", "worktree", "update-ref", "fetch", "rev-parse"] {
        settings.push((format!("alias.{alias}"), format!("!{}", trap.command("alias"))));
    }
    for (name, value) in [
        ("protocol.ext.allow", "always"),
        ("commit.gpgSign", "true"),
        ("gc.auto", "1"),
        // Git 2.54 and newer.
        ("hook.Evil One.event", "reference-transaction"),
    ] {
        settings.push((name.to_owned(), value.to_owned()));
    }
    let control = fixture.state().join("control.git").display().to_string();
    settings.push((
        format!("remote.{control}.uploadpack"),
        trap.command("remote.uploadpack"),
    ));
    settings.push((format!("remote.{control}.vcs"), "ext".to_owned()));
    settings.push((
        format!("url.ext::{} %S .insteadOf", trap.command("insteadOf")),
        control,
    ));
    let config = git_dir.join("config").display().to_string();
    for (name, value) in &settings {
        fixture.git(&fixture.root(), &["config", "--file", &config, name, value]);
    }
    plant_files(fixture, &git_dir, worktree);
}

fn plant_files(fixture: &GitFixture, git_dir: &Path, worktree: &Path) {
    let write = |file: PathBuf, text: &str| {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    let elsewhere = format!("{}\n", fixture.origin().join("objects").display());
    write(git_dir.join("objects/info/alternates"), &elsewhere);
    write(
        git_dir.join("info/attributes"),
        "* filter=evil diff=evil merge=evil\n",
    );
    write(
        worktree.join(".gitattributes"),
        "* filter=evil diff=evil merge=evil text\n",
    );
}

/// Asserts that files that only a planted filter could write are not written at all.
fn assert_refused_for_its_filter<T: std::fmt::Debug>(end: Result<T, dbs::ports::git::GitError>) {
    let why = end.unwrap_err().to_string();
    assert!(why.contains("filter evil"), "{why}");
}

/// Leaves all traps except the filter, without which no files are refused.
fn take_filter_away(fixture: &GitFixture) {
    let git_dir = fixture.project().join(".git");
    let config = git_dir.join("config").display().to_string();
    let remove = ["config", "--file", &config, "--remove-section", "filter.evil"];
    fixture.git(&fixture.root(), &remove);
    fs::write(git_dir.join("info/attributes"), "* diff=evil merge=evil\n").unwrap();
}

#[test]
fn the_traps_work_when_git_is_called_plainly() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    let trap = Trap::new(&fixture);
    plant(&fixture, &trap, &worktree.path);
    fs::write(worktree.path.join("work.txt"), "changed\n").unwrap();
    fixture.try_git(&worktree.path, &["status"]);
    fixture.try_git(&worktree.path, &["add", "-A"]);
    fixture.try_git(&worktree.path, &["update-ref", "refs/heads/x", "HEAD"]);
    let sprung = trap.sprung().join(" ");
    for reason in ["core.fsmonitor", "filter.evil", "reference-transaction"] {
        assert!(
            sprung.contains(reason) || reason == "core.fsmonitor" && sprung.contains("included"),
            "{reason}: {sprung}"
        );
    }
}

#[test]
fn nothing_planted_by_an_agent_is_executed_by_any_operation() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    fs::write(
        worktree.path.join(".gitattributes"),
        "* filter=evil diff=evil merge=evil text\n",
    )
    .unwrap();
    let head = id(&fixture.commit(&worktree.path, "README.md", "ours\n", "Attributes"));
    fixture.commit_on_origin("main", "README.md", "theirs\n");
    let trap = Trap::new(&fixture);
    plant(&fixture, &trap, &worktree.path);
    let (feature, base) = (branch("feature/t1"), branch("main"));

    fs::write(worktree.path.join("unsaved.txt"), "precious").unwrap();
    let place = WorkingTree::Worktree(name("a"));
    let state = git.workspace_tree(&place).unwrap();
    assert_eq!(git.workspace_unchanged(&place, &state), Tri::Yes);
    git.workspace_tree(&WorkingTree::Main).unwrap();
    git.snapshot(&place, &saver("t1")).unwrap();
    assert_eq!(git.push_branch(&feature, None), PushOutcome::Pushed(head.clone()));
    assert!(matches!(
        git.merge(&merge_of(&head)),
        MergeOutcome::Conflict { .. }
    ));
    let range = DiffRange::SinceFork {
        base: Revision::RemoteBranch(base.clone()),
        head: Revision::WorkingTree(place),
    };
    assert!(git.diff_text(&range, 10_000).unwrap().text.contains("ours"));
    let checkout = fixture.root().join("checkout");
    let review = spec("r", WorktreeKind::Detached(Revision::Commit(head.clone())));
    assert_refused_for_its_filter(git.checkout_clean(&head, &checkout));
    assert_refused_for_its_filter(git.ensure_worktree(&review));
    take_filter_away(&fixture);
    git.checkout_clean(&head, &checkout).unwrap();
    git.is_merged(&head, &base);
    git.commits_ahead(
        &Revision::LocalBranch(feature.clone()),
        &Revision::RemoteBranch(base),
    );
    git.branches().unwrap();
    git.remote_branches().unwrap();
    git.worktrees().unwrap();
    let review = git.ensure_worktree(&review).unwrap();
    assert!(review.path.join("work.txt").exists());
    git.ensure_worktree(&spec("b", on_branch("t2"))).unwrap();
    for folder in ["a", "b", "r"] {
        let removed = git.remove_worktree(&name(folder), &saver("t1")).unwrap();
        assert!(matches!(removed, RemoveOutcome::Removed(_)), "{removed:?}");
    }
    let base = super::base(&git, "main");
    git.delete_branch(&feature, &head, &base, &saver("t1"));
    git.delete_remote_branch(&feature, &head, &base, &saver("t1"));
    git.preflight().unwrap();
    drop(git);
    GitCli::open(&setup(&fixture)).unwrap();
    assert_eq!(trap.sprung(), Vec::<String>::new());
}

#[test]
fn a_clean_merge_of_a_hostile_tree_executes_nothing() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    fs::write(
        worktree.path.join(".gitattributes"),
        "* filter=evil diff=evil merge=evil\n",
    )
    .unwrap();
    let head = id(&fixture.commit(&worktree.path, "x.txt", "x\n", "Attributes"));
    let trap = Trap::new(&fixture);
    plant(&fixture, &trap, &worktree.path);
    refuse_to_sign(&fixture, &git, &head);
    let MergeOutcome::Merged { commit, base, .. } = git.merge(&merge_of(&head)) else {
        panic!()
    };
    let publication = PublishRequest {
        commit,
        base: branch("main"),
        expected: base,
    };
    assert_eq!(git.publish(&publication), PublishOutcome::Done);
    assert_eq!(trap.sprung(), Vec::<String>::new());
}

/// Asserts that nothing is merged while a repository asks for signatures and the person has no key, and that no program that it names
/// signs. Then the repository asks no more.
fn refuse_to_sign(fixture: &GitFixture, git: &GitCli, head: &CommitId) {
    let refused = git.merge(&merge_of(head));
    let text = format!("{refused:?}");
    assert!(text.contains("sign the merge as your git does"), "{text}");
    let config = fixture.project().join(".git/config");
    let unset = [
        "config",
        "--file",
        config.to_str().unwrap(),
        "commit.gpgSign",
        "false",
    ];
    fixture.git(&fixture.root(), &unset);
}

#[test]
fn a_control_repository_that_was_tampered_with_is_put_back_before_the_next_call() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, head) = developed(&fixture, &git);
    let trap = Trap::new(&fixture);
    plant(&fixture, &trap, &worktree.path);
    trap.reset();
    let control = fixture.state().join("control.git");
    let evil = fixture.project().join(".git/config");
    fs::copy(&evil, control.join("config")).unwrap();
    fs::create_dir_all(control.join("info")).unwrap();
    fs::write(
        control.join("info/attributes"),
        "* filter=evil diff=evil merge=evil\n",
    )
    .unwrap();
    fs::write(
        control.join("commondir"),
        fixture.project().join(".git").to_str().unwrap(),
    )
    .unwrap();
    refuse_to_sign(&fixture, &git, &head);
    assert!(matches!(git.merge(&merge_of(&head)), MergeOutcome::Merged { .. }));
    git.snapshot(&WorkingTree::Worktree(name("a")), &saver("t1"))
        .unwrap();
    assert_eq!(trap.sprung(), Vec::<String>::new());
    assert!(!control.join("commondir").exists());
}

#[test]
fn a_worktree_pointing_at_another_repository_is_not_believed() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    let evil = fixture.root().join("evil");
    fixture.git(&fixture.root(), &["init", "-q", "evil"]);
    fs::write(
        worktree.path.join(".git"),
        format!("gitdir: {}\n", evil.join(".git").display()),
    )
    .unwrap();
    assert!(git.workspace_tree(&WorkingTree::Worktree(name("a"))).is_err());
    assert!(matches!(
        git.remove_worktree(&name("a"), &saver("t1")).unwrap(),
        RemoveOutcome::Kept(_)
    ));
    assert!(worktree.path.join("work.txt").exists());
}

#[cfg(unix)]
#[test]
fn a_hard_link_to_a_file_outside_is_kept_as_its_contents_and_never_written_through() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, head) = developed(&fixture, &git);
    let outside = fixture.root().join("outside");
    fs::write(&outside, "outside\n").unwrap();
    for name in ["README.md", "new.txt"] {
        drop(fs::remove_file(worktree.path.join(name)));
        fs::hard_link(&outside, worktree.path.join(name)).unwrap();
    }
    let kept = git
        .snapshot(&WorkingTree::Worktree(name("a")), &saver("t1"))
        .unwrap();
    for name in ["README.md", "new.txt"] {
        assert_eq!(file_at(&fixture, &kept.commit, name), "outside");
    }
    // The same names in a folder that is filled anew; then the worktree goes.
    let dir = fixture.root().join("checkouts/one");
    git.checkout_clean(&head, &dir).unwrap();
    fs::remove_file(dir.join("README.md")).unwrap();
    fs::hard_link(&outside, dir.join("README.md")).unwrap();
    git.checkout_clean(&head, &dir).unwrap();
    assert_eq!(fs::read_to_string(dir.join("README.md")).unwrap(), "hello\n");
    git.remove_worktree(&name("a"), &saver("t1")).unwrap();
    assert_eq!(fs::read_to_string(&outside).unwrap(), "outside\n");
}

/// Makes folders inside each other, deeper than a path may be long, with a file in the last.
#[cfg(target_os = "linux")]
fn dig(folder: &Path, depth: usize) {
    use nix::fcntl::{OFlag, openat};
    use nix::sys::stat::{Mode, mkdirat};

    let mut place: std::os::fd::OwnedFd = fs::File::open(folder).unwrap().into();
    for _ in 0..depth {
        mkdirat(&place, "deep-folder", Mode::S_IRWXU).unwrap();
        place = openat(&place, "deep-folder", OFlag::O_DIRECTORY, Mode::empty()).unwrap();
    }
    drop(openat(&place, "file", OFlag::O_CREAT | OFlag::O_WRONLY, Mode::S_IRWXU).unwrap());
}

#[cfg(target_os = "linux")]
#[test]
fn folders_deeper_than_a_path_may_be_long_are_left_where_they_are_and_hinder_no_other_worktree() {
    let fixture = GitFixture::new();
    let git = open(&fixture);
    let (worktree, _) = developed(&fixture, &git);
    dig(&worktree.path, 1_000);
    let why = git.remove_worktree(&name("a"), &saver("t1")).unwrap_err();
    assert!(why.to_string().contains("too long"), "{why}");
    assert!(worktree.path.join("work.txt").exists());
    let other = git.ensure_worktree(&spec("b", on_branch("t2"))).unwrap();
    git.remove_worktree(&name("b"), &saver("t2")).unwrap();
    assert!(!other.path.exists());
}

#[cfg(unix)]
#[test]
fn a_file_too_large_to_be_copied_in_time_leaves_the_worktree_where_it_is() {
    let fixture = GitFixture::new();
    let (worktree, _) = developed(&fixture, &open(&fixture));
    // The file takes no room, but reading it takes hours.
    let huge = fs::File::create(worktree.path.join("huge.bin")).unwrap();
    huge.set_len(1 << 42).unwrap();
    let mut setup = setup(&fixture);
    setup.limits.local = Duration::from_secs(3);
    let why = GitCli::open(&setup)
        .unwrap()
        .remove_worktree(&name("a"), &saver("t1"))
        .unwrap_err();
    assert!(why.to_string().contains("took longer than 3 s"), "{why}");
    assert!(worktree.path.join("huge.bin").exists() && worktree.path.join("work.txt").exists());
    fs::remove_file(worktree.path.join("huge.bin")).unwrap();
    open(&fixture).remove_worktree(&name("a"), &saver("t1")).unwrap();
    assert!(!worktree.path.exists());
}
