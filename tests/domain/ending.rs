//! Verdicts on attempts whose process ended (K17–K24, K26–K28, K32, K33, K42, seeds 3.5, 3.6).

use dbs::domain::attempt::{StopCause, Verdict};
use dbs::domain::event::EndCause;
use dbs::domain::task::HoldReason;
use dbs::domain::{
    ActionOutcome, ActivityKind, AttemptMode, AttemptState, Command, Effect, Event, EvidenceKind,
    FailureClass, ProcessExit, SignalKind, Span, TaskPatch, TaskState, Timestamp, Tri, TroubleKind,
};
use dbs::read_model::ReadModel;

use crate::fixture::{BoardFixture, draft};

#[test]
fn a_rejected_task_returns_to_development_after_the_cooldown() {
    let mut fixture = BoardFixture::standing("a", "reviewing");
    let reviewer = fixture.open("a");
    fixture.live(reviewer, SignalKind::Reject, "no tests");
    assert_eq!(
        (fixture.stage("a"), fixture.word("a")),
        ("development", "released")
    );
    assert_eq!(fixture.task("a").rejections, 1);
    assert_eq!(fixture.task("a").finding.as_deref(), Some("no tests"));
    assert_eq!(
        fixture.task("a").not_before,
        Some(fixture.now + Span::seconds(60))
    );
    assert!(fixture.notice_kinds().contains(&"reject"));
    fixture.wait(Span::seconds(59));
    assert_eq!(fixture.word("a"), "released");
    fixture.wait(Span::seconds(1));
    assert_eq!(fixture.word("a"), "active");
    assert_eq!(fixture.attempt(fixture.open("a")).mode, AttemptMode::Remediate);
}

#[test]
fn a_rejection_clears_the_counters_of_the_stage_it_comes_from() {
    let mut fixture = BoardFixture::standing("a", "reviewing");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.end(first);
    let crashes = [(FailureClass::Crash, 1)];
    assert_eq!(
        fixture.task("a").failures,
        [("reviewing".into(), crashes.into())].into()
    );
    fixture.wait_until_due();
    fixture.live(fixture.open("a"), SignalKind::Reject, "no tests");
    assert_eq!(fixture.stage("a"), "development");
    assert_eq!(fixture.task("a").failures, [].into());
}

#[test]
fn the_fifth_rejection_holds_the_task_for_a_person() {
    let mut fixture = BoardFixture::developing("a");
    for round in 1..=5 {
        fixture.pass("a");
        let reviewer = fixture.open("a");
        fixture.live(reviewer, SignalKind::Reject, "still wrong");
        if round < 5 {
            fixture.wait(Span::seconds(60));
        }
    }
    assert_eq!(
        fixture.task("a").state,
        TaskState::Held(HoldReason::RejectLoop(5))
    );
    assert!(fixture.notice_kinds().contains(&"loop_blocked"));
    assert!(fixture.comments("a").contains("rewrite it, split it"));
}

#[test]
fn a_rejected_acceptance_stays_in_its_stage_and_waits_for_a_person() {
    let mut fixture = BoardFixture::new();
    let mut acceptance = draft("acc", "kanban");
    acceptance.stage = Some("acceptance".into());
    fixture.released(acceptance);
    let tester = fixture.open("acc");
    fixture.live(tester, SignalKind::Reject, "checkout fails");
    assert_eq!(fixture.stage("acc"), "acceptance");
    assert_eq!(
        fixture.task("acc").state,
        TaskState::Held(HoldReason::AcceptanceFailed("checkout fails".to_owned()))
    );
}

#[test]
fn a_blocked_task_is_held_with_its_reason_and_is_not_tried_again() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.live(first, SignalKind::Block, "no API key");
    assert_eq!(
        fixture.task("a").state,
        TaskState::Held(HoldReason::Blocked("no API key".to_owned()))
    );
    assert!(fixture.notice_kinds().contains(&"block"));
    fixture.wait(Span::minutes(600));
    assert_eq!(fixture.word("a"), "held");
}

