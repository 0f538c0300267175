//! Git killed at every system call with which it changes files: nothing is lost, nothing is left, and the next start repairs what is half
//! done. Between two of these calls nothing on the disk changes, so no other moment needs to be tried.
//!
//! A seed chooses a few moments of each operation; `DBS_KILL_SEED=n` chooses those that a failure names, and `DBS_KILL_ALL=1` tries all of
//! them, which takes minutes. Without strace nothing is tried.
#![expect(
    clippy::disallowed_methods,
    reason = "asks whether strace works here, and reads which moments to try"
)]
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "says which moments it tries, so that a failure can be repeated, and when it tries none"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::script::write_script;

use dbs::adapters::git::GitCli;
use dbs::ports::git::{
    FileEdit, Git, MergeEdits, MergeOutcome, MergeRequest, PublishOutcome, PublishRequest, PushOutcome,
    RemoveOutcome, Revision, WorkingTree, WorktreeKind,
};

use super::repair::{assert_sound, open_later};
use super::{GitFixture, branch, id, merge_of, name, on_branch, saver, setup, spec};

/// System calls that change what is on the disk.
const CALLS: &str = "openat,creat,write,pwrite64,rename,renameat,renameat2,link,linkat,symlink,unlink,unlinkat,mkdir,\
                     mkdirat,rmdir,ftruncate,chmod,fchmod";
/// Number of moments of each operation that one run tries.
const N_MOMENTS: usize = 2;

/// A system call and its number among those of a process: strace counts each call by itself.
type Moment = (String, usize);

/// Returns a moment that is never reached, because no git makes that call so often.
fn never() -> Moment {
    ("openat".to_owned(), 60_000)
}

/// An operation, and the git among those it starts that is killed.
struct Killing {
    what: &'static str,
    /// Part of the arguments of the git that is killed.
    git: &'static str,
    /// True if programs that this git starts are killed as well. Those of a remote are not ours to repair.
    with_children: bool,
    /// True if there is a worktree with work in it before.
    has_work: bool,
    run: fn(&GitCli, &GitFixture),
}

/// Operations before a merge.
const WORK: &[Killing] = &[
    Killing {
        what: "add a worktree",
        git: "worktree add",
        with_children: true,
        has_work: false,
        run: |git, _| drop(git.ensure_worktree(&spec("a", on_branch("t1")))),
    },
    Killing {
        what: "write its files",
        git: "read-tree --reset",
        with_children: true,
        has_work: false,
        run: |git, _| drop(git.ensure_worktree(&spec("a", on_branch("t1")))),
    },
    Killing {
        what: "make a branch",
        git: "update-ref -m",
        with_children: true,
        has_work: false,
        run: |git, _| drop(git.ensure_worktree(&spec("a", on_branch("t1")))),
    },
    Killing {
        what: "pin a merge",
        git: "update-ref --end-of-options refs/dbs/pin",
        with_children: true,
        has_work: true,
        run: |git, fixture| drop(git.merge(&merge_of(&head(fixture)))),
    },
    Killing {
        what: "remove a worktree",
        git: "worktree remove",
        with_children: true,
        has_work: true,
        run: |git, _| drop(git.remove_worktree(&name("a"), &saver("t1"))),
    },
    Killing {
        what: "take a snapshot",
        git: "add --all",
        with_children: true,
        has_work: true,
        run: |git, _| drop(git.snapshot(&WorkingTree::Worktree(name("a")), &saver("t1"))),
    },
    Killing {
        what: "fetch from the remote",
        git: "fetch --quiet",
        with_children: true,
        has_work: true,
        run: |git, fixture| {
            fixture.commit_on_origin("main", "newer.txt", "newer\n");
            git.resolve(&Revision::RemoteBranch(branch("main")));
        },
    },
    Killing {
        what: "hand a commit over to the project",
        git: "dbs-control",
        with_children: true,
        has_work: true,
        run: |git, fixture| {
            fixture.commit_on_origin("main", "newer.txt", "newer\n");
            let main = Revision::RemoteBranch(branch("main"));
            drop(git.ensure_worktree(&spec("r", WorktreeKind::Detached(main))));
        },
    },
];

