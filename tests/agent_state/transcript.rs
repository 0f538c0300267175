//! Output of a run without an interface, from recordings of real runs and from hostile lines.

use std::fs;

use dbs::adapters::agents::claude::printed::StreamTranscript;
use serde_json::json;

use crate::recordings::folder;

/// Runs that show at least one item of each kind.
const SHOWN: [&str; 7] = [
    "claude/subagent_foreground.jsonl",
    "claude/bash_tool.jsonl",
    "claude/error_400.jsonl",
    "claude/error_401_two_retries.jsonl",
    "claude/permission_write_denied_default.jsonl",
    "claude/auto_compaction_200k.jsonl",
    "claude-control/control_protocol_permissions_interrupt.jsonl",
];

/// The lines of the tool in a recording, as bytes.
fn lines(name: &str) -> Vec<Vec<u8>> {
    let text = fs::read_to_string(folder().join(name)).expect("readable");
    let values = text.lines().map(|line| {
        // Long lines are cut in the recordings.
        let Ok(read) = serde_json::from_str::<serde_json::Value>(line) else {
            return line.as_bytes().to_vec();
        };
        match read.get("msg") {
            Some(message) if read["dir"] == "out" => message.to_string().into_bytes(),
            Some(_) => Vec::new(),
            None => line.as_bytes().to_vec(),
        }
    });
    values.collect()
}

fn shown(name: &str) -> String {
    let mut transcript = StreamTranscript::default();
    let shown: Vec<String> = lines(name)
        .iter()
        .flat_map(|line| transcript.lines(line))
        .collect();
    format!("--- {name}\n{}\n", shown.join("\n"))
}

#[test]
fn runs_are_shown_as_lines_for_people() {
    insta::assert_snapshot!(SHOWN.map(shown).concat());
}

#[test]
fn whatever_a_model_or_a_tool_writes_is_shown_clean_and_short() {
    let harm = format!("\x1b]0;x\x07\u{202e}\r\n\x1b[2J{}", "y\n".repeat(50_000));
    let content = json!([
        { "type": "text", "text": harm },
        { "type": "tool_use", "id": harm, "name": harm, "input": { "command": harm, "old_string": harm, "content": harm } },
        { "type": "tool_use", "id": "a", "name": "Agent", "input": { "description": harm } },
        { "type": "tool_result", "content": harm, "is_error": true },
        { "type": "tool_result", "content": [{ "type": "text", "text": harm }, 7] },
    ]);
    let mut transcript = StreamTranscript::default();
    for kind in ["assistant", "user", "result", "system"] {
        let line = json!({ "type": kind, "message": { "content": content }, "parent_tool_use_id": "a", "errors": [harm, 7],
            "subtype": "task_notification", "summary": harm, "status": harm, "error": harm, "is_error": true });
        let all = transcript.lines(line.to_string().as_bytes());
        assert!(!all.is_empty() && all.len() < 300, "{kind}: {}", all.len());
        for line in all {
            assert!(
                !line.chars().any(|c| c.is_control() || c == '\u{202e}'),
                "{line:?}"
            );
            assert!(line.len() < 6_000, "{kind}: {}", line.len());
        }
    }
}
