//! Interrupted agents that continue their session: in their workspace, once, and never beside the earlier process.

use dbs::domain::attempt::WorkspaceState;
use dbs::domain::event::EndCause;
use dbs::domain::task::HoldReason;
use dbs::domain::{
    AgentDisplay, AgentLayers, AgentSettings, AttemptId, AttemptState, BoardSettings, Command, Cost, Event,
    FailureClass, Inventory, ProcessExit, ResumeRoles, SignalKind, Span, StopCause, TaskPatch, TaskState,
    Usage, Verdict, Workplace,
};

use crate::fixture::{BoardFixture, draft, settings};

/// Returns settings in which the agents of all roles continue their sessions.
fn resuming() -> BoardSettings {
    BoardSettings {
        resume: ResumeRoles {
            others: true,
            ..ResumeRoles::default()
        },
        ..settings()
    }
}

/// Returns a board on which a developer with a session is at work.
fn working() -> (BoardFixture, AttemptId) {
    let mut fixture = BoardFixture::with(resuming());
    fixture.released(draft("a", "kanban"));
    let first = fixture.open("a");
    fixture.start(first);
    (fixture, first)
}

fn crashes(fixture: &BoardFixture) -> u32 {
    let of_stage = fixture.task("a").failures.get(&"development".into());
    let times = of_stage.and_then(|classes| classes.get(&FailureClass::Crash));
    times.copied().unwrap_or_default()
}

/// Returns the attempt that the open one continues, and the attempt that began the session.
fn goes_on(fixture: &BoardFixture) -> Option<(AttemptId, AttemptId)> {
    let attempt = fixture.attempt(fixture.open("a"));
    let of = attempt.session.continuation()?;
    Some((of.after, of.origin.attempt))
}

fn made(fixture: &mut BoardFixture, attempt: AttemptId) {
    fixture.happen(Event::WorkplaceMade {
        attempt,
        workplace: Workplace {
            path: "trees/1".to_owned(),
            branch: None,
            start: None,
            start_tree: None,
            git_overrides: None,
        },
        kept: Vec::new(),
        gates_before: Vec::new(),
    });
}

fn machine_stops(fixture: &mut BoardFixture, attempts: &[AttemptId]) {
    let all = attempts.iter();
    fixture.happen(Event::Woke(Inventory {
        ended: all
            .map(|id| (*id, (ProcessExit::MachineStopped, String::new())))
            .collect(),
        ..Inventory::default()
    }));
}

/// Wakes a server after one that was lost; it finds these agents ended and those running.
fn server_was_lost(fixture: &mut BoardFixture, ended: &[(AttemptId, ProcessExit)], running: &[AttemptId]) {
    let ended = ended.iter();
    fixture.happen(Event::Woke(Inventory {
        ended: ended
            .map(|(id, exit)| (*id, (exit.clone(), String::new())))
            .collect(),
        running: running.iter().copied().collect(),
        server_was_lost: true,
        ..Inventory::default()
    }));
}

#[test]
fn an_end_of_the_server_and_of_every_agent_at_once_is_no_crash() {
    for exit in [
        ProcessExit::Vanished,
        ProcessExit::Signal(9),
        ProcessExit::Signal(15),
    ] {
        let (mut fixture, first) = working();
        server_was_lost(&mut fixture, &[(first, exit)], &[]);
        assert_eq!(crashes(&fixture), 0);
        assert_eq!(fixture.attempt(first).workspace, WorkspaceState::Kept);
        assert_eq!(fixture.word("a"), "active");
        assert!(fixture.comments("a").contains("as at a logout"));
    }
    let (mut fixture, first) = working();
    server_was_lost(&mut fixture, &[(first, ProcessExit::Code(1))], &[]);
    assert_eq!(crashes(&fixture), 1, "the agent exited by itself");
    let (mut fixture, first) = working();
    server_was_lost(&mut fixture, &[(first, ProcessExit::Vanished)], &[AttemptId(99)]);
    assert_eq!(crashes(&fixture), 1, "another agent survived, so this is a crash");
}

