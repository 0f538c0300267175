//! Success: along which edges work goes, and what it takes (K9, K15, K16, K25, K29, K30).

use dbs::domain::attempt::{StopCause, Verdict};
use dbs::domain::evidence::{ComplianceIssue, Severity};
use dbs::domain::task::HoldReason;
use dbs::domain::{
    ActionOutcome, AttemptMode, AttemptState, Command, Event, Evidence, EvidenceKind, FailureClass,
    SignalKind, Span, TaskState, Tri,
};

use crate::desk::{Desk, draft};

#[test]
fn a_task_goes_through_development_review_and_merge_and_is_done() {
    let mut desk = Desk::developing("a");
    assert_eq!((desk.stage("a"), desk.word("a")), ("development", "active"));
    assert_eq!(desk.wishes(), ["start/1"]);
    desk.pass("a");
    assert_eq!(desk.stage("a"), "reviewing");
    assert_eq!(desk.role(desk.open("a")), "reviewer");
    desk.pass("a");
    assert_eq!(desk.stage("a"), "merging");
    assert_eq!(desk.role(desk.open("a")), "engine");
    desk.pass("a");
    assert_eq!(desk.word("a"), "done");
    assert!(desk.told().contains(&"close"));
    assert_eq!(desk.task("a").head.as_deref(), Some("c2"));
    assert_eq!(desk.task("a").merged.as_deref(), Some("m3"));
    assert_eq!(desk.wishes(), ["retire/a"]);
}

#[test]
fn a_step_from_stage_to_stage_is_one_line_of_the_log() {
    let mut desk = Desk::developing("a");
    let mut lines = Vec::new();
    for _ in 0..2 {
        let agent = desk.open("a");
        desk.start(agent);
        for kind in [SignalKind::Claim, SignalKind::Done] {
            desk.say(agent, kind, "");
            lines.extend(desk.lines());
        }
        desk.end(agent);
        lines.extend(desk.lines());
        desk.verify(agent, &[]);
        lines.extend(desk.lines());
        desk.settled(agent);
        lines.extend(desk.lines());
    }
    desk.action_done(desk.open("a"));
    lines.extend(desk.lines());
    let texts: Vec<&str> = lines.iter().map(String::as_str).collect();
    let [first, to_review, second, to_merge, done, batch] = texts.as_slice() else {
        panic!("{texts:?}");
    };
    assert!(
        first.starts_with("claim: developer-") && first.ends_with(" started a"),
        "{first}"
    );
    assert!(
        second.starts_with("claim: reviewer-") && second.ends_with(" started a"),
        "{second}"
    );
    assert_eq!(
        [*to_review, *to_merge, *done],
        [
            "advance: a Dev → Review",
            "advance: a Review → Merge",
            "close: a Merge → done"
        ]
    );
    assert!(batch.ends_with(" completed"), "{batch}");
}

#[test]
fn where_agents_merge_the_engine_proves_it_on_the_remote_and_what_waits_for_the_merge_goes_on() {
    let mut flows = crate::desk::workflows();
    flows.iter_mut().for_each(dbs::domain::Workflow::merge_by_agent);
    let mut desk = Desk::new();
    desk.happen(Event::WorkflowsLoaded(flows));
    desk.released(draft("a", "kanban"));
    desk.pass("a");
    desk.pass("a");
    assert_eq!(
        (desk.stage("a"), desk.role(desk.open("a"))),
        ("merging", "integrator")
    );
    let attempt = desk.open("a");
    assert_eq!(
        desk.asked_evidence(attempt),
        [EvidenceKind::Merged, EvidenceKind::Gates]
    );
    desk.live(attempt, SignalKind::Done, "merged");
    let no = Tri::No("the remote base does not hold it".to_owned());
    desk.verify(attempt, &[(EvidenceKind::Merged, no)]);
    assert_eq!(
        (desk.stage("a"), desk.word("a")),
        ("merging", "active"),
        "its word merges nothing"
    );
    assert_eq!(desk.task("a").merged, None);
    desk.pass("a");
    assert_eq!(desk.word("a"), "done");
    assert_eq!(desk.task("a").merged, desk.task("a").head);
}

#[test]
fn a_task_with_the_security_tag_is_reviewed_for_security_before_the_merge() {
    let mut desk = Desk::standing("a", "security_review");
    assert_eq!(desk.role(desk.open("a")), "security-reviewer");
    desk.pass("a");
    assert_eq!(desk.stage("a"), "merging");
}

