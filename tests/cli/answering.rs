//! Answers of a command about the board are equal to the byte from a server and from the store, except where they concern the running
//! server.

use crate::shop::Shop;

/// Every question about the board below, except those about tasks that only a server starts.
const QUESTIONS: &[&[&str]] = &[
    &["status"],
    &["status", "--json"],
    &["board"],
    &["board", "--json"],
    &["task", "list"],
    &["task", "list", "--json"],
    &["task", "list", "--state", "backlog"],
    &["task", "list", "--stage", "sec-review", "--json"],
    &["task", "list", "--stage", "review"],
    &["task", "list", "--stage", "nowhere"],
    &["task", "ready"],
    &["task", "ready", "--json"],
    &["task", "show", "t-1"],
    &["task", "show", "t-1", "--json"],
    &["task", "show", "nope"],
    &["task", "why", "t-3"],
    &["why", "t-1"],
    &["why", "t-3", "--json"],
    &["why", "nope"],
    &["debug"],
    &["debug", "--json"],
    &["metrics"],
    &["metrics", "--json"],
    &["approve", "nope"],
    &["kill-agent", "t-1"],
    &["logs", "t-1"],
    &["logs", "7"],
];

/// Plans a board: each state that is possible without agents, long and strange texts.
fn planned(shop: &Shop) {
    shop.does(&["config", "base_branch", "main"]);
    shop.does(&["pause"]);
    shop.git.git(&shop.git.project(), &["branch", "feature/t-1"]);
    let strange = "Fix\u{1b}[31m the login \u{202e} of \"all\" \\ users — für alle 🎉";
    shop.does(&[
        "task",
        "create",
        strange,
        "--id",
        "t-1",
        "-d",
        "one\ntwo\t\u{7}",
        "--tag",
        "priority",
    ]);
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
    shop.does(&["task", "create", "Third", "--id", "t-3", "--priority", "0"]);
    shop.does(&["task", "create", "Fourth", "--id", "t-4", "--release"]);
    shop.does(&["task", "comment", "t-1", "look", "at", "the", "cookie"]);
    shop.does(&["task", "park", "t-3", "later"]);
    shop.does(&["task", "create", "Fifth", "--id", "t-5"]);
    shop.does(&["task", "close", "t-5", "not wanted"]);
}

/// Every answer with exit code, output and errors, without the parts that depend on the clock or on a server.
fn answers(shop: &Shop, from_server: bool) -> Vec<String> {
    let told = QUESTIONS.iter().map(|words| {
        let said = shop.run(words);
        let mut out = said.out;
        if *words == ["board", "--json"] {
            let (at, rest) = out.split_once(',').unwrap();
            assert!(at.starts_with("{\"at\":"), "{at}");
            out = rest.to_owned();
        }
        let (live, own) = if from_server {
            ("\"live\":true", "")
        } else {
            ("\"live\":false", "no server runs; `dbs` starts one\n")
        };
        if words.first() == Some(&"status") || words.first() == Some(&"board") {
            let json = words.contains(&"--json");
            let own = if json { live } else { own };
            assert!(out.contains(own), "{words:?}: {out}");
            out = out.replacen(own, "", 1);
        }
        if words.first() == Some(&"debug") {
            // The folder is not part of the board, and a server writes into it.
            let folder = shop.git.state();
            out = out.split_once(folder.to_str().unwrap()).unwrap().0.to_owned();
        }
        if *words == ["metrics", "--json"] {
            let mut figures: serde_json::Value = serde_json::from_str(&out).unwrap();
            assert!(figures["at"].take().is_u64(), "{out}");
            out = figures.to_string();
        }
        format!("{words:?} {}\n{out}{}", said.code, said.err)
    });
    told.collect()
}

#[test]
fn a_server_and_the_store_say_the_same_to_the_byte() {
    let mut shop = Shop::served();
    planned(&shop);
    let served = answers(&shop, true);
    shop.does(&["stop"]);
    let alone = answers(&shop, false);
    assert_eq!(served.len(), QUESTIONS.len());
    for (served, alone) in served.iter().zip(&alone) {
        assert_eq!(served, alone);
    }
    assert!(
        served
            .iter()
            .any(|text| text.contains("Fourth") && text.contains("\"task\", \"ready\""))
    );
    shop.serve();
    assert_eq!(answers(&shop, true), served, "the next server answers the same");
}

#[test]
fn an_answer_of_many_pieces_arrives_whole() {
    let mut shop = Shop::served();
    shop.does(&["pause"]);
    // Letters of several bytes: some of the pieces end within a letter.
    let body = "§€".repeat(12_000);
    for n in 0..12 {
        shop.does(&["task", "create", "Long", "--id", &format!("t-{n}"), "-d", &body]);
    }
    let served = shop.does(&["task", "list", "--json"]);
    assert!(
        served.len() > 700_000 && served.matches(&body).count() == 12,
        "{}",
        served.len()
    );
    shop.does(&["stop"]);
    assert_eq!(shop.does(&["task", "list", "--json"]), served);
    shop.serve();
    assert_eq!(shop.does(&["task", "list", "--json"]), served);
}
