//! Success: the edges along which work goes, and what it requires (K9, K15, K16, K25, K29, K30).

use dbs::domain::attempt::{StopCause, Verdict};
use dbs::domain::evidence::{ComplianceIssue, Severity};
use dbs::domain::settings::{BoardSettings, SettingsChange};
use dbs::domain::task::HoldReason;
use dbs::domain::{
    ActionOutcome, AttemptMode, AttemptState, Command, Event, Evidence, EvidenceKind, FailureClass,
    MergeCheck, SignalKind, Span, TaskState, Timestamp, Tri,
};

use crate::fixture::{BoardFixture, draft, settings};

#[test]
fn work_that_another_hand_had_merged_is_unchecked_though_gates_are_set() {
    let mut fixture = BoardFixture::new();
    fixture.released(draft("a", "kanban"));
    fixture.pass("a");
    fixture.pass("a");
    let merge = fixture.open("a");
    let evidence = fixture.evidence(merge, &[]);
    let commit = Some("m".to_owned());
    let check = MergeCheck::ByOthers;
    fixture.act(
        merge,
        ActionOutcome::Done {
            commit,
            evidence,
            check,
        },
    );
    assert_eq!(fixture.word("a"), "done");
    assert_eq!(fixture.task("a").merge_check, MergeCheck::ByOthers);
}

#[test]
fn a_task_goes_through_development_review_and_merge_and_is_done() {
    let mut fixture = BoardFixture::developing("a");
    assert_eq!((fixture.stage("a"), fixture.word("a")), ("development", "active"));
    assert_eq!(fixture.effect_keys(), ["start/1"]);
    fixture.pass("a");
    assert_eq!(fixture.stage("a"), "reviewing");
    assert_eq!(fixture.role(fixture.open("a")), "reviewer");
    fixture.pass("a");
    assert_eq!(fixture.stage("a"), "merging");
    assert_eq!(fixture.role(fixture.open("a")), "engine");
    fixture.pass("a");
    assert_eq!(fixture.word("a"), "done");
    assert!(fixture.notice_kinds().contains(&"close"));
    assert_eq!(fixture.task("a").head.as_deref(), Some("c2"));
    assert_eq!(fixture.task("a").merged.as_deref(), Some("m3"));
    assert_eq!(fixture.effect_keys(), ["retire/a"]);
}

#[test]
fn a_step_from_stage_to_stage_is_one_line_of_the_log() {
    let mut fixture = BoardFixture::developing("a");
    let mut lines = Vec::new();
    for _ in 0..2 {
        let agent = fixture.open("a");
        fixture.start(agent);
        for kind in [SignalKind::Claim, SignalKind::Done] {
            fixture.say(agent, kind, "");
            lines.extend(fixture.lines());
        }
        fixture.end(agent);
        lines.extend(fixture.lines());
        fixture.verify(agent, &[]);
        lines.extend(fixture.lines());
        fixture.settled(agent);
        lines.extend(fixture.lines());
    }
    fixture.action_done(fixture.open("a"));
    lines.extend(fixture.lines());
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
    assert!(batch.ends_with(": all done"), "{batch}");
}

#[test]
fn where_agents_merge_the_engine_proves_it_on_the_remote_and_what_waits_for_the_merge_goes_on() {
    let mut flows = crate::fixture::workflows();
    flows.iter_mut().for_each(dbs::domain::Workflow::merge_by_agent);
    let mut fixture = BoardFixture::new();
    fixture.happen(Event::WorkflowsLoaded(flows));
    fixture.released(draft("a", "kanban"));
    fixture.pass("a");
    fixture.pass("a");
    assert_eq!(
        (fixture.stage("a"), fixture.role(fixture.open("a"))),
        ("merging", "integrator")
    );
    let attempt = fixture.open("a");
    assert_eq!(
        fixture.asked_evidence(attempt),
        [EvidenceKind::Merged, EvidenceKind::Gates]
    );
    fixture.live(attempt, SignalKind::Done, "merged");
    let no = Tri::No("the remote base does not hold it".to_owned());
    fixture.verify(attempt, &[(EvidenceKind::Merged, no)]);
    assert_eq!(
        (fixture.stage("a"), fixture.word("a")),
        ("merging", "active"),
        "the agent's signal alone does not merge"
    );
    assert_eq!(fixture.task("a").merged, None);
    fixture.pass("a");
    assert_eq!(fixture.word("a"), "done");
    assert_eq!(fixture.task("a").merged, fixture.task("a").head);
}

