//! The server in the foreground: a line per event, and the ways to end it.
#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests' door: starts the program, signals it"
)]

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::polling::holds_within;
use crate::shop::Shop;
use crate::waiting::Program;

/// `dbs watch` of a shop; killed if a test leaves it behind.
struct Watch {
    program: Program,
    lines: BufReader<ChildStdout>,
    /// File with its complaints.
    problems: PathBuf,
}

impl Watch {
    fn begin(shop: &Shop, arguments: &[&str]) -> Watch {
        let all: Vec<&str> = std::iter::once("watch")
            .chain(arguments.iter().copied())
            .collect();
        let mut command = shop.command(&shop.git.project(), &all);
        let problems = shop.git.root().join("watch.err");
        let told = std::fs::File::create(&problems).unwrap();
        let program = Program::begin(command.stdout(Stdio::piped()).stderr(told));
        let lines = BufReader::new(program.stdout());
        let watch = Watch {
            program,
            lines,
            problems,
        };
        let is_live = holds_within(Duration::from_mins(1), || {
            watch.goes_on();
            shop.json(&["status", "--json"])["live"] == true
        });
        assert!(is_live, "no server: {}", watch.said());
        watch
    }

    fn said(&self) -> String {
        std::fs::read_to_string(&self.problems).unwrap()
    }

    fn goes_on(&self) {
        if let Some(status) = self.program.ended() {
            panic!("the server has ended: {status}: {}", self.said());
        }
    }

    /// Reads up to a line with that text.
    fn line_with(&mut self, text: &str) -> String {
        let mut line = String::new();
        while !line.contains(text) {
            line.clear();
            let read = self.lines.read_line(&mut line).unwrap();
            assert_ne!(
                read,
                0,
                "no line with {text}: the server has ended, or was killed after two silent minutes: {:?}: {}",
                self.program.end(),
                self.said()
            );
        }
        line
    }

    fn signal(&mut self, name: &str) -> Option<i32> {
        let id = self.program.id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
        self.program.end().code()
    }
}

#[test]
fn watch_is_a_server_that_tells_every_event_in_a_line() {
    let shop = Shop::new();
    let mut watch = Watch::begin(&shop, &[]);
    shop.does(&["task", "create", "Fix the login", "--id", "t-1"]);
    let line = watch.line_with("Fix the login");
    assert!(line.contains("create") && line.contains("t-1"), "{line}");
    // Without an owner of the project the second `dbs watch` would become its server.
    watch.goes_on();
    let second = shop.run(&["watch"]);
    assert!(second.code == 1 && second.err.contains("another"), "{second:?}");
    assert_eq!(watch.signal("-TERM"), Some(0));
    let mut watch = Watch::begin(&shop, &["--json"]);
    shop.does(&["task", "park", "t-1", "later"]);
    let line = watch.line_with("later");
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line["notice"]["kind"], "park");
    assert_eq!(watch.signal("-INT"), Some(0));
}

#[test]
fn int_term_and_hup_end_a_server_in_order_and_its_agents_go_on() {
    let shop = Shop::new();
    shop.give_work_to_silent_agents();
    let agents = || shop.json(&["status", "--json"])["agents"].clone();
    for name in ["-INT", "-TERM", "-HUP"] {
        let mut watch = Watch::begin(&shop, &[]);
        shop.wait_for("agent at work", || agents()[0]["state"] == "running");
        assert_eq!(agents()[0]["id"], 1, "{name}: the same agent goes on");
        assert_eq!(watch.signal(name), Some(0), "{name}");
        shop.does(&["task", "comment", "t-1", "the lock is free"]);
        assert_eq!(shop.json(&["status", "--json"])["live"], false, "{name}");
    }
    let watch = Watch::begin(&shop, &[]);
    shop.wait_for("agent at work", || agents()[0]["state"] == "running");
    shop.does(&["stop", "--all"]);
    watch.program.end();
}
