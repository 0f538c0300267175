//! Two real agents of different vendors in one pipeline: by one line of configuration, Codex reviews what Claude Code wrote, and each goes
//! on while the other is at its usage limit.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::asking::bash;
use crate::codex_pipeline::{self, exec, prepare};
use crate::driver::{Server, Story};
use crate::lab::{KEY, installed, scripts};
use crate::model_server::{ModelServer, Scripts};
use crate::pipeline::{OTHERS, create, file_in_base, server_program, start, write_person_settings};
use crate::resuming::meta;

/// Returns the name of the program with which an attempt was started.
fn program(story: &Story, attempt: u64) -> String {
    let argv = meta(story, attempt)["argv"].clone();
    let program = Path::new(argv[0].as_str().unwrap());
    program.file_name().unwrap().to_str().unwrap().to_owned()
}

/// Starts a server whose agents find both tools and the scripted model.
fn serve(story: &Story, model: &ModelServer) -> Server {
    let mut server = server_program(story, model);
    server
        .env("CODEX_HOME", story.root().join("codex"))
        .env("OPENAI_API_KEY", KEY);
    start(story, server)
}

#[test]
#[cfg_attr(not(all(has_claude, has_codex)), ignore = "there is no claude and codex")]
fn codex_reviews_what_claude_wrote_to_the_merge_by_one_line_of_configuration() {
    reviewed_by_codex("roles.reviewer.agent");
}

#[test]
#[cfg_attr(not(all(has_claude, has_codex)), ignore = "there is no claude and codex")]
fn codex_works_at_the_stage_that_names_it_though_its_role_is_played_by_claude() {
    reviewed_by_codex("stages.reviewing.agent");
}

/// Lets Claude Code play all roles except for this one setting, and asserts that Codex reviewed.
fn reviewed_by_codex(setting: &str) {
    installed("claude");
    installed("codex");
    let (story, model) = (Story::new(OTHERS), ModelServer::start(scripts()));
    story.configure(
        "[roles.developer]\nagent = \"claude\"\npermissions = \"allow\"\n\
                     [roles.reviewer]\nagent = \"claude\"\n",
    );
    write_person_settings(&story);
    if prepare(&story, &model).is_none() {
        return;
    }
    story.dbs(&["config", setting, "codex"]);
    let _server = serve(&story, &model);
    create(&story, "t-1", "two_tools_work");
    story.wait_until("the end of the task", || story.count("done") == 1);
    assert!(file_in_base(&story, "work.txt"));
    assert_eq!(
        (program(&story, 1).as_str(), program(&story, 2).as_str()),
        ("claude", "codex")
    );
    let reviewed = model.requests_for("two_tools_review");
    let last = reviewed.last().unwrap().body.to_string();
    assert!(
        last.contains("written by one tool"),
        "Codex read what was written: {last}"
    );
    let of_writer = model.requests_for("two_tools_work");
    assert!(
        reviewed
            .iter()
            .all(|request| request.path.ends_with("/responses"))
            && of_writer.iter().all(|request| request.path.contains("/messages")),
        "each tool spoke to its own interface"
    );
}

/// Returns scripts in which the first requests of one tool are refused for a limit that ends in an hour, and the other tool reports that it
/// is blocked.
fn limited(tool: &str) -> Scripts {
    let (now, report) = (SystemTime::now(), "dbs signal block 'I went on.'");
    let ends = now.duration_since(UNIX_EPOCH).unwrap().as_secs() + 3600;
    let (fail, other) = match tool {
        "claude" => {
            let message = format!("Claude AI usage limit reached|{ends}");
            let headers = json!({ "x-should-retry": "false" });
            let fail =
                json!({ "status": 429, "type": "rate_limit_error", "message": message, "headers": headers });
            (fail, exec(report))
        }
        _ => (codex_pipeline::limit(3600), bash(report)),
    };
    let replies = |first: Value| json!({ "replies": [first, { "text": "All done." }] });
    let text = json!({ "limited": replies(json!({ "fail": fail })), "other": replies(other) });
    scripts().with("limits", &text.to_string())
}

/// Asserts that a task of one tool is begun and reported on while the other tool is at its limit.
fn goes_on_while_limited(tool: &str, other: &str, mode: &str) {
    let (story, model) = (Story::new(OTHERS), ModelServer::start(limited(tool)));
    story.configure(&format!(
        "[roles.developer]\nagent = \"{tool}\"\npermissions = \"allow\"\nmode = \"{mode}\"\n"
    ));
    write_person_settings(&story);
    if prepare(&story, &model).is_none() {
        return;
    }
    let _server = serve(&story, &model);
    // Codex without its interface tells that its turn failed before its record tells why, and would be continued meanwhile.
    story.dbs(&["config", "limits.infra_backoff", "60"]);
    create(&story, "t-1", "limited");
    let words = format!("{tool} is at its usage limit");
    let waits = || story.dbs(&["why", "t-1"]).contains(&words);
    story.wait_until("that one tool is at its limit", waits);
    let text = ["-d", "[[script:other]] Do it."];
    let begin = [
        "task",
        "create",
        "Do it too",
        "--id",
        "t-2",
        "--agent",
        other,
        "--release",
    ];
    story.dbs(&[&begin[..], &text[..]].concat());
    story.wait_until(&format!("the report of the other; {}", model.summary()), || {
        story.count("held") == 1
    });
    let held = story.dbs(&["why", "t-2"]);
    assert!(held.contains("I went on."), "{held}");
    assert!(waits(), "the limit has not ended");
    for attempt in [1, 2] {
        let is_headless = meta(&story, attempt)["argv"][1] == "headless";
        assert_eq!(is_headless, mode == "headless", "attempt {attempt}");
    }
    let asked = model.requests_for("limited").len();
    assert_eq!(asked, 1, "nothing asks at the limit: {}", model.summary());
}

#[test]
#[cfg_attr(not(all(has_claude, has_codex)), ignore = "there is no claude and codex")]
fn codex_goes_on_while_claude_is_at_its_usage_limit() {
    goes_on_while_limited("claude", "codex", "visible");
}

#[test]
#[cfg_attr(not(all(has_claude, has_codex)), ignore = "there is no claude and codex")]
fn without_their_interfaces_codex_goes_on_while_claude_is_at_its_usage_limit() {
    goes_on_while_limited("claude", "codex", "headless");
}

#[test]
#[cfg_attr(not(all(has_claude, has_codex)), ignore = "there is no claude and codex")]
fn claude_goes_on_while_codex_is_at_its_usage_limit() {
    goes_on_while_limited("codex", "claude", "visible");
}

#[test]
#[cfg_attr(not(all(has_claude, has_codex)), ignore = "there is no claude and codex")]
fn without_their_interfaces_claude_goes_on_while_codex_is_at_its_usage_limit() {
    goes_on_while_limited("codex", "claude", "headless");
}
