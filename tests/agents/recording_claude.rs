//! Sessions of Claude Code that are recorded anew: one test for each group of states.

use dbs::adapters::agents::ClaudeAgent;
use dbs::domain::AskReply;
use nix::sys::signal::{Signal, kill};
use serde_json::{Value, json};

use crate::lab::Lab;
use crate::recording::{BUSY, Recording};
use crate::recording_start::allow_all;

fn bash(text: &str, command: &str) -> Value {
    json!({ "text": text, "calls": [{ "tool": "Bash", "input": { "command": command, "description": "Do it" } }] })
}

fn script(replies: &Value) -> String {
    json!({ "session": { "replies": replies } }).to_string()
}

fn lab(replies: &Value) -> Lab {
    Lab::claude_that_says(&script(replies))
}

fn start<'a>(lab: &'a Lab, name: &'static str) -> Recording<'a> {
    Recording::start(lab, name, &ClaudeAgent, "[[script:session]] go")
}

#[test]
#[ignore = "records a session anew"]
fn claude_works() {
    let lab = lab(&json!([
        { "thinking": "It is not simple.", "text": "I build it.", "gate": { "name": "think", "after": 0 },
          "calls": [{ "tool": "Bash", "input": { "command": "touch begun; sleep 25; touch built", "description": "Build" } }] },
        { "text": "The build is over, and I say what came of it, word by word.", "gate": { "name": "say", "after": 2 } },
    ]));
    let mut recording = start(&lab, "claude_works");
    recording.label_at(BUSY, "working: waits for the model");
    allow_all(&lab);
    lab.server.wait_at_gate("think");
    recording.hold(50);
    lab.server.open_gate("think");
    recording.wait_for_file("begun");
    recording.label("working: runs a command", "the command has begun");
    recording.wait_for_file("built");
    recording.label("working: waits for the model", "the command is over");
    lab.server.wait_at_gate("say");
    recording.label("working: answers", "the model has begun to answer");
    recording.hold(50);
    lab.server.open_gate("say");
    recording.label_without("word by word.", BUSY, "idle");
    recording.hold(90);
    recording.prompt("[[script:held]] once more");
    lab.server.wait_at_gate("held");
    recording.hold(40);
    recording.pane.type_keys("\u{1b}");
    recording.label_without("", BUSY, "idle");
    recording.hold(40);
    recording.pane.type_keys("/exit");
    recording.pane.wait_for_text("/exit");
    recording.hold(1);
    recording.pane.type_keys("\r");
    recording.pane.wait_until_over();
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn claude_asks_for_permissions() {
    let lab = lab(&json!([
        bash("The first.", "touch one; sleep 8"),
        bash("The second.", "touch two; sleep 8"),
        bash("The third.", "touch three; sleep 8"),
        { "text": "Never said." },
    ]));
    let mut recording = start(&lab, "claude_permissions");
    recording.label_at(BUSY, "working");
    recording.label_at("Do you want to proceed?", "blocked (permission)");
    recording.wait_for_request(1);
    recording.hold(90);
    recording.answer(&AskReply::Allow);
    recording.wait_for_file("one");
    recording.label_at("touch two", "working");
    recording.label_at("Do you want to proceed?", "blocked (permission)");
    recording.wait_for_request(2);
    recording.hold(50);
    recording.type_to("1", "working", "the key 1 allows it");
    recording.wait_for_file("two");
    recording.label_at("touch three", "working");
    recording.label_at("Do you want to proceed?", "blocked (permission)");
    recording.hold(50);
    recording.pane.type_keys("\u{1b}");
    recording.label_without("", "do you want to proceed?", "idle");
    recording.hold(40);
    recording.write();
}

fn question(text: &str, options: [&str; 2]) -> Value {
    let options = options.map(|label| json!({ "label": label, "description": "It" }));
    json!({ "question": text, "header": "It", "multiSelect": false, "options": options })
}

#[test]
#[ignore = "records a session anew"]
fn claude_asks_questions() {
    let ask = |all: Value| json!({ "text": "I ask.", "calls": [{ "tool": "AskUserQuestion", "input": { "questions": all } }] });
    let lab = lab(&json!([
        ask(json!([question("Which database?", ["SQLite", "Postgres"])])),
        ask(json!([question("Which colour?", ["Red", "Blue"]), question("Which port?", ["80", "443"])])),
        { "text": "Then I know it all." },
    ]));
    let mut recording = start(&lab, "claude_questions");
    recording.label_at(BUSY, "working");
    recording.label_at("1. SQLite", "blocked (question)");
    recording.wait_for_request(1);
    recording.hold(50);
    recording.answer(&AskReply::Choose(1));
    recording.label_at("1. Red", "blocked (question)");
    recording.wait_for_request(2);
    recording.hold(40);
    recording.pane.type_keys("2");
    recording.pane.wait_for_text("1. 80");
    recording.hold(30);
    recording.pane.type_keys("1");
    recording.pane.wait_for_text("Submit answers");
    recording.hold(20);
    recording.type_to("1", "working", "the answers are sent");
    recording.label_without("I know it all.", BUSY, "idle");
    recording.hold(30);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn claude_asks_whether_to_trust_a_folder() {
    let lab = Lab::claude_in_strange_folder();
    let mut recording = Recording::start(&lab, "claude_trust", &ClaudeAgent, "[[script:hello]] go");
    recording.label_at("I trust this folder", "blocked (dialog)");
    recording.hold(50);
    recording.pane.type_keys("\u{1b}[B");
    recording.pane.wait_for_text("❯ Yes");
    recording.hold(2);
    recording.type_to("\r", "starting", "Enter says yes, and the tool goes on to start");
    recording.label_at(BUSY, "working");
    recording.label_without("scripted answer.", BUSY, "idle");
    recording.hold(20);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn claude_leaves_work_in_the_background() {
    let build = "while ! test -e go; do sleep 0.1; done; touch built";
    let lab = lab(&json!([
        { "text": "I build it.", "calls": [{ "tool": "Bash",
          "input": { "command": build, "description": "Build it", "run_in_background": true } }] },
        { "text": "I wait for the build." },
        { "text": "It is built.", "gate": { "name": "built", "after": 0 } },
    ]));
    let mut recording = start(&lab, "claude_background");
    recording.label_at(BUSY, "working");
    allow_all(&lab);
    recording.label_without("I wait for the build.", BUSY, "in the background");
    recording.hold(80);
    std::fs::write(lab.project().join("go"), "").unwrap();
    lab.server.wait_at_gate("built");
    recording.label("working", "the model is asked again");
    recording.hold(20);
    lab.server.open_gate("built");
    recording.label_without("It is built.", BUSY, "idle");
    recording.hold(30);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn claude_runs_several_tools_while_a_person_types() {
    let run =
        |command: &str| json!({ "tool": "Bash", "input": { "command": command, "description": "Do it" } });
    let calls = json!([
        run("touch one; sleep 15"),
        run("touch two; sleep 20"),
        run("sleep 5; touch three")
    ]);
    let lab = lab(&json!([
        { "text": "I do all three.", "calls": calls },
        bash("Once more.", "touch four; sleep 20"),
        { "text": "All are there." },
    ]));
    let settings = json!({ "permissions": { "allow": ["Bash"] } });
    std::fs::write(lab.root().join("claude/settings.json"), settings.to_string()).unwrap();
    let mut recording = start(&lab, "claude_tools");
    recording.label_at(BUSY, "working: waits for the model");
    recording.wait_for_file("one");
    recording.label("working: runs commands", "the first has begun");
    recording.wait_for_file("two");
    recording.wait_for_file("four");
    recording.hold(10);
    recording.pane.type_keys("[[script:hello]] next");
    recording.pane.wait_for_text("next");
    recording.hold(1);
    recording.pane.type_keys("\r");
    recording.label_without("scripted answer.", BUSY, "idle");
    recording.hold(30);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn claude_waits_for_its_subagent() {
    let task = json!({ "description": "Look at it", "prompt": "[[script:held]] Look at it.", "subagent_type": "general-purpose" });
    let lab = lab(&json!([
        { "text": "I let it look.", "calls": [{ "tool": "Task", "input": task }] },
        { "text": "I wait for the subagent." },
        { "text": "It has looked.", "gate": { "name": "looked", "after": 0 } },
    ]));
    let mut recording = start(&lab, "claude_subagent");
    recording.label_at(BUSY, "working");
    allow_all(&lab);
    recording.label_without("I wait for the subagent.", BUSY, "in the background");
    recording.hold(60);
    lab.server.open_gate("held");
    lab.server.wait_at_gate("looked");
    recording.label("working", "the model is asked again");
    recording.hold(20);
    lab.server.open_gate("looked");
    recording.label_without("It has looked.", BUSY, "idle");
    recording.hold(30);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn claude_asks_for_a_yes_to_its_plan() {
    let call = |text: &str, tool: &str, input: &Value| json!({ "text": text, "calls": [{ "tool": tool, "input": input }] });
    let tools = json!({ "query": "select:EnterPlanMode,ExitPlanMode", "max_results": 5 });
    let mut plan = call("This is the plan.", "ExitPlanMode", &json!({}));
    plan["gate"] = json!({ "name": "planned", "after": 0 });
    let lab = lab(&json!([
        call("I look for the tools.", "ToolSearch", &tools),
        call("I plan first.", "EnterPlanMode", &json!({})),
        plan,
        { "text": "Then I begin.", "gate": { "name": "begin", "after": 1 } },
    ]));
    let mut recording = start(&lab, "claude_plan");
    recording.label_at(BUSY, "working");
    lab.server.wait_at_gate("planned");
    let told = lab
        .server
        .requests_for("session")
        .last()
        .unwrap()
        .body
        .to_string();
    let file = told.split("create your plan at ").nth(1).unwrap();
    let file = std::path::Path::new(file.split(' ').next().unwrap());
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, "Paint the shop green.\n").unwrap();
    recording.hold(10);
    lab.server.open_gate("planned");
    recording.label_at("Paint the shop green.", "blocked (plan)");
    recording.wait_for_request(1);
    recording.hold(60);
    recording.answer(&AskReply::Allow);
    lab.server.wait_at_gate("begin");
    recording.hold(20);
    lab.server.open_gate("begin");
    recording.label_without("Then I begin.", BUSY, "idle");
    recording.hold(30);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn claude_tries_again_and_fails() {
    let fail = json!({ "status": 500, "type": "api_error", "message": "Internal server error", "times": 6, "headers": { "retry-after": "5" } });
    let lab = lab(&json!([{ "text": "It is better now.", "fail": fail }]));
    let change = |env: &mut Vec<(String, String)>| env.retain(|(name, _)| name != "CLAUDE_CODE_MAX_RETRIES");
    let start = (
        "claude_troubles",
        &ClaudeAgent as &dyn dbs::adapters::agents::AgentKind,
    );
    let mut recording = Recording::start_with(&lab, start, "[[script:session]] go", change);
    recording.label_at(BUSY, "working: waits for the model");
    recording.label_at("retrying in", "tries again");
    recording.label_at("It is better now.", "working: answers");
    recording.label_without("It is better now.", BUSY, "idle");
    recording.hold(20);
    recording.prompt("[[script:error_400]] again");
    recording.label_without("the scripted server refuses this", BUSY, "failed");
    recording.hold(40);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn claude_is_at_its_limit() {
    let words = "You've hit your 5-hour limit · resets 3:15am (UTC)";
    let headers = json!({ "x-should-retry": "false" });
    let fail = json!({ "status": 429, "type": "rate_limit_error", "message": words, "headers": headers });
    let lab = lab(&json!([{ "fail": fail }]));
    let mut recording = start(&lab, "claude_limit");
    recording.label_at(BUSY, "working: waits for the model");
    recording.label_without("hit your", BUSY, "limit");
    recording.hold(50);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn claude_has_no_login() {
    let fail = json!({ "status": 401, "type": "authentication_error", "message": "invalid x-api-key" });
    let lab = lab(&json!([{ "fail": fail }]));
    let mut recording = start(&lab, "claude_login");
    recording.label_at(BUSY, "working: waits for the model");
    recording.label_without("Invalid API key", BUSY, "no login");
    recording.hold(40);
    recording.write();
}

#[test]
#[ignore = "records a session anew"]
fn claude_is_suspended() {
    let lab = Lab::claude();
    let mut recording = Recording::start(&lab, "claude_suspended", &ClaudeAgent, "[[script:held]] go");
    recording.label_at(BUSY, "working");
    lab.server.wait_at_gate("held");
    recording.hold(10);
    recording.label("suspended", "it is sent SIGSTOP");
    kill(recording.pane.process(), Signal::SIGSTOP).unwrap();
    recording.hold(40);
    recording.label("working", "it is sent SIGCONT");
    kill(recording.pane.process(), Signal::SIGCONT).unwrap();
    recording.hold(20);
    recording.pane.type_keys("\u{1b}");
    recording.label_without("", BUSY, "idle");
    recording.hold(20);
    recording.write();
}
