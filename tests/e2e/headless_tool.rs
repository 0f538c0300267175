//! A tool without an interface: a script called `claude` that speaks the tool's lines of JSON, run by `dbs headless` in the agent's
//! terminal. What it asks, reports and forgets reaches the board as from the real tool.

use std::fs;

use serde_json::Value;

use crate::driver::{Server, Story};
use crate::kinds::{create, server};
use crate::script::write_script;

/// Script of the tool; `$LINE` is the last line that it received.
const TOOL: &str = r#"
say() { printf '%s\n' "$1"; }
hear() { read -r LINE || exit 4; }
stop() {
  say '{"type":"control_request","request_id":"stop-'"$1"'","request":{"subtype":"hook_callback","input":{"hook_event_name":"Stop","stop_hook_active":'"$2"'}}}'
  hear
}
ask() {
  say '{"type":"control_request","request_id":"ask-1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"make it"}}}'
  hear
  case "$LINE" in *'"behavior":"allow"'*) ;; *) exit 3 ;; esac
}
over() { say '{"type":"result","subtype":"success","is_error":false,"result":"made it"}'; }
keep() { printf '%s\n' "$LINE" > "$ROOT/part"; mv "$ROOT/part" "$ROOT/$1"; }
hear
say '{"type":"control_response","response":{"subtype":"success","request_id":"initialize","response":{}}}'
hear
keep "prompt-$DBS_ATTEMPT"
say '{"type":"system","subtype":"init","session_id":"s-1","model":"opus"}'
say '{"type":"assistant","session_id":"s-1","message":{"model":"opus","content":[{"type":"text","text":"I make the file."}]}}'
"$DBS_PROGRAM" signal claim
if [ "$DBS_ROLE" = developer ]; then
$WORK
fi
"$DBS_PROGRAM" signal done "made it"
stop last false
over
"#;

/// Work of a developer: a commit of a file.
const COMMIT: &str = "echo made > made.txt; git add made.txt; git commit -qm \"[$DBS_TASK] made\"";

/// Makes a story whose agents are such a tool with these settings; `work` is what its developer does before it reports.
fn story(settings: &str, work: &str) -> Story {
    let story = Story::new("");
    fs::create_dir_all(story.root().join("bin")).unwrap();
    let text = TOOL
        .replace("$WORK", work)
        .replace("$ROOT", &story.root().display().to_string());
    write_script(&story.root().join("bin/claude"), format!("#!/bin/sh\n{text}"));
    let before = fs::read_to_string(story.project().join(".debussy/config.toml")).unwrap();
    let agent = format!("agent = \"claude\"\nmode = \"headless\"\n{settings}");
    story.write_settings(&before.replace("agent = \"rehearsal\"\n", &agent));
    story
}

/// Waits until the tool has kept a line under that name; returns the line.
fn kept(story: &Story, name: &str) -> Value {
    let file = story.root().join(name);
    story.wait_until(name, || file.exists());
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

/// P30, K49, K106.
#[test]
fn a_tool_without_an_interface_is_given_its_prompt_asks_and_is_sent_back_once_when_it_forgets_its_report() {
    let forgets =
        "ask; $COMMIT; stop 1 false; keep sent-back; stop 2 true; keep let-go; over; hear; keep answer";
    let story = story("model = \"fast\"\n", &forgets.replace("$COMMIT", COMMIT));
    let _server: Server = server(&story);
    create(&story);
    story.wait_until("its request", || story.dbs(&["status"]).contains("make it"));
    // The model that answers is shown beside the one that was asked for (A14).
    story.wait_until("its model", || {
        story
            .dbs(&["why", "t-1"])
            .contains(", model opus, asked for fast)")
    });
    let run = story.dbs(&["status", "--run"]);
    assert!(run.contains("  opus, asked for fast  "), "{run}");
    let prompt = kept(&story, "prompt-1");
    let text = prompt["message"]["content"].as_str().unwrap();
    assert!(text.contains("Make it"), "{text}");
    story.dbs(&["approve", "t-1"]);
    let reply = |name: &str| kept(&story, name)["response"]["response"].clone();
    let sent_back = reply("sent-back");
    assert_eq!(sent_back["decision"], "block");
    assert!(
        sent_back["reason"]
            .as_str()
            .unwrap()
            .contains("You have not reported"),
        "{sent_back}"
    );
    assert_eq!(reply("let-go"), serde_json::json!({}), "sent back only once");
    story.wait_until("the question about it", || {
        story.dbs(&["status"]).contains("it stopped without a report")
    });
    story.dbs(&["answer", "t-1", "report now"]);
    assert_eq!(kept(&story, "answer")["message"]["content"], "report now");
    story.wait_until("the merge", || story.count("done") == 1);
    let shown = story.dbs(&["logs", "1"]);
    for part in [
        "I make the file.",
        "! allowed it",
        "! sent back",
        "sent > report now",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

/// C3, LC-2, LC-3: from the request of a tool through the meter to a fresh session.
#[test]
fn a_tool_that_reports_no_figures_is_restarted_when_it_has_called_tools_often_enough() {
    let work =
        format!("if [ \"$DBS_ATTEMPT\" = 1 ]; then ask; hear; keep told; stop 1 false; exit 0; fi; {COMMIT}");
    let story = story("permissions = \"allow run make*; ask\"\n", &work);
    story.configure("[context]\ntool_calls = 1\n");
    let _server: Server = server(&story);
    create(&story);
    let told = kept(&story, "told");
    let text = told["message"]["content"].as_str().unwrap();
    assert!(text.contains("context"), "{text}");
    let again = kept(&story, "prompt-2");
    let text = again["message"]["content"].as_str().unwrap();
    assert!(text.contains("restart 1 of 3"), "{text}");
    story.wait_until("the merge", || story.count("done") == 1);
    // Each attempt has its own log, which no later one overwrites (LP-20).
    let asked = ["1", "2"].map(|attempt| story.dbs(&["logs", attempt]).contains("Bash: make it"));
    assert_eq!(asked, [true, false]);
}

#[test]
fn a_tool_that_is_about_to_shorten_its_context_is_noted() {
    let work = format!("printf '{{\"hook_event_name\":\"PreCompact\"}}' | \"$DBS_PROGRAM\" hook; {COMMIT}");
    let story = story("", &work);
    let _server: Server = server(&story);
    create(&story);
    story.wait_until("the note of it", || {
        story.dbs(&["events"]).contains("context_compacted")
    });
}
