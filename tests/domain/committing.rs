//! A stage that needs what the agent left to be committed, and commits: neither alone moves the task.

use dbs::domain::{Event, EvidenceKind, FailureClass, SignalKind, Tri};

use crate::desk::{Desk, draft, workflow};

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

fn done() -> Desk {
    let mut desk = Desk::new();
    desk.happen(Event::WorkflowsLoaded(vec![workflow("left", FLOW)]));
    desk.released(draft("a", "left"));
    let open = desk.open("a");
    desk.live(open, SignalKind::Done, "");
    desk
}

fn no() -> Tri {
    Tri::No("it is not so".to_owned())
}

#[test]
fn the_task_moves_on_when_what_was_left_is_committed_and_there_are_commits() {
    let mut desk = done();
    let open = desk.open("a");
    assert_eq!(
        desk.asked_evidence(open),
        [EvidenceKind::Committed, EvidenceKind::CommitsAhead]
    );
    desk.verify(open, &[]);
    assert_eq!(desk.word("a"), "done");
}

#[test]
fn either_of_them_missing_or_unknown_only_delays() {
    for kind in [EvidenceKind::Committed, EvidenceKind::CommitsAhead] {
        let mut desk = done();
        let open = desk.open("a");
        desk.verify(open, &[(kind.clone(), Tri::Unknown("locked".to_owned()))]);
        assert_eq!((desk.word("a"), desk.open("a")), ("verifying", open), "{kind:?}");
        let mut some = desk.evidence(open, &[]);
        some.retain(|piece| piece.kind != kind);
        desk.wait_until_due();
        desk.happen(Event::Verified {
            attempt: open,
            evidence: some,
            head: Some("c".to_owned()),
        });
        assert_eq!((desk.word("a"), desk.open("a")), ("verifying", open), "{kind:?}");
        desk.wait_until_due();
        desk.verify(open, &[]);
        assert_eq!(desk.word("a"), "done", "{kind:?}");
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
        let mut desk = done();
        let open = desk.open("a");
        desk.verify(open, &but);
        let failures = &desk.task("a").failures;
        let counted: Vec<_> = failures.iter().map(|(key, n)| format!("{key:?} {n:?}")).collect();
        assert!(
            counted.len() == 1 && counted[0].contains(&format!("{class:?}")),
            "{but:?}: {counted:?}"
        );
        assert_ne!(desk.word("a"), "done", "{but:?}");
        assert!(desk.task("a").finding.is_some());
    }
}
