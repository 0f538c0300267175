//! Notifications and requests of `codex app-server`, one JSON-RPC message at a time. Its own answers to requests say nothing here.

use serde_json::Value;

use super::exec::turn_failed;
use super::rollout::tokens_named;
use crate::adapters::agents::json_report::{filled, list, object, positive, raw, text, usage_limit};
use crate::adapters::agents::tool_ask::ToolAsk;
use crate::agent_state::{AgentReport, AskReport, Doing, Figures, Seen, Wait, Work};
use crate::domain::AskKind;
use crate::domain::Tokens;

/// Reads one message. `session` is its thread: a subagent has one of its own.
pub fn read(message: &[u8]) -> AgentReport {
    let Some(message) = object(message) else {
        return AgentReport::default();
    };
    let nothing = Value::Null;
    let params = message.pointer("/params").unwrap_or(&nothing);
    let mut report = match raw(&message, "/method") {
        "thread/status/changed" => status(params),
        "turn/started" => AgentReport::doing(Doing::Working(Work::Thinking)),
        "turn/completed" => turn_over(params),
        "item/started" => item(raw(params, "/item/type")),
        "thread/tokenUsage/updated" => usage(params),
        "account/rateLimits/updated" => limits(params),
        "item/commandExecution/requestApproval" => asked(&message, AskKind::Permission, "/command"),
        "item/fileChange/requestApproval" => asked(&message, AskKind::Permission, "/reason"),
        "item/tool/requestUserInput" => asked(&message, AskKind::Question, "/questions/0/question"),
        "serverRequest/resolved" => AgentReport {
            asks: vec![AskReport::Settled {
                id: id(params, "/requestId"),
            }],
            ..AgentReport::of(Seen::WaitOver { child: None })
        },
        _ => AgentReport::default(),
    };
    report.session = filled(params, "/threadId");
    report
}

/// Reads a status. While it waits, the request that follows at once gives the reason.
fn status(params: &Value) -> AgentReport {
    let flags: Vec<&str> = list(params, "/status/activeFlags")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    AgentReport::doing(match raw(params, "/status/type") {
        "idle" => Doing::Idle,
        "active" if flags.contains(&"waitingOnApproval") => {
            Doing::Blocked(Wait::new(AskKind::Permission, ""))
        }
        "active" if flags.contains(&"waitingOnUserInput") => Doing::Blocked(Wait::new(AskKind::Question, "")),
        "active" => Doing::WORKING,
        _ => return AgentReport::default(),
    })
}

fn turn_over(params: &Value) -> AgentReport {
    match raw(params, "/turn/status") {
        "completed" => AgentReport::doing(Doing::DONE),
        "interrupted" => AgentReport::doing(Doing::Idle),
        "failed" => turn_failed(text(params, "/turn/error/message")),
        _ => AgentReport::default(),
    }
}

fn item(kind: &str) -> AgentReport {
    let tool = match kind {
        "commandExecution" => "command",
        "fileChange" => "file change",
        "mcpToolCall" => "MCP tool",
        "webSearch" => "web search",
        "agentMessage" | "reasoning" => return AgentReport::doing(Doing::Working(Work::Thinking)),
        "contextCompaction" => return AgentReport::doing(Doing::Working(Work::Compacting)),
        _ => return AgentReport::default(),
    };
    AgentReport::doing(Doing::Working(Work::Tool(tool.to_owned())))
}

fn usage(params: &Value) -> AgentReport {
    let total = params.pointer("/tokenUsage/total").map(|total| Figures::Total {
        tokens: Some(tokens(total)),
        cost: None,
    });
    let used = params.pointer("/tokenUsage/last").map(|last| tokens(last).sum());
    let window = positive(params, "/tokenUsage/modelContextWindow");
    AgentReport {
        figures: total
            .into_iter()
            .chain([Figures::Context { used, window }])
            .collect(),
        ..AgentReport::default()
    }
}

fn tokens(usage: &Value) -> Tokens {
    const NAMES: [&str; 4] = [
        "/inputTokens",
        "/cachedInputTokens",
        "/cacheWriteInputTokens",
        "/outputTokens",
    ];
    tokens_named(usage, NAMES)
}

fn limits(params: &Value) -> AgentReport {
    if raw(params, "/rateLimits/rateLimitReachedType").is_empty() {
        return AgentReport::default();
    }
    usage_limit(
        params,
        ["/rateLimits/primary/resetsAt", "/rateLimits/rateLimitReachedType"],
    )
}

fn asked(message: &Value, kind: AskKind, words: &str) -> AgentReport {
    let words = raw(message, &format!("/params{words}"));
    ToolAsk::new(kind, words).report(Some(id(message, "/id")), None)
}

/// The id of a request, a number or a text.
fn id(value: &Value, path: &str) -> String {
    match value.pointer(path) {
        Some(Value::Number(number)) => number.to_string(),
        _ => text(value, path),
    }
}