#[test]
fn a_task_with_the_security_tag_is_reviewed_for_security_before_the_merge() {
    let mut fixture = BoardFixture::standing("a", "security_review");
    assert_eq!(fixture.role(fixture.open("a")), "security-reviewer");
    fixture.pass("a");
    assert_eq!(fixture.stage("a"), "merging");
}

#[test]
fn acceptance_ends_the_task_when_the_tester_and_the_gates_agree() {
    let mut fixture = BoardFixture::new();
    let mut acceptance = draft("acc", "kanban");
    acceptance.stage = Some("acceptance".into());
    fixture.released(acceptance);
    let tester = fixture.open("acc");
    assert_eq!(fixture.role(tester), "tester");
    assert_eq!(
        fixture.asked_evidence(tester),
        [EvidenceKind::WorkspaceUnchanged, EvidenceKind::Gates]
    );
    fixture.pass("acc");
    assert_eq!(fixture.word("acc"), "done");
}

#[test]
fn an_investigation_ends_with_findings_and_a_consolidation_with_its_report() {
    let mut fixture = BoardFixture::new();
    fixture.released(draft("inv", "investigation"));
    assert_eq!(fixture.role(fixture.open("inv")), "investigator");
    fixture.pass("inv");
    assert_eq!(fixture.word("inv"), "done");
    let mut consolidation = draft("cons", "investigation");
    consolidation.stage = Some("consolidating".into());
    consolidation.deps = ["inv".into()].into();
    fixture.released(consolidation);
    let open = fixture.open("cons");
    let report = EvidenceKind::Report(".debussy/investigations/{task}.md".to_owned());
    assert!(fixture.asked_evidence(open).contains(&report));
    fixture.live(open, SignalKind::Done, "");
    fixture.verify(open, &[(report, Tri::No("no report".to_owned()))]);
    assert_eq!(fixture.word("cons"), "active");
    assert_eq!(fixture.task("cons").finding.as_deref(), Some("no report"));
    fixture.pass("cons");
    assert_eq!(fixture.word("cons"), "done");
}

#[test]
fn a_done_signal_alone_moves_nothing_until_evidence_is_yes() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.live(first, SignalKind::Done, "");
    assert_eq!(
        (fixture.stage("a"), fixture.word("a")),
        ("development", "verifying")
    );
    assert_eq!(fixture.effect_keys(), ["verify/1/1"]);
    fixture.verify(first, &[]);
    assert!(fixture.notice_kinds().contains(&"advance"));
}

#[test]
fn evidence_alone_moves_nothing_without_a_signal() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.verify(first, &[]);
    assert_eq!((fixture.stage("a"), fixture.word("a")), ("development", "active"));
}

#[test]
fn unknown_evidence_delays_and_is_asked_for_again() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.live(first, SignalKind::Done, "");
    let unknown = [(EvidenceKind::Pushed, Tri::Unknown("no network".into()))];
    fixture.verify(first, &unknown);
    assert_eq!(fixture.word("a"), "verifying");
    assert_eq!(fixture.effect_keys(), Vec::<String>::new());
    fixture.wait_until_due();
    assert_eq!(fixture.effect_keys(), ["verify/1/2"]);
    fixture.verify(first, &unknown);
    let second_wait = fixture.board.next_deadline().unwrap().since(fixture.now);
    assert_eq!(second_wait, Span::seconds(10));
    fixture.wait_until_due();
    fixture.verify(first, &[]);
    assert_eq!(fixture.stage("a"), "reviewing");
    assert!(fixture.task("a").failures.is_empty());
}

