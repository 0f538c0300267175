//! Commands that keep printing: the watched board, and the followed events and terminals.
#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests' door: starts the program, reads it on a thread of its own, waits with a deadline"
)]

use std::io::{BufRead as _, BufReader, Read};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use dbs::term::{EmulatorKind, Size, Terminal};
use serde_json::Value;

use crate::shop::Shop;

const PATIENCE: Duration = Duration::from_mins(1);

/// A command that keeps running; killed when dropped.
struct Following {
    child: Child,
    lines: Receiver<Vec<u8>>,
}

impl Following {
    fn begin(shop: &Shop, arguments: &[&str]) -> Following {
        let mut command = shop.command(&shop.git.project(), arguments);
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let mut reader = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = sync_channel(100_000);
        std::thread::spawn(move || {
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
        Following { child, lines }
    }

    /// The next line with that text, and the lines before it.
    fn until(&self, text: &str) -> Vec<String> {
        let deadline = Instant::now() + PATIENCE;
        let mut lines = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(line) = self.lines.recv_timeout(left) else {
                panic!("no line with {text}: {lines:#?}");
            };
            lines.push(String::from_utf8(line).unwrap());
            if lines.last().unwrap().contains(text) {
                return lines;
            }
        }
    }

    /// Everything until the command ends by itself.
    fn rest(mut self) -> (Vec<u8>, String, ExitStatus) {
        let deadline = Instant::now() + PATIENCE;
        let mut all = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => all.extend(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("the command does not end: {}", String::from_utf8_lossy(&all))
                }
            }
        }
        let mut problems = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut problems)
            .unwrap();
        (all, problems, self.child.wait().unwrap())
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn a_board_that_is_watched_is_printed_again_whenever_it_has_changed_and_only_then() {
    let shop = Shop::served();
    shop.does(&["pause"]);
    let watch = Following::begin(&shop, &["board", "--watch"]);
    let data = Following::begin(&shop, &["board", "--watch", "--json"]);
    let first = watch.until("branches:");
    assert!(
        first.iter().any(|line| line.starts_with("Backlog (0)")),
        "{first:?}"
    );
    data.until("tasks");
    shop.does(&["task", "create", "Fix the login", "--id", "t-1"]);
    watch.until("Backlog (1)");
    assert!(
        watch
            .until("branches:")
            .iter()
            .any(|line| line.contains("Fix the login"))
    );
    shop.does(&["task", "release", "t-1"]);
    watch.until("Dev (1)");
    data.until("released");
    shop.does(&["stop", "--all"]);
    let (rest, problems, status) = watch.rest();
    assert!(status.success(), "{status} {problems}");
    let rest = String::from_utf8(rest).unwrap();
    assert!(
        rest.matches("Backlog (").count() <= 1,
        "nothing has changed since: {rest}"
    );
    let (boards, _, status) = data.rest();
    assert!(status.success());
    let mut boards: Vec<Value> = String::from_utf8(boards)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for board in &mut boards {
        board.as_object_mut().unwrap().remove("at");
    }
    let count = boards.len();
    boards.dedup();
    assert_eq!(boards.len(), count, "no board twice");
    let said = shop.run(&["board", "--watch"]);
    assert!(said.code == 1 && said.err.contains("no server runs"), "{said:?}");
}

#[test]
fn events_that_are_followed_come_once_each_from_the_first_to_the_last() {
    let shop = Shop::served();
    shop.does(&["pause"]);
    shop.does(&["task", "create", "Early", "--id", "t-1"]);
    let lines = Following::begin(&shop, &["logs", "--follow"]);
    let data = Following::begin(&shop, &["logs", "--follow", "--json"]);
    let mut seen = lines.until("Early");
    let ids: Vec<String> = (2..30).map(|number| format!("t-{number}")).collect();
    for id in &ids {
        shop.does(&["task", "create", &format!("Later {id}."), "--id", id]);
    }
    seen.extend(lines.until("Later t-29."));
    data.until("Later t-29.");
    for id in &ids {
        let title = format!("Later {id}.");
        let times = seen.iter().filter(|line| line.contains(&title)).count();
        assert_eq!(times, 1, "{title} {seen:#?}");
    }
    shop.does(&["stop", "--all"]);
    assert!(lines.rest().2.success());
}

