//! Scheduling: what starts when, and the reasons why everything else waits (K3, K8, K36, K37, K41–K48).

use dbs::domain::task::{GateCommand, HoldReason, TaskKind};
use dbs::domain::{
    AgentLayers, AgentSettings, AttemptId, BatchPatch, BoardSettings, Command, Event, FaultReach,
    ProcessExit, RunOptions, SettingFault, SignalKind, Span, TaskDraft, TaskState, UntrustedFiles,
    WaitReason, Worker,
};

use crate::fixture::{BoardFixture, draft, settings, workflows};

fn why_not(fixture: &BoardFixture, id: &str) -> WaitReason {
    fixture
        .task(id)
        .why_not
        .clone()
        .unwrap_or_else(|| panic!("{id} has no reason"))
}

fn started_by(fixture: &BoardFixture, id: &str) -> AttemptId {
    fixture.open(id)
}

fn roomy() -> BoardSettings {
    BoardSettings {
        max_starts: 100,
        max_agents: 100,
        ..settings()
    }
}

#[test]
fn work_closest_to_completion_gets_agents_first_across_workflows() {
    let mut fixture = BoardFixture::with(BoardSettings {
        max_starts: 1,
        ..settings()
    });
    fixture.ask(Command::Pause).unwrap();
    let places = [
        ("dev", "kanban", "development"),
        ("inv", "investigation", "investigating"),
        ("cons", "investigation", "consolidating"),
        ("rev", "kanban", "reviewing"),
        ("sec", "kanban", "security_review"),
        ("acc", "kanban", "acceptance"),
    ];
    for (id, flow, stage) in places {
        let mut draft = draft(id, flow);
        draft.stage = Some(stage.into());
        fixture.released(draft);
    }
    fixture.ask(Command::Resume).unwrap();
    for _ in 0..5 {
        fixture.wait_until_due();
    }
    let mut order: Vec<(AttemptId, &str)> = places
        .iter()
        .map(|(id, ..)| (started_by(&fixture, id), *id))
        .collect();
    order.sort();
    let order: Vec<&str> = order.into_iter().map(|(_, id)| id).collect();
    assert_eq!(order, ["acc", "sec", "rev", "cons", "inv", "dev"]);
}

#[test]
fn within_a_stage_the_priority_tag_then_bugs_then_the_number_then_age_decide() {
    let mut fixture = BoardFixture::with(BoardSettings {
        max_starts: 1,
        ..settings()
    });
    fixture.ask(Command::Pause).unwrap();
    let mut first = draft("old", "kanban");
    first.priority = 2;
    fixture.released(first);
    fixture.wait(Span::seconds(1));
    fixture.released(draft("young", "kanban"));
    let mut number = draft("number", "kanban");
    number.priority = 1;
    fixture.released(number);
    let mut bug = draft("bug", "kanban");
    bug.kind = TaskKind::Bug;
    fixture.released(bug);
    let mut urgent = draft("urgent", "kanban");
    urgent.tags = ["priority".to_owned()].into();
    urgent.priority = 4;
    fixture.released(urgent);
    fixture.ask(Command::Resume).unwrap();
    for _ in 0..4 {
        fixture.wait_until_due();
    }
    let mut order: Vec<(AttemptId, &str)> = ["old", "young", "number", "bug", "urgent"]
        .map(|id| (started_by(&fixture, id), id))
        .to_vec();
    order.sort();
    let order: Vec<&str> = order.into_iter().map(|(_, id)| id).collect();
    assert_eq!(order, ["urgent", "bug", "number", "old", "young"]);
}

#[test]
fn tasks_of_equal_priority_that_were_made_together_start_in_the_order_they_were_given() {
    let mut fixture = BoardFixture::with(roomy());
    let given = ["zeta", "mid", "alpha", "omega"];
    let drafts = given.map(|id| draft(id, "kanban"));
    fixture.ask(Command::CreateAll(drafts.into())).unwrap();
    let backwards = ["omega", "alpha", "mid", "zeta"].map(Into::into);
    fixture.ask(Command::Release(backwards.into())).unwrap();
    let mut started = given.map(|id| (started_by(&fixture, id), id));
    started.sort();
    assert_eq!(started.map(|(_, id)| id), given);
}

