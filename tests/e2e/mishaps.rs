//! Further mishaps while agents work: a killed holder, signals that no server hears, a usage limit, a full disk.

use std::fs;
use std::path::PathBuf;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::driver::{Story, said};
use crate::scenarios::working;
use crate::small_disk::SmallDisk;

fn one_task(story: &Story) {
    story.dbs(&["task", "create", "One", "--id", "t-1", "--release"]);
}

fn is_done(story: &Story) -> bool {
    story.count("done") == 1
}

/// Returns the kinds of all notices so far.
fn kinds(story: &Story) -> Vec<String> {
    let log = story.dbs(&["logs", "--json"]);
    let kind = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        line.pointer("/notice/kind")
            .and_then(Value::as_str)
            .unwrap()
            .to_owned()
    };
    log.lines().map(kind).collect()
}

fn times(kinds: &[String], kind: &str) -> usize {
    kinds.iter().filter(|other| *other == kind).count()
}

fn attempt_file(story: &Story, name: &str) -> PathBuf {
    story.attempt(1).join(name)
}

const DYING: &str = r#"
[[part]]
role = "developer"
attempt = 1
steps = [
  { signal = "claim" },
  { print = "the first of us was here" },
  { sleep = 600 },
]
"#;

#[test]
fn an_agent_whose_holder_was_killed_has_crashed_its_log_stays_and_its_task_is_done_again() {
    let story = Story::new(&format!("{DYING}{}", working("")));
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    one_task(&story);
    story.wait_until("the first agent's words", || {
        String::from_utf8_lossy(&story.run(&["logs", "1"]).stdout).contains("the first of us was here")
    });
    let meta: Value = serde_json::from_slice(&fs::read(attempt_file(&story, "meta.json")).unwrap()).unwrap();
    let number = |who: &str| {
        let number = meta
            .pointer(&format!("/{who}/pid"))
            .and_then(Value::as_i64)
            .unwrap();
        Pid::from_raw(i32::try_from(number).unwrap())
    };
    kill(number("holder"), Signal::SIGKILL).unwrap();
    story.wait_until("the end of its program", || kill(number("child"), None).is_err());
    story.wait_until("the task's end", || is_done(&story));
    let kinds = kinds(&story);
    assert_eq!(times(&kinds, "crash"), 1, "{kinds:?}");
    assert!(story.dbs(&["logs", "1"]).contains("the first of us was here"));
    assert_eq!(story.git(&story.origin(), &["show", "work:work/t-1.txt"]), "One");
    story.dbs(&["stop", "--all"]);
}

const UNHEARD: &str = r#"
[[part]]
role = "developer"
steps = [
  { signal = "claim" },
  { sleep = 2 },
  { write = "work.txt", text = "done\n", append = true },
  { commit = "Work" },
  { push = "origin" },
  { signal = "progress", text = "pushed" },
  { signal = "done", text = "Worked." },
]

[[part]]
steps = [{ signal = "claim" }, { signal = "done", text = "Good." }]
"#;

#[test]
fn what_an_agent_said_while_no_server_ran_is_heard_by_the_next() {
    let story = Story::new(UNHEARD);
    let mut server = story.server();
    story.wait_until("the server", || story.is_live());
    one_task(&story);
    story.wait_until("the agent's claim", || {
        kinds(&story).contains(&"claim".to_owned())
    });
    server.kill();
    story.wait_until("the agent's end", || attempt_file(&story, "exit.json").exists());
    let inbox = story.state().join("inbox");
    let waiting = || {
        let entries = fs::read_dir(&inbox).unwrap().flatten();
        entries
            .filter(|entry| entry.path().extension().is_some_and(|end| end == "json"))
            .count()
    };
    assert_eq!(waiting(), 2, "progress and done wait for a server");
    let _server = story.server();
    story.wait_until("the task's end", || is_done(&story));
    let kinds = kinds(&story);
    assert_eq!(times(&kinds, "crash"), 0, "{kinds:?}");
    assert_eq!(times(&kinds, "progress"), 1, "{kinds:?}");
    assert_eq!(times(&kinds, "claim"), 2, "developer, reviewer: {kinds:?}");
    assert_eq!(story.git(&story.origin(), &["show", "work:work.txt"]), "done");
    story.wait_until("an empty inbox", || waiting() == 0);
    story.dbs(&["stop", "--all"]);
}

