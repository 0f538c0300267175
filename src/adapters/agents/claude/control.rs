//! Control protocol of `claude -p --input-format stream-json`: the lines that are written to its standard input, and its requests on its
//! standard output. A request for a permission is put in the words of a hook, so that both are answered by the same code.

use serde_json::{Map, Value, json};

use crate::adapters::agents::hook::REPORTS;
use crate::adapters::agents::json_report::{list, object, raw};

/// The id of the first request; its reply says that the tool is ready for a prompt.
const INITIALIZE: &str = "initialize";
/// The one callback that is named for all events; each call says which event it is.
const CALLBACK: &str = "event";

/// Request in one line of the tool to the holder of its standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ControlRequest {
    /// Tool that is ready for its first prompt.
    Ready,
    /// Event that a hook would get; the input of that hook.
    Event { id: String, input: Value },
    /// Question before a tool is used; the input of the hook that would be called.
    Permission { id: String, input: Value },
    /// Withdrawal of one of its own requests.
    Withdrawn { id: String },
    /// Request that is not known here.
    Unknown { id: String },
    /// Begin of the turn of a message that was sent while the tool worked; the message's id.
    Begun { message: String },
}

/// Returns the request in the line, if there is one.
pub fn request(line: &[u8]) -> Option<ControlRequest> {
    let line = object(line)?;
    let id = raw(&line, "/request_id").to_owned();
    match (raw(&line, "/type"), raw(&line, "/request/subtype")) {
        ("control_response", _) if raw(&line, "/response/request_id") == INITIALIZE => {
            Some(ControlRequest::Ready)
        }
        ("control_request", "hook_callback") => Some(ControlRequest::Event {
            id,
            input: line.pointer("/request/input")?.clone(),
        }),
        ("control_request", "can_use_tool") => Some(ControlRequest::Permission {
            id,
            input: as_hook(&line),
        }),
        ("control_request", _) => Some(ControlRequest::Unknown { id }),
        ("control_cancel_request", _) => Some(ControlRequest::Withdrawn { id }),
        ("command_lifecycle", _) if raw(&line, "/state") == "started" => Some(ControlRequest::Begun {
            message: raw(&line, "/command_uuid").to_owned(),
        }),
        _ => None,
    }
}

/// The same question as the hook `PermissionRequest` gets it.
fn as_hook(line: &Value) -> Value {
    let mut input = Map::new();
    input.insert("hook_event_name".to_owned(), Value::from("PermissionRequest"));
    for (name, path) in [
        ("tool_name", "/request/tool_name"),
        ("tool_input", "/request/input"),
        ("permission_suggestions", "/request/permission_suggestions"),
        ("agent_id", "/request/agent_id"),
    ] {
        if let Some(value) = line.pointer(path) {
            input.insert(name.to_owned(), value.clone());
        }
    }
    Value::Object(input)
}

/// Returns the first line: the events that are reported over the protocol instead of by programs.
pub fn initialize() -> String {
    let events = REPORTS.iter().copied().chain(["Stop"]);
    let hooks: Map<String, Value> = events
        .map(|event| (event.to_owned(), json!([{ "hookCallbackIds": [CALLBACK] }])))
        .collect();
    asked(INITIALIZE, &json!({ "subtype": "initialize", "hooks": hooks }))
}

/// Builds a message of the user. The tool repeats its id when the message has its turn.
pub fn message(text: &str, id: &str) -> String {
    json!({
        "type": "user",
        "message": { "role": "user", "content": text },
        "uuid": id,
        "priority": "next",
    })
    .to_string()
}

/// Ends the turn, not the tool.
pub fn interrupt(id: &str) -> String {
    asked(id, &json!({ "subtype": "interrupt" }))
}

/// A request under that id.
pub(super) fn asked(id: &str, request: &Value) -> String {
    json!({ "type": "control_request", "request_id": id, "request": request }).to_string()
}

/// Builds the answer to an event: the output of a hook; without output the tool continues.
pub fn event_answer(id: &str, printed: Option<&str>) -> String {
    let said = printed.and_then(|text| serde_json::from_str(text).ok());
    answered(id, &said.unwrap_or_else(|| json!({})))
}

