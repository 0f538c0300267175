//! What starts when, and why everything else does not (K3, K8, K36, K37, K41–K48).

use dbs::domain::task::{HoldReason, TaskKind};
use dbs::domain::{
    AttemptId, BoardSettings, Command, Event, ProcessExit, SignalKind, Span, TaskState, WaitReason, Worker,
};

use crate::desk::{Desk, draft, settings};

fn why_not(desk: &Desk, id: &str) -> WaitReason {
    desk.task(id)
        .why_not
        .clone()
        .unwrap_or_else(|| panic!("{id} has no reason"))
}

fn started_by(desk: &Desk, id: &str) -> AttemptId {
    desk.open(id)
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
    let mut desk = Desk::with(BoardSettings {
        max_starts: 1,
        ..settings()
    });
    desk.ask(Command::Pause).unwrap();
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
        desk.released(draft);
    }
    desk.ask(Command::Resume).unwrap();
    for _ in 0..5 {
        desk.wait_until_due();
    }
    let mut order: Vec<(AttemptId, &str)> = places
        .iter()
        .map(|(id, ..)| (started_by(&desk, id), *id))
        .collect();
    order.sort();
    let order: Vec<&str> = order.into_iter().map(|(_, id)| id).collect();
    assert_eq!(order, ["acc", "sec", "rev", "cons", "inv", "dev"]);
}

#[test]
fn within_a_stage_the_priority_tag_then_bugs_then_the_number_then_age_decide() {
    let mut desk = Desk::with(BoardSettings {
        max_starts: 1,
        ..settings()
    });
    desk.ask(Command::Pause).unwrap();
    let mut first = draft("old", "kanban");
    first.priority = 2;
    desk.released(first);
    desk.wait(Span::seconds(1));
    desk.released(draft("young", "kanban"));
    let mut number = draft("number", "kanban");
    number.priority = 1;
    desk.released(number);
    let mut bug = draft("bug", "kanban");
    bug.kind = TaskKind::Bug;
    desk.released(bug);
    let mut urgent = draft("urgent", "kanban");
    urgent.tags = ["priority".to_owned()].into();
    urgent.priority = 4;
    desk.released(urgent);
    desk.ask(Command::Resume).unwrap();
    for _ in 0..4 {
        desk.wait_until_due();
    }
    let mut order: Vec<(AttemptId, &str)> = ["old", "young", "number", "bug", "urgent"]
        .map(|id| (started_by(&desk, id), id))
        .to_vec();
    order.sort();
    let order: Vec<&str> = order.into_iter().map(|(_, id)| id).collect();
    assert_eq!(order, ["urgent", "bug", "number", "old", "young"]);
}

#[test]
fn at_most_two_agents_start_in_a_turn_and_the_rest_follows_at_once() {
    let mut desk = Desk::new();
    for id in ["a", "b", "c", "d", "e"] {
        desk.planned(draft(id, "kanban"));
    }
    desk.ask(Command::Release(
        ["a", "b", "c", "d", "e"].map(Into::into).to_vec(),
    ))
    .unwrap();
    assert_eq!(desk.wishes(), ["start/1", "start/2"]);
    assert_eq!(why_not(&desk, "c"), WaitReason::TurnLimit);
    assert!(desk.board.next_deadline().unwrap() <= desk.now);
    desk.wait_until_due();
    assert_eq!(desk.wishes(), ["start/3", "start/4"]);
    desk.wait_until_due();
    assert_eq!(desk.wishes(), ["start/5"]);
    assert!(
        desk.board.next_deadline().unwrap() > desk.now,
        "nothing waits for a turn"
    );
}

#[test]
fn a_task_waits_for_its_dependencies_and_is_told_when_they_are_done() {
    let mut desk = Desk::with(roomy());
    desk.released(draft("a", "investigation"));
    let mut second = draft("b", "kanban");
    second.deps = ["a".into()].into();
    desk.released(second);
    assert_eq!(why_not(&desk, "b"), WaitReason::Dependencies(vec!["a".into()]));
    desk.pass("a");
    assert_eq!(desk.word("b"), "active");
    assert_eq!(desk.task("b").why_not, None);
}

#[test]
fn becoming_free_is_told_as_an_event() {
    let mut desk = Desk::with(roomy());
    desk.released(draft("a", "investigation"));
    let mut second = draft("b", "kanban");
    second.deps = ["a".into()].into();
    desk.released(second);
    let open = desk.open("a");
    desk.live(open, SignalKind::Done, "");
    desk.verify(open, &[]);
    assert!(desk.told().contains(&"unblock"), "{:?}", desk.told());
}

