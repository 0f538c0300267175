//! The whole program with the real Codex in its sandbox: Codex commits in its worktree, reports through the inbox, and goes on with its
//! session after it was killed.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::driver::{Server, Story};
use crate::headless::ends_a_turn_and_begins_the_next;
use crate::lab::{KEY, installed, scripts};
use crate::model_server::{ModelServer, RecordedRequest, Scripts};
use crate::pipeline::{OTHERS, create, file_in_base, path_with, wait_for_ask};
use crate::resuming::{kill_at_once, meta, runs};

/// Makes a project whose developers are Codex, and starts its server; none if Codex cannot build its sandbox here.
pub(crate) fn story(settings: &str) -> Option<(Story, ModelServer, Server)> {
    story_of(settings, scripts())
}

/// Makes such a project with a model that says these scripts.
pub(crate) fn story_of(settings: &str, scripts: Scripts) -> Option<(Story, ModelServer, Server)> {
    let (story, model) = (Story::new(OTHERS), ModelServer::start(scripts));
    story.configure(&format!("[roles.developer]\nagent = \"codex\"\n{settings}"));
    prepare(&story, &model)?;
    let server = serve(&story, &model);
    Some((story, model, server))
}

/// Starts a server whose agents find Codex and the scripted model.
pub(crate) fn serve(story: &Story, model: &ModelServer) -> Server {
    let codex = installed("codex");
    let mut server = story.program(&["server"]);
    server
        .env("PATH", path_with(&codex))
        .env("CODEX_HOME", story.root().join("codex"))
        .env("OPENAI_API_KEY", KEY)
        .env("HTTPS_PROXY", model.url())
        .env("NO_PROXY", "127.0.0.1,localhost");
    let said = fs::File::create(story.root().join("server.log")).unwrap();
    let server = Server(server.stdout(Stdio::null()).stderr(said).spawn().unwrap());
    story.wait_until("the server", || story.is_live());
    server
}

/// Writes the person's settings of Codex; none if Codex cannot build its sandbox here.
pub(crate) fn prepare(story: &Story, model: &ModelServer) -> Option<()> {
    write_person_settings(story, model);
    if has_sandbox(story) {
        return Some(());
    }
    // The output of print macros is not shown for a test that passes.
    let said = b"skipped: Codex cannot build its sandbox here\n";
    std::io::stderr().write_all(said).unwrap();
    None
}

/// Writes the settings of a person who has used Codex here before. The folders for temporary files, one of which contains the story, are
/// closed, so that only what this program names is open.
fn write_person_settings(story: &Story, model: &ModelServer) {
    let folder = story.root().join("codex");
    fs::create_dir(&folder).unwrap();
    let settings = format!(
        "model = \"gpt-6-sol\"\nmodel_provider = \"scripted\"\n\
         [analytics]\nenabled = false\n\
         [projects.\"{}\"]\ntrust_level = \"trusted\"\n\
         [sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n\
         [model_providers.scripted]\nname = \"Scripted\"\nbase_url = \"{}/v1\"\nenv_key = \"OPENAI_API_KEY\"\n\
         wire_api = \"responses\"\nrequest_max_retries = 1\nstream_max_retries = 1\n",
        story.project().display(),
        model.url()
    );
    fs::write(folder.join("config.toml"), settings).unwrap();
}

/// Returns a reply of the model that runs a command.
pub(crate) fn exec(command: &str) -> Value {
    let input = format!("text(await tools.exec_command({{ cmd: {} }}));", json!(command));
    json!({ "text": "I do it.", "calls": [{ "tool": "exec", "input": input }] })
}

/// Returns a script that fails in this way first, and then commits and reports.
pub(crate) fn failing(name: &str, fail: &Value) -> Scripts {
    let mut first = exec("echo work > work.txt && git add -A && git commit -qm Work");
    first["fail"] = fail.clone();
    let replies = json!([first, exec("dbs signal done 'Made work.txt'"), { "text": "All done." }]);
    scripts().with(name, &json!({ name: { "replies": replies } }).to_string())
}