#[test]
fn a_block_beats_a_done_whatever_their_order() {
    for order in [
        [SignalKind::Done, SignalKind::Block],
        [SignalKind::Block, SignalKind::Done],
    ] {
        let mut fixture = BoardFixture::developing("a");
        let first = fixture.open("a");
        fixture.start(first);
        for kind in order {
            fixture.say(first, kind, "why");
        }
        fixture.end(first);
        assert_eq!(fixture.word("a"), "held", "{order:?}");
    }
}

#[test]
fn the_last_terminal_signal_wins() {
    let mut fixture = BoardFixture::standing("a", "reviewing");
    let reviewer = fixture.open("a");
    fixture.start(reviewer);
    fixture.say(reviewer, SignalKind::Reject, "hm");
    fixture.say(reviewer, SignalKind::Done, "");
    fixture.end(reviewer);
    assert_eq!(
        (fixture.stage("a"), fixture.word("a")),
        ("reviewing", "verifying")
    );
}

#[test]
fn a_process_that_ends_without_a_signal_is_a_crash_and_never_an_approval() {
    let mut fixture = BoardFixture::standing("a", "reviewing");
    let reviewer = fixture.open("a");
    fixture.start(reviewer);
    fixture.end_with(reviewer, ProcessExit::Code(0), None);
    assert_eq!((fixture.stage("a"), fixture.word("a")), ("reviewing", "released"));
    assert_eq!(
        fixture.task("a").failures[&"reviewing".into()][&FailureClass::Crash],
        1
    );
    assert!(fixture.notice_kinds().contains(&"crash"));
    assert!(
        fixture.comments("a").contains("last line"),
        "the end of the output is kept"
    );
}

#[test]
fn crashes_back_off_and_the_third_holds_the_task() {
    let mut fixture = BoardFixture::developing("a");
    for wait in [10, 20] {
        let open = fixture.open("a");
        fixture.start(open);
        fixture.end_with(open, ProcessExit::Signal(9), None);
        assert_eq!(
            fixture.task("a").not_before,
            Some(fixture.now + Span::seconds(wait))
        );
        fixture.settled(open);
        fixture.wait_until_due();
    }
    let open = fixture.open("a");
    fixture.start(open);
    fixture.end(open);
    assert_eq!(
        fixture.task("a").state,
        TaskState::Held(HoldReason::Exhausted(FailureClass::Crash))
    );
    assert_eq!(
        fixture.lines(),
        [
            "block: a exited 3 times without reporting",
            "stalled: batch shop stalled: a exited 3 times without reporting"
        ],
        "one line is for the task and one for its batch"
    );
}

#[test]
fn a_phase_whose_worker_crashes_or_takes_too_long_is_tried_again_once() {
    for (class, limits) in [
        (FailureClass::Crash, [0, 0]),
        (FailureClass::Timeout, [3600, 7200]),
    ] {
        let mut fixture = BoardFixture::new();
        fixture.released(draft("p", "phased"));
        for (failures, limit) in (1..).zip(limits) {
            let open = fixture.open("p");
            fixture.start(open);
            fixture.wait(Span::seconds(limit));
            fixture.end_with(open, ProcessExit::Signal(9), None);
            fixture.settled(open);
            let counted = fixture.task("p").failures[&"work".into()][&class];
            assert_eq!(counted, failures, "{class}");
            if failures == 1 {
                assert_ne!(fixture.word("p"), "failed", "{class}");
                if class == FailureClass::Crash {
                    fixture.wait_until_due();
                }
            }
        }
        assert_eq!(fixture.word("p"), "failed", "{class}");
    }
}

#[test]
fn a_fast_early_done_with_a_bad_exit_code_is_no_crash() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.say(first, SignalKind::Done, "");
    fixture.end_with(first, ProcessExit::Code(1), None);
    assert_eq!(fixture.word("a"), "verifying");
}

