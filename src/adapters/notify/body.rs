//! Body of a notification: a JSON document for programs, a line for a topic of ntfy. Neither contains words of an agent.

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Map, Value, json};
use sha2::Sha256;

use crate::adapters::clock::on_calendar;
use crate::ports::notify::{Notification, NotificationItem};

/// Maximum number of things listed one by one; all are counted.
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
    Some(format!("sha256={}", hex::encode(sum.finalize().into_bytes())))
}

#[cfg(test)]
pub(super) mod tests;
