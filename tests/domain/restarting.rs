//! Restarts of the engine: nothing is assumed, counted or done twice (LK-3, LK-14, K34, K35).

use dbs::domain::attempt::StopCause;
use dbs::domain::event::EndCause;
use dbs::domain::{
    ActionOutcome, ActivityKind, AttemptId, AttemptState, Board, Command, Event, FailureClass, Inventory,
    ProcessExit, SignalKind, Tri, WaitReason, Workplace,
};

use crate::fixture::{BoardFixture, draft};

fn running(ids: &[AttemptId]) -> Event {
    Event::Woke(Inventory {
        running: ids.iter().copied().collect(),
        ..Inventory::default()
    })
}

#[test]
fn a_running_agent_is_adopted_and_nothing_changes() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    let before = fixture.board.clone();
    fixture.happen(running(&[first]));
    assert_eq!(fixture.board, before);
    assert_eq!(fixture.effect_keys(), Vec::<String>::new());
}

#[test]
fn an_agent_that_ended_meanwhile_is_concluded_as_if_nothing_had_happened() {
    let cases = [
        (Some(SignalKind::Done), ProcessExit::Code(0), "verifying"),
        (Some(SignalKind::Block), ProcessExit::Code(0), "held"),
        (None, ProcessExit::Code(3), "released"),
        (None, ProcessExit::MachineStopped, "active"),
    ];
    for (said, exit, word) in cases {
        let ended = |is_found: bool| {
            let mut fixture = BoardFixture::developing("a");
            let first = fixture.open("a");
            fixture.start(first);
            if let Some(kind) = said {
                fixture.say(first, kind, "no key");
            }
            let tail = "the last line".to_owned();
            fixture.happen(if is_found {
                Event::Woke(Inventory {
                    ended: [(first, (exit.clone(), tail))].into(),
                    ..Inventory::default()
                })
            } else {
                Event::AttemptEnded {
                    attempt: first,
                    exit: exit.clone(),
                    tail,
                    cause: None,
                }
            });
            fixture
        };
        let (found, heard) = (ended(true), ended(false));
        assert_eq!(found.board, heard.board, "{said:?} {exit:?}");
        assert_eq!(found.effect_keys(), heard.effect_keys());
        assert_eq!(found.word("a"), word, "{said:?} {exit:?}");
    }
}

#[test]
fn an_agent_gone_without_a_trace_is_a_crash() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.happen(running(&[]));
    assert_eq!(
        fixture.task("a").failures[&"development".into()][&FailureClass::Crash],
        1
    );
}

#[test]
fn unknown_never_means_dead() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    let deadline = fixture.attempt(first).deadline;
    let unknown = Inventory {
        unknown: [first].into(),
        ..Inventory::default()
    };
    fixture.happen(Event::Woke(unknown.clone()));
    assert!(fixture.is_running(first));
    assert_eq!(*fixture.doing(first), ActivityKind::Lost);
    assert_eq!(fixture.attempt(first).deadline, deadline);
    assert!(fixture.notice_kinds().contains(&"unknown"));
    fixture.happen(Event::Woke(unknown));
    assert!(
        fixture.notice_kinds().is_empty(),
        "the unknown state is reported once"
    );
    fixture.happen(running(&[first]));
    assert_eq!(*fixture.doing(first), ActivityKind::Working);
}

#[test]
fn a_start_that_was_never_answered_is_wished_for_again() {
    let mut fixture = BoardFixture::developing("a");
    let before = fixture.board.clone();
    fixture.happen(running(&[]));
    assert_eq!(fixture.effect_keys(), ["start/1"]);
    assert_eq!(fixture.board, before);
}

#[test]
fn a_stop_that_was_never_answered_is_wished_for_again() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.ask(Command::Pause).unwrap();
    fixture.happen(running(&[first]));
    assert_eq!(fixture.effect_keys(), ["stop/1"]);
    fixture.happen(running(&[]));
    assert!(!fixture.attempt(first).state.is_open());
    assert!(
        fixture.task("a").failures.is_empty(),
        "a requested stop is no crash"
    );
}

#[test]
fn evidence_engine_actions_and_workspaces_are_asked_for_again() {
    let mut fixture = BoardFixture::new();
    for id in ["a", "b"] {
        fixture.released(draft(id, "kanban"));
    }
    fixture.pass("a");
    fixture.pass("a");
    let merge = fixture.open("a");
    let developer = fixture.open("b");
    fixture.live(developer, SignalKind::Done, "");
    let before = fixture.board.clone();
    fixture.happen(running(&[]));
    assert_eq!(fixture.board, before);
    let mut wishes = fixture.effect_keys();
    wishes.sort();
    assert_eq!(wishes, [format!("act/{merge}"), format!("verify/{developer}/1")]);
}

