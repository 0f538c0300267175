//! Copies, restoring, and the repair of every kind of damage: the result is right, or the loss is reported.

use std::fs;
use std::path::Path;

use dbs::adapters::store::SqliteStore;
use dbs::domain::{Board, Command, Event, RequestId, TaskDraft, Timestamp, Workflow};
use dbs::formats::workflow;
use dbs::ports::store::{Store, StoreError, Turn};

use super::boards::{NOW, files, open, owner};

/// Takes the turns `first` to `last` of a real history: the first adds the workflows, each other turn creates a task.
fn live(folder: &Path, (first, last): (u64, u64)) {
    let mut store = open(folder);
    let mut board = store.load().unwrap();
    board.sleep();
    for n in first..=last {
        let create = Command::Create(TaskDraft {
            batch: "shop".into(),
            ..TaskDraft::new(&format!("t-{n}"), "Build it with care")
        });
        let event = match n {
            1 => Event::WorkflowsLoaded(workflows()),
            _ => Event::Asked {
                request: RequestId(n),
                by: "ann".to_owned(),
                command: create,
            },
        };
        let at = Timestamp(NOW.0 + n);
        let effects = board.apply(at, &event);
        let changed = board.take_changed_rows();
        let turn = Turn {
            at,
            event: &event,
            board: &board,
            changed: &changed,
            effects: &effects,
        };
        assert_eq!(store.commit(&turn).unwrap(), n);
    }
}

fn workflows() -> Vec<Workflow> {
    let all = workflow::builtin().into_iter();
    all.filter_map(|(name, text)| workflow::read(Path::new(name), text).0)
        .collect()
}

/// A store of 20 turns with a backup of the first 12.
fn with_backup(folder: &Path) {
    live(folder, (1, 12));
    SqliteStore::backup_while_running(&files(folder), NOW).unwrap();
    live(folder, (13, 20));
}

fn tasks(folder: &Path) -> Vec<String> {
    let board: Board = open(folder).load().unwrap();
    board.tasks.keys().map(ToString::to_string).collect()
}

fn repair(folder: &Path) -> Result<String, StoreError> {
    SqliteStore::repair(&files(folder), &owner(), NOW)
}

/// Flips one bit of the last character of the text wherever it is in the file, because pages also contain unused data.
fn flip(folder: &Path, text: &str) {
    flip_bits(folder, text, 0b1);
}

fn flip_bits(folder: &Path, text: &str, bits: u8) {
    let database = files(folder).database;
    let mut bytes = fs::read(&database).unwrap();
    let places = bytes.windows(text.len()).enumerate();
    let found: Vec<usize> = places
        .filter_map(|(at, part)| (part == text.as_bytes()).then_some(at))
        .collect();
    assert!(!found.is_empty(), "no {text}");
    for at in found {
        *bytes.get_mut(at + text.len() - 1).unwrap() ^= bits;
    }
    fs::write(&database, bytes).unwrap();
}

/// Changes rows without updating their checksums.
fn damage(folder: &Path, sql: &str) {
    let raw = rusqlite::Connection::open(files(folder).database).unwrap();
    assert!(raw.execute(sql, []).unwrap() > 0);
}

/// Damages the store in a folder.
type Damage = fn(&Path);

/// A name, the damage to a store, the number of tasks left after its repair, and the words of the repair.
const DAMAGES: [(&str, Damage, usize, &str); 8] = [
    ("nothing", |_| {}, 19, "the store is whole"),
    (
        "a row of the board",
        |folder| {
            damage(
                folder,
                "UPDATE tasks SET doc = replace(doc, 'care', 'cars') WHERE id = 't-20'",
            );
        },
        19,
        "computed anew from 20 events, 0 of them from backups; the damaged file is kept",
    ),
    (
        "an event that a backup has",
        |folder| flip(folder, "\"request\":7"),
        19,
        "computed anew from 20 events, 1 of them from backups; the damaged file is kept",
    ),
    (
        "an event that no backup has",
        |folder| flip(folder, "\"request\":17"),
        19,
        "event 17 cannot be read any more, also from backups; the board is whole",
    ),
    (
        "the last event, which no backup has, and a row of the board",
        |folder| {
            damage(
                folder,
                "UPDATE tasks SET doc = replace(doc, 'care', 'cars') WHERE id = 't-5'",
            );
            flip(folder, "\"request\":20");
        },
        18,
        "computed anew from 19 events, 0 of them from backups; what came after the last of them is lost",
    ),
    (
        "two events that are no text, which a backup has",
        |folder| {
            flip_bits(folder, "\"request\":3", 0b1000_0000);
            flip_bits(folder, "\"request\":12", 0b1000_0000);
        },
        19,
        "computed anew from 20 events, 2 of them from backups; the damaged file is kept",
    ),
    (
        "an empty file",
        |folder| fs::write(files(folder).database, "").unwrap(),
        11,
        "what came after the last of them is lost",
    ),
    (
        "no file",
        |folder| fs::remove_file(files(folder).database).unwrap(),
        11,
        "what came after the last of them is lost",
    ),
];

