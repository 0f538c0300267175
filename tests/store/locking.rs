//! At most one server per project at any time.

use std::fs;

use dbs::adapters::store::{LockOwner, ServerLock, SqliteStore};
use dbs::ports::store::StoreError;

use super::boards::{NOW, files, open, owner};
use super::child::Other;

const RACERS: usize = 50;

#[test]
fn of_fifty_processes_that_open_the_store_at_once_exactly_one_wins() {
    for _ in 0..3 {
        let folder = tempfile::tempdir().unwrap();
        let mut racers: Vec<Other> = (0..RACERS).map(|_| Other::start("race", folder.path())).collect();
        for racer in &racers {
            assert_eq!(racer.hear().as_deref(), Some("ready"));
        }
        racers.iter_mut().for_each(Other::go);
        let mut said: Vec<String> = racers.iter().filter_map(Other::hear).collect();
        said.sort_unstable();
        let mut wanted = vec!["lost".to_owned(); RACERS - 1];
        wanted.push("won".to_owned());
        assert_eq!(said, wanted);
        drop(racers);
        drop(open(folder.path()));
    }
}

#[test]
fn who_is_refused_is_told_who_holds_the_lock_and_how_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    let first = LockOwner {
        process: std::process::id(),
        socket: "/run/one.sock".to_owned(),
    };
    let store = SqliteStore::open(&files, &first, NOW).unwrap();
    let refused = SqliteStore::open(&files, &owner(), NOW).unwrap_err();
    assert!(
        matches!(&refused, StoreError::Locked { owner, .. } if *owner == first.process.to_string()),
        "{refused}"
    );
    assert!(refused.to_string().contains("dbs attach"), "{refused}");
    assert_eq!(ServerLock::owner(&files.lock), Some(first));
    drop(store);
    drop(SqliteStore::open(&files, &owner(), NOW).unwrap());
}

#[test]
fn a_lock_file_left_behind_is_no_lock() {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    fs::create_dir_all(files.lock.parent().unwrap()).unwrap();
    fs::write(&files.lock, "1\n/somewhere\n").unwrap();
    let store = open(folder.path());
    assert_eq!(ServerLock::owner(&files.lock).unwrap(), owner());
    drop(store);
}

/// Asserts that a server that tries to take the lock waits until this owner releases it.
fn is_waited_for(owner_before: &LockOwner) {
    let folder = tempfile::tempdir().unwrap();
    let files = files(folder.path());
    fs::create_dir_all(files.lock.parent().unwrap()).unwrap();
    let held = ServerLock::take(&files.lock, owner_before).unwrap();
    let (files, take) = (&files, &std::sync::Barrier::new(2));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(move || {
            take.wait();
            ServerLock::take(&files.lock, &owner()).map(drop)
        });
        take.wait();
        // Longer than the wait for the lock of a server.
        std::thread::park_timeout(std::time::Duration::from_millis(1_500));
        assert!(!waiting.is_finished(), "the server still waits for the lock");
        drop(held);
        waiting.join().unwrap().unwrap();
    });
}

#[test]
fn a_lock_whose_owner_was_killed_is_waited_for_until_what_it_was_starting_lets_go() {
    is_waited_for(&LockOwner {
        process: Other::dead(),
        socket: "/run/one.sock".to_owned(),
    });
}

#[test]
fn a_lock_of_a_command_is_waited_for_until_it_has_written() {
    is_waited_for(&LockOwner::this_process());
}
