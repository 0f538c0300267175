//! The whole program with the real Claude Code: a task goes from the board to the base, and the requests of the agent are answered from
//! outside.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::driver::{Server, Story};
use crate::lab::{KEY, LESS_COMPILING, end_of_key, installed, scripts};
use crate::model_server::{ModelServer, Scripts};

/// Part of every agent that is not Claude Code.
pub(crate) const OTHERS: &str = r#"
[[part]]
steps = [{ signal = "claim" }, { signal = "done", text = "Good." }]
"#;

/// Makes a project whose developers are Claude Code, and starts its server.
pub(crate) fn story(settings: &str) -> (Story, ModelServer, Server) {
    story_of(&format!("agent = \"claude\"\n{settings}"))
}

/// Makes such a project with all settings of the developers.
fn story_of(settings: &str) -> (Story, ModelServer, Server) {
    story_with(settings, scripts())
}

/// Makes such a project with a model that says these scripts.
pub(crate) fn story_with(settings: &str, scripts: Scripts) -> (Story, ModelServer, Server) {
    installed("claude");
    let (story, model) = (Story::new(OTHERS), ModelServer::start(scripts));
    story.configure(&format!("[roles.developer]\n{settings}"));
    write_person_settings(&story);
    let server = serve(&story, &model);
    (story, model, server)
}

/// Starts a server whose agents find Claude Code and the scripted model.
pub(crate) fn serve(story: &Story, model: &ModelServer) -> Server {
    start(story, server_program(story, model))
}

/// Returns the command of such a server.
pub(crate) fn server_program(story: &Story, model: &ModelServer) -> Command {
    let claude = installed("claude");
    let mut server = story.program(&["server"]);
    server
        .env("PATH", path_with(&claude))
        .env("CLAUDE_CONFIG_DIR", story.root().join("claude"))
        .env("ANTHROPIC_BASE_URL", model.url())
        .env("ANTHROPIC_API_KEY", KEY)
        .env("DISABLE_AUTOUPDATER", "1")
        .env("DISABLE_TELEMETRY", "1")
        .env("DISABLE_ERROR_REPORTING", "1")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("HTTPS_PROXY", model.url())
        .env("NO_PROXY", "127.0.0.1,localhost")
        .env(LESS_COMPILING.0, LESS_COMPILING.1);
    server
}

/// Starts a server, and waits until it answers.
pub(crate) fn start(story: &Story, mut server: Command) -> Server {
    let said = fs::File::create(story.root().join("server.log")).unwrap();
    let server = Server(server.stdout(Stdio::null()).stderr(said).spawn().unwrap());
    story.wait_until("the server", || story.is_live());
    server
}

/// Writes the settings of a person who has used Claude Code here before: its first questions are answered, and the project is trusted.
pub(crate) fn write_person_settings(story: &Story) {
    let folder = story.root().join("claude");
    fs::create_dir(&folder).unwrap();
    let project = story.project().display().to_string();
    let settings = json!({
        "hasCompletedOnboarding": true,
        "customApiKeyResponses": { "approved": [end_of_key()], "rejected": [] },
        "projects": { project: { "hasTrustDialogAccepted": true } },
    });
    fs::write(folder.join(".claude.json"), settings.to_string()).unwrap();
}

pub(crate) fn path_with(claude: &Path) -> std::ffi::OsString {
    let own = std::env::var_os("PATH").unwrap();
    let folder = claude.parent().map(PathBuf::from).into_iter();
    std::env::join_paths(folder.chain(std::env::split_paths(&own))).unwrap()
}

pub(crate) fn create(story: &Story, id: &str, script: &str) {
    let text = format!("[[script:{script}]] Do it.");
    story.dbs(&["task", "create", "Do it", "--id", id, "-d", &text, "--release"]);
}

/// Waits until the tool of an agent asks by a request.
pub(crate) fn wait_for_ask(story: &Story) {
    story.wait_until("a request", || story.dbs(&["events"]).contains("ask_opened"));
}

pub(crate) fn file_in_base(story: &Story, name: &str) -> bool {
    let origin = story.origin();
    let mut show = Command::new("git");
    show.arg("--git-dir")
        .arg(&origin)
        .args(["cat-file", "-e"])
        .arg(format!("work:{name}"));
    show.stderr(Stdio::null()).status().unwrap().success()
}

