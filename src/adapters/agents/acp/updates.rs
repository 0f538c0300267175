//! What the updates of a session say of what the tool does and uses.

use serde_json::Value;

use crate::adapters::agents::json_report::{positive, raw, text};
use crate::agent_state::{AgentReport, Doing, Figures, Work};

/// What one `session/update` says.
pub(super) fn read(update: &Value) -> AgentReport {
    match raw(update, "/sessionUpdate") {
        "agent_message_chunk" | "agent_thought_chunk" => thinking(),
        "tool_call" => AgentReport::doing(Doing::Working(Work::Tool(text(update, "/title")))),
        "tool_call_update" if matches!(raw(update, "/status"), "completed" | "failed") => thinking(),
        "usage_update" => AgentReport {
            figures: vec![Figures::Context {
                used: positive(update, "/used"),
                window: positive(update, "/size"),
            }],
            ..AgentReport::default()
        },
        _ => AgentReport::default(),
    }
}

fn thinking() -> AgentReport {
    AgentReport::doing(Doing::Working(Work::Thinking))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_is_at_work_until_its_update_says_that_it_ended() {
        let call = json!({ "sessionUpdate": "tool_call", "title": "make" });
        let at_work = AgentReport::doing(Doing::Working(Work::Tool("make".to_owned())));
        assert_eq!(read(&call), at_work);
        let on = json!({ "sessionUpdate": "tool_call_update", "status": "in_progress" });
        assert_eq!(read(&on), AgentReport::default());
        let over = json!({ "sessionUpdate": "tool_call_update", "status": "failed" });
        assert_eq!(read(&over), thinking());
        let used = read(&json!({ "sessionUpdate": "usage_update", "used": 12, "size": 100 }));
        let context = Figures::Context {
            used: Some(12),
            window: Some(100),
        };
        assert_eq!(used.figures, [context]);
    }
}
