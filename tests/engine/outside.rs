//! What the outside says no to, and what it leaves unknown: with real git, a real remote and its hooks.

use std::fs;
use std::path::Path;

use dbs::domain::task::HoldReason;
use dbs::domain::{SignalKind, Span, TaskState, TroubleKind};

use crate::bench::{Bench, draft};
use crate::script::write_script;

/// What is wrong on the other side or in the repository.
#[derive(Debug, Clone, Copy)]
enum Breakage {
    /// The settings of the project's repository cannot be read.
    Settings,
    /// A git on the remote's machine died and left its lock on the base.
    RemoteLock,
    /// A link stands where the worktrees should be.
    Link,
    /// The remote repository is gone.
    NoRemote,
}

impl Breakage {
    fn begin(self, bench: &Bench) {
        let project = bench.git.project();
        match self {
            Breakage::Settings => fs::write(project.join(".git/config"), "[core\nbroken").unwrap(),
            Breakage::RemoteLock => fs::write(bench.git.origin().join("refs/heads/work.lock"), "").unwrap(),
            Breakage::Link => {
                let trees = project.join(".debussy-worktrees");
                drop(fs::remove_dir_all(&trees));
                std::os::unix::fs::symlink("/tmp", trees).unwrap();
            }
            Breakage::NoRemote => fs::rename(bench.git.origin(), bench.git.root().join("away")).unwrap(),
        }
    }
}

/// A task that is done but for the approval of its reviewer, who is at work.
fn reviewed() -> Bench {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    bench.develop("t-1", "work.txt", "work\n");
    assert_eq!(bench.stage("t-1"), ("reviewing", "active"));
    bench
}

fn refusal(bench: &Bench) -> String {
    match &bench.task("t-1").state {
        TaskState::Held(HoldReason::Refused(why)) => why.clone(),
        other => panic!("it is not held by a refusal: {other:?} {}", bench.comments("t-1")),
    }
}

#[test]
fn a_base_that_the_remote_protects_is_left_to_a_person_at_once_in_the_remotes_words() {
    let mut bench = reviewed();
    let base = bench.head(&bench.git.origin(), "work");
    let words = "printf 'protected \\033]0;owned\\007by policy\\n%02000d\\n' 1 >&2";
    hook(
        &bench.git.origin(),
        &format!("while read a b ref; do [ $ref != refs/heads/work ] || {{ {words}; exit 1; }}; done"),
    );
    bench.last_word("t-1", SignalKind::Done);
    let why = refusal(&bench);
    assert!(why.contains("the remote refused work"), "{why}");
    assert!(why.contains("protected") && why.contains("by policy"), "{why}");
    assert!(!why.contains(char::is_control) && why.len() < 1_000, "{why}");
    assert_eq!(bench.head(&bench.git.origin(), "work"), base);
    assert_eq!(bench.task("t-1").open_attempt, None);
    assert_eq!(bench.board.infra_failures, 0);
}

#[test]
fn a_branch_that_a_hook_of_the_remote_refuses_is_a_finding_in_the_words_of_the_hook() {
    let mut bench = Bench::new();
    hook(
        &bench.git.origin(),
        "while read a b ref; do [ $ref != refs/heads/feature/t-1 ] || { echo 'no FIXME here' >&2; exit 1; }; done",
    );
    bench.release(draft("t-1", "kanban", None));
    let first = bench.agent("t-1").id;
    bench.develop("t-1", "work.txt", "FIXME\n");
    assert_eq!(bench.stage("t-1"), ("development", "active"));
    assert_ne!(bench.agent("t-1").id, first, "another agent mends it");
    let finding = bench.task("t-1").finding.clone().unwrap_or_default();
    assert!(
        finding.contains("the remote refused the branch") && finding.contains("no FIXME here"),
        "{finding}"
    );
}

#[test]
fn a_base_that_is_missing_at_the_remote_is_left_to_a_person_at_once() {
    let mut bench = reviewed();
    bench.git.git(&bench.git.origin(), &["branch", "-D", "work"]);
    bench.last_word("t-1", SignalKind::Done);
    let why = refusal(&bench);
    assert!(why.contains("origin has no branch work"), "{why}");

    let mut bench = Bench::new();
    bench.git.git(&bench.git.origin(), &["branch", "-D", "work"]);
    bench.release(draft("t-1", "kanban", None));
    let why = refusal(&bench);
    assert!(why.contains("branch work on origin"), "{why}");
    assert!(bench.launches().is_empty());
}

#[test]
fn a_broken_repository_or_remote_is_tried_so_often_and_then_left_to_a_person_with_its_cause() {
    for (breakage, kind, words) in [
        (Breakage::Settings, TroubleKind::Other, "config"),
        (Breakage::Link, TroubleKind::Other, ".debussy-worktrees"),
        (Breakage::NoRemote, TroubleKind::Network, "origin"),
    ] {
        let mut bench = Bench::new();
        breakage.begin(&bench);
        bench.release(draft("t-1", "kanban", None));
        is_tried_and_held(&mut bench, breakage, (kind, words));
        assert!(bench.launches().is_empty(), "{breakage:?}");
    }
    for (breakage, kind, words) in [
        (Breakage::RemoteLock, TroubleKind::Lock, "work"),
        (Breakage::NoRemote, TroubleKind::Network, "origin"),
    ] {
        let mut bench = reviewed();
        breakage.begin(&bench);
        bench.last_word("t-1", SignalKind::Done);
        is_tried_and_held(&mut bench, breakage, (kind, words));
    }
}

/// Lets time pass until the task is held, which must be after so many tries, with that cause and no place taken.
fn is_tried_and_held(bench: &mut Bench, breakage: Breakage, (kind, words): (TroubleKind, &str)) {
    for _ in 0..30 {
        if bench.stage("t-1").1 == "held" {
            break;
        }
        bench.wait(Span::minutes(5));
    }
    let task = bench.task("t-1");
    let TaskState::Held(HoldReason::Trouble { tries: 12, cause }) = &task.state else {
        panic!("{breakage:?}: {:?} {}", task.state, bench.comments("t-1"));
    };
    assert_eq!(cause.kind, kind, "{breakage:?}: {cause}");
    assert!(cause.text.contains(words), "{breakage:?}: {cause}");
    assert_eq!(task.open_attempt, None, "{breakage:?}");
}

/// A hook of the remote that is asked before anything is changed.
pub(crate) fn hook(origin: &Path, script: &str) {
    let hook = origin.join("hooks/pre-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    write_script(&hook, format!("#!/bin/sh\n{script}\n"));
}
