//! Sessions of Gemini CLI that are recorded anew: one test for each group of states.

use nix::sys::signal::{Signal, kill};
use serde_json::{Value, json};

use crate::lab::Lab;
use crate::recording::Recording;
use crate::recording_start::described;

/// Returns a reply that runs a command.
fn runs(text: &str, command: &str) -> Value {
    let input = json!({ "command": command, "description": "Do it" });
    json!({ "text": text, "calls": [{ "tool": "run_shell_command", "input": input }] })
}

fn lab(replies: &Value) -> Lab {
    Lab::gemini_that_says(&json!({ "session": { "replies": replies } }).to_string())
}

fn start<'a>(lab: &'a Lab, name: &'static str) -> Recording<'a> {
    Recording::start(lab, name, &described("gemini"), "[[script:session]] go")
}

#[test]
#[ignore = "records a session anew"]
fn gemini_works() {
    let mut first = runs("I build it.", "touch begun; sleep 25; touch built");
    first["gate"] = json!({ "name": "think", "after": 0 });
    let lab = lab(&json!([
        first,
        { "text": "The build is over, and I say what came of it, word by word.", "gate": { "name": "say", "after": 2 } },
    ]));
    let mut recording = start(&lab, "gemini_works");
    recording.label_at_request("session", "working: waits for the model");
    recording.hold(50);
    lab.server.open_gate("think");
    recording.label_at("Allow execution", "blocked (permission)");
    recording.hold(50);
    recording.type_to("\r", "working", "Enter takes the first entry");
    recording.wait_for_file("begun");
    recording.label("working: runs a command", "the command has begun");
    recording.wait_for_file("built");
    recording.label_at_gate("say", "working: answers");
    recording.hold(50);
    lab.server.open_gate("say");
    recording.label_at("word by word.", "idle");
    recording.hold(60);
    recording.send("[[script:held]] once more");
    recording.label_at_gate("held", "working");
    recording.hold(40);
    recording.type_to("\u{1b}", "idle", "Esc interrupts it");
    recording.hold(40);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn gemini_asks_for_permissions() {
    let write = json!({ "file_path": "out.txt", "content": "one\ntwo\n" });
    let lab = lab(&json!([
        { "text": "I write it.", "calls": [{ "tool": "write_file", "input": write }] },
        runs("Then I run it.", "touch ran; sleep 12"),
        runs("And once more.", "touch again"),
        { "text": "All is done." },
    ]));
    let mut recording = start(&lab, "gemini_permissions");
    recording.label_at_request("session", "working");
    recording.label_at("Apply this change?", "blocked (permission)");
    recording.hold(40);
    recording.type_to("\r", "working", "Enter takes the first entry");
    recording.wait_for_file("out.txt");
    recording.label_at("Allow execution", "blocked (permission)");
    recording.hold(40);
    recording.type_to("\r", "working", "Enter takes the first entry");
    recording.wait_for_file("ran");
    recording.label_below("And once more.", "Allow execution", "blocked (permission)");
    recording.hold(30);
    recording.type_to("\u{1b}", "idle", "Esc refuses it, which ends the turn");
    recording.hold(40);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn gemini_asks_questions() {
    let option = |label: &str, description: &str| json!({ "label": label, "description": description });
    let question = json!({
        "question": "Which colour do you want?", "header": "Colour", "type": "choice", "multiSelect": false,
        "options": [option("Green", "a leaf"), option("Blue", "a sky")],
    });
    let lab = lab(&json!([
        { "text": "I ask.", "calls": [{ "tool": "ask_user", "input": { "questions": [question] } }] },
        { "text": "Then I paint it." },
    ]));
    let mut recording = start(&lab, "gemini_questions");
    recording.label_at_request("session", "working");
    recording.label_at("Which colour do you want?", "blocked (question)");
    recording.hold(50);
    recording.type_to("\r", "working", "Enter takes the first entry");
    recording.label_at("Then I paint it.", "idle");
    recording.hold(30);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn gemini_tries_again_and_fails() {
    let fail =
        json!({ "status": 503, "type": "UNAVAILABLE", "message": "The model is overloaded.", "times": 2 });
    let lab = lab(&json!([{ "text": "It is better now.", "fail": fail }]));
    let mut recording = start(&lab, "gemini_troubles");
    recording.label_at_request("session", "working: waits for the model");
    recording.label_at("It is better now.", "idle");
    recording.hold(20);
    recording.send("[[script:error_400]] again");
    recording.label_at_request("error_400", "working");
    recording.label_at("the scripted server", "failed");
    recording.hold(40);
    recording.send("[[script:hello]] again");
    recording.label_at_request("hello", "working");
    recording.label_at("scripted answer.", "idle");
    recording.hold(20);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn gemini_has_no_login() {
    let lab = lab(&json!([{ "text": "Hello." }]));
    let kind = described("gemini");
    let change = |env: &mut Vec<(String, String)>| env.retain(|(name, _)| name != "GEMINI_API_KEY");
    let mut recording = Recording::start_with(&lab, ("gemini_login", &kind), "[[script:session]] go", change);
    recording.label_at("Paste your API key here", "no login");
    recording.hold(40);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn gemini_asks_what_to_do_at_its_limit() {
    let words = "You exceeded your current quota, please check your plan and billing details.";
    let violation =
        json!({ "quotaMetric": "requests", "quotaId": "GenerateRequestsPerDayPerProjectPerModel" });
    let details =
        json!([{ "@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [violation] }]);
    let fail = json!({ "status": 429, "type": "RESOURCE_EXHAUSTED", "message": words, "details": details });
    let list = json!({ "tool": "list_directory", "input": { "dir_path": "." } });
    let first = json!({ "text": "I look.", "calls": [list], "gate": { "name": "look", "after": 0 } });
    let lab = lab(&json!([first, { "fail": fail }]));
    let mut recording = start(&lab, "gemini_limit");
    recording.label_at_request("session", "working: waits for the model");
    recording.hold(10);
    lab.server.open_gate("look");
    recording.label_at("all Pro models", "blocked (dialog)");
    recording.hold(50);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn gemini_is_suspended() {
    let lab = lab(&json!([{ "text": "Hello." }]));
    let mut recording = Recording::start(
        &lab,
        "gemini_suspended",
        &described("gemini"),
        "[[script:held]] go",
    );
    recording.label_at_request("held", "working");
    recording.hold(10);
    recording.label("suspended", "it is sent SIGSTOP");
    kill(recording.pane.process(), Signal::SIGSTOP).unwrap();
    recording.hold(30);
    recording.label("working", "it is sent SIGCONT");
    kill(recording.pane.process(), Signal::SIGCONT).unwrap();
    recording.hold(10);
    lab.server.open_gate("held");
    recording.label_at("goes on after that.", "idle");
    recording.hold(20);
    recording.write();
}
