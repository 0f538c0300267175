//! Damaged files: no panic, plain words, and no further damage.

use std::fs;
use std::path::Path;

use dbs::adapters::store::{SqliteStore, attempts_at};
use dbs::ports::store::{Store, StoreError, StoredEvent};

use super::boards::{self, NOW, commit, files, nth_turn, owner};
use super::refusals::{contents, filled};

/// Result of opening a store and reading everything in it.
fn outcome(folder: &Path) -> Result<(), StoreError> {
    let mut store = SqliteStore::open(&files(folder), &owner(), NOW)?;
    store.load()?;
    store.reader().events(0, usize::MAX, None)?;
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
fn a_database_cut_off_anywhere_is_told() {
    let good = good();
    assert!(try_bytes(&good, "whole"));
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

/// Returns the content of a store as one text; damaged parts that it names are left out and counted.
fn told(folder: &Path) -> Result<(String, usize), StoreError> {
    let mut store = SqliteStore::open(&files(folder), &owner(), NOW)?;
    let board = store.load()?;
    let events = store.reader().events(0, usize::MAX, None)?;
    let is_named = |event: &&StoredEvent| event.notices.iter().any(|notice| notice.kind == "damage");
    let named: Vec<u64> = events.iter().filter(is_named).map(|event| event.seq).collect();
    let kept: Vec<_> = events.iter().filter(|event| !is_named(event)).collect();
    let text = format!("{board:?} {kept:?} {:?}", store.open_intents()?);
    Ok((text, named.len()))
}

/// The board as a reader sees it, with or without the writer.
fn read(folder: &Path) -> Result<String, StoreError> {
    let reader = SqliteStore::open_reader(&files(folder))?.unwrap();
    let board = reader.load()?;
    reader.events(0, usize::MAX, None)?;
    Ok(format!("{board:?}"))
}

#[test]
fn a_row_that_was_changed_without_its_checksum_is_refused_by_readers_too() {
    for change in [
        "UPDATE tasks SET doc = replace(doc, 'Title of', 'Forged') WHERE id = 't-3'",
        "UPDATE tasks SET title = 'forged' WHERE id = 't-3'",
        "UPDATE tasks SET sum = NULL WHERE id = 't-3'",
    ] {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path());
        read(folder.path()).unwrap();
        let raw = rusqlite::Connection::open(files(folder.path()).database).unwrap();
        assert_eq!(raw.execute(change, []).unwrap(), 1, "{change}");
        raw.close().unwrap();
        let refused = read(folder.path()).unwrap_err();
        assert!(
            matches!(&refused, StoreError::Damaged { why, .. } if why.contains("task t-3")),
            "{change}: {refused}"
        );
    }
}

#[test]
fn attempts_are_read_by_their_own_checksums_alone() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let raw = rusqlite::Connection::open(files(folder.path()).database).unwrap();
    let (id, task): (i64, String) = raw
        .query_row("SELECT id, task FROM attempts LIMIT 1", [], |row| row.try_into())
        .unwrap();
    let read = || attempts_at(&files(folder.path()), &task.as_str().into());
    let before = read().unwrap();
    assert!(!before.is_empty());
    let elsewhere = "UPDATE tasks SET title = 'forged' WHERE id = 't-3'";
    assert_eq!(raw.execute(elsewhere, []).unwrap(), 1);
    assert_eq!(read().unwrap(), before);
    let forged = "UPDATE attempts SET doc = replace(doc, '\"stage\"', '\"Stage\"') WHERE id = ?1";
    assert_eq!(raw.execute(forged, [id]).unwrap(), 1);
    let refused = read().unwrap_err();
    assert!(
        matches!(&refused, StoreError::Damaged { why, .. } if why.contains(&format!("attempt {id}"))),
        "{refused}"
    );
}

#[test]
fn a_log_that_was_cut_off_changed_or_removed_is_refused_by_readers_and_by_the_writer() {
    type Mishap = fn(&Path);
    let mishaps: [(&str, Mishap); 4] = [
        ("cut in the middle", |log| {
            let bytes = fs::read(log).unwrap();
            fs::write(log, bytes.get(..bytes.len() / 2).unwrap()).unwrap();
        }),
        ("cut by a byte", |log| {
            let bytes = fs::read(log).unwrap();
            fs::write(log, bytes.get(..bytes.len() - 1).unwrap()).unwrap();
        }),
        ("a flipped byte", |log| {
            let mut bytes = fs::read(log).unwrap();
            let at = bytes.len() / 2;
            *bytes.get_mut(at).unwrap() ^= 0xff;
            fs::write(log, bytes).unwrap();
        }),
        ("removed", |log| fs::remove_file(log).unwrap()),
    ];
    for (name, mishap) in mishaps {
        let (live, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut store = boards::open(live.path());
        for n in 1..=20 {
            let (event, board, touched, effects) = nth_turn(n);
            commit(&mut store, &event, (&board, &touched), &effects).unwrap();
        }
        read(live.path()).unwrap();
        // As after a power loss: the log is not yet merged into the database.
        let (from, to) = (files(live.path()).database, files(folder.path()).database);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        for end in ["", "-wal", "-last"] {
            let beside = |path: &Path| format!("{}{end}", path.display());
            fs::copy(beside(&from), beside(&to)).unwrap();
        }
        assert_eq!(read(folder.path()).unwrap(), read(live.path()).unwrap(), "{name}");
        drop(fs::remove_file(format!("{}-shm", to.display())));
        mishap(Path::new(&format!("{}-wal", to.display())));
        let refused = read(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("but turn 20 was written"), "{name}: {refused}");
        assert!(outcome(folder.path()).is_err(), "{name}");
    }
}

#[test]
fn a_database_that_is_gone_is_missed_by_readers_while_anything_beside_it_tells_of_it() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    fs::remove_file(files(folder.path()).database).unwrap();
    let refused = SqliteStore::open_reader(&files(folder.path()))
        .unwrap_err()
        .to_string();
    assert!(refused.contains("it is gone, but"), "{refused}");
    assert!(outcome(folder.path()).is_err());
    assert!(
        !files(folder.path()).database.exists(),
        "no new database is created"
    );
}

