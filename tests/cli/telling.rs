//! Events for tools: the same with and without a server, nothing lost and nothing twice, and an end when the reader is gone.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader};
use std::process::{ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::shop::Shop;
use crate::waiting::Program;

/// `dbs events --json --follow` from a position; killed if a test leaves it behind.
struct Follower {
    program: Program,
    lines: Option<BufReader<ChildStdout>>,
}

impl Follower {
    fn since(shop: &Shop, seq: u64) -> Follower {
        let arguments = ["events", "--json", "--follow", "--since", &seq.to_string()];
        let mut command = shop.command(&shop.git.project(), &arguments);
        Follower::of(command.stdout(Stdio::piped()).stderr(Stdio::piped()))
    }

    fn of(command: &mut Command) -> Follower {
        let program = Program::begin(command);
        let lines = Some(BufReader::new(program.stdout()));
        Follower { program, lines }
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        let read = self.lines.as_mut().unwrap().read_line(&mut line).unwrap();
        assert_ne!(
            read, 0,
            "the command has ended, or was killed after a long silence"
        );
        serde_json::from_str(&line).unwrap()
    }

    /// Every line up to the first one about that command.
    fn until(&mut self, command: &str) -> Vec<Value> {
        let mut all = vec![self.next()];
        while all.last().unwrap()["facts"]["command"] != command {
            all.push(self.next());
        }
        all
    }
}

fn all(shop: &Shop, since: u64) -> Vec<Value> {
    let text = shop.does(&["events", "--json", "--since", &since.to_string()]);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn seq(line: &Value) -> u64 {
    line["seq"].as_u64().unwrap()
}

#[test]
fn a_tool_that_comes_back_misses_nothing_and_gets_nothing_twice() {
    let mut shop = Shop::new();
    assert_eq!(all(&shop, 0), Vec::<Value>::new(), "nothing has happened yet");
    let mut tool = Follower::since(&shop, 0);
    shop.does(&["task", "create", "Fix\u{1b}[31m it", "--id", "t-1"]);
    let mut told = tool.until("create");
    assert_eq!(told.last().unwrap()["task"], "t-1");
    shop.serve();
    shop.does(&["task", "park", "t-1", "later"]);
    told.extend(tool.until("park"));
    drop(tool);
    shop.does(&["task", "comment", "t-1", "while nobody looked"]);
    shop.does(&["stop"]);
    shop.does(&["task", "close", "t-1", "not wanted"]);
    let mut tool = Follower::since(&shop, seq(told.last().unwrap()));
    told.extend(tool.until("close"));
    assert_eq!(told, all(&shop, 0), "all events at once are the same");
    let positions: Vec<u64> = told.iter().map(seq).collect();
    assert_eq!(positions, (1..=positions.len() as u64).collect::<Vec<_>>());
    assert!(told.iter().all(|line| line["schema"] == 1), "{told:?}");
    let people = shop.does(&["events"]);
    assert!(people.contains("t-1") && !people.contains('\u{1b}'), "{people}");
}

#[test]
fn a_follower_whose_reader_has_gone_ends_by_itself_and_says_nothing() {
    let shop = Shop::new();
    shop.does(&["task", "create", "Fix", "--id", "t-1"]);
    let mut tool = Follower::since(&shop, 0);
    tool.next();
    tool.lines = None;
    let said = tool.program.output();
    assert!(said.status.success() && said.stderr.is_empty(), "{said:?}");
}

#[test]
fn the_output_of_an_agent_that_is_silent_for_a_while_is_followed_all_the_same() {
    let mut shop = Shop::new();
    shop.does(&["config", "base_branch", "main"]);
    shop.does(&["config", "roles.developer.agent", "custom"]);
    let agent = "sh -c 'echo one; sleep 1; echo two; sleep 600'";
    shop.does(&["config", "roles.developer.command", agent]);
    shop.does(&["task", "create", "Fix", "--id", "t-1", "--release"]);
    shop.serve();
    shop.wait_for("output", || shop.run(&["logs", "t-1"]).out.contains("one"));
    let mut command = shop.command(&shop.git.project(), &["logs", "t-1", "--follow"]);
    let mut tool = Follower::of(command.stdout(Stdio::piped()));
    let mut line = String::new();
    // A line is printed once a later line has scrolled it up.
    while !line.contains("one") {
        line.clear();
        let read = tool.lines.as_mut().unwrap().read_line(&mut line).unwrap();
        assert_ne!(
            read, 0,
            "the command has ended, or was killed after a long silence"
        );
    }
}