#[test]
fn an_agent_that_runs_too_long_is_stopped_and_counts_as_a_timeout() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.wait(Span::seconds(3599));
    assert!(fixture.is_running(first));
    fixture.wait(Span::seconds(1));
    assert_eq!(fixture.effect_keys(), ["stop/1"]);
    assert_eq!(
        fixture.attempt(first).state,
        AttemptState::Stopping(StopCause::Timeout)
    );
    fixture.end_with(first, ProcessExit::Signal(15), None);
    assert!(fixture.notice_kinds().contains(&"timeout"));
    assert_eq!(
        fixture.task("a").failures[&"development".into()][&FailureClass::Timeout],
        1
    );
    assert!(fixture.comments("a").contains("timed out after 1h"));
    assert_eq!((fixture.stage("a"), fixture.word("a")), ("development", "active"));
}

#[test]
fn after_a_timeout_the_next_attempt_gets_twice_the_time_and_then_the_task_is_to_be_split() {
    let mut fixture = BoardFixture::developing("a");
    for (attempt, limit) in [(1, 3600), (2, 7200)] {
        let open = fixture.open("a");
        assert_eq!(open.0, attempt);
        fixture.start(open);
        assert_eq!(
            fixture.board.next_deadline(),
            Some(fixture.now + Span::seconds(limit))
        );
        assert_eq!(
            told_limit(&fixture),
            Span::seconds(limit),
            "the agent is told the same limit"
        );
        fixture.wait(Span::seconds(limit));
        fixture.end_with(open, ProcessExit::Signal(15), None);
        fixture.settled(open);
    }
    assert_eq!(fixture.word("a"), "held");
    let TaskState::Held(hold) = &fixture.task("a").state else {
        unreachable!("the task is held")
    };
    assert!(hold.to_string().contains("split it"), "{hold}");
}

#[test]
fn a_done_that_came_before_the_time_was_up_is_heeded() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.wait(Span::seconds(3600));
    fixture.say(first, SignalKind::Done, "");
    fixture.end_with(first, ProcessExit::Signal(15), None);
    assert_eq!(fixture.word("a"), "verifying");
}

#[test]
fn an_agent_that_lingers_after_its_last_word_is_stopped() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.say(first, SignalKind::Done, "");
    fixture.wait(Span::seconds(4));
    assert_eq!(fixture.effect_keys(), Vec::<String>::new());
    fixture.wait(Span::seconds(1));
    assert_eq!(fixture.effect_keys(), ["stop/1"]);
    assert_eq!(
        fixture.attempt(first).state,
        AttemptState::Stopping(StopCause::Finished)
    );
    fixture.wait(Span::seconds(60));
    assert_eq!(fixture.effect_keys(), ["stop/1"], "the stop is requested again");
    fixture.end_with(first, ProcessExit::Signal(15), None);
    assert_eq!(fixture.word("a"), "verifying");
}

#[test]
fn a_person_who_moves_the_task_makes_the_attempt_void() {
    let mut fixture = BoardFixture::standing("a", "reviewing");
    let reviewer = fixture.open("a");
    fixture.start(reviewer);
    fixture.say(reviewer, SignalKind::Reject, "bad");
    let patch = TaskPatch {
        stage: Some("development".into()),
        ..TaskPatch::default()
    };
    fixture.ask(Command::Update("a".into(), patch)).unwrap();
    assert_eq!(fixture.effect_keys(), ["stop/2"]);
    assert_eq!(
        (fixture.stage("a"), fixture.word("a")),
        ("development", "released")
    );
    fixture.end(reviewer);
    assert_eq!(
        fixture.task("a").rejections,
        0,
        "the rejection of the moved task is void"
    );
    assert_eq!(fixture.word("a"), "active", "the new stage begins");
    assert_eq!(fixture.role(fixture.open("a")), "developer");
}

