//! The whole program with the real Claude Code, whose agent, holder or server is killed in the middle of a tool call: the next agent goes
//! on with the same session, in the same folder, and never beside a process of the previous one.

use std::fs;
use std::path::{Path, PathBuf};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::driver::{Server, Story};
use crate::model_server::ModelServer;
use crate::pipeline::{create, file_in_base, serve, story};

/// Text that the agent said before it was killed.
const BEFORE: &str = "I make half of it.";
const SETTINGS: &str = "permissions = \"allow\"\n";

/// An agent in the middle of a tool call.
struct Interrupted {
    story: Story,
    model: ModelServer,
    server: Server,
    holder: i32,
    agent: i32,
    tool: i32,
    session: String,
}

impl Interrupted {
    fn new() -> Self {
        Self::with(SETTINGS)
    }

    /// Starts an agent with these settings of the developers, and waits until it calls a tool.
    fn with(settings: &str) -> Self {
        let (story, model, server) = story(settings);
        create(&story, "t-1", "pipeline_killed");
        let file = story.attempt(1).join("tool");
        let read = || fs::read_to_string(&file).ok()?.trim().parse::<i32>().ok();
        story.wait_until("the call of the tool", || read().is_some());
        let tool = read().unwrap();
        let session = word_behind(&story, 1, "--session-id");
        // Claude Code writes down what was said a moment later.
        story.wait_until("the record of the session", || {
            transcript(&story, &session).contains(BEFORE)
        });
        let pid = |of: &str| i32::try_from(meta(&story, 1)[of]["pid"].as_u64().unwrap()).unwrap();
        Self {
            holder: pid("holder"),
            agent: pid("child"),
            tool,
            session,
            story,
            model,
            server,
        }
    }

    /// Waits until the next agent is started, and asserts that all of the previous one has ended by then.
    fn wait_for_next(&self) {
        let next = self.story.attempt(2).join("meta.json");
        self.story.wait_until("the next start", || next.exists());
        for pid in [self.agent, self.tool] {
            assert!(
                !runs(pid),
                "{pid} runs beside the next agent: {:?}",
                self.story.processes()
            );
        }
    }

    /// Asserts that the task is done by one agent that went on where it was.
    fn ends_by_going_on(&self) {
        self.wait_for_next();
        let (story, model) = (&self.story, &self.model);
        assert_eq!(word_behind(story, 2, "--resume"), self.session);
        assert_eq!(meta(story, 2)["cwd"], meta(story, 1)["cwd"]);
        let shown = story.dbs(&["task", "show", "t-1"]);
        assert!(shown.contains("continues the session of 1"), "{shown}");
        story.wait_until("the end of the task", || story.count("done") == 1);
        assert!(file_in_base(story, "whole.txt"));
        let asked = model.requests_for("pipeline_killed");
        let last = asked.last().unwrap().body.to_string();
        for said in [BEFORE, "You were interrupted"] {
            assert!(last.contains(said), "the model sees what was said before: {said}");
        }
        let first = asked
            .iter()
            .filter(|request| !request.body.to_string().contains(BEFORE));
        assert_eq!(first.count(), 1, "nothing begins twice");
    }
}

/// Returns what Claude Code has written of a session so far.
fn transcript(story: &Story, session: &str) -> String {
    transcripts(story, session)
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok())
        .collect()
}

/// Returns the files of that session that exist.
fn transcripts(story: &Story, session: &str) -> Vec<PathBuf> {
    let projects = fs::read_dir(story.root().join("claude/projects"));
    let folders = projects.into_iter().flatten().flatten().map(|entry| entry.path());
    let files = folders.map(|folder| folder.join(format!("{session}.jsonl")));
    files.filter(|file| file.is_file()).collect()
}

pub(crate) fn meta(story: &Story, attempt: u64) -> Value {
    let text = fs::read_to_string(story.attempt(attempt).join("meta.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Returns the word that follows an option in the command line of an attempt.
pub(crate) fn word_behind(story: &Story, attempt: u64, option: &str) -> String {
    let meta = meta(story, attempt);
    let words = meta["argv"].as_array().unwrap();
    let at = words.iter().position(|word| word == option);
    let at = at.unwrap_or_else(|| panic!("{option} is not in {words:?}"));
    words[at + 1].as_str().unwrap().to_owned()
}

/// Returns true if the process exists and is more than an entry that its parent has not collected yet.
pub(crate) fn runs(pid: i32) -> bool {
    fs::read(Path::new("/proc").join(pid.to_string()).join("cmdline")).is_ok_and(|line| !line.is_empty())
}

pub(crate) fn kill_at_once(pid: i32) {
    kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap();
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_goes_on_with_its_session_after_it_was_killed() {
    let world = Interrupted::new();
    kill_at_once(world.agent);
    world.ends_by_going_on();
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn without_an_interface_claude_goes_on_with_its_session_after_its_runner_was_killed() {
    let world = Interrupted::with("permissions = \"allow\"\nmode = \"headless\"\n");
    assert_eq!(meta(&world.story, 1)["argv"][1], "headless");
    kill_at_once(world.agent);
    world.ends_by_going_on();
}

/// Returns true if an attempt runs its tool without the tool's interface.
fn is_headless(story: &Story, attempt: u64) -> bool {
    meta(story, attempt)["argv"][1] == "headless"
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_goes_on_without_its_interface_in_the_middle_of_a_turn_and_in_its_session() {
    let world = Interrupted::new();
    assert!(!is_headless(&world.story, 1));
    let said = world.story.dbs(&["mode", "t-1", "headless"]);
    assert!(said.contains("continues without"), "{said}");
    world.ends_by_going_on();
    assert!(is_headless(&world.story, 2));
    let crashes = world.story.dbs(&["task", "show", "t-1"]);
    assert!(!crashes.contains("crashed"), "{crashes}");
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_goes_on_with_its_interface_in_the_middle_of_a_turn_and_in_its_session() {
    let world = Interrupted::with("permissions = \"allow\"\nmode = \"headless\"\n");
    assert!(is_headless(&world.story, 1));
    world.story.dbs(&["mode", "t-1", "visible"]);
    world.ends_by_going_on();
    assert!(!is_headless(&world.story, 2));
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_goes_on_with_its_session_after_its_holder_was_killed() {
    let world = Interrupted::new();
    kill_at_once(world.holder);
    world.ends_by_going_on();
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn claude_goes_on_with_its_session_after_everything_was_killed() {
    let mut world = Interrupted::new();
    world.server.kill();
    kill_at_once(world.holder);
    kill_at_once(world.agent);
    world.server = serve(&world.story, &world.model);
    world.ends_by_going_on();
}

#[test]
#[cfg_attr(not(has_claude), ignore = "there is no claude")]
fn a_session_that_claude_does_not_know_is_given_up_and_the_task_begun_again() {
    let mut world = Interrupted::new();
    world.server.kill();
    kill_at_once(world.holder);
    kill_at_once(world.agent);
    world
        .story
        .wait_until("the end of the agent", || !runs(world.agent));
    let files = transcripts(&world.story, &world.session);
    assert_eq!(files.len(), 1);
    fs::write(&files[0], "{\"type\":\"user\"\n").unwrap();
    world.server = serve(&world.story, &world.model);
    world.wait_for_next();
    let story = &world.story;
    story.wait_until("a fresh start", || story.attempt(3).join("meta.json").exists());
    assert_ne!(word_behind(story, 3, "--session-id"), world.session);
    let events = story.dbs(&["task", "show", "t-1"]);
    assert!(events.contains("could not continue its session"), "{events}");
}
