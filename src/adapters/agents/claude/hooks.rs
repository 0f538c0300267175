//! Input of a hook of Claude Code on standard input. Codex gives its hooks the same.
//!
//! No hook fires when a person presses Esc, and none when a queued prompt begins after a stop.

use serde_json::Value;

use crate::adapters::agents::json_report::{failure, filled, list, object, raw, text};
use crate::adapters::agents::tool_ask::ToolAsk;
use crate::agent_state::{AgentReport, Doing, Seen, Wait, Work};
use crate::domain::AskKind;
use crate::domain::event::EndCause;

/// Reason of the end of a session that a person asked for, as with `/exit`.
const LEFT: &str = "prompt_input_exit";

/// Reads the input of one hook.
pub fn read(input: &[u8]) -> AgentReport {
    let Some(input) = object(input) else {
        return AgentReport::default();
    };
    let child = filled(&input, "/agent_id");
    let mut report = match (raw(&input, "/hook_event_name"), child) {
        ("PermissionRequest", child) => permission_request(&input, child),
        (event, Some(id)) => of_child(event, id, &input),
        (event, None) => of_agent(event, &input),
    };
    report.session = filled(&input, "/session_id");
    report
}

/// Events of a subagent say nothing of the agent but that a wait of that subagent is over.
fn of_child(event: &str, id: String, input: &Value) -> AgentReport {
    if event == "SubagentStop" {
        return AgentReport::of(Seen::ChildGone { id });
    }
    let over = Seen::WaitOver {
        child: Some(id.clone()),
    };
    let name = text(input, "/agent_type");
    AgentReport {
        seen: vec![over, Seen::Child { id, name }],
        ..AgentReport::default()
    }
}

fn of_agent(event: &str, input: &Value) -> AgentReport {
    AgentReport::doing(match event {
        // No hook says what it does after the prompt: it may wait for the model or run a tool.
        "UserPromptSubmit" | "PostCompact" => Doing::WORKING,
        "SessionStart" if raw(input, "/source") == "compact" => Doing::WORKING,
        "SessionStart" if raw(input, "/source") == "clear" => Doing::Idle,
        "SessionStart" => Doing::Starting,
        "PostToolUseFailure" if input.pointer("/is_interrupt") == Some(&Value::Bool(true)) => Doing::Idle,
        "PreToolUse" => Doing::Working(Work::Tool(text(input, "/tool_name"))),
        "PostToolUse" | "PostToolUseFailure" | "PostToolBatch" => Doing::Working(Work::Thinking),
        "PreCompact" => Doing::Working(Work::Compacting),
        "Stop" => stopped(input),
        "StopFailure" => {
            return failure(0, raw(input, "/error"), text(input, "/last_assistant_message"));
        }
        "Interrupt" => Doing::Idle,
        "Notification" => match raw(input, "/notification_type") {
            "permission_prompt" => Doing::Blocked(Wait::new(AskKind::Permission, "")),
            "idle_prompt" => Doing::Idle,
            // Of a plugin: a person has answered in the terminal.
            "wait_over" => return AgentReport::of(Seen::WaitOver { child: None }),
            _ => return AgentReport::default(),
        },
        "SessionEnd" => {
            let is_left = raw(input, "/reason") == LEFT;
            return AgentReport {
                end: is_left.then_some(EndCause::Left),
                ..AgentReport::of(Seen::Withdrawn)
            };
        }
        _ => return AgentReport::default(),
    })
}

/// Returns the state after a turn is over; tasks that still run were started in the background.
fn stopped(input: &Value) -> Doing {
    let left = list(input, "/background_tasks").iter().take(20);
    let names: Vec<String> = left.map(|task| text(task, "/description")).collect();
    if names.is_empty() {
        Doing::DONE
    } else {
        Doing::Background(names.join(", "))
    }
}

fn permission_request(input: &Value, child: Option<String>) -> AgentReport {
    let tool_input = input.pointer("/tool_input").unwrap_or(&Value::Null);
    let mut report = ToolAsk::read(raw(input, "/tool_name"), tool_input).report(None, child);
    for seen in &mut report.seen {
        if let Seen::Doing(Doing::Blocked(wait)) = seen {
            wait.is_taken_back = input.pointer("/takes_back") == Some(&Value::Bool(true));
        }
    }
    report
}
