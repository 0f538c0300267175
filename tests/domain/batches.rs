//! Batches that people make, change and order: nothing of a batch starts before the batches it needs are completed (K61).

use dbs::domain::{BatchPatch, Command, RunState, TaskState, WaitReason};

use crate::fixture::{BoardFixture, draft};

fn write(fixture: &mut BoardFixture, id: &str, is_new: bool, change: BatchPatch) -> Result<(), String> {
    let id = id.into();
    let asked = fixture.ask(Command::ChangeBatch { id, is_new, change });
    asked.map(drop)
}

fn after(needs: &[&str]) -> BatchPatch {
    BatchPatch {
        needs: Some(needs.iter().map(|id| (*id).into()).collect()),
        ..BatchPatch::default()
    }
}

/// Makes a batch that needs the given batches.
fn batch(fixture: &mut BoardFixture, id: &str, needs: &[&str]) {
    write(fixture, id, true, after(needs)).unwrap();
}

/// Creates a task of a batch in its backlog.
fn planned(fixture: &mut BoardFixture, id: &str, batch: &str, deps: &[&str]) -> Result<(), String> {
    let mut draft = draft(id, "investigation");
    draft.batch = batch.into();
    draft.deps = deps.iter().map(|id| (*id).into()).collect();
    fixture.ask(Command::Create(draft)).map(drop)
}

/// Returns a board with task `a` in batch `first` and task `b` in batch `second`, which needs `first`; both are released.
fn one_after_the_other() -> BoardFixture {
    let mut fixture = BoardFixture::new();
    batch(&mut fixture, "first", &[]);
    batch(&mut fixture, "second", &["first"]);
    for (id, batch) in [("a", "first"), ("b", "second")] {
        planned(&mut fixture, id, batch, &[]).unwrap();
        fixture.ask(Command::ReleaseBatch(batch.into())).unwrap();
    }
    fixture
}

fn waits_for(fixture: &BoardFixture, task: &str) -> Option<String> {
    fixture.task(task).why_not.as_ref().map(ToString::to_string)
}

fn run<'a>(fixture: &'a BoardFixture, id: &str) -> &'a RunState {
    &fixture.board.batches[&id.into()].run
}

fn refused(asked: Result<(), String>, with: &str) {
    let why = asked.unwrap_err();
    assert!(why.contains(with), "{why}");
}

#[test]
fn nothing_of_a_batch_starts_before_the_batch_it_needs_is_completed() {
    let mut fixture = one_after_the_other();
    assert_eq!(fixture.word("a"), "active");
    assert_eq!(waits_for(&fixture, "b").as_deref(), Some("waits for batch first"));
    fixture.pass("a");
    assert_eq!(*run(&fixture, "first"), RunState::Completed);
    assert_eq!(fixture.word("b"), "active");
}

#[test]
fn a_batch_that_waits_for_one_that_goes_on_runs_and_is_stalled_when_that_one_is() {
    let mut fixture = one_after_the_other();
    assert_eq!(*run(&fixture, "second"), RunState::Running);
    fixture
        .ask(Command::Park("a".into(), "it rains".to_owned()))
        .unwrap();
    let open = fixture.open("a");
    fixture.end(open);
    assert_eq!(*run(&fixture, "first"), RunState::Stalled);
    assert_eq!(*run(&fixture, "second"), RunState::Stalled);
    fixture.ask(Command::Release(vec!["a".into()])).unwrap();
    assert_eq!(*run(&fixture, "second"), RunState::Running);
}

#[test]
fn the_end_of_the_batch_it_needs_is_no_stall_of_the_next() {
    let mut fixture = one_after_the_other();
    fixture.pass("a");
    let told = |kind: &str| {
        let notices = fixture.effects.iter().filter_map(|effect| match effect {
            dbs::domain::Effect::Notify(notice) => Some(notice.kind.as_str()),
            _ => None,
        });
        notices.filter(|said| *said == kind).count()
    };
    assert_eq!((told("completed"), told("stalled")), (1, 0));
}

#[test]
fn a_batch_with_failures_or_without_a_task_is_not_completed() {
    let mut fixture = BoardFixture::new();
    batch(&mut fixture, "first", &[]);
    batch(&mut fixture, "second", &["first"]);
    planned(&mut fixture, "b", "second", &[]).unwrap();
    fixture.ask(Command::Release(vec!["b".into()])).unwrap();
    assert_eq!(
        fixture.task("b").why_not,
        Some(WaitReason::Batches(vec!["first".into()]))
    );
    planned(&mut fixture, "a", "first", &[]).unwrap();
    fixture.ask(Command::Skip("a".into())).unwrap();
    assert_eq!(*run(&fixture, "first"), RunState::CompletedWithSkips(1));
    assert_eq!(fixture.word("b"), "released");
}

#[test]
fn a_batch_no_longer_waits_when_a_person_takes_the_order_away() {
    let mut fixture = one_after_the_other();
    write(&mut fixture, "second", false, after(&[])).unwrap();
    assert_eq!(fixture.word("b"), "active");
}