#[test]
fn logouts_without_an_end_are_for_a_person() {
    let (mut fixture, mut agent) = working();
    for _ in 0..4 {
        server_was_lost(&mut fixture, &[(agent, ProcessExit::Vanished)], &[]);
        agent = fixture.open("a");
        fixture.start(agent);
    }
    server_was_lost(&mut fixture, &[(agent, ProcessExit::Vanished)], &[]);
    assert_eq!(fixture.word("a"), "held");
}

#[test]
fn an_agent_that_is_killed_goes_on_in_its_workspace_under_its_name() {
    let (mut fixture, first) = working();
    fixture.end_with(first, ProcessExit::Signal(9), None);
    assert_eq!(fixture.attempt(first).workspace, WorkspaceState::Kept);
    assert_eq!(fixture.effect_keys(), Vec::<String>::new(), "nothing is put away");
    assert_eq!(crashes(&fixture), 1, "the kill still counts as a crash");
    fixture.wait_until_due();
    let second = fixture.open("a");
    assert_eq!(goes_on(&fixture), Some((first, first)));
    assert_eq!(fixture.attempt(second).worker, fixture.attempt(first).worker);
    assert!(fixture.notice_kinds().contains(&"continued"));
    assert_eq!(
        fixture.attempt(first).workspace,
        WorkspaceState::Kept,
        "the workspace is kept until it is taken over"
    );
    made(&mut fixture, second);
    assert_eq!(fixture.attempt(first).workspace, WorkspaceState::Gone);
    assert_eq!(fixture.attempt(second).workspace, WorkspaceState::Present);
    assert_eq!(fixture.task("a").continues, None);
    fixture.live(second, SignalKind::Done, "");
    fixture.verify(second, &[]);
    assert_eq!(fixture.effect_keys().first(), Some(&format!("settle/{second}")));
}

#[test]
fn an_agent_whose_holder_is_gone_and_one_that_a_signal_ended_go_on_too() {
    for exit in [
        ProcessExit::Vanished,
        ProcessExit::Code(143),
        ProcessExit::SessionStopped,
    ] {
        let (mut fixture, first) = working();
        fixture.end_with(first, exit.clone(), None);
        if fixture.word("a") != "active" {
            fixture.wait_until_due();
        }
        assert_eq!(goes_on(&fixture), Some((first, first)), "{exit:?}");
    }
}

#[test]
fn an_agent_that_ends_by_itself_or_for_a_cause_begins_afresh() {
    let limit = EndCause::Infra("login".into());
    for (exit, cause) in [
        (ProcessExit::Code(0), None),
        (ProcessExit::Code(1), None),
        (ProcessExit::Signal(9), Some(limit)),
    ] {
        let (mut fixture, first) = working();
        fixture.end_with(first, exit, cause);
        assert_eq!(fixture.effect_keys(), [format!("settle/{first}")]);
        fixture.wait_until_due();
        assert_eq!(goes_on(&fixture), None);
    }
}

#[test]
fn where_a_role_does_not_go_on_its_agents_begin_afresh() {
    let (mut fixture, first) = working();
    let mut settings = resuming();
    settings.resume.by_role.insert("developer".into(), false);
    fixture.happen(Event::configured(settings));
    machine_stops(&mut fixture, &[first]);
    assert_eq!(goes_on(&fixture), None);
    assert_eq!(fixture.attempt(first).workspace, WorkspaceState::Leaving);
}

#[test]
fn after_a_restart_of_the_machine_a_session_goes_on_again_and_again_and_costs_nothing() {
    let (mut fixture, first) = working();
    let mut last = first;
    for _ in 0..3 {
        machine_stops(&mut fixture, &[last]);
        assert_eq!(goes_on(&fixture), Some((last, first)));
        last = fixture.open("a");
        fixture.start(last);
    }
    assert_eq!(fixture.task("a").spawns, 1, "only the attempt at work counts");
    assert_eq!(crashes(&fixture), 0);
}

