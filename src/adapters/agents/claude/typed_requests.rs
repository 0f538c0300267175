//! Typed lines that are for the tool itself and not for its model, in the words of its own interface: `/model NAME` and `/context`.
//! Without an interface the tool takes both as requests of the control protocol, also in the middle of a turn.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::control;
use crate::adapters::agents::json_report::{list, number, object, raw};
use crate::adapters::agents::shown::Shown;

/// Requests whose replies are awaited; a line that is typed beyond that is a message.
const MOST_OPEN: usize = 16;
/// Parts of the context that are shown.
const MOST_PARTS: usize = 12;

/// The requests that were typed and whose replies are awaited, by their ids.
#[derive(Debug, Default)]
pub(super) struct TypedRequests(BTreeMap<String, TypedRequest>);

#[derive(Debug, Clone, Copy)]
enum TypedRequest {
    Model,
    Context,
}

impl TypedRequests {
    /// Returns the request to write to the tool for a typed line; `None` if the line is a message.
    pub(super) fn line(&mut self, text: &str, id: &str) -> Option<String> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let (request, fields) = match (word, rest.trim()) {
            ("/model", model) if !model.is_empty() && !model.contains(char::is_whitespace) => (
                TypedRequest::Model,
                json!({ "subtype": "set_model", "model": model }),
            ),
            ("/context", "") => (
                TypedRequest::Context,
                json!({ "subtype": "get_context_usage", "detail": "summary" }),
            ),
            _ => return None,
        };
        if self.0.len() >= MOST_OPEN {
            return None;
        }
        self.0.insert(id.to_owned(), request);
        Some(control::asked(id, &fields))
    }

    /// The lines that a reply to one of them adds to the transcript.
    pub(super) fn reply(&mut self, line: &[u8]) -> Vec<String> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let line = object(line).filter(|line| raw(line, "/type") == "control_response");
        let Some(reply) = line.as_ref().and_then(|line| line.pointer("/response")) else {
            return Vec::new();
        };
        let Some(request) = self.0.remove(raw(reply, "/request_id")) else {
            return Vec::new();
        };
        let mut shown = Shown::of(None);
        match request {
            _ if raw(reply, "/subtype") != "success" => shown.line(&format!("  ! {}", raw(reply, "/error"))),
            TypedRequest::Model => {
                shown.line(&format!(
                    "~ model from here on: {}",
                    raw(reply, "/response/model")
                ));
            }
            TypedRequest::Context => context(reply, &mut shown),
        }
        shown.lines
    }
}

/// Shows the fill of the context, with its parts.
fn context(reply: &Value, shown: &mut Shown) {
    let figure = |path: &str| number(reply, path);
    shown.line(&format!(
        "~ context: {} of {} tokens, {} %",
        figure("/response/totalTokens"),
        figure("/response/maxTokens"),
        figure("/response/percentage")
    ));
    let parts = list(reply, "/response/categories").iter();
    for part in parts.filter(|part| raw(part, "/kind") == "used").take(MOST_PARTS) {
        shown.line(&format!(
            "    {}: {}",
            raw(part, "/name"),
            number(part, "/tokens")
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replied(request: &mut TypedRequests, response: &Value) -> Vec<String> {
        let line = json!({ "type": "control_response", "response": response });
        request.reply(line.to_string().as_bytes())
    }

    #[test]
    fn only_a_line_that_is_such_a_request_and_nothing_else_is_none_for_the_model() {
        let mut typed = TypedRequests::default();
        let line: Value = serde_json::from_str(&typed.line("/model haiku", "r").unwrap()).unwrap();
        assert_eq!(
            line["request"],
            json!({ "subtype": "set_model", "model": "haiku" })
        );
        for message in [
            "/model",
            "/model a b",
            "/context now",
            "see /context",
            "/modelhaiku",
            " /context",
        ] {
            assert_eq!(typed.line(message, "m"), None, "{message}");
        }
    }

    #[test]
    fn a_reply_is_shown_once_and_one_to_another_request_never() {
        let mut typed = TypedRequests::default();
        typed.line("/context", "c");
        let used = json!({ "name": "Skills\u{1b}[2J", "tokens": 7, "kind": "used" });
        let free = json!({ "name": "Free space", "tokens": 3, "kind": "free" });
        let response =
            json!({ "totalTokens": 7, "maxTokens": 10, "percentage": 70, "categories": [used, free] });
        let reply = json!({ "subtype": "success", "request_id": "c", "response": response });
        let other = json!({ "subtype": "success", "request_id": "o", "response": {} });
        assert!(replied(&mut typed, &other).is_empty());
        let shown = replied(&mut typed, &reply);
        assert_eq!(shown[0], "~ context: 7 of 10 tokens, 70 %");
        assert!(
            shown.len() == 2 && shown[1].contains("Skills") && !shown[1].contains('\u{1b}'),
            "{shown:?}"
        );
        assert!(replied(&mut typed, &reply).is_empty());
        typed.line("/model none", "m");
        let refused = json!({ "subtype": "error", "request_id": "m", "error": "no such model" });
        assert_eq!(replied(&mut typed, &refused), ["  ! no such model"]);
    }
}
