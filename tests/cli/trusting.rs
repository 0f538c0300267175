//! Trust in the commands that a project's files would start, given on the command line.

use crate::shop::{Said, Shop};

/// Runs a command as an agent.
fn as_agent(shop: &Shop, arguments: &[&str]) -> Said {
    let text = |word: std::ffi::OsString| word.into_string().unwrap();
    let mut env: std::collections::BTreeMap<String, String> = shop
        .environment()
        .into_iter()
        .map(|(name, value)| (text(name), text(value)))
        .collect();
    env.insert("DBS_ATTEMPT".to_owned(), "7".to_owned());
    shop.run_with(&env, arguments)
}

#[test]
fn what_an_agent_sets_waits_for_a_person_and_an_agent_trusts_nothing() {
    let shop = Shop::new();
    shop.does(&["config", "gates.check", "make check"]);
    assert_eq!(
        shop.does(&["config", "gates.check"]),
        "make check\n",
        "set by a person"
    );
    assert_eq!(as_agent(&shop, &["config", "gates.check", "true"]).code, 0);
    assert_eq!(
        shop.does(&["config", "gates.check"]),
        "make check\n",
        "set by an agent"
    );
    let shown = shop.run(&["trust", "diff"]);
    assert_eq!(shown.code, 1, "{shown:?}");
    assert!(
        shown
            .out
            .contains("changed  program   gates.check  (.debussy/config.toml:"),
        "{shown:?}"
    );
    assert!(shown.out.contains("\n- make check\n+ true\n"), "{shown:?}");
    let hash = shown.out.trim().rsplit(' ').next().unwrap();
    for arguments in [
        &["trust", "--hash", hash][..],
        &["trust", "--forget"],
        &["trust", "--state"],
        &["trust", "--origin", "elsewhere"],
    ] {
        let said = as_agent(&shop, arguments);
        assert!(
            said.code == 1 && said.err.contains("a person does that"),
            "{said:?}"
        );
    }
    assert_eq!(shop.does(&["config", "gates.check"]), "make check\n");
    shop.does(&["trust", "--hash", hash]);
    assert_eq!(shop.does(&["config", "gates.check"]), "true\n");
    assert_eq!(shop.run(&["trust"]).code, 0);
}

#[test]
fn a_comparison_says_who_last_committed_each_file_and_whether_it_was_changed_since() {
    let shop = Shop::new();
    let (project, git) = (shop.git.project(), &shop.git);
    let flow = project.join(".debussy/workflows");
    std::fs::create_dir_all(&flow).unwrap();
    std::fs::write(flow.join("own.toml"), "id = \"own\"\n").unwrap();
    shop.does(&["config", "gates.check", "make check"]);
    let shown = shop.run(&["trust", "diff"]);
    assert!(
        !shown.out.contains("last committed"),
        "git does not know the file: {shown:?}"
    );
    git.git(&project, &["add", "-f", ".debussy/workflows/own.toml"]);
    let author = "--author=Mallory \u{1b}[2J\u{202e} <m@example.org>";
    git.git(&project, &["commit", "-q", "-m", "Own", author]);
    let commit = git.git(&project, &["rev-parse", "--short", "HEAD"]);
    let shown = shop.run(&["trust", "diff"]);
    let line = shown
        .out
        .lines()
        .find(|line| line.contains("last committed"))
        .unwrap();
    assert!(
        line.contains("by Mallory ") && line.ends_with(&format!(" <m@example.org> on 2023-11-14 ({commit})")),
        "{line:?}"
    );
    assert!(!shown.out.contains(['\u{1b}', '\u{202e}']), "{shown:?}");
    std::fs::write(flow.join("own.toml"), "id = \"other\"\n").unwrap();
    let shown = shop.run(&["trust", "diff"]);
    assert!(
        shown.out.contains(&format!("({commit}); it was changed since")),
        "{shown:?}"
    );
    let json: serde_json::Value = serde_json::from_str(&shop.run(&["trust", "diff", "--json"]).out).unwrap();
    assert_eq!(json["items"][0]["last_commit"]["committed"], false, "{json:#}");
    assert_eq!(json["items"][0]["last_commit"]["commit"], commit, "{json:#}");
}