#[test]
fn whoever_begins_to_follow_while_much_happens_is_told_all_of_it_once_up_to_the_end_of_the_server() {
    let mut shop = Shop::new();
    shop.does(&["config", "paused", "true"]);
    shop.serve();
    let mut followers = Vec::new();
    for number in 0..12 {
        let (id, title) = (format!("t-{number}"), format!("Task {number}."));
        let mut command = shop.command(&shop.git.project(), &["task", "create", &title, "--id", &id]);
        let mut making = command.stdout(Stdio::null()).spawn().unwrap();
        followers.push(Following::begin(&shop, &["logs", "--follow", "--json"]));
        assert!(making.wait().unwrap().success());
    }
    let seen: Vec<Vec<String>> = followers
        .iter()
        .map(|follower| follower.until("Task 11."))
        .collect();
    shop.does(&["stop"]);
    let all = shop.does(&["logs", "--json"]);
    assert!(all.lines().count() >= 12, "{all}");
    for (follower, mut told) in followers.into_iter().zip(seen) {
        let (rest, _, status) = follower.rest();
        assert!(status.success());
        told.push(String::from_utf8(rest).unwrap());
        assert_eq!(told.concat(), all);
    }
}

/// A shop with one agent that prints something, waits for the file `go`, and then does the rest.
fn agent(rest: &str) -> Shop {
    let mut shop = Shop::new();
    let command = format!(
        "sh -c 'printf \"\\033[1mfirst\\033[m line\\n\"; while [ ! -e \"$DBS_ROOT/.debussy/go\" ]; do sleep 0.02; done; {rest}'"
    );
    shop.does(&["config", "base_branch", "main"]);
    shop.does(&["config", "terminal.log_limit_mib", "1"]);
    shop.does(&["config", "limits.crash_backoff", "600"]);
    shop.does(&["config", "roles.developer.agent", "custom"]);
    shop.does(&["config", "roles.developer.command", &command]);
    shop.does(&["task", "create", "Fix", "--id", "t-1", "--release"]);
    shop.serve();
    shop.wait_for("the agent's first words", || {
        shop.run(&["logs", "1"]).out.contains("first line")
    });
    shop
}

fn go(shop: &Shop) {
    std::fs::write(shop.git.project().join(".debussy/go"), "").unwrap();
}

#[test]
fn a_terminal_that_is_followed_is_shown_line_by_line_until_its_program_ends() {
    let shop = agent("echo second line; printf third");
    let follow = Following::begin(&shop, &["logs", "t-1", "--follow"]);
    let raw = Following::begin(&shop, &["logs", "1", "--follow", "--raw"]);
    let data = Following::begin(&shop, &["logs", "1", "--follow", "--json"]);
    raw.until("\u{1b}[1mfirst\u{1b}[m line");
    go(&shop);
    let (all, problems, status) = follow.rest();
    assert!(status.success() && problems.is_empty(), "{status} {problems}");
    assert_eq!(
        String::from_utf8(all).unwrap(),
        "first line\nsecond line\nthird\n"
    );
    let (rest, problems, status) = raw.rest();
    assert!(status.success() && problems.is_empty(), "{status} {problems}");
    assert_eq!(rest, b"second line\r\nthird");
    assert_eq!(
        shop.does(&["logs", "1", "--raw"]),
        "\u{1b}[1mfirst\u{1b}[m line\r\nsecond line\r\nthird"
    );
    let (lines, _, _) = data.rest();
    let lines: Vec<Value> = String::from_utf8(lines)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[2], serde_json::json!({ "attempt": 1, "line": "third" }));
}

