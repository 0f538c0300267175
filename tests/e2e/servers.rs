//! Servers that die, and servers that want the same project.

use crate::dice::Dice;
use crate::driver::{Server, Story, said};
use crate::scenarios;

/// Parts of a developer that adds a line, and of a reviewer that agrees. A second attempt would add a second line.
const WORK: &str = r#"
[[part]]
role = "developer"
steps = [
  { signal = "claim" },
  { sleep = 0.4 },
  { write = "work/{task}.txt", text = "{title}\n", append = true },
  { commit = "[{task}] Work" },
  { push = "origin" },
  { sleep = 0.4 },
  { signal = "done", text = "Worked." },
]

[[part]]
steps = [
  { signal = "claim" },
  { sleep = 0.4 },
  { signal = "done", text = "Good." },
]
"#;

const TASKS: [&str; 6] = ["t-1", "t-2", "t-3", "t-4", "t-5", "t-6"];

/// Returns what happened, and what the servers logged, for a failure message.
fn happened(story: &Story) -> String {
    format!("{}\n{}", story.dbs(&["logs"]), story.logs())
}

fn all_done_exactly_once(story: &Story) {
    let log = |arguments: &[&str]| story.git(&story.origin(), arguments);
    let merged = log(&[
        "log",
        "--merges",
        "--format=%(trailers:key=Dbs-Task,valueonly,separator=%x2C)",
        "work",
    ]);
    let mut merged: Vec<&str> = merged.lines().collect();
    merged.sort_unstable();
    assert_eq!(
        merged,
        TASKS,
        "each task is merged exactly once; {}",
        happened(story)
    );
    let files = log(&["ls-tree", "-r", "--name-only", "work"]);
    let expected: Vec<String> = std::iter::once("README.md".to_owned())
        .chain(TASKS.iter().map(|task| format!("work/{task}.txt")))
        .collect();
    assert_eq!(files.lines().collect::<Vec<_>>(), expected);
    for task in TASKS {
        let text = log(&["show", &format!("work:work/{task}.txt")]);
        assert_eq!(
            text,
            format!("Task {task}"),
            "each task is worked on exactly once; {}",
            happened(story)
        );
    }
}

#[test]
fn a_server_killed_at_any_moment_loses_nothing_and_repeats_nothing() {
    let story = Story::new(WORK);
    let mut server = story.server();
    story.wait_until("the server", || story.is_live());
    for task in TASKS {
        story.dbs(&[
            "task",
            "create",
            &format!("Task {task}"),
            "--id",
            task,
            "--release",
        ]);
    }
    let mut dice = Dice::new(0x5eed);
    for _ in 0..6 {
        Story::let_pass(dice.below(1_500));
        server.kill();
        server = story.server();
        story.wait_until("a server that was killed", || story.is_live());
    }
    story.wait_until("the end of all tasks", || {
        story.count("done") == u64::try_from(TASKS.len()).unwrap()
    });
    all_done_exactly_once(&story);
    story.dbs(&["stop", "--all"]);
}

#[test]
fn of_many_servers_at_once_exactly_one_wins() {
    let story = Story::new(WORK);
    let mut servers: Vec<Server> = (0..50).map(|_| story.server()).collect();
    let running = |servers: &mut Vec<Server>| {
        servers.retain_mut(|server| server.0.try_wait().unwrap().is_none());
        servers.len()
    };
    story.wait_until("one server is left", || running(&mut servers) <= 1);
    story.wait_until("the winner", || story.is_live());
    assert_eq!(running(&mut servers), 1);
    let late = story.run(&["server"]);
    assert!(!late.status.success());
    let winner = servers.first().unwrap().0.id().to_string();
    assert!(said(&late).contains(&winner), "{}", said(&late));
    story.dbs(&["stop", "--all"]);
}

#[test]
fn what_an_agent_asked_before_the_server_died_still_waits_under_the_next_and_was_never_thought_over() {
    let story = Story::new(&scenarios::working(
        r#"  { state = "working" },
  { ask = "May I?" },
  { state = "working" },
  { ask = "And this?", refused = [{ signal = "block", text = "I was not allowed to." }, { exit = 0 }] },"#,
    ));
    let mut server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["task", "create", "Work", "--id", "t-1", "--release"]);
    let asks = |text: &str| story.dbs(&["status"]).contains(text);
    story.wait_until("the first", || asks("May I?"));
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the second", || asks("And this?"));
    let observed = || story.dbs(&["events"]).matches("observed").count();
    let before = observed();
    server.kill();
    let _next = story.server();
    story.wait_until("what its terminal shows", || observed() > before);
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the end of the task", || story.count("done") == 1);
    let events = story.dbs(&["events"]);
    let until_answered = events
        .lines()
        .take_while(|line| !line.contains("allowed developer-debussy: And this?"));
    let seen = until_answered.filter(|line| line.contains("observed")).count();
    assert_eq!(seen, before + 1, "only the present is observed: {events}");
}
