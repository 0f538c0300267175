//! `dbs mcp`: the reports of an agent as tools of a server that speaks MCP (protocol 2025-06-18) on standard input and output, one JSON
//! message a line. A tool does what `dbs signal` does, with the same proof, for the attempt whose process started it.

use crate::cli::commands::prelude::*;
use crate::domain::cut::cut_chars;
use std::io::{self, BufRead, Read as _};

use serde_json::{Value, json};

use super::signal::{self, SIGNALS};
use crate::cli::args::parse_word;
use crate::cli::command_error;
use crate::domain::SignalKind;
use crate::domain::signal::LONGEST_REPORT;
use crate::engine::inbox::CommandReply;

/// Versions of the protocol in which everything used here is the same, the newest first.
const PROTOCOLS: [&str; 3] = ["2025-06-18", "2025-03-26", "2024-11-05"];
/// Maximum bytes of a message that is read; a report may be written with many escapes.
const LONGEST_LINE: usize = 1024 * 1024;

const INSTRUCTIONS: &str = "These tools report how your attempt at a dbs task goes. Call `claim` when you begin and exactly one of \
                            `done`, `reject`, `block` or `fail` at the end, as your prompt says.";

/// Error that is sent in place of a result: the number of JSON-RPC and words.
type RpcError = (i32, String);

const NOT_JSON: i32 = -32_700;
const NO_REQUEST: i32 = -32_600;
const NO_METHOD: i32 = -32_601;
const WRONG_PARAMETERS: i32 = -32_602;

/// A message as it came in.
#[derive(Debug)]
enum Line {
    Whole(Vec<u8>),
    TooLong,
}

/// Offer the signals as Model Context Protocol tools (for agents)
///
/// An agent whose tool starts this as a server gets one tool for each kind of signal: `claim`, `done`, `reject`, `block`, `fail`,
/// `progress` and `question`, each with a `text` and, if there is one, a `report`. They do what `dbs signal` does, with the same proof
/// (`DBS_ATTEMPT` and `DBS_TOKEN`). Claude Code, for example, starts it with `claude --mcp-config
/// '{"mcpServers":{"dbs":{"command":"dbs","args":["mcp"]}}}'`. A message is one line of JSON of at most 1 MiB. The protocol version is
/// 2025-06-18; clients of 2025-03-26 and 2024-11-05 are answered in their version.
#[derive(Debug, Args)]
#[command(add = facts(Attempts, "dbs mcp"))]
pub struct McpArgs {}

impl RunCommand for McpArgs {
    /// Answers messages until there are no more.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        signal::attempt_and_token(env)?;
        let send = |kind, text: String, report| signal::of_this_attempt(env, kind, text, report);
        let mut input = io::stdin().lock();
        while let Some(line) =
            next_line(&mut input).map_err(command_error::failed("could not read a message"))?
        {
            if let Some(answer) = answer(&line, &send) {
                output::json(&answer);
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Reads the next message; the rest of one that is too long is skipped.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let limit = u64::try_from(LONGEST_LINE).unwrap_or(u64::MAX);
    input.take(limit).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.len() < LONGEST_LINE || line.ends_with(b"\n") {
        return Ok(Some(Line::Whole(line)));
    }
    while !line.is_empty() && !line.ends_with(b"\n") {
        line.clear();
        input.take(limit).read_until(b'\n', &mut line)?;
    }
    Ok(Some(Line::TooLong))
}

/// Returns the answer to a message; `None` for one that wants none.
fn answer<F>(line: &Line, send: &F) -> Option<Value>
where
    F: Fn(SignalKind, String, Option<String>) -> CommandResult<CommandReply>,
{
    let message = match line {
        Line::TooLong => {
            let why = format!("the message has more than {LONGEST_LINE} bytes");
            return Some(failed(&Value::Null, &(NO_REQUEST, why)));
        }
        Line::Whole(bytes) if bytes.trim_ascii().is_empty() => return None,
        Line::Whole(bytes) => match serde_json::from_slice::<Value>(bytes) {
            Ok(message) => message,
            Err(why) => {
                return Some(failed(
                    &Value::Null,
                    &(NOT_JSON, format!("this is not JSON: {why}")),
                ));
            }
        },
    };
    let is_reply = message.get("result").is_some() || message.get("error").is_some();
    let id = message.get("id").filter(|id| id.is_string() || id.is_number());
    let method = message.get("method").and_then(Value::as_str);
    let version = message.get("jsonrpc").and_then(Value::as_str);
    match (version, method, id) {
        (Some("2.0"), Some(_), None) if message.get("id").is_none() => None,
        (Some("2.0"), None, _) if is_reply => None,
        (Some("2.0"), Some(method), Some(id)) => {
            let parameters = message.get("params").unwrap_or(&Value::Null);
            Some(match result(method, parameters, send) {
                Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
                Err(why) => failed(id, &why),
            })
        }
        _ => {
            let why = "a request is an object with jsonrpc \"2.0\", an id and a method; several in one message are not taken";
            Some(failed(id.unwrap_or(&Value::Null), &(NO_REQUEST, why.to_owned())))
        }
    }
}

fn failed(id: &Value, (code, message): &RpcError) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

fn result<F>(method: &str, parameters: &Value, send: &F) -> Result<Value, RpcError>
where
    F: Fn(SignalKind, String, Option<String>) -> CommandResult<CommandReply>,
{
    match method {
        "initialize" => Ok(initialize(parameters)),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({ "tools": SIGNALS.map(tool) })),
        "tools/call" => call(parameters, send),
        other => Err((
            NO_METHOD,
            format!("there is no method {} here", cut_chars(other, 80)),
        )),
    }
}

fn initialize(parameters: &Value) -> Value {
    let wanted = parameters.get("protocolVersion").and_then(Value::as_str);
    let known = PROTOCOLS.into_iter().find(|known| Some(*known) == wanted);
    json!({
        "protocolVersion": known.unwrap_or(PROTOCOLS[0]),
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "dbs", "version": env!("CARGO_PKG_VERSION") },
        "instructions": INSTRUCTIONS,
    })
}

