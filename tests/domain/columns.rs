//! Board as people see it: the column of each task, and the order of cards (K80).

use dbs::domain::{Command, ProcessExit, SignalKind, TaskState};
use dbs::read_model::ReadModel;

use crate::fixture::{BoardFixture, draft};

fn column(fixture: &BoardFixture, title: &str) -> Vec<String> {
    let model = ReadModel::of(&fixture.board, fixture.now);
    let column = model.columns.iter().find(|column| column.title == title);
    let cards = column.unwrap_or_else(|| panic!("no column {title}")).cards.iter();
    cards.map(ToString::to_string).collect()
}

#[test]
fn cards_stand_as_planned_by_priority_tag_and_number_whatever_happens_to_them() {
    let mut fixture = BoardFixture::developing("z-runs");
    fixture.ask(Command::Pause).unwrap();
    // The agent is still being stopped, so the task counts as running.
    let more = |id: &str, priority: u8, tag: bool, waits: bool| {
        let mut more = draft(id, "kanban");
        more.priority = priority;
        if tag {
            more.tags.insert("priority".to_owned());
        }
        if waits {
            more.deps.insert("z-runs".into());
        }
        more
    };
    for task in [
        more("a-waits", 0, true, true),
        more("c-plain", 2, false, false),
        more("b-plain", 2, false, false),
        more("d-urgent", 1, false, false),
        more("e-tagged", 4, true, false),
    ] {
        fixture.released(task);
    }
    assert_eq!(
        column(&fixture, "Dev"),
        ["a-waits", "e-tagged", "d-urgent", "z-runs", "c-plain", "b-plain"]
    );
}

#[test]
fn what_was_imported_stands_in_the_order_of_its_file_through_every_change_of_state() {
    let mut fixture = BoardFixture::new();
    let file = ["zeta", "mid", "beta", "alpha", "omega"];
    let drafts = file.map(|id| draft(id, "kanban"));
    fixture.ask(Command::CreateAll(drafts.into())).unwrap();
    assert_eq!(column(&fixture, "Backlog"), file);
    for id in ["omega", "alpha", "beta", "mid", "zeta"] {
        fixture.ask(Command::Release(vec![id.into()])).unwrap();
    }
    assert_eq!(column(&fixture, "Dev"), file);
    let (held, crashed) = (fixture.open("alpha"), fixture.open("omega"));
    fixture.live(held, SignalKind::Block, "no key");
    fixture.start(crashed);
    fixture.end_with(crashed, ProcessExit::Code(1), None);
    let verified = fixture.open("mid");
    fixture.live(verified, SignalKind::Done, "");
    let state = |id: &str| &fixture.task(id).state;
    assert!(
        matches!(state("alpha"), TaskState::Held(_)),
        "{:?}",
        state("alpha")
    );
    assert!(
        matches!(state("omega"), TaskState::Released),
        "{:?}",
        state("omega")
    );
    assert_eq!(
        (state("mid"), state("zeta")),
        (&TaskState::Verifying, &TaskState::Active)
    );
    assert_eq!(column(&fixture, "Dev"), file);
}

#[test]
fn every_task_stands_in_the_column_of_its_stage_until_it_is_closed() {
    let mut fixture = BoardFixture::new();
    fixture.planned(draft("plan", "kanban"));
    assert_eq!(column(&fixture, "Backlog"), ["plan"]);
    fixture.ask(Command::Release(vec!["plan".into()])).unwrap();
    for title in ["Dev", "Review", "Merge"] {
        assert_eq!(column(&fixture, title), ["plan"], "{title}");
        fixture.pass("plan");
    }
    assert_eq!(column(&fixture, "Done"), ["plan"]);
    fixture.released(draft("stuck", "kanban"));
    let open = fixture.open("stuck");
    fixture.live(open, SignalKind::Block, "no key");
    assert_eq!(column(&fixture, "Dev"), ["stuck"]);
    fixture.wait(dbs::domain::Span::seconds(1));
    fixture
        .ask(Command::Close("stuck".into(), "not wanted".to_owned()))
        .unwrap();
    assert_eq!(
        column(&fixture, "Done"),
        ["stuck", "plan"],
        "the newest comes first"
    );
}

#[test]
fn only_stages_on_the_way_of_a_task_are_columns() {
    let mut fixture = BoardFixture::new();
    assert_eq!(titles(&fixture), ["Backlog", "Done"]);
    fixture.planned(draft("plan", "kanban"));
    let pipeline = ["Backlog", "Dev", "Review", "Merge", "Done"];
    assert_eq!(titles(&fixture), pipeline);
    fixture.released(draft("inv", "investigation"));
    assert_eq!(
        titles(&fixture),
        ["Backlog", "Dev", "Review", "Merge", "Investigating", "Done"],
        "other stages come after the pipeline"
    );
    let mut safe = draft("safe", "kanban");
    safe.tags.insert("security".to_owned());
    fixture.planned(safe);
    let mut tester = draft("tester", "kanban");
    tester.stage = Some("acceptance".into());
    fixture.planned(tester);
    for id in ["plan", "inv"] {
        fixture
            .ask(Command::Close(id.into(), "not wanted".to_owned()))
            .unwrap();
    }
    assert_eq!(
        titles(&fixture),
        [
            "Backlog",
            "Dev",
            "Review",
            "Sec Review",
            "Merge",
            "Accept",
            "Done"
        ]
    );
    fixture
        .ask(Command::Close("safe".into(), "not wanted".to_owned()))
        .unwrap();
    assert_eq!(
        titles(&fixture),
        ["Backlog", "Accept", "Done"],
        "the task begins at acceptance"
    );
}

#[test]
fn the_stages_before_that_of_the_only_task_stay_columns() {
    let mut fixture = BoardFixture::new();
    fixture.released(draft("plan", "kanban"));
    fixture.pass("plan");
    assert_eq!(column(&fixture, "Review"), ["plan"]);
    assert_eq!(titles(&fixture), ["Backlog", "Dev", "Review", "Merge", "Done"]);
}

#[test]
fn columns_of_one_name_have_that_of_their_workflow_too() {
    let mut fixture = BoardFixture::new();
    fixture.planned(draft("plan", "phased"));
    assert_eq!(titles(&fixture), ["Backlog", "Work", "Merge", "Done"]);
    fixture.planned(draft("more", "kanban"));
    assert_eq!(
        titles(&fixture),
        [
            "Backlog",
            "Dev",
            "Review",
            "Merge (kanban)",
            "Work",
            "Merge (phased)",
            "Done"
        ]
    );
}

fn titles(fixture: &BoardFixture) -> Vec<String> {
    let model = ReadModel::of(&fixture.board, fixture.now);
    model.columns.into_iter().map(|column| column.title).collect()
}
