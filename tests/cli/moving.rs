//! Where the state of a project is, how it gets there, and that git's cleaning does not reach it.

use std::fs;

use dbs::adapters::store::{LockOwner, ServerLock};

use super::shop::Shop;

/// Puts the state where earlier versions kept it.
fn former(shop: &Shop) {
    let debussy = shop.git.project().join(".debussy");
    fs::rename(shop.git.state(), debussy.join("dbs")).unwrap();
    fs::rename(debussy.join("dbs/backups"), debussy.join("backups")).unwrap();
}

#[test]
fn a_state_of_an_earlier_version_is_moved_at_the_first_start_and_said_once() {
    let shop = Shop::new();
    shop.does(&["task", "create", "Fix", "--id", "t-1"]);
    let before = shop.board();
    let secret = fs::read(shop.git.state().join("secret")).unwrap();
    former(&shop);
    let said = shop.run(&["task", "list"]);
    assert!(said.code == 0 && said.out.contains("t-1"), "{said:?}");
    assert!(
        said.err.contains("was moved from") && said.err.contains(".git/dbs"),
        "{said:?}"
    );
    assert_eq!(shop.board(), before);
    assert_eq!(fs::read(shop.git.state().join("secret")).unwrap(), secret);
    assert!(!shop.git.project().join(".debussy/dbs").exists());
    assert_eq!(shop.run(&["task", "list"]).err, "");
}

#[test]
fn a_state_that_git_tracks_is_not_taken_over() {
    let shop = Shop::new();
    shop.does(&["task", "create", "Fix", "--id", "t-1"]);
    former(&shop);
    let project = shop.git.project();
    shop.git.git(&project, &["add", "-f", ".debussy/dbs/secret"]);
    let said = shop.run(&["task", "list"]);
    assert!(
        said.code != 0 && said.err.contains("git tracks files there"),
        "{said:?}"
    );
    assert!(project.join(".debussy/dbs/store.db").exists() && !shop.git.state().exists());
    shop.git
        .git(&project, &["rm", "-q", "--cached", ".debussy/dbs/secret"]);
    assert!(shop.does(&["task", "list"]).contains("t-1"));
}

#[test]
fn a_state_that_a_server_of_an_earlier_version_uses_is_left_to_it() {
    let shop = Shop::new();
    shop.does(&["task", "create", "Fix", "--id", "t-1"]);
    former(&shop);
    let lock = shop.git.project().join(".debussy/dbs/server.lock");
    let lock = ServerLock::take(&lock, &LockOwner::default()).unwrap();
    let said = shop.run(&["task", "list"]);
    assert!(
        said.code != 0 && said.err.contains("another dbs server owns"),
        "{said:?}"
    );
    assert!(!shop.git.state().exists());
    drop(lock);
    assert!(shop.does(&["task", "list"]).contains("t-1"));
}

#[test]
fn a_state_in_which_agents_of_an_earlier_version_write_is_left_to_them() {
    let mut shop = Shop::new();
    let project = shop.git.project();
    shop.give_work_to_silent_agents();
    shop.serve();
    shop.wait_for("agent at work", || shop.state("t-1") == "active");
    shop.wait_for("program", || shop.attempts().join("1/meta.json").exists());
    shop.does(&["stop"]);
    former(&shop);
    let said = shop.run(&["task", "list"]);
    assert!(
        said.code != 0 && said.err.contains("still write there (processes "),
        "{said:?}"
    );
    fs::rename(project.join(".debussy/dbs"), shop.git.state()).unwrap();
    shop.does(&["stop", "--all"]);
}

#[test]
fn cleaning_the_checkout_with_git_takes_nothing_of_the_state() {
    let mut shop = Shop::new();
    let project = shop.git.project();
    shop.does(&["task", "create", "Fix", "--id", "t-1"]);
    shop.serve();
    shop.does(&["task", "create", "Mend", "--id", "t-2"]);
    shop.git.git(&project, &["clean", "-fdxq"]);
    assert!(!project.join(".debussy").exists());
    shop.does(&["task", "create", "Patch", "--id", "t-3"]);
    shop.git.git(&project, &["clean", "-ffdxq"]);
    shop.does(&["stop"]);
    let text = shop.does(&["task", "list"]);
    assert!(["t-1", "t-2", "t-3"].iter().all(|id| text.contains(id)), "{text}");
    assert!(shop.git.state().join("control.git/HEAD").exists());
}

#[test]
fn a_server_whose_database_is_deleted_writes_it_anew_and_says_so_in_its_log() {
    let mut shop = Shop::new();
    shop.does(&["task", "create", "Fix", "--id", "t-1"]);
    shop.serve();
    for name in ["store.db", "store.db-wal", "store.db-shm"] {
        fs::remove_file(shop.git.state().join(name)).unwrap();
    }
    shop.does(&["task", "create", "Mend", "--id", "t-2"]);
    assert!(shop.git.state().join("store.db").exists());
    shop.does(&["stop"]);
    let text = shop.does(&["task", "list"]);
    assert!(text.contains("t-1") && text.contains("t-2"), "{text}");
    let logs = fs::read_dir(shop.git.project().join(".debussy/logs")).unwrap();
    let logs: String = logs
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert!(logs.contains("was deleted while dbs worked"), "{logs}");
}

#[test]
fn a_copy_brings_the_board_back_and_a_damaged_store_is_repaired_by_doctor() {
    let mut shop = Shop::new();
    shop.does(&["task", "create", "Fix", "--id", "t-1"]);
    shop.serve();
    shop.does(&["backup", "copy.db"]);
    shop.does(&["task", "create", "Mend", "--id", "t-2"]);
    let copy = ["restore", "copy.db"];
    shop.refuses(&copy, 1, "owns this project");
    shop.refuses(&["doctor", "--repair"], 1, "owns this project");
    shop.does(&["stop"]);
    let both = shop.board();
    assert!(shop.does(&copy).contains("is kept as"));
    let text = shop.does(&["task", "list"]);
    assert!(text.contains("t-1") && !text.contains("t-2"), "{text}");
    shop.does(&["task", "create", "Mend", "--id", "t-2"]);
    assert_eq!(
        shop.board()["tasks"].as_array().map(Vec::len),
        both["tasks"].as_array().map(Vec::len)
    );

    let raw = rusqlite::Connection::open(shop.git.state().join("store.db")).unwrap();
    raw.execute(
        "UPDATE tasks SET doc = replace(doc, 'Mend', 'Bend') WHERE id = 't-2'",
        [],
    )
    .unwrap();
    raw.close().unwrap();
    for arguments in [
        &["task", "list"][..],
        &["task", "list", "--json"],
        &["task", "show", "t-1"],
        &["board"],
        &["board", "--json"],
        &["status"],
        &["why", "t-1"],
        &["logs"],
        &["events"],
        &["batch", "list"],
    ] {
        let said = shop.run(arguments);
        assert!(
            said.code == 1 && said.err.contains("task t-2 cannot be understood") && said.out.is_empty(),
            "{arguments:?}: {said:?}"
        );
    }
    let said = shop.run(&["doctor"]);
    assert!(
        said.code == 1 && said.out.contains("task t-2 cannot be understood"),
        "{said:?}"
    );
    assert!(said.out.contains("dbs doctor --repair"), "{said:?}");
    assert!(shop.does(&["doctor", "--repair"]).contains("computed anew"));
    let text = shop.does(&["task", "list"]);
    assert!(text.contains("Mend") && text.contains("t-1"), "{text}");
}
