//! Stages with `action = "verify"`: they check the recorded work, and the base once the work is in it.

use dbs::domain::task::GateCommand;
use dbs::domain::{Command, Event, SignalKind, TaskDraft, TaskId};

use crate::bench::{Bench, draft};

const FLOW: &str = r#"
id = "checked"
title = "Checked by the engine, before the merge and after it"
entry = "work"
scan = ["after", "merge", "before", "work"]
cascade = "wait"
exhausted = "hold"

[limits]
spawns = 20
rejections = 5

[[stage]]
id = "work"
role = "worker"
workspace = "branch"
access = "write"
signals = ["done", "block"]
success = [{ to = "before" }]
evidence = ["commits_ahead"]

[[stage]]
id = "before"
action = "verify"
success = [{ to = "merge" }]
reject = "work"
evidence = ["gates"]
gates = "all"
approval = "when_asked"

[[stage]]
id = "merge"
action = "merge"
singleton = true
success = [{ to = "after" }]
reject = "work"
evidence = ["merged"]

[[stage]]
id = "after"
action = "verify"
reject = "work"
evidence = ["gates"]
gates = "all"
approval = "when_asked"
"#;

fn bench() -> Bench {
    let (flow, notes) = dbs::formats::workflow::read("checked.toml".as_ref(), FLOW);
    let flow = flow.unwrap_or_else(|| panic!("{notes:?}"));
    let mut bench = Bench::new();
    bench.happen(&Event::WorkflowsLoaded(vec![flow]));
    bench
}

/// Returns a task whose gates require these files, with names that git itself can look up on every system.
fn wanting(files: &[&str], asks: bool) -> TaskDraft {
    let gates = files.iter().map(|file| GateCommand {
        name: (*file).to_owned(),
        command: format!("git cat-file -e HEAD:{file}"),
    });
    TaskDraft {
        gates: gates.collect(),
        needs_approval: asks,
        ..draft("t-1", "checked", None)
    }
}

#[test]
fn the_engine_checks_the_work_itself_and_not_the_base_it_is_to_be_merged_into() {
    let mut bench = bench();
    bench.release(wanting(&["work.txt"], false));
    bench.develop("t-1", "work.txt", "work\n");
    assert_eq!(
        bench.task("t-1").state.word(),
        "done",
        "{}",
        bench.comments("t-1")
    );
}

#[test]
fn work_that_is_not_good_is_found_out_though_the_base_is_good() {
    let mut bench = bench();
    bench.git.commit_on_origin("work", "kept.txt", "kept\n");
    bench.release(wanting(&["kept.txt"], false));
    let folder = bench.folder("t-1");
    std::fs::remove_file(folder.join("kept.txt")).unwrap();
    bench.develop("t-1", "work.txt", "work\n");
    assert_eq!(bench.stage("t-1").0, "work", "{}", bench.comments("t-1"));
    let finding = bench.task("t-1").finding.clone().unwrap_or_default();
    assert!(finding.contains("gate kept.txt failed"), "{finding}");
}

#[test]
fn what_was_not_recorded_is_not_checked_though_the_branch_has_it() {
    let mut bench = bench();
    bench.release(wanting(&["work.txt", "late.txt"], true));
    bench.develop("t-1", "work.txt", "work\n");
    assert_eq!(bench.stage("t-1"), ("before", "held"));
    let recorded = bench.task("t-1").head.clone().unwrap();
    let late = bench.git.root().join("late");
    bench.git.git(
        &bench.git.project(),
        &[
            "worktree",
            "add",
            "-q",
            "--force",
            late.to_str().unwrap(),
            "feature/t-1",
        ],
    );
    bench.git.commit(&late, "late.txt", "late\n", "Late");
    bench.ask(Command::Approve(TaskId::from("t-1")));
    assert_eq!(bench.task("t-1").head.as_deref(), Some(recorded.as_str()));
    let finding = bench.task("t-1").finding.clone().unwrap_or_default();
    assert!(finding.contains("gate late.txt failed"), "{finding}");
}

#[test]
fn after_the_merge_the_base_is_checked_with_all_that_others_merged() {
    let mut bench = bench();
    bench.release(wanting(&["work.txt", "other.txt"], true));
    let folder = bench.folder("t-1");
    bench.git.commit(&folder, "other.txt", "mine\n", "Other");
    bench.develop("t-1", "work.txt", "work\n");
    bench.ask(Command::Approve(TaskId::from("t-1")));
    assert_eq!(bench.stage("t-1"), ("after", "held"), "{}", bench.comments("t-1"));
    // Another person breaks the base between the merge and the check.
    let clone = bench.git.root().join("clone");
    let origin = bench.git.origin();
    bench.git.git(
        &bench.git.root(),
        &[
            "clone",
            "-q",
            "-b",
            "work",
            origin.to_str().unwrap(),
            clone.to_str().unwrap(),
        ],
    );
    bench.git.git(&clone, &["rm", "-q", "other.txt"]);
    bench
        .git
        .commit(&clone, "third.txt", "third\n", "Take the other away");
    bench.git.git(&clone, &["push", "-q", "origin", "work"]);
    bench.ask(Command::Approve(TaskId::from("t-1")));
    let finding = bench.task("t-1").finding.clone().unwrap_or_default();
    assert!(finding.contains("gate other.txt failed"), "{finding}");
    bench.says("t-1", SignalKind::Claim, "mending");
}
