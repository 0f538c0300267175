//! Input of a status line command of Claude Code on standard input: cost and context, but not the agent's activity.

use serde_json::Value;

use crate::adapters::agents::json_report::{filled, object, positive, tokens};
use crate::agent_state::{AgentReport, Figures};
use crate::domain::Cost;

/// The figures of one call.
pub fn read(input: &[u8]) -> AgentReport {
    let Some(input) = object(input) else {
        return AgentReport::default();
    };
    let mut figures = Vec::new();
    let cost = input.pointer("/cost/total_cost_usd").and_then(Value::as_f64);
    if let Some(cost) = cost.and_then(Cost::of_dollars) {
        figures.push(Figures::Total {
            tokens: None,
            cost: Some(cost),
        });
    }
    let usage = input.pointer("/context_window/current_usage");
    let used = usage
        .filter(|usage| usage.is_object())
        .map(|usage| tokens(usage).sum());
    let window = positive(&input, "/context_window/context_window_size");
    if used.is_some() || window.is_some() {
        figures.push(Figures::Context { used, window });
    }
    figures.extend(filled(&input, "/model/id").map(Figures::Model));
    AgentReport {
        figures,
        session: filled(&input, "/session_id"),
        ..AgentReport::default()
    }
}