#[test]
fn every_kind_of_damage_is_repaired_or_told_with_what_is_lost() {
    for (name, damage, left, words) in DAMAGES {
        let folder = tempfile::tempdir().unwrap();
        with_backup(folder.path());
        damage(folder.path());
        let said = repair(folder.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(said.contains(words), "{name}: {said}");
        assert_eq!(tasks(folder.path()).len(), left, "{name}: {said}");
    }
}

#[test]
fn a_database_that_is_cut_off_or_overwritten_is_repaired_from_what_is_left_and_backups() {
    for cut in [1, 3, 6, 9] {
        let folder = tempfile::tempdir().unwrap();
        with_backup(folder.path());
        let length = fs::metadata(files(folder.path()).database).unwrap().len();
        let file = fs::OpenOptions::new()
            .write(true)
            .open(files(folder.path()).database);
        file.unwrap().set_len(length * cut / 10).unwrap();
        let said = repair(folder.path()).unwrap();
        let is_told = said.contains("is lost");
        assert!(
            is_told && tasks(folder.path()).len() >= 11,
            "cut to {cut} tenths: {said}"
        );
    }
    let folder = tempfile::tempdir().unwrap();
    with_backup(folder.path());
    let length = fs::read(files(folder.path()).database).unwrap().len();
    fs::write(files(folder.path()).database, vec![7; length]).unwrap();
    let said = repair(folder.path()).unwrap();
    assert!(
        said.contains("is lost") && tasks(folder.path()).len() == 11,
        "{said}"
    );
}

#[test]
fn flipped_bits_anywhere_are_repaired_to_the_same_board_or_to_an_earlier_one_that_is_told() {
    let folder = tempfile::tempdir().unwrap();
    with_backup(folder.path());
    let good = fs::read(files(folder.path()).database).unwrap();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for n in 0..60 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let bit = usize::try_from(state % (good.len() as u64 * 8)).unwrap();
        let mut bytes = good.clone();
        *bytes.get_mut(bit / 8).unwrap() ^= 1 << (bit % 8);
        for suffix in ["-wal", "-shm"] {
            drop(fs::remove_file(format!(
                "{}{suffix}",
                files(folder.path()).database.display()
            )));
        }
        fs::write(files(folder.path()).database, bytes).unwrap();
        match repair(folder.path()) {
            Ok(said) => {
                let left = tasks(folder.path()).len();
                let is_told = said.contains("is lost") && left >= 11;
                assert!(left == 19 || is_told, "flip {n}, bit {bit}: {left} tasks, {said}");
            }
            Err(StoreError::Newer { .. } | StoreError::Failed { .. } | StoreError::Damaged { .. }) => {}
            Err(other) => panic!("flip {n}, bit {bit}: {other}"),
        }
    }
}

#[test]
fn a_store_without_events_and_backups_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    live(folder.path(), (1, 3));
    fs::write(files(folder.path()).database, "nothing").unwrap();
    let error = repair(folder.path()).unwrap_err().to_string();
    assert!(error.contains("no backup is whole"), "{error}");
    assert_eq!(fs::read(files(folder.path()).database).unwrap(), b"nothing");
}