#[test]
fn a_signal_the_stage_does_not_allow_is_recorded_and_ends_nothing() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.say(first, SignalKind::Reject, "I may not");
    assert!(fixture.notice_kinds().contains(&"protocol"));
    assert!(
        fixture
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Tell(id, _) if *id == first)),
        "the agent is warned in one turn"
    );
    assert_eq!(fixture.attempt(first).refused.len(), 1);
    fixture.end(first);
    assert_eq!(
        (fixture.stage("a"), fixture.word("a")),
        ("development", "released")
    );
    assert_eq!(
        fixture.task("a").failures[&"development".into()][&FailureClass::Crash],
        1
    );
}

#[test]
fn an_agent_is_warned_of_wrong_signals_once_however_many_it_sends() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    let mut warnings = Vec::new();
    for _ in 0..3 {
        fixture.say(first, SignalKind::Reject, "I may not");
        let is_told = |effect: &&Effect| matches!(effect, Effect::Tell(id, _) if *id == first);
        warnings.push(fixture.effects.iter().filter(is_told).count());
    }
    assert_eq!(warnings, [1, 0, 0]);
    assert_eq!(fixture.comments("a").matches("does not allow").count(), 1);
    assert_eq!(
        fixture.attempt(first).refused.len(),
        3,
        "all refused signals are recorded"
    );
}

#[test]
fn after_a_wrong_signal_the_right_one_still_counts() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.say(first, SignalKind::Reject, "oops");
    fixture.say(first, SignalKind::Done, "");
    fixture.end(first);
    assert_eq!(fixture.word("a"), "verifying");
}

#[test]
fn the_same_signal_arriving_twice_counts_once() {
    let mut fixture = BoardFixture::developing("a");
    let attempt = fixture.open("a");
    fixture.start(attempt);
    for _ in 0..2 {
        fixture.happen(Event::Signalled {
            attempt,
            kind: SignalKind::Progress,
            text: "half".to_owned(),
            report: None,
            key: "k".to_owned(),
            claims: dbs::domain::Claims::default(),
            by_file: false,
        });
    }
    assert_eq!(fixture.attempt(attempt).signals.len(), 1);
    assert_eq!(fixture.task("a").comments.len(), 1);
}

#[test]
fn the_report_of_a_signal_is_kept_with_it_and_written_on_the_task() {
    let mut fixture = BoardFixture::developing("a");
    let attempt = fixture.open("a");
    fixture.start(attempt);
    fixture.happen(Event::Signalled {
        attempt,
        kind: SignalKind::Done,
        text: "finished".to_owned(),
        report: Some(r#"{"tests":12}"#.to_owned()),
        key: "k".to_owned(),
        claims: dbs::domain::Claims::default(),
        by_file: false,
    });
    let kept = fixture.attempt(attempt).signals.first().unwrap().report.clone();
    assert_eq!(kept.as_deref(), Some(r#"{"tests":12}"#));
    let comment = fixture.task("a").comments.last().unwrap().clone();
    assert_eq!(comment.text, "reports with done:\n{\"tests\":12}");
    assert!(comment.author.starts_with("developer-"), "{}", comment.author);
}

#[test]
fn a_signal_of_an_attempt_that_is_over_changes_nothing() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.pass("a");
    let before = fixture.board.clone();
    fixture.say(first, SignalKind::Block, "too late");
    fixture.end(first);
    fixture.verify(first, &[]);
    assert_eq!(fixture.board, before);
}

#[test]
fn what_a_signal_is_answered_is_what_the_board_made_of_it() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    let answered = |fixture: &mut BoardFixture, kind: SignalKind| {
        fixture.say(first, kind, "text");
        let key = format!("s{}", fixture.key);
        let answer = fixture.board.signal_reply(first, kind, &key);
        answer.map_or_else(|refusal| refusal.why, |accepted| accepted.0)
    };
    assert_eq!(answered(&mut fixture, SignalKind::Claim), "claimed");
    assert_eq!(
        answered(&mut fixture, SignalKind::Reject),
        "reject is not allowed in development: use done, block, fail"
    );
    assert_eq!(answered(&mut fixture, SignalKind::Done), "reported done");
    fixture.end(first);
    let late = answered(&mut fixture, SignalKind::Block);
    assert_eq!(
        late, "attempt 1 is over: block came too late",
        "a late signal is refused even while the attempt is verified"
    );
    assert!(
        fixture.board.signal_reply(first, SignalKind::Done, "s3").is_ok(),
        "a signal that arrived in time stays accepted"
    );
}

#[test]
fn a_question_needs_a_person_and_the_answer_is_typed_to_the_agent() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.say(first, SignalKind::Question, "tabs or spaces?");
    assert_eq!(
        *fixture.doing(first),
        ActivityKind::Question("tabs or spaces?".to_owned())
    );
    assert!(fixture.notice_kinds().contains(&"question"));
    fixture
        .ask(Command::Answer("a".into(), "spaces".to_owned()))
        .unwrap();
    let typed = |effect: &Effect| matches!(effect, Effect::Answer(attempt, _) if *attempt == first);
    assert!(fixture.effects.iter().any(typed));
    assert_eq!(*fixture.doing(first), ActivityKind::Working);
}

