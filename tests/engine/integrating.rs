//! Changes of an integrator beyond its conflict: they are merged only after a review.

use dbs::domain::task::{GateCommand, HoldReason};
use dbs::domain::{Command, Event, SignalKind, TaskDraft, TaskState, Workflow};

use crate::bench::{Bench, draft, workflows};

/// Returns a task that changed the same line as its base, with its integrator called.
fn in_conflict(task: TaskDraft) -> Bench {
    let mut bench = Bench::new();
    bench.release(task);
    bench.git.commit_on_origin("work", "same.txt", "theirs\n");
    bench.develop("t-1", "same.txt", "ours\n");
    if bench.stage("t-1").0 == "reviewing" {
        bench.last_word("t-1", SignalKind::Done);
    }
    assert_eq!(
        bench.stage("t-1"),
        ("merging", "active"),
        "{}",
        bench.comments("t-1")
    );
    let folder = bench.folder("t-1");
    bench.git.git(&folder, &["fetch", "-q", "origin"]);
    drop(bench.git.try_git(&folder, &["merge", "-q", "origin/work"]));
    bench
}

/// Resolves the conflict with both lines as the integrator, which also adds a file that was not asked for.
fn add_evil(bench: &mut Bench) {
    let folder = bench.folder("t-1");
    std::fs::write(folder.join("same.txt"), "ours\ntheirs\n").unwrap();
    bench.git.commit(&folder, "EVIL", "evil\n", "Resolve");
    bench.last_word("t-1", SignalKind::Done);
}

fn files_of_base(bench: &Bench) -> String {
    bench
        .git
        .git(&bench.git.origin(), &["ls-tree", "--name-only", "work"])
}

#[test]
fn a_file_that_an_integrator_adds_is_reviewed_before_it_is_merged() {
    let mut bench = in_conflict(draft("t-1", "kanban", None));
    add_evil(&mut bench);
    assert_eq!(
        bench.stage("t-1"),
        ("reviewing", "active"),
        "{}",
        bench.comments("t-1")
    );
    assert!(!files_of_base(&bench).contains("EVIL"));
    let brief = bench.outside.briefs.lock().unwrap().last().unwrap().clone();
    let told = brief.facts.place.integration.expect("the reviewer is told");
    assert_eq!(
        (told.outside.as_slice(), told.written.len()),
        (&["EVIL".to_owned()][..], 0)
    );
    let difference = brief.difference.expect("the reviewer gets the difference");
    assert!(
        difference.contains("+evil") && difference.contains("EVIL"),
        "{difference}"
    );
    assert!(
        difference.contains("<<<<<<<"),
        "the difference begins at the conflict: {difference}"
    );
    let project = bench.git.project();
    let shown = bench
        .git
        .git(&project, &["diff", "--name-only", &told.from, &told.to]);
    assert_eq!(
        shown, "EVIL\nsame.txt",
        "the reviewer can see that difference alone"
    );

    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(
        bench.task("t-1").state.word(),
        "done",
        "{}",
        bench.comments("t-1")
    );
    assert!(files_of_base(&bench).contains("EVIL"));
}

#[test]
fn a_reviewer_keeps_what_an_integrator_added_out_of_the_base() {
    let mut bench = in_conflict(draft("t-1", "kanban", None));
    add_evil(&mut bench);
    bench.last_word("t-1", SignalKind::Reject);
    assert_eq!(bench.stage("t-1").0, "development");
    assert!(!files_of_base(&bench).contains("EVIL"));
}

#[test]
fn a_repair_of_a_failed_gate_is_reviewed_though_nothing_was_in_conflict() {
    let mut bench = Bench::new();
    let mut task = draft("t-1", "kanban", None);
    task.gates = vec![GateCommand {
        name: "together".to_owned(),
        command: "! git cat-file -e HEAD:theirs.txt || ! git cat-file -e HEAD:work.txt".to_owned(),
    }];
    bench.release(task);
    bench.develop("t-1", "work.txt", "work\n");
    bench.git.commit_on_origin("work", "theirs.txt", "theirs\n");
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(
        bench.stage("t-1"),
        ("merging", "active"),
        "{}",
        bench.comments("t-1")
    );
    let folder = bench.folder("t-1");
    bench.git.git(&folder, &["mv", "work.txt", "moved.txt"]);
    bench.git.commit(&folder, "more.txt", "more\n", "Fix the gate");
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(
        bench.stage("t-1"),
        ("reviewing", "active"),
        "{}",
        bench.comments("t-1")
    );
    assert!(!files_of_base(&bench).contains("moved.txt"));
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(
        bench.task("t-1").state.word(),
        "done",
        "{}",
        bench.comments("t-1")
    );
}

