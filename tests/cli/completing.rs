//! Completions with existing names, requested as the scripts of the shells do; and manual pages.
#![cfg(unix)]

use std::path::Path;

use crate::shop::Shop;

/// Offers to a shell for these words, of which the last is being typed; without options.
pub(crate) fn offered(shop: &Shop, folder: &Path, words: &[&str]) -> Vec<String> {
    let last = (words.len() - 1).to_string();
    let all: Vec<&str> = ["--"].iter().chain(words).copied().collect();
    let mut command = shop.command(folder, &all);
    command
        .env("_DBS_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", last)
        .env("_CLAP_COMPLETE_COMP_TYPE", "9")
        .env("_CLAP_COMPLETE_SPACE", "true")
        .env("_CLAP_IFS", "\n");
    let output = command.output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let words = text.lines().map(|line| line.trim().to_owned());
    words.filter(|word| !word.starts_with("--")).collect()
}

#[test]
fn a_shell_is_offered_the_tasks_stages_and_settings_there_are() {
    let shop = Shop::new();
    let project = shop.git.project();
    let here = |words: &[&str]| offered(&shop, &project, words);
    assert_eq!(here(&["dbs", "task", "show", ""]), Vec::<String>::new());
    for (id, title) in [("t-1", "Fix"), ("t-2", "Other\u{1b}[31m"), ("u-1", "Else")] {
        shop.does(&["task", "create", title, "--id", id]);
    }
    shop.does(&["task", "park", "t-2", "later"]);
    assert_eq!(here(&["dbs", "task", "show", "t-"]), ["t-1", "t-2"]);
    assert_eq!(
        here(&["dbs", "task", "release", ""]),
        ["t-1", "u-1"],
        "the tasks in the backlog"
    );
    assert_eq!(
        here(&["dbs", "retry", ""]),
        ["t-2"],
        "the tasks that can be retried"
    );
    assert_eq!(
        here(&["dbs", "task", "create", "New", "--deps", "u-1,t-"]),
        ["u-1,t-1", "u-1,t-2"]
    );
    assert_eq!(here(&["dbs", "retry", "t-2", "--stage", "dev"]), ["development"]);
    assert_eq!(here(&["dbs", "workflow", "show", "kan"]), ["kanban"]);
    assert_eq!(here(&["dbs", "config", "max_t"]), ["max_total_agents"]);
    assert_eq!(here(&["dbs", "comp"]), ["completions"]);
    let outside = tempfile::tempdir().unwrap();
    assert_eq!(
        offered(&shop, outside.path(), &["dbs", "task", "show", "t-"]),
        Vec::<String>::new()
    );
    assert!(
        outside.path().read_dir().unwrap().next().is_none(),
        "nothing is created"
    );
    std::fs::write(shop.git.state().join("store.db"), "no database").unwrap();
    assert_eq!(here(&["dbs", "task", "show", "t-"]), Vec::<String>::new());
}

#[test]
fn agents_at_work_and_running_sessions_are_offered() {
    let mut shop = Shop::new();
    let project = shop.git.project();
    shop.give_work_to_silent_agents();
    shop.serve();
    let agents = || offered(&shop, &project, &["dbs", "kill-agent", "dev"]);
    shop.wait_for("agent", || {
        agents().len() == 1 && agents()[0].starts_with("developer-")
    });
    let name = project.file_name().unwrap().to_str().unwrap();
    assert_eq!(offered(&shop, &project, &["dbs", "attach", ""]), [name]);
}

#[test]
fn every_manual_page_is_written() {
    let shop = Shop::new();
    let folder = shop.git.root().join("man/man1");
    shop.does(&["man", folder.to_str().unwrap()]);
    let page = std::fs::read_to_string(folder.join("dbs-task-create.1")).unwrap();
    assert!(page.contains("\\-\\-release"), "{page}");
    assert!(shop.does(&["man"]).contains(".SH NAME"));
}

#[test]
fn figures_are_told_without_a_server_too() {
    let shop = Shop::new();
    assert!(shop.does(&["metrics"]).contains("tasks done: 0"));
    let figures = shop.json(&["metrics", "--json"]);
    assert_eq!(figures["attempts"], 0);
    assert_eq!(figures["done_per_hour"].as_array().unwrap().len(), 24);
}
