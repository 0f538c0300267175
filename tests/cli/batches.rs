//! Batches as a person makes, orders and reads them.

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
