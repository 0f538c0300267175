//! Damaged files: no panic, plain words, and nothing made worse.

use std::fs;
use std::path::Path;

use dbs::adapters::store::SqliteStore;
use dbs::ports::store::{Store, StoreError};

use super::boards::{NOW, files, owner};
use super::refusals::{contents, filled};

/// What came of opening and reading everything.
fn outcome(folder: &Path) -> Result<(), StoreError> {
    let mut store = SqliteStore::open(&files(folder), &owner(), NOW)?;
    store.load()?;
    store.events(0, usize::MAX, None)?;
    store.open_intents()?;
    Ok(())
}

/// Opens `bytes` as a database, and checks that a refusal is in plain words and changes nothing.
fn try_bytes(bytes: &[u8], name: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let dbs = files.database.parent().unwrap();
    fs::create_dir_all(dbs).unwrap();
    fs::write(&files.database, bytes).unwrap();
    match outcome(folder.path()) {
        Ok(()) => true,
        Err(StoreError::Damaged { path, why, backups }) => {
            assert_eq!((path, backups), (files.database.clone(), files.backups), "{name}");
            assert!(!why.is_empty(), "{name}");
            assert_eq!(
                contents(dbs).get(&files.database).unwrap(),
                bytes,
                "{name}: {why}"
            );
            false
        }
        Err(StoreError::Newer { .. }) => false,
        Err(other) => {
            assert!(other.to_string().contains("store.db"), "{name}: {other}");
            false
        }
    }
}

fn good() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    fs::read(files(folder.path()).database).unwrap()
}

#[test]
fn a_flipped_byte_anywhere_is_harmless_or_told() {
    let good = good();
    assert!(try_bytes(&good, "whole"));
    let mut told = 0;
    for n in 0..200 {
        let offset = if n < 100 {
            n
        } else {
            good.len() * (n - 100) / 100 + n
        };
        let mut bytes = good.clone();
        if let Some(byte) = bytes.get_mut(offset) {
            *byte ^= 0xff;
        }
        told += usize::from(!try_bytes(&bytes, &format!("flipped at {offset}")));
    }
    assert!(told >= 40, "only {told} of 200 were noticed");
}

#[test]
fn a_database_cut_off_anywhere_is_told() {
    let good = good();
    for n in 0..50 {
        let length = good.len() * n / 50;
        let cut = good.get(..length).unwrap();
        assert!(
            !try_bytes(cut, &format!("cut off at {length}")),
            "cut off at {length}"
        );
    }
}

#[test]
fn pages_of_zeros_are_told() {
    let good = good();
    for page in 0..good.len() / 4096 {
        let mut bytes = good.clone();
        bytes.get_mut(page * 4096..(page + 1) * 4096).unwrap().fill(0);
        assert!(!try_bytes(&bytes, &format!("page {page}")), "page {page}");
    }
}

#[test]
fn a_row_that_is_no_json_is_told_with_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let raw = rusqlite::Connection::open(files(folder.path()).database).unwrap();
    raw.execute("UPDATE tasks SET doc = '{\"id\":' WHERE id = 't-3'", [])
        .unwrap();
    raw.close().unwrap();
    let error = outcome(folder.path()).unwrap_err();
    assert!(
        matches!(&error, StoreError::Damaged { why, .. } if why.contains("cannot be understood")),
        "{error}"
    );
    assert!(error.to_string().contains("backups are in"), "{error}");
}
