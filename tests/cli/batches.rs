//! Batches as a person makes, orders and reads them, and the alternative words for tasks.

use crate::shop::Shop;

#[test]
fn batches_are_made_ordered_handed_over_and_explained_on_the_command_line() {
    let mut shop = Shop::new();
    shop.does(&["config", "base_branch", "main"]);
    let made = ["--title", "Invoices", "--base", "feature/billing"];
    let create = ["batch", "create", "billing"];
    assert_eq!(
        shop.does(&[&create[..], &made[..]].concat()),
        "created batch billing\n"
    );
    shop.refuses(&create, 1, "exists already");
    shop.refuses(&["batch", "create", "a", "--base=-x"], 2, "branch name");
    shop.does(&[
        "batch",
        "create",
        "mails",
        "--needs",
        "billing",
        "--goal",
        "tell people",
    ]);
    shop.refuses(
        &["batch", "update", "billing", "--needs", "mails"],
        1,
        "mails waits for billing",
    );
    shop.refuses(&["batch", "update", "mails"], 1, "say what to change");
    for (id, batch) in [("b-1", "billing"), ("m-1", "mails"), ("m-2", "mails")] {
        shop.does(&["task", "create", "Do it", "--id", id, "--batch", batch]);
    }
    let all = shop.does(&["batch", "list"]);
    assert!(all.contains("  base: feature/billing"), "{all}");
    assert!(all.contains("  after: billing (planning)"), "{all}");
    shop.does(&["batch", "release", "mails"]);
    let one = shop.does(&["batch", "show", "mails"]);
    assert!(one.contains("goal: tell people") && one.contains("m-2"), "{one}");
    let data = shop.json(&["batch", "show", "mails", "--json"]);
    assert_eq!(data["run"]["needs"], serde_json::json!(["billing"]), "{data}");
    shop.serve();
    let why = "waits for batch billing";
    shop.wait_for("the reason", || shop.does(&["why", "m-1"]).contains(why));
    let board = shop.does(&["board"]);
    assert!(board.contains(why), "{board}");
    shop.does(&["batch", "update", "mails", "--no-needs"]);
    shop.wait_for("another reason", || !shop.does(&["why", "m-1"]).contains(why));
}

#[cfg(unix)]
#[test]
fn a_file_of_settings_is_replaced_and_never_written_in_place() {
    let shop = Shop::new();
    shop.does(&["config", "max_total_agents", "3"]);
    let file = shop.git.project().join(".debussy/config.toml");
    let other = shop.git.root().join("before.toml");
    std::fs::hard_link(&file, &other).unwrap();
    let before = std::fs::read_to_string(&other).unwrap();
    shop.does(&["config", "max_total_agents", "4"]);
    assert!(std::fs::read_to_string(&file).unwrap().contains('4'));
    assert_eq!(
        std::fs::read_to_string(&other).unwrap(),
        before,
        "a program with the old file open reads it whole"
    );
    let names = std::fs::read_dir(file.parent().unwrap()).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    let partial = names
        .iter()
        .filter(|name| name.to_string_lossy().starts_with(".tmp"));
    assert_eq!(partial.count(), 0, "{names:?}");
}

#[test]
fn the_bead_commands_people_type_are_understood_or_name_the_way() {
    let shop = Shop::new();
    shop.does(&["bd", "create", "First", "--id", "a"]);
    shop.does(&[
        "bead", "create", "Second", "-d", "text", "--deps", "a", "--id", "b",
    ]);
    shop.does(&["bd", "update", "b", "--add-label", "security"]);
    shop.does(&["bd", "comment", "b", "look"]);
    let shown = shop.json(&["bd", "show", "b", "--json"])["task"].clone();
    assert_eq!(shown["tags"], serde_json::json!(["security"]), "{shown}");
    assert_eq!(shown["deps"], serde_json::json!(["a"]), "{shown}");
    shop.does(&["bd", "update", "b", "--remove-label", "security"]);
    assert!(shop.does(&["bd", "list"]).contains("Second"));
    shop.refuses(
        &["bd", "update", "b", "--status", "closed"],
        1,
        "dbs task close b REASON",
    );
    shop.refuses(
        &["bd", "update", "b", "--status", "open"],
        1,
        "dbs task release b",
    );
    shop.refuses(
        &["bd", "update", "a", "--add-label", "stage:nowhere"],
        1,
        "there is no stage nowhere",
    );
    assert_eq!(shop.state("a"), "backlog", "the task is not released either");
    shop.refuses(
        &[
            "bd",
            "update",
            "a",
            "--add-label",
            "stage:merging",
            "--stage",
            "reviewing",
        ],
        1,
        "two are named",
    );
    let moved = shop.does(&["bd", "update", "b", "--add-label", "stage:reviewing"]);
    assert_eq!(moved, "b is released to reviewing\n");
    let shown = shop.json(&["bd", "show", "b", "--json"])["task"].clone();
    assert_eq!(
        (&shown["stage"], &shown["state"]),
        (&"reviewing".into(), &"released".into())
    );
    shop.does(&["bd", "init"]);
}

#[test]
fn in_a_pipe_lines_are_whole_and_nothing_but_the_answer_is_printed() {
    let shop = Shop::new();
    let title = "word ".repeat(80).trim().to_owned();
    shop.does(&["task", "create", &title, "--id", "t-1"]);
    let env = [("COLUMNS".to_owned(), "40".to_owned())];
    for words in [
        &["board"][..],
        &["task", "list"],
        &["task", "show", "t-1"],
        &["status"],
        &["task", "--help"],
    ] {
        let said = shop.run_with(&env.clone().into(), words);
        assert!(said.code == 0 && said.err.is_empty(), "{words:?}: {said:?}");
        assert!(!said.out.contains('\u{1b}'), "{words:?}: {said:?}");
        if words.contains(&"board") || words.contains(&"list") {
            assert!(said.out.contains(&title), "{words:?}: {said:?}");
        }
    }
    let board: Result<serde_json::Value, _> = serde_json::from_str(&shop.does(&["board", "--json"]));
    assert!(board.is_ok());
}
