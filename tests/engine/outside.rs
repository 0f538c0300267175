//! Refusals from outside, and results that stay unknown: with real git, a real remote and its hooks.

use std::fs;
use std::path::Path;

use dbs::domain::task::GateCommand;
use dbs::domain::task::HoldReason;
use dbs::domain::{BoardSettings, Command, MergeCheck, SignalKind, Span, TaskState, TroubleKind};

use crate::bench::{Bench, draft};
use crate::script::write_script;

/// Fault on the other side or in the repository.
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

/// Returns a bench with a task that only lacks the approval of its reviewer, who is at work.
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
        other => panic!(
            "the task is not held by a refusal: {other:?} {}",
            bench.comments("t-1")
        ),
    }
}

/// Returns the reason for which the base of a task takes no merges.
fn closed(bench: &Bench, id: &str) -> String {
    match &bench.task(id).state {
        TaskState::Held(HoldReason::BaseClosed(why)) => why.clone(),
        other => panic!("the task's base is not closed: {other:?} {}", bench.comments(id)),
    }
}

/// Refuses every push to the base from now on, with the output of these commands, and counts the pushes.
fn protect(bench: &Bench, words: &str) {
    let pushes = bench.git.root().join("pushes");
    hook(
        &bench.git.origin(),
        &format!(
            "while read a b ref; do [ $ref != refs/heads/work ] || {{ echo x >>'{}'; {words}; exit 1; }}; done",
            pushes.display()
        ),
    );
}

fn n_pushes(bench: &Bench) -> usize {
    let pushes = fs::read_to_string(bench.git.root().join("pushes")).unwrap_or_default();
    pushes.lines().count()
}

#[test]
fn a_base_that_the_remote_protects_is_left_to_a_person_at_once_in_the_remotes_words() {
    let mut bench = reviewed();
    let base = bench.head(&bench.git.origin(), "work");
    protect(
        &bench,
        "printf 'protected branch \\033]0;owned\\007by policy\\n%02000d\\n' 1 >&2",
    );
    bench.last_word("t-1", SignalKind::Done);
    let why = closed(&bench, "t-1");
    assert!(why.starts_with("protected branch"), "{why}");
    assert!(
        why.contains("by policy") && why.contains("merge.via branch"),
        "{why}"
    );
    assert!(!why.contains(char::is_control) && why.len() < 1_000, "{why}");
    assert_eq!(bench.head(&bench.git.origin(), "work"), base);
    assert_eq!(bench.task("t-1").open_attempt, None);
    assert_eq!(bench.board.infra_failures, 0);
}

/// Brings a task to its merge.
fn to_merge(bench: &mut Bench, id: &str) {
    bench.release(draft(id, "kanban", None));
    bench.develop(id, &format!("{id}.txt"), "work\n");
    bench.last_word(id, SignalKind::Done);
}

#[test]
fn a_protected_base_is_one_hold_and_the_others_follow_when_it_opens() {
    let mut bench = Bench::new();
    protect(&bench, "echo 'main takes pull requests only' >&2");
    for id in ["t-1", "t-2", "t-3"] {
        to_merge(&mut bench, id);
    }
    assert_eq!(n_pushes(&bench), 1);
    let why = closed(&bench, "t-1");
    assert!(why.starts_with("main takes pull requests only"), "{why}");
    for id in ["t-2", "t-3"] {
        assert_eq!(bench.stage(id), ("merging", "released"), "{}", bench.comments(id));
        let waits = bench.task(id).why_not.as_ref().map(ToString::to_string);
        assert_eq!(
            waits.as_deref(),
            Some("waits until work takes merges again: dbs why t-1")
        );
    }
    fs::remove_file(bench.git.origin().join("hooks/pre-receive")).unwrap();
    bench.ask(Command::Retry {
        task: "t-1".into(),
        stage: None,
        note: None,
    });
    for id in ["t-1", "t-2", "t-3"] {
        assert_eq!(bench.task(id).state.word(), "done", "{id} {}", bench.comments(id));
    }
}

#[test]
fn a_refusal_of_one_task_is_its_own_and_the_same_words_for_another_close_the_base() {
    let mut bench = Bench::new();
    protect(&bench, "echo 'not on a friday' >&2");
    to_merge(&mut bench, "t-1");
    let why = refusal(&bench);
    assert!(
        why.starts_with("not on a friday") && why.contains("the remote refused the push to work"),
        "{why}"
    );
    for id in ["t-2", "t-3"] {
        to_merge(&mut bench, id);
    }
    assert!(closed(&bench, "t-2").starts_with("not on a friday"));
    assert_eq!(bench.stage("t-3"), ("merging", "released"));
    assert_eq!(n_pushes(&bench), 2);
}

#[test]
fn a_secret_in_an_older_commit_is_named_with_its_commit() {
    let mut bench = Bench::new();
    let script = "while read a b ref; do for c in $(git rev-list $b --not --all); do \
                  git show $c | grep -q '^+.*ghp_' && { echo 'a token in an added line' >&2; exit 1; }; done; done; exit 0";
    hook(&bench.git.origin(), script);
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    let token = format!("key = ghp_{}\n", "A1b2".repeat(9));
    let bad = bench.git.commit(&folder, "key.txt", &token, "Add the key");
    bench.develop("t-1", "key.txt", "none\n");
    let finding = bench.task("t-1").finding.clone().unwrap_or_default();
    assert!(
        finding.contains(bad.get(..10).unwrap()) && finding.contains("Add the key"),
        "{finding}"
    );
    assert!(finding.contains("on top does not help"), "{finding}");
}

