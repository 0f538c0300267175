//! Reports in the updates of a session: activity and usage of the tool.

use serde_json::Value;

use crate::adapters::agents::json_report::{positive, raw, text, tool_call};
use crate::agent_state::{AgentReport, Doing, Figures, Work};
use crate::domain::Cost;

/// Reads one `session/update`.
pub(super) fn read(update: &Value) -> AgentReport {
    match raw(update, "/sessionUpdate") {
        "agent_message_chunk" | "agent_thought_chunk" => thinking(),
        "tool_call" => AgentReport {
            figures: tool_call(text(update, "/toolCallId")),
            ..AgentReport::doing(Doing::Working(Work::Tool(text(update, "/title"))))
        },
        "tool_call_update" if matches!(raw(update, "/status"), "completed" | "failed") => thinking(),
        "usage_update" => AgentReport {
            figures: figures(update),
            ..AgentReport::default()
        },
        _ => AgentReport::default(),
    }
}

/// Returns the fill of the context, and the cost of the session so far. A cost counts only in dollars.
fn figures(update: &Value) -> Vec<Figures> {
    let mut figures = vec![Figures::Context {
        used: positive(update, "/used"),
        window: positive(update, "/size"),
    }];
    let amount = update.pointer("/cost/amount").and_then(Value::as_f64);
    let is_dollars = raw(update, "/cost/currency") == "USD";
    if let Some(cost) = amount.filter(|_| is_dollars).and_then(Cost::of_dollars) {
        figures.push(Figures::Total {
            tokens: None,
            cost: Some(cost),
        });
    }
    figures
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
        let counted = read(&json!({ "sessionUpdate": "tool_call", "title": "make", "toolCallId": "c1" }));
        assert_eq!(counted.figures, [Figures::ToolCall { id: "c1".to_owned() }]);
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

    #[test]
    fn a_cost_counts_only_where_it_is_an_amount_of_dollars() {
        let costs = |cost: &Value| {
            let update = json!({ "sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": cost });
            let figures = read(&update).figures;
            figures.into_iter().find_map(|figures| match figures {
                Figures::Total { cost, .. } => cost,
                _ => None,
            })
        };
        assert_eq!(
            costs(&json!({ "amount": 0.25, "currency": "USD" })),
            Some(Cost(250_000))
        );
        for strange in [
            json!(null),
            json!(0.25),
            json!({ "amount": 0.25, "currency": "EUR" }),
            json!({ "amount": 0.25 }),
            json!({ "amount": -1, "currency": "USD" }),
            json!({ "amount": "0.25", "currency": "USD" }),
            json!({ "amount": 1e300, "currency": "USD" }),
        ] {
            assert_eq!(costs(&strange), None, "{strange}");
        }
    }
}
