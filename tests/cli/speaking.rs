//! Data that agents get about themselves; no agent can speak for another (K51).
#![cfg(unix)]

use std::collections::BTreeMap;

use crate::shop::{Said, Shop};

/// Agent that writes down its environment and stays.
const AGENT: &str = "sh -c 'env >\"$DBS_ROOT/.debussy/env-$DBS_TASK\"; exec sleep 600'";

/// Two agents at work, and the environment of each.
fn two_agents() -> (Shop, BTreeMap<String, String>, BTreeMap<String, String>) {
    let mut shop = Shop::new();
    shop.does(&["config", "base_branch", "main"]);
    shop.does(&["config", "roles.developer.agent", "custom"]);
    shop.does(&["config", "roles.developer.command", AGENT]);
    for id in ["t-1", "t-2"] {
        shop.does(&["task", "create", "Fix", "--id", id, "--release"]);
    }
    shop.serve();
    let read = |id: &str| -> BTreeMap<String, String> {
        let file = shop.git.project().join(format!(".debussy/env-{id}"));
        let whole = || std::fs::read_to_string(&file).is_ok_and(|text| text.contains("DEBUSSY_BEAD="));
        shop.wait_for("environment", whole);
        let text = std::fs::read_to_string(&file).unwrap();
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        pairs
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    };
    let (first, second) = (read("t-1"), read("t-2"));
    (shop, first, second)
}

fn speak(shop: &Shop, env: &BTreeMap<String, String>, arguments: &[&str]) -> Said {
    shop.run_with(env, arguments)
}

#[test]
fn an_agent_knows_its_role_and_task_and_gets_no_key_of_the_person() {
    let (_shop, env, _) = two_agents();
    assert_eq!(env["DEBUSSY_ROLE"], "developer");
    assert_eq!(env["DEBUSSY_BEAD"], "t-1");
    assert_eq!(
        (env["DBS_ROLE"].as_str(), env["DBS_TASK"].as_str()),
        ("developer", "t-1")
    );
    assert!(!env.contains_key("ANTHROPIC_API_KEY"), "{env:?}");
}

#[test]
fn no_agent_can_speak_for_another_neither_to_the_server_nor_through_the_inbox() {
    let (shop, first, second) = two_agents();
    let mut forged = first.clone();
    forged.insert("DBS_ATTEMPT".to_owned(), second["DBS_ATTEMPT"].clone());
    let said = speak(&shop, &forged, &["signal", "block", "forged"]);
    assert!(said.code == 1 && said.err.contains("refused"), "{said:?}");
    forged.remove("DBS_SOCKET");
    speak(&shop, &forged, &["signal", "block", "forged"]);
    let mut late = first.clone();
    late.remove("DBS_SOCKET");
    speak(&shop, &late, &["progress", "honest"]);
    let heard = |id: &str, what: &str| {
        let attempt = if id == "t-1" { &first } else { &second }["DBS_ATTEMPT"].clone();
        let board = shop.board();
        board["attempts"][&attempt]["signals"].to_string().contains(what)
    };
    shop.wait_for("honest signal", || heard("t-1", "honest"));
    assert!(!heard("t-2", "forged") && !heard("t-1", "forged"));
    let inbox = shop.git.state().join("inbox");
    shop.wait_for("empty inbox", || {
        let entries = std::fs::read_dir(&inbox).unwrap().flatten();
        !entries
            .into_iter()
            .any(|entry| entry.path().extension().is_some_and(|end| end == "json"))
    });
    assert!(!heard("t-2", "forged"));
    let said = speak(&shop, &second, &["signal", "block", "a reason"]);
    assert_eq!(said.code, 0, "{said:?}");
    shop.wait_for("own signal", || heard("t-2", "a reason"));
}