#[test]
fn an_agent_that_gives_up_is_tried_again_with_its_reason_until_the_limit() {
    let mut fixture = BoardFixture::developing("a");
    for _ in 0..2 {
        let open = fixture.open("a");
        fixture.live(open, SignalKind::Fail, "the schema is unclear");
    }
    assert_eq!(
        fixture.task("a").finding.as_deref(),
        Some("the schema is unclear")
    );
    let open = fixture.open("a");
    fixture.live(open, SignalKind::Fail, "the schema is unclear");
    assert_eq!(
        fixture.task("a").state,
        TaskState::Held(HoldReason::Exhausted(FailureClass::Failed))
    );
}

#[test]
fn a_usage_limit_pauses_its_tool_until_it_ends_and_counts_nothing() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    let until = Timestamp(fixture.now.0 + 3_600_000);
    fixture.end_with(
        first,
        ProcessExit::Code(1),
        Some(EndCause::Quota {
            until: Some(until),
            why: "5-hour limit".to_owned(),
        }),
    );
    assert_eq!(fixture.board.pause, None);
    assert_eq!(fixture.board.limits.len(), 1);
    assert_eq!(fixture.task("a").spawns, 0);
    assert!(fixture.task("a").failures.is_empty());
    fixture.settled(first);
    assert_eq!(fixture.board.next_deadline(), Some(until));
    fixture.wait_until_due();
    assert!(fixture.notice_kinds().contains(&"resume"));
    assert_eq!(fixture.word("a"), "active");
}

#[test]
fn an_agent_that_cannot_log_in_is_infrastructure_and_waits_longer_each_time() {
    let mut fixture = BoardFixture::developing("a");
    for wait in [5, 10, 20, 40, 80, 160, 300, 300] {
        let open = fixture.open("a");
        fixture.start(open);
        let cause = EndCause::Infra("not logged in".into());
        fixture.end_with(open, ProcessExit::Code(1), Some(cause));
        assert_eq!(
            fixture.task("a").not_before,
            Some(fixture.now + Span::seconds(wait))
        );
        fixture.settled(open);
        fixture.wait_until_due();
    }
    assert_eq!(fixture.task("a").spawns, 1, "only the open attempt counts");
    assert!(fixture.task("a").failures.is_empty());
}

#[test]
fn a_spawn_failure_never_uses_up_the_budget_and_is_told_once_when_it_lasts() {
    let mut fixture = BoardFixture::developing("a");
    let mut degraded = 0;
    for _ in 0..11 {
        let open = fixture.open("a");
        fixture.happen(Event::AttemptNotStarted {
            attempt: open,
            why: "worktree is busy".into(),
        });
        assert_eq!(fixture.word("a"), "released");
        assert_eq!(
            fixture.effect_keys(),
            Vec::<String>::new(),
            "there is no workspace to put away"
        );
        degraded += fixture
            .notice_kinds()
            .iter()
            .filter(|kind| **kind == "degraded")
            .count();
        fixture.wait_until_due();
    }
    assert_eq!(degraded, 1);
    fixture.pass("a");
    assert_eq!(fixture.board.infra_failures, 0);
}

