//! Proposals of `init` for new workspaces, and `doctor --try`.

use std::fs;

use crate::shop::Shop;

#[test]
fn init_proposes_how_worktrees_are_prepared_and_sets_it_with_a_yes() {
    let shop = Shop::new();
    let project = shop.git.project();
    shop.git
        .commit(&project, ".gitignore", ".env\nnode_modules/\n", "Ignore");
    shop.git.commit(&project, "package-lock.json", "{}\n", "Lock");
    fs::write(project.join(".env"), "A=1\n").unwrap();
    let said = shop.run(&["init"]);
    for line in [
        "dbs config workspace.copy '.env*'",
        "dbs config workspace.setup 'npm ci'",
        "dbs config workspace.key package-lock.json",
    ] {
        assert!(said.out.contains(line), "{said:?}");
    }
    shop.does(&["init", "--yes"]);
    assert!(shop.does(&["config", "workspace.setup"]).contains("npm ci"));
    let said = shop.run(&["init"]);
    assert!(!said.out.contains("workspace.setup"), "{said:?}");
}

#[test]
fn doctor_tries_the_workspace_and_the_gates_on_the_base_before_any_work() {
    let shop = Shop::new();
    shop.does(&["config", "base_branch", "work"]);
    shop.does(&["config", "workspace.setup", "echo ready > .env.made"]);
    for (name, command) in [
        ("good", "test -e .env.made"),
        ("red", "echo 'error: two tests fail'; exit 1"),
        ("missing", "no-such-tool --all"),
        ("unset", "set -u; echo $NO_SUCH_VARIABLE"),
    ] {
        shop.does(&["config", &format!("gates.{name}"), command]);
    }
    let project = shop.git.project();
    shop.git.commit(&project, ".gitignore", ".env*\n", "Ignore");
    shop.git.git(&project, &["push", "-q", "origin", "HEAD:work"]);
    let said = shop.run(&["doctor", "--try"]);
    assert_eq!(said.code, 1, "{said:?}");
    let line = |words: &[&str]| {
        let mut lines = said.out.lines();
        assert!(
            lines.any(|line| words.iter().all(|word| line.contains(word))),
            "{words:?}: {said:?}"
        );
    };
    line(&["ok", "workspace", "prepared one of work"]);
    line(&["ok", "gate", "good passes"]);
    line(&["MISSING", "red is red on work before any work", "two tests fail"]);
    line(&[
        "MISSING",
        "missing could not run",
        "the program no-such-tool is in none of the folders",
    ]);
    line(&["MISSING", "unset is red", "NO_SUCH_VARIABLE is not set"]);
    let left = fs::read_dir(project.with_extension("dbs").join(".checkouts")).unwrap();
    assert_eq!(left.count(), 0);
}
