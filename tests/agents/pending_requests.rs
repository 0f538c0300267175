//! Requests of the real Codex that wait while it goes on: after a while its model is told that the command still runs, and calls other
//! tools or ends its turn.

use std::path::Path;

use serde_json::{Value, json};

use crate::asking::{COMMIT, DONE, says};
use crate::codex_pipeline::{exec, story_of};
use crate::driver::Story;
use crate::lab::scripts;
use crate::model_server::Scripts;
use crate::pipeline::{create, wait_for_ask};
use crate::resuming::meta;

/// Returns a reply that runs a command outside the sandbox. The model goes on after a second.
fn asks(command: &str) -> Value {
    let input = format!(
        "// @exec: {{\"yield_time_ms\": 1000}}\n\
         text(await tools.exec_command({{ cmd: {}, sandbox_permissions: \"require_escalated\", justification: \"So.\" }}));",
        json!(command)
    );
    json!({ "text": "I ask.", "calls": [{ "tool": "exec", "input": input }] })
}

fn scripted(replies: &[Value]) -> Scripts {
    scripts().with(
        "pending",
        &json!({ "pending": { "replies": replies } }).to_string(),
    )
}

/// Returns the texts of the requests of the agent that have no answer yet.
fn open(story: &Story) -> Vec<String> {
    let status: Value = serde_json::from_str(&story.dbs(&["status", "--json"])).unwrap();
    let asks = status["agents"][0]["asks"].as_array();
    let open = asks
        .into_iter()
        .flatten()
        .filter(|known| known["closed"].is_null() && known["answer"].is_null());
    open.map(|known| known["ask"]["text"].as_str().unwrap().to_owned())
        .collect()
}

/// Returns true if the agent has made that file in its worktree.
fn has_made(story: &Story, file: &str) -> bool {
    let folder = meta(story, 1)["cwd"].as_str().unwrap().to_owned();
    Path::new(&folder).join(file).exists()
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn what_codex_asks_waits_for_its_answer_while_it_goes_on_and_after_the_end_of_its_turn() {
    let replies = [asks("touch aside"), exec(COMMIT), says("I think that is all.")];
    let Some((story, _model, _server)) = story_of("", scripted(&replies)) else {
        return;
    };
    create(&story, "t-1", "pending");
    wait_for_ask(&story);
    story.wait_until("the end of its turn", || {
        story.dbs(&["why", "t-1", "--sources"]).contains("now: idle")
    });
    assert_eq!(open(&story), ["Bash: touch aside"]);
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the command", || has_made(&story, "aside"));
    let events = story.dbs(&["events"]);
    assert!(!events.contains("ask_withdrawn"), "{events}");
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn the_answer_to_one_request_of_codex_leaves_the_other_open() {
    let mut done = exec(DONE);
    done["gate"] = json!({ "name": "end", "after": 0 });
    let replies = [
        asks("touch first"),
        asks("touch second"),
        exec(COMMIT),
        done,
        says("All done."),
    ];
    let Some((story, model, _server)) = story_of("", scripted(&replies)) else {
        return;
    };
    create(&story, "t-1", "pending");
    story.wait_until("both requests", || open(&story).len() == 2);
    model.wait_at_gate("end");
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the first command", || has_made(&story, "first"));
    story.wait_until("that it goes on", || {
        story.dbs(&["why", "t-1", "--sources"]).contains("now: working")
    });
    assert_eq!(open(&story), ["Bash: touch second"]);
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the second command", || has_made(&story, "second"));
    model.open_gate("end");
    story.wait_until("the end of the task", || story.count("done") == 1);
}