#[test]
fn people_see_the_kind_that_was_known_where_it_happened_whatever_the_text_says() {
    let why = |kind: TroubleKind| kind.cause("no answer, disk full, index.lock");
    let kind_seen = |fixture: &BoardFixture| ReadModel::of(&fixture.board, fixture.now).troubles[0].kind;

    let mut fixture = BoardFixture::developing("a");
    fixture.happen(Event::AttemptNotStarted {
        attempt: fixture.open("a"),
        why: why(TroubleKind::Disk),
    });
    assert_eq!(kind_seen(&fixture), TroubleKind::Disk);

    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    let cause = EndCause::Infra(why(TroubleKind::Agent));
    fixture.end_with(first, ProcessExit::Code(1), Some(cause));
    assert_eq!(kind_seen(&fixture), TroubleKind::Agent);

    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.live(first, SignalKind::Done, "");
    let unknown = Tri::Unknown(why(TroubleKind::Network));
    fixture.verify(first, &[(EvidenceKind::Pushed, unknown)]);
    assert_eq!(kind_seen(&fixture), TroubleKind::Network);

    let mut fixture = BoardFixture::standing("a", "merging");
    fixture.act(fixture.open("a"), ActionOutcome::Unknown(why(TroubleKind::Lock)));
    assert_eq!(kind_seen(&fixture), TroubleKind::Lock);
}

#[test]
fn the_workspace_is_put_away_once_whatever_the_verdict() {
    for kind in [SignalKind::Block, SignalKind::Fail] {
        let mut fixture = BoardFixture::developing("a");
        let first = fixture.open("a");
        fixture.live(first, kind, "x");
        let settles = fixture
            .effect_keys()
            .iter()
            .filter(|wish| *wish == "settle/1")
            .count();
        assert_eq!(settles, 1, "{kind}");
    }
}

#[test]
fn a_stage_of_its_own_time_limit_is_heeded() {
    let mut flows = crate::fixture::workflows();
    for flow in &mut flows {
        for stage in &mut flow.stages {
            stage.timeout = Some(Span::minutes(2));
        }
    }
    let mut fixture = BoardFixture::new();
    fixture.happen(Event::WorkflowsLoaded(flows));
    fixture.released(draft("a", "kanban"));
    let first = fixture.open("a");
    fixture.start(first);
    assert_eq!(
        fixture.board.next_deadline(),
        Some(fixture.now + Span::minutes(2))
    );
    assert_eq!(told_limit(&fixture), Span::minutes(2));
}

/// Returns the time limit that the agent of task `a` is told.
fn told_limit(fixture: &BoardFixture) -> Span {
    let model = ReadModel::of(&fixture.board, fixture.now);
    let facts = model.prompt_facts(&model.tasks[&"a".into()], None);
    facts.unwrap().stage.time_limit
}

#[test]
fn a_verdict_is_given_once() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.end(first);
    let before = fixture.board.clone();
    fixture.end(first);
    assert_eq!(fixture.board, before);
    assert!(matches!(
        fixture.attempt(first).state,
        AttemptState::Settled(Verdict::Failed(FailureClass::Crash, _))
    ));
}

/// Loads all workflows except the built-in pipeline, as after a person broke its file.
fn without_kanban(fixture: &mut BoardFixture) {
    let mut flows = crate::fixture::workflows();
    flows.retain(|flow| flow.id.as_str() != "kanban");
    fixture.happen(Event::WorkflowsLoaded(flows));
}

#[test]
fn what_an_agent_said_waits_while_its_workflow_cannot_be_read() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.say(first, SignalKind::Done, "");
    without_kanban(&mut fixture);
    fixture.end(first);
    fixture.wait_until_due();
    assert_eq!(
        (fixture.stage("a"), fixture.word("a")),
        ("development", "verifying")
    );
    assert!(fixture.task("a").failures.is_empty());
    fixture.happen(Event::WorkflowsLoaded(crate::fixture::workflows()));
    fixture.wait_until_due();
    assert!(
        fixture
            .effect_keys()
            .iter()
            .any(|wish| wish.starts_with("verify/1/"))
    );
    fixture.verify(first, &[]);
    assert_eq!(fixture.stage("a"), "reviewing");
}