#[test]
fn a_workspace_half_put_away_is_put_away_again() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.live(first, SignalKind::Block, "no");
    fixture.happen(running(&[]));
    assert_eq!(fixture.effect_keys(), ["settle/1"]);
}

#[test]
fn evidence_that_waits_for_its_time_goes_on_waiting() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.live(first, SignalKind::Done, "");
    let kind = dbs::domain::EvidenceKind::Pushed;
    fixture.verify(first, &[(kind, Tri::Unknown("offline".into()))]);
    fixture.happen(running(&[]));
    assert_eq!(fixture.effect_keys(), Vec::<String>::new());
    fixture.wait_until_due();
    assert_eq!(fixture.effect_keys(), ["verify/1/2"]);
}

#[test]
fn an_interrupted_engine_action_nobody_waits_for_is_over() {
    let mut fixture = BoardFixture::standing("a", "merging");
    let merge = fixture.open("a");
    fixture
        .ask(Command::Park("a".into(), "later".to_owned()))
        .unwrap();
    assert_eq!(
        fixture.attempt(merge).state,
        AttemptState::Stopping(StopCause::Cancelled)
    );
    fixture.happen(running(&[]));
    assert!(!fixture.attempt(merge).state.is_open());
    assert_eq!(fixture.word("a"), "parked");
}

#[test]
fn an_agent_that_ended_before_its_start_was_heard_of_leaves_its_workspace_to_be_put_away() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    let inventory = Inventory {
        ended: [(first, (ProcessExit::Code(1), "boom".to_owned()))].into(),
        ..Inventory::default()
    };
    fixture.happen(Event::Woke(inventory));
    assert_eq!(fixture.effect_keys(), ["settle/1"]);
    assert!(fixture.comments("a").contains("boom"));
}

#[test]
fn replaying_the_events_gives_the_same_board() {
    let mut fixture = BoardFixture::standing("a", "reviewing");
    let reviewer = fixture.open("a");
    fixture.live(reviewer, SignalKind::Reject, "no");
    fixture.wait_until_due();
    let mut again = Board::default();
    for (now, event) in &fixture.log {
        again.apply(*now, event);
        again.take_changed_rows();
    }
    assert_eq!(again, fixture.board);
}

#[test]
fn a_sleeping_board_starts_nothing_and_repeats_its_stops_when_it_wakes() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    fixture.board.sleep();
    fixture.released(draft("b", "stories"));
    assert_eq!(fixture.word("b"), "released");
    fixture
        .ask(Command::Park("a".into(), "later".to_owned()))
        .unwrap();
    fixture.happen(running(&[first]));
    let wishes = fixture.effect_keys();
    assert!(wishes.contains(&format!("stop/{first}")), "{wishes:?}");
    assert_eq!(fixture.word("b"), "active", "an awake board starts what waited");
}

#[test]
fn an_agent_that_ended_before_its_start_was_heard_of_is_judged_by_where_it_worked() {
    let mut fixture = BoardFixture::standing("a", "reviewing");
    let reviewer = fixture.open("a");
    fixture.happen(Event::WorkplaceMade {
        attempt: reviewer,
        workplace: Workplace {
            path: "trees/r".to_owned(),
            branch: None,
            start: Some("c0".to_owned()),
            start_tree: Some("t0".to_owned()),
            git_overrides: None,
        },
        kept: Vec::new(),
        gates_before: Vec::new(),
    });
    fixture.say(reviewer, SignalKind::Done, "good");
    let inventory = Inventory {
        ended: [(reviewer, (ProcessExit::Code(0), String::new()))].into(),
        ..Inventory::default()
    };
    fixture.happen(Event::Woke(inventory));
    assert_eq!(fixture.effect_keys(), [format!("verify/{reviewer}/1")]);
    let place = fixture.attempt(reviewer).workplace.as_ref().unwrap();
    assert_eq!(place.start_tree.as_deref(), Some("t0"));
}

#[test]
fn a_workspace_of_an_attempt_that_could_not_be_started_is_put_away() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    let workplace = Workplace {
        path: "trees/a".to_owned(),
        branch: None,
        start: None,
        start_tree: None,
        git_overrides: None,
    };
    fixture.happen(Event::WorkplaceMade {
        attempt: first,
        workplace,
        kept: Vec::new(),
        gates_before: Vec::new(),
    });
    fixture.happen(Event::AttemptNotStarted {
        attempt: first,
        why: "no memory".into(),
    });
    assert_eq!(fixture.effect_keys(), ["settle/1"]);
}