#[test]
fn a_flipped_bit_is_refused_or_named_and_never_believed() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let good = fs::read(files(folder.path()).database).unwrap();
    let (whole, _) = told(folder.path()).unwrap();
    let (mut state, mut refused, mut named, mut harmless) = (0x2545_f491_4f6c_dd1d_u64, 0, 0, 0);
    // Any bit, and then one bit of every byte of the header.
    for n in 0..500_u64 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let mut bytes = good.clone();
        let header = n.checked_sub(400);
        let bit = header.map_or(state % (good.len() as u64 * 8), |byte| byte * 8 + state % 8);
        let bit = usize::try_from(bit).unwrap();
        *bytes.get_mut(bit / 8).unwrap() ^= 1 << (bit % 8);
        let other = tempfile::tempdir().unwrap();
        let place = files(other.path());
        fs::create_dir_all(place.database.parent().unwrap()).unwrap();
        fs::write(&place.database, &bytes).unwrap();
        let board = read(other.path());
        let said = told(other.path());
        // The header contains a version that only the writer checks.
        assert!(
            header.is_some() || board.is_ok() == said.is_ok(),
            "flip {n}, bit {bit}: {board:?}, {said:?}"
        );
        assert!(
            board.map_or_else(|_| said.is_err(), |board| whole.starts_with(&board)),
            "flip {n}, bit {bit}: no reader accepts a wrong board"
        );
        match said {
            Ok((text, 0)) => {
                assert_eq!(text, whole, "flip {n}, bit {bit}: no wrong text is accepted");
                harmless += 1;
            }
            Ok(_) => named += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(
        named > 2 && refused > 50,
        "{refused} refused, {named} named, {harmless} harmless"
    );
}

#[test]
fn a_notice_whose_text_was_changed_is_named_and_never_believed() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let database = files(folder.path()).database;
    let mut bytes = fs::read(&database).unwrap();
    let text = br#""text":"turn 7""#;
    let places = (0..bytes.len()).filter(|at| bytes.get(*at..at + text.len()) == Some(text));
    let places: Vec<usize> = places.collect();
    assert_eq!(places.len(), 1, "the text is in its notice alone");
    *bytes.get_mut(places[0] + text.len() - 4).unwrap() = b'm';
    fs::write(&database, &bytes).unwrap();
    let store = SqliteStore::open(&files(folder.path()), &owner(), NOW).unwrap();
    let events = store.reader().events(0, usize::MAX, None).unwrap();
    let damaged = events
        .iter()
        .filter(|event| event.notices.iter().any(|notice| notice.kind == "damage"));
    assert_eq!(damaged.map(|event| event.seq).collect::<Vec<_>>(), [7]);
    let shown = format!("{events:?}");
    assert!(shown.contains("turn 6") && !shown.contains("turm"), "{shown}");
}

#[test]
fn a_damaged_event_is_named_and_all_else_is_there() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path());
    let database = files(folder.path()).database;
    let before = told(folder.path()).unwrap().0;
    let mut bytes = fs::read(&database).unwrap();
    let raw = rusqlite::Connection::open(&database).unwrap();
    let doc: String = raw
        .query_row("SELECT doc FROM events WHERE seq = 7", [], |row| row.get(0))
        .unwrap();
    raw.close().unwrap();
    let at = bytes
        .windows(doc.len())
        .position(|part| part == doc.as_bytes())
        .unwrap();
    let digit = doc.bytes().position(|byte| byte.is_ascii_digit()).unwrap();
    *bytes.get_mut(at + digit).unwrap() ^= 1;
    fs::write(&database, &bytes).unwrap();
    let mut store = SqliteStore::open(&files(folder.path()), &owner(), NOW).unwrap();
    let events = store.reader().events(0, usize::MAX, None).unwrap();
    let damaged: Vec<u64> = events
        .iter()
        .filter(|event| event.notices.iter().any(|notice| notice.kind == "damage"))
        .map(|event| event.seq)
        .collect();
    assert_eq!((events.len(), damaged.len()), (20, 1));
    let board = format!("{:?}", store.load().unwrap());
    assert!(before.starts_with(&board), "the board is unchanged");
    let (event, board, touched, effects) = nth_turn(21);
    assert_eq!(
        commit(&mut store, &event, (&board, &touched), &effects).unwrap(),
        21
    );
}
