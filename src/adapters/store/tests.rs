//! Upgrades from format to format, with steps made up for the purpose.

use std::fs;
use std::path::Path;

use rusqlite::Connection;

use super::schema::{APPLICATION, MIGRATIONS, Migration, format_of, migrate};
use super::{LockOwner, SqliteStore, StoreFiles};
use crate::domain::board::ChangedRows;
use crate::domain::{Board, Event, Timestamp};
use crate::ports::store::{Store, StoreError, Turn};

const NOW: Timestamp = Timestamp(1_767_323_045_678);

const MORE: Migration = Migration {
    name: "0002_colour",
    sql: "ALTER TABLE tasks ADD COLUMN colour TEXT; UPDATE about SET min_reader = 2;",
};
const THIRD: Migration = Migration {
    name: "0003_shape",
    sql: "ALTER TABLE tasks ADD COLUMN shape TEXT;",
};
const BROKEN: Migration = Migration {
    name: "0003_broken",
    sql: "ALTER TABLE tasks ADD COLUMN half TEXT; SELECT no_such_function();",
};

fn files(folder: &Path) -> StoreFiles {
    StoreFiles {
        ballast_bytes: 0,
        ..StoreFiles::new(&folder.join("dbs"), &folder.join("backups"))
    }
}

fn open(folder: &Path, steps: &[Migration]) -> Result<SqliteStore, StoreError> {
    SqliteStore::open_with(&files(folder), &LockOwner::default(), NOW, steps)
}

/// A turn of the newest format, and a bare event of an older one.
fn tick(store: &mut SqliteStore) {
    let connection = &store.database.connection;
    if !super::sums::are_kept(connection).unwrap() {
        let sql = "INSERT INTO events (session, at, kind, doc) VALUES (1, 5, 'ticked', '\"ticked\"')";
        connection.execute(sql, []).unwrap();
        return;
    }
    let (board, touched) = (Board::default(), ChangedRows::default());
    let turn = Turn {
        at: NOW,
        event: &Event::Ticked,
        board: &board,
        changed: &touched,
        effects: &[],
    };
    store.commit(&turn).unwrap();
}

fn backups(folder: &Path) -> Vec<String> {
    let all = fs::read_dir(folder.join("backups")).unwrap();
    let mut names: Vec<String> = all
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn the_steps_are_sound_from_an_empty_database_on() {
    let mut connection = Connection::open_in_memory().unwrap();
    for to in 1..=MIGRATIONS.len() {
        migrate(&mut connection, MIGRATIONS, to).unwrap();
        assert_eq!(format_of(&connection).unwrap(), i64::try_from(to).unwrap());
    }
    assert!(
        MIGRATIONS
            .iter()
            .zip(1..)
            .all(|(step, n)| step.name.starts_with(&format!("{n:04}_")))
    );
    assert_eq!(&APPLICATION.to_be_bytes(), b"dbs\x01");
}

#[test]
fn the_linked_database_engine_is_free_of_the_log_reset_defect() {
    assert!(rusqlite::version_number() >= 3_051_003, "{}", rusqlite::version());
}

#[test]
fn an_old_database_is_brought_up_step_by_step_with_a_copy_before_each() {
    let folder = tempfile::tempdir().unwrap();
    let steps = [MIGRATIONS[0], MORE, THIRD];
    tick(&mut open(folder.path(), &steps[..1]).unwrap());
    assert!(backups(folder.path()).is_empty());
    let mut store = open(folder.path(), &steps).unwrap();
    assert_eq!(store.reader().events(0, 10, None).unwrap().len(), 1);
    tick(&mut store);
    assert_eq!(format_of(&store.database.connection).unwrap(), 3);
    let stamp = "20260102T030405.678Z-000.db";
    assert_eq!(
        backups(folder.path()),
        [
            format!("before-0002_colour-{stamp}"),
            format!("before-0003_shape-{stamp}")
        ]
    );
    for (name, format) in backups(folder.path()).iter().zip(1..) {
        let copy = Connection::open(folder.path().join("backups").join(name)).unwrap();
        assert_eq!(format_of(&copy).unwrap(), format);
    }
    drop(store);
    drop(open(folder.path(), &steps).unwrap());
    assert_eq!(backups(folder.path()).len(), 2, "nothing to do, nothing copied");
}

#[test]
fn a_step_that_fails_leaves_the_format_before_it() {
    let folder = tempfile::tempdir().unwrap();
    tick(&mut open(folder.path(), &[MIGRATIONS[0]]).unwrap());
    let error = open(folder.path(), &[MIGRATIONS[0], MORE, BROKEN])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("0003_broken") && error.contains("no_such_function"),
        "{error}"
    );
    let store = open(folder.path(), &[MIGRATIONS[0], MORE]).unwrap();
    let columns = "SELECT count(*) FROM pragma_table_info('tasks') WHERE name IN ('colour', 'half')";
    let found: i64 = store
        .database
        .connection
        .query_row(columns, [], |row| row.get(0))
        .unwrap();
    assert_eq!(found, 1, "the good step was taken, the broken one not by halves");
}

#[test]
fn a_step_that_breaks_references_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    tick(&mut open(folder.path(), &[MIGRATIONS[0]]).unwrap());
    let astray = Migration {
        name: "0002_astray",
        sql: "INSERT INTO attempts (id, task, stage, state, open, created_at, seq, doc) VALUES (1, 'none', '', '', 0, 0, 0, '{}');",
    };
    assert!(open(folder.path(), &[MIGRATIONS[0], astray]).is_err());
    drop(open(folder.path(), &[MIGRATIONS[0]]).unwrap());
}

/// Returns the answer of the writer's own connection, which may differ from that of another one.
#[test]
fn the_writer_flushes_every_turn_keeps_a_log_beside_and_checks_references() {
    let folder = tempfile::tempdir().unwrap();
    // Once when it is made, once when it is found.
    for _ in 0..2 {
        let mut store = open(folder.path(), MIGRATIONS).unwrap();
        tick(&mut store);
        let number = |name: &str| -> i64 {
            let answer = store
                .database
                .connection
                .pragma_query_value(None, name, |row| row.get(0));
            answer.unwrap()
        };
        assert_eq!(
            number("synchronous"),
            2,
            "full: on the disk before it is acknowledged"
        );
        assert_eq!(number("foreign_keys"), 1);
        assert_eq!(number("trusted_schema"), 0);
        assert_eq!(number("cell_size_check"), 1);
        assert_eq!(number("fullfsync"), 1);
        assert_eq!(number("checkpoint_fullfsync"), 1);
        let mode: String = store
            .database
            .connection
            .pragma_query_value(None, "journal_mode", |row| row.get(0))
            .unwrap();
        assert_eq!(mode, "wal");
    }
}
