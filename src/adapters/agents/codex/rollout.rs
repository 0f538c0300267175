//! Lines of the record that Codex keeps of a session, `rollout-*.jsonl`: only its counts of tokens are read.

use serde_json::Value;

use crate::adapters::agents::json_report::{number, object, raw};
use crate::agent_state::{AgentReport, Figures};
use crate::domain::Tokens;

/// The figures of one line.
pub fn read(line: &[u8]) -> AgentReport {
    let Some(line) = object(line) else {
        return AgentReport::default();
    };
    let info = line.pointer("/payload/info").filter(|info| info.is_object());
    let Some(info) = info.filter(|_| raw(&line, "/payload/type") == "token_count") else {
        return AgentReport::default();
    };
    let total = info.pointer("/total_token_usage").map(|total| Figures::Total {
        tokens: Some(tokens(total)),
        cost: None,
    });
    let used = info.pointer("/last_token_usage").map(|last| tokens(last).sum());
    let window = Some(number(info, "/model_context_window")).filter(|window| *window > 0);
    let context = Figures::Context { used, window };
    AgentReport {
        figures: total.into_iter().chain([context]).collect(),
        ..AgentReport::default()
    }
}

/// Codex counts what it read from the cache among the input; here the parts are apart.
pub(super) fn tokens(usage: &Value) -> Tokens {
    let cached = number(usage, "/cached_input_tokens");
    let written = number(usage, "/cache_write_input_tokens");
    Tokens {
        input: number(usage, "/input_tokens").saturating_sub(cached.saturating_add(written)),
        cache_read: cached,
        cache_write: written,
        output: number(usage, "/output_tokens"),
    }
}
