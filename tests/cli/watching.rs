//! The server in the foreground: a line per event, and how it is ended.
#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests' door: starts the program, signals it"
)]

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::shop::Shop;

/// `dbs watch` of a shop; killed if a test leaves it behind.
struct Watch {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Watch {
    fn begin(shop: &Shop, arguments: &[&str]) -> Watch {
        let all: Vec<&str> = std::iter::once("watch")
            .chain(arguments.iter().copied())
            .collect();
        let mut command = shop.command(&shop.git.project(), &all);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        let watch = Watch { child, lines };
        shop.wait_for("server", || shop.json(&["status", "--json"])["live"] == true);
        watch
    }

    /// Reads until a line holds that.
    fn line_with(&mut self, text: &str) -> String {
        let mut line = String::new();
        while !line.contains(text) {
            line.clear();
            assert_ne!(self.lines.read_line(&mut line).unwrap(), 0, "no line with {text}");
        }
        line
    }

    fn signal(&mut self, name: &str) -> Option<i32> {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(Instant::now() < deadline, "{name} ends nothing");
            std::thread::yield_now();
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn watch_is_a_server_that_tells_every_event_in_a_line() {
    let shop = Shop::new();
    let mut watch = Watch::begin(&shop, &[]);
    shop.does(&["task", "create", "Fix the login", "--id", "t-1"]);
    let line = watch.line_with("Fix the login");
    assert!(line.contains("create") && line.contains("t-1"), "{line}");
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
    shop.does(&["config", "base_branch", "main"]);
    shop.does(&["config", "roles.developer.agent", "custom"]);
    shop.does(&["config", "roles.developer.command", "sleep 600"]);
    shop.does(&["task", "create", "Fix", "--id", "t-1", "--release"]);
    let agents = || shop.json(&["status", "--json"])["agents"].clone();
    for name in ["-INT", "-TERM", "-HUP"] {
        let mut watch = Watch::begin(&shop, &[]);
        shop.wait_for("agent at work", || agents()[0]["state"] == "running");
        assert_eq!(agents()[0]["id"], 1, "{name}: the same agent goes on");
        assert_eq!(watch.signal(name), Some(0), "{name}");
        shop.does(&["task", "comment", "t-1", "the lock is free"]);
        assert_eq!(shop.json(&["status", "--json"])["live"], false, "{name}");
    }
    let mut watch = Watch::begin(&shop, &[]);
    shop.wait_for("agent at work", || agents()[0]["state"] == "running");
    shop.does(&["stop", "--all"]);
    drop(watch.child.wait());
}