#[test]
fn evidence_that_stays_unknown_in_twelve_checks_is_left_to_a_person_and_frees_the_place() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.live(first, SignalKind::Done, "");
    let unknown = [(EvidenceKind::Pushed, Tri::Unknown("no network".into()))];
    fixture.verify(first, &unknown);
    for _ in 2..=12 {
        assert_eq!(fixture.word("a"), "verifying");
        fixture.wait_until_due();
        fixture.verify(first, &unknown);
    }
    let hold = TaskState::Held(HoldReason::Unverified("no network".to_owned()));
    assert_eq!(fixture.task("a").state, hold);
    assert_eq!(fixture.task("a").open_attempt, None);
    assert!(fixture.task("a").failures.is_empty());
    let retry = Command::Retry {
        task: "a".into(),
        stage: None,
        note: None,
    };
    fixture.ask(retry).unwrap();
    assert_eq!((fixture.stage("a"), fixture.word("a")), ("development", "active"));
}

#[test]
fn evidence_that_was_not_looked_at_is_unknown() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.live(first, SignalKind::Done, "");
    fixture.happen(Event::Verified {
        attempt: first,
        evidence: vec![Evidence {
            kind: EvidenceKind::CommitsAhead,
            outcome: Tri::Yes,
            issues: Vec::new(),
            tests: None,
        }],
        head: Some("c1".to_owned()),
        integration: None,
    });
    assert_eq!(fixture.word("a"), "verifying");
    assert_eq!(fixture.task("a").head, None);
}

#[test]
fn an_empty_branch_goes_back_to_development_and_counts_as_empty() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.live(first, SignalKind::Done, "");
    fixture.verify(
        first,
        &[(
            EvidenceKind::CommitsAhead,
            Tri::No("nothing was committed".to_owned()),
        )],
    );
    assert_eq!((fixture.stage("a"), fixture.word("a")), ("development", "active"));
    assert!(fixture.notice_kinds().contains(&"empty_branch"));
    assert_eq!(
        fixture.task("a").failures[&"development".into()][&FailureClass::Empty],
        1
    );
}

#[test]
fn the_third_empty_branch_holds_the_task() {
    let mut fixture = BoardFixture::developing("a");
    for _ in 0..3 {
        let open = fixture.open("a");
        fixture.live(open, SignalKind::Done, "");
        fixture.verify(
            open,
            &[(EvidenceKind::CommitsAhead, Tri::No("nothing".to_owned()))],
        );
    }
    assert_eq!(
        fixture.task("a").state,
        TaskState::Held(HoldReason::Exhausted(FailureClass::Empty))
    );
    assert!(fixture.notice_kinds().contains(&"empty_branch_blocked"));
    assert!(fixture.comments("a").contains("failed 3 of 3 tries: nothing"));
}

#[test]
fn a_failing_gate_is_mended_on_the_same_branch_and_told_to_the_next_attempt() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.live(first, SignalKind::Done, "");
    fixture.verify(
        first,
        &[(EvidenceKind::Gates, Tri::No("2 tests failed".to_owned()))],
    );
    let next = fixture.open("a");
    assert_eq!(fixture.attempt(next).mode, AttemptMode::Remediate);
    assert_eq!(fixture.attempt(next).n, 2);
    assert_eq!(fixture.task("a").finding.as_deref(), Some("2 tests failed"));
    assert!(fixture.notice_kinds().contains(&"gate_failed"));
}

#[test]
fn success_clears_the_counters_of_the_stage() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.end(first);
    fixture.wait_until_due();
    let second = fixture.open("a");
    fixture.live(second, SignalKind::Done, "");
    fixture.verify(
        second,
        &[(EvidenceKind::Gates, Tri::No("2 tests failed".to_owned()))],
    );
    let counters = [(FailureClass::Crash, 1), (FailureClass::Gate, 1)];
    assert_eq!(
        fixture.task("a").failures,
        [("development".into(), counters.into())].into()
    );
    assert_eq!(fixture.task("a").finding.as_deref(), Some("2 tests failed"));
    fixture.pass("a");
    assert_eq!(fixture.stage("a"), "reviewing");
    assert_eq!(fixture.task("a").failures, [].into());
    assert_eq!(fixture.task("a").finding, None);
}