#[test]
fn a_session_that_was_killed_twice_is_not_continued_again() {
    let (mut fixture, first) = working();
    fixture.end_with(first, ProcessExit::Signal(9), None);
    fixture.wait_until_due();
    let second = fixture.open("a");
    fixture.start(second);
    fixture.end_with(second, ProcessExit::Signal(9), None);
    assert_eq!(fixture.effect_keys(), [format!("settle/{second}")]);
    fixture.wait_until_due();
    assert_eq!(goes_on(&fixture), None);
    assert_eq!(crashes(&fixture), 2);
}

#[test]
fn a_session_that_is_not_there_is_given_up_once_and_costs_nothing() {
    let (mut fixture, first) = working();
    machine_stops(&mut fixture, &[first]);
    let second = fixture.open("a");
    fixture.happen(Event::SessionLost {
        attempt: second,
        why: "no file".to_owned(),
    });
    assert!(fixture.effect_keys().contains(&format!("settle/{first}")));
    assert_eq!(fixture.word("a"), "active", "the next attempt begins at once");
    assert_eq!(goes_on(&fixture), None);
    assert!(fixture.comments("a").contains("no file"));
    assert!(fixture.notice_kinds().contains(&"session"));
    assert_eq!(
        fixture.attempt(second).state,
        AttemptState::Settled(Verdict::Stopped(StopCause::Interrupted))
    );
    assert_eq!(fixture.task("a").spawns, 1);
    assert!(fixture.task("a").failures.is_empty());
}

#[test]
fn an_agent_that_ends_at_once_and_says_nothing_could_not_go_on() {
    let (mut fixture, first) = working();
    fixture.end_with(first, ProcessExit::Vanished, None);
    fixture.wait_until_due();
    let second = fixture.open("a");
    fixture.start(second);
    fixture.wait(Span::seconds(3));
    fixture.end_with(second, ProcessExit::Code(1), None);
    assert!(fixture.effect_keys().contains(&format!("settle/{second}")));
    assert_eq!(goes_on(&fixture), None);
    assert_eq!(crashes(&fixture), 1, "only the first end counts");
    assert!(fixture.comments("a").contains("last line"));
}

#[test]
fn an_agent_that_went_on_for_a_while_or_reported_has_gone_on() {
    for has_claimed in [false, true] {
        let (mut fixture, first) = working();
        fixture.end_with(first, ProcessExit::Vanished, None);
        fixture.wait_until_due();
        let second = fixture.open("a");
        fixture.start(second);
        if has_claimed {
            fixture.say(second, SignalKind::Claim, "");
        } else {
            fixture.wait(Span::seconds(60));
        }
        fixture.end_with(second, ProcessExit::Code(1), None);
        assert_eq!(crashes(&fixture), 2);
    }
}

#[test]
fn what_was_kept_is_put_away_when_the_task_does_not_go_on_there() {
    let moves = [
        Command::Park("a".into(), "later".to_owned()),
        Command::Close("a".into(), "not wanted".to_owned()),
        Command::Withdraw("a".into()),
        Command::Skip("a".into()),
    ];
    for command in moves {
        let (mut fixture, first) = working();
        fixture.end_with(first, ProcessExit::Signal(9), None);
        fixture.ask(command.clone()).unwrap();
        assert_eq!(
            fixture.attempt(first).workspace,
            WorkspaceState::Leaving,
            "{command:?}"
        );
        assert_eq!(fixture.task("a").continues, None);
        assert!(fixture.effect_keys().contains(&format!("settle/{first}")));
    }
}

