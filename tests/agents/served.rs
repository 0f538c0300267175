//! Tests of the scripted model itself, which is asked by hand.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::model_server::{ModelServer, Scripts};

const SCRIPTS: &str = r#"{
    "default": { "replies": [{ "text": "nothing scripted" }] },
    "two": { "replies": [{ "text": "first", "calls": [{ "tool": "Bash", "input": { "command": "ls" } }] }, { "text": "second" }] },
    "title": { "role": "write a title", "replies": [{ "text": "a title" }] },
    "busy": { "replies": [{ "text": "at last",
        "fail": { "status": 529, "type": "overloaded_error", "message": "busy", "headers": { "retry-after": "7" }, "times": 1 } }] },
    "broken": { "replies": [{ "text": "a text of more than one piece of a stream", "break_after": 1 }] },
    "held": { "replies": [{ "text": "a text of more than one piece of a stream", "gate": { "name": "middle", "after": 1 } }] },
    "figures": { "replies": [{ "thinking": "so so", "text": "x", "usage": { "input_tokens": 123, "output_tokens": 45 } }] }
}"#;

fn server() -> ModelServer {
    ModelServer::start(Scripts::default().with("SCRIPTS", SCRIPTS))
}

/// Sends a request and leaves the answer to be read.
fn ask(server: &ModelServer, path: &str, body: &Value) -> TcpStream {
    let address = server.url().replace("http://", "");
    let mut connection = TcpStream::connect(&address).expect("it listens");
    let patience = Some(Duration::from_secs(30));
    connection.set_read_timeout(patience).expect("set");
    let body = body.to_string();
    let length = body.len();
    let request =
        format!("POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-length: {length}\r\n\r\n{body}");
    connection.write_all(request.as_bytes()).expect("sent");
    connection
}

/// Returns the whole answer, head and body.
fn answer(server: &ModelServer, path: &str, body: &Value) -> String {
    let mut text = String::new();
    let mut connection = ask(server, path, body);
    connection.read_to_string(&mut text).expect("answered");
    text
}

