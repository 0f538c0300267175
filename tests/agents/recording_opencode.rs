//! Sessions of opencode that are recorded anew: one test for each group of states. opencode names its folder while it rests.

use nix::sys::signal::{Signal, kill};
use serde_json::{Value, json};

use crate::lab::Lab;
use crate::recording::Recording;
use crate::recording_start::described;

/// Returns a reply that runs a command.
fn runs(text: &str, command: &str) -> Value {
    let input = json!({ "command": command, "description": "Do it" });
    json!({ "text": text, "calls": [{ "tool": "bash", "input": input }] })
}

fn lab(replies: &Value) -> Lab {
    Lab::opencode_that_says(&json!({ "session": { "replies": replies } }).to_string())
}

fn start<'a>(lab: &'a Lab, name: &'static str) -> Recording<'a> {
    start_with(lab, name, "[[script:session]] go")
}

/// Starts a recording with a prompt, which opencode shows some time before it asks the model.
fn start_with<'a>(lab: &'a Lab, name: &'static str, prompt: &str) -> Recording<'a> {
    let mut recording = Recording::start(lab, name, &described("opencode"), prompt);
    recording.label_without_folder(prompt, "working");
    recording
}

/// Takes the first entry of the box with this text. opencode reacts to a key a while after it was typed.
fn take_first(recording: &mut Recording<'_>, text: &str) {
    recording.pane.type_keys("\r");
    recording.label_gone(text, "working");
}