#[test]
fn a_task_that_begins_anew_does_not_go_on_with_a_session() {
    let (mut fixture, first) = working();
    fixture.end_with(first, ProcessExit::Signal(9), None);
    assert_eq!(fixture.task("a").continues, Some(first));
    let patch = TaskPatch {
        begins_anew: Some(true),
        ..TaskPatch::default()
    };
    fixture.ask(Command::Update("a".into(), patch)).unwrap();
    assert_eq!(fixture.task("a").continues, None);
    assert!(fixture.effect_keys().contains(&format!("settle/{first}")));
    fixture.settled(first);
    fixture.wait_until_due();
    assert_eq!(goes_on(&fixture), None);
}

#[test]
fn a_start_that_fails_leaves_the_session_to_the_next_one() {
    let (mut fixture, first) = working();
    machine_stops(&mut fixture, &[first]);
    let second = fixture.open("a");
    fixture.happen(Event::AttemptNotStarted {
        attempt: second,
        why: "no room on the disk".into(),
    });
    assert_eq!(fixture.attempt(first).workspace, WorkspaceState::Kept);
    fixture.wait_until_due();
    assert_eq!(goes_on(&fixture), Some((first, first)));
}

#[test]
fn agents_that_were_interrupted_together_are_started_one_after_another() {
    let mut fixture = BoardFixture::with(BoardSettings {
        max_agents: 20,
        ..resuming()
    });
    let names: Vec<String> = (0..20).map(|n| format!("t{n}")).collect();
    for name in &names {
        fixture.released(draft(name, "kanban"));
    }
    let mut all = Vec::new();
    for name in &names {
        while fixture.task(name).open_attempt.is_none() {
            fixture.happen(Event::Ticked);
        }
        let attempt = fixture.open(name);
        fixture.start(attempt);
        all.push(attempt);
    }
    machine_stops(&mut fixture, &all);
    let began = fixture.now;
    let at_work = |fixture: &BoardFixture| names.iter().filter(|name| fixture.word(name) == "active").count();
    let mut most = at_work(&fixture);
    assert_eq!(most, 2);
    while at_work(&fixture) < names.len() {
        let (before, at) = (at_work(&fixture), fixture.now);
        fixture.wait_until_due();
        // Turns that begin at the same time count together.
        let now = at_work(&fixture) - before;
        most = most.max(if fixture.now == at { most + now } else { now });
    }
    assert_eq!(most, 2, "no more than one turn may start");
    assert_eq!(fixture.now.since(began), Span::seconds(9));
}

#[test]
fn what_a_session_had_used_before_is_counted_once_whether_its_tool_kept_the_totals_or_lost_them() {
    let cents = |cents: u64| Usage {
        cost: Some(Cost(cents * 10_000)),
        ..Usage::default()
    };
    for (totals, own) in [([30, 50], 20), ([0, 20], 20)] {
        let (mut fixture, first) = working();
        let report = |fixture: &mut BoardFixture, attempt, usage| {
            fixture.happen(Event::UsageReported {
                attempt,
                usage,
                context: None,
            });
        };
        report(&mut fixture, first, cents(30));
        fixture.end_with(first, ProcessExit::Signal(9), None);
        fixture.wait_until_due();
        let second = fixture.open("a");
        made(&mut fixture, second);
        for total in totals {
            report(&mut fixture, second, cents(total));
        }
        assert_eq!(fixture.attempt(second).usage.own(), cents(own), "{totals:?}");
        assert_eq!(fixture.task("a").spent(), Cost((30 + own) * 10_000), "{totals:?}");
    }
}

/// Returns a board on which a developer is at work whose tool can run with or without its interface.
fn working_either_way() -> (BoardFixture, AttemptId) {
    let mut rules = resuming();
    rules.agents = AgentLayers {
        others: AgentSettings {
            agent: Some("claude".to_owned()),
            display: Some(AgentDisplay::Headless),
            ..AgentSettings::default()
        },
        both_ways: ["claude".to_owned(), "codex".to_owned()].into(),
        ..AgentLayers::default()
    };
    let mut fixture = BoardFixture::with(rules);
    fixture.released(draft("a", "kanban"));
    let first = fixture.open("a");
    fixture.start(first);
    (fixture, first)
}