#[test]
fn an_unknown_dependency_is_unresolved_and_visible() {
    let mut desk = Desk::with(roomy());
    desk.planned(draft("a", "kanban"));
    let mut task = desk.task("a").clone();
    task.deps = ["ghost".into()].into();
    desk.board.tasks.insert("a".into(), std::sync::Arc::new(task));
    desk.ask(Command::Release(vec!["a".into()])).unwrap();
    assert_eq!(why_not(&desk, "a"), WaitReason::UnknownDependency("ghost".into()));
    assert!(desk.told().contains(&"hold"));
}

#[test]
fn a_task_in_cooldown_says_until_when() {
    let mut desk = Desk::standing("a", "reviewing");
    let reviewer = desk.open("a");
    desk.live(reviewer, SignalKind::Reject, "no");
    let until = desk.now + Span::seconds(60);
    assert_eq!(why_not(&desk, "a"), WaitReason::Until(until));
    assert_eq!(desk.board.next_deadline(), Some(until));
}

#[test]
fn a_task_that_used_up_its_attempts_is_held() {
    let mut flows = crate::desk::workflows();
    for flow in &mut flows {
        flow.limits.by_class.clear();
    }
    let mut desk = Desk::new();
    desk.happen(Event::WorkflowsLoaded(flows));
    desk.released(draft("a", "kanban"));
    for _ in 0..20 {
        let open = desk.open("a");
        desk.start(open);
        desk.end_with(open, ProcessExit::Code(1), None);
        desk.settled(open);
        if desk.board.next_deadline().is_some() {
            desk.wait_until_due();
        }
    }
    assert_eq!(
        desk.task("a").state,
        TaskState::Held(HoldReason::TooManyAttempts(20))
    );
    desk.ask(Command::Retry {
        task: "a".into(),
        stage: None,
        note: None,
    })
    .unwrap();
    assert_eq!(desk.word("a"), "active");
}

#[test]
fn the_tester_waits_until_every_dependencys_head_is_merged() {
    let mut desk = Desk::with(roomy());
    desk.released(draft("a", "kanban"));
    let mut acceptance = draft("acc", "kanban");
    acceptance.stage = Some("acceptance".into());
    acceptance.deps = ["a".into()].into();
    desk.released(acceptance);
    for _ in 0..3 {
        desk.pass("a");
    }
    assert_eq!(desk.word("a"), "done");
    assert_eq!(desk.word("acc"), "active");
    // A head recorded without a merge holds the tester, whatever the branches look like.
    let mut other = Desk::with(roomy());
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
    let mut desk = Desk::with(roomy());
    for id in ["a", "b"] {
        desk.released(draft(id, "kanban"));
    }
    for id in ["a", "b", "a", "b"] {
        desk.pass(id);
    }
    assert_eq!((desk.stage("a"), desk.word("a")), ("merging", "active"));
    let busy = desk.open("a");
    assert_eq!(why_not(&desk, "b"), WaitReason::SingletonBusy(busy));
    desk.pass("a");
    assert_eq!((desk.stage("b"), desk.word("b")), ("merging", "active"));
}

#[test]
fn merges_into_two_bases_do_not_wait_for_each_other() {
    let mut desk = Desk::with(roomy());
    desk.ask(Command::PutBatch {
        id: "other".into(),
        title: "Other".to_owned(),
        goal: String::new(),
        base: Some("feature/other".to_owned()),
    })
    .unwrap();
    desk.released(draft("a", "kanban"));
    let mut second = draft("b", "kanban");
    second.batch = "other".into();
    desk.released(second);
    for id in ["a", "b", "a", "b"] {
        desk.pass(id);
    }
    assert_eq!((desk.word("a"), desk.word("b")), ("active", "active"));
    assert_eq!((desk.stage("a"), desk.stage("b")), ("merging", "merging"));
}

#[test]
fn no_more_agents_than_allowed_are_alive_and_engine_actions_take_no_place() {
    let mut desk = Desk::with(BoardSettings {
        max_agents: 2,
        max_starts: 10,
        ..settings()
    });
    for id in ["a", "b", "c"] {
        desk.released(draft(id, "kanban"));
    }
    assert_eq!(why_not(&desk, "c"), WaitReason::NoRoom { running: 2, most: 2 });
    desk.pass("a");
    desk.pass("a");
    assert_eq!(desk.stage("a"), "merging");
    assert_eq!(desk.word("a"), "active");
    assert_eq!(desk.word("c"), "active");
}

