//! Anthropic Messages API: requests to dialogues, replies to messages and to their streams.

use serde_json::{Value, json};

use super::dialogue::{Dialogue, Speaker};
use super::http::StreamEvent;
use super::script::{Failure, Reply};
use super::serving::{pieces, texts, tokens};

/// Returns the conversation of a request.
pub(super) fn dialogue(request: &Value) -> Dialogue {
    let has_tools = request["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let mut dialogue = Dialogue::new(texts(&request["system"]), !has_tools);
    for message in request["messages"].as_array().into_iter().flatten() {
        let said = texts(&message["content"]);
        let speaker = match message["role"].as_str() {
            Some("assistant") => Speaker::Model,
            // Results of tools come in the user's name.
            _ if said.is_empty() => Speaker::Tool,
            _ => Speaker::User,
        };
        dialogue.push(speaker, &said);
    }
    dialogue
}

/// Returns the answer to a request for the number of tokens.
pub(super) fn token_count(request: &Value) -> Value {
    json!({ "input_tokens": tokens(request) })
}

/// Returns the body of an error.
pub(super) fn error(failure: &Failure) -> Value {
    json!({ "type": "error", "error": { "type": failure.kind, "message": failure.message } })
}

/// Returns the reply as a whole message. `number` makes its ids unique.
pub(super) fn message(request: &Value, reply: &Reply, number: usize) -> Value {
    let stop = match &reply.stop_reason {
        Some(reason) => reason,
        None if reply.calls.is_empty() => "end_turn",
        None => "tool_use",
    };
    json!({
        "id": format!("msg_{number}"),
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": blocks(reply, number),
        "stop_reason": stop,
        "stop_sequence": null,
        "usage": usage(request, reply),
    })
}

/// Returns the same message as the events of a stream.
pub(super) fn events(message: &Value) -> Vec<StreamEvent> {
    let mut opened = message.clone();
    opened["content"] = json!([]);
    opened["stop_reason"] = Value::Null;
    opened["usage"]["output_tokens"] = json!(1);
    let mut events = vec![StreamEvent::of(
        json!({ "type": "message_start", "message": opened }),
    )];
    for (index, block) in message["content"].as_array().into_iter().flatten().enumerate() {
        events.extend(block_events(index, block));
    }
    let end = json!({ "stop_reason": message["stop_reason"], "stop_sequence": null });
    events.push(StreamEvent::of(
        json!({ "type": "message_delta", "delta": end, "usage": message["usage"] }),
    ));
    events.push(StreamEvent::of(json!({ "type": "message_stop" })));
    events
}

fn block_events(index: usize, block: &Value) -> Vec<StreamEvent> {
    let mut opened = block.clone();
    let deltas: Vec<Value> = match block["type"].as_str() {
        Some("tool_use") => {
            opened["input"] = json!({});
            let parts = pieces(&block["input"].to_string());
            parts
                .map(|part| json!({ "type": "input_json_delta", "partial_json": part }))
                .collect()
        }
        Some("thinking") => {
            opened["thinking"] = json!("");
            opened["signature"] = json!("");
            let parts = pieces(block["thinking"].as_str().unwrap_or_default());
            let thoughts = parts.map(|part| json!({ "type": "thinking_delta", "thinking": part }));
            let signature = json!({ "type": "signature_delta", "signature": block["signature"] });
            thoughts.chain([signature]).collect()
        }
        _ => {
            opened["text"] = json!("");
            let parts = pieces(block["text"].as_str().unwrap_or_default());
            parts
                .map(|part| json!({ "type": "text_delta", "text": part }))
                .collect()
        }
    };
    let start =
        StreamEvent::of(json!({ "type": "content_block_start", "index": index, "content_block": opened }));
    let parts = deltas.into_iter().map(|delta| StreamEvent {
        is_piece: true,
        ..StreamEvent::of(json!({ "type": "content_block_delta", "index": index, "delta": delta }))
    });
    let stop = StreamEvent::of(json!({ "type": "content_block_stop", "index": index }));
    [start].into_iter().chain(parts).chain([stop]).collect()
}

fn blocks(reply: &Reply, number: usize) -> Vec<Value> {
    let thinking = reply
        .thinking
        .iter()
        .map(|text| json!({ "type": "thinking", "thinking": text, "signature": "c2lnbmVk" }));
    let text = reply
        .text
        .iter()
        .map(|text| json!({ "type": "text", "text": text }));
    let calls = reply.calls.iter().enumerate().map(|(at, call)| {
        json!({ "type": "tool_use", "id": format!("toolu_{number}_{at}"), "name": call.tool, "input": call.input })
    });
    thinking.chain(text).chain(calls).collect()
}

fn usage(request: &Value, reply: &Reply) -> Value {
    let mut usage = json!({
        "input_tokens": 4,
        "cache_creation_input_tokens": tokens(request),
        "cache_read_input_tokens": 0,
        "output_tokens": tokens(&json!(reply.text)),
        "service_tier": "standard",
    });
    for (name, figure) in &reply.usage {
        usage[name] = figure.clone();
    }
    usage
}