#[test]
fn a_reader_that_changed_files_is_a_protocol_failure_and_does_not_advance() {
    let mut fixture = BoardFixture::standing("a", "reviewing");
    let reviewer = fixture.open("a");
    fixture.live(reviewer, SignalKind::Done, "");
    fixture.verify(
        reviewer,
        &[(
            EvidenceKind::WorkspaceUnchanged,
            Tri::No("src/lib.rs changed".to_owned()),
        )],
    );
    assert_eq!(fixture.stage("a"), "reviewing");
    assert_eq!(fixture.attempt(fixture.open("a")).mode, AttemptMode::Fresh);
    assert_eq!(
        fixture.task("a").failures[&"reviewing".into()][&FailureClass::Protocol],
        1
    );
}

#[test]
fn gates_that_count_only_if_there_are_any_are_left_out_where_there_is_none() {
    let mut fixture = BoardFixture::with(BoardSettings {
        gates: Vec::new(),
        ..settings()
    });
    fixture.released(draft("a", "kanban"));
    assert_eq!(
        fixture.asked_evidence(fixture.open("a")),
        [EvidenceKind::CommitsAhead, EvidenceKind::Pushed]
    );
}

#[test]
fn a_conflict_calls_the_integrator_and_then_the_engine_merges_again() {
    let mut fixture = BoardFixture::standing("a", "merging");
    let merge = fixture.open("a");
    fixture.act(merge, ActionOutcome::Failed("conflict in cart.rs".to_owned()));
    let integrator = fixture.open("a");
    assert_eq!(fixture.role(integrator), "integrator");
    assert_eq!(fixture.attempt(integrator).mode, AttemptMode::Fallback);
    assert_eq!(fixture.task("a").finding.as_deref(), Some("conflict in cart.rs"));
    assert_eq!(
        fixture.asked_evidence(integrator),
        [EvidenceKind::CommitsAhead, EvidenceKind::Pushed]
    );
    fixture.live(integrator, SignalKind::Done, "");
    fixture.verify(integrator, &[]);
    assert_eq!(
        fixture.stage("a"),
        "merging",
        "the integrator's signal alone does not merge"
    );
    let again = fixture.open("a");
    assert_eq!(fixture.role(again), "engine");
    assert_eq!(fixture.attempt(again).mode, AttemptMode::Fresh);
    fixture.pass("a");
    assert_eq!(fixture.word("a"), "done");
}

#[test]
fn an_integrator_that_rejects_sends_the_work_back_to_development() {
    let mut fixture = BoardFixture::standing("a", "merging");
    let merge = fixture.open("a");
    fixture.act(merge, ActionOutcome::Failed("tests fail".to_owned()));
    let integrator = fixture.open("a");
    fixture.live(integrator, SignalKind::Reject, "cannot be merged");
    assert_eq!(fixture.stage("a"), "development");
    assert_eq!(fixture.task("a").rejections, 1);
}

#[test]
fn the_third_failed_merge_holds_the_task() {
    let mut fixture = BoardFixture::standing("a", "merging");
    for round in 1..=3 {
        let merge = fixture.open("a");
        fixture.act(merge, ActionOutcome::Failed("conflict".to_owned()));
        if round < 3 {
            let integrator = fixture.open("a");
            fixture.live(integrator, SignalKind::Done, "");
            fixture.verify(integrator, &[]);
        }
    }
    assert_eq!(
        fixture.task("a").state,
        TaskState::Held(HoldReason::Exhausted(FailureClass::Gate))
    );
}

#[test]
fn a_merge_that_could_not_be_found_out_is_tried_again_later_and_counts_nothing() {
    let mut fixture = BoardFixture::standing("a", "merging");
    let spawns = fixture.task("a").spawns;
    let merge = fixture.open("a");
    fixture.act(merge, ActionOutcome::Unknown("no network".into()));
    assert_eq!(fixture.word("a"), "released");
    assert!(fixture.task("a").failures.is_empty());
    fixture.wait_until_due();
    assert_eq!(fixture.role(fixture.open("a")), "engine");
    assert_eq!(fixture.task("a").spawns, spawns);
}