const MERGES: &[Killing] = &[
    Killing {
        what: "merge",
        git: "merge-tree",
        with_children: true,
        has_work: true,
        run: |git, fixture| drop(git.merge(&merge_of(&head(fixture)))),
    },
    Killing {
        what: "commit a merge",
        git: "commit-tree",
        with_children: true,
        has_work: true,
        run: |git, fixture| drop(git.merge(&merge_of(&head(fixture)))),
    },
    Killing {
        what: "keep a text for a merge",
        git: "hash-object -w",
        with_children: true,
        has_work: true,
        run: merge_with_files,
    },
    Killing {
        what: "change files of a merge",
        git: "update-index --add",
        with_children: true,
        has_work: true,
        run: merge_with_files,
    },
    Killing {
        what: "write the tree of a merge with files",
        git: "write-tree",
        with_children: true,
        has_work: true,
        run: merge_with_files,
    },
    Killing {
        what: "commit a merge with files",
        git: "commit-tree",
        with_children: true,
        has_work: true,
        run: merge_with_files,
    },
    Killing {
        what: "push",
        git: "push --porcelain",
        with_children: false,
        has_work: true,
        run: |git, _| drop(git.push_branch(&branch("feature/t1"), None)),
    },
];

fn head(fixture: &GitFixture) -> dbs::ports::git::CommitId {
    id(&fixture.git(&fixture.project(), &["rev-parse", "feature/t1"]))
}

/// Makes a merge that also writes files, as that of a story does.
fn merge_with_files(git: &GitCli, fixture: &GitFixture) {
    let file = |path: &str, text: &str| FileEdit {
        path: path.to_owned(),
        text: Some(text.to_owned()),
    };
    let edits = MergeEdits {
        base: id(&fixture.git(&fixture.origin(), &["rev-parse", "main"])),
        files: vec![file("state.json", "{}\n"), file("history.md", "# History\n")],
    };
    drop(git.merge(&MergeRequest {
        edits: Some(edits),
        ..merge_of(&head(fixture))
    }));
}

/// Sets the moment at which that git is killed from now on.
fn set_moment(fixture: &GitFixture, (call, nth): &Moment) {
    let text = format!("{call}:signal=SIGKILL:when={nth}");
    fs::write(fixture.root().join("moment"), text).unwrap();
}

/// Writes a git that is killed at a call that changes files, as soon as a file names the moment; returns the program.
fn killed_git(fixture: &GitFixture, killing: &Killing) -> PathBuf {
    let (program, root) = (fixture.root().join("killed-git"), fixture.root());
    let root = root.display();
    let follow = if killing.with_children { "-f" } else { "" };
    let text = format!(
        "#!/bin/sh\n[ -f '{root}/moment' ] && case \"$*\" in *'{}'*)\n\
         exec strace {follow} -qq -o '{root}/trace.'$$ -e trace={CALLS} \
         -e inject=\"$(cat '{root}/moment')\" git \"$@\" ;;\nesac\nexec git \"$@\"\n",
        killing.git
    );
    write_script(&program, text);
    program
}

/// Returns the traced calls of a program that change something. The trace has one line for each call, with the number of the process if
/// children were followed.
fn changes(fixture: &GitFixture) -> BTreeSet<Moment> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut changes = BTreeSet::new();
    for entry in fs::read_dir(fixture.root()).unwrap().flatten() {
        let file = entry.file_name().into_string().unwrap();
        if !file.starts_with("trace.") {
            continue;
        }
        let text = String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned();
        for line in text
            .lines()
            .filter(|line| line.contains('(') && !line.contains("resumed>"))
        {
            let before = line.split('(').next().unwrap_or_default();
            let call = before.rsplit(' ').next().unwrap_or_default();
            let count = counts.entry(format!("{file} {before}")).or_default();
            *count += 1;
            let only_reads =
                line.contains("openat(") && !line.contains("O_WRONLY") && !line.contains("O_RDWR");
            if !only_reads {
                changes.insert((call.to_owned(), *count));
            }
        }
    }
    changes
}