fn tool((name, help): (&str, &str)) -> Value {
    let needs_text = !matches!(name, "claim" | "done");
    let required: &[&str] = if needs_text { &["text"] } else { &[] };
    json!({
        "name": name,
        "description": format!("Report of this attempt: {help}"),
        "inputSchema": {
            "type": "object",
            "properties": {
                "text": { "type": "string", "description": "Reason, finding, step or question" },
                "report": { "type": "string", "description": "A report, JSON as a rule, at most 64 KiB" },
            },
            "required": required,
            "additionalProperties": false,
        },
    })
}

fn call<F>(parameters: &Value, send: &F) -> Result<Value, RpcError>
where
    F: Fn(SignalKind, String, Option<String>) -> CommandResult<CommandReply>,
{
    let wrong = |why: String| (WRONG_PARAMETERS, why);
    let name = parameters.get("name").and_then(Value::as_str).unwrap_or_default();
    let is_known = SIGNALS.iter().any(|(word, _)| *word == name);
    let kind: SignalKind = (is_known.then(|| parse_word(name.to_owned())))
        .and_then(Result::ok)
        .ok_or_else(|| wrong("there is no such tool; tools/list names all".to_owned()))?;
    let given = parameters.get("arguments").unwrap_or(&Value::Null);
    if !given.is_null() && !given.is_object() {
        return Err(wrong("`arguments` must be an object".to_owned()));
    }
    let text = |field: &str| match given.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(wrong(format!("`{field}` must be a text"))),
    };
    let (said, report) = (text("text")?, text("report")?);
    if report
        .as_ref()
        .is_some_and(|report| report.len() > LONGEST_REPORT)
    {
        return Err(wrong(format!("`report` has more than {LONGEST_REPORT} bytes")));
    }
    let (is_error, words) = match send(kind, said.unwrap_or_default(), report) {
        Ok(Ok(done)) => (false, done.0),
        Ok(Err(refused)) => (true, format!("the signal was refused: {}", refused.why)),
        Err(why) => (true, why.to_string()),
    };
    Ok(json!({ "content": [{ "type": "text", "text": words }], "isError": is_error }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Accepted;

    /// What is answered, and what was sent by it.
    fn told(message: &str) -> (Option<Value>, Vec<(SignalKind, String)>) {
        let taken = std::cell::RefCell::new(Vec::new());
        let send = |kind, text: String, _| {
            taken.borrow_mut().push((kind, text));
            Ok(Ok(Accepted("taken".to_owned())))
        };
        let answer = answer(&Line::Whole(message.as_bytes().to_vec()), &send);
        (answer, taken.into_inner())
    }

    fn code(message: &str) -> Value {
        told(message).0.unwrap()["error"]["code"].clone()
    }

    #[test]
    fn a_client_is_told_the_version_both_know_and_the_newest_otherwise() {
        for (wanted, expected) in [("2024-11-05", "2024-11-05"), ("2999-01-01", "2025-06-18")] {
            let message = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{wanted}"}}}}"#
            );
            let answer = told(&message).0.unwrap();
            assert_eq!(answer["result"]["protocolVersion"], expected);
            assert_eq!(answer["id"], 1);
        }
    }

    #[test]
    fn what_is_no_request_gets_the_error_of_the_protocol_and_what_wants_no_answer_gets_none() {
        for (message, expected) in [
            ("{", NOT_JSON),
            ("[]", NO_REQUEST),
            ("7", NO_REQUEST),
            (r#"{"id":1,"method":"ping"}"#, NO_REQUEST),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, NO_REQUEST),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, NO_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1}"#, NO_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#, NO_METHOD),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
                WRONG_PARAMETERS,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"approve"}}"#,
                WRONG_PARAMETERS,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"done","arguments":{"text":7}}}"#,
                WRONG_PARAMETERS,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"done","arguments":["made"]}}"#,
                WRONG_PARAMETERS,
            ),
        ] {
            assert_eq!(code(message), expected, "{message}");
        }
        for message in [
            "\n",
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":4,"result":{}}"#,
        ] {
            assert_eq!(told(message).0, None, "{message}");
        }
    }

    #[test]
    fn a_tool_sends_its_signal_once() {
        let (answer, sent) = told(
            r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"block","arguments":{"text":"no key"}}}"#,
        );
        let answer = answer.unwrap();
        assert_eq!(answer["result"]["content"][0]["text"], "taken");
        assert_eq!(answer["result"]["isError"], false);
        assert_eq!(sent, [(SignalKind::Block, "no key".to_owned())]);
    }

    #[test]
    fn a_message_that_is_too_long_is_passed_over_and_the_next_one_read() {
        let text = format!("{}\n{{\"next\":1}}\n", "x".repeat(3 * LONGEST_LINE));
        let mut input = io::BufReader::new(text.as_bytes());
        assert!(matches!(next_line(&mut input), Ok(Some(Line::TooLong))));
        assert!(matches!(next_line(&mut input), Ok(Some(Line::Whole(line))) if line == b"{\"next\":1}\n"));
        assert!(matches!(next_line(&mut input), Ok(None)));
    }
}
