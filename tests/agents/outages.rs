//! The whole program with real agents whose model is overloaded or cannot be reached: what agents wait out themselves is shown as such, and
//! agents that give up are told to go on in the same session. No try is used up.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::codex_pipeline;
use crate::driver::{Server, Story};
use crate::lab::scripts;
use crate::model_server::{ModelServer, RecordedRequest, Scripts};
use crate::pipeline::{create, file_in_base, story_with};

const VISIBLE: &str = "permissions = \"allow\"\n";
const HEADLESS: &str = "permissions = \"allow\"\nmode = \"headless\"\n";

/// Returns a script of Claude Code whose second reply has these further fields.
fn script(name: &str, second: &Value) -> Scripts {
    let run =
        |command: &str| json!([{ "tool": "Bash", "input": { "command": command, "description": "Work" } }]);
    let mut report = json!({ "text": "I report.", "calls": run("dbs signal done 'Made work.txt'") });
    if let (Some(report), Some(second)) = (report.as_object_mut(), second.as_object()) {
        report.extend(second.clone());
    }
    let replies = json!([
        { "text": "I make the file.", "calls": run("echo work > work.txt && git add -A && git commit -qm Work") },
        report,
        { "text": "All done." },
    ]);
    scripts().with(name, &json!({ name: { "replies": replies } }).to_string())
}

fn overload(times: usize, headers: &Value) -> Value {
    let fail = json!({
        "status": 529, "type": "overloaded_error", "message": "Overloaded", "times": times, "headers": headers,
    });
    json!({ "fail": fail })
}

/// Asserts that the same session ended the task, and that nothing was counted against it.
fn ends_at_no_cost(story: &Story, model: &ModelServer) {
    story.wait_until(&format!("the end of the task; {}", model.summary()), || {
        story.count("done") == 1
    });
    assert!(file_in_base(story, "work.txt"));
    let events = story.dbs(&["events"]);
    let starts = events.lines().filter(|line| line.contains("workplace_made"));
    assert_eq!(starts.count(), 2, "one developer and one reviewer: {events}");
    let task = story.dbs(&["task", "show", "t-1", "--json"]);
    assert!(
        !task.contains("\"crash\"") && !task.contains("\"infra\""),
        "{task}"
    );
}

