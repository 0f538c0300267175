//! Every command of the board and the session, once through a running server and once without: the same words, the same effect.

use crate::shop::Shop;

fn everything(shop: &Shop) {
    planning(shop);
    reading(shop);
    steering(shop);
    overview(shop);
    settings(shop);
    refusals(shop);
}

fn planning(shop: &Shop) {
    shop.does(&["config", "base_branch", "main"]);
    assert!(shop.does(&["pause"]).contains("paused"));
    let make = [
        "task",
        "create",
        "Fix login",
        "--id",
        "t-1",
        "-d",
        "src/login.rs",
        "--tag",
        "urgent",
        "--json",
    ];
    assert!(shop.json(&make)["ok"].as_str().unwrap().contains("t-1"));
    shop.does(&[
        "task",
        "create",
        "Second",
        "--id",
        "t-2",
        "--deps",
        "t-1",
        "--release",
    ]);
    shop.does(&["task", "create", "Third", "--id", "t-3", "--approval"]);
    shop.does(&[
        "task",
        "update",
        "t-1",
        "--title",
        "Fix the login",
        "--priority",
        "0",
    ]);
    shop.does(&["task", "comment", "t-1", "look", "at", "the", "cookie"]);
    shop.does(&["task", "dep", "t-3", "t-1"]);
    shop.does(&["task", "dep", "t-3", "t-1", "--remove"]);
    shop.does(&["task", "release", "t-1"]);
}

fn reading(shop: &Shop) {
    let shown = shop.does(&["task", "show", "t-1"]);
    assert!(
        shown.contains("Fix the login") && shown.contains("look at the cookie"),
        "{shown}"
    );
    assert_eq!(
        shop.json(&["task", "list", "--json"]).as_array().unwrap().len(),
        3
    );
    assert_eq!(
        shop.json(&["task", "list", "--state", "backlog", "--json"])
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(shop.json(&["task", "ready", "--json"])[0]["id"], "t-1");
    assert!(shop.does(&["task", "why", "t-2"]).contains("t-2"));
    shop.json(&["why", "t-2", "--json"]);
}

fn steering(shop: &Shop) {
    shop.does(&["task", "park", "t-1", "later"]);
    assert_eq!(shop.state("t-1")["parked"], "later");
    shop.does(&["task", "retry", "t-1", "--note", "now"]);
    assert_eq!(shop.state("t-1"), "released");
    shop.does(&["task", "park", "t-1", "later"]);
    shop.does(&["retry", "t-1"]);
    shop.does(&["task", "park", "t-1", "later"]);
    shop.does(&["task", "close", "t-3", "not wanted"]);
    assert_eq!(shop.state("t-3"), "cancelled");
    shop.does(&["skip", "t-2"]);
}

fn overview(shop: &Shop) {
    let board = shop.does(&["board"]);
    assert!(board.contains("Fix the login"), "{board}");
    assert!(shop.does(&["status"]).contains("base branch"));
    let log = shop.does(&["logs"]);
    assert!(log.contains("is planned"), "{log}");
    assert!(
        shop.does(&["logs", "--json"])
            .lines()
            .all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok())
    );
}

fn settings(shop: &Shop) {
    shop.does(&["resume"]);
    shop.does(&["pause", "--json"]);
    shop.does(&["config", "max_total_agents", "3"]);
    assert_eq!(shop.does(&["config", "max_total_agents"]).trim(), "3");
    shop.json(&["config", "--json"]);
    shop.json(&["sessions", "--json"]);
    shop.json(&["workflow", "list", "--json"]);
    assert!(shop.does(&["workflow", "show"]).contains("development"));
    shop.does(&["workflow", "check"]);
    shop.does(&["init"]);
    assert!(shop.does(&["completions", "bash"]).contains("_dbs"));
}

fn refusals(shop: &Shop) {
    for verb in ["approve", "skip", "retry"] {
        shop.refuses(&[verb, "nope"], 1, "nope");
    }
    for verb in ["reject", "answer"] {
        shop.refuses(&[verb, "t-1", "why"], 1, "");
    }
    for verb in ["show", "why", "retry", "release"] {
        shop.refuses(&["task", verb, "nope"], 1, "nope");
    }
    for verb in ["comment", "park", "close", "dep"] {
        shop.refuses(&["task", verb, "nope", "t-1"], 1, "nope");
    }
    shop.refuses(&["task", "update", "nope", "--title", "x"], 1, "nope");
    shop.refuses(&["task", "update", "t-1"], 1, "--title");
    shop.refuses(&["task", "update", "t-1", "--priority", "9"], 1, "priority");
    shop.refuses(&["task", "update", "t-1", "--stage", "nowhere"], 1, "nowhere");
    shop.refuses(&["task", "create", "Again", "--id", "t-1"], 1, "t-1");
    shop.refuses(&["task", "create", "x", "--type", "wish"], 1, "wish");
    shop.refuses(&["task", "create", "x", "--workflow", "none"], 1, "none");
    shop.refuses(&["task", "create", "  "], 1, "");
    shop.refuses(&["task", "dep", "t-1", "t-1"], 1, "");
    shop.refuses(&["approve", "t-1"], 1, "t-1");
    shop.refuses(&["task", "release", "t-3"], 1, "t-3");
    shop.refuses(&["pause"], 0, "");
    shop.refuses(&["kill-agent", "nobody"], 1, "nobody");
    shop.refuses(&["logs", "nobody"], 1, "nobody");
    shop.refuses(&["logs", "999"], 1, "999");
    shop.refuses(&["config", "nope", "1"], 1, "nope");
    shop.refuses(&["config", "max_total_agents", "many"], 1, "max_total_agents");
    shop.refuses(&["workflow", "show", "nope"], 1, "nope");
    shop.refuses(&["workflow", "check", "nope.toml"], 1, "nope.toml");
    shop.refuses(&["attach", "nope"], 1, "nope");
    shop.refuses(&["signal", "claim"], 1, "DBS_ATTEMPT");
    shop.refuses(&["done"], 1, "DBS_ATTEMPT");
    shop.refuses(&["progress", "x"], 1, "DBS_ATTEMPT");
    shop.refuses(&["task", "create"], 2, "TITLE");
    shop.refuses(&["nope"], 2, "nope");
    shop.refuses(&["signal", "maybe"], 2, "maybe");
    shop.refuses(&["start"], 1, "terminal");
}

#[test]
fn every_command_works_through_a_server() {
    let shop = Shop::served();
    everything(&shop);
    assert!(shop.does(&["sessions"]).contains("project"));
    assert!(shop.does(&["stop", "--all"]).contains("ends"));
    assert!(shop.does(&["stop"]).contains("no server runs"));
}

#[test]
fn every_command_works_without_a_server() {
    let shop = Shop::new();
    everything(&shop);
    assert!(shop.does(&["stop"]).contains("no server runs"));
    shop.refuses(&["logs", "--follow"], 1, "no server runs");
    shop.refuses(&["attach"], 1, "no server runs");
}

#[test]
fn what_was_planned_without_a_server_is_there_when_one_starts() {
    let mut shop = Shop::new();
    shop.does(&["task", "create", "Fix", "--id", "t-1"]);
    shop.serve();
    assert_eq!(shop.state("t-1"), "backlog");
    shop.does(&["task", "park", "t-1", "later"]);
    shop.does(&["stop"]);
    assert_eq!(shop.state("t-1")["parked"], "later");
}
