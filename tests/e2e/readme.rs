//! Commands that the README tells a newcomer to type, typed word for word.

use std::fmt::Write as _;

use crate::driver::{Story, said};

const README: &str = include_str!("../../README.md");

/// Returns the blocks of the README that a shell is to run.
fn blocks() -> impl Iterator<Item = &'static str> {
    let parts = README.split("```sh\n").skip(1);
    parts.map(|part| part.split("```").next().unwrap_or_default())
}

fn block_with(words: &str) -> &'static str {
    let block = blocks().find(|block| block.contains(words));
    block.unwrap_or_else(|| panic!("the README has no block with {words}"))
}

#[test]
fn a_newcomer_who_does_what_the_readme_says_gets_the_first_task_done() {
    let story = Story::new("");
    let shop = story.root().join("home/shop");
    std::fs::create_dir_all(&shop).unwrap();
    let steps: [&[&str]; 4] = [
        &["init", "-q", "-b", "main"],
        &["config", "user.name", "Newcomer"],
        &["config", "user.email", "newcomer@example.org"],
        &["commit", "-q", "--allow-empty", "-m", "First"],
    ];
    for step in steps {
        story.git(&shop, step);
    }
    let agent = story.root().join("home/agent.sh");
    std::fs::write(&agent, block_with("#!/bin/sh")).unwrap();
    let mut script = String::new();
    for line in block_with("roles.default.command").lines() {
        // `dbs start` takes the terminal; here a server starts instead.
        if !line.starts_with("dbs start") {
            writeln!(
                script,
                "{}",
                line.replace("/path/to/agent.sh", agent.to_str().unwrap())
            )
            .unwrap();
        }
    }
    let ran = story.shell(&shop, &script);
    assert!(ran.status.success(), "{script}\n{}", said(&ran));
    let _server = story.server_in(&shop);
    story.wait_until("the first task's end", || {
        let shown = ["for-each-ref", "--format=%(refname)", "refs/remotes/dbs/main"];
        !story.git(&shop, &shown).is_empty()
            && story
                .git(&shop, &["ls-tree", "--name-only", "dbs/main"])
                .contains("hello.txt")
    });
    assert_eq!(story.git(&shop, &["show", "dbs/main:hello.txt"]), "Say hello");
    let ended = story.shell(&shop, "dbs stop --all");
    assert!(ended.status.success(), "{}", said(&ended));
}