#[test]
fn a_backup_of_another_history_gives_no_events() {
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    live(folder.path(), (1, 20));
    live(other.path(), (1, 10));
    SqliteStore::backup_to(
        &files(other.path()),
        &files(folder.path()).backups.join("store-x.db"),
    )
    .unwrap();
    flip(folder.path(), "\"request\":7");
    let raw = rusqlite::Connection::open(files(folder.path()).backups.join("store-x.db")).unwrap();
    raw.execute_batch("DROP TRIGGER events_stay; UPDATE events SET at = at + 1, sum = NULL; UPDATE about SET summed_from = 99")
        .unwrap();
    raw.close().unwrap();
    let said = repair(folder.path()).unwrap();
    assert!(said.contains("event 7 cannot be read any more"), "{said}");
    let raw = rusqlite::Connection::open(files(folder.path()).database).unwrap();
    raw.execute("UPDATE tasks SET priority = 9 WHERE id = 't-20'", [])
        .unwrap();
    raw.close().unwrap();
    let said = repair(folder.path()).unwrap();
    assert!(
        said.contains("put back from") && said.contains("is lost"),
        "{said}"
    );
    assert_eq!(tasks(folder.path()).len(), 9);
}

#[test]
fn a_copy_is_put_back_with_the_old_one_kept_and_never_under_a_running_server() {
    let folder = tempfile::tempdir().unwrap();
    let place = files(folder.path());
    live(folder.path(), (1, 5));
    let copy = folder.path().join("copy.db");
    SqliteStore::backup_to(&place, &copy).unwrap();
    let again = SqliteStore::backup_to(&place, &copy).unwrap_err().to_string();
    assert!(again.contains("choose another"), "{again}");
    live(folder.path(), (6, 9));
    let restore = |from: &Path| SqliteStore::restore(&place, &owner(), from, NOW);
    let server = open(folder.path());
    assert!(matches!(restore(&copy), Err(StoreError::Locked { .. })));
    drop(server);
    let torn = folder.path().join("torn.db");
    let bytes = fs::read(&copy).unwrap();
    fs::write(&torn, bytes.get(..bytes.len() / 2).unwrap()).unwrap();
    assert!(matches!(restore(&torn), Err(StoreError::Damaged { .. })));
    assert_eq!(tasks(folder.path()).len(), 8, "the store is unchanged");
    let aside = restore(&copy).unwrap().unwrap();
    assert_eq!(tasks(folder.path()).len(), 4);
    drop(restore(&aside).unwrap());
    assert_eq!(tasks(folder.path()).len(), 8, "the old store is whole");
}

#[test]
fn a_database_that_lacks_turns_which_were_written_is_refused_and_repaired_as_far_as_backups_reach() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, own) = (folder.path(), files(folder.path()));
    live(folder, (1, 12));
    let old = fs::read(&own.database).unwrap();
    live(folder, (13, 16));
    let copy = SqliteStore::backup_while_running(&own, NOW).unwrap();
    live(folder, (17, 20));
    // As after a kill after which the log was removed, too.
    fs::write(&own.database, &old).unwrap();
    let refused = SqliteStore::open(&own, &owner(), NOW).unwrap_err().to_string();
    assert!(
        refused.contains("its last turn is 12, but turn 20 was written"),
        "{refused}"
    );
    let said = repair(folder).unwrap();
    assert!(
        said.contains("16 events, 4 of them from backups; what came after the last of them is lost"),
        "{said}"
    );
    assert_eq!(tasks(folder).len(), 15, "each turn but the first created a task");

    live(folder, (17, 18));
    fs::remove_file(copy).unwrap();
    SqliteStore::backup_while_running(&own, NOW).unwrap();
    fs::write(&own.database, &old).unwrap();
    let said = repair(folder).unwrap();
    assert!(
        said.contains("18 events, 6 of them from backups") && !said.contains("lost"),
        "{said}"
    );
    assert_eq!(tasks(folder).len(), 17);
    fs::remove_file(&own.database).unwrap();
    assert!(
        SqliteStore::open(&own, &owner(), NOW).is_err(),
        "a new board would hide the loss"
    );
    repair(folder).unwrap();
    assert_eq!(tasks(folder).len(), 17);
}

#[test]
fn a_number_of_the_last_turn_that_cannot_be_read_or_is_behind_refuses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, own) = (folder.path(), files(folder.path()));
    live(folder, (1, 3));
    let number = own.database.with_extension("db-last");
    assert_eq!(fs::read_to_string(&number).unwrap().trim_end().parse(), Ok(3));
    for text in ["", "nothing", "00000000000000000002\n"] {
        fs::write(&number, text).unwrap();
        open(folder);
    }
}