#[test]
fn at_most_two_agents_start_in_a_turn_and_the_rest_follows_at_once() {
    let mut fixture = BoardFixture::new();
    for id in ["a", "b", "c", "d", "e"] {
        fixture.planned(draft(id, "kanban"));
    }
    fixture
        .ask(Command::Release(
            ["a", "b", "c", "d", "e"].map(Into::into).to_vec(),
        ))
        .unwrap();
    assert_eq!(fixture.effect_keys(), ["start/1", "start/2"]);
    assert_eq!(why_not(&fixture, "c"), WaitReason::TurnLimit);
    assert!(fixture.board.next_deadline().unwrap() <= fixture.now);
    fixture.wait_until_due();
    assert_eq!(fixture.effect_keys(), ["start/3", "start/4"]);
    fixture.wait_until_due();
    assert_eq!(fixture.effect_keys(), ["start/5"]);
    assert!(
        fixture.board.next_deadline().unwrap() > fixture.now,
        "no task waits for a turn"
    );
}

#[test]
fn a_task_waits_for_its_dependencies_and_is_told_when_they_are_done() {
    let mut fixture = BoardFixture::with(roomy());
    fixture.released(draft("a", "investigation"));
    let mut second = draft("b", "kanban");
    second.deps = ["a".into()].into();
    fixture.released(second);
    assert_eq!(why_not(&fixture, "b"), WaitReason::Dependencies(vec!["a".into()]));
    fixture.pass("a");
    assert_eq!(fixture.word("b"), "active");
    assert_eq!(fixture.task("b").why_not, None);
}

#[test]
fn becoming_free_is_told_as_an_event() {
    let mut fixture = BoardFixture::with(roomy());
    fixture.released(draft("a", "investigation"));
    let mut second = draft("b", "kanban");
    second.deps = ["a".into()].into();
    fixture.released(second);
    let open = fixture.open("a");
    fixture.live(open, SignalKind::Done, "");
    fixture.verify(open, &[]);
    assert!(
        fixture.notice_kinds().contains(&"unblock"),
        "{:?}",
        fixture.notice_kinds()
    );
}

#[test]
fn an_unknown_dependency_is_unresolved_and_visible() {
    let mut fixture = BoardFixture::with(roomy());
    fixture.planned(draft("a", "kanban"));
    let mut task = fixture.task("a").clone();
    task.deps = ["ghost".into()].into();
    fixture.board.tasks.insert("a".into(), std::sync::Arc::new(task));
    fixture.ask(Command::Release(vec!["a".into()])).unwrap();
    assert_eq!(
        why_not(&fixture, "a"),
        WaitReason::UnknownDependency("ghost".into())
    );
    assert!(fixture.notice_kinds().contains(&"hold"));
}

#[test]
fn a_task_in_cooldown_says_until_when() {
    let mut fixture = BoardFixture::standing("a", "reviewing");
    let reviewer = fixture.open("a");
    fixture.live(reviewer, SignalKind::Reject, "no");
    let until = fixture.now + Span::seconds(60);
    assert_eq!(why_not(&fixture, "a"), WaitReason::Until(until));
    assert_eq!(fixture.board.next_deadline(), Some(until));
}

#[test]
fn a_task_that_used_up_its_attempts_is_held() {
    let mut flows = workflows();
    for flow in &mut flows {
        flow.limits.by_class.clear();
    }
    let mut fixture = BoardFixture::new();
    fixture.happen(Event::WorkflowsLoaded(flows));
    fixture.released(draft("a", "kanban"));
    for _ in 0..20 {
        let open = fixture.open("a");
        fixture.start(open);
        fixture.end_with(open, ProcessExit::Code(1), None);
        fixture.settled(open);
        if fixture.board.next_deadline().is_some() {
            fixture.wait_until_due();
        }
    }
    assert_eq!(
        fixture.task("a").state,
        TaskState::Held(HoldReason::TooManyAttempts(20))
    );
    fixture
        .ask(Command::Retry {
            task: "a".into(),
            stage: None,
            note: None,
        })
        .unwrap();
    assert_eq!(fixture.word("a"), "active");
}