#[test]
fn what_is_at_work_goes_on_when_its_batch_is_told_to_wait() {
    let mut fixture = one_after_the_other();
    write(&mut fixture, "second", false, after(&[])).unwrap();
    let open = fixture.open("b");
    write(&mut fixture, "second", false, after(&["first"])).unwrap();
    assert_eq!(fixture.task("b").open_attempt, Some(open));
    fixture.pass("b");
    assert_eq!(fixture.task("b").state, TaskState::Done);
}

#[test]
fn batches_that_would_wait_for_each_other_are_refused() {
    let mut fixture = BoardFixture::new();
    batch(&mut fixture, "first", &[]);
    batch(&mut fixture, "second", &["first"]);
    batch(&mut fixture, "third", &["second"]);
    refused(
        write(&mut fixture, "first", false, after(&["first"])),
        "cannot wait for itself",
    );
    refused(
        write(&mut fixture, "first", false, after(&["third"])),
        "batch third waits for first",
    );
    refused(
        write(&mut fixture, "first", false, after(&["nope"])),
        "there is no batch nope",
    );
}

#[test]
fn tasks_and_batches_that_would_wait_for_each_other_are_refused() {
    let mut fixture = one_after_the_other();
    refused(
        planned(&mut fixture, "c", "first", &["b"]),
        "b, which waits for the batch first",
    );
    refused(
        fixture
            .ask(Command::AddDependency("a".into(), "b".into()))
            .map(drop),
        "b waits for a already",
    );
    let new = |id: &str, batch: &str, deps: &[&str]| {
        let mut draft = draft(id, "investigation");
        draft.batch = batch.into();
        draft.deps = deps.iter().map(|id| (*id).into()).collect();
        draft
    };
    let both = vec![new("x", "second", &[]), new("y", "first", &["x"])];
    let refusal = fixture.ask(Command::CreateAll(both)).unwrap_err();
    assert!(
        refusal.contains("x, which waits for the batch first"),
        "{refusal}"
    );
    batch(&mut fixture, "third", &[]);
    planned(&mut fixture, "d", "third", &["b"]).unwrap();
    refused(
        write(&mut fixture, "first", false, after(&["third"])),
        "batch third waits for first",
    );
}

#[test]
fn a_batch_is_made_once_and_only_one_that_is_there_is_changed() {
    let mut fixture = BoardFixture::new();
    let goal = |goal: &str| BatchPatch {
        title: Some("Shop".to_owned()),
        goal: Some(goal.to_owned()),
        ..BatchPatch::default()
    };
    refused(
        write(&mut fixture, "shop", false, goal("sell")),
        "there is no batch shop",
    );
    write(&mut fixture, "shop", true, goal("sell")).unwrap();
    refused(write(&mut fixture, "shop", true, goal("buy")), "exists already");
    let base = |base: &str| BatchPatch {
        base: Some(base.to_owned()),
        ..BatchPatch::default()
    };
    write(&mut fixture, "shop", false, base("feature/own")).unwrap();
    let shop = &fixture.board.batches[&"shop".into()];
    assert_eq!((shop.title.as_str(), shop.goal.as_str()), ("Shop", "sell"));
    assert_eq!(shop.base.as_deref(), Some("feature/own"));
    write(&mut fixture, "shop", false, base("")).unwrap();
    assert_eq!(fixture.board.batches[&"shop".into()].base, None);
}

#[test]
fn a_batch_is_handed_over_with_all_that_is_in_its_backlog() {
    let mut fixture = BoardFixture::new();
    for (id, batch) in [("a", "first"), ("b", "first"), ("c", "second")] {
        planned(&mut fixture, id, batch, &[]).unwrap();
    }
    fixture.ask(Command::ReleaseBatch("first".into())).unwrap();
    let words = ["a", "b", "c"].map(|id| fixture.word(id).to_owned());
    assert_eq!(words, ["active", "active", "backlog"]);
    let again = fixture.ask(Command::ReleaseBatch("first".into())).map(drop);
    refused(again, "nothing in the backlog");
}

#[test]
fn a_base_is_begun_from_the_settings_until_something_was_merged_into_it() {
    let mut fixture = BoardFixture::new();
    let change = BatchPatch {
        base: Some("feature/own".to_owned()),
        ..BatchPatch::default()
    };
    write(&mut fixture, "shop", true, change).unwrap();
    fixture.released(draft("a", "kanban"));
    fixture.planned(draft("b", "kanban"));
    let origin = |fixture: &BoardFixture| fixture.board.base_origin(fixture.task("b")).map(str::to_owned);
    assert_eq!(origin(&fixture).as_deref(), Some("feature/shop"));
    for _ in 0..3 {
        fixture.pass("a");
    }
    assert!(fixture.task("a").merged.is_some());
    assert_eq!(origin(&fixture), None);
}

#[test]
fn a_cleared_board_has_nothing_on_it_and_gives_out_other_numbers() {
    let mut fixture = one_after_the_other();
    let last = fixture.open("a");
    fixture.ask(Command::Clear).unwrap();
    let board = &fixture.board;
    assert!(board.tasks.is_empty() && board.attempts.is_empty() && board.batches.is_empty());
    let cleared = fixture.log.last().unwrap().1.completes();
    assert!(cleared.contains(&"start/".to_owned()), "{cleared:?}");
    fixture.released(draft("a", "investigation"));
    assert!(fixture.open("a") > last);
}