const LIMITED: &str = r#"
[[part]]
role = "developer"
attempt = 1
steps = [
  { signal = "claim" },
  { print = "rehearsal: usage limit reached, try again in 3 seconds" },
  { exit = 1 },
]
"#;

#[test]
fn a_usage_limit_named_by_the_agent_pauses_the_board_until_it_ends_and_burns_no_attempt() {
    let story = Story::new(&format!("{LIMITED}{}", working("")));
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    one_task(&story);
    story.wait_until("the task's end", || is_done(&story));
    let kinds = kinds(&story);
    assert_eq!(times(&kinds, "crash"), 0, "{kinds:?}");
    assert!(times(&kinds, "quota") >= 1, "{kinds:?}");
    assert_eq!(times(&kinds, "resume"), 1, "{kinds:?}");
    let task: Value = serde_json::from_str(&story.dbs(&["task", "list", "--json"])).unwrap();
    assert_eq!(task.pointer("/0/failures"), Some(&serde_json::json!({})));
    story.dbs(&["stop", "--all"]);
}

/// Mounts a small file system over the project's state.
fn small_disk(story: &Story) -> Option<SmallDisk> {
    let place = story.state();
    fs::create_dir_all(&place).unwrap();
    let small = SmallDisk::mount(&place, "40m")?;
    // The mount hides the file that names the repository, so the project is trusted again.
    story.trust();
    Some(small)
}

fn names(story: &Story) -> Vec<String> {
    let tasks: Value = serde_json::from_str(&story.dbs(&["task", "list", "--json"])).unwrap();
    let id = |task: &Value| task.pointer("/id").and_then(Value::as_str).unwrap().to_owned();
    tasks.as_array().unwrap().iter().map(id).collect()
}

/// Creates tasks until one is refused, adding the others to `taken`; returns what was printed then.
fn create_until_refused(story: &Story, taken: &mut Vec<String>) -> String {
    let body = "x".repeat(16_000);
    loop {
        let id = format!("t-{:04}", taken.len());
        let output = story.run(&["task", "create", "Another", "--id", &id, "--description", &body]);
        if !output.status.success() {
            return said(&output);
        }
        taken.push(id);
        assert!(taken.len() < 3_000, "more tasks were taken than the disk holds");
    }
}

#[test]
fn on_a_full_disk_nothing_acknowledged_is_lost_and_work_goes_on_when_there_is_room() {
    let story = Story::new(&format!("{DYING}{}", working("")));
    let Some(small) = small_disk(&story) else {
        return;
    };
    let mut server = story.server();
    story.wait_until("the server", || story.is_live());
    let mut taken = Vec::new();
    for n in 0..3 {
        let id = format!("t-{n:04}");
        story.dbs(&["task", "create", "Early", "--id", &id]);
        taken.push(id);
    }
    small.fill(u64::MAX);
    let refused = create_until_refused(&story, &mut taken);
    assert!(
        refused.contains("the disk is full") && refused.contains("free some space"),
        "the caller is told why and what to do: {refused}"
    );
    let again = said(&story.run(&["task", "create", "Alone", "--id", "alone"]));
    small.free();
    let goes_on = || {
        story
            .run(&["task", "create", "Later", "--id", "later"])
            .status
            .success()
    };
    story.wait_until("the same server at work when there is room again", goes_on);
    assert!(server.0.try_wait().unwrap().is_none(), "the server has ended");
    let mut found = names(&story);
    found.retain(|id| id != "alone" && id != "later");
    let mut unanswered = taken.clone();
    unanswered.push(format!("t-{:04}", taken.len()));
    assert!(
        found == taken || found == unanswered,
        "{} of {}",
        found.len(),
        taken.len()
    );
    assert!(!again.contains("panicked"), "{again}");
    assert!(
        again.contains("alone") || again.contains("free some space"),
        "a later caller is told, too: {again}"
    );
    story.dbs(&["task", "release", "t-0000"]);
    story.wait_until("work", || kinds(&story).contains(&"claim".to_owned()));
    story.dbs(&["stop", "--all"]);
    // A folder that is mounted on cannot be removed, and finding the agents needs what is on the disk.
    story.wait_until("the end of all processes", || story.processes().is_empty());
    drop(small);
}