#[test]
fn an_agent_that_is_to_work_the_other_way_goes_on_with_its_session_and_that_costs_nothing() {
    let (mut fixture, first) = working_either_way();
    fixture.ask(Command::SetMode("a".into(), None)).unwrap();
    assert_eq!(
        fixture.attempt(first).state,
        AttemptState::Stopping(StopCause::Mode)
    );
    fixture.end_with(first, ProcessExit::Signal(15), None);
    let second = fixture.open("a");
    assert_eq!(goes_on(&fixture), Some((first, first)));
    assert_eq!(
        fixture.attempt(second).choice.display(),
        Some(AgentDisplay::Visible)
    );
    assert_eq!(
        (crashes(&fixture), fixture.task("a").spawns),
        (0, 1),
        "neither a crash nor a try is counted"
    );
    made(&mut fixture, second);
    fixture.start(second);
    fixture.ask(Command::SetMode("a".into(), None)).unwrap();
    fixture.end_with(second, ProcessExit::Signal(15), None);
    assert_eq!(goes_on(&fixture), Some((second, first)));
    let third = fixture.open("a");
    assert_eq!(
        fixture.attempt(third).choice.display(),
        Some(AgentDisplay::Headless)
    );
}

#[test]
fn an_agent_whose_tool_has_one_way_or_keeps_no_session_is_not_stopped_for_the_other() {
    for (has_both, resumes) in [(false, true), (true, false)] {
        let mut rules = resuming();
        rules.resume.others = resumes;
        rules.agents.others.agent = Some("claude".to_owned());
        if has_both {
            rules.agents.both_ways.insert("claude".to_owned());
        }
        let mut fixture = BoardFixture::with(rules);
        fixture.released(draft("a", "kanban"));
        let first = fixture.open("a");
        fixture.start(first);
        assert!(fixture.ask(Command::SetMode("a".into(), None)).is_err());
        assert_eq!(fixture.attempt(first).state, AttemptState::Running);
        assert_eq!(fixture.task("a").agent.display, None);
    }
}

#[test]
fn an_agent_of_another_kind_begins_a_session_of_its_own() {
    let (mut fixture, first) = working_either_way();
    let mut rules = resuming();
    let says = |agent: &str| AgentSettings {
        agent: Some(agent.to_owned()),
        ..AgentSettings::default()
    };
    rules.agents.others = says("claude");
    rules.agents.by_stage = [("development".into(), says("codex"))].into();
    fixture.happen(Event::configured(rules));
    assert_eq!(fixture.attempt(first).choice.agent(), Some("claude"));
    fixture.end_with(first, ProcessExit::Signal(9), None);
    fixture.wait_until_due();
    let second = fixture.open("a");
    assert_eq!(fixture.attempt(second).choice.agent(), Some("codex"));
    assert_eq!(goes_on(&fixture), None);
}

#[test]
fn a_tool_that_a_person_ended_is_a_question_and_no_crash() {
    for is_anew in [false, true] {
        let (mut fixture, first) = working();
        fixture.end_with(first, ProcessExit::Code(0), Some(EndCause::Left));
        assert_eq!(fixture.task("a").state, TaskState::Held(HoldReason::Left));
        assert_eq!(crashes(&fixture), 0);
        let stage = is_anew.then(|| fixture.task("a").stage.clone());
        let note = None;
        fixture
            .ask(Command::Retry {
                task: "a".into(),
                stage,
                note,
            })
            .unwrap();
        assert_eq!(goes_on(&fixture).is_none(), is_anew);
        let is_kept = fixture.attempt(first).workspace == WorkspaceState::Kept;
        assert_eq!(is_kept, !is_anew);
    }
}
