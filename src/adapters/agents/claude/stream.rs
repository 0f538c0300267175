//! Lines of `claude -p --output-format stream-json`, with or without the control protocol. Types that are not known say nothing.
//!
//! A run ends at the end of its output, not at a `result`: a background task starts another turn by itself.

use serde_json::Value;

use super::stream_parts::{assistant, rate_limit, result, stream_event};
use crate::adapters::agents::json_report::{filled, list, number, object, positive, raw, text};
use crate::adapters::agents::tool_ask::ToolAsk;
use crate::agent_state::{AgentReport, AskReport, Doing, Figures, Seen, Work};

/// Reads one line.
pub fn read(line: &[u8]) -> AgentReport {
    let Some(line) = object(line) else {
        return AgentReport::default();
    };
    let is_child = line.pointer("/parent_tool_use_id").is_some_and(Value::is_string);
    let mut report = match raw(&line, "/type") {
        _ if is_child => AgentReport::default(),
        "system" => system(&line),
        "assistant" => assistant(&line),
        "user" => user(&line),
        "stream_event" => stream_event(&line),
        "result" => result(&line),
        "rate_limit_event" => rate_limit(&line),
        "control_request" => control_request(&line),
        "control_cancel_request" => settled(text(&line, "/request_id")),
        _ => AgentReport::default(),
    };
    report.session = filled(&line, "/session_id");
    report
}

fn system(line: &Value) -> AgentReport {
    let id = || text(line, "/task_id");
    let seen = match raw(line, "/subtype") {
        "init" => Seen::Doing(Doing::WORKING),
        "thinking_tokens" => Seen::Doing(Doing::Working(Work::Thinking)),
        "status" => return status(line),
        "api_retry" => Seen::Doing(retry(line)),
        "compact_boundary" => {
            let used = positive(line, "/compact_metadata/post_tokens");
            return AgentReport {
                figures: vec![Figures::Context { used, window: None }],
                ..AgentReport::doing(Doing::Working(Work::Thinking))
            };
        }
        "task_started" => Seen::Child {
            id: id(),
            name: text(line, "/description"),
        },
        "task_notification" => Seen::ChildGone { id: id() },
        "background_tasks_changed" => Seen::Children(tasks(line)),
        "session_state_changed" => match raw(line, "/state") {
            "idle" => Seen::Doing(Doing::Idle),
            "running" => Seen::Doing(Doing::WORKING),
            _ => return AgentReport::default(),
        },
        _ => return AgentReport::default(),
    };
    AgentReport::of(seen)
}

/// A request that is tried again. Without a valid login it fails in the same way each time.
fn retry(line: &Value) -> Doing {
    let why = text(line, "/error").replace('_', " ");
    if raw(line, "/error") == "authentication_failed" || number(line, "/error_status") == 401 {
        return Doing::NotLoggedIn { text: why };
    }
    Doing::Working(Work::Retry {
        attempt: small(line, "/attempt"),
        most: small(line, "/max_retries"),
        why,
    })
}

fn small(line: &Value, path: &str) -> u32 {
    u32::try_from(number(line, path)).unwrap_or(u32::MAX)
}

/// Reads a status. A status without a word ends the work that the word before it began; one that only reports the permission mode says
/// nothing.
fn status(line: &Value) -> AgentReport {
    let work = match raw(line, "/status") {
        "compacting" => Work::Compacting,
        "requesting" => Work::Thinking,
        _ if line.pointer("/compact_result").is_some() => Work::Thinking,
        _ => return AgentReport::default(),
    };
    AgentReport::doing(Doing::Working(work))
}

fn tasks(line: &Value) -> Vec<(String, String)> {
    let tasks = list(line, "/tasks").iter().take(256);
    let pairs = tasks.map(|task| (text(task, "/task_id"), text(task, "/description")));
    pairs.collect()
}

/// A result of a tool, which the model now reads, or the note that a person interrupted.
fn user(line: &Value) -> AgentReport {
    let parts = list(line, "/message/content");
    if parts
        .iter()
        .any(|part| raw(part, "/text").starts_with("[Request interrupted by user"))
    {
        return AgentReport::doing(Doing::Idle);
    }
    if parts.iter().any(|part| raw(part, "/type") == "tool_result") {
        return AgentReport::doing(Doing::Working(Work::Thinking));
    }
    AgentReport::default()
}

fn control_request(line: &Value) -> AgentReport {
    if raw(line, "/request/subtype") != "can_use_tool" {
        return AgentReport::default();
    }
    let input = line.pointer("/request/input").unwrap_or(&Value::Null);
    ToolAsk::read(raw(line, "/request/tool_name"), input).report(Some(text(line, "/request_id")), None)
}

/// The tool takes a request back.
fn settled(id: String) -> AgentReport {
    AgentReport {
        asks: vec![AskReport::Settled { id }],
        ..AgentReport::of(Seen::WaitOver { child: None })
    }
}