#[test]
fn the_place_of_an_agent_being_verified_goes_to_the_next_stage_and_not_to_new_work() {
    let mut desk = Desk::with(BoardSettings {
        max_agents: 1,
        ..settings()
    });
    desk.released(draft("a", "kanban"));
    desk.released(draft("b", "kanban"));
    desk.pass("a");
    assert_eq!((desk.stage("a"), desk.word("a")), ("reviewing", "active"));
    assert_eq!(desk.word("b"), "released");
}

#[test]
fn an_agent_being_stopped_still_takes_its_place() {
    let mut desk = Desk::with(BoardSettings {
        max_agents: 1,
        ..settings()
    });
    desk.released(draft("a", "kanban"));
    desk.released(draft("b", "kanban"));
    let first = desk.open("a");
    desk.start(first);
    desk.ask(Command::Park("a".into(), "later".to_owned())).unwrap();
    assert_eq!(desk.word("b"), "released");
    desk.end(first);
    assert_eq!(desk.word("b"), "active");
}

#[test]
fn a_role_may_have_a_limit_of_its_own() {
    let mut desk = Desk::with(BoardSettings {
        max_by_role: [("developer".into(), 1)].into(),
        ..roomy()
    });
    desk.released(draft("a", "kanban"));
    desk.released(draft("b", "kanban"));
    desk.released(draft("c", "investigation"));
    assert_eq!(why_not(&desk, "b"), WaitReason::NoRoom { running: 1, most: 1 });
    assert_eq!(desk.word("c"), "active");
}

#[test]
fn a_task_has_at_most_one_open_attempt() {
    let mut desk = Desk::developing("a");
    for _ in 0..5 {
        desk.wait(Span::seconds(1));
    }
    assert_eq!(desk.board.attempts.len(), 1);
}

#[test]
fn without_a_base_branch_only_investigators_start() {
    let mut desk = Desk::with(BoardSettings {
        base: None,
        ..roomy()
    });
    desk.released(draft("a", "kanban"));
    desk.released(draft("b", "investigation"));
    assert_eq!(why_not(&desk, "a"), WaitReason::NoBase);
    assert_eq!(desk.word("b"), "active");
    desk.happen(Event::Configured(roomy()));
    assert_eq!(desk.word("a"), "active");
}

#[test]
fn while_paused_nothing_starts_and_tasks_say_so() {
    let mut desk = Desk::new();
    desk.ask(Command::Pause).unwrap();
    desk.released(draft("a", "kanban"));
    assert_eq!(why_not(&desk, "a"), WaitReason::Paused);
    desk.ask(Command::Resume).unwrap();
    assert_eq!(desk.word("a"), "active");
}

#[test]
fn the_backlog_is_never_started() {
    let mut desk = Desk::new();
    desk.planned(draft("a", "kanban"));
    desk.wait(Span::minutes(60));
    assert_eq!(desk.word("a"), "backlog");
}

#[test]
fn a_task_whose_workflow_is_not_loaded_waits_visibly_and_goes_on_when_it_is() {
    let mut desk = Desk::new();
    desk.ask(Command::Pause).unwrap();
    desk.released(draft("a", "kanban"));
    let all = crate::desk::workflows();
    let without: Vec<_> = all
        .iter()
        .filter(|flow| flow.id.as_str() != "kanban")
        .cloned()
        .collect();
    desk.happen(Event::WorkflowsLoaded(without));
    desk.ask(Command::Resume).unwrap();
    assert!(matches!(why_not(&desk, "a"), WaitReason::NoStage(..)));
    desk.happen(Event::WorkflowsLoaded(all));
    assert_eq!(desk.word("a"), "active");
}

#[test]
fn agents_carry_their_role_and_a_composers_name_no_other_open_attempt_has() {
    let mut desk = Desk::with(roomy());
    for n in 0..90 {
        desk.released(draft(&format!("t{n}"), "kanban"));
    }
    let mut names: Vec<&str> = desk
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
    assert!(matches!(desk.attempt(AttemptId(1)).worker, Worker::Agent { .. }));
}

#[test]
fn only_rows_that_change_are_touched() {
    let mut desk = Desk::with(BoardSettings {
        max_agents: 1,
        ..settings()
    });
    for id in ["a", "b", "c"] {
        desk.released(draft(id, "kanban"));
    }
    desk.board.apply(desk.now, &Event::Ticked);
    let touched = desk.board.take_changed_rows();
    assert!(touched.tasks.is_empty() && touched.attempts.is_empty() && touched.batches.is_empty());
}
