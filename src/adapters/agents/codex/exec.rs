//! Lines of `codex exec --json`. It never asks; its totals go over all turns of a thread, resumed ones included.

use serde_json::Value;

use super::rollout::tokens;
use crate::adapters::agents::json_report::{failure, filled, object, raw, text, tool_call};
use crate::adapters::agents::retry_line;
use crate::agent_state::{AgentReport, Doing, Figures, Work};

/// Reads one line.
pub fn read(line: &[u8]) -> AgentReport {
    let Some(line) = object(line) else {
        return AgentReport::default();
    };
    match raw(&line, "/type") {
        "thread.started" => AgentReport {
            session: filled(&line, "/thread_id"),
            ..AgentReport::doing(Doing::Starting)
        },
        "turn.started" => AgentReport::doing(Doing::Working(Work::Thinking)),
        "item.started" => started(raw(&line, "/item/type"), text(&line, "/item/id")),
        "item.completed" if raw(&line, "/item/type") != "error" => {
            AgentReport::doing(Doing::Working(Work::Thinking))
        }
        "error" => retried(raw(&line, "/message")),
        "turn.completed" => AgentReport {
            figures: totals(&line),
            ..AgentReport::doing(Doing::DONE)
        },
        "turn.failed" => turn_failed(text(&line, "/error/message")),
        _ => AgentReport::default(),
    }
}

fn totals(line: &Value) -> Vec<Figures> {
    let usage = line.pointer("/usage").filter(|usage| usage.is_object());
    let total = usage.map(|usage| Figures::Total {
        tokens: Some(tokens(usage)),
        cost: None,
    });
    total.into_iter().collect()
}

fn started(item: &str, id: String) -> AgentReport {
    let tool = match item {
        "command_execution" => "command",
        "file_change" => "file change",
        "mcp_tool_call" => "MCP tool",
        "web_search" => "web search",
        _ => return AgentReport::doing(Doing::Working(Work::Thinking)),
    };
    AgentReport {
        figures: tool_call(id),
        ..AgentReport::doing(Doing::Working(Work::Tool(tool.to_owned())))
    }
}

/// `Reconnecting... 1/2 (why)` is written before each retry; any other error is followed by the end of the turn.
pub(super) fn retried(message: &str) -> AgentReport {
    retry_line::read(message).map_or_else(AgentReport::default, AgentReport::doing)
}

/// Reads the failure of a turn. The cause is only in the words; if they name none, the turn just failed.
fn turn_failed(message: String) -> AgentReport {
    let status = message
        .split_once("status ")
        .and_then(|(_, rest)| rest.get(..3)?.parse().ok());
    let status = match status {
        None if message.contains("usage limit") || message.contains("429 Too Many Requests") => 429,
        None if message.contains("high demand") => 503,
        known => known.unwrap_or_default(),
    };
    failure(status, "", message)
}
