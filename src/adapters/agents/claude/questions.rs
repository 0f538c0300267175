//! What Claude Code asks a person before a tool runs, from the tool's name and input.

use serde_json::Value;

use crate::adapters::agents::json_report::{list, raw, text};
use crate::domain::AskKind;

/// Options kept of a question.
const MOST_OPTIONS: usize = 20;

/// The kind of ask, its text and its options.
pub(super) fn asked(tool: &str, input: &Value) -> (AskKind, String, Vec<String>) {
    match tool {
        "AskUserQuestion" => {
            let options = list(input, "/questions/0/options").iter().take(MOST_OPTIONS);
            let options = options.map(|option| text(option, "/label")).collect();
            (AskKind::Question, questions(input), options)
        }
        "ExitPlanMode" => (AskKind::Plan, text(input, "/plan"), Vec::new()),
        _ => (AskKind::Permission, permission(tool, input), Vec::new()),
    }
}

fn questions(input: &Value) -> String {
    let questions = list(input, "/questions").iter().take(MOST_OPTIONS);
    let questions: Vec<String> = questions.map(|question| text(question, "/question")).collect();
    questions.join("\n")
}

/// `Bash: touch x`, as the tool's own status record words it.
fn permission(tool: &str, input: &Value) -> String {
    let tool = crate::adapters::agents::json_report::harmless(tool);
    let paths = ["/command", "/file_path", "/url", "/path", "/pattern"];
    match paths.into_iter().find(|path| !raw(input, path).is_empty()) {
        Some(path) => format!("{tool}: {}", text(input, path)),
        None => tool,
    }
}
