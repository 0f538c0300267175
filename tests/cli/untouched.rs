//! Commands that only read create nothing in a repository in which dbs was never used.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::shop::Shop;

/// Commands that only read, each with the words that it needs.
const READING: &[&[&str]] = &[
    &["sessions"],
    &["status"],
    &["status", "--run"],
    &["history"],
    &["board"],
    &["task", "list"],
    &["task", "ready"],
    &["task", "show", "t-1"],
    &["why", "t-1"],
    &["diff", "t-1"],
    &["batch", "list"],
    &["batch", "show", "main"],
    &["cost"],
    &["metrics"],
    &["events"],
    &["logs"],
    &["logs", "1"],
    &["agents"],
    &["doctor"],
    &["config"],
    &["config", "base_branch"],
    &["keys"],
    &["trust"],
    &["workflow", "list"],
    &["workflow", "show", "kanban"],
    &["workflow", "check"],
    &["prompt", "t-1"],
    &["audit", "plan.json"],
    &["run", "plan.json", "--dry-run"],
    &["run", "missing.json", "--dry-run"],
    &["task", "import", "missing.json"],
    &["atdd", "status"],
    &["atdd", "history"],
    &["atdd", "check", "nope.json"],
    &["atdd", "setup"],
    &["notify"],
    &["debug"],
    &["backup"],
    &["stop"],
    &["attach", "--plain"],
    &["upgrade"],
];

const PLAN: &str = r#"{"goal": "Sell", "tasks": [{"id": "T-1", "description": "Write it", "files": {"create": ["a.txt"]}, "verification": {"steps": ["test -f a.txt"]}}]}"#;

/// Returns every path below the folder.
fn all_below(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            all_below(&path, found);
        }
        found.insert(path);
    }
}

fn tree(shop: &Shop) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    all_below(&shop.git.project(), &mut found);
    all_below(shop.home(), &mut found);
    found
}

#[test]
fn reading_commands_make_nothing_in_a_repository_that_is_not_prepared() {
    let shop = Shop::new();
    std::fs::write(shop.git.project().join("plan.json"), PLAN).unwrap();
    let before = tree(&shop);
    for words in READING {
        let said = shop.run(words);
        let is_raw = said.err.contains("panicked") || said.err.contains("os error");
        assert!(!is_raw, "{words:?}: {said:?}");
        let made: Vec<_> = tree(&shop).difference(&before).cloned().collect();
        assert!(made.is_empty(), "{words:?} made {made:?}: {said:?}");
    }
    // The first command that writes prepares the repository.
    shop.does(&["task", "create", "Fix", "--id", "t-1"]);
    assert!(shop.git.project().join(".debussy").is_dir());
    assert!(shop.does(&["task", "list"]).contains("t-1"));
}

#[test]
fn a_first_start_makes_nothing_in_a_repository_that_is_not_fit_and_works_in_one_that_is() {
    let shop = Shop::new();
    let project = shop.git.project();
    shop.git.git(&project, &["remote", "rename", "origin", "away"]);
    let before = tree(&shop);
    for words in [&["start", "--plain"][..], &["watch"], &["restart"]] {
        let said = shop.run(words);
        assert!(
            said.code == 1 && said.err.contains("origin") && !said.err.contains("os error"),
            "{words:?}: {said:?}"
        );
        let made: Vec<_> = tree(&shop).difference(&before).cloned().collect();
        assert!(made.is_empty(), "{words:?} made {made:?}");
    }
    shop.git.git(&project, &["remote", "rename", "away", "origin"]);
    let said = shop.run(&["restart"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(project.join(".debussy/logs").is_dir());
    shop.does(&["stop"]);
}