/// Returns the number of tokens that were used, as `dbs cost` says.
pub(crate) fn tokens(story: &Story) -> u64 {
    let cost: Value = serde_json::from_str(&story.dbs(&["cost", "--json"])).unwrap();
    let names = [
        "input_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "output_tokens",
    ];
    names.iter().filter_map(|name| cost["sum"][*name].as_u64()).sum()
}

/// Returns the tokens of the last totals in the newest record that Codex keeps.
pub(crate) fn recorded_tokens(story: &Story) -> u64 {
    let said = story.shell(
        &story.root(),
        "cat $(find codex/sessions -name '*.jsonl' | sort | tail -n 1)",
    );
    let text = String::from_utf8(said.stdout).unwrap();
    let counts = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut totals = counts.filter_map(|line| line.pointer("/payload/info/total_token_usage").cloned());
    let last = totals.next_back().unwrap();
    last["input_tokens"].as_u64().unwrap() + last["output_tokens"].as_u64().unwrap()
}

/// Returns true if this machine lets Codex build its sandbox; a container may not.
fn has_sandbox(story: &Story) -> bool {
    let codex = installed("codex");
    let mut probe = story.outside(codex.to_str().unwrap());
    probe.env("CODEX_HOME", story.root().join("codex"));
    probe.args(["sandbox", "-c", "sandbox_mode=\"workspace-write\"", "--", "true"]);
    probe.output().unwrap().status.success()
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn a_task_is_done_by_codex_in_its_sandbox_and_merged() {
    let Some((story, model, _server)) = story("") else {
        return;
    };
    create(&story, "t-1", "codex_work");
    story.wait_until(&format!("the end of the task; {}", model.summary()), || {
        story.count("done") == 1
    });
    assert!(file_in_base(&story, "work.txt"));
    let argv = meta(&story, 1)["argv"].to_string();
    assert!(!argv.contains("dangerously"), "{argv}");
    story.wait_until("its tokens", || tokens(&story) > 0);
    let cost = story.dbs(&["cost"]);
    assert!(cost.contains("no price known"), "{cost}");
    let status = story.git(&story.project(), &["status", "--porcelain"]);
    assert_eq!(status, "", "nothing is written into the repository");
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn a_comment_of_codex_in_its_sandbox_comes_to_its_task_through_the_inbox() {
    let replies = json!([
        exec("echo work > work.txt && git add -A && git commit -qm Work"),
        exec("dbs task comment t-1 'The port is odd.'"),
        exec("dbs signal done 'Made work.txt'"),
        { "text": "All done." },
    ]);
    let script = json!({ "remark": { "replies": replies } }).to_string();
    let Some((story, _model, _server)) = story_of("", scripts().with("remark", &script)) else {
        return;
    };
    create(&story, "t-1", "remark");
    story.wait_until("the end of the task", || story.count("done") == 1);
    let task = story.dbs(&["task", "show", "t-1"]);
    assert_eq!(task.matches("The port is odd.").count(), 1, "{task}");
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn what_codex_asks_comes_to_the_inbox_by_its_hook_and_is_allowed_from_outside() {
    let Some((story, _model, _server)) = story("") else {
        return;
    };
    create(&story, "t-1", "codex_asks");
    wait_for_ask(&story);
    let why = || story.dbs(&["why", "t-1", "--sources"]);
    story.wait_until("what it waits for", || {
        let why = why();
        why.contains("now: asks: Bash: echo work") && why.contains("hook")
    });
    assert!(!file_in_base(&story, "work.txt"));
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(file_in_base(&story, "work.txt"));
    let home = fs::read_to_string(story.root().join("codex/config.toml")).unwrap();
    assert!(
        !home.contains("hooks"),
        "nothing is written into the person's settings"
    );
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn what_codex_asks_is_answered_in_its_pane_once_somebody_types_there() {
    let Some((story, _model, _server)) = story("") else {
        return;
    };
    create(&story, "t-1", "codex_asks");
    wait_for_ask(&story);
    let tty = story.tty(&["attach"], (140, 50));
    tty.see("NEEDS YOU 1");
    tty.press("C-b a");
    tty.wait("its terminal", |screen| {
        screen.has("Running hook") && screen.has("LOOKING")
    });
    tty.press("i");
    tty.wait("to type", |screen| screen.status().contains("TYPE"));
    tty.press("y");
    tty.see("Press enter to confirm");
    let mut typed = Instant::now();
    story.wait_until("the end of the task", || {
        // A dialog takes no key in its first moment.
        if typed.elapsed() > Duration::from_secs(1) && tty.look().has("Press enter to confirm") {
            tty.press("y");
            typed = Instant::now();
        }
        story.count("done") == 1
    });
    assert!(file_in_base(&story, "work.txt"));
    let events = story.dbs(&["events"]);
    assert!(events.contains("ask_withdrawn"), "{events}");
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn a_no_from_the_inbox_reaches_codex_with_its_reason() {
    let Some((story, model, _server)) = story("") else {
        return;
    };
    create(&story, "t-1", "codex_asks");
    wait_for_ask(&story);
    let refused = story.run(&["answer", "t-1", "no, stay there"]);
    assert!(!refused.status.success(), "a text is no answer to a permission");
    story.dbs(&["reject", "t-1", "stay in the sandbox"]);
    let is_told = || {
        let asked = model.requests_for("codex_asks");
        asked
            .iter()
            .any(|request| request.body.to_string().contains("stay in the sandbox"))
    };
    story.wait_until("the reason in what the model is told", is_told);
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn one_command_of_codex_is_allowed_by_a_rule_another_denied_and_a_third_asked() {
    let rules = "permissions = \"allow run touch allowed*; ask\"\n";
    let Some((story, model, _server)) = story(rules) else {
        return;
    };
    create(&story, "t-1", "codex_rules");
    story.wait_until("the command that no rule allows", || {
        story.dbs(&["status"]).contains("touch asked.txt")
    });
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
    let requests = model.requests_for("codex_rules");
    let is_told = |request: &RecordedRequest| request.body.to_string().contains("does not allow it");
    assert!(
        requests.iter().any(is_told),
        "the model hears why it may not push"
    );
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn codex_that_stops_without_a_report_though_it_was_told_to_is_a_question_for_a_person() {
    let Some((story, model, _server)) = story("") else {
        return;
    };
    create(&story, "t-1", "codex_silent");
    story.wait_until("what a person is asked", || {
        story.dbs(&["logs"]).contains("stopped without a report")
    });
    let requests = model.requests_for("codex_silent");
    let is_told = |request: &RecordedRequest| request.body.to_string().contains("You have not reported");
    assert!(requests.iter().any(is_told), "it was sent back once");
    story.dbs(&["answer", "t-1", "Report that there is nothing to do."]);
    story.wait_until("the report", || story.count("held") == 1);
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn a_usage_limit_of_codex_pauses_the_work_until_it_ends_and_costs_no_try() {
    rests_until_its_limit_ends("");
}

/// Returns a refusal of a request, for a usage limit that ends that many seconds later.
pub(crate) fn limit(seconds: u64) -> Value {
    json!({
        "status": 429, "type": "usage_limit_reached", "message": "The usage limit has been reached", "times": 1,
        "headers": {
            "x-codex-primary-used-percent": "100", "x-codex-primary-window-minutes": "300",
            "x-codex-primary-reset-at": format!("now+{seconds}"),
        },
    })
}

/// Asserts that work rests until the limit ends, and then goes on by itself.
pub(crate) fn rests_until_its_limit_ends(settings: &str) {
    const SECONDS: u64 = 12;
    let scripts = failing("codex_limit", &limit(SECONDS));
    let Some((story, model, _server)) = story_of(settings, scripts) else {
        return;
    };
    // Without the interface, the failed turn is known before its reason, and would be continued meanwhile.
    story.dbs(&["config", "limits.infra_backoff", "60"]);
    create(&story, "t-1", "codex_limit");
    story.wait_until("the pause", || {
        story.dbs(&["logs"]).contains("paused by a usage limit: You")
    });
    story.wait_until(&format!("the end of the task; {}", model.summary()), || {
        story.count("done") == 1
    });
    let [refused, next, ..] = &model.requests_for("codex_limit")[..] else {
        panic!("{}", model.summary())
    };
    let rest = next.at - refused.at;
    assert!(
        rest >= Duration::from_secs(SECONDS),
        "no agent works before the limit ends: {rest:?}"
    );
    assert!(file_in_base(&story, "work.txt"));
    let task: Value = serde_json::from_str(&story.dbs(&["task", "show", "t-1", "--json"])).unwrap();
    assert!(!task.to_string().contains("crash"), "{task}");
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn a_turn_of_codex_is_ended_from_outside_and_an_answer_begins_the_next_in_the_same_session() {
    is_interrupted("");
}

pub(crate) fn is_interrupted(settings: &str) {
    let replies = [
        exec("dbs signal block 'I was stopped.'"),
        json!({ "text": "All done." }),
    ];
    let script = json!({ "codex_gives_up": { "replies": replies } }).to_string();
    let Some((story, model, _server)) = story_of(settings, scripts().with("codex_gives_up", &script)) else {
        return;
    };
    ends_a_turn_and_begins_the_next(&story, &model, "codex_gives_up");
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn codex_without_a_login_is_said_at_once_with_the_command_to_log_in() {
    let fail = json!({ "status": 401, "type": "authentication_error", "message": "Incorrect API key" });
    let Some((story, _model, _server)) = story_of("", failing("codex_login", &fail)) else {
        return;
    };
    create(&story, "t-1", "codex_login");
    story.wait_until("the words and the way out", || {
        let logs = story.dbs(&["logs"]);
        logs.contains("401 Unauthorized") && logs.contains("log in with `codex login`")
    });
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn codex_stays_in_its_sandbox_where_everything_is_allowed() {
    let Some((story, model, _server)) = story("permissions = \"allow\"\n") else {
        return;
    };
    create(&story, "t-1", "codex_work");
    story.wait_until(&format!("the end of the task; {}", model.summary()), || {
        story.count("done") == 1
    });
    assert!(file_in_base(&story, "work.txt"));
    let argv = meta(&story, 1)["argv"].to_string();
    assert!(
        argv.contains("\"never\"") && argv.contains("\"workspace-write\"") && !argv.contains("dangerously"),
        "{argv}"
    );
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn codex_goes_on_with_its_session_after_it_was_killed() {
    let Some((story, model, _server)) = story("") else {
        return;
    };
    create(&story, "t-1", "codex_killed");
    story.wait_until("the first start", || story.attempt(1).join("meta.json").exists());
    let half = || {
        let folder = meta(&story, 1)["cwd"].as_str().unwrap().to_owned();
        fs::read_to_string(format!("{folder}/half.txt")).is_ok()
    };
    story.wait_until("the call of the tool", half);
    let agent = i32::try_from(meta(&story, 1)["child"]["pid"].as_u64().unwrap()).unwrap();
    kill_at_once(agent);
    story.wait_until("the next start", || story.attempt(2).join("meta.json").exists());
    assert!(!runs(agent));
    assert_eq!(meta(&story, 2)["argv"][1], "resume");
    let told = fs::read_to_string(story.attempt(1).join("session-id")).unwrap();
    assert!(
        meta(&story, 2)["argv"].to_string().contains(&told),
        "the session is the one that its hook told: {told}"
    );
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(file_in_base(&story, "whole.txt"));
    story.wait_until("each token once, of both attempts", || {
        tokens(&story) == recorded_tokens(&story)
    });
    let asked = model.requests_for("codex_killed");
    let last = asked.last().unwrap().body.to_string();
    for said in ["I make half of it.", "You were interrupted"] {
        assert!(last.contains(said), "the model sees what was said before: {said}");
    }
}
