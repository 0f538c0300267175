//! Stage in which the engine commits, with evidence that the agent's work is committed: the task needs both to move on.

use dbs::domain::{Event, EvidenceKind, FailureClass, SignalKind, Tri};

use crate::fixture::{BoardFixture, draft, workflow};

const FLOW: &str = r#"
id = "left"
title = "The engine commits"
entry = "work"
scan = ["work"]
cascade = "wait"
exhausted = "hold"

[limits]
empty = 2
gate = 3
spawns = 9

[[stage]]
id = "work"
role = "worker"
workspace = "branch"
access = "write"
signals = ["done"]
evidence = ["committed", "commits_ahead"]
"#;

fn done() -> BoardFixture {
    let mut fixture = BoardFixture::new();
    fixture.happen(Event::WorkflowsLoaded(vec![workflow("left", FLOW)]));
    fixture.released(draft("a", "left"));
    let open = fixture.open("a");
    fixture.live(open, SignalKind::Done, "");
    fixture
}

fn no() -> Tri {
    Tri::No("it is not so".to_owned())
}

#[test]
fn the_task_moves_on_when_what_was_left_is_committed_and_there_are_commits() {
    let mut fixture = done();
    let open = fixture.open("a");
    assert_eq!(
        fixture.asked_evidence(open),
        [EvidenceKind::Committed, EvidenceKind::CommitsAhead]
    );
    fixture.verify(open, &[]);
    assert_eq!(fixture.word("a"), "done");
}

#[test]
fn either_of_them_missing_or_unknown_only_delays() {
    for kind in [EvidenceKind::Committed, EvidenceKind::CommitsAhead] {
        let mut fixture = done();
        let open = fixture.open("a");
        fixture.verify(open, &[(kind.clone(), Tri::Unknown("locked".into()))]);
        assert_eq!(
            (fixture.word("a"), fixture.open("a")),
            ("verifying", open),
            "{kind:?}"
        );
        let mut some = fixture.evidence(open, &[]);
        some.retain(|piece| piece.kind != kind);
        fixture.wait_until_due();
        fixture.happen(Event::Verified {
            attempt: open,
            evidence: some,
            head: Some("c".to_owned()),
            integration: None,
        });
        assert_eq!(
            (fixture.word("a"), fixture.open("a")),
            ("verifying", open),
            "{kind:?}"
        );
        fixture.wait_until_due();
        fixture.verify(open, &[]);
        assert_eq!(fixture.word("a"), "done", "{kind:?}");
    }
}

#[test]
fn nothing_to_commit_and_no_commits_is_an_empty_attempt_and_a_refusal_to_commit_is_to_be_mended() {
    let cases = [
        (vec![(EvidenceKind::CommitsAhead, no())], FailureClass::Empty),
        (vec![(EvidenceKind::Committed, no())], FailureClass::Gate),
        (
            vec![
                (EvidenceKind::Committed, no()),
                (EvidenceKind::CommitsAhead, no()),
            ],
            FailureClass::Empty,
        ),
    ];
    for (but, class) in cases {
        let mut fixture = done();
        let open = fixture.open("a");
        fixture.verify(open, &but);
        let failures = &fixture.task("a").failures;
        let counted: Vec<_> = failures.iter().map(|(key, n)| format!("{key:?} {n:?}")).collect();
        assert!(
            counted.len() == 1 && counted[0].contains(&format!("{class:?}")),
            "{but:?}: {counted:?}"
        );
        assert_ne!(fixture.word("a"), "done", "{but:?}");
        assert!(fixture.task("a").finding.is_some());
    }
}