/// Does the operation with a git that is killed at that moment, and then all that follows; returns the moments that there are.
fn try_moment(killing: &Killing, moment: &Moment) -> BTreeSet<Moment> {
    let when = format!("{}, killed at call {moment:?}", killing.what);
    let fixture = GitFixture::new();
    let mut killed = setup(&fixture);
    killed.program = killed_git(&fixture, killing).into();
    let git = GitCli::open(&killed).unwrap();
    let folder = fixture.project().join(".debussy-worktrees/a");
    if killing.has_work {
        git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
        fixture.commit(&folder, "work.txt", "work\n", "Work");
        fs::write(folder.join("unsaved.txt"), "precious").unwrap();
    } else {
        git.resolve(&Revision::RemoteBranch(branch("main")));
    }
    set_moment(&fixture, moment);
    (killing.run)(&git, &fixture);
    fs::remove_file(fixture.root().join("moment")).unwrap();
    drop(git);
    let moments = changes(&fixture);
    if *moment == never() {
        assert!(!moments.is_empty(), "{}: no such git was started", killing.what);
        return moments;
    }
    let git = open_later(&fixture);
    assert_sound(&fixture, &when);
    git.preflight().unwrap();
    git.worktrees().unwrap();
    if killing.has_work {
        let blob = fixture.root().join("blob");
        fs::write(&blob, "precious").unwrap();
        let blob = fixture.git(&fixture.root(), &["hash-object", blob.to_str().unwrap()]);
        let kept = fixture.git(&control(&fixture), &["rev-list", "--objects", "--all"]);
        let is_there = folder.join("unsaved.txt").exists();
        assert!(is_there || kept.contains(&blob), "{when}: a file is lost");
    }
    complete(&fixture, &git, killing, &when);
    moments
}

fn control(fixture: &GitFixture) -> PathBuf {
    fixture.state().join("control.git")
}

/// Does all that can be done with a worktree, which must work as if nothing had happened.
fn complete(fixture: &GitFixture, git: &GitCli, killing: &Killing, when: &str) {
    let worktree = git.ensure_worktree(&spec("a", on_branch("t1"))).unwrap();
    assert_eq!(
        fs::read_to_string(worktree.path.join("README.md")).unwrap(),
        "hello\n",
        "{when}"
    );
    if killing.has_work {
        assert!(
            worktree.path.join("work.txt").exists(),
            "{when}: a commit is lost"
        );
    } else {
        assert_eq!(
            fixture.git(&worktree.path, &["status", "--porcelain"]),
            "",
            "{when}"
        );
        fixture.commit(&worktree.path, "work.txt", "work\n", "Work");
    }
    let pushed = git.push_branch(&branch("feature/t1"), None);
    assert!(matches!(pushed, PushOutcome::Pushed(_)), "{when}: {pushed:?}");
    let MergeOutcome::Merged { commit, base, .. } = git.merge(&merge_of(&head(fixture))) else {
        panic!("{when}: not merged")
    };
    let publication = PublishRequest {
        commit,
        base: branch("main"),
        expected: base,
    };
    assert_eq!(git.publish(&publication), PublishOutcome::Done, "{when}");
    for folder in ["a", "r"] {
        let removed = git.remove_worktree(&name(folder), &saver("t1")).unwrap();
        assert!(!matches!(removed, RemoveOutcome::Kept(_)), "{when}: {removed:?}");
    }
    assert_sound(fixture, when);
    let root = fixture.project().join(".debussy-worktrees");
    assert_eq!(fs::read_dir(root).unwrap().count(), 0, "{when}: folders are left");
    assert!(
        !fixture.project().join(".git/worktrees").exists(),
        "{when}: registrations are left"
    );
    for repository in [fixture.project().join(".git"), control(fixture)] {
        assert_eq!(
            locks(&repository),
            Vec::<PathBuf>::new(),
            "{when}: locks are left"
        );
    }
}

fn locks(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    let found = entries.flat_map(|path| match path.extension() {
        _ if path.is_dir() => locks(&path),
        Some(end) if end == "lock" => vec![path],
        _ => Vec::new(),
    });
    found.collect()
}

