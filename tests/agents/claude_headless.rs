//! Claude Code without a terminal.

use std::fs;

use serde_json::{Value, json};

use crate::lab::{Lab, json_lines, wait_for};

/// Arguments that make the output one JSON object per line.
const JSON: [&str; 4] = ["-p", "--output-format", "stream-json", "--verbose"];

fn prompted<'a>(arguments: &[&'a str], prompt: &'a str) -> Vec<&'a str> {
    let all = JSON.iter().chain(arguments);
    all.copied().chain(["--", prompt]).collect()
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_says_hello() {
    let lab = Lab::claude();
    let run = lab.run(&prompted(&[], "[[script:hello]] go"));
    let result = run.line("type", "result");
    assert_eq!(result["result"], "Hello! This is the scripted answer.");
    assert_eq!((&result["is_error"], run.status.code()), (&json!(false), Some(0)));
    assert_eq!(
        run.line("subtype", "init")["model"],
        lab.server.requests_for("hello")[0].body["model"]
    );
    assert_eq!(lab.wanted_outside(), [""; 0]);
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_reports_the_figures_of_each_request() {
    let lab = Lab::claude();
    let run = lab.run(&prompted(&[], "[[script:figures]] go"));
    let usage = &run.line("type", "assistant")["message"]["usage"];
    let figures = [
        "input_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
    ];
    assert_eq!(
        figures.map(|name| usage[name].as_u64()),
        [Some(10), Some(20_000), Some(3000)]
    );
    assert_eq!(run.line("type", "result")["usage"]["output_tokens"], 200);
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn an_error_of_the_interface_ends_claude_with_one_and_says_so_in_its_result() {
    let lab = Lab::claude();
    let run = lab.run(&prompted(&[], "[[script:error_400]] go"));
    let result = run.line("type", "result");
    assert_eq!(run.status.code(), Some(1));
    assert_eq!(result["is_error"], true);
    assert_eq!(result["subtype"], "success");
    assert_eq!(result["terminal_reason"], "api_error");
    assert_eq!(result["api_error_status"], 400);
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_tries_again_after_an_overload_and_after_a_broken_stream() {
    let lab = Lab::claude();
    let run = lab.run(&prompted(&[], "[[script:overloaded_once]] go"));
    assert_eq!(run.line("type", "result")["result"], "Recovered.");
    assert_eq!(run.line("subtype", "api_retry")["error_status"], 529);
    let broken = lab.run(&prompted(&[], "[[script:broken]] go"));
    let said = broken.line("type", "result")["result"].as_str();
    assert!(
        said.is_some_and(|text| text.starts_with("This stream breaks")),
        "{broken:?}"
    );
    let asked = lab.server.requests_for("broken");
    let streamed: Vec<_> = asked
        .iter()
        .map(|request| request.body["stream"] == true)
        .collect();
    // The last try is without a stream.
    assert_eq!(streamed, [true, true, false]);
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_denies_what_nobody_can_allow_and_counts_that_as_success() {
    let lab = Lab::claude();
    let run = lab.run(&prompted(
        &["--permission-mode", "manual"],
        "[[script:claude_touch]] go",
    ));
    let result = run.line("type", "result");
    assert_eq!((&result["is_error"], run.status.code()), (&json!(false), Some(0)));
    assert_eq!(result["permission_denials"][0]["tool_name"], "Bash");
    assert!(!lab.has_made("made-by-agent.txt"));
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_session_goes_on_after_its_process_was_killed() {
    let lab = Lab::claude();
    let session = "7c1de6e2-6d0c-4a5b-9f0e-0d6b5f3a1c11";
    let first = prompted(
        &["--session-id", session],
        "[[script:held]] remember the word limpet",
    );
    let run = lab.start("first", &first);
    lab.server.wait_at_gate("held");
    // Claude Code asks the model before it writes the prompt to disk, and what is not there cannot be resumed.
    wait_for("the transcript", || {
        lab.claude_transcript(session).contains("limpet")
    });
    let killed = run.kill();
    assert_eq!(killed.status.code(), None, "it ended by itself: {killed:?}");
    assert_eq!(killed.line("subtype", "init")["session_id"], session);
    let again = lab.run(&prompted(&["--resume", session], "[[script:hello]] go on"));
    let result = again.line("type", "result");
    assert_eq!(result["session_id"], session);
    assert_eq!(result["result"], "Hello! This is the scripted answer.");
    let asked = lab.server.requests_for("hello")[0].body["messages"].to_string();
    assert!(asked.contains("remember the word limpet"), "{asked}");
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_session_id_is_not_used_twice_and_an_unknown_one_is_not_resumed() {
    let lab = Lab::claude();
    let session = "7c1de6e2-6d0c-4a5b-9f0e-0d6b5f3a1c12";
    lab.run(&prompted(&["--session-id", session], "[[script:hello]] go"));
    let twice = lab.run(&prompted(&["--session-id", session], "[[script:hello]] go"));
    assert_eq!(twice.status.code(), Some(1));
    assert!(twice.errors.contains("already in use"), "{}", twice.errors);
    let unknown = "7c1de6e2-6d0c-4a5b-9f0e-0d6b5f3a1c13";
    let lost = lab.run(&prompted(&["--resume", unknown], "[[script:hello]] go"));
    assert_eq!(lost.status.code(), Some(1));
    assert_eq!(lost.line("type", "result")["subtype"], "error_during_execution");
}

/// Fields that a hook gets for each event besides the common ones.
const FIELDS: [(&str, &[&str]); 9] = [
    ("SessionStart", &["source"]),
    ("UserPromptSubmit", &["prompt"]),
    ("PreToolUse", &["tool_name", "tool_input", "tool_use_id"]),
    (
        "PostToolUse",
        &["tool_name", "tool_input", "tool_use_id", "tool_response"],
    ),
    ("PermissionRequest", &["tool_name", "tool_input"]),
    (
        "SubagentStop",
        &["agent_id", "agent_type", "last_assistant_message"],
    ),
    (
        "Stop",
        &["stop_hook_active", "last_assistant_message", "background_tasks"],
    ),
    ("StopFailure", &["error", "last_assistant_message"]),
    ("SessionEnd", &["reason"]),
];

/// Returns the fields that a call of a hook must have and lacks; none for events that no test looks at.
pub(crate) fn missing_fields(call: &Value) -> Vec<&str> {
    let event = FIELDS.iter().find(|(event, _)| call["hook_event_name"] == *event);
    let Some((_, own)) = event else {
        return Vec::new();
    };
    let all = ["session_id", "transcript_path", "cwd"].iter().chain(*own);
    all.copied().filter(|field| call.get(field).is_none()).collect()
}

/// Returns settings with hooks that write what they get into a file, one line per call, and that file.
pub(crate) fn recording_hooks(lab: &Lab, events: &[&str]) -> (String, std::path::PathBuf) {
    let log = lab.root().join("hooks.jsonl");
    let command = format!("(cat; echo) >> '{}'", log.display());
    let hook = json!([{ "hooks": [{ "type": "command", "command": command }] }]);
    let hooks: serde_json::Map<String, Value> = events
        .iter()
        .map(|&event| (event.to_owned(), hook.clone()))
        .collect();
    (json!({ "hooks": hooks }).to_string(), log)
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn hooks_of_given_settings_are_called_with_the_documented_fields() {
    let lab = Lab::claude();
    let events = [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "Stop",
        "SessionEnd",
    ];
    let (settings, log) = recording_hooks(&lab, &events);
    let run = lab.run(&prompted(&["--settings", &settings], "[[script:claude_list]] go"));
    let session = &run.line("type", "result")["session_id"];
    let called = json_lines(&fs::read_to_string(log).expect("hooks were called"));
    let names: Vec<_> = called
        .iter()
        .filter_map(|call| call["hook_event_name"].as_str())
        .collect();
    assert_eq!(names, events);
    for call in &called {
        assert_eq!(missing_fields(call), [""; 0], "{call}");
        assert_eq!(call["session_id"], *session);
        assert_eq!(call["cwd"], lab.project().display().to_string());
    }
    assert_eq!(called[2]["tool_input"]["command"], "ls -1");
    assert_eq!(called[4]["last_assistant_message"], "Listed.");
}
