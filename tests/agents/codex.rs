//! Codex, without and in a terminal.

use std::sync::Arc;

use dbs::adapters::agents::{AgentKind as _, CodexAgent, LaunchContext, LiveEnv, PersonEnv};
use dbs::domain::{AttemptId, Cause, SessionOrigin, Timestamp};
use dbs::term::ReportedState;

use crate::lab::{Lab, wait_for};
use crate::pane::Pane;

/// Arguments with which Codex asks before a command that wants to leave the sandbox. The script wants that at once, so no sandbox is built:
/// a container may not allow one.
const ASKING: [&str; 4] = ["-a", "on-request", "-s", "read-only"];

/// Returns the session that Codex left in the project, as the program finds it.
fn session_in(lab: &Lab) -> Result<String, Cause> {
    let context = LaunchContext {
        program: "dbs".into(),
        inherited: LiveEnv::default(),
        person: PersonEnv::new(lab.env()),
        socket: "/s".into(),
        inbox: "/i".into(),
        root: "/r".into(),
        attempts: "/a".into(),
        token: Arc::new(|_, _| String::new()),
    };
    let origin = SessionOrigin {
        attempt: AttemptId(1),
        created_at: Timestamp(1),
        comments_before: 0,
        name: "developer-ravel".to_owned(),
        folder: None,
    };
    CodexAgent.session(&context, &origin, &lab.project())
}

fn with(first: &[&'static str], prompt: &'static str) -> Vec<&'static str> {
    first.iter().copied().chain([prompt]).collect()
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn codex_says_hello() {
    let lab = Lab::codex();
    let run = lab.run(&["exec", "--json", "[[script:hello]] go"]);
    assert!(run.status.success(), "{run:?}");
    assert_eq!(
        run.line("type", "item.completed")["item"]["text"],
        "Hello! This is the scripted answer."
    );
    assert!(
        run.lines.iter().any(|line| line["type"] == "turn.completed"),
        "{run:?}"
    );
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn codex_in_a_pane_works_and_is_done() {
    let lab = Lab::codex();
    let mut pane = Pane::start(&lab, &["[[script:hello]] go"]);
    pane.wait_for_state(ReportedState::Working);
    pane.wait_for_state(ReportedState::Done);
    pane.wait_for_text("Hello! This is the scripted answer.");
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn codex_asks_for_approval_and_goes_on_when_it_has_it() {
    let lab = Lab::codex();
    let mut pane = Pane::start(&lab, &with(&ASKING, "[[script:codex_touch]] go"));
    pane.wait_for_state(ReportedState::Working);
    let asked = pane.wait_for_state(ReportedState::Blocked);
    assert_eq!(asked.kind.as_deref(), Some("permission"));
    assert!(!lab.has_made("made-by-agent.txt"));
    pane.wait_for_text("Press enter to confirm");
    // Codex takes no key in the first moment of a dialog, in case the key was typed for something else.
    pane.type_until_state("y", ReportedState::Working);
    pane.wait_for_state(ReportedState::Done);
    assert!(lab.has_made("made-by-agent.txt"));
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn an_error_of_the_interface_ends_codex_with_one_and_fails_the_turn() {
    let lab = Lab::codex();
    let run = lab.run(&["exec", "--json", "[[script:error_400]] go"]);
    assert_eq!(run.status.code(), Some(1));
    let text = run.line("type", "turn.failed")["error"]["message"].to_string();
    assert!(text.contains("the scripted server refuses this"), "{text}");
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn a_thread_goes_on_after_its_process_was_killed() {
    let lab = Lab::codex();
    let run = lab.start(
        "first",
        &["exec", "--json", "[[script:held]] remember the word limpet"],
    );
    lab.server.wait_at_gate("held");
    wait_for("the rollout", || lab.codex_rollouts().contains("limpet"));
    let killed = run.kill();
    assert_eq!(killed.status.code(), None, "it ended by itself: {killed:?}");
    let thread = killed.line("type", "thread.started")["thread_id"].as_str();
    let thread = thread.expect("a thread has an id");
    let again = lab.run(&["exec", "--json", "resume", thread, "[[script:hello]] go on"]);
    assert_eq!(again.line("type", "thread.started")["thread_id"], thread);
    assert!(
        again.lines.iter().any(|line| line["type"] == "turn.completed"),
        "{again:?}"
    );
    let asked = lab.server.requests_for("hello")[0].body["input"].to_string();
    assert!(asked.contains("remember the word limpet"), "{asked}");
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn a_session_of_codex_in_a_pane_goes_on_after_its_process_was_killed() {
    let lab = Lab::codex();
    let pane = Pane::start(&lab, &["[[script:held]] remember the word limpet"]);
    lab.server.wait_at_gate("held");
    wait_for("the rollout", || lab.codex_rollouts().contains("limpet"));
    pane.kill();
    let session = session_in(&lab).unwrap();
    let mut again = Pane::start(&lab, &["resume", "--", &session, "[[script:hello]] go on"]);
    again.wait_for_state(ReportedState::Done);
    let asked = lab.server.requests_for("hello")[0].body["input"].to_string();
    assert!(asked.contains("remember the word limpet"), "{asked}");
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn a_turn_of_codex_that_is_interrupted_is_no_longer_reported_as_working() {
    let lab = Lab::codex();
    let mut pane = Pane::start(&lab, &["[[script:held]] go"]);
    pane.wait_for_state(ReportedState::Working);
    lab.server.wait_at_gate("held");
    // Before the interface of Codex knows of the turn, it takes Esc for the wish to edit a message.
    pane.wait_for_text("waits for the test in the mi");
    pane.type_keys("\u{1b}");
    pane.wait_for_state(ReportedState::Idle);
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn an_error_of_the_interface_is_reported_by_codex_as_an_error() {
    let lab = Lab::codex();
    let mut pane = Pane::start(&lab, &["[[script:error_400]] go"]);
    pane.wait_for_state(ReportedState::Working);
    pane.wait_for_state(ReportedState::Error);
    pane.wait_for_text("the scripted server refuses this");
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn codex_reports_nothing_while_it_asks_whether_to_trust_a_folder() {
    let lab = Lab::codex_in_strange_folder();
    let mut pane = Pane::start(&lab, &["[[script:hello]] go"]);
    pane.wait_for_text("Trust this folder?");
    assert_eq!(pane.states(), []);
    assert_eq!(lab.server.requests_for("hello").len(), 0);
    pane.type_until_state("\r", ReportedState::Working);
    pane.wait_for_state(ReportedState::Done);
}
