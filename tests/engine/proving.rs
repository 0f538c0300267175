//! Proof that the engine looks for before work counts as merged, reviewed or reported: it never relies on a claim.

use std::fs;
use std::sync::Arc;

use dbs::adapters::git::GitSetup;
use dbs::domain::task::{GateCommand, HoldReason};
use dbs::domain::{
    BoardSettings, Cause, Command, Event, EvidenceKind, FailureClass, SignalKind, Span, StageId, TaskDraft,
    TaskState, Tri, TroubleKind,
};
use dbs::ports::gates::{GateExit, GateReport, GateRun, Gates};

use crate::bench::{Bench, draft};
use crate::git_fixture::GitFixture;

/// Returns a task whose gate requires the file `kept.txt`.
fn wanting_kept() -> TaskDraft {
    let mut task = draft("t-1", "kanban", None);
    task.gates = vec![GateCommand {
        name: "kept".to_owned(),
        command: "git cat-file -e HEAD:kept.txt".to_owned(),
    }];
    task
}

/// Removes a file on a branch of the origin, as another person would; returns the commit id.
fn take_away_on_origin(bench: &Bench, branch: &str, file: &str) -> String {
    let (root, origin) = (bench.git.root(), bench.git.origin());
    let clone = root.join("clone");
    let (from, to) = (origin.to_str().unwrap(), clone.to_str().unwrap());
    bench.git.git(&root, &["clone", "-q", "-b", branch, from, to]);
    bench.git.git(&clone, &["rm", "-q", file]);
    let commit = bench
        .git
        .commit(&clone, "why.txt", "not needed\n", "Take it away");
    bench.git.git(&clone, &["push", "-q", "origin", branch]);
    commit
}

#[test]
fn an_agent_that_deletes_its_branch_has_done_nothing_and_the_next_one_begins_at_once() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    let first = bench.agent("t-1").id;
    let folder = bench.folder("t-1");
    let branch = bench.git.git(&folder, &["symbolic-ref", "HEAD"]);
    bench.git.git(&folder, &["update-ref", "-d", &branch]);

    bench.last_word("t-1", SignalKind::Done);

    assert_eq!(
        bench.stage("t-1"),
        ("development", "active"),
        "{}",
        bench.comments("t-1")
    );
    assert_ne!(bench.agent("t-1").id, first);
    let finding = bench.task("t-1").finding.clone().unwrap_or_default();
    assert!(finding.contains("does not exist"), "{finding}");
}

#[test]
fn an_agent_that_pushes_the_base_itself_is_noticed_and_one_that_only_took_up_the_base_is_not() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    let (folder, name) = (bench.folder("t-1"), bench.agent("t-1").worker.name().to_owned());
    let commit = bench.git.commit(&folder, "work.txt", "work\n", "Work");
    bench.git.git(&folder, &["push", "-q", "origin", "HEAD:work"]);
    bench.last_word("t-1", SignalKind::Done);
    let why = format!("{name} pushed work itself: {commit} is there without a review and a merge");
    let hold = TaskState::Held(HoldReason::BasePushed(why.clone()));
    assert_eq!(bench.task("t-1").state, hold);
    assert!(bench.comments("t-1").contains(&why));

    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    let folder = bench.folder("t-1");
    bench.git.commit_on_origin("work", "theirs.txt", "theirs\n");
    bench.git.git(&folder, &["fetch", "-q", "origin", "work"]);
    bench
        .git
        .git(&folder, &["merge", "-q", "--ff-only", "FETCH_HEAD"]);
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(bench.stage("t-1"), ("development", "active"));
    let failures = &bench.task("t-1").failures[&"development".into()];
    assert_eq!(failures[&FailureClass::Empty], 1);
}

