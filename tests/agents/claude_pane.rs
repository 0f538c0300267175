//! Claude Code in a terminal.

use std::time::Duration;

use std::fs;

use dbs::domain::ProcessExit;
use dbs::term::ReportedState;

use crate::claude_headless::{missing_fields, recording_hooks};
use crate::lab::{Lab, json_lines, wait_for};
use crate::pane::Pane;

/// Arguments with which Claude Code asks a person before anything that is not harmless.
const ASKING: [&str; 2] = ["--permission-mode", "manual"];

fn with<'a>(arguments: &[&'a str], prompt: &'a str) -> Vec<&'a str> {
    ASKING.iter().chain(arguments).copied().chain([prompt]).collect()
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_works_and_is_done_and_ends_when_asked() {
    let lab = Lab::claude();
    let mut pane = Pane::start(&lab, &with(&[], "[[script:hello]] go"));
    pane.wait_for_state(ReportedState::Working);
    pane.wait_for_state(ReportedState::Done);
    pane.wait_for_text("Hello! This is the scripted answer.");
    pane.type_keys("/exit");
    pane.wait_for_text("/exit");
    pane.type_keys("\r");
    assert_eq!(pane.wait_for_end(), ProcessExit::Code(0));
    assert_eq!(pane.states().last(), Some(&ReportedState::Clear));
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_permission_dialog_is_reported_with_what_it_asks() {
    let lab = Lab::claude();
    let (settings, log) = recording_hooks(&lab, &["PermissionRequest"]);
    let mut pane = Pane::start(
        &lab,
        &with(&["--settings", &settings], "[[script:claude_touch]] go"),
    );
    pane.wait_for_state(ReportedState::Working);
    let asked = pane.wait_for_state(ReportedState::Blocked);
    assert_eq!(asked.kind.as_deref(), Some("permission"));
    let text = asked.text.unwrap_or_default();
    assert!(text.contains("touch made-by-agent.txt"), "{text}");
    pane.wait_for_text("Do you want to proceed?");
    let called = || fs::read_to_string(&log).is_ok_and(|text| !json_lines(&text).is_empty());
    wait_for("the hook of the dialog", called);
    let call = &json_lines(&fs::read_to_string(&log).expect("just seen"))[0];
    assert_eq!(missing_fields(call), [""; 0], "{call}");
    assert_eq!(call["tool_input"]["command"], "touch made-by-agent.txt");
    assert!(!lab.has_made("made-by-agent.txt"));
    pane.type_keys("1");
    pane.wait_for_state(ReportedState::Working);
    pane.wait_for_state(ReportedState::Done);
    assert!(lab.has_made("made-by-agent.txt"));
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_question_is_reported_as_a_question() {
    let lab = Lab::claude();
    let mut pane = Pane::start(&lab, &with(&[], "[[script:claude_question]] go"));
    let asked = pane.wait_for_state(ReportedState::Blocked);
    assert_eq!(asked.kind.as_deref(), Some("question"));
    let text = asked.text.unwrap_or_default();
    assert!(text.contains("Which database?"), "{text}");
    pane.wait_for_text("1. SQLite");
    pane.type_keys("\r");
    pane.wait_for_state(ReportedState::Done);
    let answered = lab.server.requests_for("claude_question");
    let messages = answered.last().expect("asked").body["messages"].to_string();
    assert!(messages.contains("SQLite"), "{messages}");
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn an_error_of_the_interface_is_reported_as_an_error() {
    let lab = Lab::claude();
    let mut pane = Pane::start(&lab, &with(&[], "[[script:error_400]] go"));
    pane.wait_for_state(ReportedState::Working);
    let failed = pane.wait_for_state(ReportedState::Error);
    let text = failed.text.unwrap_or_default();
    assert!(text.starts_with("API Error: 400"), "{text}");
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_turn_that_is_interrupted_is_reported_as_idle() {
    let lab = Lab::claude();
    let mut pane = Pane::start(&lab, &with(&[], "[[script:held]] go"));
    pane.wait_for_state(ReportedState::Working);
    lab.server.wait_at_gate("held");
    // Claude Code may take no key in the first moment of a turn, and twice in a row the key means something else.
    pane.type_each(Duration::from_secs(5), "\u{1b}", ReportedState::Idle);
    // If it is interrupted before its answer has begun, it gives the prompt back to be edited and says nothing about it.
    pane.wait_for_one_of(&["Interrupted", "─❯[[script:held]]go─"]);
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn the_question_whether_to_trust_a_folder_is_reported_as_one_for_permission() {
    let lab = Lab::claude_in_strange_folder();
    let mut pane = Pane::start(&lab, &with(&[], "[[script:hello]] go"));
    let asked = pane.wait_for_state(ReportedState::Blocked);
    assert_eq!(asked.kind.as_deref(), Some("permission"));
    assert_eq!(asked.text.as_deref(), Some("trust this folder"));
    assert_eq!(lab.server.requests_for("hello").len(), 0);
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_session_in_a_pane_goes_on_after_its_process_was_killed() {
    let lab = Lab::claude();
    let session = "7c1de6e2-6d0c-4a5b-9f0e-0d6b5f3a1c14";
    let mut first = Pane::start(
        &lab,
        &with(&["--session-id", session], "[[script:hello]] remember limpet"),
    );
    first.wait_for_state(ReportedState::Done);
    // The end of a turn is reported before the turn is on disk, and what is not there cannot be resumed.
    wait_for("the transcript", || {
        lab.claude_transcript(session).contains("scripted answer")
    });
    first.kill();
    let mut second = Pane::start(&lab, &with(&["--resume", session], "[[script:figures]] go on"));
    second.wait_for_state(ReportedState::Done);
    let asked = lab.server.requests_for("figures")[0].body["messages"].to_string();
    assert!(asked.contains("remember limpet"), "{asked}");
}