#[test]
fn a_merge_without_proof_from_the_remote_is_not_believed() {
    let mut fixture = BoardFixture::standing("a", "merging");
    let merge = fixture.open("a");
    fixture.act(
        merge,
        ActionOutcome::Done {
            commit: Some("m".to_owned()),
            evidence: Vec::new(),
            check: MergeCheck::Checked,
        },
    );
    assert_eq!((fixture.stage("a"), fixture.word("a")), ("merging", "released"));
    assert_eq!(fixture.task("a").merged, None);
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
        let mut fixture = BoardFixture::new();
        fixture.released(draft("p", "staged"));
        fixture.pass("p");
        let check = fixture.open("p");
        fixture.act(check, ActionOutcome::Issues(issues.clone()));
        assert_eq!(fixture.stage("p"), stage, "{issues:?}");
        assert_eq!(fixture.attempt(fixture.open("p")).mode, mode, "{issues:?}");
    }
}

#[test]
fn checks_that_fail_three_times_end_a_phase_although_its_work_passed_in_between() {
    let mut fixture = BoardFixture::new();
    fixture.released(draft("p", "staged"));
    for _ in 0..3 {
        fixture.pass("p");
        let check = fixture.open("p");
        let critical = ComplianceIssue {
            severity: Severity::Critical,
            text: "gate fails".to_owned(),
        };
        fixture.act(check, ActionOutcome::Issues(vec![critical]));
    }
    assert_eq!(fixture.word("p"), "failed");
}

#[test]
fn a_person_is_the_actor_of_a_human_stage() {
    let mut fixture = BoardFixture::new();
    let mut phase = draft("p", "staged");
    phase.tags = ["risky".to_owned()].into();
    fixture.released(phase);
    for _ in 0..3 {
        fixture.pass("p");
    }
    assert_eq!(fixture.task("p").state, TaskState::Held(HoldReason::Approval));
    assert!(fixture.notice_kinds().contains(&"approval"));
    fixture.ask(Command::Approve("p".into())).unwrap();
    assert_eq!(fixture.word("p"), "done");
}

#[test]
fn a_phase_without_the_tag_needs_no_person() {
    let mut fixture = BoardFixture::new();
    fixture.released(draft("p", "staged"));
    for _ in 0..3 {
        fixture.pass("p");
    }
    assert_eq!(fixture.word("p"), "done");
}

#[test]
fn a_story_has_its_tests_checked_before_and_after_and_is_held_at_the_first_failure() {
    let mut fixture = BoardFixture::new();
    fixture.released(draft("s", "stories"));
    assert_eq!(fixture.role(fixture.open("s")), "test-author");
    fixture.pass("s");
    let implementer = fixture.open("s");
    assert_eq!(fixture.role(implementer), "implementer");
    fixture.live(implementer, SignalKind::Done, "");
    fixture.verify(
        implementer,
        &[(EvidenceKind::Gates, Tri::No("1 test fails".to_owned()))],
    );
    assert_eq!(
        fixture.task("s").state,
        TaskState::Held(HoldReason::Exhausted(FailureClass::Gate))
    );
}

#[test]
fn the_branch_is_let_go_only_after_the_last_workspace_is_gone() {
    let mut fixture = BoardFixture::new();
    let mut acceptance = draft("acc", "kanban");
    acceptance.stage = Some("acceptance".into());
    fixture.released(acceptance);
    let tester = fixture.open("acc");
    fixture.live(tester, SignalKind::Done, "");
    fixture.verify(tester, &[]);
    assert_eq!(fixture.word("acc"), "done");
    assert_eq!(fixture.effect_keys(), ["settle/1"]);
    fixture.happen(Event::WorkspaceSettled {
        attempt: tester,
        problem: Some("busy".to_owned()),
        kept: None,
        files: Vec::new(),
    });
    assert_eq!(fixture.effect_keys(), Vec::<String>::new());
    fixture.wait_until_due();
    assert_eq!(fixture.effect_keys(), ["settle/1"]);
    fixture.settled(tester);
    assert_eq!(fixture.effect_keys(), ["retire/acc"]);
}