#[test]
fn an_agent_claims_reports_and_is_done_by_the_token_in_its_environment_and_by_no_other() {
    let (shop, first, second) = two_agents();
    let attempt = first["DBS_ATTEMPT"].clone();
    let signals = || shop.board()["attempts"][&attempt]["signals"].clone();
    let says = |words: &[&str]| {
        let said = speak(&shop, &first, words);
        assert_eq!(said.code, 0, "{words:?}: {said:?}");
        said.out
    };
    assert_eq!(says(&["signal", "claim"]), "claimed\n");
    is_refused_with_other_tokens(&shop, &first, &second);
    assert_eq!(signals().as_array().unwrap().len(), 1);
    assert_eq!(says(&["progress", "half", "way"]), "progress reported\n");
    let report = shop.git.project().join(".debussy/report.json");
    std::fs::write(&report, "{\"tests\": 12}").unwrap();
    let file = report.to_str().unwrap();
    assert_eq!(
        says(&["done", "--report", file, "It", "works."]),
        "reported done\n"
    );
    let heard = signals();
    let kinds: Vec<&str> = heard
        .as_array()
        .unwrap()
        .iter()
        .map(|signal| signal["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["claim", "progress", "done"]);
    assert_eq!(heard[1]["text"], "half way");
    assert_eq!(heard[2]["text"], "It works.");
    let shown = shop.does(&["task", "show", "t-1"]);
    assert!(
        shown.contains("half way")
            && shown.contains("reports with done")
            && shown.contains("{\"tests\": 12}"),
        "{shown}"
    );
    // The last word counts: a second word of the other agent counts for its own attempt.
    let said = speak(&shop, &second, &["signal", "done", "Mine", "too."]);
    assert_eq!((said.code, said.out.as_str()), (0, "reported done\n"), "{said:?}");
}

#[test]
fn the_end_and_the_steps_of_a_phase_are_said_as_plans_have_it() {
    let (shop, first, second) = two_agents();
    let heard =
        |env: &BTreeMap<String, String>| shop.board()["attempts"][&env["DBS_ATTEMPT"]]["signals"].clone();
    let refused = |words: &[&str], because: &str| {
        let said = speak(&shop, &first, words);
        assert!(
            said.code != 0 && said.err.contains(because),
            "{words:?}: {said:?}"
        );
    };
    refused(
        &["done", "--phase", "2"],
        "this attempt works on t-1, not on phase 2",
    );
    refused(
        &["progress", "--phase", "11", "--step", "a:completed"],
        "not on phase 11",
    );
    refused(
        &["done", "--report", "{\"steps_completed\": [}"],
        "it is not JSON",
    );
    refused(&["done", "--status", "perfect"], "perfect");
    assert!(
        heard(&first).as_array().is_none_or(Vec::is_empty),
        "{}",
        heard(&first)
    );
    let step = &["progress", "--phase", "1", "--step", "pre_validation:completed"];
    assert_eq!(speak(&shop, &first, step).code, 0);
    let report = "{\"steps_completed\": [\"pre_validation\"]}";
    let said = speak(&shop, &first, &["done", "-p", "1", "--report", report, "Ready."]);
    assert_eq!(said.code, 0, "{said:?}");
    let blocked = [
        "done", "--phase", "t-2", "--status", "blocked", "--reason", "no key",
    ];
    assert_eq!(speak(&shop, &second, &blocked).code, 0);
    let said = heard(&first);
    assert_eq!(
        (&said[0]["kind"], &said[0]["text"]),
        (&"progress".into(), &"pre_validation:completed".into())
    );
    assert_eq!(
        (&said[1]["kind"], &said[1]["text"]),
        (&"done".into(), &"Ready.".into())
    );
    let said = heard(&second);
    assert_eq!(
        (&said[0]["kind"], &said[0]["text"]),
        (&"block".into(), &"no key".into())
    );
}

/// Lines from the manuals of earlier programs that an agent types, about phase 1, which is `t-1`, and about its task.
const LINES: [&str; 8] = [
    "debussy progress --phase 1 --step \"implementation:started\"",
    "debussy progress --phase 1 --step \"task_validator:started\"",
    "bd show t-1",
    "bd comment t-1 'half way'",
    "dbs signal claim",
    "debussy done --phase 1 --status blocked --reason \"Need legacy refactor first\"",
    "debussy done --phase 1",
    "debussy done --phase 1 --report '{
  \"steps_completed\": [\"read_notes\", \"doc_sync\", \"implementation\", \"validation\", \"write_notes\"],
  \"agents_used\": [\"doc-sync-manager\", \"task-validator\"],
  \"files_modified\": [\"src/foo.py\", \"tests/test_foo.py\"],
  \"notes_path\": \"notes/NOTES_feature_phase_1.md\"
}'",
];

#[test]
fn an_agent_finds_the_program_under_the_names_of_earlier_ones_and_is_understood() {
    let (shop, first, _) = two_agents();
    for line in LINES {
        let said = shop.shell(&first, line);
        assert_eq!(said.code, 0, "{line}: {said:?}");
    }
    let heard = shop.board()["attempts"][&first["DBS_ATTEMPT"]]["signals"].clone();
    let kinds = heard.as_array().unwrap().iter();
    let kinds: Vec<&str> = kinds.filter_map(|signal| signal["kind"].as_str()).collect();
    assert_eq!(kinds, ["progress", "progress", "claim", "block", "done", "done"]);
    assert!(heard[5]["report"].to_string().contains("doc_sync"), "{heard}");
    for name in ["dbs", "debussy", "bd"] {
        let said = shop.shell(&first, &format!("command -v {name}"));
        assert!(said.out.trim_end().ends_with(&format!("/bin/{name}")), "{said:?}");
    }
}

/// Asserts that an agent without the token of its own attempt is refused, and that the board stays as it is.
fn is_refused_with_other_tokens(
    shop: &Shop,
    first: &BTreeMap<String, String>,
    second: &BTreeMap<String, String>,
) {
    for env in [
        with(first, "DBS_TOKEN", &second["DBS_TOKEN"]),
        with(first, "DBS_TOKEN", "guessed"),
        with(first, "DBS_ATTEMPT", "999"),
    ] {
        let before = shop.board();
        for words in [
            &["signal", "done", "forged"][..],
            &["done", "forged"],
            &["progress", "forged"],
        ] {
            let said = speak(shop, &env, words);
            assert!(
                said.code == 1 && said.err.contains("refused"),
                "{words:?}: {said:?}"
            );
        }
        assert_eq!(shop.board(), before, "a wrong token changed the board");
    }
    let nobody = speak(shop, &with(first, "DBS_TOKEN", ""), &["done"]);
    assert!(nobody.code == 1 && nobody.err.contains("DBS_TOKEN"), "{nobody:?}");
}

fn with(env: &BTreeMap<String, String>, name: &str, value: &str) -> BTreeMap<String, String> {
    let mut env = env.clone();
    env.insert(name.to_owned(), value.to_owned());
    env
}

/// Answers of `dbs mcp` to these lines, by the id of the request.
fn mcp(shop: &Shop, env: &BTreeMap<String, String>, lines: &[&str]) -> BTreeMap<String, serde_json::Value> {
    let file = shop.git.root().join("messages");
    std::fs::write(&file, lines.join("\n")).unwrap();
    let mut command = shop.command(&shop.git.project(), &["mcp"]);
    let command = command.env_clear().envs(env);
    let said = crate::waiting::output(command.stdin(std::fs::File::open(file).unwrap()));
    assert!(said.status.success(), "{said:?}");
    let text = String::from_utf8(said.stdout).unwrap();
    let answers = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    answers.map(|answer| (answer["id"].to_string(), answer)).collect()
}

#[test]
fn tools_over_mcp_are_the_signals_of_the_own_attempt_and_of_no_other() {
    let (shop, first, second) = two_agents();
    let call = r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"progress","arguments":{"text":"half of it"}}}"#;
    let flood = "x".repeat(2 * 1024 * 1024);
    let told = mcp(
        &shop,
        &first,
        &[
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
            &flood,
            call,
            r#"{"jsonrpc":"2.0","id":4,"method":"prompts/list"}"#,
        ],
    );
    assert_eq!(told["1"]["result"]["protocolVersion"], "2025-06-18");
    let tools = told["2"]["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "done"), "{tools:?}");
    assert_eq!(told["null"]["error"]["code"], -32_600, "the flood");
    assert_eq!(told["3"]["result"]["isError"], false, "{told:?}");
    assert_eq!(told["4"]["error"]["code"], -32_601);
    shop.wait_for("signal", || shop.does(&["events"]).contains("half of it"));
    let mut forged = first;
    forged.insert("DBS_ATTEMPT".to_owned(), second["DBS_ATTEMPT"].clone());
    let told = mcp(&shop, &forged, &[&call.replace("half of it", "forged")]);
    assert_eq!(told["3"]["result"]["isError"], true, "{told:?}");
    assert!(!shop.does(&["events"]).contains("forged"));
}