#[test]
fn settings_that_vanish_while_a_server_runs_are_told_and_brought_back_by_repair() {
    let shop = Shop::new();
    shop.does(&["config", "base_branch", "main"]);
    shop.does(&["config", "gates.check", "make check"]);
    let lines = shop.git.root().join("lines");
    let mut watch = shop.command(&shop.git.project(), &["watch"]);
    let printed = std::fs::File::create(&lines).unwrap();
    let mut watch = watch
        .stdout(printed)
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let (debussy, kept) = (
        shop.git.project().join(".debussy"),
        shop.git.state().join("settings/config.toml"),
    );
    let text = std::fs::read_to_string(debussy.join("config.toml")).unwrap();
    shop.wait_for("a copy", || {
        std::fs::read_to_string(&kept).is_ok_and(|copy| copy == text)
    });
    shop.git.git(&shop.git.project(), &["clean", "-fdxq"]);
    assert!(
        !debussy.join("config.toml").exists(),
        "git ignores the file, so cleaning deletes it"
    );
    let said = shop.run(&["doctor"]);
    assert!(
        said.out.contains("MISSING settings") && said.out.contains("dbs doctor --repair"),
        "{said:?}"
    );
    shop.wait_for("a server that has seen it", || shop.board()["base"].is_null());
    assert!(shop.does(&["doctor", "--repair"]).contains("brought back"));
    assert_eq!(
        std::fs::read_to_string(debussy.join("config.toml")).unwrap(),
        text
    );
    assert_eq!(shop.does(&["config", "gates.check"]), "make check\n");
    shop.wait_for("the settings", || {
        !shop.run(&["doctor"]).out.contains("MISSING settings")
    });
    shop.does(&["stop"]);
    watch.wait().unwrap();
    let told = std::fs::read_to_string(&lines).unwrap();
    assert!(told.contains("are gone (config.toml); copies are kept"), "{told}");
}

#[test]
fn another_address_of_origin_is_taken_when_a_person_names_it_and_no_server_runs() {
    let mut shop = Shop::new();
    shop.does(&["config", "base_branch", "main"]);
    // The first look at the repository records the place of its origin.
    assert!(shop.run(&["doctor"]).out.contains("origin"));
    let (old, new) = (shop.git.origin(), shop.git.root().join("moved.git"));
    std::fs::rename(&old, &new).unwrap();
    let new = new.display().to_string();
    shop.git
        .git(&shop.git.project(), &["remote", "set-url", "origin", &new]);
    let refused = shop.run(&["server"]);
    let way_out = format!("`dbs trust --origin {new}`");
    assert!(refused.code == 1 && refused.err.contains(&way_out), "{refused:?}");
    let other = shop.run(&["trust", "--origin", "elsewhere"]);
    assert!(
        other.code == 1 && other.err.contains(&format!("origin is {new}")),
        "{other:?}"
    );
    let done = shop.does(&["trust", "--origin", &new]);
    assert!(done.contains(&new), "{done}");
    shop.serve();
    let served = shop.run(&["trust", "--origin", &new]);
    assert!(served.code == 1 && served.err.contains("dbs stop"), "{served:?}");
}

#[test]
fn files_of_a_repository_that_tools_read_by_themselves_are_listed_with_the_way_to_leave_them_out() {
    let shop = Shop::new();
    let listed = || shop.run(&["trust", "show"]).out;
    assert!(!listed().contains("dbs does not check"), "{}", listed());
    std::fs::create_dir(shop.git.project().join(".opencode")).unwrap();
    std::fs::write(shop.git.project().join(".mcp.json"), "{}").unwrap();
    let shown = listed();
    for line in [
        "claude   .mcp.json: dbs does not check its hooks, permissions and servers",
        "opencode .opencode: dbs does not check its plugins, permissions and servers",
        "`dbs config environment.set.OPENCODE_DISABLE_PROJECT_CONFIG 1` leaves them out",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
}
