//! Reading of one JSON message of a tool, of any bytes: unknown content is ignored. Must not know a tool.

use crate::domain::cut::cut_chars;
use serde_json::Value;

use super::limit_words::names_limit;
use crate::agent_state::{AgentReport, Doing, Figures};
use crate::domain::Tokens;
use crate::domain::event::EndCause;
use crate::domain::{Timestamp, TroubleKind};
use crate::term::sanitize;

/// Maximum length of a message that is read, in bytes.
const LONGEST: usize = 16 * 1024 * 1024;
/// Maximum length of a text that is kept of a message, in characters.
const LONGEST_TEXT: usize = 2000;
/// Times below this are seconds since 1970, those above milliseconds.
const LEAST_MILLIS: u64 = 100_000_000_000;

/// The JSON object that the bytes are, if they are one of a bearable length.
pub(super) fn object(bytes: &[u8]) -> Option<Value> {
    let value: Value = (bytes.len() <= LONGEST).then(|| serde_json::from_slice(bytes).ok())??;
    value.is_object().then_some(value)
}

/// The text at a path such as `/message/id`; empty when there is none.
pub(super) fn raw<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

/// The text at a path, made harmless for terminals and cut.
pub(super) fn text(value: &Value, path: &str) -> String {
    harmless(raw(value, path))
}

/// The text at a path as [`text`] gives it; `None` if it is empty.
pub(super) fn filled(value: &Value, path: &str) -> Option<String> {
    Some(text(value, path)).filter(|text| !text.is_empty())
}

/// A text made harmless for terminals and cut.
pub(super) fn harmless(text: &str) -> String {
    sanitize(cut_chars(text, LONGEST_TEXT)).into_owned()
}

/// The number at a path; 0 when there is none.
pub(super) fn number(value: &Value, path: &str) -> u64 {
    value.pointer(path).and_then(Value::as_u64).unwrap_or_default()
}

/// The number at a path; `None` if there is none or it is 0.
pub(super) fn positive(value: &Value, path: &str) -> Option<u64> {
    Some(number(value, path)).filter(|number| *number > 0)
}

/// The figures of a call of a tool; empty if it has no id.
pub(super) fn tool_call(id: String) -> Vec<Figures> {
    let id = Some(id).filter(|id| !id.is_empty());
    id.map(|id| Figures::ToolCall { id }).into_iter().collect()
}

/// The items of the list at a path.
pub(super) fn list<'a>(value: &'a Value, path: &str) -> &'a [Value] {
    value
        .pointer(path)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// A usage limit that keeps the agent from working: until when and which, each at a path.
pub(super) fn usage_limit(value: &Value, [until, which]: [&str; 2]) -> AgentReport {
    let until = time(value, until);
    let which = text(value, which).replace('_', " ");
    // The tool's own words for people follow in its hook.
    let limit = Doing::Limit {
        until,
        text: String::new(),
    };
    let why = format!("usage limit ({which})");
    AgentReport {
        end: Some(EndCause::Quota { until, why }),
        ..AgentReport::doing(limit)
    }
}

/// The time at a path, written in seconds or milliseconds.
pub(super) fn time(value: &Value, path: &str) -> Option<Timestamp> {
    let number = value.pointer(path)?.as_u64()?;
    Some(Timestamp(if number < LEAST_MILLIS {
        number.saturating_mul(1000)
    } else {
        number
    }))
}

/// Figures as Anthropic's interface writes them.
pub(super) fn tokens(usage: &Value) -> Tokens {
    Tokens {
        input: number(usage, "/input_tokens"),
        cache_read: number(usage, "/cache_read_input_tokens"),
        cache_write: number(usage, "/cache_creation_input_tokens"),
        output: number(usage, "/output_tokens"),
    }
}

/// Returns the report of a failed request, from the status or the name that the model's interface gave the failure.
pub(super) fn failure(status: u64, error: &str, text: String) -> AgentReport {
    let (doing, end) = match (status, error) {
        (429, _) | (_, "rate_limit" | "rate_limit_error") if names_limit(&text) => {
            let limit = Doing::Limit {
                until: None,
                text: text.clone(),
            };
            (
                limit,
                EndCause::Quota {
                    until: None,
                    why: text,
                },
            )
        }
        (401, _) | (_, "authentication_failed" | "authentication_error") => (
            Doing::NotLoggedIn { text: text.clone() },
            EndCause::Infra(TroubleKind::Refusal.cause(text)),
        ),
        (402..=404, _) | (_, "billing_error" | "model_not_found") => {
            (failed(&text), EndCause::Infra(TroubleKind::Refusal.cause(text)))
        }
        // Too many requests at once are no usage limit: they are sent again, like those of an overloaded provider.
        (429 | 500.., _) | (_, "rate_limit" | "rate_limit_error" | "server_error" | "overloaded_error") => {
            (failed(&text), EndCause::Infra(TroubleKind::Network.cause(text)))
        }
        _ => return AgentReport::doing(failed(&text)),
    };
    AgentReport {
        end: Some(end),
        ..AgentReport::doing(doing)
    }
}

/// A turn that failed with those words.
pub(super) fn failed(text: &str) -> Doing {
    Doing::Done {
        problem: Some(text.to_owned()),
    }
}
