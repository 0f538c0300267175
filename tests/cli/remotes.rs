//! A project without a remote: the messages about it.

use crate::shop::Shop;

const MASTER: &str = "# Export\n\n## Phases\n\n| Phase | Title |\n|---|---|\n| 1 | [Model](one.md) |\n";
const PHASE: &str = "# Export Phase 1: Model\n\n## Gates\n- model: `test -e model.txt`\n\n## Tasks\n- [ ] 1.1: Make model.txt\n";

fn without_remote() -> Shop {
    let shop = Shop::new();
    shop.git.git(&shop.git.project(), &["remote", "remove", "origin"]);
    shop
}

fn has_folder(shop: &Shop) -> bool {
    shop.git.project().join(".debussy").exists()
}

#[test]
fn without_a_terminal_init_names_the_setting_and_takes_it_when_told_to() {
    let shop = without_remote();
    let said = shop.run(&["init"]);
    assert_eq!(said.code, 1, "{said:?}");
    let sentence = "could not find a remote called origin; `dbs config remote none` works without one";
    assert!(said.err.contains(sentence), "{said:?}");
    assert!(!has_folder(&shop));
    let text = shop.does(&["init", "--yes"]);
    assert!(text.contains("work here needs no remote"), "{text}");
    assert!(text.contains("the base branch is main"), "{text}");
    assert_eq!(shop.does(&["config", "remote"]), "none\n");
    let doctor = shop.run(&["doctor"]).out;
    assert!(doctor.contains("no remote: nothing is pushed"), "{doctor}");
    assert!(!doctor.contains("dbs trust"), "set by a person: {doctor}");
}

#[test]
fn the_setting_alone_is_enough() {
    let shop = without_remote();
    shop.does(&["config", "remote", "none"]);
    shop.does(&["config", "base_branch", "main"]);
    let doctor = shop.run(&["doctor"]).out;
    assert!(doctor.contains("no remote: nothing is pushed"), "{doctor}");
    shop.does(&["init"]);
}

#[test]
fn a_repository_without_a_commit_is_refused_with_the_way_out_and_nothing_is_made() {
    let shop = without_remote();
    let project = shop.git.project();
    std::fs::remove_dir_all(project.join(".git")).unwrap();
    shop.git.git(&project, &["init", "-q", "-b", "main"]);
    let said = shop.run(&["init", "--yes"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.err.contains("git commit --allow-empty"), "{said:?}");
    assert!(!has_folder(&shop));
}

#[test]
fn a_plan_is_refused_before_anything_is_on_the_board() {
    let shop = without_remote();
    std::fs::write(shop.git.project().join("MASTER.md"), MASTER).unwrap();
    std::fs::write(shop.git.project().join("one.md"), PHASE).unwrap();
    let shown = shop.does(&["run", "MASTER.md", "--dry-run"]);
    let hash = shown.rsplit(' ').next().unwrap().trim();
    for (more, code) in [(&[][..], 1), (&["--headless"], 4)] {
        let words = ["run", "MASTER.md", "--allow-dirty", "--trust", hash];
        let said = shop.run(&[&words, more].concat());
        assert_eq!(said.code, code, "{said:?}");
        assert!(said.err.contains("`dbs config remote none`"), "{said:?}");
        assert_eq!(shop.json(&["task", "list", "--json"]), serde_json::json!([]));
    }
}

#[test]
fn a_setting_that_a_file_of_the_project_brings_waits_for_trust() {
    let shop = Shop::new();
    let folder = shop.git.project().join(".debussy");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), "remote = \"elsewhere\"\n").unwrap();
    assert_eq!(shop.does(&["config", "remote"]), "origin\n");
    let listed = shop.run(&["trust", "show"]);
    assert!(listed.out.contains("elsewhere"), "{listed:?}");
}

/// Runs the program at a terminal with the answers typed in advance, and returns its output.
#[cfg(unix)]
fn at_terminal(shop: &Shop, words: &[&str], answers: &str) -> String {
    use std::io::{Read as _, Write as _};

    use portable_pty::{CommandBuilder, PtySize, native_pty_system};

    let pair = native_pty_system().openpty(PtySize::default()).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_dbs"));
    command.env_clear();
    command.args(words);
    command.cwd(shop.git.project());
    drop(shop.run(&["--version"]));
    for (name, value) in shop.environment() {
        command.env(name, value);
    }
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut keys = pair.master.take_writer().unwrap();
    keys.write_all(answers.as_bytes()).unwrap();
    let mut shown = Vec::new();
    drop(pair.master.try_clone_reader().unwrap().read_to_end(&mut shown));
    child.wait().unwrap();
    String::from_utf8_lossy(&shown).into_owned()
}

#[cfg(unix)]
#[test]
fn at_a_terminal_init_asks_and_a_yes_makes_the_setting() {
    let end_of_input = "\u{4}";
    for (answer, wanted) in [("n\n", "origin\n"), (end_of_input, "origin\n"), ("\n", "none\n")] {
        let shop = without_remote();
        // The second answer is the one about the base branch.
        let shown = at_terminal(&shop, &["init"], &format!("{answer}\n"));
        assert!(shown.contains("This repository has no remote."), "{shown}");
        assert_eq!(shop.does(&["config", "remote"]), wanted, "{shown}");
    }
}

#[cfg(unix)]
#[test]
fn the_first_start_at_a_terminal_asks_for_the_base_branch_too() {
    let shop = without_remote();
    shop.does(&["config", "base_branch", "--unset"]);
    let shown = at_terminal(&shop, &["restart"], "\n\n");
    assert!(shown.contains("the base branch is main"), "{shown}");
    assert_eq!(shop.does(&["config", "base_branch"]), "main\n");
    let shown = at_terminal(&shop, &["restart"], "");
    assert!(!shown.contains("base branch"), "{shown}");
    shop.does(&["stop"]);
}
