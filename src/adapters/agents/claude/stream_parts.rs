//! The lines of Claude Code's stream that carry figures or an end: messages of the model, results of turns, limits.

use serde_json::Value;

use crate::adapters::agents::json_report::{
    failed, failure, filled, list, number, raw, text, tokens, usage_limit,
};
use crate::agent_state::{AgentReport, Doing, Figures, Work};
use crate::domain::{Cost, Tokens};

/// A block of a message of the model. Its figures are those of the whole request, repeated on each block.
pub(super) fn assistant(line: &Value) -> AgentReport {
    if line.pointer("/error").is_some_and(Value::is_string) {
        let status = number(line, "/api_error_status");
        return failure(status, raw(line, "/error"), text(line, "/message/content/0/text"));
    }
    let last = list(line, "/message/content").last();
    let work = match last.filter(|part| raw(part, "/type") == "tool_use") {
        Some(part) => Work::Tool(text(part, "/name")),
        None => Work::Thinking,
    };
    AgentReport {
        figures: request(line, "/message/id", "/message/usage")
            .into_iter()
            .chain(model(line, "/message/model"))
            .collect(),
        ..AgentReport::doing(Doing::Working(work))
    }
}

/// The start of a message, and its end with the final count of what was written.
pub(super) fn stream_event(line: &Value) -> AgentReport {
    match raw(line, "/event/type") {
        "message_start" => AgentReport {
            figures: request(line, "/event/message/id", "/event/message/usage"),
            ..AgentReport::doing(Doing::Working(Work::Thinking))
        },
        "message_delta" => AgentReport {
            figures: request(line, "/api_message_id", "/event/usage"),
            ..AgentReport::default()
        },
        _ => AgentReport::default(),
    }
}

/// The model that answered. Messages that the tool itself made up name one in angle brackets.
fn model(line: &Value, path: &str) -> Option<Figures> {
    let name = filled(line, path).filter(|name| !name.starts_with('<'));
    name.map(Figures::Model)
}

fn request(line: &Value, id: &str, usage: &str) -> Vec<Figures> {
    let id = text(line, id);
    let usage = line.pointer(usage).filter(|_| !id.is_empty());
    let figures = usage.map(|usage| Figures::Request {
        id,
        tokens: tokens(usage),
    });
    figures.into_iter().collect()
}

/// The end of a turn. An API failure calls itself a success and is an error all the same.
pub(super) fn result(line: &Value) -> AgentReport {
    let words = match line.pointer("/errors/0").and_then(Value::as_str) {
        Some(_) => text(line, "/errors/0"),
        None => text(line, "/result"),
    };
    let mut report = match raw(line, "/terminal_reason") {
        reason if reason.starts_with("aborted") => AgentReport::doing(Doing::Idle),
        _ if line.pointer("/is_error") != Some(&Value::Bool(true)) => AgentReport::doing(Doing::DONE),
        "api_error" if words.starts_with("Not logged in") => failure(401, "", words),
        "api_error" => failure(
            number(line, "/api_error_status"),
            raw(line, "/api_error_type"),
            words,
        ),
        _ => AgentReport::doing(failed(&words)),
    };
    report.figures = totals(line);
    report
}

/// Figures over all turns and resumed processes, subagents included, and the window of the model that was used most.
fn totals(line: &Value) -> Vec<Figures> {
    let models = line.pointer("/modelUsage").and_then(Value::as_object);
    let used = models.into_iter().flat_map(|models| models.values());
    let models: Vec<(Tokens, u64)> = used
        .map(|model| (of_model(model), number(model, "/contextWindow")))
        .collect();
    let mut figures = Vec::new();
    let cost = line.pointer("/total_cost_usd").and_then(Value::as_f64);
    let tokens = models
        .iter()
        .map(|(tokens, _)| *tokens)
        .reduce(|one, other| one + other);
    figures.push(Figures::Total {
        tokens,
        cost: cost.and_then(Cost::of_dollars),
    });
    let most = models.iter().max_by_key(|(tokens, _)| tokens.sum());
    if let Some((_, window)) = most.filter(|(_, window)| *window > 0) {
        figures.push(Figures::Context {
            used: None,
            window: Some(*window),
        });
    }
    figures
}

fn of_model(model: &Value) -> Tokens {
    Tokens {
        input: number(model, "/inputTokens"),
        cache_read: number(model, "/cacheReadInputTokens"),
        cache_write: number(model, "/cacheCreationInputTokens"),
        output: number(model, "/outputTokens"),
    }
}

/// A usage limit of a subscription; one that is only near says nothing.
pub(super) fn rate_limit(line: &Value) -> AgentReport {
    if raw(line, "/rate_limit_info/status") != "rejected" {
        return AgentReport::default();
    }
    usage_limit(
        line,
        ["/rate_limit_info/resetsAt", "/rate_limit_info/rateLimitType"],
    )
}