/// Returns the next number of a pseudo-random sequence.
fn next(seed: u64) -> u64 {
    seed.wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407)
}

/// Lets a server make a worktree with a git that is killed at that moment, and then another one; returns the moments that there are.
fn make_beside(moment: &Moment) -> BTreeSet<Moment> {
    let killing = WORK.first().unwrap();
    let fixture = GitFixture::new();
    let mut killed = setup(&fixture);
    killed.program = killed_git(&fixture, killing).into();
    let git = GitCli::open(&killed).unwrap();
    set_moment(&fixture, moment);
    let made = git.ensure_worktree(&spec("a", on_branch("t1")));
    fs::remove_file(fixture.root().join("moment")).unwrap();
    if *moment == never() {
        assert!(made.is_ok(), "{made:?}");
        return changes(&fixture);
    }
    assert!(made.is_err(), "at {moment:?}: {made:?}");
    let root = fixture.project().join(".debussy-worktrees");
    let n_left = fs::read_dir(root).unwrap().count();
    assert_eq!(n_left, 0, "at {moment:?}: a folder is left");
    let left = fixture.project().join(".git/worktrees");
    assert!(!left.exists(), "at {moment:?}: a registration is left");
    git.ensure_worktree(&spec("b", on_branch("t1"))).unwrap();
    git.remove_worktree(&name("b"), &saver("t1")).unwrap();
    assert!(!left.exists() && locks(&fixture.project().join(".git")).is_empty());
    BTreeSet::new()
}

#[test]
fn a_worktree_whose_git_was_killed_is_gone_at_once_while_its_server_goes_on() {
    if !can_trace() {
        return;
    }
    let all = std::env::var_os("DBS_KILL_ALL").is_some();
    let is_tried = |(call, _): &&Moment| all || call.starts_with("rename") || call.starts_with("unlink");
    let moments = make_beside(&never());
    assert!(
        moments.iter().any(|(call, _)| call.starts_with("rename")),
        "{moments:?}"
    );
    for moment in moments.iter().filter(is_tried) {
        make_beside(moment);
    }
}

#[test]
fn a_git_killed_at_any_call_loses_nothing_and_leaves_nothing() {
    try_all(WORK);
}

/// Worktree of which some files are already removed: it would show the next agent that an agent deleted them.
#[test]
fn a_worktree_that_was_removed_in_part_is_not_used_again() {
    if !can_trace() {
        return;
    }
    let removal = WORK.iter().find(|killing| killing.what == "remove a worktree");
    for n in 1..=4 {
        try_moment(removal.expect("listed"), &("unlink".to_owned(), n));
    }
}

#[test]
fn a_git_killed_while_it_merges_loses_nothing_and_leaves_nothing() {
    try_all(MERGES);
}

/// Returns true if gits can be killed here, and prints a line if not.
fn can_trace() -> bool {
    let works = Command::new("strace")
        .args(["-qq", "-o", "/dev/null", "true"])
        .status();
    let works = works.is_ok_and(|status| status.success());
    if !works {
        eprintln!("skipped: strace is not installed or may not trace; no git was killed");
    }
    works
}

fn try_all(killings: &[Killing]) {
    if !can_trace() {
        return;
    }
    let all = std::env::var_os("DBS_KILL_ALL").is_some();
    let given = std::env::var("DBS_KILL_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let mut seed = given.unwrap_or_else(|| u64::from(std::process::id()));
    println!("DBS_KILL_SEED={seed} tries the same moments again");
    for killing in killings {
        let moments: Vec<Moment> = try_moment(killing, &never()).into_iter().collect();
        let mut choose = |_| {
            seed = next(seed);
            let at = usize::try_from(seed >> 33).unwrap_or_default() % moments.len();
            moments.get(at).cloned().unwrap_or_else(never)
        };
        let chosen: Vec<Moment> = if all {
            moments.clone()
        } else {
            (0..N_MOMENTS).map(&mut choose).collect()
        };
        println!("{}: {} moments, tried {chosen:?}", killing.what, moments.len());
        for moment in chosen {
            try_moment(killing, &moment);
        }
    }
}
