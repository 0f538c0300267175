//! Hostile names and texts: each is refused with a reason or kept as plain text, and none of them is ever run or obeyed.

use serde_json::json;

use crate::shop::Shop;

/// Result of a hostile text.
enum Outcome {
    /// Refused with a sentence that contains this.
    Refused(&'static str),
    /// Kept unchanged, and shown like this.
    Shown(&'static str),
}
use Outcome::{Refused, Shown};

const TITLES: &[(&str, Outcome)] = &[
    ("\"; rm -rf ~ #", Shown("\"; rm -rf ~ #")),
    (
        "$(touch owned) `touch owned`",
        Shown("$(touch owned) `touch owned`"),
    ),
    ("${IFS} && touch owned", Shown("${IFS} && touch owned")),
    ("%n %s {title} {{}}", Shown("%n %s {title} {{}}")),
    ("one\nERROR two", Refused("several lines")),
    ("one\rtwo", Refused("several lines")),
    (
        "Fix \u{1b}]0;owned\u{7}\u{202e}it",
        Shown("Fix \\x1b]0;owned\\x07\\u{202e}it"),
    ),
    ("\u{9b}31m red", Shown("\\u{9b}31m red")),
    (
        "a\u{200b}b\u{2060}c\u{e0041}d",
        Shown("a\\u{200b}b\\u{2060}c\\u{e0041}d"),
    ),
    ("   ", Refused("empty")),
];

#[test]
fn a_title_is_text_whatever_it_says() {
    let shop = Shop::new();
    for (number, (title, outcome)) in TITLES.iter().enumerate() {
        let id = format!("t-{number}");
        let create = ["task", "create", title, "--id", &id];
        match outcome {
            Refused(why) => shop.refuses(&create, 1, why),
            Shown(text) => {
                shop.does(&create);
                let list = shop.does(&["task", "list"]);
                let line = list.lines().find(|line| line.starts_with(&format!("{id} ")));
                assert!(line.is_some_and(|line| line.ends_with(text)), "{text}: {list}");
                let all = [&["task", "show", &id][..], &["logs"], &["why", &id], &["board"]];
                for words in all {
                    let said = shop.does(words);
                    let odd = |c: char| c.is_control() && c != '\n' && c != '\t';
                    assert!(
                        !said.contains(odd) && !said.contains('\u{202e}'),
                        "{words:?}: {said}"
                    );
                }
                let kept = &shop.json(&["task", "show", &id, "--json"])["task"]["title"];
                assert_eq!(kept, title.trim(), "{title}");
            }
        }
    }
    let marks = format!("e{}", "\u{301}".repeat(499));
    shop.does(&["task", "create", &marks, "--id", "marks"]);
    shop.refuses(
        &["task", "create", &format!("{marks}\u{301}"), "--id", "more"],
        1,
        "501 characters",
    );
    assert!(!shop.git.project().join("owned").exists());
}

const IDS: &[(&str, Option<&str>)] = &[
    ("../../etc", Some("not a task id")),
    ("-rf", Some("not a task id")),
    ("refs/heads/main", Some("not a task id")),
    ("@{-1}", Some("not a task id")),
    ("a//b", Some("not a task id")),
    ("a b", Some("not a task id")),
    ("a:stream", Some("not a task id")),
    ("\u{e9}tude", Some("not a task id")),
    ("a\u{200b}b", Some("not a task id")),
    ("HEAD", None),
    ("head", Some("only in capitals from HEAD")),
    ("a..b", None),
    ("x.lock", None),
    ("con", None),
    ("COM1.txt", None),
    ("nul", None),
    ("dot.", None),
];

#[test]
fn an_id_is_a_plain_word_and_two_that_a_disk_takes_for_one_are_not_both_taken() {
    let shop = Shop::new();
    for (id, refused) in IDS {
        let create = ["task", "create", "Fix", &format!("--id={id}")];
        match refused {
            Some(why) => shop.refuses(&create, 1, why),
            None => drop(shop.does(&create)),
        }
    }
    shop.refuses(
        &["task", "create", "Fix", &format!("--id={}", "a".repeat(49))],
        1,
        "not a task id",
    );
    shop.refuses(&["task", "create", "Fix", "--batch", "../x"], 1, "not a batch id");
    shop.refuses(
        &["task", "create", "Fix", "--workflow", "../x"],
        1,
        "no workflow ../x",
    );
}

#[test]
fn a_description_a_comment_and_tags_have_an_end() {
    let shop = Shop::new();
    let most = "x".repeat(100 * 1024);
    shop.does(&[
        "task",
        "create",
        "Fix",
        "--id",
        "t-1",
        "-d",
        &most,
        "--tag",
        "two words",
    ]);
    let long = "x".repeat(300 * 1024);
    let (input, plan) = (
        shop.git.root().join("long.txt"),
        shop.git.root().join("plan.jsonl"),
    );
    std::fs::write(&input, &long).unwrap();
    for words in [
        &["task", "create", "Fix", "-d", "-"][..],
        &["task", "update", "t-1", "-d", "-"],
        &["task", "comment", "t-1", "-"],
    ] {
        let before = shop.board();
        let said = shop.run_from(&input, words);
        assert_eq!(said.code, 1, "{words:?}: {said:?}");
        assert!(said.err.contains("more than 262144 bytes"), "{said:?}");
        assert_eq!(shop.board(), before, "{words:?}");
    }
    let task = json!({"title": "Fix", "description": long});
    std::fs::write(&plan, task.to_string()).unwrap();
    shop.refuses(
        &["task", "import", plan.to_str().unwrap()],
        1,
        "has 300 KiB: 256 KiB are the most",
    );
    for (tag, why) in [
        ("a\nb", "is not a tag"),
        (" ", "is not a tag"),
        (&"x".repeat(49), "is not a tag"),
    ] {
        shop.refuses(&["task", "create", "Fix", "--tag", tag], 1, why);
        shop.refuses(&["task", "update", "t-1", "--add-tag", tag], 1, why);
    }
    let many: Vec<String> = (0..65).map(|n| format!("--tag=t{n}")).collect();
    let mut create = vec!["task", "create", "Fix"];
    create.extend(many.iter().map(String::as_str));
    shop.refuses(&create, 1, "at most 64 tags");
    let tags = &shop.json(&["task", "show", "t-1", "--json"])["task"]["tags"];
    assert_eq!(tags, &json!(["two words"]));
}