#[test]
fn the_tester_waits_until_every_dependencys_head_is_merged() {
    let mut fixture = BoardFixture::with(roomy());
    fixture.released(draft("a", "kanban"));
    let mut acceptance = draft("acc", "kanban");
    acceptance.stage = Some("acceptance".into());
    acceptance.deps = ["a".into()].into();
    fixture.released(acceptance);
    for _ in 0..3 {
        fixture.pass("a");
    }
    assert_eq!(fixture.word("a"), "done");
    assert_eq!(fixture.word("acc"), "active");
    // A dependency with a recorded head that is not merged holds the tester.
    let mut other = BoardFixture::with(roomy());
    other.released(draft("s", "stories"));
    for _ in 0..3 {
        other.pass("s");
    }
    let mut acceptance = draft("acc", "kanban");
    acceptance.stage = Some("acceptance".into());
    acceptance.deps = ["s".into()].into();
    other.released(acceptance);
    assert_eq!(
        why_not(&other, "acc"),
        WaitReason::DependencyNotMerged(vec!["s".into()])
    );
}

#[test]
fn merges_into_one_base_are_done_one_at_a_time() {
    let mut fixture = BoardFixture::with(roomy());
    for id in ["a", "b"] {
        fixture.released(draft(id, "kanban"));
    }
    for id in ["a", "b", "a", "b"] {
        fixture.pass(id);
    }
    assert_eq!((fixture.stage("a"), fixture.word("a")), ("merging", "active"));
    let busy = fixture.open("a");
    assert_eq!(why_not(&fixture, "b"), WaitReason::SingletonBusy(busy));
    fixture.pass("a");
    assert_eq!((fixture.stage("b"), fixture.word("b")), ("merging", "active"));
}

#[test]
fn a_merge_whose_workflow_is_not_loaded_for_a_while_keeps_its_place() {
    let mut fixture = BoardFixture::with(roomy());
    fixture.released(draft("a", "kanban"));
    fixture.released(draft("b", "phased"));
    for id in ["a", "a"] {
        fixture.pass(id);
    }
    assert_eq!((fixture.stage("a"), fixture.word("a")), ("merging", "active"));
    let mut flows = workflows();
    flows.retain(|flow| flow.id.as_str() == "phased");
    fixture.happen(Event::WorkflowsLoaded(flows));
    fixture.pass("b");
    assert_eq!((fixture.stage("b"), fixture.word("b")), ("merging", "released"));
    fixture.happen(Event::WorkflowsLoaded(workflows()));
    assert_eq!(
        why_not(&fixture, "b"),
        WaitReason::SingletonBusy(fixture.open("a"))
    );
    fixture.pass("a");
    assert_eq!(fixture.word("b"), "active");
}

#[test]
fn merges_into_two_bases_do_not_wait_for_each_other() {
    let mut fixture = BoardFixture::with(roomy());
    fixture
        .ask(Command::PutBatch {
            id: "other".into(),
            title: "Other".to_owned(),
            goal: String::new(),
            base: Some("feature/other".to_owned()),
            options: RunOptions::default(),
        })
        .unwrap();
    fixture.released(draft("a", "kanban"));
    let mut second = draft("b", "kanban");
    second.batch = "other".into();
    fixture.released(second);
    for id in ["a", "b", "a", "b"] {
        fixture.pass(id);
    }
    assert_eq!((fixture.word("a"), fixture.word("b")), ("active", "active"));
    assert_eq!((fixture.stage("a"), fixture.stage("b")), ("merging", "merging"));
}

#[test]
fn no_more_agents_than_allowed_are_alive_and_engine_actions_take_no_place() {
    let mut fixture = BoardFixture::with(BoardSettings {
        max_agents: 2,
        max_starts: 10,
        ..settings()
    });
    for id in ["a", "b", "c"] {
        fixture.released(draft(id, "kanban"));
    }
    assert_eq!(why_not(&fixture, "c"), WaitReason::NoRoom { running: 2, most: 2 });
    fixture.pass("a");
    fixture.pass("a");
    assert_eq!(fixture.stage("a"), "merging");
    assert_eq!(fixture.word("a"), "active");
    assert_eq!(fixture.word("c"), "active");
}

