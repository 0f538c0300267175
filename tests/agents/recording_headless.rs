//! Runs of Claude Code and Codex without their interfaces that are recorded anew, as `dbs headless` shows them.

use serde_json::json;

use crate::codex_headless::codex_in_pane;
use crate::headless::claude_in_pane;
use crate::lab::Lab;
use crate::pane::Pane;
use crate::recording::Recording;

/// Returns the replies of the model: an answer that waits at a gate.
fn replies() -> String {
    let answer = json!({
        "text": "The build is over, and I say what came of it, word by word.", "gate": { "name": "say", "after": 0 },
    });
    json!({ "session": { "replies": [answer] } }).to_string()
}

/// Records a run from its first prompt: an answer, a failed turn and an interrupted one.
fn record(lab: &Lab, name: &'static str, start: impl FnOnce(&Lab, &str) -> Pane) {
    let mut recording = Recording::of(lab, name, || start(lab, "[[script:session]] go"));
    recording.label_at_request("session", "working: waits for the model");
    recording.hold(45);
    lab.server.open_gate("say");
    recording.label_at("word by word.", "idle");
    recording.hold(45);
    recording.send("[[script:held]] once more");
    recording.label_at_request("held", "working");
    recording.hold(30);
    recording.type_to("\u{1b}", "idle", "Esc interrupts it");
    recording.hold(30);
    recording.send("[[script:error_400]] again");
    recording.label_at_request("error_400", "working");
    recording.label_at("the scripted server", "failed");
    recording.hold(30);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn headless_claude_works() {
    let lab = Lab::claude_that_says(&replies());
    record(&lab, "headless_claude_works", claude_in_pane);
}

#[test]
#[ignore = "records a session anew"]
fn headless_codex_works() {
    let lab = Lab::codex_that_says(&replies());
    record(&lab, "headless_codex_works", codex_in_pane);
}