#[test]
fn what_was_merged_stays_a_fact_when_the_task_was_parked_meanwhile() {
    let mut fixture = BoardFixture::standing("a", "merging");
    let merge = fixture.open("a");
    fixture
        .ask(Command::Park("a".into(), "wait for the release".to_owned()))
        .unwrap();
    assert_eq!(
        fixture.effect_keys(),
        Vec::<String>::new(),
        "an engine action is not stopped"
    );
    fixture.action_done(merge);
    assert_eq!(fixture.word("a"), "parked");
    assert_eq!(fixture.task("a").merged.as_deref(), Some("m3"));
    assert_eq!(
        fixture.attempt(merge).state,
        AttemptState::Settled(Verdict::Stopped(StopCause::Cancelled))
    );
}

#[test]
fn only_the_last_three_settled_attempts_of_a_task_are_kept_in_memory() {
    let mut fixture = BoardFixture::developing("a");
    for _ in 0..2 {
        for _ in 0..2 {
            fixture.pass("a");
        }
        let merge = fixture.open("a");
        fixture.act(merge, ActionOutcome::Failed("conflict".to_owned()));
        let integrator = fixture.open("a");
        fixture.live(integrator, SignalKind::Reject, "redo it");
        fixture.settled(integrator);
        fixture.wait(Span::seconds(60));
    }
    let settled = fixture
        .board
        .attempts
        .values()
        .filter(|attempt| !attempt.state.is_open());
    assert_eq!(settled.count(), 3);
    assert_eq!(
        fixture.attempt(fixture.open("a")).n,
        3,
        "the stage's count continues"
    );
}

#[test]
fn what_an_edited_file_changes_is_told_and_stands_on_each_task_judged_until_a_person_acts() {
    let change = |is_edit, at| {
        let text = if is_edit { "edited" } else { "by ada" };
        Event::configured(BoardSettings {
            change: Some(SettingsChange {
                text: text.to_owned(),
                keys: ["gates.tests".to_owned()].into(),
                is_edit,
                at: Timestamp(at),
            }),
            ..settings()
        })
    };
    let mut fixture = BoardFixture::developing("a");
    fixture.happen(change(true, 1));
    assert_eq!(fixture.lines(), ["settings: edited"]);
    fixture.happen(change(true, 1));
    assert!(fixture.lines().is_empty(), "the same change is reported once");
    fixture.pass("a");
    fixture.pass("a");
    let judged =
        "judged by settings that an edited file brought into force while the server ran: gates.tests";
    assert_eq!(
        fixture.comments("a").matches(judged).count(),
        1,
        "the judgement is written once"
    );
    // A configuration without such a change keeps the known one.
    fixture.happen(Event::configured(settings()));
    fixture.released(draft("b", "kanban"));
    fixture.pass("b");
    assert!(fixture.comments("b").contains(judged));
    fixture.happen(change(false, 2));
    assert_eq!(fixture.lines(), ["settings: by ada"]);
    fixture.released(draft("c", "kanban"));
    fixture.pass("c");
    assert!(!fixture.comments("c").contains("judged by settings"));
}

#[test]
fn a_merge_to_which_no_gate_applies_is_called_unchecked() {
    for (gates, is_unchecked) in [(settings().gates, false), (Vec::new(), true)] {
        let mut fixture = BoardFixture::with(BoardSettings { gates, ..settings() });
        fixture.released(draft("a", "kanban"));
        for _ in 0..2 {
            fixture.pass("a");
        }
        assert_eq!(
            (fixture.stage("a"), !fixture.task("a").merge_check.is_checked()),
            ("merging", false)
        );
        let merge = fixture.open("a");
        fixture.action_done(merge);
        assert_eq!(!fixture.task("a").merge_check.is_checked(), is_unchecked);
        let told = fixture.notice_texts("unchecked");
        let wanted = ["a is merged unchecked: no gate applied to the merged tree"];
        assert_eq!(told, wanted[..usize::from(is_unchecked)]);
    }
}
