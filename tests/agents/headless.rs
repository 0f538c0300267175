//! The whole program with the real Claude Code without its interface: its requests and reports reach the board by the same ways.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use dbs::domain::ProcessExit;
use dbs::term::ReportedState;
use serde_json::{Value, json};

use crate::driver::{Server, Story};
use crate::lab::{Lab, scripts};
use crate::model_server::ModelServer;
use crate::pane::Pane;
use crate::pipeline::{
    OTHERS, create, file_in_base, results, serve, story, wait_for_ask, write_person_settings,
};
use crate::resuming::{meta, word_behind};

const HEADLESS: &str = "mode = \"headless\"\n";

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_task_is_done_without_an_interface_and_merged_after_a_person_allowed_what_was_asked() {
    let (story, _model, _server) = story(HEADLESS);
    create(&story, "t-1", "pipeline_work");
    wait_for_ask(&story);
    assert_eq!(meta(&story, 1)["argv"][1], "headless");
    let why = |part: &str| story.dbs(&["why", "t-1", "--sources"]).contains(part);
    story.wait_until("its request", || why("hook: asks: Bash"));
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(file_in_base(&story, "work.txt"));
    let shown = story.dbs(&["logs", "1"]);
    for part in [
        "I make the file.",
        "* Bash: echo work > work.txt",
        "! allowed it",
        "= turn over",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let status = story.git(&story.project(), &["status", "--porcelain"]);
    assert_eq!(status, "", "nothing is written into the repository");
    let cost = || serde_json::from_str::<Value>(&story.dbs(&["cost", "--by", "role", "--json"])).unwrap();
    story.wait_until("what it cost", || {
        cost()["rows"][0]["dollars"].as_f64() > Some(0.0)
    });
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn rules_allow_and_deny_without_an_interface_and_the_model_hears_why_it_may_not() {
    let rules = "permissions = \"allow run touch allowed*; ask\"\n";
    let (story, model, _server) = story(&format!("{HEADLESS}{rules}"));
    create(&story, "t-1", "pipeline_rules");
    story.wait_until("the command that no rule allows", || {
        story.dbs(&["status"]).contains("touch asked.txt")
    });
    let events = story.dbs(&["events"]);
    for (said, what) in [
        ("(`allow run touch allowed*`) allowed", "touch allowed.txt"),
        ("(`deny run git push*`) denied", "git push -q origin HEAD"),
    ] {
        let is_it = |line: &str| line.contains(said) && line.contains(what);
        assert!(events.lines().any(is_it), "{said}: {events}");
        let is_call = |line: &str| line.ends_with(&format!("asks: Bash: {what}"));
        assert!(
            !events.lines().any(is_call),
            "a rule answers it and no person is asked: {events}"
        );
    }
    let requests = model.requests_for("pipeline_rules");
    let heard: Vec<Value> = requests
        .iter()
        .flat_map(|request| results(&request.body))
        .collect();
    assert!(
        heard
            .iter()
            .any(|result| result.to_string().contains("does not allow it")),
        "the model hears why it may not push: {heard:?}"
    );
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(file_in_base(&story, "allowed.txt") && file_in_base(&story, "asked.txt"));
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_question_without_an_interface_is_answered_with_one_of_its_options() {
    let (story, model, _server) = story(HEADLESS);
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
    let chosen = heard.iter().any(|result| {
        let text = result.to_string();
        text.contains("Postgres") && !text.contains("SQLite")
    });
    assert!(chosen, "the answer reached the model: {heard:?}");
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn without_an_interface_a_turn_without_a_report_is_sent_back_once() {
    let (story, model, _server) = story("mode = \"headless\"\npermissions = \"allow\"\n");
    create(&story, "t-1", "pipeline_forgets");
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(file_in_base(&story, "forgotten.txt"));
    let requests = model.requests_for("pipeline_forgets");
    let told = requests
        .iter()
        .any(|request| request.body.to_string().contains("You have not reported"));
    assert!(told, "it was not told to report");
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn what_is_typed_at_an_agent_without_an_interface_reaches_its_model() {
    let (story, model, _server) = story(HEADLESS);
    create(&story, "t-1", "pipeline_silent");
    story.wait_until("what a person is asked", || {
        story.dbs(&["logs"]).contains("stopped without a report")
    });
    story.dbs(&["answer", "t-1", "Report that there is nothing to do."]);
    story.wait_until("the report", || story.count("held") == 1);
    let requests = model.requests_for("pipeline_silent");
    let heard = |text: &str| {
        requests
            .iter()
            .any(|request| request.body.to_string().contains(text))
    };
    assert!(heard("Report that there is nothing to do."));
    let session = word_behind(&story, 1, "--session-id");
    assert_eq!(session.len(), 36);
}

/// Returns the command line by which this program runs a tool.
pub(crate) fn run_by(tool: &[String], prompt: &str) -> Vec<String> {
    let begin = [env!("CARGO_BIN_EXE_dbs"), "headless"].map(str::to_owned);
    let end = ["--", prompt].map(str::to_owned);
    [&begin, tool, &end].concat()
}

/// Starts Claude Code without its interface, in a terminal without a server.
pub(crate) fn claude_in_pane(lab: &Lab, prompt: &str) -> Pane {
    let arguments = [
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--verbose",
        "--permission-prompt-tool",
        "stdio",
        "--permission-mode",
        "manual",
    ];
    Pane::start_program(lab, run_by(&lab.argv(&arguments), prompt))
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn escape_interrupts_a_turn_without_an_interface_and_a_typed_line_begins_the_next() {
    let lab = Lab::claude();
    let mut pane = claude_in_pane(&lab, "[[script:held]] go");
    lab.server.wait_at_gate("held");
    pane.wait_for_state(ReportedState::Working);
    pane.type_keys("\x1b");
    pane.wait_for_state(ReportedState::Idle);
    pane.wait_for_text("= interrupted");
    pane.type_keys("[[script:hello]] gox\x7f\r");
    pane.wait_for_text("Hello! This is the scripted answer.");
    pane.wait_for_state(ReportedState::Done);
    let asked = lab.server.requests_for("hello")[0].body["messages"].to_string();
    assert!(asked.contains("[[script:hello]] go\""), "{asked}");
    pane.type_keys("\x03");
    pane.wait_for_text("Ctrl-C once more ends the agent");
    pane.type_keys("\x03");
    assert_eq!(pane.wait_for_end(), ProcessExit::Code(143));
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn what_is_typed_while_a_turn_goes_on_waits_and_is_shown_as_waiting() {
    let lab = Lab::claude();
    let pane = claude_in_pane(&lab, "[[script:held]] go");
    lab.server.wait_at_gate("held");
    pane.type_keys("[[script:hello]] next\r");
    pane.wait_for_text("queued > [[script:hello]] next");
    assert_eq!(lab.server.requests_for("hello").len(), 0);
    lab.server.open_gate("held");
    pane.wait_for_text("Hello! This is the scripted answer.");
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn without_a_server_to_ask_nothing_is_allowed_and_the_model_is_told() {
    let lab = Lab::claude();
    let mut pane = claude_in_pane(&lab, "[[script:claude_touch]] go");
    pane.wait_for_text("No person could be asked.");
    pane.wait_for_state(ReportedState::Done);
    assert!(!lab.has_made("made-by-agent.txt"));
}

#[test]
fn a_tool_that_prints_nonsense_reaches_the_terminal_only_as_clean_short_lines() {
    let lab = Lab::without_agent();
    let script = "printf '\\033]0;owned\\007\\033[2J\\377\\n'; printf '{\"type\":\\n'; \
                  head -c 20000000 /dev/zero | tr '\\0' x; echo; seq 100000; \
                  printf '{\"type\":\"result\",\"is_error\":false}\\n'; printf 'never ended'; exit 3";
    let pane = Pane::start_program(&lab, run_by(&["sh", "-c", script].map(str::to_owned), "go"));
    pane.wait_for_text("the tool ended: exit status: 3");
    pane.wait_for_text("~ a line of 20000000 bytes is too long and was left out");
    pane.wait_for_text("more lines of the tool are left out");
    pane.wait_for_text("never ended");
    pane.wait_for_text(r"\x1b]0;owned");
    assert_eq!(pane.wait_for_end(), ProcessExit::Code(3));
}

#[test]
fn the_end_of_a_tool_is_that_of_its_run_and_what_it_left_behind_ends_too() {
    let lab = Lab::without_agent();
    let killed = run_by(&["sh", "-c", "kill -9 $$"].map(str::to_owned), "go");
    let pane = Pane::start_program(&lab, killed);
    assert_eq!(pane.wait_for_end(), ProcessExit::Code(128 + 9));
    let script = "sleep 1000 & echo pid=$!; exit 4";
    let left = run_by(&["sh", "-c", script].map(str::to_owned), "go");
    let pane = Pane::start_program(&lab, left);
    pane.wait_for_text("the tool ended: exit status: 4");
    assert_eq!(pane.wait_for_end(), ProcessExit::Code(4));
    let missing = run_by(&["no-such-tool".to_owned()], "go");
    let pane = Pane::start_program(&lab, missing);
    pane.wait_for_text("could not start no-such-tool");
    assert_eq!(pane.wait_for_end(), ProcessExit::Code(1));
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn without_an_interface_the_model_is_switched_and_the_context_shown_by_the_words_of_the_interface() {
    let lab = Lab::claude();
    let pane = claude_in_pane(&lab, "[[script:held]] go");
    lab.server.wait_at_gate("held");
    pane.type_keys("/context\r");
    pane.wait_for_text("~ context:");
    pane.type_keys("/model claude-haiku-5-5\r");
    pane.wait_for_text("~ model from here on: claude-haiku-5-5");
    lab.server.open_gate("held");
    pane.wait_for_text("= turn over");
    pane.type_keys("[[script:hello]] go\r");
    pane.wait_for_text("Hello! This is the scripted answer.");
    let models = |script: &str| {
        let requests = lab.server.requests_for(script);
        requests[0].body["model"].as_str().unwrap().to_owned()
    };
    assert_ne!(models("held"), "claude-haiku-5-5");
    assert_eq!(models("hello"), "claude-haiku-5-5");
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_plan_is_an_ask_with_its_text_and_the_answer_reaches_the_model() {
    for settings in ["", HEADLESS] {
        plans(&format!("{settings}permissions = \"allow\"\n"));
    }
}

/// Plays an agent that plans: Claude Code plans in a file of its own, whose name it tells its model; here the test writes that file.
fn plans(settings: &str) {
    let (story, model, _server) = story(settings);
    create(&story, "t-1", "pipeline_plans");
    model.wait_at_gate("planned");
    let asked = model.requests_for("pipeline_plans");
    let told = asked.last().unwrap().body.to_string();
    let file = told.split("create your plan at ").nth(1).unwrap();
    let file = Path::new(file.split(' ').next().unwrap());
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, "Paint the shop green.\n").unwrap();
    model.open_gate("planned");
    wait_for_ask(&story);
    let events = story.dbs(&["events", "--json"]);
    let asked = events.lines().find(|line| line.contains("ask_opened")).unwrap();
    let asked: Value = serde_json::from_str(asked).unwrap();
    let asked = &asked["facts"]["ask"];
    assert_eq!(
        (&asked["kind"], &asked["text"]),
        (&"plan".into(), &"Paint the shop green.".into())
    );
    assert!(
        story
            .dbs(&["why", "t-1", "--sources"])
            .contains("needs a permission: Paint the shop green.")
    );
    let shown = story.dbs(&["status"]);
    // With its interface, a record of the tool's own follows the words of the hook; without it there is no such record.
    let words = ["asks: approve plan?", "asks: Paint the shop green."];
    assert!(words.iter().any(|words| shown.contains(words)), "{shown}");
    assert!(!shown.contains("green.?") && !shown.contains("dialog"), "{shown}");
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the report", || story.count("held") == 1);
    let requests = model.requests_for("pipeline_plans");
    let heard: Vec<Value> = requests
        .iter()
        .flat_map(|request| results(&request.body))
        .collect();
    let is_told = heard
        .iter()
        .any(|result| result.to_string().contains("approved your plan"));
    assert!(is_told, "{heard:?}");
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_turn_is_ended_from_outside_and_an_answer_begins_the_next_in_the_same_session() {
    for settings in ["", HEADLESS] {
        is_interrupted(settings);
    }
}

fn is_interrupted(settings: &str) {
    let (story, model, _server) = story(&format!("{settings}permissions = \"allow\"\n"));
    ends_a_turn_and_begins_the_next(&story, &model, "pipeline_gives_up");
}

/// Ends the turn of an agent by `dbs interrupt`, and begins the next by `dbs answer`; its script reports that the agent is blocked.
pub(crate) fn ends_a_turn_and_begins_the_next(story: &Story, model: &ModelServer, next: &str) {
    create(story, "t-1", "held");
    model.wait_at_gate("held");
    let why = |part: &str| story.dbs(&["why", "t-1", "--sources"]).contains(part);
    story.wait_until("its turn", || why("now: working"));
    let said = story.dbs(&["interrupt", "t-1"]);
    assert!(said.contains("its session stays"), "{said}");
    let mut pressed = Instant::now();
    story.wait_until("the end of its turn", || {
        // A tool with its interface may take no key in the first moment of a turn, and twice in a row the key means something else.
        if pressed.elapsed() > Duration::from_secs(5) && why("now: working") {
            story.dbs(&["interrupt", "t-1"]);
            pressed = Instant::now();
        }
        why("now: idle")
    });
    story.dbs(&["answer", "t-1", &format!("[[script:{next}]] report")]);
    story.wait_until("the report", || story.count("held") == 1);
    let told = model.requests_for(next)[0].body.to_string();
    assert!(told.contains("[[script:held]]"), "it is the same session");
    assert!(
        story
            .dbs(&["events"])
            .contains("pressed Esc in the terminal of developer-debussy")
    );
}

/// Makes a repository whose settings of Claude Code start programs that leave a file, and a person who trusts it or does not.
fn strange_repository(is_trusted: bool) -> (Story, ModelServer, Server, PathBuf) {
    let (story, model) = (Story::new(OTHERS), ModelServer::start(scripts()));
    story.configure("[roles.developer]\nagent = \"claude\"\nmode = \"headless\"\npermissions = \"allow\"\n");
    let (project, left) = (story.project(), story.root().join("left"));
    let start = format!("echo started >> '{}'", left.display());
    let hook =
        json!({ "hooks": { "SessionStart": [{ "hooks": [{ "type": "command", "command": start }] }] } });
    fs::create_dir_all(project.join(".claude")).unwrap();
    fs::write(project.join(".claude/settings.json"), hook.to_string()).unwrap();
    let servers = json!({ "mcpServers": { "own": { "command": "sh", "args": ["-c", start] } } });
    fs::write(project.join(".mcp.json"), servers.to_string()).unwrap();
    story.git(&project, &["add", "-A"]);
    story.git(&project, &["commit", "-qm", "Settings of Claude Code"]);
    story.git(&project, &["push", "-q", "origin", "HEAD:work"]);
    write_person_settings(&story);
    if !is_trusted {
        let file = story.root().join("claude/.claude.json");
        let mut settings: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        settings["projects"] = json!({});
        fs::write(&file, settings.to_string()).unwrap();
    }
    let server = serve(&story, &model);
    (story, model, server, left)
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn without_an_interface_no_hook_or_server_of_a_repository_is_started_that_is_not_trusted_in_claude() {
    let (story, _model, _server, left) = strange_repository(false);
    assert!(
        story
            .dbs(&["trust", "show"])
            .contains(".mcp.json: dbs does not check its hooks, permissions and servers")
    );
    create(&story, "t-1", "pipeline_work");
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(!left.exists(), "{:?}", fs::read_to_string(&left));
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn without_an_interface_the_hooks_of_a_repository_that_is_trusted_in_claude_run() {
    let (story, _model, _server, left) = strange_repository(true);
    create(&story, "t-1", "pipeline_work");
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(left.exists());
}
