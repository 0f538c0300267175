//! Lines of the record that Codex keeps of a session, `rollout-*.jsonl`: only its counts of tokens are read.

use serde_json::Value;

use crate::adapters::agents::json_report::{number, object, positive, raw};
use crate::agent_state::{AgentReport, Figures};
use crate::domain::Tokens;

/// What stands in each line that has figures. Looked for before a line is read, because most have none and are long.
const FIGURES: &[u8] = b"\"token_count\"";

/// The figures of one line.
pub fn read(line: &[u8]) -> AgentReport {
    let has_figures = line.windows(FIGURES.len()).any(|part| part == FIGURES);
    let Some(line) = has_figures.then(|| object(line)).flatten() else {
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
    let window = positive(info, "/model_context_window");
    let context = Figures::Context { used, window };
    AgentReport {
        figures: total.into_iter().chain([context]).collect(),
        ..AgentReport::default()
    }
}

/// The figures in the words of the record, which `codex exec` uses too.
pub(super) fn tokens(usage: &Value) -> Tokens {
    const NAMES: [&str; 4] = [
        "/input_tokens",
        "/cached_input_tokens",
        "/cache_write_input_tokens",
        "/output_tokens",
    ];
    tokens_named(usage, NAMES)
}

/// Codex counts what it read from the cache and wrote there among the input; here the parts are apart.
pub(super) fn tokens_named(usage: &Value, [input, cached, written, output]: [&str; 4]) -> Tokens {
    let (cache_read, cache_write) = (number(usage, cached), number(usage, written));
    Tokens {
        input: number(usage, input).saturating_sub(cache_read.saturating_add(cache_write)),
        cache_read,
        cache_write,
        output: number(usage, output),
    }
}
