//! The whole program with the real Claude Code, whose context fills up: between two tools it is told to stop, its work is committed, and a
//! fresh session ends the task in the same folder.

use crate::driver::{Server, Story};
use crate::model_server::ModelServer;
use crate::pipeline::{create, file_in_base, story};
use crate::resuming::{meta, word_behind};

/// Starts a developer whose first reply fills three fifths of its context; the second reply waits at a gate.
fn filled(threshold: u32) -> (Story, ModelServer, Server) {
    let world = story(&format!(
        "permissions = \"allow\"\n[context]\nthreshold = {threshold}\n"
    ));
    create(&world.0, "t-1", "context_first");
    world.1.wait_at_gate("full");
    world
}

fn subjects(story: &Story) -> String {
    story.git(&story.origin(), &["log", "work", "--format=%s"])
}

/// Returns true if a request of the first session has the line that asks the agent to stop.
fn is_told(model: &ModelServer) -> bool {
    let requests = model.requests_for("context_first");
    let mut bodies = requests.iter().map(|request| request.body.to_string());
    bodies.any(|body| body.contains("your context is almost full"))
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_whose_context_is_full_is_restarted_with_what_it_did_and_the_task_is_merged() {
    let (story, model, _server) = filled(50);
    let shown = || story.dbs(&["task", "show", "t-1"]);
    story.wait_until("that it is asked to stop", || {
        shown().contains("is asked to stop")
    });
    let why = story.dbs(&["why", "t-1"]);
    assert!(why.contains("its context is full"), "{why}");
    // A line that comes before the request at the gate is part of it, and is not queued.
    story.wait_until("that Claude has taken the line", || {
        is_told(&model) || story.dbs(&["logs", "t-1"]).contains("edit queued messages")
    });
    model.open_gate("full");
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(is_told(&model), "it is told between two tools");
    assert_ne!(
        word_behind(&story, 1, "--session-id"),
        word_behind(&story, 2, "--session-id")
    );
    assert_eq!(meta(&story, 1)["cwd"], meta(&story, 2)["cwd"]);
    let first = model.requests_for("context_second")[0].body["messages"].to_string();
    for part in [
        "Session reset",
        "session 2 (restart 1 of 3)",
        "half is made",
        "half.txt",
    ] {
        assert!(first.contains(part), "the second session is told {part}: {first}");
    }
    assert!(!first.contains("I make half of it."), "its context is empty");
    assert!(file_in_base(&story, "whole.txt"));
    assert!(
        subjects(&story).contains("Checkpoint: Do it"),
        "{}",
        subjects(&story)
    );
    assert!(shown().contains("session 2 after 1"), "{}", shown());
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn with_a_threshold_of_100_claude_goes_on_in_one_session_however_full_it_is() {
    let (story, model, _server) = filled(100);
    story.wait_until("how full it is", || {
        story.dbs(&["status"]).contains("context 60 %")
    });
    model.open_gate("full");
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(file_in_base(&story, "whole.txt"));
    assert_eq!(model.requests_for("context_second").len(), 0);
    assert!(!subjects(&story).contains("Checkpoint"), "{}", subjects(&story));
    let shown = story.dbs(&["task", "show", "t-1"]);
    assert!(
        !shown.contains("session 2") && !shown.contains("asked to stop"),
        "{shown}"
    );
}