/// Returns what tools gave back to the model, from all messages of a request.
pub(crate) fn results(request: &Value) -> Vec<Value> {
    let messages = request["messages"].as_array().into_iter().flatten();
    let parts = messages
        .filter_map(|message| message["content"].as_array())
        .flatten();
    let results = parts.filter(|part| part["type"] == "tool_result");
    results.map(|part| part["content"].clone()).collect()
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_has_no_tool_for_a_worktree_of_its_own() {
    for mode in ["visible", "headless"] {
        let (story, model, _server) = story(&format!("mode = \"{mode}\"\npermissions = \"allow\"\n"));
        create(&story, "t-1", "pipeline_own_worktree");
        story.wait_until("the end of the task", || story.count("done") == 1);
        assert!(file_in_base(&story, "here.txt"), "{mode}");
        let worktrees = story.git(&story.project(), &["worktree", "list", "--porcelain"]);
        assert!(!worktrees.contains("side"), "{worktrees}");
        let first = model.requests_for("pipeline_own_worktree").swap_remove(0);
        let names: Vec<&str> = first.body["tools"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        assert!(
            names.contains(&"Bash") && !names.contains(&"EnterWorktree"),
            "{names:?}"
        );
    }
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_task_is_done_by_claude_and_merged_after_a_person_allowed_what_it_asked() {
    let (story, _model, _server) = story("");
    create(&story, "t-1", "pipeline_work");
    wait_for_ask(&story);
    let own = story.attempt(1).join("claude-settings.json");
    assert_eq!(fs::metadata(own).unwrap().permissions().mode() & 0o777, 0o600);
    let why = |part: &str| story.dbs(&["why", "t-1", "--sources"]).contains(part);
    story.wait_until("its hook", || why("hook: asks: Bash"));
    story.wait_until("its status record", || why("status record: asks: approve Bash"));
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(file_in_base(&story, "work.txt"));
    let status = story.git(&story.project(), &["status", "--porcelain"]);
    assert_eq!(status, "", "nothing is written into the repository");
    let cost = || serde_json::from_str::<Value>(&story.dbs(&["cost", "--by", "role", "--json"])).unwrap();
    story.wait_until("what it cost", || {
        cost()["rows"][0]["dollars"].as_f64() > Some(0.0)
    });
    assert_eq!(cost()["rows"][0]["name"], "developer");
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_works_without_a_person_where_the_settings_allow_it_and_is_told_to_report() {
    let (story, model, _server) = story("permissions = \"allow\"\n");
    create(&story, "t-1", "pipeline_forgets");
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(file_in_base(&story, "forgotten.txt"));
    let events = story.dbs(&["events"]);
    assert!(events.contains("roles.developer.permissions allowed"), "{events}");
    let requests = model.requests_for("pipeline_forgets");
    let told = requests
        .iter()
        .any(|request| request.body.to_string().contains("You have not reported"));
    assert!(told, "it was not told to report");
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn one_command_of_claude_is_allowed_by_a_rule_another_denied_and_a_third_asked() {
    let rules = "permissions = \"allow run touch allowed*; ask\"\n";
    let (story, model, _server) = story(rules);
    create(&story, "t-1", "pipeline_rules");
    let asks = || story.dbs(&["status"]).contains("touch asked.txt");
    story.wait_until("the command that no rule allows", asks);
    let events = story.dbs(&["events"]);
    for (said, what) in [
        (
            "roles.developer.permissions (`allow run touch allowed*`) allowed",
            "touch allowed.txt",
        ),
        (
            "role developer (`deny run git push*`) denied",
            "git push -q origin HEAD",
        ),
    ] {
        let is_it = |line: &str| line.contains(said) && line.contains(what);
        assert!(events.lines().any(is_it), "{said}: {events}");
    }
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(file_in_base(&story, "allowed.txt") && file_in_base(&story, "asked.txt"));
    let requests = model.requests_for("pipeline_rules");
    let is_told = |text: &str| {
        requests
            .iter()
            .any(|request| request.body.to_string().contains(text))
    };
    assert!(
        is_told("does not allow it"),
        "the model hears why it may not push"
    );
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_that_stops_without_a_report_though_it_was_told_to_is_a_question_for_a_person() {
    let (story, _model, _server) = story("");
    create(&story, "t-1", "pipeline_silent");
    story.wait_until("what a person is asked", || {
        story.dbs(&["logs"]).contains("stopped without a report")
    });
    story.dbs(&["answer", "t-1", "Report that there is nothing to do."]);
    story.wait_until("the report", || story.count("held") == 1);
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_question_of_claude_is_answered_from_outside_with_one_of_its_options() {
    let (story, model, _server) = story("");
    create(&story, "t-1", "pipeline_asks");
    wait_for_ask(&story);
    let said = story.dbs(&["answer", "t-1", "2"]);
    assert!(said.contains("chose Postgres"), "{said}");
    story.wait_until("the report", || story.count("held") == 1);
    let requests = model.requests_for("pipeline_asks");
    let heard: Vec<Value> = requests
        .iter()
        .flat_map(|request| results(&request.body))
        .collect();
    // Both options are in the question itself, so only its result tells which one was chosen.
    let chosen = heard.iter().any(|result| {
        let text = result.to_string();
        text.contains("Postgres") && !text.contains("SQLite")
    });
    assert!(chosen, "the answer did not reach the model: {heard:?}");
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn what_was_asked_is_answered_after_the_server_was_killed_and_started_again() {
    let (story, model, mut server) = story("");
    create(&story, "t-1", "pipeline_work");
    wait_for_ask(&story);
    server.kill();
    let _next = story.server();
    story.wait_until("the next server", || story.is_live());
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(file_in_base(&story, "work.txt"));
    let developers = story.dbs(&["events"]);
    let starts = developers
        .lines()
        .filter(|line| line.contains("workplace_made"))
        .count();
    assert_eq!(starts, 2, "one developer and one reviewer: {developers}");
    drop(model);
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_reports_by_a_tool_over_mcp_when_its_command_names_the_server() {
    let server = r#"{"mcpServers":{"dbs":{"command":"dbs","args":["mcp"]}}}"#;
    let options = "--permission-mode acceptEdits --allowedTools Bash mcp__dbs";
    let command = &format!("command = \"\"\"claude {options} --mcp-config '{server}' -- {{prompt}}\"\"\"\n");
    let (story, model, _server) = story_of(command);
    create(&story, "t-1", "pipeline_mcp");
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(file_in_base(&story, "tools.txt"));
    assert!(story.dbs(&["events", "--json"]).contains("Made tools.txt"));
    drop(model);
}
