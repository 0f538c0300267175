//! The report that an agent sends with its last signal, as phased plans ask for it (P66, 4.9): JSON with the steps it did, the subagents it
//! used, the gates it ran, the files it changed, the place of its notes and its warnings. Anything else is not an error: a report is only a
//! claim.

use serde_json::Value;

use dbs_domain::Claims;
use dbs_domain::cut::cut_bytes;

/// Maximum number of entries of a list that are read, and of bytes of one of them.
const MOST_ENTRIES: usize = 64;
const LONGEST_ENTRY: usize = 120;
/// Maximum length of a warning in bytes; a longer one is cut.
const LONGEST_WARNING: usize = 500;

/// Reads the claims of a report; none if it is not a JSON object.
pub fn read(report: &str) -> Claims {
    let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(report) else {
        return Claims::default();
    };
    let names = |key: &str| {
        let listed = fields.get(key).and_then(Value::as_array);
        let texts = listed.into_iter().flatten().filter_map(Value::as_str);
        texts.filter_map(name).take(MOST_ENTRIES).collect::<Vec<_>>()
    };
    let warnings = fields.get("warnings").and_then(Value::as_array);
    let warnings = warnings
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .filter_map(warning);
    let gates = fields.get("gates_run").and_then(Value::as_object);
    let passed = gates.into_iter().flatten().filter(|(_, result)| is_pass(result));
    Claims {
        steps: names("steps_completed"),
        agents: names("agents_used"),
        gates: passed
            .filter_map(|(gate, _)| name(gate))
            .take(MOST_ENTRIES)
            .collect(),
        files: names("files_modified"),
        notes: fields.get("notes_path").and_then(Value::as_str).and_then(name),
        warnings: warnings.take(MOST_ENTRIES).collect(),
    }
}

/// Returns a warning as one line.
fn warning(text: &str) -> Option<String> {
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.replace(char::is_control, "");
    (!text.is_empty()).then(|| cut_bytes(&text, LONGEST_WARNING).to_owned())
}

fn name(text: &str) -> Option<String> {
    let text = text.trim();
    let is_usable = !text.is_empty() && text.len() <= LONGEST_ENTRY && !text.chars().any(char::is_control);
    is_usable.then(|| text.to_owned())
}

fn is_pass(result: &Value) -> bool {
    match result {
        Value::Bool(passed) => *passed,
        Value::String(word) => word.trim().to_lowercase().starts_with("pass"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_claims_steps_agents_and_the_gates_that_passed() {
        let report = r#"{"steps_completed": ["read_previous_notes", " write_notes "], "agents_used": ["task-validator", 7, ""],
            "gates_run": {"lint": "passed", "tests": "failed", "types": true, "x": null}, "files_modified": ["a", 1], "notes_path": " n.md",
            "warnings": ["Legacy\n auth  code", "", 3]}"#;
        let claims = read(report);
        assert_eq!(claims.steps, ["read_previous_notes", "write_notes"]);
        assert_eq!(claims.agents, ["task-validator"]);
        assert_eq!(claims.gates, ["lint", "types"]);
        assert_eq!(
            (claims.files, claims.notes.as_deref()),
            (vec!["a".to_owned()], Some("n.md"))
        );
        assert_eq!(claims.warnings, ["Legacy auth code"]);
    }

    #[test]
    fn what_is_no_report_claims_nothing() {
        for text in [
            "",
            "all is done",
            "[1]",
            "{\"steps_completed\": 3}",
            "{\"agents_used\": [\"a\\u001b[2J\"]}",
        ] {
            assert_eq!(read(text), Claims::default(), "{text}");
        }
    }
}
