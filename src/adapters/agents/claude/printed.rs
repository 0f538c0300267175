//! Transcript of a run of Claude Code without its own interface: one line of its stream becomes lines for people. No text of a model or a
//! tool reaches the terminal as it is, and none is longer than a screen or two.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::adapters::agents::json_report::{list, number, object, raw, text};
use crate::adapters::agents::shown::{Shown, first_line};
use crate::adapters::agents::tool_ask::ToolAsk;

/// Lines of a text of the model, and of a tool's result.
const TEXT_LINES: usize = 200;
const RESULT_LINES: usize = 6;
/// Lines of an edit, before and after together.
const EDIT_LINES: usize = 12;
/// Subagents whose names are kept.
const MOST_CHILDREN: usize = 256;

/// The transcript of one run.
#[derive(Debug, Default)]
pub struct StreamTranscript {
    /// Names of subagents by the call that started them.
    children: BTreeMap<String, String>,
}

impl StreamTranscript {
    /// The lines that one line of the stream adds; each is clean and of a bearable length.
    pub fn lines(&mut self, line: &[u8]) -> Vec<String> {
        let Some(line) = object(line) else {
            return Vec::new();
        };
        let parent = raw(&line, "/parent_tool_use_id");
        let by = (!parent.is_empty()).then(|| self.name_of(parent));
        let mut shown = Shown::of(by);
        match raw(&line, "/type") {
            "assistant" => self.assistant(&line, &mut shown),
            "user" => results(&line, &mut shown),
            "result" => result(&line, &mut shown),
            "system" => system(&line, &mut shown),
            "rate_limit_event" if raw(&line, "/rate_limit_info/status") == "rejected" => {
                shown.line("usage limit reached");
            }
            _ => {}
        }
        shown.lines
    }

    fn name_of(&self, call: &str) -> String {
        let known = self.children.get(call);
        known.cloned().unwrap_or_else(|| "subagent".to_owned())
    }

    fn assistant(&mut self, line: &Value, shown: &mut Shown) {
        for part in list(line, "/message/content") {
            match raw(part, "/type") {
                "text" => shown.block("", raw(part, "/text"), TEXT_LINES),
                "tool_use" => self.call(part, shown),
                _ => {}
            }
        }
    }

    fn call(&mut self, part: &Value, shown: &mut Shown) {
        let input = part.pointer("/input").unwrap_or(&Value::Null);
        let name = raw(part, "/name");
        let subject = match name {
            "Agent" | "Task" => {
                let name = text(input, "/description");
                if self.children.len() < MOST_CHILDREN {
                    self.children.insert(raw(part, "/id").to_owned(), name.clone());
                }
                format!("subagent: {name}")
            }
            "AskUserQuestion" | "ExitPlanMode" => format!("{name}: {}", ToolAsk::read(name, input).text),
            _ => ToolAsk::read(name, input).text,
        };
        shown.line(&format!("* {}", first_line(&subject)));
        for (sign, field) in [("- ", "/old_string"), ("+ ", "/new_string"), ("+ ", "/content")] {
            shown.block(&format!("    {sign}"), raw(input, field), EDIT_LINES / 2);
        }
    }
}

/// Shows the results of tools; of one that went well only the beginning.
fn results(line: &Value, shown: &mut Shown) {
    for part in list(line, "/message/content") {
        if raw(part, "/text").starts_with("[Request interrupted by user") {
            shown.line("interrupted");
        }
        if raw(part, "/type") != "tool_result" {
            continue;
        }
        let begin = if part.pointer("/is_error") == Some(&Value::Bool(true)) {
            "  ! "
        } else {
            "  > "
        };
        match part.pointer("/content") {
            Some(Value::String(text)) => shown.block(begin, text, RESULT_LINES),
            _ => {
                for piece in list(part, "/content").iter().take(RESULT_LINES) {
                    shown.block(begin, raw(piece, "/text"), RESULT_LINES);
                }
            }
        }
    }
}

/// Shows the end of a turn: its failure, if it failed, and the figures of the session so far.
fn result(line: &Value, shown: &mut Shown) {
    let is_error = line.pointer("/is_error") == Some(&Value::Bool(true));
    let interrupted = raw(line, "/terminal_reason").starts_with("aborted");
    for error in list(line, "/errors").iter().take(RESULT_LINES) {
        shown.block("  ! ", error.as_str().unwrap_or_default(), RESULT_LINES);
    }
    let end = match (interrupted, is_error) {
        (true, _) => "interrupted",
        (false, true) => "failed",
        (false, false) => "turn over",
    };
    let turns = number(line, "/num_turns");
    let seconds = number(line, "/duration_ms") / 1000;
    let cost = line.pointer("/total_cost_usd").and_then(Value::as_f64);
    let cost = cost
        .map(|cost| format!(" · ${cost:.4} so far"))
        .unwrap_or_default();
    shown.line(&format!("= {end} · {turns} steps · {seconds} s{cost}"));
}

fn system(line: &Value, shown: &mut Shown) {
    match raw(line, "/subtype") {
        "api_retry" => shown.line(&format!(
            "~ request failed ({}); try {} of {}",
            text(line, "/error"),
            number(line, "/attempt"),
            number(line, "/max_retries")
        )),
        "compact_boundary" => shown.line("~ the conversation was shortened"),
        "model_fallback" => shown.line("~ another model answers from here on"),
        "task_notification" => shown.line(&format!(
            "~ {} {}",
            first_line(raw(line, "/summary")),
            text(line, "/status")
        )),
        _ => {}
    }
}
