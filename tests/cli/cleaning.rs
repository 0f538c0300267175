//! `dbs clean --builds`: build products are deleted, but none where an agent works.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::shop::Shop;

#[test]
fn what_tools_build_again_is_removed_but_not_below_an_agent_at_work() {
    let mut shop = Shop::new();
    shop.give_work_to_silent_agents();
    let project = shop.git.project();
    shop.serve();
    shop.wait_for("agent", || shop.attempts().join("1/meta.json").exists());
    let listed = shop.git.git(&project, &["worktree", "list", "--porcelain"]);
    let mut paths = listed.lines().filter_map(|line| line.strip_prefix("worktree "));
    let busy = PathBuf::from(paths.nth(1).unwrap());
    fs::write(busy.join(".gitignore"), "node_modules\n").unwrap();
    fs::create_dir(busy.join("node_modules")).unwrap();
    let clean = ["clean", "--builds", "--json"];
    let folders = |shop: &Shop| shop.json(&clean)["folders"].clone();
    assert_eq!(folders(&shop), 0);
    assert!(busy.join("node_modules").exists());
    shop.kill();
    shop.does(&["stop", "--all"]);
    assert_eq!(folders(&shop), 0, "the attempt is not over");
    // Without a board no attempt is known.
    fs::remove_file(shop.git.state().join("store.db")).unwrap();
    assert_eq!(folders(&shop), 1);
    assert!(!busy.join("node_modules").exists() && busy.join(".gitignore").exists());
}

#[test]
fn a_prepared_workspace_goes_once_nothing_has_used_it_for_a_while() {
    let shop = Shop::new();
    shop.does(&["task", "create", "First"]);
    let templates = shop.git.root().join("project.dbs/.templates");
    for (name, used) in [("old", 0), ("new", u64::from(u32::MAX))] {
        let folder = templates.join(name);
        fs::create_dir_all(folder.join("files")).unwrap();
        fs::write(folder.join("template.json"), "{}").unwrap();
        let file = fs::File::create(folder.join("used")).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(used))
            .unwrap();
    }
    fs::create_dir_all(templates.join("unfinished/files")).unwrap();
    let said = shop.json(&["clean", "--builds", "--json"]);
    assert_eq!(
        (&said["folders"], &said["problems"]),
        (&json!(1), &json!([])),
        "{said}"
    );
    let left = ["old", "new", "unfinished"].map(|name| templates.join(name).exists());
    assert_eq!(left, [false, true, true]);
}