#[test]
fn a_cause_that_was_named_while_no_server_ran_is_heard() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    let cause = EndCause::Quota {
        until: None,
        why: "limit".to_owned(),
    };
    let inventory = Inventory {
        ended: [(first, (ProcessExit::Code(1), "limit".to_owned()))].into(),
        causes: [(first, cause)].into(),
        ..Inventory::default()
    };
    fixture.happen(Event::Woke(inventory));
    assert!(fixture.task("a").failures.is_empty(), "no crash is counted");
    assert_eq!(fixture.board.limits.len(), 1);
}

#[test]
fn limits_move_with_a_clock_that_jumped_and_nobody_is_late() {
    const NIGHT: i64 = 8 * 3_600_000;
    for by in [NIGHT, -300_000] {
        let mut fixture = BoardFixture::developing("a");
        let first = fixture.open("a");
        fixture.start(first);
        let deadline = fixture.attempt(first).deadline.unwrap();
        let begun = fixture.attempt(first).started_at.unwrap();
        fixture.now = fixture.now.moved(by);
        fixture.happen(Event::ClockJumped { by });
        assert_eq!(fixture.attempt(first).deadline, Some(deadline.moved(by)));
        assert_eq!(fixture.notice_kinds(), ["clock"]);
        fixture.happen(Event::Ticked);
        assert!(
            fixture.is_running(first),
            "the agent has as much time left as before"
        );
        let moved = fixture.attempt(first).started_at;
        assert_eq!(
            moved,
            Some(begun.moved(by)),
            "the agent's running time is unchanged"
        );

        fixture.end(first);
        let until = fixture.task("a").not_before.unwrap();
        // A sleeping board does not schedule, so the reason to wait is not computed anew.
        fixture.board.sleep();
        fixture.now = fixture.now.moved(by);
        fixture.happen(Event::ClockJumped { by });
        let task = fixture.task("a");
        assert_eq!(task.not_before, Some(until.moved(by)));
        assert_eq!(task.why_not, Some(WaitReason::Until(until.moved(by))));
        assert_eq!(fixture.board.next_deadline(), Some(until.moved(by)));
    }
}

#[test]
fn how_long_a_task_is_in_its_state_does_not_shrink_with_a_clock_that_was_set_back() {
    const BY: i64 = 300_000;
    let mut fixture = BoardFixture::developing("a");
    fixture.planned(draft("over", "kanban"));
    fixture
        .ask(Command::Close("over".into(), "no".to_owned()))
        .unwrap();
    let (open, over) = (fixture.task("a").since, fixture.task("over").since);
    for (by, since) in [(BY, open), (-BY, open.moved(-BY))] {
        fixture.now = fixture.now.moved(by);
        fixture.happen(Event::ClockJumped { by });
        assert_eq!(fixture.task("a").since, since, "{by}");
        assert_eq!(
            fixture.task("over").since,
            over,
            "the closing time does not move: {by}"
        );
    }
}

#[test]
fn an_action_that_was_being_stopped_is_over_after_a_start_and_the_oldest_attempt_is_forgotten() {
    let mut fixture = BoardFixture::standing("a", "merging");
    let merge = fixture.open("a");
    fixture.act(merge, ActionOutcome::Failed("conflict".to_owned()));
    let integrator = fixture.open("a");
    fixture.live(integrator, SignalKind::Done, "");
    fixture.verify(integrator, &[]);
    fixture.settled(integrator);
    let oldest = *fixture.board.attempts.keys().next().unwrap();
    fixture
        .ask(Command::Park("a".into(), "later".to_owned()))
        .unwrap();
    assert!(fixture.board.attempts.contains_key(&oldest));
    fixture.happen(Event::Woke(Inventory::default()));
    assert!(
        !fixture.board.attempts.contains_key(&oldest),
        "only the last three attempts are kept"
    );
}

#[test]
fn that_the_server_was_lost_is_one_line_with_the_agents_that_went_on() {
    let mut fixture = BoardFixture::developing("a");
    let first = fixture.open("a");
    fixture.start(first);
    let woke = |running: Vec<AttemptId>, server_was_lost: bool| {
        Event::Woke(Inventory {
            running: running.into_iter().collect(),
            server_was_lost,
            ..Inventory::default()
        })
    };
    fixture.happen(woke(vec![first], false));
    assert!(
        !fixture.notice_kinds().contains(&"server"),
        "a stop by a person is not a lost server"
    );
    fixture.happen(woke(vec![first], true));
    let text = "the server ended without warning and was started again; 1 agent went on";
    assert_eq!(fixture.notice_texts("server"), [text]);
    fixture.happen(woke(Vec::new(), true));
    let text = "the server ended without warning and was started again";
    assert!(fixture.notice_texts("server").contains(&text));
}
