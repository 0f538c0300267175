//! `dbs start` in a real terminal (K63).
#![cfg(unix)]

use std::io::Read as _;

use dbs::adapters::store::{LockOwner, ServerLock};
use portable_pty::{Child, CommandBuilder, PtySize, native_pty_system};

use crate::shop::Shop;

/// The program on a terminal of its own, whose output is read to the end.
fn on_a_terminal(shop: &Shop, arguments: &[&str]) -> Box<dyn Child + Send + Sync> {
    let size = PtySize {
        rows: 40,
        cols: 120,
        ..PtySize::default()
    };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_dbs"));
    command.env_clear();
    command.args(arguments);
    command.cwd(shop.git.project());
    for (name, value) in shop.environment() {
        command.env(name, value);
    }
    command.env("TERM", "xterm-256color");
    let child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let reading = std::thread::Builder::new().spawn(move || {
        let mut rest = Vec::new();
        // The read ends with the program.
        drop(reader.read_to_end(&mut rest));
        drop(pair.master);
    });
    drop(reading.unwrap());
    child
}

#[test]
fn start_plans_a_requirement_and_begins_paused_when_asked_to() {
    let shop = Shop::new();
    shop.give_work_to_silent_agents();
    let wish = "Let people export their orders";
    let mut screen = on_a_terminal(&shop, &["start", "--paused", wish]);
    let planned = || {
        let tasks = shop.json(&["task", "list", "--json"]);
        let mut tasks = tasks.as_array().unwrap().iter();
        tasks.find(|task| task["title"] == wish).cloned()
    };
    shop.wait_for("requirement on the board", || planned().is_some());
    assert_eq!(planned().unwrap()["state"], "backlog");
    let status = shop.json(&["status", "--json"]);
    assert_eq!(status["live"], true);
    assert_eq!(status["pause"]["operator"]["by"], "ann", "{status}");
    assert_eq!(shop.state("t-1"), "released");
    assert_eq!(
        shop.board()["attempts"],
        serde_json::json!({}),
        "no attempt began before the pause"
    );
    shop.does(&["resume"]);
    shop.wait_for("agent at work", || shop.state("t-1") == "active");
    shop.does(&["stop", "--all"]);
    drop(screen.kill());
    drop(screen.wait());
}

#[test]
fn whoever_starts_a_server_while_another_has_the_project_waits_for_it() {
    let shop = Shop::new();
    shop.does(&["config", "base_branch", "main"]);
    shop.does(&["task", "create", "Fix", "--id", "t-1"]);
    let debussy = shop.git.project().join(".debussy");
    let owner = LockOwner {
        process: std::process::id(),
        socket: "nowhere".to_owned(),
    };
    let lock = ServerLock::take(&shop.git.state().join("server.lock"), &owner).unwrap();
    let mut screen = on_a_terminal(&shop, &["start"]);
    let refused = || {
        let said = std::fs::read_to_string(debussy.join("logs/start.log"));
        said.is_ok_and(|said| said.contains("owns this project"))
    };
    shop.wait_for("refused server", refused);
    drop(lock);
    shop.wait_for("server", || shop.json(&["status", "--json"])["live"] == true);
    shop.does(&["stop", "--all"]);
    drop(screen.kill());
    drop(screen.wait());
}

#[test]
fn a_conductor_that_no_server_starts_is_said_to_wait_for_one() {
    let mut shop = Shop::new();
    let hint = "`dbs` starts the conductor and shows it";
    let said = shop.does(&["conduct", "Sell"]);
    assert!(said.contains(hint), "{said}");
    let data = shop.does(&["conduct", "More", "--json"]);
    assert!(!data.contains(hint), "{data}");
    shop.serve();
    let said = shop.does(&["conduct", "Most"]);
    assert!(!said.contains(hint), "{said}");
}
