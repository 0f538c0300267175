//! Many tasks from a file: all of them or none, with and without a server.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::shop::Shop;
use crate::waiting::Program;

fn write(shop: &Shop, text: &str) -> String {
    let file = shop.git.root().join("plan.jsonl");
    std::fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

/// Number of requests in the store.
fn requests(shop: &Shop) -> usize {
    let text = shop.does(&["events", "--json"]);
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["kind"] == "asked").count()
}

fn many_come_at_once(shop: &Shop) {
    shop.does(&["task", "create", "There", "--id", "t-1"]);
    let mut text =
        "{\"title\": \"Last\", \"id\": \"last\", \"deps\": [\"n-0\", \"t-1\"], \"type\": \"bug\"}\n"
            .to_owned();
    let steps = (0..300).map(|n| format!("{{\"title\": \"Step\", \"name\": \"n-{n}\", \"priority\": 1}}\n"));
    text.extend(steps);
    let before = requests(shop);
    let said = shop.json(&["task", "import", &write(shop, &text), "--json"]);
    assert_eq!(requests(shop), before + 1, "one turn for all of them");
    let made = said["tasks"].as_array().unwrap();
    assert_eq!(made.len(), 301);
    let first = made.iter().find(|task| task["name"] == "n-0").unwrap();
    assert_eq!(first["line"], 2);
    let last = shop.json(&["task", "show", "last", "--json"])["task"].clone();
    assert_eq!(last["deps"], json!([first["task"], "t-1"]), "{last}");
    assert_eq!(
        (&last["kind"], &last["state"]),
        (&json!("bug"), &json!("backlog"))
    );
    assert_eq!(
        shop.json(&["task", "list", "--json"]).as_array().unwrap().len(),
        302
    );
}

fn bad_ones_are_refused(shop: &Shop) {
    let before = shop.board();
    let good = "{\"title\": \"Good\"}\n";
    for (bad, because) in [
        (
            "{\"titel\": \"Bad\"}",
            "plan.jsonl:2: error: unknown field `titel`",
        ),
        ("{\"title\": \"Bad\"", "plan.jsonl:2: error: this is not JSON"),
        (
            "{\"title\": \"Bad\", \"id\": \"t-1\"}",
            "plan.jsonl:2: error: t-1 exists already",
        ),
        (
            "{\"title\": \"Bad\", \"id\": \"T-1\"}",
            "plan.jsonl:2: error: T-1 differs only in capitals",
        ),
        (
            "{\"title\": \"Bad\", \"deps\": [\"nope\"]}",
            "plan.jsonl:2: error: it would wait for nope",
        ),
        (
            "{\"title\": \"Bad\", \"workflow\": \"nope\"}",
            "plan.jsonl:2: error: there is no workflow nope",
        ),
        (
            "{\"title\": \"Bad\", \"stage\": \"nope\"}",
            "plan.jsonl:2: error: there is no stage nope",
        ),
        (
            "{\"title\": \"Bad\", \"priority\": 5}",
            "plan.jsonl:2: error: priority 5",
        ),
        (
            "{\"title\": \" \"}",
            "plan.jsonl:2: error: the task's title is empty",
        ),
        (
            "{\"title\": \"Bad\", \"name\": \"a\", \"deps\": [\"a\"]}",
            "plan.jsonl:2: error: it waits for itself",
        ),
    ] {
        let said = shop.run(&["task", "import", &write(shop, &format!("{good}{bad}\n"))]);
        assert!(said.code == 1 && said.err.contains(because), "{bad}: {said:?}");
        assert_eq!(said.err.lines().count(), 1, "{said:?}");
        assert_eq!(shop.board(), before, "{bad}");
    }
    let said = shop.run(&["task", "import", &write(shop, "\n")]);
    assert!(
        said.code == 1 && said.err.contains("could not find a task"),
        "{said:?}"
    );
}

#[test]
fn many_tasks_are_made_in_one_turn_or_none_is() {
    let shop = Shop::new();
    many_come_at_once(&shop);
    bad_ones_are_refused(&shop);
}

#[test]
fn a_server_makes_many_tasks_in_one_turn_or_none() {
    let shop = Shop::served();
    shop.does(&["pause"]);
    many_come_at_once(&shop);
    bad_ones_are_refused(&shop);
}

#[test]
fn what_one_project_lists_another_takes_from_its_standard_input_and_releases() {
    let (from, to) = (Shop::new(), Shop::new());
    from.does(&[
        "task",
        "create",
        "First",
        "--id",
        "t-1",
        "-d",
        "src/one.rs",
        "--tag",
        "security",
    ]);
    from.does(&[
        "task", "create", "Second", "--id", "t-2", "--deps", "t-1", "--type", "chore",
    ]);
    from.does(&["task", "update", "t-1", "--stage", "merging"]);
    from.does(&["task", "park", "t-1", "later"]);
    let listed = from.does(&["task", "list", "--json"]);
    let mut command = to.command(&to.git.project(), &["task", "import", "-", "--release"]);
    let program = Program::begin(command.stdin(Stdio::piped()).stdout(Stdio::piped()));
    program.stdin().write_all(listed.as_bytes()).unwrap();
    let output = program.output();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "released t-1: First\nreleased t-2: Second\n"
    );
    let came = to.json(&["task", "list", "--json"]);
    for (before, after) in serde_json::from_str::<Value>(&listed)
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .zip(came.as_array().unwrap())
    {
        for said in ["id", "title", "body", "deps", "tags", "kind", "priority"] {
            assert_eq!(before[said], after[said]);
        }
        assert_eq!(
            (&after["stage"], &after["state"]),
            (&json!("development"), &json!("released"))
        );
    }
}
