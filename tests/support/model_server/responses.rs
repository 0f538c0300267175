//! `OpenAI` Responses API, as a stream: requests to dialogues, replies to the events of a response.

use serde_json::{Value, json};

use super::dialogue::{Dialogue, Speaker};
use super::http::StreamEvent;
use super::script::{Failure, Reply, ToolCall};
use super::serving::{pieces, texts, tokens};

/// Returns the conversation of a request.
pub(super) fn dialogue(request: &Value) -> Dialogue {
    let wants_a_form = request["text"]["format"]["type"] == "json_schema";
    let mut role = request["instructions"].as_str().unwrap_or_default().to_owned();
    let items: Vec<&Value> = request["input"].as_array().into_iter().flatten().collect();
    let is_instruction = |item: &&&Value| matches!(item["role"].as_str(), Some("system" | "developer"));
    for item in items.iter().filter(is_instruction) {
        role.push('\n');
        role.push_str(&texts(&item["content"]));
    }
    let mut dialogue = Dialogue::new(role, wants_a_form);
    for item in items {
        let said = texts(&item["content"]);
        match (item["type"].as_str(), item["role"].as_str()) {
            (_, Some("user")) => dialogue.push(Speaker::User, &said),
            (_, Some("assistant")) => dialogue.push(Speaker::Model, &said),
            (Some(kind), None) if kind.ends_with("_call") => dialogue.push(Speaker::Model, ""),
            (Some(kind), None) if kind.ends_with("_output") => dialogue.push(Speaker::Tool, ""),
            _ => {}
        }
    }
    dialogue
}

/// Returns the body of an error.
pub(super) fn error(failure: &Failure) -> Value {
    json!({ "error": { "type": failure.kind, "code": failure.kind, "message": failure.message } })
}

/// Returns the reply as the events of a stream. `number` makes its ids unique.
pub(super) fn events(request: &Value, reply: &Reply, number: usize) -> Vec<StreamEvent> {
    let mut response = json!({
        "id": format!("resp_{number}"),
        "object": "response",
        "status": "in_progress",
        "model": request["model"],
        "output": [],
    });
    let mut events = vec![StreamEvent::of(
        json!({ "type": "response.created", "response": response }),
    )];
    let items = items(reply, number);
    for (index, item) in items.iter().enumerate() {
        events.extend(item_events(index, item));
    }
    response["status"] = json!("completed");
    response["usage"] = usage(request, reply, &items);
    response["output"] = Value::Array(items);
    events.push(StreamEvent::of(
        json!({ "type": "response.completed", "response": response }),
    ));
    events
}

fn item_events(index: usize, item: &Value) -> Vec<StreamEvent> {
    let mut opened = item.clone();
    let mut said = String::new();
    if item["type"] == "message" {
        opened["content"] = json!([]);
        said = texts(&item["content"]);
    }
    let added = StreamEvent::of(
        json!({ "type": "response.output_item.added", "output_index": index, "item": opened }),
    );
    let deltas = pieces(&said)
        .map(|part| StreamEvent {
            is_piece: true,
            ..StreamEvent::of(json!({
                "type": "response.output_text.delta", "item_id": item["id"], "output_index": index,
                "content_index": 0, "delta": part,
            }))
        })
        .collect::<Vec<_>>();
    let done =
        StreamEvent::of(json!({ "type": "response.output_item.done", "output_index": index, "item": item }));
    [added].into_iter().chain(deltas).chain([done]).collect()
}

fn items(reply: &Reply, number: usize) -> Vec<Value> {
    let thinking = reply.thinking.iter().map(|text| {
        let summary = json!([{ "type": "summary_text", "text": text }]);
        json!({ "type": "reasoning", "id": format!("rs_{number}"), "summary": summary })
    });
    let text = reply.text.iter().map(|text| {
        let content = json!([{ "type": "output_text", "text": text, "annotations": [] }]);
        json!({
            "type": "message", "id": format!("msg_{number}"), "role": "assistant", "status": "completed",
            "content": content,
        })
    });
    let calls = reply.calls.iter().enumerate();
    let calls = calls.map(|(at, call)| call_item(call, &format!("{number}_{at}")));
    thinking.chain(text).chain(calls).collect()
}

fn call_item(call: &ToolCall, id: &str) -> Value {
    let mut item = json!({ "status": "completed", "call_id": format!("call_{id}"), "name": call.tool });
    if let Value::String(text) = &call.input {
        item["type"] = json!("custom_tool_call");
        item["id"] = json!(format!("ctc_{id}"));
        item["input"] = json!(text);
    } else {
        item["type"] = json!("function_call");
        item["id"] = json!(format!("fc_{id}"));
        item["arguments"] = json!(call.input.to_string());
    }
    item
}

fn usage(request: &Value, reply: &Reply, items: &[Value]) -> Value {
    let (input, output) = (tokens(&request["input"]), tokens(&json!(items)));
    let mut usage = json!({
        "input_tokens": input,
        "input_tokens_details": { "cached_tokens": 0 },
        "output_tokens": output,
        "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": input + output,
    });
    for (name, figure) in &reply.usage {
        usage[name] = figure.clone();
    }
    usage
}
