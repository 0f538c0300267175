//! Tools without their interface that are suspended: the program around them is suspended with them, and both are continued from the inbox.

use dbs::adapters::holder::process::processes;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::asking::{ALLOW, COMMIT, DONE, bash, says};
use crate::codex_pipeline::{self, exec};
use crate::driver::Story;
use crate::headless::run_by;
use crate::lab::{Lab, scripts, wait_for};
use crate::model_server::{ModelServer, Scripts};
use crate::pane::Pane;
use crate::pipeline::{create, file_in_base, story_with};
use crate::resuming::meta;

const HEADLESS: &str = "mode = \"headless\"\n";

/// Returns a script whose first reply waits for the test at the gate `suspended`.
fn scripted(mut replies: [Value; 3]) -> Scripts {
    replies[0]["gate"] = json!({ "name": "suspended", "after": 0 });
    scripts().with(
        "suspended",
        &json!({ "suspended": { "replies": replies } }).to_string(),
    )
}

/// Returns the one process that this one started.
fn child_of(parent: u32) -> Pid {
    let rows = processes().unwrap();
    let mut children = rows.iter().filter(|row| row.parent == parent && !row.is_dead);
    let child = children.next().unwrap();
    assert_eq!(children.next(), None, "a run has one process");
    Pid::from_raw(i32::try_from(child.pid).unwrap())
}

/// Suspends the tool in the middle of its turn, and continues it from the inbox.
fn is_continued(story: &Story, model: &ModelServer) {
    create(story, "t-1", "suspended");
    model.wait_at_gate("suspended");
    let why = |part: &str| story.dbs(&["why", "t-1", "--sources"]).contains(part);
    story.wait_until("its turn", || why("now: working"));
    let runner = u32::try_from(meta(story, 1)["child"]["pid"].as_u64().unwrap()).unwrap();
    kill(child_of(runner), Signal::SIGSTOP).unwrap();
    story.wait_until("that it is stopped", || why("now: stopped"));
    story.wait_until("its ask", || {
        story.dbs(&["events"]).contains("asks: its program is stopped")
    });
    story.dbs(&["answer", "t-1", "1"]);
    story.wait_until("that it goes on", || !why("now: stopped"));
    model.open_gate("suspended");
    story.wait_until(&format!("the end of the task; {}", model.summary()), || {
        story.count("done") == 1
    });
    assert!(file_in_base(story, "work.txt"));
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_stopped_claude_without_its_interface_is_shown_as_that_and_continued_from_the_inbox() {
    let replies = [bash(COMMIT), bash(DONE), says("All done.")];
    let settings = format!("agent = \"claude\"\n{HEADLESS}{ALLOW}");
    let (story, model, _server) = story_with(&settings, scripted(replies));
    is_continued(&story, &model);
}

#[test]
#[cfg_attr(not(has_codex), ignore = "there is no codex")]
fn a_stopped_codex_without_its_interface_is_shown_as_that_and_continued_from_the_inbox() {
    let replies = [exec(COMMIT), exec(DONE), says("All done.")];
    let Some((story, model, _server)) = codex_pipeline::story_of(HEADLESS, scripted(replies)) else {
        return;
    };
    is_continued(&story, &model);
}

#[test]
fn a_run_without_an_interface_is_suspended_with_its_tool_and_continues_it() {
    let lab = Lab::without_agent();
    let script = "echo begun; kill -STOP $$; echo went on; exit 5";
    let pane = Pane::start_program(&lab, run_by(&["sh", "-c", script].map(str::to_owned), "go"));
    pane.wait_for_text("begun");
    let is_suspended = || {
        let happened = pane.happened();
        let last = happened.iter().rev().find(|event| event.kind == "z");
        last.is_some_and(|event| event.text == "1")
    };
    wait_for("that the run is suspended", is_suspended);
    kill(pane.process(), Signal::SIGCONT).unwrap();
    pane.wait_for_text("went on");
    pane.wait_for_text("the tool ended: exit status: 5");
}