#[test]
fn a_recording_is_played_to_the_screen_that_the_agent_ended_with() {
    let shop = agent(r#"printf "\033[32mgrün\033[m 顧客\n\033[A\033[10Cover\n"; sleep 1.2; printf end"#);
    // These commands run before a server changes the board by itself.
    shop.refuses(&["logs", "1", "--cast", "--raw"], 2, "cannot be used with");
    shop.refuses(&["logs", "--cast"], 2, "ATTEMPT");
    go(&shop);
    Following::begin(&shop, &["logs", "1", "--follow"]).rest();
    let cast = shop.does(&["logs", "1", "--cast"]);
    let mut lines = cast
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let head = lines.next().unwrap();
    let cells = |name: &str| u16::try_from(head[name].as_u64().unwrap()).unwrap();
    let size = Size::new(cells("width"), cells("height"));
    let screen = |terminal: &mut Terminal| terminal.text(0, size.rows - 1, 0);
    let mut played = Terminal::new(EmulatorKind::default(), size, 100);
    let mut ended = 0.0;
    for line in lines {
        assert_eq!(line[1], "o", "no client looked, so the size stayed: {line}");
        ended = line[0].as_f64().unwrap();
        played.feed(0, line[2].as_str().unwrap().as_bytes());
    }
    let mut lived = Terminal::new(EmulatorKind::default(), size, 100);
    lived.feed(0, shop.does(&["logs", "1", "--raw"]).as_bytes());
    assert_eq!(screen(&mut played), screen(&mut lived));
    assert!(
        screen(&mut played).contains("grün 顧客 over") && ended >= 1.2,
        "{ended}"
    );
}

#[test]
fn of_a_long_log_the_oldest_is_dropped_and_whoever_reads_it_is_told() {
    // Output that cannot be compressed takes its full size on the disk.
    let shop = agent("head -c 3000000 /dev/urandom | base64 -w 76; echo the last line");
    let follow = Following::begin(&shop, &["logs", "1", "--follow"]);
    follow.until("first");
    go(&shop);
    let (rest, _, status) = follow.rest();
    assert!(status.success() && rest.ends_with(b"the last line\n"));
    let said = shop.run(&["logs", "1", "--raw"]);
    let words: Vec<&str> = said.err.split_whitespace().collect();
    assert!(
        said.code == 0 && said.err.contains("bytes of attempt 1 are gone"),
        "{}",
        said.err
    );
    let gone: usize = words[3].parse().unwrap();
    let lines = ["\u{1b}[1mfirst\u{1b}[m line\r\n", "the last line\r\n"];
    let written = lines.concat().len() + 4_000_000 + 2 * 4_000_000_usize.div_ceil(76);
    assert_eq!(
        gone + said.out.len(),
        written,
        "dropped and kept bytes are all that was written"
    );
    let on_disk: u64 = std::fs::read_dir(shop.attempts().join("1/tty"))
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum();
    assert!(
        said.out.len() > 512 * 1024 && on_disk <= 1100 * 1024,
        "{} {on_disk}",
        said.out.len()
    );
    assert!(said.out.ends_with("the last line\r\n"));
    let late = Following::begin(&shop, &["logs", "1", "--follow", "--raw"]);
    let (all, problems, status) = late.rest();
    assert!(status.success() && problems == said.err, "{problems}");
    assert!(all == said.out.as_bytes());
    let index = std::fs::read_to_string(shop.attempts().join("1/tty/index.jsonl")).unwrap();
    let dropped = index.lines().rev().find(|line| line.contains("dropped")).unwrap();
    assert!(dropped.contains(&format!("\"to\":{gone},")), "{gone}: {dropped}");
}

#[test]
fn the_log_of_an_agent_that_has_ended_is_found_by_number_task_and_name() {
    let shop = agent("echo second line");
    go(&shop);
    Following::begin(&shop, &["logs", "1", "--follow"]).rest();
    let attempts = || shop.json(&["task", "show", "t-1", "--json"])["attempts"].clone();
    shop.wait_for("the end of the attempt", || attempts()[0]["ended_at"].is_u64());
    let name = attempts()[0]["worker"]["agent"]["name"].clone();
    for meant in ["1", "t-1", name.as_str().unwrap()] {
        let shown = shop.does(&["logs", meant]);
        assert!(shown.contains("second line"), "{meant}: {shown}");
    }
    shop.refuses(&["logs", "99"], 1, "`dbs task list` lists the tasks");
}

#[test]
fn all_attempts_of_a_task_are_listed_also_those_that_the_board_has_forgotten() {
    let mut shop = Shop::new();
    shop.does(&["config", "base_branch", "main"]);
    shop.does(&["config", "limits.crash_backoff", "1"]);
    shop.does(&["config", "roles.developer.agent", "custom"]);
    shop.does(&["config", "roles.developer.command", "sh -c 'exit 3'"]);
    shop.does(&["task", "create", "Fix", "--id", "t-1", "--release"]);
    shop.serve();
    let ids = || -> Vec<u64> {
        let shown = shop.json(&["task", "show", "t-1", "--json"]);
        let attempts = shown["attempts"].as_array().unwrap();
        attempts
            .iter()
            .map(|attempt| attempt["id"].as_u64().unwrap())
            .collect()
    };
    let is_held = || shop.state("t-1").get("held").is_some();
    shop.wait_for("the first hold", is_held);
    shop.does(&["retry", "t-1"]);
    shop.wait_for("the second hold", || ids().len() > 4 && is_held());
    let all: Vec<u64> = (1..=ids().last().copied().unwrap()).collect();
    assert_eq!(ids(), all);
    let lines = shop.does(&["task", "show", "t-1"]);
    assert!(lines.contains("  1 development "), "{lines}");
}
