//! Changes that an integrator made beyond its conflict are reviewed before they are merged.

use dbs::domain::task::HoldReason;
use dbs::domain::{ActionOutcome, AttemptMode, Command, Integration, SignalKind, TaskPatch, TaskState};

use crate::fixture::{BoardFixture, draft};

/// Calls an integrator that changes a file outside of its conflict, which the merge notices.
fn changed_outside(fixture: &mut BoardFixture, id: &str) -> Integration {
    let merge = fixture.open(id);
    fixture.act(merge, ActionOutcome::Failed("conflict in cart.rs".to_owned()));
    let integrator = fixture.open(id);
    fixture.live(integrator, SignalKind::Done, "");
    fixture.verify(integrator, &[]);
    let found = Integration {
        from: "m0".to_owned(),
        to: "m1".to_owned(),
        head: fixture.task(id).head.clone().unwrap(),
        outside: vec!["EVIL".to_owned()],
        written: Vec::new(),
    };
    let again = fixture.open(id);
    fixture.act(again, ActionOutcome::Unreviewed(Box::new(found.clone())));
    found
}

/// Returns a board with a task of that workflow whose merge is about to be made.
fn merging(flow: &str) -> BoardFixture {
    let mut fixture = BoardFixture::new();
    fixture.planned(draft("a", flow));
    let to_merge = TaskPatch {
        stage: Some("merging".into()),
        ..TaskPatch::default()
    };
    fixture.ask(Command::Update("a".into(), to_merge)).unwrap();
    fixture.ask(Command::Release(vec!["a".into()])).unwrap();
    fixture
}

#[test]
fn a_change_outside_of_the_conflict_goes_back_to_the_reviewer_with_that_difference() {
    let mut fixture = BoardFixture::standing("a", "merging");
    let found = changed_outside(&mut fixture, "a");
    assert_eq!((fixture.stage("a"), fixture.word("a")), ("reviewing", "active"));
    assert_eq!(fixture.task("a").integration.as_deref(), Some(&found));
    let said = &fixture.task("a").comments.last().unwrap().text;
    assert!(said.contains("changed EVIL outside of a conflict"), "{said}");
    assert_eq!(fixture.attempt(fixture.open("a")).mode, AttemptMode::Fresh);
    fixture.pass("a");
    assert_eq!(fixture.stage("a"), "merging");
    let task = fixture.task("a");
    assert_eq!(
        task.stage_head, task.head,
        "the reviewed head is the one to merge"
    );
    fixture.pass("a");
    assert_eq!(fixture.word("a"), "done");
}

#[test]
fn a_reviewer_who_rejects_what_an_integrator_changed_sends_it_to_development() {
    let mut fixture = BoardFixture::standing("a", "merging");
    changed_outside(&mut fixture, "a");
    let reviewer = fixture.open("a");
    fixture.live(reviewer, SignalKind::Reject, "EVIL is not wanted");
    assert_eq!(fixture.stage("a"), "development");
    assert_eq!(fixture.task("a").rejections, 1);
}

#[test]
fn both_reviews_of_a_task_with_security_see_what_an_integrator_changed() {
    let mut fixture = BoardFixture::new();
    let mut secure = draft("a", "kanban");
    secure.tags = ["security".to_owned()].into();
    fixture.released(secure);
    for _ in 0..3 {
        fixture.pass("a");
    }
    changed_outside(&mut fixture, "a");
    assert_eq!(fixture.stage("a"), "reviewing");
    fixture.pass("a");
    assert_eq!(fixture.stage("a"), "security_review");
}

#[test]
fn without_a_stage_that_reviews_a_person_decides_about_what_an_integrator_changed() {
    for (flow, back) in [("phased", "work"), ("graph", "work"), ("atdd", "implementation")] {
        let mut fixture = merging(flow);
        let found = changed_outside(&mut fixture, "a");
        let hold = TaskState::Held(HoldReason::Unreviewed(found.summary()));
        assert_eq!(fixture.task("a").state, hold, "{flow}");
        assert_eq!(fixture.task("a").merged, None, "{flow}");
        let mut approved = fixture.board.clone();
        fixture.ask(Command::Approve("a".into())).unwrap();
        let task = fixture.task("a");
        assert_eq!(
            (task.stage.as_str(), &task.stage_head),
            ("merging", &task.head),
            "{flow}"
        );
        fixture.pass("a");
        assert_eq!(fixture.word("a"), "done", "{flow}");
        std::mem::swap(&mut fixture.board, &mut approved);
        fixture
            .ask(Command::Reject("a".into(), "not that".to_owned()))
            .unwrap();
        assert_eq!(fixture.stage("a"), back, "{flow}");
    }
}

#[test]
fn a_retry_has_the_merge_looked_at_again() {
    let mut fixture = merging("phased");
    let found = changed_outside(&mut fixture, "a");
    let retry = Command::Retry {
        task: "a".into(),
        stage: None,
        note: None,
    };
    fixture.ask(retry).unwrap();
    assert_eq!(
        (fixture.stage("a"), fixture.role(fixture.open("a"))),
        ("merging", "engine")
    );
    let task = fixture.task("a");
    assert_ne!(task.stage_head, task.head, "the head has not been accepted");
    fixture.act(fixture.open("a"), ActionOutcome::Unreviewed(Box::new(found)));
    assert_eq!(fixture.word("a"), "held");
}