#[test]
fn a_merged_tree_that_fails_the_gates_is_not_pushed_though_both_sides_passed() {
    let mut bench = Bench::new();
    bench.git.commit_on_origin("work", "kept.txt", "kept\n");
    bench.release(wanting_kept());
    bench.develop("t-1", "work.txt", "work\n");
    assert_eq!(bench.stage("t-1").0, "reviewing", "{}", bench.comments("t-1"));
    let base = take_away_on_origin(&bench, "work", "kept.txt");

    bench.last_word("t-1", SignalKind::Done);

    assert_eq!(
        bench.head(&bench.git.origin(), "work"),
        base,
        "nothing may be pushed"
    );
    assert_eq!(bench.task("t-1").merged, None);
    assert_eq!(
        bench.stage("t-1"),
        ("merging", "active"),
        "an integrator fixes it"
    );
    let comments = bench.comments("t-1");
    assert!(comments.contains("checks fail on the merged tree"), "{comments}");
    assert!(comments.contains("gate kept failed"), "{comments}");
}

/// Simulates a remote that shows the merge once, to the process that pushed it, and then the commit from before.
#[cfg(unix)]
#[test]
fn a_merge_the_remote_no_longer_shows_when_it_is_asked_again_is_not_believed() {
    let git = GitFixture::new();
    let origin = git.origin();
    let pushed = git.root().join("pushed");
    let before = git.git(&git.project(), &["rev-parse", "HEAD"]);
    let text = format!(
        "#!/bin/sh\n\
         case \"$*\" in\n\
         *' push '*:refs/heads/work) : > '{pushed}' ;;\n\
         *ls-remote*) if test -e '{pushed}'; then\n\
         git \"$@\"; code=$?\n\
         rm '{pushed}'; git --git-dir='{origin}' update-ref refs/heads/work {before}\n\
         exit $code\n\
         fi ;;\n\
         esac\n\
         exec git \"$@\"\n",
        pushed = pushed.display(),
        origin = origin.display(),
    );
    let mut bench = Bench::scripted(git, &text);
    bench.release(draft("t-1", "kanban", None));
    let work = bench.develop("t-1", "work.txt", "work\n");

    bench.last_word("t-1", SignalKind::Done);

    assert_eq!(
        bench.head(&origin, "work"),
        before,
        "the remote has lost the merge"
    );
    assert_eq!(bench.task("t-1").merged, None);
    assert_eq!(
        bench.stage("t-1"),
        ("merging", "active"),
        "{}",
        bench.comments("t-1")
    );
    let comments = bench.comments("t-1");
    let finding = format!("work at {before} does not contain {work}");
    assert!(comments.contains(&finding), "{comments}");
}

#[test]
fn a_review_stands_at_the_recorded_head_though_the_remote_branch_has_moved() {
    let mut bench = Bench::new();
    bench.release(draft("t-1", "kanban", None));
    let work = bench.develop("t-1", "work.txt", "work\n");
    let first = bench.agent("t-1").id;
    let moved = bench.git.commit_on_origin("feature/t-1", "late.txt", "late\n");
    bench.ends(first);
    bench.wait(Span::minutes(1));
    assert_eq!(bench.stage("t-1"), ("reviewing", "active"));
    assert_ne!(bench.agent("t-1").id, first, "another reviewer starts");
    let head = bench.head(&bench.folder("t-1"), "HEAD");
    assert_eq!(head, work, "the remote branch is at {moved}");
}

#[test]
fn an_investigator_is_done_only_when_it_has_told_its_findings_itself() {
    let mut bench = Bench::new();
    bench.ask(Command::Create(draft("inv", "investigation", None)));
    // An earlier agent with the same name wrote a comment long before.
    let name = "investigator-debussy";
    bench.ask_as(name, Command::Comment("inv".into(), "nothing".to_owned()));
    bench.ask(Command::Release(vec!["inv".into()]));
    assert_eq!(bench.agent("inv").worker.name(), name);
    bench.ask(Command::Comment("inv".into(), "what did you find?".to_owned()));
    bench.last_word("inv", SignalKind::Done);
    assert_eq!(bench.stage("inv"), ("investigating", "active"));
    let finding = bench.task("inv").finding.clone().unwrap_or_default();
    assert!(finding.contains("left no comment with its findings"), "{finding}");
    // The comment counts even if the clock is set back.
    bench.now = bench.now.moved(-1_000);
    bench.says("inv", SignalKind::Progress, "the cart loses its items");
    bench.last_word("inv", SignalKind::Done);
    assert_eq!(bench.stage("inv"), ("investigating", "done"));
}

