//! Deliveries after a merge: requested as the settings say; commits that the person's branch lacks are remembered until it has them.

use dbs::domain::{Batch, BoardSettings, Command, Delivery, DeliveryEnd, DeliveryMode, Event, Span};

use crate::fixture::{BoardFixture, draft, settings};

/// Returns a board with a merged task under that setting.
fn merged(deliver: DeliveryMode) -> BoardFixture {
    let mut fixture = BoardFixture::with(BoardSettings {
        deliver,
        ..settings()
    });
    fixture.released(draft("a", "kanban"));
    for _ in 0..3 {
        fixture.pass("a");
    }
    assert_eq!(fixture.word("a"), "done");
    fixture
}

/// Returns the same board once the task's branch is removed, so that nothing else is due.
fn retired(deliver: DeliveryMode) -> BoardFixture {
    let mut fixture = merged(deliver);
    fixture.happen(Event::Performed {
        key: "retire/a".to_owned(),
        problem: None,
    });
    fixture
}

fn delivered(n_commits: u64, end: DeliveryEnd) -> Event {
    Event::Delivered {
        task: "a".into(),
        delivery: Box::new(Delivery {
            base: "feature/shop".to_owned(),
            remote: Some("origin".to_owned()),
            to: "m3".to_owned(),
            n_commits,
            end,
        }),
    }
}

fn batch(fixture: &BoardFixture) -> &Batch {
    &fixture.board.batches[&"shop".into()]
}

#[test]
fn a_merge_is_delivered_unless_the_settings_say_off() {
    for deliver in [DeliveryMode::FastForward, DeliveryMode::Tell] {
        assert_eq!(merged(deliver).effect_keys(), ["deliver/a", "retire/a"]);
    }
    assert_eq!(merged(DeliveryMode::Off).effect_keys(), ["retire/a"]);
}

#[test]
fn work_that_the_branch_lacks_is_told_once_and_looked_at_until_it_is_there() {
    let mut fixture = retired(DeliveryMode::Tell);
    fixture.happen(delivered(3, DeliveryEnd::Told));
    let line = "3 commits on origin/feature/shop: dbs pull";
    assert_eq!(fixture.notice_texts("delivered"), [line]);
    assert_eq!(batch(&fixture).owed_text().unwrap(), line);
    assert_eq!(
        fixture.board.next_deadline(),
        Some(fixture.now + Span::minutes(2))
    );
    fixture.wait(Span::minutes(2));
    assert_eq!(fixture.effect_keys(), ["deliver/a"]);
    assert!(fixture.board.owes(&"a".into()));
    fixture.happen(delivered(3, DeliveryEnd::Told));
    assert_eq!(fixture.lines(), Vec::<String>::new());
    let next = fixture.now + Span::minutes(4);
    assert_eq!(fixture.board.next_deadline(), Some(next), "checks become rarer");
    fixture.wait(Span::minutes(4));
    fixture.happen(delivered(0, DeliveryEnd::Current));
    assert_eq!(
        (batch(&fixture).owed_text(), fixture.board.next_deadline()),
        (None, None)
    );
    assert!(fixture.lines().is_empty());
}

#[test]
fn a_checkout_that_did_not_move_says_why_and_one_that_moved_is_owed_nothing() {
    let mut fixture = merged(DeliveryMode::FastForward);
    let why = "a.txt has changes of yours; commit or stash them, then `dbs pull`";
    fixture.happen(delivered(2, DeliveryEnd::Kept(why.to_owned())));
    let line = format!("delivered: 2 commits of feature/shop not in your folder: {why}");
    assert_eq!(fixture.lines(), [line]);
    fixture.ask(Command::Pulled("main".to_owned())).unwrap();
    assert!(
        batch(&fixture).owed_text().is_some(),
        "the pull was of another base"
    );
    fixture.ask(Command::Pulled("feature/shop".to_owned())).unwrap();
    assert_eq!(batch(&fixture).owed_text(), None);
    fixture.happen(delivered(2, DeliveryEnd::Files));
    let line = "delivered: feature/shop and its files in your folder moved by 2 commits";
    assert_eq!(fixture.lines(), [line]);
    assert_eq!(batch(&fixture).owed_text(), None);
}
