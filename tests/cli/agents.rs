//! `dbs agents` with programs that are present, missing or misbehaving; all of them are made for the test.

use std::collections::BTreeMap;
use std::fs;

use crate::script::write_script;
use crate::shop::{Said, Shop};

/// Runs `dbs` with a `PATH` of only these programs and those of the system.
fn run(shop: &Shop, programs: &[(&str, &str)], arguments: &[&str]) -> Said {
    let folder = shop.git.root().join("programs");
    fs::create_dir_all(&folder).unwrap();
    for (name, script) in programs {
        let file = folder.join(name);
        write_script(&file, format!("#!/bin/sh\n{script}\n"));
    }
    let text = |value: std::ffi::OsString| value.into_string().unwrap();
    let own = shop.environment().into_iter();
    let mut env: BTreeMap<String, String> = own.map(|(name, value)| (text(name), text(value))).collect();
    env.insert("PATH".to_owned(), format!("{}:/usr/bin:/bin", folder.display()));
    shop.run_with(&env, arguments)
}

fn line(said: &Said, agent: &str) -> String {
    let found = said
        .out
        .lines()
        .find(|line| line.starts_with(&format!("{agent} ")));
    found.unwrap_or_else(|| panic!("no {agent}: {said:?}")).to_owned()
}

#[test]
fn agents_are_listed_with_version_login_and_how_to_get_those_that_are_missing() {
    let shop = Shop::new();
    let found = [
        ("claude", "echo '2.1.330 (Claude Code)'"),
        ("gemini", "echo 0.61.0"),
    ];
    let said = run(&shop, &found, &["agents"]);
    assert_eq!(said.code, 0, "{said:?}");
    let claude = line(&said, "claude");
    for part in [
        "2.1.330",
        "programs/claude",
        "login found: ANTHROPIC_API_KEY",
        "come to the inbox",
        "model and effort",
        "runs without its interface",
    ] {
        assert!(claude.contains(part), "{part}: {claude}");
    }
    assert!(!said.out.contains("secret"), "{said:?}");
    assert!(line(&said, "gemini").contains("0.61.0"), "{said:?}");
    assert!(line(&said, "gemini").contains("login unknown"), "{said:?}");
    let codex = line(&said, "codex");
    assert!(
        codex.contains("not found; get it: npm install -g @openai/codex"),
        "{codex}"
    );
    assert!(
        said.out
            .contains("found here: claude, gemini; use one: dbs config roles.default.agent claude"),
        "{said:?}"
    );
}

#[test]
fn doctor_says_of_a_missing_agent_how_to_get_it_as_agents_does() {
    let shop = Shop::new();
    shop.does(&["config", "roles.default.agent", "codex"]);
    let said = run(&shop, &[], &["doctor"]);
    assert!(
        said.out
            .contains("could not find codex (`npm install -g @openai/codex`): looked in"),
        "{said:?}"
    );
}

#[test]
fn programs_that_hang_flood_or_act_on_the_terminal_are_found_without_a_version() {
    let shop = Shop::new();
    let hostile = [
        ("claude", "sleep 600"),
        ("codex", "while :; do printf '\\033]0;owned\\007'; done"),
        ("aider", "echo 0.86.2; sleep 600 & exit 0"),
    ];
    let said = run(&shop, &hostile, &["agents"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(
        line(&said, "claude").contains("did not say its version in time"),
        "{said:?}"
    );
    assert!(line(&said, "codex").contains("words that are known"), "{said:?}");
    assert!(line(&said, "aider").contains("0.86.2"), "{said:?}");
    assert!(!said.out.contains('\x1b'), "{said:?}");
}

#[test]
fn a_command_of_ones_own_is_named_with_its_roles_and_not_started() {
    let shop = Shop::new();
    let ran = shop.git.root().join("ran");
    let script = format!("touch {}", ran.display());
    shop.does(&["config", "roles.reviewer.command", "judge {prompt}"]);
    shop.does(&["config", "roles.developer.agent", "claude"]);
    let said = run(&shop, &[("judge", &script)], &["agents", "--json"]);
    let rows: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let row = |agent: &str| {
        rows.as_array()
            .unwrap()
            .iter()
            .find(|row| row["agent"] == agent)
            .unwrap()
    };
    assert_eq!(row("judge")["roles"], serde_json::json!(["reviewer"]));
    assert!(
        row("judge")["program"]
            .as_str()
            .unwrap()
            .ends_with("programs/judge")
    );
    assert_eq!(row("claude")["roles"], serde_json::json!(["developer"]));
    assert_eq!(
        row("claude")["install"],
        "npm install -g @anthropic-ai/claude-code"
    );
    assert_eq!(row("claude")["supports"]["asks"], "hook");
    assert!(!ran.exists());
}

#[test]
fn doctor_shows_the_agents_that_are_here_and_init_says_how_to_use_one() {
    let shop = Shop::new();
    let claude = [("claude", "echo 2.1.330")];
    let said = run(&shop, &claude, &["doctor"]);
    let is_it = |line: &str| line.contains("agent ") && line.contains("claude") && line.contains("2.1.330");
    assert!(said.out.lines().any(is_it), "{said:?}");
    let said = run(&shop, &claude, &["init"]);
    assert!(
        said.out
            .contains("found here: claude; use one: dbs config roles.default.agent claude"),
        "{said:?}"
    );
    shop.does(&["config", "roles.default.agent", "claude"]);
    let said = run(&shop, &claude, &["init"]);
    assert!(!said.out.contains("use one"), "{said:?}");
}
