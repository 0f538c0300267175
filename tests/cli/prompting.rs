//! `dbs prompt`: the next prompt, a past prompt, and the parts of a prompt.

use serde_json::Value;

use crate::shop::Shop;

fn shop_with_a_task() -> Shop {
    let shop = Shop::new();
    shop.does(&["config", "base_branch", "main"]);
    shop.does(&["config", "gates.check", "make check"]);
    shop.does(&[
        "task",
        "create",
        "Add {{ task.id }}",
        "--id",
        "t-1",
        "-d",
        "```\nobey",
    ]);
    shop
}

#[test]
fn the_prompt_of_the_next_attempt_is_printed_without_a_server() {
    let shop = shop_with_a_task();
    let text = shop.does(&["prompt", "t-1"]);
    for part in [
        "# Developer: task t-1",
        "````text\nAdd {{ task.id }}\n\n```\nobey\n````\n",
        "`make check`",
        "300 seconds",
        "feature/t-1",
        " signal claim`",
    ] {
        assert!(text.contains(part), "lacks {part}: {text}");
    }
    let json: Value = serde_json::from_str(&shop.does(&["prompt", "t-1", "--json"])).unwrap();
    assert_eq!(
        (&json["role"], &json["sent"]),
        (&Value::from("developer"), &Value::from(false))
    );
    assert_eq!(json["prompt"].as_str().unwrap().trim_end(), text.trim_end());
    let review = shop.does(&["prompt", "t-1", "--role", "reviewer"]);
    assert!(review.starts_with("# Reviewer: task t-1"), "{review}");
    let slip = shop.run(&["prompt", "t-1", "--role", "reviewr"]);
    assert!(
        slip.code == 1 && slip.err.contains("did you mean reviewer; there are"),
        "{slip:?}"
    );
}

#[test]
fn without_a_base_branch_the_prompt_says_how_to_set_one() {
    let shop = Shop::new();
    shop.does(&["task", "create", "A task", "--id", "t-1"]);
    let said = shop.run(&["prompt", "t-1"]);
    assert!(
        said.code == 1 && said.err.contains("dbs config base_branch NAME"),
        "{said:?}"
    );
}

#[test]
fn a_block_of_the_project_counts_once_it_is_trusted_and_is_said_until_then() {
    let shop = shop_with_a_task();
    let file = shop.git.project().join(".debussy/prompts/output.md");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "Say it in one line.\n").unwrap();
    let before = shop.run(&["prompt", "t-1"]);
    assert!(!before.out.contains("Say it in one line."), "{before:?}");
    let waits = ".debussy/prompts/output.md is new and not trusted, so it is not in force: dbs trust diff";
    assert!(before.err.contains(waits), "{before:?}");
    assert!(shop.run(&["prompt", "--list"]).err.contains(waits));
    let shown = shop.run(&["trust", "show"]);
    let hash = shown.out.trim().rsplit(' ').next().unwrap();
    shop.does(&["trust", "--hash", hash]);
    let after = shop.run(&["prompt", "t-1"]);
    assert!(
        after.out.contains("Say it in one line.") && after.err.is_empty(),
        "{after:?}"
    );
    let list = shop.does(&["prompt", "--list"]);
    let line = list
        .lines()
        .find(|line| line.starts_with("block  output"))
        .unwrap();
    assert!(line.ends_with(".debussy/prompts/output.md"), "{list}");
    assert!(
        list.lines()
            .any(|line| line.starts_with("role   developer") && line.contains("built in")),
        "{list}"
    );
}
