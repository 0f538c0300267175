//! Sessions of aider that are recorded anew: one test for each group of states. aider works on one message and ends, and asks in lines.

use nix::sys::signal::{Signal, kill};
use serde_json::{Value, json};

use crate::lab::Lab;
use crate::recording::Recording;
use crate::recording_start::described;

/// An answer that makes a file.
const MAKES_FILE: &str = "I make the file, and say what it is for, word by word.\n\nout.txt\n```\none\n```\n";

/// Makes a world in which aider asks nothing before the work.
fn lab(replies: &Value) -> Lab {
    let lab = Lab::aider_that_says(&json!({ "session": { "replies": replies } }).to_string());
    std::fs::write(lab.project().join(".gitignore"), ".aider*\n").unwrap();
    lab
}

fn start<'a>(lab: &'a Lab, name: &'static str) -> Recording<'a> {
    Recording::start(lab, name, &described("aider"), "[[script:session]] go")
}

/// Waits for the end and writes the session.
fn end(recording: Recording<'_>) {
    recording.pane.wait_until_over();
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn aider_works() {
    let mut reply = json!({ "text": MAKES_FILE });
    reply["gate"] = json!({ "name": "think", "after": 0 });
    let lab = lab(&json!([reply]));
    let mut recording = start(&lab, "aider_works");
    recording.label_at_request("session", "working: waits for the model");
    recording.hold(50);
    lab.server.open_gate("think");
    recording.label_at("Create new file?", "blocked (dialog)");
    recording.hold(50);
    recording.type_to("y\r", "working", "y makes the file");
    recording.wait_for_file("out.txt");
    end(recording);
}

#[test]
#[ignore = "records a session anew"]
fn aider_answers() {
    let words =
        "This answer is long, and says word by word what came of it, so that it is read while it comes.";
    let lab = lab(&json!([{ "text": words, "gate": { "name": "say", "after": 2 } }]));
    let mut recording = start(&lab, "aider_answers");
    recording.label_at_request("session", "working: answers");
    recording.hold(50);
    lab.server.open_gate("say");
    end(recording);
}

#[test]
#[ignore = "records a session anew"]
fn aider_asks_before_it_begins() {
    let lab = Lab::aider_that_says("{}");
    let mut recording = Recording::start(&lab, "aider_dialog", &described("aider"), "[[script:held]] go");
    recording.label_at("to .gitignore", "blocked (dialog)");
    recording.hold(50);
    recording.type_to("n\r", "starting", "n says no, and the tool goes on to start");
    recording.label_at_request("held", "working");
    recording.hold(20);
    lab.server.open_gate("held");
    end(recording);
}

#[test]
#[ignore = "records a session anew"]
fn aider_tries_again() {
    let fail = json!({ "status": 503, "type": "server_error", "message": "Overloaded", "times": 12 });
    let lab = lab(&json!([{ "text": "It is better now.", "fail": fail }]));
    let mut recording = start(&lab, "aider_troubles");
    recording.label_at_request("session", "working: waits for the model");
    recording.label_at("Overloaded", "tries again");
    recording.label_at("It is better now.", "working");
    end(recording);
}

#[test]
#[ignore = "records a session anew"]
fn aider_is_suspended() {
    let lab = lab(&json!([{ "text": "Hello." }]));
    let kind = described("aider");
    let mut recording = Recording::start(&lab, "aider_suspended", &kind, "[[script:held]] go");
    recording.label_at_request("held", "working");
    recording.hold(10);
    recording.label("suspended", "it is sent SIGSTOP");
    kill(recording.pane.process(), Signal::SIGSTOP).unwrap();
    recording.hold(30);
    recording.label("working", "it is sent SIGCONT");
    kill(recording.pane.process(), Signal::SIGCONT).unwrap();
    recording.hold(10);
    lab.server.open_gate("held");
    end(recording);
}
