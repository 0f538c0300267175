//! Tests of `src/server/signals/intake.rs`.

use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::domain::{Attempt, AttemptId, AttemptState, Signal, SignalKind, Span, Timestamp, Verdict};
use crate::engine::inbox::{InboxReceiver, inbox};
use crate::engine::journal::Journal;
use crate::read_model::{ReadModel, settled_attempt};

pub(in crate::server) const FIRST: AttemptId = AttemptId(7);
pub(in crate::server) const SECOND: AttemptId = AttemptId(8);
const MADE: Timestamp = Timestamp(3);

/// The intake of a server over a folder, with the two attempts on its board.
pub(in crate::server) fn intake(folder: &Path) -> (SignalIntake, InboxReceiver) {
    let mut model = ReadModel::default();
    for id in [FIRST, SECOND] {
        let mut attempt = settled_attempt(id.0, "development", MADE.0, 9, Verdict::Passed);
        attempt.state = AttemptState::Running;
        model.attempts.insert(id, Arc::new(attempt));
    }
    let (inbox, outlet) = inbox();
    let intake = SignalIntake {
        folder: folder.join("inbox"),
        reach: SocketReach::default(),
        secret: ProjectSecret::of(&folder.join("secret")).unwrap(),
        engine: EngineHandle {
            inbox,
            read_models: tokio::sync::watch::channel(Arc::new(model)).1,
            journal: Journal::default(),
        },
        usage: Arc::default(),
        records: Arc::default(),
        hooks: WaitingHooks::new(Span(0)),
    };
    std::fs::create_dir(&intake.folder).unwrap();
    (intake, outlet)
}

/// A signal of that attempt, with the token of `by`.
pub(in crate::server) fn signal(secret: &ProjectSecret, attempt: AttemptId, by: AttemptId) -> SignalSent {
    SignalSent {
        attempt,
        token: secret.token(by, MADE),
        kind: SignalKind::Done,
        text: "it works".to_owned(),
        report: None,
        key: "k-1".to_owned(),
        is_comment: false,
    }
}

#[test]
fn a_comment_that_comes_as_a_file_is_one_of_its_attempts_agent_on_its_own_task() {
    let home = tempfile::tempdir().unwrap();
    let (intake, _outlet) = intake(home.path());
    let mut comment = signal(&intake.secret, FIRST, FIRST);
    comment.is_comment = true;
    let event = verified(&intake, &comment, SignalWay::File).unwrap();
    let own = intake.engine.read_model().attempts[&FIRST].clone();
    let wanted = Event::Asked {
        request: RequestId(0),
        by: own.worker.name().to_owned(),
        command: Command::Comment(own.task.clone(), "it works".to_owned()),
    };
    assert_eq!(event, wanted);
    comment.attempt = SECOND;
    assert!(
        verified(&intake, &comment, SignalWay::File).is_err(),
        "by the token of another"
    );
}

/// Text and key are that; what they are instead would be too long to show.
fn kept((text, key): &(String, String), expected: &str) {
    assert!(text == expected, "{} bytes of text", text.len());
    assert!(key == expected, "{} bytes of key", key.len());
}

#[test]
fn a_flood_is_refused_before_it_becomes_events_but_what_was_taken_is_still_known() {
    let home = tempfile::tempdir().unwrap();
    let (mut intake, _outlet) = intake(home.path());
    let mut model = ReadModel::clone(&intake.engine.read_model());
    let mut attempt = Attempt::clone(&model.attempts[&FIRST]);
    attempt.signals = (0..200)
        .map(|n| Signal {
            kind: SignalKind::Done,
            text: String::new(),
            report: None,
            key: format!("k-{n}"),
            by_file: false,
            at: MADE,
        })
        .collect();
    model.attempts.insert(FIRST, Arc::new(attempt));
    intake.engine.read_models = tokio::sync::watch::channel(Arc::new(model)).1;
    let mut sent = signal(&intake.secret, FIRST, FIRST);
    assert!(
        verified(&intake, &sent, SignalWay::Socket).is_ok(),
        "it was taken before"
    );
    sent.key = "another".to_owned();
    assert!(
        verified(&intake, &sent, SignalWay::Socket)
            .is_err_and(|refusal| refusal.why.contains("too many done signals"))
    );
    sent.kind = SignalKind::Block;
    assert!(
        verified(&intake, &sent, SignalWay::Socket).is_ok(),
        "another kind has room"
    );
}

#[test]
fn a_token_is_void_when_its_attempt_is_over_but_what_was_taken_is_still_known() {
    let home = tempfile::tempdir().unwrap();
    let (mut intake, _outlet) = intake(home.path());
    let mut model = ReadModel::clone(&intake.engine.read_model());
    let mut over = settled_attempt(FIRST.0, "development", MADE.0, 9, Verdict::Passed);
    over.signals.push(Signal {
        kind: SignalKind::Done,
        text: String::new(),
        report: None,
        key: "k-1".to_owned(),
        by_file: false,
        at: MADE,
    });
    model.attempts.insert(FIRST, Arc::new(over));
    intake.engine.read_models = tokio::sync::watch::channel(Arc::new(model)).1;
    let mut sent = signal(&intake.secret, FIRST, FIRST);
    assert!(verified(&intake, &sent, SignalWay::Socket).is_ok());
    sent.key = "k-2".to_owned();
    assert!(
        verified(&intake, &sent, SignalWay::Socket)
            .is_err_and(|refusal| refusal.why == "attempt 7 is over: done came too late")
    );
    assert!(
        verified(
            &intake,
            &signal(&intake.secret, SECOND, SECOND),
            SignalWay::Socket
        )
        .is_ok(),
        "the other goes on"
    );
}

#[test]
fn of_a_text_that_is_too_long_a_signal_keeps_the_beginning_in_whole_characters() {
    let home = tempfile::tempdir().unwrap();
    let (intake, _outlet) = intake(home.path());
    let sent = |text: &str| {
        let mut signal = signal(&intake.secret, FIRST, FIRST);
        signal.text = text.to_owned();
        signal.key = text.to_owned();
        match verified(&intake, &signal, SignalWay::Socket) {
            Ok(Event::Signalled { text, key, .. }) => (text, key),
            other => panic!("no signal: {other:?}"),
        }
    };
    let whole = "x".repeat(64 * 1024);
    kept(&sent(&whole), &whole);
    kept(&sent(&format!("{whole}y")), &whole);
    // The last character that begins within the limit would end beyond it.
    let begun = "x".repeat(64 * 1024 - 1);
    let wide = format!("{begun}\u{e9}{}", "z".repeat(1024 * 1024));
    kept(&sent(&wide), &begun);
    kept(&sent("a\0b"), "ab");
}
