//! The whole program with the real opencode in its interface: its plugin reports what it does, and its questions are answered from outside.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::asking::typing;
use crate::driver::{Server, Story};
use crate::lab::{installed, scripts};
use crate::lab_others::{QUIET, write_opencode_settings};
use crate::model_server::{ModelServer, RecordedRequest, Scripts};
use crate::pipeline::{OTHERS, create, file_in_base, path_with, start, wait_for_ask};
use crate::resuming::{kill_at_once, meta, word_behind};

const COMMIT: &str = "echo work > work.txt && git add -A && git commit -qm Work";
const ALLOW: &str = "permissions = \"allow\"\n";
const DONE: &str = "dbs signal done 'Made work.txt'";

/// Returns a reply of the model that runs a command.
fn bash(command: &str) -> Value {
    let input = json!({ "command": command, "description": "Do it" });
    json!({ "text": "I do it.", "calls": [{ "tool": "bash", "input": input }] })
}

fn says_done() -> Value {
    json!({ "text": "All done." })
}

/// One of these is held while a test runs opencode, whose start takes a processor for seconds: with eight at once, each waits for a minute.
static TURNS: [Mutex<()>; 2] = [const { Mutex::new(()) }; 2];
static NEXT_TURN: AtomicUsize = AtomicUsize::new(0);

