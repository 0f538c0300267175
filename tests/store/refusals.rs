//! A refused store stays unchanged to the byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use dbs::adapters::store::SqliteStore;
use dbs::ports::store::StoreError;
use rusqlite::Connection;

use super::boards::{NOW, commit, files, nth_turn, open, owner};

pub(crate) fn filled(folder: &Path) {
    let mut store = open(folder);
    for n in 1..=20 {
        let (event, board, touched, effects) = nth_turn(n);
        commit(&mut store, &event, (&board, &touched), &effects).unwrap();
    }
}

/// All files of a folder with their bytes, except the lock, whose owner changes.
pub(crate) fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && !path.ends_with("server.lock") {
            all.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    all
}

fn try_open(folder: &Path) -> StoreError {
    SqliteStore::open(&files(folder), &owner(), NOW).unwrap_err()
}

#[test]
fn a_store_of_a_newer_program_is_refused_unchanged_by_writers_and_by_readers() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let raw = Connection::open(files(folder.path()).database).unwrap();
    raw.execute_batch("UPDATE about SET min_reader = 7; PRAGMA user_version = 7")
        .unwrap();
    raw.close().unwrap();
    let before = contents(&folder.path().join("dbs"));
    for refused in [
        try_open(folder.path()),
        SqliteStore::open_reader(&files(folder.path())).unwrap_err(),
    ] {
        assert!(
            matches!(
                &refused,
                StoreError::Newer {
                    found: 7,
                    known: 5,
                    ..
                }
            ),
            "{refused}"
        );
        assert!(refused.to_string().contains("unchanged"));
    }
    let after = contents(&folder.path().join("dbs"));
    let database = files(folder.path()).database;
    assert_eq!(before.get(&database), after.get(&database));
    assert!(after.keys().all(|path| before.contains_key(path)
        || fs::metadata(path).unwrap().len() == 0
        || path.to_string_lossy().ends_with("-shm")));
}

#[test]
fn a_newer_store_that_says_so_can_still_be_read_but_not_written() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let raw = Connection::open(files(folder.path()).database).unwrap();
    raw.execute_batch("ALTER TABLE tasks ADD COLUMN colour TEXT; PRAGMA user_version = 6")
        .unwrap();
    raw.close().unwrap();
    assert!(matches!(
        try_open(folder.path()),
        StoreError::Newer { found: 6, .. }
    ));
    let reader = SqliteStore::open_reader(&files(folder.path())).unwrap().unwrap();
    assert_eq!(reader.load().unwrap().last_attempt, 20);
}

#[test]
fn another_programs_database_a_text_an_empty_file_and_a_folder_are_refused_and_left_alone() {
    type Make = fn(&Path);
    let cases: [(&str, Make); 4] = [
        ("another database", |path| {
            let other = Connection::open(path).unwrap();
            other
                .execute_batch("CREATE TABLE recipes (name); INSERT INTO recipes VALUES ('soup')")
                .unwrap();
        }),
        ("a text", |path| fs::write(path, "hello\n".repeat(1000)).unwrap()),
        ("an empty file", |path| fs::write(path, "").unwrap()),
        ("a folder", |path| fs::create_dir(path).unwrap()),
    ];
    for (name, make) in cases {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        fs::create_dir_all(files.database.parent().unwrap()).unwrap();
        make(&files.database);
        let before = contents(files.database.parent().unwrap());
        let refused = try_open(folder.path());
        assert!(
            matches!(refused, StoreError::Damaged { .. } | StoreError::Failed { .. }),
            "{name}: {refused}"
        );
        assert!(refused.to_string().contains("left as it"), "{name}: {refused}");
        assert_eq!(contents(files.database.parent().unwrap()), before, "{name}");
    }
}

#[test]
fn a_log_without_its_database_is_not_taken_for_a_fresh_start() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    fs::create_dir_all(files.database.parent().unwrap()).unwrap();
    let log = files.database.with_file_name("store.db-wal");
    fs::write(&log, "frames").unwrap();
    let refused = try_open(folder.path());
    assert!(
        matches!(&refused, StoreError::Damaged { why, .. } if why.contains("log")),
        "{refused}"
    );
    assert!(log.exists() && !files.database.exists());
}

#[test]
fn what_a_cut_off_creation_left_is_no_hindrance() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    fs::create_dir_all(files.database.parent().unwrap()).unwrap();
    for left in ["store.db.new", "store.db.new-journal", "store.db.new-wal"] {
        fs::write(files.database.with_file_name(left), "half").unwrap();
    }
    filled(folder.path());
    let names: Vec<String> = contents(files.database.parent().unwrap())
        .keys()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names, ["store.db", "store.db-last"]);
}

#[test]
fn a_reader_without_a_store_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    assert!(SqliteStore::open_reader(&files(folder.path())).unwrap().is_none());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn a_store_behind_a_link_is_refused_and_what_it_points_to_left_alone() {
    use std::os::unix::fs::symlink;
    for name in [
        "dbs",
        "backups",
        "dbs/store.db",
        "dbs/store.db-wal",
        "dbs/server.lock",
        "dbs/ballast",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = folder.path().join("elsewhere");
        filled(&elsewhere);
        let before = contents(&elsewhere.join("dbs"));
        let link = folder.path().join(name);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        let target = elsewhere.join(name);
        symlink(
            if target.exists() {
                target
            } else {
                elsewhere.join("dbs/store.db")
            },
            &link,
        )
        .unwrap();
        let refused = try_open(folder.path());
        assert!(refused.to_string().contains("a link"), "{name}: {refused}");
        assert_eq!(contents(&elsewhere.join("dbs")), before, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn the_database_and_its_folders_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    let (event, board, touched, effects) = nth_turn(1);
    commit(&mut store, &event, (&board, &touched), &effects).unwrap();
    let mode = |name: &str| {
        fs::metadata(folder.path().join(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(["dbs", "backups"].map(mode), [0o700; 2]);
    assert_eq!(
        [
            "dbs/store.db",
            "dbs/store.db-wal",
            "dbs/store.db-shm",
            "dbs/server.lock"
        ]
        .map(mode),
        [0o600; 4]
    );
}
