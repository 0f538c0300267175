//! The whole program with real agents that wait for a person, or for what they left running, each in its own way.

use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::codex_pipeline;
use crate::driver::{Server, Story};
use crate::lab::scripts;
use crate::model_server::{ModelServer, Scripts};
use crate::pipeline::{create, file_in_base, results, story_with, wait_for_ask};
use crate::resuming::{meta, word_behind};
use crate::terminal::Tty;

const HEADLESS: &str = "mode = \"headless\"\npermissions = \"allow\"\n";
pub(crate) const ALLOW: &str = "permissions = \"allow\"\n";
pub(crate) const COMMIT: &str = "echo work > work.txt && git add -A && git commit -qm Work";
pub(crate) const DONE: &str = "dbs signal done 'Made work.txt'";

/// Returns a reply of the model that runs a command.
pub(crate) fn bash(command: &str) -> Value {
    let input = json!({ "command": command, "description": "Do it" });
    json!({ "text": "I do it.", "calls": [{ "tool": "Bash", "input": input }] })
}

/// Returns a reply that runs a command in the background, which waits for the file `go` and then makes the file `built`.
fn build() -> Value {
    let command = "while ! test -e \"$DBS_GO/go\"; do sleep 0.1; done; touch \"$DBS_GO/built\"";
    let command = command.replace("$DBS_GO", "${DBS_PROMPT_FILE%/*}");
    let input = json!({ "command": command, "description": "Build it", "run_in_background": true });
    json!({ "text": "I build it.", "calls": [{ "tool": "Bash", "input": input }] })
}

pub(crate) fn says(text: &str) -> Value {
    json!({ "text": text })
}

fn questions(all: &Value) -> Value {
    json!({ "text": "I ask.", "calls": [{ "tool": "AskUserQuestion", "input": { "questions": all } }] })
}

fn question(text: &str, options: [&str; 2]) -> Value {
    let options = options.map(|label| json!({ "label": label, "description": "It" }));
    json!({ "question": text, "header": "It", "multiSelect": false, "options": options })
}

fn scripted(replies: &[Value]) -> Scripts {
    scripts().with("asking", &json!({ "asking": { "replies": replies } }).to_string())
}

/// Makes a project whose developer is Claude Code with these replies.
fn claude(settings: &str, replies: &[Value]) -> (Story, ModelServer, Server) {
    let story = story_with(&format!("agent = \"claude\"\n{settings}"), scripted(replies));
    create(&story.0, "t-1", "asking");
    story
}

fn is_told(model: &ModelServer, text: &str) -> bool {
    let requests = model.requests_for("asking");
    requests
        .iter()
        .any(|request| request.body.to_string().contains(text))
}

/// Opens the terminal of the agent that waits, to type there.
pub(crate) fn typing(story: &Story) -> Tty<'_> {
    let tty = story.tty(&["attach"], (140, 50));
    tty.see("NEEDS YOU 1");
    tty.press("C-b a");
    tty.wait("its terminal", |screen| screen.has("LOOK"));
    tty.press("i");
    tty.wait("to type", |screen| screen.status().contains("TYPE"));
    tty
}

