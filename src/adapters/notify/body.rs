//! Body of a notification: a JSON document for programs, a line for a topic of ntfy. Neither contains words of an agent.

use std::fmt::Write as _;

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Map, Value, json};
use sha2::Sha256;

use crate::adapters::clock::on_calendar;
use crate::ports::notify::{Notification, NotificationItem};

/// Most things listed one by one; all are counted.
const MOST_LISTED: usize = 50;

/// Format of a webhook's request body: a JSON document or a line for an ntfy topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BodyFormat {
    #[default]
    Json,
    /// A line, as a topic of an ntfy server shows it.
    Ntfy,
}

impl BodyFormat {
    pub(super) fn content_type(self) -> &'static str {
        match self {
            BodyFormat::Json => "application/json",
            BodyFormat::Ntfy => "text/plain; charset=utf-8",
        }
    }

    pub(super) fn body(self, notification: &Notification) -> String {
        match self {
            BodyFormat::Json => document(notification).to_string(),
            BodyFormat::Ntfy => format!("{}: {}", notification.project, notification.redacted_text),
        }
    }
}

/// The same document for the same notification: its signature can be compared.
fn document(notification: &Notification) -> Value {
    json!({
        "version": 1,
        "id": notification.id,
        "project": notification.project,
        "at": on_calendar(notification.at).to_string(),
        "level": notification.level,
        "text": notification.redacted_text,
        "count": notification.items.len(),
        "items": notification.items.iter().take(MOST_LISTED).map(item).collect::<Vec<_>>(),
    })
}

fn item(item: &NotificationItem) -> Value {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| drop(fields.insert(name.to_owned(), value));
    put("kind", item.kind.into());
    if let Some(task) = &item.task {
        put("task", task.as_str().into());
    }
    if let Some(attempt) = item.attempt {
        put("attempt", attempt.0.into());
    }
    if let Some((run, state)) = &item.run {
        put("run", run.as_str().into());
        put("state", state.as_str().into());
    }
    Value::Object(fields)
}

/// `sha256=` and the HMAC-SHA256 of the body, in hexadecimal digits.
pub(super) fn signature(secret: &str, body: &str) -> Option<String> {
    // A key of any length is taken.
    let mut sum = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok()?;
    sum.update(body.as_bytes());
    let mut text = "sha256=".to_owned();
    for byte in sum.finalize().into_bytes() {
        write!(text, "{byte:02x}").ok()?;
    }
    Some(text)
}

#[cfg(test)]
pub(super) mod tests {
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
}