/// Server of a project whose developer is opencode. The turn goes after it.
struct TurnOf(Server, MutexGuard<'static, ()>);

/// Makes a project whose developer is opencode, starts its server and a task with these replies of the model.
fn begin(settings: &str, replies: &[Value]) -> (Story, ModelServer, TurnOf) {
    let said = json!({ "opencode": { "replies": replies } }).to_string();
    let (story, model, server) = story_with(settings, scripts().with("opencode", &said));
    create(&story, "t-1", "opencode");
    (story, model, server)
}

fn story_with(settings: &str, scripts: Scripts) -> (Story, ModelServer, TurnOf) {
    let next = NEXT_TURN.fetch_add(1, Ordering::Relaxed) % TURNS.len();
    let turn = TURNS[next].lock().unwrap_or_else(PoisonError::into_inner);
    let (story, model) = (Story::new(OTHERS), ModelServer::start(scripts));
    story.configure(&format!("[roles.developer]\nagent = \"opencode\"\n{settings}"));
    write_opencode_settings(&story.root().join("home"), &model);
    let server = TurnOf(serve(&story, &model), turn);
    (story, model, server)
}

fn serve(story: &Story, model: &ModelServer) -> Server {
    let mut server = story.program(&["server"]);
    server
        .env("PATH", path_with(&installed("opencode")))
        .env("HTTPS_PROXY", model.url())
        .env("NO_PROXY", "127.0.0.1,localhost")
        .envs(QUIET);
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
    let (story, model, _server) = begin("", &[write, bash(COMMIT), bash(DONE), says_done()]);
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
    let (story, model, _server) = begin(ALLOW, &[push, bash(COMMIT), bash(DONE), says_done()]);
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(
        is_told(&model, "prevents you from using"),
        "{:?}",
        model.requests_for("opencode")
    );
    let branches = story.git(&story.origin(), &["branch", "--list", "elsewhere"]);
    assert_eq!(branches.trim(), "");
}

/// Returns a reply that asks a question with two options.
fn question(text: &str) -> Value {
    let options = ["SQLite", "Postgres"].map(|label| json!({ "label": label, "description": "It" }));
    let question = json!({ "question": text, "header": "It", "options": options });
    json!({ "text": "I ask.", "calls": [{ "tool": "question", "input": { "questions": [question] } }] })
}

#[test]
#[cfg_attr(not(has_opencode), ignore = "there is no opencode")]
fn a_question_of_opencode_is_declined_with_a_reason_and_another_answered_by_its_option() {
    let questions = [question("Which editor?"), question("Which database?")];
    let replies = [&questions[..], &[bash(COMMIT), bash(DONE), says_done()]].concat();
    let (story, model, _server) = begin(ALLOW, &replies);
    wait_for_ask(&story);
    story.dbs(&["reject", "t-1", "any will do"]);
    let asks = |text: &str| story.dbs(&["why", "t-1"]).contains(text);
    story.wait_until("the next question", || asks("Which database?"));
    assert!(is_told(&model, "I decline the question: any will do"));
    assert!(asks("2 Postgres"), "{}", story.dbs(&["why", "t-1"]));
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
        ALLOW,
        &[
            first,
            json!({ "text": "I am finished." }),
            bash(DONE),
            says_done(),
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
    let (story, model, _server) = begin("", &[bash(COMMIT), bash(DONE), says_done()]);
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

#[test]
#[cfg_attr(not(has_opencode), ignore = "there is no opencode")]
fn an_ask_of_opencode_outlives_the_server_and_a_key_in_its_terminal_answers_the_next() {
    let (story, model, server) = begin("", &[bash(COMMIT), bash("touch b.txt"), bash(DONE), says_done()]);
    wait_for_permission(&story, "Bash: echo work");
    let TurnOf(server, _turn) = server;
    drop(server);
    let _server = serve(&story, &model);
    wait_for_permission(&story, "Bash: echo work");
    story.dbs(&["approve", "t-1"]);
    wait_for_permission(&story, "Bash: touch b.txt");
    let tty = typing(&story);
    tty.press("Enter");
    story.wait_until("the end of the task", || story.count("done") == 1);
    let events = story.dbs(&["events"]);
    assert!(events.contains("ask_withdrawn"), "{events}");
}

#[test]
#[cfg_attr(not(has_opencode), ignore = "there is no opencode")]
fn an_interrupted_turn_of_opencode_is_followed_by_what_a_person_answers() {
    let mut held = bash(COMMIT);
    held["gate"] = json!({ "name": "held", "after": 0 });
    let (story, model, _server) = begin(ALLOW, &[held]);
    story.wait_until("the request", || !model.requests_for("opencode").is_empty());
    story.wait_until("the work", || {
        story.dbs(&["why", "t-1", "--sources"]).contains("now: working")
    });
    story.dbs(&["interrupt", "t-1"]);
    story.wait_until("the end of the turn", || {
        story.dbs(&["why", "t-1", "--sources"]).contains("now: idle")
    });
    model.open_gate("held");
    story.dbs(&["answer", "t-1", "[[script:hello]] go on"]);
    story.wait_until("the next turn", || !model.requests_for("hello").is_empty());
}

#[test]
#[cfg_attr(not(has_opencode), ignore = "there is no opencode")]
fn a_refused_login_of_opencode_is_asked_about_with_the_way_out_and_an_unknown_model_too() {
    for (status, message, wanted) in [
        (401, "Incorrect API key provided", "opencode auth login"),
        (
            404,
            "The model does not exist",
            "choose another model with `dbs config roles.developer.model NAME`",
        ),
    ] {
        let mut first = bash(COMMIT);
        first["fail"] = json!({ "status": status, "type": "invalid_request_error", "message": message });
        let (story, _model, _server) = begin(ALLOW, &[first]);
        story.wait_until("what a person has to change", || {
            story.dbs(&["why", "t-1"]).contains(wanted)
        });
        let logs = story.dbs(&["logs"]);
        assert!(!logs.contains("told to continue"), "{logs}");
    }
}

#[test]
#[cfg_attr(not(has_opencode), ignore = "there is no opencode")]
fn requests_that_opencode_tries_again_and_its_subagents_are_shown() {
    let prompt = "[[script:subagent]] look around";
    let input = json!({ "description": "look around", "prompt": prompt, "subagent_type": "general" });
    let task = json!({ "text": "I delegate.", "calls": [{ "tool": "task", "input": input }] });
    let mut first = bash(COMMIT);
    first["fail"] = json!({ "status": 503, "type": "server_error", "message": "Overloaded", "times": 2 });
    let replies = json!([first, task, bash(DONE), says_done()]);
    let held = json!({ "text": "I have looked.", "gate": { "name": "looks", "after": 0 } });
    let said = json!({ "opencode": { "replies": replies }, "subagent": { "replies": [held] } });
    let (story, model, _server) = story_with(ALLOW, scripts().with("opencode", &said.to_string()));
    create(&story, "t-1", "opencode");
    story.wait_until("the retry", || {
        story.dbs(&["why", "t-1", "--sources"]).contains("retry")
    });
    story.wait_until("the subagent", || {
        story
            .dbs(&["why", "t-1", "--sources"])
            .contains("runs look around  ")
    });
    model.open_gate("looks");
    story.wait_until("the end of the task", || story.count("done") == 1);
}

#[test]
#[cfg_attr(not(has_opencode), ignore = "there is no opencode")]
fn opencode_without_its_interface_does_a_task_to_its_merge_with_what_a_person_allows() {
    let (story, model, _server) = begin(
        "mode = \"headless\"\n",
        &[
            bash(COMMIT),
            json!({ "text": "I am finished." }),
            bash(DONE),
            says_done(),
        ],
    );
    wait_for_permission(&story, "echo work");
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(is_told(&model, "You have not reported how it ended"));
    assert!(file_in_base(&story, "work.txt"));
}

#[test]
#[cfg_attr(not(has_opencode), ignore = "there is no opencode")]
fn opencode_whose_context_is_full_is_restarted_with_what_it_did_and_its_cost_is_counted() {
    let full = json!({ "prompt_tokens": 120_000, "completion_tokens": 100, "total_tokens": 120_100 });
    let mut first = bash("echo half > half.txt; dbs signal progress '[[script:rest]] half is made'");
    first["usage"] = full;
    let mut held = bash("echo more >> half.txt");
    held["gate"] = json!({ "name": "full", "after": 0 });
    let end = json!({ "text": "I end my turn." });
    let said = json!({
        "opencode": { "replies": [first, held, end] },
        "rest": { "replies": [bash(COMMIT), bash(DONE), says_done()] },
    });
    let settings = format!("{ALLOW}[context]\nthreshold = 50\n");
    let (story, model, _server) = story_with(&settings, scripts().with("opencode", &said.to_string()));
    create(&story, "t-1", "opencode");
    story.wait_until("the second request", || model.requests_for("opencode").len() > 1);
    model.wait_at_gate("full");
    // A line that comes before the request at the gate is part of it, and is not queued.
    let full = "your context is almost full";
    story.wait_until("that opencode has taken the line", || {
        is_told(&model, full) || story.dbs(&["logs", "t-1"]).contains("QUEUED")
    });
    model.open_gate("full");
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(is_told(&model, full));
    let shown = story.dbs(&["task", "show", "t-1"]);
    assert!(shown.contains("session 2 after 1"), "{shown}");
    assert!(file_in_base(&story, "work.txt") && file_in_base(&story, "half.txt"));
    let cost: Value = serde_json::from_str(&story.dbs(&["cost", "--json"])).unwrap();
    let dollars = cost["sum"]["dollars"].as_f64();
    assert!(dollars.is_some_and(|dollars| dollars > 1.2), "{cost}");
}