#[test]
fn a_batch_has_no_more_agents_at_work_than_it_is_allowed_and_others_go_on() {
    let at_once = |most| Command::ChangeBatch {
        id: "plan".into(),
        is_new: false,
        change: BatchPatch {
            options: RunOptions {
                at_once: Some(most),
                ..RunOptions::default()
            },
            ..BatchPatch::default()
        },
    };
    let full = |running, most| WaitReason::BatchFull { running, most };
    let mut fixture = BoardFixture::with(roomy());
    fixture.ask(Command::Pause).unwrap();
    for (id, batch) in [
        ("a", "plan"),
        ("b", "plan"),
        ("c", "plan"),
        ("d", "plan"),
        ("x", "other"),
    ] {
        let mut draft = draft(id, "phased");
        draft.batch = batch.into();
        fixture.released(draft);
    }
    fixture.ask(at_once(1)).unwrap();
    fixture.ask(Command::Resume).unwrap();
    let words = |fixture: &BoardFixture| ["a", "b", "c", "d", "x"].map(|id| fixture.word(id).to_owned());
    assert_eq!(
        words(&fixture),
        ["active", "released", "released", "released", "active"]
    );
    assert_eq!(why_not(&fixture, "b"), full(1, 1));
    // A changed limit takes effect, and stays when other options change.
    fixture.ask(at_once(2)).unwrap();
    assert_eq!(
        (fixture.word("b"), why_not(&fixture, "c")),
        ("active", full(2, 2))
    );
    fixture.pass("a");
    assert_eq!(fixture.stage("a"), "merging");
    assert_eq!(
        fixture.word("a"),
        "active",
        "the engine's merge takes no place of the batch"
    );
    assert_eq!(
        (fixture.word("c"), why_not(&fixture, "d")),
        ("active", full(2, 2))
    );
    // A lower limit stops no agent at work, but no further one starts.
    fixture.ask(at_once(1)).unwrap();
    fixture.pass("b");
    assert_eq!(why_not(&fixture, "d"), full(1, 1));
    fixture.pass("c");
    assert_eq!(fixture.word("d"), "active");
}

#[test]
fn nothing_starts_before_the_projects_files_are_trusted_and_everything_afterwards() {
    let untrusted = |holds| {
        Some(UntrustedFiles {
            text: "gates.check".to_owned(),
            holds,
        })
    };
    let with = |untrusted| BoardSettings {
        untrusted,
        ..settings()
    };
    let mut fixture = BoardFixture::with(with(untrusted(true)));
    fixture.released(draft("a", "kanban"));
    assert_eq!(why_not(&fixture, "a"), WaitReason::Untrusted);
    fixture.happen(Event::configured(with(untrusted(false))));
    assert_eq!(fixture.word("a"), "active", "the waiting task starts");
    fixture.happen(Event::configured(with(untrusted(true))));
    fixture.released(draft("b", "kanban"));
    fixture.happen(Event::configured(with(None)));
    assert_eq!(fixture.word("b"), "active");
}

#[test]
fn the_place_of_an_agent_being_verified_goes_to_the_next_stage_and_not_to_new_work() {
    let mut fixture = BoardFixture::with(BoardSettings {
        max_agents: 1,
        ..settings()
    });
    fixture.released(draft("a", "kanban"));
    fixture.released(draft("b", "kanban"));
    fixture.pass("a");
    assert_eq!((fixture.stage("a"), fixture.word("a")), ("reviewing", "active"));
    assert_eq!(fixture.word("b"), "released");
}

#[test]
fn an_agent_being_stopped_still_takes_its_place() {
    let mut fixture = BoardFixture::with(BoardSettings {
        max_agents: 1,
        ..settings()
    });
    fixture.released(draft("a", "kanban"));
    fixture.released(draft("b", "kanban"));
    let first = fixture.open("a");
    fixture.start(first);
    fixture
        .ask(Command::Park("a".into(), "later".to_owned()))
        .unwrap();
    assert_eq!(fixture.word("b"), "released");
    fixture.end(first);
    assert_eq!(fixture.word("b"), "active");
}

