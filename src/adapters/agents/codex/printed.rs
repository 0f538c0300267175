//! Transcript of a run of Codex without its own interface: one line of `codex exec --json` becomes lines for people, clean and of a
//! bearable length.

use serde_json::Value;

use crate::adapters::agents::json_report::{list, number, object, raw, text};
use crate::adapters::agents::shown::{Shown, first_line};

/// Lines of a text of the model, and of the output of a command.
const TEXT_LINES: usize = 200;
const RESULT_LINES: usize = 6;

/// The lines that one line of the output adds.
pub(super) fn lines(line: &[u8]) -> Vec<String> {
    let Some(line) = object(line) else {
        return Vec::new();
    };
    let mut shown = Shown::of(None);
    match raw(&line, "/type") {
        "item.started" => started(&line, &mut shown),
        "item.completed" => completed(&line, &mut shown),
        "error" => shown.line(&format!("~ {}", text(&line, "/message"))),
        "turn.completed" => shown.line(&format!(
            "= turn over · {} tokens so far",
            number(&line, "/usage/input_tokens").saturating_add(number(&line, "/usage/output_tokens"))
        )),
        "turn.failed" => {
            shown.block("  ! ", raw(&line, "/error/message"), RESULT_LINES);
            shown.line("= failed");
        }
        _ => {}
    }
    shown.lines
}

fn started(line: &Value, shown: &mut Shown) {
    match raw(line, "/item/type") {
        "command_execution" => shown.line(&format!("* {}", first_line(raw(line, "/item/command")))),
        "mcp_tool_call" => shown.line(&format!(
            "* {}: {}",
            text(line, "/item/server"),
            text(line, "/item/tool")
        )),
        "web_search" => shown.line(&format!("* web search: {}", text(line, "/item/query"))),
        _ => {}
    }
}

fn completed(line: &Value, shown: &mut Shown) {
    match raw(line, "/item/type") {
        "agent_message" => shown.block("", raw(line, "/item/text"), TEXT_LINES),
        "command_execution" => {
            let is_error = raw(line, "/item/status") != "completed";
            let begin = if is_error { "  ! " } else { "  > " };
            shown.block(begin, raw(line, "/item/aggregated_output"), RESULT_LINES);
        }
        "file_change" => {
            for change in list(line, "/item/changes").iter().take(TEXT_LINES) {
                shown.line(&format!("* {}: {}", text(change, "/kind"), text(change, "/path")));
            }
        }
        "error" => shown.line(&format!("~ {}", text(line, "/item/message"))),
        _ => {}
    }
}