#[test]
fn a_rejection_while_its_workflow_cannot_be_read_moves_nothing() {
    let mut fixture = BoardFixture::standing("a", "reviewing");
    let reviewer = fixture.open("a");
    fixture.start(reviewer);
    fixture.say(reviewer, SignalKind::Reject, "no tests");
    without_kanban(&mut fixture);
    fixture.end(reviewer);
    assert_eq!((fixture.stage("a"), fixture.word("a")), ("reviewing", "released"));
    assert!(fixture.comments("a").contains("no tests"));
    assert!(matches!(
        fixture.task("a").why_not,
        Some(dbs::domain::WaitReason::NoStage(..))
    ));
    fixture.happen(Event::WorkflowsLoaded(crate::fixture::workflows()));
    assert_eq!(fixture.role(fixture.open("a")), "reviewer");
}

#[test]
fn a_merge_that_ends_while_its_workflow_cannot_be_read_is_made_sure_of_later() {
    let mut fixture = BoardFixture::standing("a", "merging");
    let merge = fixture.open("a");
    without_kanban(&mut fixture);
    fixture.act(merge, ActionOutcome::Failed("conflict".to_owned()));
    assert_eq!((fixture.stage("a"), fixture.word("a")), ("merging", "released"));
    assert!(fixture.task("a").failures.is_empty());
    fixture.happen(Event::WorkflowsLoaded(crate::fixture::workflows()));
    fixture.wait_until_due();
    assert_eq!(fixture.role(fixture.open("a")), "engine");
}

#[test]
fn failures_at_one_stage_use_up_no_budget_of_another() {
    let mut fixture = BoardFixture::standing("a", "reviewing");
    let crash_twice = |fixture: &mut BoardFixture| {
        for _ in 0..2 {
            let open = fixture.open("a");
            fixture.start(open);
            fixture.end(open);
            assert_eq!(fixture.word("a"), "released");
            fixture.wait_until_due();
        }
    };
    crash_twice(&mut fixture);
    let back = TaskPatch {
        stage: Some("development".into()),
        ..TaskPatch::default()
    };
    let reviewer = fixture.open("a");
    fixture.ask(Command::Update("a".into(), back)).unwrap();
    fixture.end(reviewer);
    crash_twice(&mut fixture);
    let crashes = |stage: &str| fixture.task("a").failures[&stage.into()][&FailureClass::Crash];
    assert_eq!((crashes("reviewing"), crashes("development")), (2, 2));
}

#[test]
fn of_a_flood_of_signals_only_so_many_of_each_kind_are_taken_and_one_line_reports_it() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    let mut floods = 0;
    for n in 0..1_000 {
        fixture.say(first, SignalKind::Progress, &format!("step {n}"));
        floods += usize::from(fixture.notice_kinds().contains(&"flood"));
    }
    assert_eq!(floods, 1);
    assert_eq!(fixture.attempt(first).signals.len(), 200);
    let refused = fixture.board.signal_reply(first, SignalKind::Progress, "another");
    assert!(refused.is_err_and(|refusal| refusal.why.contains("too many progress signals")));
    fixture.say(first, SignalKind::Done, "");
    fixture.end(first);
    assert_eq!(fixture.word("a"), "verifying", "another kind still counts");
}

#[test]
fn long_signals_are_counted_by_their_bytes() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    let long = "x".repeat(60 * 1024);
    for _ in 0..20 {
        fixture.say(first, SignalKind::Done, &long);
        fixture.say(first, SignalKind::Reject, &long);
    }
    assert_eq!(fixture.attempt(first).signals.len(), 5);
    assert_eq!(fixture.attempt(first).refused.len(), 5);
}
