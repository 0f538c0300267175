//! Tasks that are retried, several at once.

use crate::shop::Shop;

#[test]
fn several_tasks_are_retried_at_once_and_each_that_is_not_is_named() {
    let shop = Shop::new();
    for id in ["t-1", "t-2"] {
        shop.does(&["task", "create", "Fix", "--id", id]);
        shop.does(&["task", "park", id, "later"]);
    }
    let said = shop.run(&["retry", "t-1", "nope", "t-2", "--note", "now"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.err.contains("nope"), "{said:?}");
    for id in ["t-1", "t-2"] {
        assert!(said.out.contains(id), "{said:?}");
        let task = shop.json(&["task", "show", id, "--json"])["task"].clone();
        assert_eq!(task["state"], "released");
        assert_eq!(
            task["comments"].as_array().unwrap().last().unwrap()["text"],
            "now"
        );
    }
}
