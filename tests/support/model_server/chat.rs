//! `OpenAI` Chat Completions API: requests to dialogues, replies to completions and to their streams.

use serde_json::{Value, json};

use super::dialogue::{Dialogue, Speaker};
use super::http::StreamEvent;
use super::script::{Failure, Reply};
use super::serving::{pieces, texts, tokens};

/// Model that tools are configured to use for titles and summaries. Unlike in the other APIs, a missing list of tools does not show such a
/// request, because some agents never send one.
const MODEL_OF_ASIDES: &str = "aside";

/// Returns the conversation of a request.
pub(super) fn dialogue(request: &Value) -> Dialogue {
    let messages: Vec<&Value> = request["messages"].as_array().into_iter().flatten().collect();
    let is_instruction = |message: &&&Value| matches!(message["role"].as_str(), Some("system" | "developer"));
    let role: Vec<String> = messages
        .iter()
        .filter(is_instruction)
        .map(|message| texts(&message["content"]))
        .collect();
    let mut dialogue = Dialogue::new(role.join("\n"), request["model"] == MODEL_OF_ASIDES);
    for message in messages {
        let said = texts(&message["content"]);
        match message["role"].as_str() {
            Some("user") => dialogue.push(Speaker::User, &said),
            Some("assistant") => dialogue.push(Speaker::Model, &said),
            Some("tool") => dialogue.push(Speaker::Tool, ""),
            _ => {}
        }
    }
    dialogue
}

/// Returns the body of an error.
pub(super) fn error(failure: &Failure) -> Value {
    json!({ "error": { "type": failure.kind, "code": failure.kind, "message": failure.message } })
}

/// Returns the reply as a whole completion. `number` makes its ids unique.
pub(super) fn completion(request: &Value, reply: &Reply, number: usize) -> Value {
    let mut message = json!({ "role": "assistant", "content": reply.text });
    if !reply.calls.is_empty() {
        message["tool_calls"] = calls(reply, number);
    }
    let choice = json!({ "index": 0, "message": message, "finish_reason": stop(reply) });
    let mut completion = head(request, number, "chat.completion");
    completion["choices"] = json!([choice]);
    completion["usage"] = usage(request, reply);
    completion
}

/// Returns the reply as the events of a stream.
pub(super) fn events(request: &Value, reply: &Reply, number: usize) -> Vec<StreamEvent> {
    let chunk = |delta: Value, stop: Value| {
        let mut chunk = head(request, number, "chat.completion.chunk");
        chunk["choices"] = json!([{ "index": 0, "delta": delta, "finish_reason": stop }]);
        chunk
    };
    let mut events = vec![StreamEvent::of(chunk(
        json!({ "role": "assistant", "content": "" }),
        Value::Null,
    ))];
    let text = pieces(reply.text.as_deref().unwrap_or_default());
    events.extend(text.map(|part| StreamEvent {
        is_piece: true,
        ..StreamEvent::of(chunk(json!({ "content": part }), Value::Null))
    }));
    if !reply.calls.is_empty() {
        let calls = json!({ "tool_calls": calls(reply, number) });
        events.push(StreamEvent::of(chunk(calls, Value::Null)));
    }
    let mut end = chunk(json!({}), json!(stop(reply)));
    end["usage"] = usage(request, reply);
    events.push(StreamEvent::of(end));
    events
}

fn head(request: &Value, number: usize, object: &str) -> Value {
    json!({ "id": format!("chatcmpl-{number}"), "object": object, "created": 0, "model": request["model"] })
}

fn stop(reply: &Reply) -> &str {
    match &reply.stop_reason {
        Some(reason) => reason,
        None if reply.calls.is_empty() => "stop",
        None => "tool_calls",
    }
}

fn calls(reply: &Reply, number: usize) -> Value {
    let calls = reply.calls.iter().enumerate().map(|(at, call)| {
        let function = json!({ "name": call.tool, "arguments": call.input.to_string() });
        json!({ "index": at, "id": format!("call_{number}_{at}"), "type": "function", "function": function })
    });
    calls.collect()
}

fn usage(request: &Value, reply: &Reply) -> Value {
    let (input, output) = (tokens(&request["messages"]), tokens(&json!(reply.text)));
    let mut usage =
        json!({ "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output });
    for (name, figure) in &reply.usage {
        usage[name] = figure.clone();
    }
    usage
}