/// Builds the answer to a permission, from the output of a hook.
pub fn permission_answer(id: &str, input: &Value, printed: &str) -> String {
    let said: Value = serde_json::from_str(printed).unwrap_or_default();
    let decision = said.pointer("/hookSpecificOutput/decision");
    let mut decision = match decision {
        Some(Value::Object(fields)) => fields.clone(),
        _ => return denied(id, "No answer was given."),
    };
    // Without an input the tool takes an allowed call for one without any.
    if raw(&said, "/hookSpecificOutput/decision/behavior") == "allow" {
        let asked = input.get("tool_input").cloned().unwrap_or_else(|| json!({}));
        decision.entry("updatedInput").or_insert(asked);
    }
    answered(id, &Value::Object(decision))
}

/// Builds the refusal of a permission that cannot be given.
pub fn denied(id: &str, why: &str) -> String {
    answered(id, &json!({ "behavior": "deny", "message": why }))
}

/// The answer to a request that is not known here.
pub fn unknown(id: &str) -> String {
    let response = json!({ "subtype": "error", "request_id": id, "error": "dbs does not know this request" });
    json!({ "type": "control_response", "response": response }).to_string()
}

fn answered(id: &str, response: &Value) -> String {
    let response = json!({ "subtype": "success", "request_id": id, "response": response });
    json!({ "type": "control_response", "response": response }).to_string()
}

/// Returns true if the question can be answered by one reply: several questions at once cannot, nor one with several answers.
pub fn has_one_answer(input: &Value) -> bool {
    let questions = list(input, "/tool_input/questions");
    let several = |question: &Value| question.pointer("/multiSelect") == Some(&Value::Bool(true));
    raw(input, "/tool_name") != "AskUserQuestion" || matches!(questions, [question] if !several(question))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::agents::hook::{answer, go_on};
    use crate::domain::AskReply;

    fn asked_permission() -> (String, Value) {
        let line = json!({ "type": "control_request", "request_id": "r", "request": {
            "subtype": "can_use_tool", "tool_name": "Bash", "input": { "command": "touch x" },
            "permission_suggestions": [{ "type": "setMode", "mode": "acceptEdits", "destination": "localSettings" }],
        } });
        match request(line.to_string().as_bytes()) {
            Some(ControlRequest::Permission { id, input }) => (id, input),
            other => panic!("{other:?}"),
        }
    }

    fn response(line: &str) -> Value {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["response"]["request_id"], "r");
        line["response"]["response"].clone()
    }

    #[test]
    fn a_permission_is_answered_with_the_input_that_was_asked_about() {
        let (id, input) = asked_permission();
        let said = |reply: &AskReply| response(&permission_answer(&id, &input, &answer(&input, reply)));
        let allowed = said(&AskReply::Allow);
        assert_eq!(
            allowed,
            json!({ "behavior": "allow", "updatedInput": { "command": "touch x" } })
        );
        let always = said(&AskReply::AllowAlways);
        assert_eq!(always["updatedPermissions"][0]["destination"], "session");
        let no = said(&AskReply::Deny("not now".to_owned()));
        assert_eq!(no, json!({ "behavior": "deny", "message": "not now" }));
        let broken = response(&permission_answer(&id, &input, "nonsense"));
        assert_eq!(broken["behavior"], "deny");
    }

    #[test]
    fn the_end_of_a_turn_is_answered_as_by_a_hook() {
        assert_eq!(response(&event_answer("r", None)), json!({}));
        let kept = response(&event_answer("r", Some(&go_on("report"))));
        assert_eq!(kept, json!({ "decision": "block", "reason": "report" }));
    }

    #[test]
    fn only_a_single_question_has_one_answer() {
        let asked = |questions: Value| json!({ "tool_name": "AskUserQuestion", "tool_input": { "questions": questions } });
        assert!(has_one_answer(&asked(json!([{ "question": "A?" }]))));
        assert!(!has_one_answer(&asked(
            json!([{ "question": "A?", "multiSelect": true }])
        )));
        assert!(!has_one_answer(&asked(
            json!([{ "question": "A?" }, { "question": "B?" }])
        )));
        assert!(has_one_answer(&asked_permission().1));
    }

    #[test]
    fn lines_that_ask_nothing_and_broken_ones_are_no_requests() {
        for line in [
            "",
            "nonsense",
            "[]",
            r#"{"type":"assistant"}"#,
            r#"{"type":7,"request":[]}"#,
        ] {
            assert_eq!(request(line.as_bytes()), None, "{line}");
        }
        let unknown = br#"{"type":"control_request","request_id":"q","request":{"subtype":"new"}}"#;
        assert_eq!(
            request(unknown),
            Some(ControlRequest::Unknown { id: "q".to_owned() })
        );
    }
}
