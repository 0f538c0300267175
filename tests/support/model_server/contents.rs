//! Gemini API (`generateContent`): requests to dialogues, replies to contents and to their streams.

use serde_json::{Value, json};

use super::dialogue::{Dialogue, Speaker};
use super::http::StreamEvent;
use super::script::{Failure, Reply};
use super::serving::{pieces, texts, tokens};

/// Returns the conversation of a request.
pub(super) fn dialogue(request: &Value) -> Dialogue {
    let has_tools = request["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let mut dialogue = Dialogue::new(texts(&request["systemInstruction"]["parts"]), !has_tools);
    for content in request["contents"].as_array().into_iter().flatten() {
        let said = texts(&content["parts"]);
        let speaker = match content["role"].as_str() {
            Some("model") => Speaker::Model,
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
    json!({ "totalTokens": tokens(request) })
}

/// Returns the body of an error.
pub(super) fn error(failure: &Failure) -> Value {
    let mut error = json!({ "code": failure.status, "status": failure.kind, "message": failure.message });
    if let Some(details) = &failure.details {
        error["details"] = details.clone();
    }
    json!({ "error": error })
}

/// Returns the reply as a whole. `number` makes its ids unique.
pub(super) fn whole(request: &Value, reply: &Reply, number: usize) -> Value {
    let text = reply.text.iter().map(|text| json!({ "text": text }));
    last(request, reply, number, text.chain(calls(reply)).collect())
}

/// Returns the reply as the events of a stream.
pub(super) fn events(request: &Value, reply: &Reply, number: usize) -> Vec<StreamEvent> {
    let text = pieces(reply.text.as_deref().unwrap_or_default());
    let parts = text.map(|part| StreamEvent {
        is_piece: true,
        ..StreamEvent::of(answer(&json!([{ "text": part }]), number))
    });
    let last = last(request, reply, number, calls(reply).collect());
    parts.chain([StreamEvent::of(last)]).collect()
}

fn calls(reply: &Reply) -> impl Iterator<Item = Value> {
    let call =
        |call: &super::script::ToolCall| json!({ "functionCall": { "name": call.tool, "args": call.input } });
    reply.calls.iter().map(call)
}

fn answer(parts: &Value, number: usize) -> Value {
    let content = json!({ "role": "model", "parts": parts });
    json!({ "candidates": [{ "index": 0, "content": content }], "responseId": format!("response_{number}") })
}

/// Returns the last part of an answer, with its finish reason and usage.
fn last(request: &Value, reply: &Reply, number: usize, mut parts: Vec<Value>) -> Value {
    if parts.is_empty() {
        parts.push(json!({ "text": "" }));
    }
    let mut answer = answer(&json!(parts), number);
    answer["candidates"][0]["finishReason"] = json!(reply.stop_reason.as_deref().unwrap_or("STOP"));
    let (input, output) = (tokens(&request["contents"]), tokens(&json!(reply.text)));
    let mut usage = json!({
        "promptTokenCount": input, "candidatesTokenCount": output, "totalTokenCount": input + output,
    });
    for (name, figure) in &reply.usage {
        usage[name] = figure.clone();
    }
    answer["usageMetadata"] = usage;
    answer
}
