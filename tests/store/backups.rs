//! Usable copies of the store.

use std::collections::BTreeSet;
use std::fs;

use dbs::domain::Timestamp;
use dbs::ports::store::Store;

use super::boards::{NOW, commit, files, nth_turn, open};
use super::refusals::filled;

#[test]
fn a_backup_holds_the_board_of_its_moment_and_opens_as_a_store() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let mut store = open(folder.path());
    let before = store.load().unwrap();
    let events = store.reader().events(0, 100, None).unwrap();
    let backup = store.backup(NOW).unwrap();
    let (event, board, touched, effects) = nth_turn(21);
    commit(&mut store, &event, (&board, &touched), &effects).unwrap();
    let other = tempfile::tempdir().unwrap();
    fs::create_dir_all(other.path().join("dbs")).unwrap();
    fs::copy(&backup, files(other.path()).database).unwrap();
    let mut restored = open(other.path());
    assert_eq!(restored.load().unwrap(), before);
    assert_eq!(restored.reader().events(0, 100, None).unwrap(), events);
    assert_eq!(
        commit(&mut restored, &event, (&board, &touched), &effects).unwrap(),
        21
    );
}

#[test]
fn names_are_never_used_twice_and_the_newest_ten_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let mut store = open(folder.path());
    fs::write(
        folder
            .path()
            .join("backups/before-0002_x-20250101T000000.000Z-000.db"),
        "kept",
    )
    .unwrap();
    fs::write(folder.path().join("backups/notes.txt"), "kept").unwrap();
    let mut made = Vec::new();
    for n in 0..14_u64 {
        // Two backups in each millisecond.
        made.push(store.backup(Timestamp(NOW.0 + n / 2)).unwrap());
    }
    assert_eq!(made.iter().collect::<BTreeSet<_>>().len(), 14);
    let names = fs::read_dir(folder.path().join("backups")).unwrap();
    let names: BTreeSet<_> = names.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(names.len(), 12, "{names:?}");
    assert!(made.iter().skip(4).all(|path| names.contains(path)));
    assert!(
        made.last()
            .unwrap()
            .ends_with("store-20260102T030405.684Z-001.db"),
        "{made:?}"
    );
}

#[test]
fn a_backup_that_cannot_be_written_leaves_nothing_behind_and_the_store_works_on() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let mut store = open(folder.path());
    fs::remove_dir_all(folder.path().join("backups")).unwrap();
    let error = store.backup(NOW).unwrap_err().to_string();
    assert!(
        error.contains("write backup") && error.contains("there is no folder"),
        "{error}"
    );
    let (event, board, touched, effects) = nth_turn(21);
    assert_eq!(
        commit(&mut store, &event, (&board, &touched), &effects).unwrap(),
        21
    );
}

#[test]
fn a_backup_is_made_beside_the_writer_that_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let mut store = open(folder.path());
    let backup = dbs::adapters::store::SqliteStore::backup_while_running(&files(folder.path()), NOW).unwrap();
    let before = store.load().unwrap();
    let (event, board, touched, effects) = nth_turn(21);
    commit(&mut store, &event, (&board, &touched), &effects).unwrap();
    let other = tempfile::tempdir().unwrap();
    fs::create_dir_all(other.path().join("dbs")).unwrap();
    fs::copy(&backup, files(other.path()).database).unwrap();
    assert_eq!(open(other.path()).load().unwrap(), before);
}
