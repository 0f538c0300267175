//! Files of the store that are deleted or replaced while it works: the next turn notices it, and nothing is lost.

use std::fs;
use std::path::Path;

use dbs::adapters::store::SqliteStore;
use dbs::ports::store::Store;

use super::boards::{NOW, commit, files, nth_turn, open, owner};

fn turn(store: &mut SqliteStore, n: u64) -> Result<u64, String> {
    let (event, board, touched, effects) = nth_turn(n);
    commit(store, &event, (&board, &touched), &effects).map_err(|error| error.to_string())
}

/// Makes turns 1 to 3, does something to the files, and makes turns 4 and 5.
fn through(folder: &Path, mishap: impl Fn(&Path)) -> SqliteStore {
    let mut store = open(folder);
    for n in 1..=3 {
        assert_eq!(turn(&mut store, n), Ok(n));
    }
    assert_eq!(store.warning(), None);
    mishap(&files(folder).database);
    for n in 4..=5 {
        assert_eq!(turn(&mut store, n), Ok(n));
    }
    store
}

fn has_all(folder: &Path, last: u64) {
    let mut store = open(folder);
    assert_eq!(store.load().unwrap().last_attempt, last);
    assert_eq!(
        store.reader().events(0, usize::MAX, None).unwrap().len() as u64,
        last
    );
}

#[test]
fn a_deleted_database_is_written_anew_and_said() {
    type Mishap = fn(&Path);
    let mishaps: [(&str, Mishap); 4] = [
        ("the database", |path| fs::remove_file(path).unwrap()),
        ("all files", |path| {
            for suffix in ["", "-wal", "-shm"] {
                fs::remove_file(format!("{}{suffix}", path.display())).unwrap();
            }
        }),
        ("the folder", |path| {
            fs::remove_dir_all(path.parent().unwrap()).unwrap();
        }),
        ("the folder under another name", |path| {
            let folder = path.parent().unwrap();
            fs::rename(folder, folder.with_extension("old")).unwrap();
        }),
    ];
    for (name, mishap) in mishaps {
        let folder = tempfile::tempdir().unwrap();
        let store = through(folder.path(), mishap);
        let said = store.warning().unwrap().text;
        assert!(said.contains("was deleted while dbs worked"), "{name}: {said}");
        let refused = SqliteStore::open(&files(folder.path()), &owner(), NOW);
        assert!(refused.is_err(), "{name}: the project is still owned");
        drop(store);
        has_all(folder.path(), 5);
        let left = fs::read_dir(files(folder.path()).database.parent().unwrap()).unwrap();
        let copies = left.filter(|entry| {
            let name = entry.as_ref().unwrap().file_name();
            name.to_string_lossy().starts_with("rescued-")
        });
        assert_eq!(copies.count(), 0, "{name}");
        assert_eq!(open(folder.path()).warning(), None, "{name}");
    }
}

#[test]
fn a_deleted_log_or_lock_loses_no_turn() {
    for name in ["store.db-wal", "store.db-shm", "server.lock"] {
        let folder = tempfile::tempdir().unwrap();
        let store = through(folder.path(), |path| {
            fs::remove_file(path.with_file_name(name)).unwrap();
        });
        let said = store.warning().unwrap().text;
        assert!(said.contains("were deleted while dbs worked"), "{name}: {said}");
        let refused = SqliteStore::open(&files(folder.path()), &owner(), NOW);
        assert!(refused.is_err(), "{name}: the project is still owned");
        drop(store);
        has_all(folder.path(), 5);
    }
}

#[test]
fn a_database_in_whose_place_another_file_is_put_is_saved_beside_it_and_the_store_ends() {
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    drop(open(other.path()));
    let theirs = fs::read(files(other.path()).database).unwrap();
    let mut store = open(folder.path());
    for n in 1..=3 {
        assert_eq!(turn(&mut store, n), Ok(n));
    }
    let database = files(folder.path()).database;
    let fresh = database.with_extension("theirs");
    fs::write(&fresh, &theirs).unwrap();
    fs::rename(&fresh, &database).unwrap();
    let why = turn(&mut store, 4).unwrap_err();
    assert!(why.contains("another file was put in its place"), "{why}");
    drop(store);
    assert_eq!(
        fs::read(&database).unwrap(),
        theirs,
        "the foreign file is unchanged"
    );
    let said = open(folder.path()).warning().unwrap().text;
    let saved = said.split("is in ").nth(1).unwrap().split(": ").next().unwrap();
    assert!(why.contains(saved), "{why}: {saved}");
    fs::remove_file(&database).unwrap();
    fs::rename(saved, &database).unwrap();
    has_all(folder.path(), 4);
}