#[test]
fn acceptance_ends_the_task_when_the_tester_and_the_gates_agree() {
    let mut desk = Desk::new();
    let mut acceptance = draft("acc", "kanban");
    acceptance.stage = Some("acceptance".into());
    desk.released(acceptance);
    let tester = desk.open("acc");
    assert_eq!(desk.role(tester), "tester");
    assert_eq!(
        desk.asked_evidence(tester),
        [EvidenceKind::WorkspaceUnchanged, EvidenceKind::Gates]
    );
    desk.pass("acc");
    assert_eq!(desk.word("acc"), "done");
}

#[test]
fn an_investigation_ends_with_findings_and_a_consolidation_with_its_report() {
    let mut desk = Desk::new();
    desk.released(draft("inv", "investigation"));
    assert_eq!(desk.role(desk.open("inv")), "investigator");
    desk.pass("inv");
    assert_eq!(desk.word("inv"), "done");
    let mut consolidation = draft("cons", "investigation");
    consolidation.stage = Some("consolidating".into());
    consolidation.deps = ["inv".into()].into();
    desk.released(consolidation);
    let open = desk.open("cons");
    let report = EvidenceKind::Report(".debussy/investigations/{task}.md".to_owned());
    assert!(desk.asked_evidence(open).contains(&report));
    desk.live(open, SignalKind::Done, "");
    desk.verify(open, &[(report, Tri::No("no report".to_owned()))]);
    assert_eq!(desk.word("cons"), "active");
    assert_eq!(desk.task("cons").finding.as_deref(), Some("no report"));
    desk.pass("cons");
    assert_eq!(desk.word("cons"), "done");
}

#[test]
fn a_done_signal_alone_moves_nothing_until_evidence_is_yes() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.live(first, SignalKind::Done, "");
    assert_eq!((desk.stage("a"), desk.word("a")), ("development", "verifying"));
    assert_eq!(desk.wishes(), ["verify/1/1"]);
}

#[test]
fn evidence_alone_moves_nothing_without_a_signal() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.start(first);
    desk.verify(first, &[]);
    assert_eq!((desk.stage("a"), desk.word("a")), ("development", "active"));
}

#[test]
fn unknown_evidence_delays_and_is_asked_for_again() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.live(first, SignalKind::Done, "");
    let unknown = [(EvidenceKind::Pushed, Tri::Unknown("no network".to_owned()))];
    desk.verify(first, &unknown);
    assert_eq!(desk.word("a"), "verifying");
    assert_eq!(desk.wishes(), Vec::<String>::new());
    desk.wait_until_due();
    assert_eq!(desk.wishes(), ["verify/1/2"]);
    desk.verify(first, &unknown);
    let second_wait = desk.board.next_deadline().unwrap().since(desk.now);
    assert_eq!(second_wait, Span::seconds(10));
    desk.wait_until_due();
    desk.verify(first, &[]);
    assert_eq!(desk.stage("a"), "reviewing");
    assert!(desk.task("a").failures.is_empty());
}

#[test]
fn evidence_that_stays_unknown_for_half_an_hour_is_left_to_a_person_and_frees_the_place() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.live(first, SignalKind::Done, "");
    let began = desk.now;
    let unknown = [(EvidenceKind::Pushed, Tri::Unknown("no network".to_owned()))];
    desk.verify(first, &unknown);
    while desk.word("a") == "verifying" {
        assert!(desk.now.since(began) < Span::minutes(36), "it is still waiting");
        desk.wait_until_due();
        desk.verify(first, &unknown);
    }
    assert!(desk.now.since(began) >= Span::minutes(30));
    let hold = TaskState::Held(HoldReason::Unverified("no network".to_owned()));
    assert_eq!(desk.task("a").state, hold);
    assert_eq!(desk.task("a").open_attempt, None);
    assert!(desk.task("a").failures.is_empty());
    let retry = Command::Retry {
        task: "a".into(),
        stage: None,
        note: None,
    };
    desk.ask(retry).unwrap();
    assert_eq!((desk.stage("a"), desk.word("a")), ("development", "active"));
}