fn begin(settings: &str, second: &Value) -> (Story, ModelServer, Server) {
    let world = story_with(
        &format!("agent = \"claude\"\n{settings}"),
        script("outage", second),
    );
    create(&world.0, "t-1", "outage");
    world
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn an_overload_that_claude_waits_out_is_shown_as_a_request_that_is_tried_again() {
    let (story, model, _server) = begin(HEADLESS, &overload(2, &json!({ "retry-after": "2" })));
    story.wait_until("that a request is tried again", || {
        story.dbs(&["why", "t-1"]).contains("retry 1/")
    });
    ends_at_no_cost(&story, &model);
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn an_overload_that_claude_waits_out_in_its_interface_costs_nothing() {
    let (story, model, _server) = begin(VISIBLE, &overload(2, &json!({})));
    ends_at_no_cost(&story, &model);
    assert!(!story.dbs(&["logs"]).contains("told to continue"));
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_that_gives_up_after_an_overload_is_told_to_go_on_in_its_session() {
    let (story, model, _server) = begin(VISIBLE, &overload(8, &json!({})));
    story.wait_until("what is done about it", || {
        let logs = story.dbs(&["logs"]);
        logs.contains("529") && logs.contains("it is told to continue in 1s")
    });
    ends_at_no_cost(&story, &model);
    let asked = model.requests_for("outage");
    let is_told = |text: &str| {
        asked
            .iter()
            .any(|request| request.body.to_string().contains(text))
    };
    assert!(is_told("your last turn failed"), "{}", model.summary());
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn without_an_interface_claude_that_gives_up_is_told_to_go_on_too() {
    let (story, model, _server) = begin(HEADLESS, &overload(8, &json!({})));
    story.wait_until("what is done about it", || {
        story.dbs(&["logs"]).contains("it is told to continue in 1s")
    });
    ends_at_no_cost(&story, &model);
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_whose_connection_breaks_in_the_middle_of_an_answer_is_told_to_go_on() {
    let call =
        |command: &str| json!([{ "tool": "Bash", "input": { "command": command, "description": "Work" } }]);
    let replies = json!([
        { "text": "I make the file.", "calls": call("echo work > work.txt && git add -A && git commit -qm Work") },
        { "text": "I report.", "calls": call("dbs signal done 'Never heard'"), "break_after": 2 },
        { "text": "I report.", "calls": call("dbs signal done 'Made work.txt'") },
        { "text": "All done." },
    ]);
    let scripts = scripts().with(
        "cut_off",
        &json!({ "cut_off": { "replies": replies } }).to_string(),
    );
    let (story, model, _server) = story_with(&format!("agent = \"claude\"\n{VISIBLE}"), scripts);
    create(&story, "t-1", "cut_off");
    story.wait_until("what is done about it", || {
        let logs = story.dbs(&["logs"]);
        logs.contains("Connection lost mid-response") && logs.contains("it is told to continue in 1s")
    });
    ends_at_no_cost(&story, &model);
}

/// Returns the present second.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// Returns a refusal of a request, for a usage limit with these words.
fn limit(message: &str) -> Value {
    let headers = json!({ "x-should-retry": "false" });
    json!({ "fail": { "status": 429, "type": "rate_limit_error", "message": message, "times": 1, "headers": headers } })
}

/// Asserts that work rests until the limit ends, and then goes on by itself.
fn rests_until_the_limit_ends(settings: &str, ends: u64, words: &str) {
    let (story, model, _server) = begin(settings, &limit(words));
    story.wait_until("the pause", || {
        story.dbs(&["logs"]).contains("claude is paused by a usage limit")
    });
    story.wait_until("the reason", || {
        story
            .dbs(&["why", "t-1"])
            .contains("claude is at its usage limit")
    });
    story.wait_until(&format!("the end of the task; {}", model.summary()), || {
        story.count("done") == 1
    });
    assert!(now() >= ends, "no agent works before the limit ends");
    let task = story.dbs(&["task", "show", "t-1", "--json"]);
    assert!(
        !task.contains("\"crash\"") && !task.contains("\"infra\""),
        "{task}"
    );
    assert!(file_in_base(&story, "work.txt"));
}

/// Returns the second at which a limit ends, and words that name that second.
fn limit_by_second() -> (u64, String) {
    let ends = now() + 40;
    (ends, format!("Claude AI usage limit reached|{ends}"))
}

/// Returns the full minute at which a limit ends, as its second, and the words for it as they are written for people.
fn limit_by_time_of_day() -> (u64, String) {
    let ends = (now() + 85) / 60 * 60;
    let (hour, minute) = (ends / 3600 % 24, ends / 60 % 60);
    let (half, hour) = (if hour < 12 { "am" } else { "pm" }, (hour + 11) % 12 + 1);
    (
        ends,
        format!("You've hit your 5-hour limit · resets {hour}:{minute:02}{half} (UTC)"),
    )
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_usage_limit_of_claude_pauses_the_work_until_it_ends_and_costs_no_try() {
    let (ends, words) = limit_by_second();
    rests_until_the_limit_ends(VISIBLE, ends, &words);
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_usage_limit_of_claude_without_its_interface_pauses_the_work_until_it_ends() {
    let (ends, words) = limit_by_second();
    rests_until_the_limit_ends(HEADLESS, ends, &words);
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn the_end_of_a_limit_of_claude_is_read_from_its_time_of_day() {
    let (ends, words) = limit_by_time_of_day();
    rests_until_the_limit_ends(VISIBLE, ends, &words);
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn without_an_interface_the_end_of_a_limit_is_read_from_its_time_of_day_too() {
    let (ends, words) = limit_by_time_of_day();
    rests_until_the_limit_ends(HEADLESS, ends, &words);
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn too_many_requests_without_the_words_of_a_limit_are_tried_again_without_a_pause() {
    let (story, model, _server) = begin(
        VISIBLE,
        &limit("This request would exceed your account's rate limit."),
    );
    ends_at_no_cost(&story, &model);
    let logs = story.dbs(&["logs"]);
    assert!(!logs.contains("usage limit"), "{logs}");
}

/// Asserts that a person is asked at once, with these words, and that nothing is tried meanwhile.
fn asks_at_once(settings: &str, fail: &Value, wanted: &[&str]) {
    let (story, _model, _server) = begin(settings, &json!({ "fail": fail }));
    let asks = || {
        let why = story.dbs(&["why", "t-1"]);
        wanted.iter().all(|word| why.contains(word))
    };
    story.wait_until("what a person has to change", asks);
    let logs = story.dbs(&["logs"]);
    assert!(!logs.contains("told to continue"), "{logs}");
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_model_that_claude_does_not_find_is_asked_about_at_once_with_the_setting() {
    let fail = json!({ "status": 404, "type": "not_found_error", "message": "model: claude-none" });
    for settings in [VISIBLE, HEADLESS] {
        asks_at_once(
            settings,
            &fail,
            &["selected model", "`dbs config roles.developer.model NAME`"],
        );
    }
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn an_account_of_claude_without_credit_is_asked_about_at_once() {
    let message = "Your credit balance is too low to access the Anthropic API.";
    let fail = json!({ "status": 400, "type": "invalid_request_error", "message": message });
    asks_at_once(VISIBLE, &fail, &["Credit balance is too low", "add credit"]);
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_key_that_claude_tries_again_and_again_is_a_missing_login_at_its_first_retry() {
    let fail = json!({ "status": 401, "type": "authentication_error", "message": "invalid x-api-key" });
    for settings in [VISIBLE, HEADLESS] {
        asks_at_once(settings, &fail, &["login", "run `claude` in a terminal"]);
    }
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_request_that_claude_tries_again_in_its_interface_is_shown_with_its_cause() {
    // The first tries are silent.
    let headers = json!({ "retry-after": "3" });
    let fail = json!({ "status": 500, "type": "api_error", "message": "Internal server error", "times": 7, "headers": headers });
    let (story, model, _server) = begin(VISIBLE, &json!({ "fail": fail }));
    story.wait_until("that a request is tried again", || {
        let why = story.dbs(&["why", "t-1"]);
        why.contains("retry ") && why.contains("500")
    });
    ends_at_no_cost(&story, &model);
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn codex_that_gives_up_after_an_overload_is_told_to_go_on_in_its_session() {
    codex_gives_up("");
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn without_an_interface_codex_that_gives_up_is_told_to_go_on_too() {
    codex_gives_up("mode = \"headless\"\n");
}

fn codex_gives_up(settings: &str) {
    let fail = json!({ "status": 503, "type": "server_error", "message": "Overloaded", "times": 5 });
    let scripts = codex_pipeline::failing("outage", &fail);
    let Some((story, model, _server)) = codex_pipeline::story_of(settings, scripts) else {
        return;
    };
    create(&story, "t-1", "outage");
    story.wait_until("what is done about it", || {
        story.dbs(&["logs"]).contains("it is told to continue in 1s")
    });
    ends_at_no_cost(&story, &model);
    let asked = model.requests_for("outage");
    let is_told = |request: &RecordedRequest| request.body.to_string().contains("your last turn failed");
    assert!(
        asked.iter().any(is_told),
        "Codex goes on in its session: {}",
        model.summary()
    );
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn a_model_that_codex_does_not_find_is_asked_about_at_once_with_its_words() {
    let fail = json!({ "status": 404, "type": "not_found_error", "message": "model: gpt-none" });
    let Some((story, _model, _server)) =
        codex_pipeline::story_of("", codex_pipeline::failing("outage", &fail))
    else {
        return;
    };
    create(&story, "t-1", "outage");
    story.wait_until("what a person has to change", || {
        let why = story.dbs(&["why", "t-1"]);
        why.contains("404 Not Found") && why.contains("`dbs config roles.developer.model NAME`")
    });
}
