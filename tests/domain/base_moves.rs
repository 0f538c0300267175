//! Moves of a base from outside: each is counted for its batch, and holds a task only if the task's agent made it.

use dbs::domain::task::HoldReason;
use dbs::domain::{BaseMove, Event, MadeHere, SignalKind, TaskState};

use crate::fixture::BoardFixture;

fn moved(to: &str, made_here: Option<MadeHere>) -> Event {
    Event::BaseMoved {
        task: "a".into(),
        moved: Box::new(BaseMove {
            base: "feature/shop".to_owned(),
            to: to.to_owned(),
            by: "Mallory".to_owned(),
            n_commits: 2,
            n_lost: 0,
            made_here,
            is_own: false,
        }),
    }
}

/// Returns a commit that was made where the agent of that task works.
fn made_at(fixture: &BoardFixture, id: &str) -> MadeHere {
    let attempt = fixture.attempt(fixture.open(id));
    MadeHere {
        commit: "c9".to_owned(),
        folder: attempt.session_origin().unwrap().workspace_folder(),
    }
}

fn counted(fixture: &BoardFixture) -> u64 {
    let batch = &fixture.board.batches[&"shop".into()];
    batch.base_moves.as_ref().map_or(0, |moves| moves.n_commits)
}

#[test]
fn a_movement_is_a_line_and_counts_once() {
    let mut fixture = BoardFixture::developing("a");
    fixture.happen(moved("m1", None));
    let line = "base_moved: feature/shop moved to m1 by Mallory, 2 commits, not reviewed here";
    assert_eq!(fixture.lines(), [line]);
    fixture.happen(moved("m1", None));
    assert!(fixture.lines().is_empty());
    assert_eq!(counted(&fixture), 2);
    fixture.happen(moved("m2", None));
    assert_eq!((counted(&fixture), fixture.word("a")), (4, "active"));
}

#[test]
fn commits_that_the_persons_own_checkout_has_are_a_quiet_line_and_do_not_count() {
    let mut fixture = BoardFixture::developing("a");
    let Event::BaseMoved { task, mut moved } = moved("m1", None) else {
        unreachable!()
    };
    moved.is_own = true;
    let told = fixture.happen(Event::BaseMoved { task, moved });
    assert!(
        format!("{told:?}").contains("level: Info, kind: \"base_moved\""),
        "{told:?}"
    );
    assert_eq!(counted(&fixture), 0);
}

#[test]
fn a_commit_that_an_agent_made_holds_its_task_and_stops_the_agent() {
    let mut fixture = BoardFixture::developing("a");
    let attempt = fixture.open("a");
    fixture.start(attempt);
    let made = made_at(&fixture, "a");
    let name = fixture.attempt(attempt).worker.name().to_owned();
    fixture.happen(moved("m1", Some(made)));
    let why = format!("{name} pushed feature/shop itself: c9 is there without a review and a merge");
    assert_eq!(
        fixture.task("a").state,
        TaskState::Held(HoldReason::BasePushed(why))
    );
    assert_eq!(fixture.notice_kinds(), ["base_moved", "base_pushed"]);
    assert_eq!(fixture.effect_keys(), [format!("stop/{attempt}")]);
}

#[test]
fn a_task_that_is_done_stays_done_and_says_what_its_agent_pushed() {
    let mut fixture = BoardFixture::standing("a", "reviewing");
    let made = made_at(&fixture, "a");
    fixture.pass("a");
    fixture.pass("a");
    assert_eq!(fixture.word("a"), "done");
    fixture.happen(moved("m1", Some(made)));
    assert_eq!(fixture.word("a"), "done");
    assert!(
        fixture
            .task("a")
            .comments
            .last()
            .unwrap()
            .text
            .contains("c9 is there")
    );
}

#[test]
fn an_agent_that_merges_for_the_engine_is_judged_when_it_has_ended() {
    let mut fixture = BoardFixture::standing("a", "reviewing");
    let mut flows = crate::fixture::workflows();
    flows.iter_mut().for_each(dbs::domain::Workflow::merge_by_agent);
    fixture.happen(Event::WorkflowsLoaded(flows));
    fixture.pass("a");
    let integrator = fixture.open("a");
    assert_eq!(fixture.role(integrator), "integrator");
    fixture.start(integrator);
    let made = made_at(&fixture, "a");
    fixture.happen(moved("m1", Some(made)));
    assert_eq!(fixture.word("a"), "active");
    fixture.say(integrator, SignalKind::Done, "merged");
    fixture.end(integrator);
    fixture.verify(integrator, &[]);
    assert_eq!(fixture.word("a"), "done");
}