#[test]
fn evidence_that_was_not_looked_at_is_unknown() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.live(first, SignalKind::Done, "");
    desk.happen(Event::Verified {
        attempt: first,
        evidence: vec![Evidence {
            kind: EvidenceKind::CommitsAhead,
            outcome: Tri::Yes,
        }],
        head: Some("c1".to_owned()),
    });
    assert_eq!(desk.word("a"), "verifying");
    assert_eq!(desk.task("a").head, None);
}

#[test]
fn an_empty_branch_goes_back_to_development_and_counts_as_empty() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.live(first, SignalKind::Done, "");
    desk.verify(
        first,
        &[(
            EvidenceKind::CommitsAhead,
            Tri::No("nothing was committed".to_owned()),
        )],
    );
    assert_eq!((desk.stage("a"), desk.word("a")), ("development", "active"));
    assert!(desk.told().contains(&"empty_branch"));
    assert_eq!(
        desk.task("a").failures[&"development".into()][&FailureClass::Empty],
        1
    );
}

#[test]
fn the_third_empty_branch_holds_the_task() {
    let mut desk = Desk::developing("a");
    for _ in 0..3 {
        let open = desk.open("a");
        desk.live(open, SignalKind::Done, "");
        desk.verify(
            open,
            &[(EvidenceKind::CommitsAhead, Tri::No("nothing".to_owned()))],
        );
    }
    assert_eq!(
        desk.task("a").state,
        TaskState::Held(HoldReason::Exhausted(FailureClass::Empty))
    );
    assert!(desk.told().contains(&"empty_branch_blocked"));
    assert!(desk.comments("a").contains("failed 3 of 3 tries: nothing"));
}

#[test]
fn a_failing_gate_is_mended_on_the_same_branch_and_told_to_the_next_attempt() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.live(first, SignalKind::Done, "");
    desk.verify(
        first,
        &[(EvidenceKind::Gates, Tri::No("2 tests failed".to_owned()))],
    );
    let next = desk.open("a");
    assert_eq!(desk.attempt(next).mode, AttemptMode::Remediate);
    assert_eq!(desk.attempt(next).n, 2);
    assert_eq!(desk.task("a").finding.as_deref(), Some("2 tests failed"));
    assert!(desk.told().contains(&"gate_failed"));
}

#[test]
fn success_clears_the_counters_of_the_stage() {
    let mut desk = Desk::developing("a");
    let first = desk.open("a");
    desk.start(first);
    desk.end(first);
    desk.wait_until_due();
    let second = desk.open("a");
    desk.live(second, SignalKind::Done, "");
    desk.verify(
        second,
        &[(EvidenceKind::Gates, Tri::No("2 tests failed".to_owned()))],
    );
    let counters = [(FailureClass::Crash, 1), (FailureClass::Gate, 1)];
    assert_eq!(
        desk.task("a").failures,
        [("development".into(), counters.into())].into()
    );
    assert_eq!(desk.task("a").finding.as_deref(), Some("2 tests failed"));
    desk.pass("a");
    assert_eq!(desk.stage("a"), "reviewing");
    assert_eq!(desk.task("a").failures, [].into());
    assert_eq!(desk.task("a").finding, None);
}

#[test]
fn a_reader_that_changed_files_is_a_protocol_failure_and_does_not_advance() {
    let mut desk = Desk::standing("a", "reviewing");
    let reviewer = desk.open("a");
    desk.live(reviewer, SignalKind::Done, "");
    desk.verify(
        reviewer,
        &[(
            EvidenceKind::WorkspaceUnchanged,
            Tri::No("src/lib.rs changed".to_owned()),
        )],
    );
    assert_eq!(desk.stage("a"), "reviewing");
    assert_eq!(desk.attempt(desk.open("a")).mode, AttemptMode::Fresh);
    assert_eq!(
        desk.task("a").failures[&"reviewing".into()][&FailureClass::Protocol],
        1
    );
}

#[test]
fn gates_that_count_only_if_there_are_any_are_left_out_where_there_is_none() {
    let mut desk = Desk::with(dbs::domain::BoardSettings {
        gates: Vec::new(),
        ..crate::desk::settings()
    });
    desk.released(draft("a", "kanban"));
    assert_eq!(
        desk.asked_evidence(desk.open("a")),
        [EvidenceKind::CommitsAhead, EvidenceKind::Pushed]
    );
}

