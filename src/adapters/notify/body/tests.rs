//! Tests of `src/adapters/notify/body.rs`.

use super::*;
use crate::domain::{AttemptId, NoticeLevel, Timestamp};

/// A notification about a question of an agent, for tests of all channels.
pub(in crate::adapters::notify) fn question() -> Notification {
    Notification {
        id: "7f".to_owned(),
        project: "shop".to_owned(),
        at: Timestamp(1_795_298_400_000),
        level: NoticeLevel::Alert,
        text: "needs you: t-1 question: what is the password?".to_owned(),
        redacted_text: "needs you: t-1 question".to_owned(),
        items: Vec::new(),
    }
}

#[test]
fn the_signature_is_the_one_other_tools_make() {
    // RFC 4231, test case 2.
    assert_eq!(
        signature("Jefe", "what do ya want for nothing?").unwrap(),
        "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    );
}

#[test]
fn the_document_names_ids_and_kinds_and_no_word_of_an_agent() {
    let notification = Notification {
        redacted_text: "needs you: t-1 question, main completed".to_owned(),
        items: vec![
            NotificationItem {
                kind: "question",
                task: Some("t-1".into()),
                attempt: Some(AttemptId(7)),
                run: None,
            },
            NotificationItem {
                kind: "run",
                task: None,
                attempt: None,
                run: Some(("main".into(), "completed".to_owned())),
            },
        ],
        ..question()
    };
    let body = BodyFormat::Json.body(&notification);
    assert_eq!(
        body,
        "{\"version\":1,\"id\":\"7f\",\"project\":\"shop\",\"at\":\"2026-11-21T22:00:00Z\",\
         \"level\":\"alert\",\"text\":\"needs you: t-1 question, main completed\",\"count\":2,\"items\":[\
         {\"kind\":\"question\",\"task\":\"t-1\",\"attempt\":7},\
         {\"kind\":\"run\",\"run\":\"main\",\"state\":\"completed\"}]}"
    );
    assert_eq!(
        BodyFormat::Ntfy.body(&notification),
        format!("shop: {}", notification.redacted_text)
    );
    for shape in [BodyFormat::Json, BodyFormat::Ntfy] {
        assert!(!shape.body(&notification).contains("password"));
    }
}