#[test]
fn a_consolidation_is_done_only_when_its_report_is_a_file_with_something_in_it() {
    let mut bench = Bench::new();
    let report = bench.git.project().join(".debussy/investigations/cons.md");
    fs::create_dir_all(report.parent().unwrap()).unwrap();
    bench.release(draft("cons", "investigation", Some("consolidating")));
    let mut tries = |text: Option<&str>| {
        if let Some(text) = text {
            fs::write(&report, text).unwrap();
        }
        bench.says("cons", SignalKind::Progress, "all findings are read");
        bench.last_word("cons", SignalKind::Done);
        let finding = bench.task("cons").finding.clone().unwrap_or_default();
        (bench.stage("cons").1.to_owned(), finding)
    };
    let (word, finding) = tries(None);
    assert_eq!(word, "active");
    assert!(
        finding.contains("investigations/cons.md does not exist"),
        "{finding}"
    );
    let (word, finding) = tries(Some(""));
    assert_eq!(word, "active");
    assert!(finding.contains("is empty or not a file"), "{finding}");
    assert_eq!(tries(Some("# Findings\n")), ("done".to_owned(), String::new()));
}

/// Returns a bench whose merging stage requires gates among its evidence.
fn asking_for_gates() -> Bench {
    let mut bench = Bench::new();
    let mut flows = crate::bench::workflows();
    let merging = StageId::from("merging");
    for stage in flows.iter_mut().flat_map(|flow| &mut flow.stages) {
        if stage.id == merging {
            stage.evidence.push(EvidenceKind::Gates);
        }
    }
    bench.happen(&Event::WorkflowsLoaded(flows));
    bench
}

#[test]
fn gates_asked_for_as_evidence_are_run_though_somebody_else_merged_the_work() {
    let mut bench = asking_for_gates();
    bench.git.commit_on_origin("work", "kept.txt", "kept\n");
    bench.release(wanting_kept());
    let work = bench.develop("t-1", "work.txt", "work\n");
    assert_eq!(bench.stage("t-1").0, "reviewing", "{}", bench.comments("t-1"));
    let origin = bench.git.origin();
    bench.git.git(&origin, &["update-ref", "refs/heads/work", &work]);
    take_away_on_origin(&bench, "work", "kept.txt");

    bench.last_word("t-1", SignalKind::Done);

    assert_eq!(bench.task("t-1").merged, None);
    assert_eq!(
        bench.stage("t-1"),
        ("merging", "active"),
        "{}",
        bench.comments("t-1")
    );
    assert!(bench.comments("t-1").contains("gate kept failed"));
}

#[test]
fn gates_asked_for_as_evidence_hold_for_a_merge_they_passed_on() {
    let mut bench = asking_for_gates();
    bench.git.commit_on_origin("work", "kept.txt", "kept\n");
    bench.release(wanting_kept());
    bench.develop("t-1", "work.txt", "work\n");
    bench.last_word("t-1", SignalKind::Done);
    assert_eq!(
        bench.stage("t-1"),
        ("merging", "done"),
        "{}",
        bench.comments("t-1")
    );
}

/// Gates that would pass, but are not trusted.
struct Untrusted;

impl Gates for Untrusted {
    fn run(&self, run: &GateRun) -> GateReport {
        GateReport {
            exit: GateExit::Code(0),
            outcome: Tri::Yes,
            duration_ms: 0,
            tail: run.name.clone(),
            truncated: false,
            tests: None,
        }
    }

    fn withheld(&self) -> Option<Cause> {
        Some(TroubleKind::Untrusted.cause("not trusted"))
    }
}

#[test]
fn work_is_neither_accepted_nor_rejected_while_the_gates_are_withheld() {
    let git = GitFixture::new();
    let setup = GitSetup::new(git.project(), git.environment());
    let settings = BoardSettings {
        base: Some("work".to_owned()),
        ..BoardSettings::default()
    };
    let mut bench = Bench::judged((git, &setup), settings, Arc::new(Untrusted));
    bench.release(wanting_kept());
    bench.develop("t-1", "kept.txt", "kept\n");
    assert_eq!(
        bench.stage("t-1"),
        ("development", "verifying"),
        "{}",
        bench.comments("t-1")
    );
    assert_eq!(bench.task("t-1").failures.len(), 0);
}
