//! The whole program with the real opencode in its interface: its plugin reports what it does, and its questions are answered from outside.

use std::fs;

use serde_json::{Value, json};

use crate::driver::{Server, Story};
use crate::lab::{installed, scripts};
use crate::lab_others::{OPENCODE_SETTINGS, QUIET, opencode_settings};
use crate::model_server::{ModelServer, RecordedRequest, Scripts};
use crate::pipeline::{OTHERS, create, file_in_base, path_with, start, wait_for_ask};
use crate::resuming::{kill_at_once, meta, word_behind};

const COMMIT: &str = "echo work > work.txt && git add -A && git commit -qm Work";
const DONE: &str = "dbs signal done 'Made work.txt'";

/// Returns a reply of the model that runs a command.
fn bash(command: &str) -> Value {
    let input = json!({ "command": command, "description": "Do it" });
    json!({ "text": "I do it.", "calls": [{ "tool": "bash", "input": input }] })
}

/// Makes a project whose developer is opencode, starts its server and a task with these replies of the model.
fn begin(settings: &str, replies: &[Value]) -> (Story, ModelServer, Server) {
    let said = json!({ "opencode": { "replies": replies } }).to_string();
    let (story, model, server) = story_with(settings, scripts().with("opencode", &said));
    create(&story, "t-1", "opencode");
    (story, model, server)
}

fn story_with(settings: &str, scripts: Scripts) -> (Story, ModelServer, Server) {
    let (story, model) = (Story::new(OTHERS), ModelServer::start(scripts));
    story.configure(&format!("[roles.developer]\nagent = \"opencode\"\n{settings}"));
    let file = story.root().join("home").join(OPENCODE_SETTINGS);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, opencode_settings(&model)).unwrap();
    let server = serve(&story);
    (story, model, server)
}

fn serve(story: &Story) -> Server {
    let mut server = story.program(&["server"]);
    server.env("PATH", path_with(&installed("opencode"))).envs(QUIET);
    start(story, server)
}

fn is_told(model: &ModelServer, text: &str) -> bool {
    let requests = model.requests_for("opencode");
    requests
        .iter()
        .any(|request| request.body.to_string().contains(text))
}

/// Waits until the developer asks for a permission that contains this text.
fn wait_for_permission(story: &Story, text: &str) {
    story.wait_until("the permission", || {
        let why = story.dbs(&["why", "t-1"]);
        why.contains("needs a permission") && why.contains(text)
    });
}

#[test]
#[cfg_attr(not(has_opencode), ignore = "there is no opencode")]
fn opencode_asks_in_the_inbox_and_a_no_reaches_it_with_its_reason() {
    let edit = json!({ "filePath": "${cwd}/notes.txt", "content": "x" });
    let write = json!({ "text": "I write.", "calls": [{ "tool": "write", "input": edit }] });
    let (story, model, _server) = begin(
        "",
        &[write, bash(COMMIT), bash(DONE), json!({ "text": "All done." })],
    );
    wait_for_permission(&story, "Edit: ");
    story.dbs(&["reject", "t-1", "write no notes"]);
    wait_for_permission(&story, "Bash: echo work");
    assert!(is_told(&model, "write no notes"));
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(file_in_base(&story, "work.txt") && !file_in_base(&story, "notes.txt"));
    let events = story.dbs(&["events"]);
    assert_eq!(
        events.matches("ask_opened").count(),
        3,
        "a rule answers the last one: {events}"
    );
}

#[test]
#[cfg_attr(not(has_opencode), ignore = "there is no opencode")]
fn what_the_role_denies_opencode_does_not_do_whatever_its_settings_allow() {
    let push = bash("git push origin HEAD:elsewhere");
    let (story, model, _server) = begin(
        "permissions = \"allow\"\n",
        &[push, bash(COMMIT), bash(DONE), json!({ "text": "All done." })],
    );
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(
        is_told(&model, "prevents you from using"),
        "{:?}",
        model.requests_for("opencode")
    );
    let branches = story.git(&story.origin(), &["branch", "--list", "elsewhere"]);
    assert_eq!(branches.trim(), "");
}

#[test]
#[cfg_attr(not(has_opencode), ignore = "there is no opencode")]
fn a_question_of_opencode_is_answered_by_its_option() {
    let options = ["SQLite", "Postgres"].map(|label| json!({ "label": label, "description": "It" }));
    let question = json!({ "question": "Which database?", "header": "It", "options": options });
    let asks =
        json!({ "text": "I ask.", "calls": [{ "tool": "question", "input": { "questions": [question] } }] });
    let (story, model, _server) = begin(
        "permissions = \"allow\"\n",
        &[asks, bash(COMMIT), bash(DONE), json!({ "text": "All done." })],
    );
    wait_for_ask(&story);
    let why = story.dbs(&["why", "t-1"]);
    assert!(
        why.contains("Which database?") && why.contains("2 Postgres"),
        "{why}"
    );
    story.dbs(&["answer", "t-1", "2"]);
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(is_told(&model, "\\\"Which database?\\\"=\\\"Postgres\\\""));
}

#[test]
#[cfg_attr(not(has_opencode), ignore = "there is no opencode")]
fn opencode_is_told_to_report_and_a_failed_turn_has_its_words() {
    let fail = json!({ "status": 400, "type": "invalid_request_error", "message": "messages: odd request", "times": 1 });
    let mut first = bash(COMMIT);
    first["fail"] = fail;
    let (story, model, _server) = begin(
        "permissions = \"allow\"\n",
        &[
            first,
            json!({ "text": "I am finished." }),
            bash(DONE),
            json!({ "text": "All done." }),
        ],
    );
    story.wait_until("the words of the failed turn", || {
        story.dbs(&["logs"]).contains("messages: odd request")
    });
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(is_told(&model, "You have not reported how it ended"));
    assert!(file_in_base(&story, "work.txt"));
}

#[test]
#[cfg_attr(not(has_opencode), ignore = "there is no opencode")]
fn opencode_goes_on_with_the_session_that_its_plugin_has_named() {
    let (story, model, _server) = begin("", &[bash(COMMIT), bash(DONE), json!({ "text": "All done." })]);
    wait_for_permission(&story, "Bash: echo work");
    kill_at_once(i32::try_from(meta(&story, 1)["holder"]["pid"].as_u64().unwrap()).unwrap());
    story.wait_until("the next attempt", || story.attempt(2).join("meta.json").exists());
    let session = word_behind(&story, 2, "--session");
    assert!(session.starts_with("ses_"), "{session}");
    let goes_on = |request: &RecordedRequest| {
        let body = request.body.to_string();
        body.contains("You were interrupted") && body.contains("I do it.")
    };
    story.wait_until("the request with what was said before", || {
        model.requests_for("opencode").iter().any(goes_on)
    });
}