#[test]
fn a_conflict_calls_the_integrator_and_then_the_engine_merges_again() {
    let mut desk = Desk::standing("a", "merging");
    let merge = desk.open("a");
    desk.act(merge, ActionOutcome::Failed("conflict in cart.rs".to_owned()));
    let integrator = desk.open("a");
    assert_eq!(desk.role(integrator), "integrator");
    assert_eq!(desk.attempt(integrator).mode, AttemptMode::Fallback);
    assert_eq!(desk.task("a").finding.as_deref(), Some("conflict in cart.rs"));
    assert_eq!(
        desk.asked_evidence(integrator),
        [EvidenceKind::CommitsAhead, EvidenceKind::Pushed]
    );
    desk.live(integrator, SignalKind::Done, "");
    desk.verify(integrator, &[]);
    assert_eq!(desk.stage("a"), "merging", "the integrator's word merges nothing");
    let again = desk.open("a");
    assert_eq!(desk.role(again), "engine");
    assert_eq!(desk.attempt(again).mode, AttemptMode::Fresh);
    desk.pass("a");
    assert_eq!(desk.word("a"), "done");
}

#[test]
fn an_integrator_that_rejects_sends_the_work_back_to_development() {
    let mut desk = Desk::standing("a", "merging");
    let merge = desk.open("a");
    desk.act(merge, ActionOutcome::Failed("tests fail".to_owned()));
    let integrator = desk.open("a");
    desk.live(integrator, SignalKind::Reject, "cannot be merged");
    assert_eq!(desk.stage("a"), "development");
    assert_eq!(desk.task("a").rejections, 1);
}

#[test]
fn the_third_failed_merge_holds_the_task() {
    let mut desk = Desk::standing("a", "merging");
    for round in 1..=3 {
        let merge = desk.open("a");
        desk.act(merge, ActionOutcome::Failed("conflict".to_owned()));
        if round < 3 {
            let integrator = desk.open("a");
            desk.live(integrator, SignalKind::Done, "");
            desk.verify(integrator, &[]);
        }
    }
    assert_eq!(
        desk.task("a").state,
        TaskState::Held(HoldReason::Exhausted(FailureClass::Gate))
    );
}

#[test]
fn a_merge_that_could_not_be_found_out_is_tried_again_later_and_counts_nothing() {
    let mut desk = Desk::standing("a", "merging");
    let spawns = desk.task("a").spawns;
    let merge = desk.open("a");
    desk.act(merge, ActionOutcome::Unknown("no network".to_owned()));
    assert_eq!(desk.word("a"), "released");
    assert!(desk.task("a").failures.is_empty());
    desk.wait_until_due();
    assert_eq!(desk.role(desk.open("a")), "engine");
    assert_eq!(desk.task("a").spawns, spawns);
}

#[test]
fn a_merge_without_proof_from_the_remote_is_not_believed() {
    let mut desk = Desk::standing("a", "merging");
    let merge = desk.open("a");
    desk.act(
        merge,
        ActionOutcome::Done {
            commit: Some("m".to_owned()),
            evidence: Vec::new(),
        },
    );
    assert_eq!((desk.stage("a"), desk.word("a")), ("merging", "released"));
    assert_eq!(desk.task("a").merged, None);
}

#[test]
fn findings_of_the_engine_are_weighed_by_the_seeds_table() {
    let issue = |severity| ComplianceIssue {
        severity,
        text: "notes are missing".to_owned(),
    };
    let cases = [
        (vec![], "commit", AttemptMode::Fresh),
        (vec![issue(Severity::Low)], "commit", AttemptMode::Fresh),
        (vec![issue(Severity::High)], "commit", AttemptMode::Fresh),
        (
            vec![issue(Severity::High), issue(Severity::High)],
            "work",
            AttemptMode::Remediate,
        ),
        (vec![issue(Severity::Critical)], "work", AttemptMode::Remediate),
        (
            vec![issue(Severity::Critical), issue(Severity::Critical)],
            "work",
            AttemptMode::Fresh,
        ),
    ];
    for (issues, stage, mode) in cases {
        let mut desk = Desk::new();
        desk.released(draft("p", "phased"));
        desk.pass("p");
        let check = desk.open("p");
        desk.act(check, ActionOutcome::Issues(issues.clone()));
        assert_eq!(desk.stage("p"), stage, "{issues:?}");
        assert_eq!(desk.attempt(desk.open("p")).mode, mode, "{issues:?}");
    }
}