#[test]
fn a_role_may_have_a_limit_of_its_own() {
    let mut fixture = BoardFixture::with(BoardSettings {
        max_by_role: [("developer".into(), 1)].into(),
        ..roomy()
    });
    fixture.released(draft("a", "kanban"));
    fixture.released(draft("b", "kanban"));
    fixture.released(draft("c", "investigation"));
    assert_eq!(why_not(&fixture, "b"), WaitReason::NoRoom { running: 1, most: 1 });
    assert_eq!(fixture.word("c"), "active");
}

#[test]
fn a_task_has_at_most_one_open_attempt() {
    let mut fixture = BoardFixture::developing("a");
    for _ in 0..5 {
        fixture.wait(Span::seconds(1));
    }
    assert_eq!(fixture.board.attempts.len(), 1);
}

#[test]
fn without_a_base_branch_only_investigators_start() {
    let mut fixture = BoardFixture::with(BoardSettings {
        base: None,
        ..roomy()
    });
    fixture.released(draft("a", "kanban"));
    fixture.released(draft("b", "investigation"));
    assert_eq!(why_not(&fixture, "a"), WaitReason::NoBase);
    assert_eq!(fixture.word("b"), "active");
    fixture.happen(Event::configured(roomy()));
    assert_eq!(fixture.word("a"), "active");
}

/// Returns a task that begins at the stage in which all gates must pass.
fn acceptance(id: &str) -> TaskDraft {
    TaskDraft {
        stage: Some("acceptance".into()),
        ..draft(id, "kanban")
    }
}

#[test]
fn a_stage_that_demands_gates_starts_no_agent_before_there_is_a_gate() {
    let mut fixture = BoardFixture::with(BoardSettings {
        gates: Vec::new(),
        ..roomy()
    });
    fixture.planned(acceptance("a"));
    fixture.planned(draft("b", "kanban"));
    let ids = vec!["a".into(), "b".into()];
    let said = fixture.ask(Command::Release(ids)).unwrap();
    let sentence = "no gate command is configured; set one with dbs config gates.NAME COMMAND";
    assert_eq!(said, format!("released a, b; a waits: {sentence}"));
    assert_eq!(why_not(&fixture, "a").to_string(), sentence);
    assert_eq!(fixture.task("a").spawns, 0);
    assert_eq!(fixture.word("b"), "active", "optional gates hold no task");
    fixture.happen(Event::configured(roomy()));
    assert_eq!(fixture.word("a"), "active");
}

#[test]
fn a_gate_of_its_own_is_enough_for_an_acceptance() {
    let mut fixture = BoardFixture::with(BoardSettings {
        gates: Vec::new(),
        ..roomy()
    });
    fixture.released(TaskDraft {
        gates: vec![GateCommand {
            name: "own".to_owned(),
            command: "make check".to_owned(),
        }],
        ..acceptance("a")
    });
    assert_eq!(fixture.word("a"), "active");
}

/// Returns settings with a fault of that reach.
fn faulty(reach: FaultReach) -> BoardSettings {
    BoardSettings {
        faults: vec![SettingFault {
            text: "could not use x".to_owned(),
            reach,
        }],
        ..roomy()
    }
}

#[test]
fn a_fault_in_the_settings_makes_what_depends_on_it_wait_and_costs_no_try() {
    let fault = || WaitReason::Setting("could not use x".to_owned());
    for (reach, developer, investigator) in [
        (FaultReach::Everything, true, true),
        (FaultReach::Base("feature/shop".to_owned()), true, false),
        (FaultReach::Base("another".to_owned()), false, false),
        (FaultReach::Role("developer".into()), true, false),
        (FaultReach::DefaultRole, true, true),
        (FaultReach::Stage("development".into()), false, false),
    ] {
        let mut fixture = BoardFixture::with(faulty(reach.clone()));
        fixture.released(draft("a", "kanban"));
        fixture.released(draft("b", "investigation"));
        for (id, waits) in [("a", developer), ("b", investigator)] {
            let found = fixture.task(id).why_not.clone();
            assert_eq!(found, waits.then(fault), "{id}, {reach:?}");
        }
        fixture.happen(Event::configured(roomy()));
        for id in ["a", "b"] {
            assert_eq!(fixture.word(id), "active", "{id}, {reach:?}");
            assert_eq!(fixture.task(id).spawns, 1, "{id}, {reach:?}");
        }
    }
}