#[test]
#[ignore = "records a session anew"]
fn opencode_works() {
    let mut first = runs("I build it.", "touch begun; sleep 25; touch built");
    first["gate"] = json!({ "name": "think", "after": 0 });
    let lab = lab(&json!([
        first,
        { "text": "The build is over, and I say what came of it, word by word.", "gate": { "name": "say", "after": 2 } },
    ]));
    let mut recording = start(&lab, "opencode_works");
    recording.label_at_request("session", "working: waits for the model");
    recording.hold(50);
    lab.server.open_gate("think");
    recording.label_at("Shell command", "blocked (permission)");
    recording.hold(50);
    take_first(&mut recording, "Shell command");
    recording.wait_for_file("begun");
    recording.label("working: runs a command", "the command has begun");
    recording.wait_for_file("built");
    recording.label_at_gate("say", "working: answers");
    recording.hold(50);
    lab.server.open_gate("say");
    recording.pane.wait_for_text("word by word.");
    recording.label_at_folder("idle");
    recording.hold(60);
    recording.send("[[script:held]] once more");
    recording.label_at_gate("held", "working");
    recording.hold(40);
    recording.pane.type_keys("\u{1b}");
    recording.hold(1);
    recording.pane.type_keys("\u{1b}");
    recording.pane.wait_for_text("interrupted");
    recording.label_at_folder("idle");
    recording.hold(40);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn opencode_asks_for_permissions() {
    let write = json!({ "filePath": "out.txt", "content": "one\ntwo\n" });
    let lab = lab(&json!([
        { "text": "I write it.", "calls": [{ "tool": "write", "input": write }] },
        runs("Then I run it.", "touch ran; sleep 12"),
        runs("And once more.", "touch again"),
        { "text": "All is done." },
    ]));
    let mut recording = start(&lab, "opencode_permissions");
    recording.label_at_request("session", "working");
    recording.label_at("Reject", "blocked (permission)");
    recording.hold(40);
    take_first(&mut recording, "Reject");
    recording.wait_for_file("out.txt");
    recording.label_at("Shell command", "blocked (permission)");
    recording.hold(20);
    // The second entry asks once more for a confirmation.
    recording.pane.type_keys("\u{1b}[C");
    recording.hold(5);
    recording.pane.type_keys("\r");
    recording.pane.wait_for_text("until OpenCode is restarted");
    recording.hold(20);
    recording.pane.type_keys("\u{1b}");
    recording.hold(10);
    take_first(&mut recording, "Shell command");
    recording.wait_for_file("ran");
    recording.label_below("And once more.", "Shell command", "blocked (permission)");
    recording.hold(30);
    // Esc refuses the request, which ends the turn.
    recording.pane.type_keys("\u{1b}");
    recording.label_at_folder("idle");
    recording.hold(40);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn opencode_asks_questions() {
    let option = |label: &str, description: &str| json!({ "label": label, "description": description });
    let question = |text: &str| json!({ "question": text, "header": "Choice", "options": [option("Green", "a leaf"), option("Blue", "a sky")] });
    let ask = |questions: Value| json!({ "text": "I ask.", "calls": [{ "tool": "question", "input": { "questions": questions } }] });
    let lab = lab(&json!([
        ask(json!([question("Which colour do you want?")])),
        ask(json!([question("And the door?"), question("And the roof?")])),
        { "text": "Then I paint it." },
    ]));
    let mut recording = start(&lab, "opencode_questions");
    recording.label_at_request("session", "working");
    recording.label_at("Which colour do you want?", "blocked (question)");
    recording.hold(50);
    recording.type_to("\r", "working", "Enter takes the first entry");
    recording.label_at("And the door?", "blocked (question)");
    recording.hold(50);
    // Esc leaves the questions, which ends the turn.
    recording.pane.type_keys("\u{1b}");
    recording.label_at_folder("idle");
    recording.hold(30);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn opencode_tries_again_and_fails() {
    let fail = json!({ "status": 503, "type": "server_error", "message": "Overloaded", "times": 3 });
    let lab = lab(&json!([{ "text": "It is better now.", "fail": fail }]));
    let mut recording = start(&lab, "opencode_troubles");
    recording.label_at_request("session", "working: waits for the model");
    recording.label_at("overloaded", "tries again");
    recording.label_at_requests("session", 4, "working");
    recording.pane.wait_for_text("It is better now.");
    recording.label_at_folder("idle");
    recording.hold(20);
    recording.send("[[script:error_400]] again");
    recording.label_at_request("error_400", "working");
    recording.label_at("the scripted server refuses this", "failed");
    recording.hold(40);
    recording.send("[[script:hello]] again");
    recording.label_at_request("hello", "working");
    recording.pane.wait_for_text("scripted answer.");
    recording.label_at_folder("idle");
    recording.hold(20);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn opencode_has_no_login() {
    let fail =
        json!({ "status": 401, "type": "invalid_request_error", "message": "Incorrect API key provided" });
    let lab = lab(&json!([{ "fail": fail }]));
    let mut recording = start(&lab, "opencode_login");
    recording.label_at_request("session", "working: waits for the model");
    recording.label_at("Incorrect", "no login");
    recording.hold(40);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn opencode_tries_again_at_its_limit() {
    let words = "You exceeded your current quota, please check your plan and billing details.";
    let fail = json!({ "status": 429, "type": "insufficient_quota", "message": words });
    let lab = lab(&json!([{ "fail": fail }]));
    let mut recording = start(&lab, "opencode_limit");
    recording.label_at_request("session", "working: waits for the model");
    recording.label_at("quota", "tries again");
    recording.hold(50);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn opencode_is_suspended() {
    let lab = lab(&json!([{ "text": "Hello." }]));
    let mut recording = start_with(&lab, "opencode_suspended", "[[script:held]] go");
    recording.label_at_request("held", "working");
    recording.hold(10);
    recording.label("suspended", "it is sent SIGSTOP");
    kill(recording.pane.process(), Signal::SIGSTOP).unwrap();
    recording.hold(30);
    recording.label("working", "it is sent SIGCONT");
    kill(recording.pane.process(), Signal::SIGCONT).unwrap();
    recording.hold(10);
    lab.server.open_gate("held");
    recording.pane.wait_for_text("goes on after that.");
    recording.label_at_folder("idle");
    recording.hold(20);
    recording.write();
}