#[test]
fn checks_that_fail_three_times_end_a_phase_although_its_work_passed_in_between() {
    let mut desk = Desk::new();
    desk.released(draft("p", "phased"));
    for _ in 0..3 {
        desk.pass("p");
        let check = desk.open("p");
        let critical = ComplianceIssue {
            severity: Severity::Critical,
            text: "gate fails".to_owned(),
        };
        desk.act(check, ActionOutcome::Issues(vec![critical]));
    }
    assert_eq!(desk.word("p"), "failed");
}

#[test]
fn a_person_is_the_actor_of_a_human_stage() {
    let mut desk = Desk::new();
    let mut phase = draft("p", "phased");
    phase.tags = ["risky".to_owned()].into();
    desk.released(phase);
    for _ in 0..3 {
        desk.pass("p");
    }
    assert_eq!(desk.task("p").state, TaskState::Held(HoldReason::Approval));
    assert!(desk.told().contains(&"approval"));
    desk.ask(Command::Approve("p".into())).unwrap();
    assert_eq!(desk.word("p"), "done");
}

#[test]
fn a_phase_without_the_tag_needs_no_person() {
    let mut desk = Desk::new();
    desk.released(draft("p", "phased"));
    for _ in 0..3 {
        desk.pass("p");
    }
    assert_eq!(desk.word("p"), "done");
}

#[test]
fn a_story_has_its_tests_checked_before_and_after_and_is_held_at_the_first_failure() {
    let mut desk = Desk::new();
    desk.released(draft("s", "stories"));
    assert_eq!(desk.role(desk.open("s")), "test-author");
    desk.pass("s");
    let implementer = desk.open("s");
    assert_eq!(desk.role(implementer), "implementer");
    desk.live(implementer, SignalKind::Done, "");
    desk.verify(
        implementer,
        &[(EvidenceKind::Gates, Tri::No("1 test fails".to_owned()))],
    );
    assert_eq!(
        desk.task("s").state,
        TaskState::Held(HoldReason::Exhausted(FailureClass::Gate))
    );
}

#[test]
fn the_branch_is_let_go_only_after_the_last_workspace_is_gone() {
    let mut desk = Desk::new();
    let mut acceptance = draft("acc", "kanban");
    acceptance.stage = Some("acceptance".into());
    desk.released(acceptance);
    let tester = desk.open("acc");
    desk.live(tester, SignalKind::Done, "");
    desk.verify(tester, &[]);
    assert_eq!(desk.word("acc"), "done");
    assert_eq!(desk.wishes(), ["settle/1"]);
    desk.happen(Event::WorkspaceSettled {
        attempt: tester,
        problem: Some("busy".to_owned()),
        kept: None,
    });
    assert_eq!(desk.wishes(), Vec::<String>::new());
    desk.wait_until_due();
    assert_eq!(desk.wishes(), ["settle/1"]);
    desk.settled(tester);
    assert_eq!(desk.wishes(), ["retire/acc"]);
}

#[test]
fn what_was_merged_stays_a_fact_when_the_task_was_parked_meanwhile() {
    let mut desk = Desk::standing("a", "merging");
    let merge = desk.open("a");
    desk.ask(Command::Park("a".into(), "wait for the release".to_owned()))
        .unwrap();
    assert_eq!(
        desk.wishes(),
        Vec::<String>::new(),
        "an engine action runs to its end"
    );
    desk.action_done(merge);
    assert_eq!(desk.word("a"), "parked");
    assert_eq!(desk.task("a").merged.as_deref(), Some("m3"));
    assert_eq!(
        desk.attempt(merge).state,
        AttemptState::Settled(Verdict::Stopped(StopCause::Cancelled))
    );
}

#[test]
fn only_the_last_three_settled_attempts_of_a_task_are_kept_in_memory() {
    let mut desk = Desk::developing("a");
    for _ in 0..2 {
        for _ in 0..2 {
            desk.pass("a");
        }
        let merge = desk.open("a");
        desk.act(merge, ActionOutcome::Failed("conflict".to_owned()));
        let integrator = desk.open("a");
        desk.live(integrator, SignalKind::Reject, "redo it");
        desk.settled(integrator);
        desk.wait(Span::seconds(60));
    }
    let settled = desk
        .board
        .attempts
        .values()
        .filter(|attempt| !attempt.state.is_open());
    assert_eq!(settled.count(), 3);
    assert_eq!(desk.attempt(desk.open("a")).n, 3, "the stage's count goes on");
}
