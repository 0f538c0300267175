//! State of a project: `git clean` does not reach it, and a damaged state is repaired or restored.

use std::fs;

use super::shop::Shop;

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