fn works_in_the_background(story: &Story) -> bool {
    story.dbs(&["why", "t-1"]).contains("working in the background")
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_is_told_to_report_only_when_nothing_of_it_runs_in_the_background() {
    for settings in [ALLOW, HEADLESS] {
        let replies = [
            build(),
            says("I wait for it."),
            bash(COMMIT),
            bash(DONE),
            says("All done."),
        ];
        let (story, model, _server) = claude(settings, &replies);
        story.wait_until("the end of its turn", || works_in_the_background(&story));
        assert!(!is_told(&model, "You have not reported"));
        assert!(!story.dbs(&["status"]).contains("without a report"));
        fs::write(story.attempt(1).join("go"), "").unwrap();
        story.wait_until("the end of the task", || story.count("done") == 1);
        assert!(file_in_base(&story, "work.txt"));
        assert!(!is_told(&model, "You have not reported"));
    }
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_that_has_reported_ends_when_nothing_of_it_runs_in_the_background() {
    let replies = [
        build(),
        bash(COMMIT),
        bash(DONE),
        says("I wait for it."),
        says("All done."),
    ];
    let (story, _model, _server) = claude(ALLOW, &replies);
    story.dbs(&["config", "limits.linger", "30"]);
    story.wait_until("the end of its turn", || works_in_the_background(&story));
    // The time that an agent has to end after its report passes.
    let waited = std::time::Instant::now();
    story.wait_until("more than its time to end", || waited.elapsed().as_secs() > 32);
    assert!(works_in_the_background(&story), "{}", story.dbs(&["why", "t-1"]));
    fs::write(story.attempt(1).join("go"), "").unwrap();
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(story.attempt(1).join("built").exists());
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn several_questions_of_claude_are_one_ask_until_the_last_is_answered_in_its_terminal() {
    let both = json!([
        question("Which database?", ["SQLite", "Postgres"]),
        question("Which port?", ["80", "443"])
    ]);
    let replies = [questions(&both), bash(COMMIT), bash(DONE), says("All done.")];
    let (story, model, _server) = claude(ALLOW, &replies);
    let asks = "Which database? Which port?";
    // The status says what the terminal shows, which is only the first of them. So does the log if that is seen before the request.
    story.wait_until("the questions", || {
        story.dbs(&["events", "--json"]).contains(asks)
    });
    let refused = story.run(&["answer", "t-1", "Postgres"]);
    assert!(!refused.status.success());
    let tty = typing(&story);
    tty.see("❯ 1. SQLite");
    tty.press("2");
    tty.see("❯ 1. 80");
    let refused = story.run(&["answer", "t-1", "1"]);
    assert!(!refused.status.success(), "the second is a part of the same ask");
    tty.press("1");
    tty.see("Submit answers");
    tty.press("1");
    story.wait_until("the end of the task", || story.count("done") == 1);
    let events = story.dbs(&["events", "--json"]);
    let is_dialog = |line: &str| line.contains("\"doing\":\"dialog\"");
    assert!(!events.lines().any(is_dialog), "{events}");
    assert!(is_told(&model, "Postgres"), "the answers reached the model");
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn several_questions_of_claude_without_its_interface_are_returned_to_it_and_asked_one_by_one() {
    let database = question("Which database?", ["SQLite", "Postgres"]);
    let port = question("Which port?", ["80", "443"]);
    let replies = [
        questions(&json!([database, port])),
        questions(&json!([database])),
        questions(&json!([port])),
        bash(COMMIT),
        bash(DONE),
        says("All done."),
    ];
    let (story, model, _server) = claude(HEADLESS, &replies);
    for (asked, chosen) in [("Which database?", "Postgres"), ("Which port?", "443")] {
        story.wait_until(asked, || story.dbs(&["status"]).contains(asked));
        let said = story.dbs(&["answer", "t-1", "2"]);
        assert!(said.contains(&format!("chose {chosen}")), "{said}");
    }
    story.wait_until("the end of the task", || story.count("done") == 1);
    let requests = model.requests_for("asking");
    let last = requests
        .iter()
        .map(|request| results(&request.body))
        .max_by_key(Vec::len);
    let told: Vec<String> = last.unwrap().iter().map(Value::to_string).collect();
    assert!(told[0].contains("Ask one question at a time"), "{told:?}");
    assert!(
        told[1].contains("Postgres") && told[2].contains("443"),
        "{told:?}"
    );
    let events = story.dbs(&["events"]);
    assert_eq!(events.matches("asks: Which").count(), 2, "{events}");
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_question_of_claude_is_declined_with_a_reason_that_reaches_the_model() {
    let one = json!([question("Which database?", ["SQLite", "Postgres"])]);
    let both = json!([
        question("Which database?", ["SQLite", "Postgres"]),
        question("Which port?", ["80", "443"])
    ]);
    for (settings, asked) in [(ALLOW, &one), (HEADLESS, &one), (ALLOW, &both)] {
        let replies = [questions(asked), bash(COMMIT), bash(DONE), says("All done.")];
        let (story, model, _server) = claude(settings, &replies);
        wait_for_ask(&story);
        let said = story.dbs(&["reject", "t-1", "decide that yourself"]);
        assert!(said.contains("denied (decide that yourself)"), "{said}");
        story.wait_until("the end of the task", || story.count("done") == 1);
        assert!(is_told(&model, "decide that yourself"));
    }
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_permission_of_claude_is_denied_with_a_reason_that_reaches_the_model() {
    for settings in ["", "mode = \"headless\"\n"] {
        let (story, model, _server) = claude(settings, &[bash(COMMIT), says("I stop.")]);
        wait_for_ask(&story);
        let refused = story.run(&["answer", "t-1", "no, use another name"]);
        assert!(!refused.status.success(), "a text is no answer to a permission");
        let said = story.dbs(&["reject", "t-1", "use another name"]);
        assert!(said.contains("denied (use another name)"), "{said}");
        story.wait_until("the reason in what the model is told", || {
            is_told(&model, "use another name")
        });
        assert!(!file_in_base(&story, "work.txt"));
    }
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn what_claude_asks_is_answered_in_its_terminal_by_a_key() {
    let replies = [bash(COMMIT), bash(DONE), says("All done.")];
    let (story, _model, _server) = claude("", &replies);
    wait_for_ask(&story);
    let tty = typing(&story);
    tty.see("Do you want to proceed?");
    tty.press("1");
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(file_in_base(&story, "work.txt"));
    let events = story.dbs(&["events"]);
    assert!(events.contains("ask_withdrawn"), "{events}");
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_that_a_person_ended_is_a_question_and_goes_on_with_its_session() {
    let replies = [
        says("I think."),
        says("I think on."),
        bash(COMMIT),
        bash(DONE),
        says("All done."),
    ];
    let (story, _model, _server) = claude(ALLOW, &replies);
    story.wait_until("its question", || {
        story.dbs(&["status"]).contains("without a report")
    });
    let session = word_behind(&story, 1, "--session-id");
    let tty = typing(&story);
    tty.type_text("/exit");
    tty.see("/exit");
    tty.press("Enter");
    story.wait_until("what a person is asked", || story.count("held") == 1);
    let why = story.dbs(&["why", "t-1"]);
    assert!(
        why.contains("was ended in its terminal") && why.contains("dbs retry t-1"),
        "{why}"
    );
    story.dbs(&["retry", "t-1"]);
    story.wait_until("the next start", || story.attempt(2).join("meta.json").exists());
    assert_eq!(word_behind(&story, 2, "--resume"), session);
    let logs = story.dbs(&["logs"]);
    assert!(!logs.contains("before reporting"), "it is no crash: {logs}");
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_stopped_claude_is_shown_as_that_and_continued_from_the_inbox() {
    let replies = [
        build(),
        says("I wait for it."),
        bash(COMMIT),
        bash(DONE),
        says("All done."),
    ];
    let (story, _model, _server) = claude(ALLOW, &replies);
    story.wait_until("the end of its turn", || works_in_the_background(&story));
    let agent = i32::try_from(meta(&story, 1)["child"]["pid"].as_u64().unwrap()).unwrap();
    kill(Pid::from_raw(agent), Signal::SIGSTOP).unwrap();
    story.wait_until("that it is stopped", || {
        story.dbs(&["why", "t-1"]).contains("stopped")
    });
    story.wait_until("its ask", || story.dbs(&["status"]).contains("stopped"));
    story.dbs(&["answer", "t-1", "1"]);
    story.wait_until("that it goes on", || {
        !story.dbs(&["why", "t-1"]).contains("stopped")
    });
    fs::write(story.attempt(1).join("go"), "").unwrap();
    story.wait_until("the end of the task", || story.count("done") == 1);
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn the_folder_trust_and_the_hooks_of_codex_are_dialogs_in_the_inbox() {
    let Some((story, model, server)) = codex_pipeline::story("") else {
        return;
    };
    drop(server);
    let settings = story.root().join("codex/config.toml");
    let text = fs::read_to_string(&settings).unwrap();
    let is_trust = |line: &&str| line.starts_with("[projects.") || line.starts_with("trust_level");
    let text: Vec<&str> = text.lines().filter(|line| !is_trust(line)).collect();
    let text = text.join("\n");
    let hook = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"true\"\n";
    fs::write(&settings, format!("{text}\n{hook}")).unwrap();
    let _server = codex_pipeline::serve(&story, &model);
    create(&story, "t-1", "codex_work");
    let shows = |text: &str| story.dbs(&["status"]).contains(text);
    story.wait_until("the first dialog", || shows("Folder access: Trust this folder?"));
    let refused = story.run(&["answer", "t-1", "no, do not trust it"]);
    assert!(!refused.status.success(), "the answer names no entry");
    story.dbs(&["answer", "t-1", "1"]);
    story.wait_until("the second dialog", || shows("Hooks need review"));
    story.dbs(&["answer", "t-1", "3"]);
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(file_in_base(&story, "work.txt"));
}