#[test]
fn finished_work_stops_at_its_branch_and_what_needs_it_waits_for_the_merge_of_others() {
    let git = crate::git_fixture::GitFixture::new();
    fs::create_dir_all(git.state()).unwrap();
    fs::write(git.state().join("merge-via-branch"), "").unwrap();
    let setup = dbs::adapters::git::GitSetup::new(git.project(), git.environment());
    let settings = BoardSettings {
        base: Some("work".to_owned()),
        ..BoardSettings::default()
    };
    let mut bench = Bench::over(git, &setup, settings);
    let origin = bench.git.origin();
    let base = bench.head(&origin, "work");
    to_merge(&mut bench, "t-1");
    assert_eq!(
        bench.task("t-1").state.word(),
        "done",
        "{}",
        bench.comments("t-1")
    );
    assert_eq!(bench.task("t-1").handed_over_on(), Some("feature/t-1"));
    assert_eq!(bench.task("t-1").merged, None);
    bench.tidy();
    assert_eq!(bench.head(&origin, "work"), base, "the base does not move");
    let head = bench.head(&origin, "feature/t-1");
    let mut dependent = draft("t-2", "kanban", None);
    dependent.deps.insert("t-1".into());
    bench.release(dependent);
    let waits = bench.task("t-2").why_not.as_ref().map(ToString::to_string);
    assert_eq!(waits.as_deref(), Some("waits for the merge of t-1"));
    bench.git.git(&origin, &["update-ref", "refs/heads/work", &head]);
    bench.wait(Span::minutes(3));
    assert_eq!(bench.task("t-1").merged.as_deref(), Some(head.as_str()));
    let is_checked = bench.task("t-1").merge_check.is_checked();
    assert!(!is_checked, "a merge made outside is not checked");
    assert_eq!(
        bench.task("t-2").state.word(),
        "active",
        "{}",
        bench.comments("t-2")
    );
    bench.tidy();
    assert!(!bench.branches(&origin).contains(&"feature/t-1".to_owned()));
}

#[test]
fn work_that_another_hand_merged_before_is_unchecked_though_a_gate_is_set() {
    let mut bench = Bench::with(BoardSettings {
        base: Some("work".to_owned()),
        gates: vec![GateCommand {
            name: "tests".to_owned(),
            command: "true".to_owned(),
        }],
        ..BoardSettings::default()
    });
    bench.release(draft("t-1", "kanban", None));
    bench.develop("t-1", "t-1.txt", "work\n");
    bench.git.commit_on_origin("work", "t-1.txt", "work\n");
    bench.last_word("t-1", SignalKind::Done);
    let task = bench.task("t-1");
    assert_eq!(
        (task.state.word(), task.merge_check),
        ("done", MergeCheck::ByOthers)
    );
}

#[test]
fn squashed_work_that_the_base_has_in_another_form_counts_as_merged_when_a_person_says_so() {
    let git = crate::git_fixture::GitFixture::new();
    fs::create_dir_all(git.state()).unwrap();
    fs::write(git.state().join("merge-via-branch"), "").unwrap();
    let setup = dbs::adapters::git::GitSetup::new(git.project(), git.environment());
    let settings = BoardSettings {
        base: Some("work".to_owned()),
        ..BoardSettings::default()
    };
    let mut bench = Bench::over(git, &setup, settings);
    let origin = bench.git.origin();
    to_merge(&mut bench, "t-1");
    let project = bench.git.project();
    bench.git.git(&project, &["fetch", "-q", "origin"]);
    bench
        .git
        .git(&project, &["checkout", "-q", "-B", "mine", "origin/work"]);
    bench
        .git
        .git(&project, &["merge", "-q", "--squash", "origin/feature/t-1"]);
    bench
        .git
        .commit(&project, "t-1.txt", "as I like it\n", "Their work and mine");
    bench.git.git(&project, &["push", "-q", "origin", "mine:work"]);
    bench.wait(Span::minutes(3));
    assert_eq!(bench.task("t-1").merged, None, "the merge is not guessed");
    bench.ask(Command::Merged("t-1".into()));
    bench.tidy();
    let head = bench.head(&origin, "work");
    assert_eq!(bench.task("t-1").merged.as_deref(), Some(head.as_str()));
    assert!(!bench.task("t-1").merge_check.is_checked());
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
    assert_ne!(bench.agent("t-1").id, first, "another agent fixes it");
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

/// Lets time pass until the task is held; asserts that this is after 12 tries, with that cause, and that it takes no place.
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

/// Installs a hook of the remote that runs before anything is changed.
pub(crate) fn hook(origin: &Path, script: &str) {
    let hook = origin.join("hooks/pre-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    write_script(&hook, format!("#!/bin/sh\n{script}\n"));
}
