//! A disk without space: no partial turns, the reserve is used, and freed space is enough to continue.
#![expect(
    clippy::disallowed_methods,
    reason = "the door: starts this program again where nobody can mount"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use dbs::adapters::store::{SqliteStore, StoreFiles};
use dbs::ports::store::{Store, StoreError};

use super::boards::{NOW, commit, files, nth_turn, owner};
use super::small_disk::SmallDisk;

fn small_files(folder: &Path) -> StoreFiles {
    StoreFiles {
        ballast_bytes: 512 << 10,
        ..files(folder)
    }
}

fn turn(store: &mut SqliteStore, n: u64) -> Result<u64, StoreError> {
    let (event, board, touched, effects) = nth_turn(n);
    commit(store, &event, (&board, &touched), &effects)
}

/// The last accepted turn, the number of turns after the reserve was released, and the error that ended them.
fn turn_until_refused(store: &mut SqliteStore, place: &StoreFiles, first: u64) -> (u64, u64, StoreError) {
    let mut last = first;
    let mut warned_at = None;
    loop {
        match turn(store, last + 1) {
            Ok(seq) => last = seq,
            Err(error) => return (last, last - warned_at.unwrap(), error),
        }
        if store.warning().is_some() && warned_at.is_none() {
            assert!(!place.ballast.exists());
            warned_at = Some(last);
        }
    }
}

#[test]
fn a_full_disk_uses_up_the_reserve_then_refuses_whole_turns_and_goes_on_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let Some(small) = SmallDisk::mount(folder.path(), "4m") else {
        return;
    };
    let place = small_files(folder.path());
    let mut store = SqliteStore::open(&place, &owner(), NOW).unwrap();
    assert_eq!(turn(&mut store, 1).unwrap(), 1);
    assert_eq!(store.warning(), None);
    assert_eq!(fs::metadata(&place.ballast).unwrap().len(), 512 << 10);
    small.fill(u64::MAX);
    let (last, on_reserve, refused) = turn_until_refused(&mut store, &place, 1);
    assert!(
        on_reserve >= 5,
        "the reserve was good for {on_reserve} turns only"
    );
    assert!(refused.to_string().contains("disk is full"), "{refused}");
    for _ in 0..3 {
        assert!(turn(&mut store, last + 1).is_err());
        assert_eq!(store.load().unwrap().last_attempt, last);
    }
    small.free();
    assert_eq!(turn(&mut store, last + 1).unwrap(), last + 1);
    drop(store);
    let mut store = SqliteStore::open(&place, &owner(), NOW).unwrap();
    assert_eq!(store.load().unwrap().last_attempt, last + 1);
    assert_eq!(
        store.reader().events(0, usize::MAX, None).unwrap().len() as u64,
        last + 1
    );
    assert_eq!(store.warning(), None);
    assert!(place.ballast.exists());
}

#[test]
fn a_store_reopened_on_a_full_disk_has_every_acknowledged_turn() {
    let folder = tempfile::tempdir().unwrap();
    let Some(small) = SmallDisk::mount(folder.path(), "3m") else {
        return;
    };
    let place = StoreFiles {
        ballast_bytes: 0,
        ..files(folder.path())
    };
    let mut store = SqliteStore::open(&place, &owner(), NOW).unwrap();
    let mut last = 0;
    small.fill(u64::MAX);
    while let Ok(seq) = turn(&mut store, last + 1) {
        last = seq;
    }
    // As after a crash: the log still exists, and there is no room to merge it.
    let reader = SqliteStore::open_reader(&place).unwrap().unwrap();
    assert_eq!(reader.load().unwrap().last_attempt, last);
    drop(store);
    drop(reader);
    small.free();
    let mut store = SqliteStore::open(&place, &owner(), NOW).unwrap();
    assert_eq!(store.load().unwrap().last_attempt, last);
    assert_eq!(turn(&mut store, last + 1).unwrap(), last + 1);
}

/// Runs one test of this program where neither mount nor sudo is found.
fn without_mount(is_ci: bool) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            "full_disk::a_store_cannot_be_made_on_a_full_disk_and_can_be_later",
        ])
        .env("PATH", folder.path());
    if is_ci {
        command.env("CI", "true");
    } else {
        command.env_remove("CI");
    }
    command.output().unwrap()
}

#[test]
fn a_full_disk_that_is_not_tested_is_told_to_people_and_fails_in_ci() {
    let output = without_mount(false);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.contains("skipped: mounting"),
        "{output:?}"
    );
    assert!(!without_mount(true).status.success());
}

#[test]
fn a_store_cannot_be_made_on_a_full_disk_and_can_be_later() {
    let folder = tempfile::tempdir().unwrap();
    let Some(small) = SmallDisk::mount(folder.path(), "1m") else {
        return;
    };
    let place = small_files(folder.path());
    small.fill(u64::MAX);
    let refused = SqliteStore::open(&place, &owner(), NOW).unwrap_err();
    assert!(matches!(refused, StoreError::Failed { .. }), "{refused}");
    assert!(!place.database.exists());
    small.free();
    drop(SqliteStore::open(&place, &owner(), NOW).unwrap());
}
