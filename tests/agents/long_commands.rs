//! Turns of real agents with several tool calls, one of which takes longer than any rule about silence: the agent is shown as working all
//! the time, and no person is asked.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::asking::{ALLOW, COMMIT, DONE, bash, says};
use crate::codex_pipeline::{self, exec};
use crate::driver::Story;
use crate::lab::scripts;
use crate::model_server::{ModelServer, Scripts};
use crate::pipeline::{create, file_in_base, story_with};
use crate::resuming::meta;

/// Longer than the 15 seconds after which a tool without reports is said to show nothing new.
const LONG: Duration = Duration::from_secs(16);
/// Command that ends when the test makes the file `go` beside the prompt.
const LONG_COMMAND: &str = "touch running; while ! test -e \"${DBS_PROMPT_FILE%/*}/go\"; do sleep 0.2; done";

/// Returns a script whose first turn has two calls, the second of which is long. The next reply of the model waits for the test, because
/// Codex gives its model an intermediate result of a command after half a minute at most.
fn scripted(call: fn(&str) -> Value) -> Scripts {
    let (mut first, long, mut next) = (call("touch begun"), call(LONG_COMMAND), call(COMMIT));
    let calls = [&first["calls"][0], &long["calls"][0]];
    first["calls"] = json!(calls);
    next["gate"] = json!({ "name": "long", "after": 0 });
    let replies = json!([first, next, call(DONE), says("All done.")]);
    scripts().with("long", &json!({ "long": { "replies": replies } }).to_string())
}

fn works_all_the_time(story: &Story, model: &ModelServer) {
    create(story, "t-1", "long");
    story.wait_until("the first start", || story.attempt(1).join("meta.json").exists());
    let folder = meta(story, 1)["cwd"].as_str().unwrap().to_owned();
    let has_made = |file: &str| Path::new(&folder).join(file).exists();
    story.wait_until("the first call", || has_made("begun"));
    story.wait_until("the long command", || has_made("running"));
    let why = || story.dbs(&["why", "t-1", "--sources"]);
    // The terminal may still show the request for the call.
    story.wait_until("its work", || why().contains("now: working"));
    // A person may have been asked by now about a tool that takes long to start.
    let asks = || story.dbs(&["events"]).matches(" asks: ").count();
    let (began, asked) = (Instant::now(), asks());
    story.wait_until("the end of the long command", || {
        let why = why();
        assert!(why.contains("now: working"), "{why}");
        let status = story.dbs(&["status"]);
        assert!(!status.contains("shows nothing new"), "{status}");
        began.elapsed() > LONG
    });
    assert_eq!(asks(), asked, "{}", story.dbs(&["events"]));
    fs::write(story.attempt(1).join("go"), "").unwrap();
    model.open_gate("long");
    story.wait_until(&format!("the end of the task; {}", model.summary()), || {
        story.count("done") == 1
    });
    assert!(file_in_base(story, "work.txt") && file_in_base(story, "begun"));
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_works_all_the_time_of_a_long_command_among_several_tools() {
    let (story, model, _server) = story_with(&format!("agent = \"claude\"\n{ALLOW}"), scripted(bash));
    works_all_the_time(&story, &model);
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_without_its_interface_works_all_the_time_of_a_long_command_too() {
    let settings = format!("agent = \"claude\"\nmode = \"headless\"\n{ALLOW}");
    let (story, model, _server) = story_with(&settings, scripted(bash));
    works_all_the_time(&story, &model);
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn codex_works_all_the_time_of_a_long_command_among_several_tools() {
    let Some((story, model, _server)) = codex_pipeline::story_of("", scripted(exec)) else {
        return;
    };
    works_all_the_time(&story, &model);
}
