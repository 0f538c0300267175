//! The whole program with the real Codex without its interface: each turn is a process of its own, in one session.

use std::fs;

use dbs::domain::ProcessExit;
use dbs::term::ReportedState;

use crate::codex_pipeline::{is_interrupted, recorded_tokens, rests_until_its_limit_ends, story, tokens};
use crate::headless::run_by;
use crate::lab::{Lab, wait_for};
use crate::pane::Pane;
use crate::pipeline::{create, file_in_base};
use crate::resuming::{kill_at_once, meta, runs};

const HEADLESS: &str = "mode = \"headless\"\n";

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn a_task_is_done_by_codex_without_its_interface_in_its_sandbox_and_merged() {
    let Some((story, model, _server)) = story(HEADLESS) else {
        return;
    };
    create(&story, "t-1", "codex_work");
    story.wait_until(&format!("the end of the task; {}", model.summary()), || {
        story.count("done") == 1
    });
    assert!(file_in_base(&story, "work.txt"));
    let argv = meta(&story, 1)["argv"].clone();
    assert_eq!((&argv[1], &argv[3]), (&"headless".into(), &"exec".into()));
    assert!(!argv.to_string().contains("dangerously"), "{argv}");
    let shown = story.dbs(&["logs", "1"]);
    for part in ["I make the file.", "* /bin/", "= turn over"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let told = fs::read_to_string(story.attempt(1).join("session-id"));
    assert_eq!(told.unwrap().len(), 36, "its hook told the session");
    story.wait_until("each token once", || {
        tokens(&story) > 0 && tokens(&story) == recorded_tokens(&story)
    });
    let status = story.git(&story.project(), &["status", "--porcelain"]);
    assert_eq!(status, "", "nothing is written into the repository");
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn without_its_interface_what_codex_wants_outside_its_sandbox_is_refused_and_the_model_is_told() {
    let Some((story, model, _server)) = story(HEADLESS) else {
        return;
    };
    create(&story, "t-1", "codex_asks");
    story.wait_until("what the model is told", || {
        let asked = model.requests_for("codex_asks");
        asked.iter().any(|request| {
            let text = request.body.to_string();
            text.contains("approval policy is Never")
        })
    });
    assert!(!story.dbs(&["events"]).contains("ask_opened"));
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn without_its_interface_codex_is_sent_back_once_and_hears_what_a_person_answers() {
    let Some((story, model, _server)) = story(HEADLESS) else {
        return;
    };
    create(&story, "t-1", "codex_silent");
    story.wait_until("what a person is asked", || {
        story.dbs(&["logs"]).contains("stopped without a report")
    });
    let requests = || model.requests_for("codex_silent");
    let heard = |text: &str| {
        let all = requests();
        all.iter()
            .filter(|request| request.body.to_string().contains(text))
            .count()
    };
    assert_eq!(heard("You have not reported"), 1, "it was sent back once");
    story.dbs(&["answer", "t-1", "Report that there is nothing to do."]);
    story.wait_until("the report", || story.count("held") == 1);
    assert!(heard("Report that there is nothing to do.") > 0);
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn without_its_interface_codex_goes_on_with_its_session_after_its_runner_was_killed() {
    let Some((story, model, _server)) = story(HEADLESS) else {
        return;
    };
    create(&story, "t-1", "codex_killed");
    story.wait_until("the first start", || story.attempt(1).join("meta.json").exists());
    let half = || {
        let folder = meta(&story, 1)["cwd"].as_str().unwrap().to_owned();
        fs::read_to_string(format!("{folder}/half.txt")).is_ok()
    };
    story.wait_until("the call of the tool", half);
    let runner = i32::try_from(meta(&story, 1)["child"]["pid"].as_u64().unwrap()).unwrap();
    kill_at_once(runner);
    story.wait_until("the next start", || story.attempt(2).join("meta.json").exists());
    assert!(!runs(runner));
    let told = fs::read_to_string(story.attempt(1).join("session-id")).unwrap();
    let argv = meta(&story, 2)["argv"].as_array().unwrap().clone();
    let at = argv.iter().position(|word| word == "resume").unwrap();
    assert_eq!(argv[at + 1], told.trim());
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(file_in_base(&story, "whole.txt"));
    story.wait_until("each token once, of both attempts", || {
        tokens(&story) == recorded_tokens(&story)
    });
    let last = model
        .requests_for("codex_killed")
        .last()
        .unwrap()
        .body
        .to_string();
    for said in ["I make half of it.", "You were interrupted"] {
        assert!(last.contains(said), "the model sees what was said before: {said}");
    }
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn a_turn_of_codex_without_its_interface_is_ended_from_outside_and_an_answer_begins_the_next() {
    is_interrupted(HEADLESS);
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn a_usage_limit_of_codex_without_its_interface_pauses_the_work_until_it_ends() {
    rests_until_its_limit_ends(HEADLESS);
}

/// Starts Codex without its interface, in a terminal without a server.
pub(crate) fn codex_in_pane(lab: &Lab, prompt: &str) -> Pane {
    Pane::start_program(lab, run_by(&lab.argv(&["exec", "--json"]), prompt))
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn a_line_typed_while_a_turn_of_codex_goes_on_begins_the_next_turn_of_its_session() {
    let lab = Lab::codex();
    let mut pane = codex_in_pane(&lab, "[[script:held]] remember the word limpet");
    lab.server.wait_at_gate("held");
    pane.type_keys("[[script:hello]] next\r");
    pane.wait_for_text("queued > [[script:hello]] next");
    assert_eq!(lab.server.requests_for("hello").len(), 0);
    lab.server.open_gate("held");
    pane.wait_for_text("Hello! This is the scripted answer.");
    pane.wait_for_state(ReportedState::Done);
    let asked = lab.server.requests_for("hello")[0].body["input"].to_string();
    assert!(asked.contains("remember the word limpet"), "{asked}");
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn escape_ends_a_turn_of_codex_without_its_interface_and_its_session_goes_on_with_a_typed_line() {
    let lab = Lab::codex();
    let mut pane = codex_in_pane(&lab, "[[script:held]] remember the word limpet");
    lab.server.wait_at_gate("held");
    pane.wait_for_state(ReportedState::Working);
    pane.type_keys("\x1b");
    pane.wait_for_text("= interrupted");
    pane.wait_for_state(ReportedState::Idle);
    wait_for("the end of the turn in its record", || {
        lab.codex_rollouts().contains("turn_aborted")
    });
    pane.type_keys("[[script:hello]] go\r");
    pane.wait_for_text("Hello! This is the scripted answer.");
    pane.wait_for_state(ReportedState::Done);
    let asked = lab.server.requests_for("hello")[0].body["input"].to_string();
    assert!(asked.contains("remember the word limpet"), "{asked}");
    pane.type_keys("\x03");
    pane.wait_for_text("Ctrl-C once more ends the agent");
    pane.type_keys("\x03");
    assert_eq!(pane.wait_for_end(), ProcessExit::Code(143));
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn a_failed_turn_of_codex_without_its_interface_is_shown_and_a_typed_line_goes_on() {
    let lab = Lab::codex();
    let mut pane = codex_in_pane(&lab, "[[script:error_400]] go");
    pane.wait_for_text("= failed");
    pane.wait_for_state(ReportedState::Error);
    pane.type_keys("[[script:hello]] go\r");
    pane.wait_for_text("Hello! This is the scripted answer.");
}
