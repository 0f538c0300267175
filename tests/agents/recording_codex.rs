//! Sessions of Codex that are recorded anew: one test for each group of states.

use dbs::adapters::agents::CodexAgent;
use dbs::domain::AskReply;
use nix::sys::signal::{Signal, kill};
use serde_json::{Value, json};

use crate::lab::Lab;
use crate::recording::{BUSY, Recording};

/// Returns a reply that runs a command outside the sandbox, so that none is built: a container may not allow one.
fn runs(text: &str, command: &str) -> Value {
    let input = format!(
        "text(await tools.exec_command({{ cmd: {}, sandbox_permissions: \"require_escalated\", justification: \"It has to be.\" }}));",
        json!(command)
    );
    json!({ "text": text, "calls": [{ "tool": "exec", "input": input }] })
}

fn lab(replies: &Value) -> Lab {
    Lab::codex_that_says(&json!({ "session": { "replies": replies } }).to_string())
}

fn start<'a>(lab: &'a Lab, name: &'static str) -> Recording<'a> {
    Recording::start(lab, name, &CodexAgent, "[[script:session]] go")
}

#[test]
#[ignore = "records a session anew"]
fn codex_works() {
    let mut first = runs("I build it.", "touch begun; sleep 25; touch built");
    first["gate"] = json!({ "name": "think", "after": 0 });
    let lab = lab(&json!([
        first,
        { "text": "The build is over, and I say what came of it, word by word.", "gate": { "name": "say", "after": 2 } },
    ]));
    let mut recording = start(&lab, "codex_works");
    recording.label_at(BUSY, "working: waits for the model");
    lab.server.wait_at_gate("think");
    recording.hold(50);
    lab.server.open_gate("think");
    recording.wait_for_request(1);
    recording.label(
        "blocked (permission)",
        "its hook asks, and it shows that the hook runs",
    );
    recording.hold(50);
    recording.answer(&AskReply::Allow);
    recording.wait_for_file("begun");
    recording.label("working: runs a command", "the command has begun");
    recording.wait_for_file("built");
    recording.label("working: waits for the model", "the command is over");
    lab.server.wait_at_gate("say");
    recording.label("working: answers", "the model has begun to answer");
    recording.hold(50);
    lab.server.open_gate("say");
    recording.label_below("word by word.", "Worked for", "idle");
    recording.hold(90);
    recording.prompt("[[script:held]] once more");
    recording.pane.wait_for_text("waits for the test in the mi");
    recording.hold(40);
    recording.pane.type_keys("\u{1b}");
    recording.label_without("", BUSY, "idle");
    recording.hold(40);
    recording.pane.type_keys("/exit");
    recording.pane.wait_for_text("/exit");
    recording.hold(1);
    recording.pane.type_keys("\r");
    recording.pane.wait_until_over();
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn codex_asks_for_permissions_in_its_terminal() {
    let lab = lab(&json!([
        runs("The first.", "touch one; sleep 8"),
        runs("The second.", "touch two; sleep 8"),
        { "text": "Both are there." },
    ]));
    let mut recording = start(&lab, "codex_permissions");
    recording.label_at(BUSY, "working");
    recording.wait_for_request(1);
    recording.label(
        "blocked (permission)",
        "its hook asks, and it shows that the hook runs",
    );
    recording.hold(30);
    // A person begins to type, and the hook leaves the request to the terminal.
    recording.pane.type_keys("x");
    recording.leave_to_terminal();
    recording.pane.wait_for_text("Press enter to confirm");
    recording.hold(40);
    recording.type_to("y", "working", "the key y allows it");
    recording.wait_for_file("one");
    recording.wait_for_request(2);
    recording.pane.wait_for_text("touch two");
    recording.label_at("Press enter to confirm", "blocked (permission)");
    recording.hold(40);
    recording.pane.type_keys("\u{1b}");
    recording.label_without("", "press enter to confirm", "idle");
    recording.hold(40);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn codex_asks_whether_to_trust_a_folder() {
    let lab = Lab::codex_in_strange_folder();
    let mut recording = Recording::start(&lab, "codex_trust", &CodexAgent, "[[script:hello]] go");
    recording.label_at("Trust this folder?", "blocked (dialog)");
    recording.hold(50);
    recording.type_to("\r", "starting", "Enter says yes, and the tool goes on to start");
    recording.label_at(BUSY, "working");
    recording.label_below("scripted answer.", "Worked for", "idle");
    recording.hold(20);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn codex_tries_again_and_fails() {
    let fail = json!({ "status": 503, "type": "server_error", "message": "Overloaded", "times": 2 });
    let lab = lab(&json!([{ "text": "It is better now.", "fail": fail }]));
    let mut recording = start(&lab, "codex_troubles");
    recording.label_at(BUSY, "working: waits for the model");
    recording.label_at("Reconnecting", "tries again");
    recording.label_below("It is better now.", "Worked for", "idle");
    recording.hold(20);
    recording.prompt("[[script:error_400]] again");
    recording.label_without("the scripted server", BUSY, "failed");
    recording.hold(40);
    recording.prompt("[[script:hello]] again");
    recording.label_below("scripted answer.", "Worked for", "idle");
    recording.hold(20);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn codex_is_at_its_limit() {
    let headers = json!({
        "x-codex-primary-used-percent": "100", "x-codex-primary-window-minutes": "300", "x-codex-primary-reset-at": "4102444800"
    });
    let words = "The usage limit has been reached";
    let fail = json!({ "status": 429, "type": "usage_limit_reached", "message": words, "headers": headers });
    let lab = lab(&json!([{ "fail": fail }]));
    let mut recording = start(&lab, "codex_limit");
    recording.label_at(BUSY, "working: waits for the model");
    recording.label_without("usage limit", BUSY, "limit");
    recording.hold(50);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn codex_has_no_login() {
    let fail = json!({ "status": 401, "type": "authentication_error", "message": "Incorrect API key" });
    let lab = lab(&json!([{ "fail": fail }]));
    let mut recording = start(&lab, "codex_login");
    recording.label_at(BUSY, "working: waits for the model");
    recording.label_without("401", BUSY, "no login");
    recording.hold(40);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn codex_is_suspended() {
    let lab = Lab::codex();
    let mut recording = Recording::start(&lab, "codex_suspended", &CodexAgent, "[[script:held]] go");
    recording.label_at(BUSY, "working");
    recording.pane.wait_for_text("waits for the test in the mi");
    recording.hold(10);
    recording.label("suspended", "it is sent SIGSTOP");
    kill(recording.pane.process(), Signal::SIGSTOP).unwrap();
    recording.hold(40);
    recording.label("working", "it is sent SIGCONT");
    kill(recording.pane.process(), Signal::SIGCONT).unwrap();
    recording.hold(20);
    recording.pane.type_keys("\u{1b}");
    recording.label_without("", BUSY, "idle");
    recording.hold(20);
    recording.write();
}