#[test]
fn a_fault_of_a_role_or_stage_stops_only_agents_that_are_chosen_by_it() {
    let named = |agent: &str| AgentSettings {
        agent: Some(agent.to_owned()),
        ..AgentSettings::default()
    };
    let with = |reach: FaultReach| BoardSettings {
        agents: AgentLayers {
            by_role: [("developer".into(), named("claude"))].into(),
            by_stage: [("investigating".into(), named("codex"))].into(),
            ..AgentLayers::default()
        },
        ..faulty(reach)
    };
    for (reach, developer, other, investigator) in [
        (FaultReach::Role("developer".into()), true, false, false),
        (FaultReach::DefaultRole, false, false, false),
        (FaultReach::Stage("investigating".into()), false, false, true),
        (FaultReach::Role("investigator".into()), false, false, false),
    ] {
        let mut fixture = BoardFixture::with(with(reach.clone()));
        fixture.released(draft("a", "kanban"));
        fixture.released(TaskDraft {
            agent: Box::new(named("gemini")),
            ..draft("b", "kanban")
        });
        fixture.released(draft("c", "investigation"));
        for (id, waits) in [("a", developer), ("b", other), ("c", investigator)] {
            let waits_now = fixture.task(id).why_not.is_some();
            assert_eq!(waits_now, waits, "{id}, {reach:?}");
        }
    }
}

#[test]
fn while_paused_nothing_starts_and_tasks_say_so() {
    let mut fixture = BoardFixture::new();
    fixture.ask(Command::Pause).unwrap();
    fixture.released(draft("a", "kanban"));
    assert_eq!(why_not(&fixture, "a"), WaitReason::Paused);
    fixture.ask(Command::Resume).unwrap();
    assert_eq!(fixture.word("a"), "active");
}

#[test]
fn the_backlog_is_never_started() {
    let mut fixture = BoardFixture::new();
    fixture.planned(draft("a", "kanban"));
    fixture.wait(Span::minutes(60));
    assert_eq!(fixture.word("a"), "backlog");
}

#[test]
fn a_task_whose_workflow_is_not_loaded_waits_visibly_and_goes_on_when_it_is() {
    let mut fixture = BoardFixture::new();
    fixture.ask(Command::Pause).unwrap();
    fixture.released(draft("a", "kanban"));
    let all = workflows();
    let without: Vec<_> = all
        .iter()
        .filter(|flow| flow.id.as_str() != "kanban")
        .cloned()
        .collect();
    fixture.happen(Event::WorkflowsLoaded(without));
    fixture.ask(Command::Resume).unwrap();
    assert!(matches!(why_not(&fixture, "a"), WaitReason::NoStage(..)));
    fixture.happen(Event::WorkflowsLoaded(all));
    assert_eq!(fixture.word("a"), "active");
}

#[test]
fn agents_carry_their_role_and_a_composers_name_no_other_open_attempt_has() {
    let mut fixture = BoardFixture::with(roomy());
    for n in 0..90 {
        fixture.released(draft(&format!("t{n}"), "kanban"));
    }
    let mut names: Vec<&str> = fixture
        .board
        .attempts
        .values()
        .map(|attempt| attempt.worker.name())
        .collect();
    assert_eq!(names.len(), 90);
    assert!(names.iter().all(|name| name.starts_with("developer-")));
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 90);
    assert!(matches!(
        fixture.attempt(AttemptId(1)).worker,
        Worker::Agent { .. }
    ));
}

#[test]
fn only_rows_that_change_are_touched() {
    let mut fixture = BoardFixture::with(BoardSettings {
        max_agents: 1,
        ..settings()
    });
    for id in ["a", "b", "c"] {
        fixture.released(draft(id, "kanban"));
    }
    fixture.board.apply(fixture.now, &Event::Ticked);
    let touched = fixture.board.take_changed_rows();
    assert!(touched.tasks.is_empty() && touched.attempts.is_empty() && touched.batches.is_empty());
}
