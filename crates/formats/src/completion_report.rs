//! The report that an agent sends with its last signal, as phased plans ask for it (P66, 4.9): JSON with the steps it did, the subagents it
//! used and the gates it ran. Anything else is not an error: a report is only a claim.

use serde_json::Value;

use dbs_domain::Claims;

/// Most entries of a list that are read, and the longest of them in bytes.
const MOST_ENTRIES: usize = 64;
const LONGEST_ENTRY: usize = 120;

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
    let gates = fields.get("gates_run").and_then(Value::as_object);
    let passed = gates.into_iter().flatten().filter(|(_, result)| is_pass(result));
    Claims {
        steps: names("steps_completed"),
        agents: names("agents_used"),
        gates: passed
            .filter_map(|(gate, _)| name(gate))
            .take(MOST_ENTRIES)
            .collect(),
    }
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
            "gates_run": {"lint": "passed", "tests": "failed", "types": true, "x": null}, "files_modified": ["a"], "warnings": []}"#;
        let claims = read(report);
        assert_eq!(claims.steps, ["read_previous_notes", "write_notes"]);
        assert_eq!(claims.agents, ["task-validator"]);
        assert_eq!(claims.gates, ["lint", "types"]);
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
