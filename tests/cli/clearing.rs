//! An emptied board, and a server that is started again (K70, K72).

use std::fs;

use serde_json::json;

use crate::shop::Shop;

#[test]
fn clear_wants_the_name_makes_a_copy_first_and_the_copy_brings_the_board_back() {
    let shop = Shop::new();
    shop.refuses(&["clear", "--confirm", "project"], 1, "there is none yet");
    shop.does(&["task", "create", "Fix", "--id", "t-1", "--batch", "shop"]);
    shop.refuses(&["clear"], 1, "add --confirm project");
    shop.refuses(
        &["clear", "--confirm", "yes"],
        1,
        "the name of this project is project",
    );
    assert_eq!(shop.state("t-1"), "backlog");
    let said = shop.does(&["clear", "--confirm", "project"]);
    assert_eq!(shop.json(&["task", "list", "--json"]), json!([]));
    assert_eq!(shop.json(&["batch", "list", "--json"]), json!([]));
    let copy = said
        .split('`')
        .nth(1)
        .unwrap()
        .strip_prefix("dbs restore ")
        .unwrap();
    shop.does(&["restore", copy]);
    assert_eq!(shop.state("t-1"), "backlog");
}

#[test]
fn clear_is_refused_while_anything_runs_and_keeps_what_was_not_committed() {
    let mut shop = Shop::new();
    shop.give_work_to_silent_agents();
    shop.serve();
    shop.wait_for("agent", || shop.attempts().join("1/meta.json").exists());
    let root = shop.git.project().with_extension("dbs");
    let mut entries = fs::read_dir(&root).unwrap().flatten();
    let folder = entries.find(|entry| entry.path().join(".git").exists()).unwrap();
    fs::write(folder.path().join("half.txt"), "half\n").unwrap();
    let clear = ["clear", "--confirm", "project"];
    let is_refused = |shop: &Shop| {
        let said = shop.run(&clear);
        assert!(
            said.code == 1 && said.err.contains("a server or agents run"),
            "{said:?}"
        );
        assert_ne!(shop.json(&["task", "list", "--json"]), json!([]));
    };
    is_refused(&shop);
    shop.kill();
    is_refused(&shop);
    shop.does(&["stop", "--all"]);
    shop.does(&clear);
    assert!(!folder.path().exists());
    let name = folder.file_name().into_string().unwrap();
    let kept = shop.git.state().join("control.git");
    let half = format!("refs/dbs/attic/{name}/1:half.txt");
    assert_eq!(shop.git.git(&kept, &["show", &half]), "half");
    // Numbers of attempts are not used again, so that nothing old is mistaken for something new.
    shop.does(&["task", "create", "Fix", "--id", "t-1", "--release"]);
    shop.serve();
    shop.wait_for("the next agent", || shop.attempts().join("2/meta.json").exists());
    shop.does(&["stop", "--all"]);
}

#[test]
fn a_server_that_is_started_again_finds_its_agents_at_work() {
    let mut shop = Shop::new();
    shop.give_work_to_silent_agents();
    shop.serve();
    shop.wait_for("agent at work", || shop.attempts().join("1/meta.json").exists());
    let starts = || {
        shop.does(&["events", "--json"])
            .matches("\"kind\":\"woke\"")
            .count()
    };
    let before = starts();
    let said = shop.does(&["restart"]);
    assert!(said.contains("its agents went on"), "{said}");
    shop.wait_for("another server", || starts() > before);
    let events = shop.does(&["events", "--json"]);
    let began = events
        .lines()
        .find(|line| line.contains("\"attempt_started\""))
        .unwrap();
    let began: serde_json::Value = serde_json::from_str(began).unwrap();
    let agent = began["agent"].as_str().unwrap();
    assert!(agent.starts_with("developer-"), "{began}");
    assert_eq!(
        (&began["stage"], &began["task"]),
        (&json!("development"), &json!("t-1"))
    );
    let attempts = shop.board()["attempts"].clone();
    assert_eq!(attempts.as_object().unwrap().len(), 1, "{attempts}");
    shop.wait_for("the agent", || shop.state("t-1") == "active");
    shop.does(&["stop", "--all"]);
    assert!(shop.does(&["restart"]).contains("no server ran; one was started"));
    shop.does(&["stop", "--all"]);
}

#[test]
fn upgrade_says_which_program_this_is_and_fetches_nothing() {
    let shop = Shop::new();
    let said = shop.does(&["upgrade"]);
    assert!(
        said.starts_with(concat!("dbs ", env!("CARGO_PKG_VERSION"))),
        "{said}"
    );
    assert!(said.contains("1. `dbs stop`"), "{said}");
    let program = shop.json(&["upgrade", "--json"])["program"].clone();
    assert!(fs::metadata(program.as_str().unwrap()).is_ok(), "{program}");
}
