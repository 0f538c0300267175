//! Stories of the end of a server: with work under way, with agents, and of agents that have lost their server.
#![expect(
    clippy::disallowed_methods,
    reason = "the story's clock: how long an end takes"
)]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::driver::Story;
use crate::scenarios::working;

/// Imports a task with a check that takes a day unless a file exists; the check records its pid.
fn with_a_long_check(story: &Story) {
    let (pid, quick) = (story.root().join("check"), story.root().join("quick"));
    let command = format!(
        "echo $$ > {}; test -e {} || sleep 86400",
        pid.display(),
        quick.display()
    );
    let gates = serde_json::json!([{ "name": "tests", "command": command }]);
    let task = serde_json::json!({ "id": "t-1", "title": "One", "gates": gates });
    let list = story.root().join("tasks.jsonl");
    fs::write(&list, task.to_string()).unwrap();
    story.dbs(&["task", "import", list.to_str().unwrap(), "--release"]);
}

/// Waits until a file names a process, and removes the file; returns the process.
fn process_in(story: &Story, file: &Path) -> Pid {
    let mut number = None;
    story.wait_until("the process in the file", || {
        number = fs::read_to_string(file)
            .ok()
            .and_then(|text| text.trim().parse().ok());
        number.is_some()
    });
    fs::remove_file(file).unwrap();
    Pid::from_raw(number.unwrap())
}

fn is_gone(process: Pid) -> bool {
    kill(process, None).is_err()
}

#[test]
fn a_server_that_is_stopped_during_a_long_check_ends_in_time_and_the_next_one_repeats_the_check() {
    let story = Story::new(&working(""));
    let check = story.root().join("check");
    let how: [(&[&str], &str, Duration); 2] = [
        (
            &["stop"],
            "it waits up to 10 s for the checks of t-1",
            Duration::from_secs(25),
        ),
        (&["stop", "--now"], "the server ends", Duration::from_secs(9)),
    ];
    for (number, (command, says, longest)) in how.into_iter().enumerate() {
        let _server = story.server();
        story.wait_until("the server", || story.is_live());
        if number == 0 {
            with_a_long_check(&story);
        }
        let process = process_in(&story, &check);
        let began = Instant::now();
        let said = story.dbs(command);
        let took = began.elapsed();
        assert!(took < longest, "{command:?}: {took:?}");
        assert!(said.contains(says), "{command:?}: {said}");
        assert!(said.contains("agents keep running"), "{command:?}: {said}");
        story.wait_until("the end of the check", || is_gone(process));
        assert!(!story.is_live());
    }
    fs::write(story.root().join("quick"), "").unwrap();
    let _server = story.server();
    story.wait_until("the task's end", || story.count("done") == 1);
    story.dbs(&["stop", "--all"]);
}

/// Returns the pids of an attempt's holder and of its program.
fn processes(story: &Story, attempt: u64) -> (Pid, Pid) {
    let text = fs::read(story.attempt(attempt).join("meta.json")).unwrap();
    let meta: Value = serde_json::from_slice(&text).unwrap();
    let number = |who: &str| {
        let number = meta.pointer(&format!("/{who}/pid")).and_then(Value::as_i64);
        Pid::from_raw(i32::try_from(number.unwrap()).unwrap())
    };
    (number("holder"), number("child"))
}

#[test]
fn agents_without_a_server_are_told_from_dead_ones_and_can_be_stopped() {
    let story = Story::new(&working("  { sleep = 86400 },"));
    let mut server = story.server();
    story.wait_until("the server", || story.is_live());
    for id in ["t-1", "t-2"] {
        story.dbs(&["task", "create", "One", "--id", id, "--release"]);
    }
    story.wait_until("two agents", || {
        story.dbs(&["status"]).matches("working").count() == 2
    });
    server.0.kill().unwrap();
    server.0.wait().unwrap();
    let (holder, orphan) = processes(&story, 1);
    let (_, program) = processes(&story, 2);
    assert_eq!(story.dbs(&["status"]).matches("working").count(), 2);
    kill(holder, Signal::SIGKILL).unwrap();
    story.wait_until("the end of the holder", || {
        let status = story.dbs(&["status"]);
        status.matches("working").count() == 1 && status.matches("lost").count() == 1
    });
    let said = story.dbs(&["stop", "--all"]);
    assert!(said.contains("stopped 1 agent that had no server"), "{said}");
    for process in [orphan, program] {
        story.wait_until("the end of the programs", || is_gone(process));
    }
    let status = story.dbs(&["status"]);
    assert_eq!(status.matches("working").count(), 0, "{status}");
    fs::remove_dir_all(story.attempt(2)).unwrap();
    let status = story.dbs(&["status"]);
    assert_eq!(status.matches("working").count(), 0, "{status}");
    let sockets = |ending: &str| {
        let found = story
            .outside("find")
            .arg(story.root().join("run"))
            .args(["-name", ending])
            .output();
        String::from_utf8(found.unwrap().stdout).unwrap()
    };
    assert_eq!(sockets("h*"), "", "no socket of a holder is left");
}