#[test]
fn a_phase_whose_integrator_added_a_file_waits_for_a_person() {
    let mut bench = in_conflict(draft("t-1", "phased", None));
    add_evil(&mut bench);
    let state = bench.task("t-1").state.clone();
    let TaskState::Held(HoldReason::Unreviewed(what)) = state else {
        panic!("{state:?}: {}", bench.comments("t-1"))
    };
    assert!(what.contains("changed EVIL outside of a conflict"), "{what}");
    assert!(!files_of_base(&bench).contains("EVIL"));
    bench.ask(Command::Approve("t-1".into()));
    assert_eq!(
        bench.task("t-1").state.word(),
        "done",
        "{}",
        bench.comments("t-1")
    );
    assert!(files_of_base(&bench).contains("EVIL"));
}

#[test]
fn lines_of_an_integrators_own_in_a_conflict_are_left_to_the_gates_where_nobody_reviews() {
    for (flow, stage) in [("phased", "done"), ("kanban", "reviewing")] {
        let mut bench = in_conflict(draft("t-1", flow, None));
        let folder = bench.folder("t-1");
        bench
            .git
            .commit(&folder, "same.txt", "ours and theirs\n", "Resolve");
        bench.last_word("t-1", SignalKind::Done);
        let (at, state) = bench.stage("t-1");
        assert!(at == stage || state == stage, "{flow}: {at} {state}");
    }
}

/// Returns a task that an agent is to merge, without a conflict.
fn merged_by_agent() -> Bench {
    let mut bench = Bench::new();
    let mut flows = workflows();
    flows.iter_mut().for_each(Workflow::merge_by_agent);
    bench.happen(&Event::WorkflowsLoaded(flows));
    bench.release(draft("t-1", "kanban", None));
    bench.develop("t-1", "work.txt", "work\n");
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(
        bench.stage("t-1"),
        ("merging", "active"),
        "{}",
        bench.comments("t-1")
    );
    let folder = bench.folder("t-1");
    bench.git.git(&folder, &["fetch", "-q", "origin"]);
    let merge = ["merge", "-q", "--no-ff", "-m", "Merge", "origin/feature/t-1"];
    bench.git.git(&folder, &merge);
    bench
}

#[test]
fn what_an_agent_that_merges_itself_adds_is_reviewed_afterwards() {
    let mut bench = merged_by_agent();
    let folder = bench.folder("t-1");
    let commit = bench.git.commit(&folder, "EVIL", "evil\n", "Tidy up");
    bench.git.git(&folder, &["push", "-q", "origin", "HEAD:work"]);
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(
        bench.stage("t-1"),
        ("reviewing", "active"),
        "{}",
        bench.comments("t-1")
    );
    let task = bench.task("t-1");
    assert_eq!(
        task.merged.as_ref(),
        Some(&commit),
        "the commit is in the base already"
    );
    let found = task.integration.as_deref().expect("the reviewer is told");
    assert_eq!(found.outside, ["EVIL"]);
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(bench.stage("t-1"), ("merging", "active"));
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(
        bench.task("t-1").state.word(),
        "done",
        "{}",
        bench.comments("t-1")
    );
}

#[test]
fn a_merge_of_an_agent_that_is_the_engines_own_ends_the_task_and_is_no_push_past_it() {
    let mut bench = merged_by_agent();
    bench
        .git
        .git(&bench.folder("t-1"), &["push", "-q", "origin", "HEAD:work"]);
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(
        bench.task("t-1").state.word(),
        "done",
        "{}",
        bench.comments("t-1")
    );
    bench.release(draft("t-2", "kanban", None));
    assert_eq!(bench.board.batches[&"shop".into()].base_moves, None);
}