/// Returns the body of an answer as JSON.
fn body_of(answer: &str) -> Value {
    let (_, body) = answer.split_once("\r\n\r\n").expect("a head");
    serde_json::from_str(body).expect("JSON")
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

fn messages(messages: &Value) -> Value {
    json!({ "model": "m", "tools": [{ "name": "Bash" }], "messages": messages })
}

/// Returns the text of the message that answers these messages.
fn said(server: &ModelServer, dialogue: &Value) -> Value {
    body_of(&answer(server, "/v1/messages", &messages(dialogue)))["content"][0]["text"].clone()
}

#[test]
fn the_newest_marked_message_chooses_the_script_and_the_turns_after_it_the_reply() {
    let server = server();
    let called = json!({ "role": "assistant", "content": [{ "type": "text", "text": "first" }] });
    let result = json!({ "role": "user", "content": [{ "type": "tool_result", "content": "README.md" }] });
    let (two, marked_later) = (user("[[script:two]] go"), user("[[script:figures]] go"));
    assert_eq!(said(&server, &json!([two])), "first");
    assert_eq!(said(&server, &json!([two, called, result])), "second");
    assert_eq!(
        said(&server, &json!([two, called, result, called, result])),
        "second"
    );
    assert_eq!(said(&server, &json!([marked_later, called, two])), "first");
    assert_eq!(said(&server, &json!([user("no mark")])), "nothing scripted");
    let chosen: Vec<_> = server
        .requests()
        .into_iter()
        .filter_map(|request| request.script)
        .collect();
    let expected = [("two", 0), ("two", 1), ("two", 2), ("two", 0), ("default", 0)];
    assert_eq!(chosen, expected.map(|(name, turn)| (name.to_owned(), turn)));
}

#[test]
fn without_a_mark_for_it_the_instructions_choose_the_script() {
    let server = server();
    let mut request = messages(&json!([user("[[script:two]] go")]));
    request["system"] = json!([{ "type": "text", "text": "Please write a title for this." }]);
    request["tools"] = json!([]);
    let titled = body_of(&answer(&server, "/v1/messages", &request));
    assert_eq!(titled["content"][0]["text"], "a title");
    let mut request = messages(&json!([user("go")]));
    request["system"] = json!("You are [[script:figures]].");
    let named = body_of(&answer(&server, "/v1/messages", &request));
    assert_eq!(named["content"][0]["thinking"], "so so");
    assert_eq!(named["usage"]["input_tokens"], 123);
    assert_eq!(named["usage"]["output_tokens"], 45);
}

#[test]
fn a_message_is_streamed_in_pieces_that_add_up() {
    let server = server();
    let mut request = messages(&json!([user("[[script:two]] go")]));
    request["stream"] = json!(true);
    let text = answer(&server, "/v1/messages?beta=true", &request);
    assert!(text.ends_with("0\r\n\r\n"), "{text}");
    let events: Vec<Value> = text
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let kinds: Vec<_> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    let block = ["content_block_start", "content_block_delta", "content_block_stop"];
    let expected: Vec<_> = ["message_start"]
        .into_iter()
        .chain(block)
        .chain(block)
        .chain(["message_delta", "message_stop"])
        .collect();
    assert_eq!(kinds, expected);
    let parts = events
        .iter()
        .filter_map(|event| event["delta"]["partial_json"].as_str());
    assert_eq!(parts.collect::<String>(), r#"{"command":"ls"}"#);
    assert_eq!(events[7]["delta"]["stop_reason"], "tool_use");
}

#[test]
fn a_response_is_streamed_with_its_items() {
    let server = server();
    let input = json!([
        { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "[[script:two]] go" }] },
        { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "first" }] },
        { "type": "function_call", "name": "shell", "arguments": "{}", "call_id": "1" },
        { "type": "function_call_output", "call_id": "1", "output": "README.md" },
    ]);
    let first = json!({ "model": "m", "stream": true, "tools": [{ "name": "shell" }], "input": [input[0]] });
    let text = answer(&server, "/v1/responses", &first);
    assert!(text.contains(r#""arguments":"{\"command\":\"ls\"}""#), "{text}");
    assert!(text.contains(r#""type":"function_call""#), "{text}");
    assert!(text.contains("event: response.completed"), "{text}");
    let second = json!({ "model": "m", "stream": true, "tools": [{ "name": "shell" }], "input": input });
    let text = answer(&server, "/v1/responses", &second);
    assert!(text.contains(r#""delta":"second""#), "{text}");
    assert_eq!(server.requests_for("two").len(), 2);
}

#[test]
fn a_refusal_has_its_status_and_headers_and_is_over_after_its_times() {
    let server = server();
    let request = messages(&json!([user("[[script:busy]] go")]));
    let refused = answer(&server, "/v1/messages", &request);
    assert!(refused.starts_with("HTTP/1.1 529 "), "{refused}");
    assert!(refused.contains("\r\nretry-after: 7\r\n"), "{refused}");
    assert_eq!(body_of(&refused)["error"]["type"], "overloaded_error");
    let second = body_of(&answer(&server, "/v1/messages", &request));
    assert_eq!(second["content"][0]["text"], "at last");
}

#[test]
fn a_broken_stream_never_says_that_it_is_over() {
    let server = server();
    let mut request = messages(&json!([user("[[script:broken]] go")]));
    request["stream"] = json!(true);
    let text = answer(&server, "/v1/messages", &request);
    assert_eq!(text.matches("event: content_block_delta").count(), 1, "{text}");
    assert!(!text.contains("message_stop"), "{text}");
    assert!(!text.ends_with("0\r\n\r\n"), "{text}");
}

#[test]
fn an_answer_waits_at_its_gate_until_the_test_opens_it() {
    let server = server();
    let mut request = messages(&json!([user("[[script:held]] go")]));
    request["stream"] = json!(true);
    let mut connection = ask(&server, "/v1/messages", &request);
    server.wait_at_gate("middle");
    let mut seen = Vec::new();
    let mut byte = [0];
    while !seen.ends_with(b"a text of more than one ") {
        connection
            .read_exact(&mut byte)
            .expect("what stands before the gate is sent");
        seen.push(byte[0]);
    }
    assert!(!String::from_utf8_lossy(&seen).contains("piece"), "it went on");
    server.open_gate("middle");
    let mut rest = String::new();
    connection.read_to_string(&mut rest).expect("answered");
    assert!(rest.contains("message_stop"), "{rest}");
}

#[test]
fn a_server_that_is_dropped_leaves_no_answer_waiting() {
    let server = server();
    let mut request = messages(&json!([user("[[script:held]] go")]));
    request["stream"] = json!(true);
    let mut waiting = ask(&server, "/v1/messages", &request);
    let silent = || TcpStream::connect(server.url().replace("http://", "")).expect("it listens");
    let mut silent = [silent(), silent()];
    server.wait_at_gate("middle");
    let began = Instant::now();
    drop(server);
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "the server waited for its clients"
    );
    let mut rest = Vec::new();
    // The system decides whether the end comes as an end or as a reset.
    drop(waiting.read_to_end(&mut rest));
    for connection in &mut silent {
        drop(connection.read_to_end(&mut rest));
    }
    assert!(!String::from_utf8_lossy(&rest).contains("message_stop"));
}

#[test]
fn tokens_are_counted_and_other_pages_are_not_there() {
    let server = server();
    let counted = answer(
        &server,
        "/v1/messages/count_tokens",
        &messages(&json!([user("go")])),
    );
    assert!(
        body_of(&counted)["input_tokens"]
            .as_u64()
            .is_some_and(|tokens| tokens > 3)
    );
    assert!(answer(&server, "/v1/other", &json!({})).starts_with("HTTP/1.1 404 "));
    assert_eq!(server.requests().len(), 2);
    assert_eq!(server.requests()[1].path, "/v1/other");
    assert_eq!(server.requests()[1].headers["content-length"], "2");
    assert!(server.requests().iter().all(|request| request.script.is_none()));
}
