//! A full disk: the agent goes on, the log says what it lacks, and the end is right.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

use dbs::adapters::holder::{IndexEntry, LogChunk, LogReader};
use dbs::domain::ProcessExit;
use dbs::ports::holders::{HolderId, Holders};

use super::bench::{Bench, wait_for};
use super::small_disk::SmallDisk;

#[test]
fn a_full_disk_does_not_stop_the_agent_and_its_end_is_recorded() {
    let home = tempfile::tempdir().expect("a folder");
    let attempts = home.path().join("attempts");
    fs::create_dir(&attempts).expect("ours");
    let Some(disk) = SmallDisk::mount(&attempts, "3m") else {
        return;
    };
    let bench = Bench::at(home, attempts.clone());
    disk.fill(1024 * 1024);
    let script = "seq 1000000 1999999; echo one > flooded; read x; echo back again; read x; \
                  seq 1000000 1999999; echo two > flooded; read x; exit 5";
    let spec = bench.spec("1", script);
    let flooded = spec.cwd.join("flooded");
    bench.launch(&spec).expect("started");
    let has_written = |word: &str| fs::read_to_string(&flooded).is_ok_and(|text| text.trim() == word);
    wait_for("the first flood to pass a full disk", || has_written("one"));
    disk.free();
    // What is written now is stored again.
    wait_for("storing to work again", || {
        bench.holders.send(&HolderId::new("1"), b" ").expect("typed");
        let log = LogReader::open(&attempts.join("1")).expect("readable");
        log.index_entries()
            .expect("readable")
            .iter()
            .any(|note| matches!(note, IndexEntry::Incomplete { .. }))
    });
    bench.holders.send(&HolderId::new("1"), b"\r").expect("typed");
    bench.wait_for_output("1", "back again");
    check_gap(&attempts.join("1"));
    // From now on the disk is full to the end.
    bench.holders.send(&HolderId::new("1"), b"\r").expect("typed");
    wait_for("the second flood to pass a full disk", || has_written("two"));
    fs::write(attempts.join("more"), vec![0; 4 * 1024 * 1024]).expect_err("the disk is full");
    bench.holders.send(&HolderId::new("1"), b"\r").expect("typed");
    assert_eq!(bench.end("1").exit, ProcessExit::Code(5));
    let record = fs::read_to_string(attempts.join("1/exit.json")).expect("written");
    let record: serde_json::Value = serde_json::from_str(&record).expect("whole");
    assert!(
        record.get("output").and_then(serde_json::Value::as_u64) > Some(2 * 8 * 1_000_000),
        "{record}"
    );
    // The disk is unmounted before the folder below it is removed.
    drop(disk);
}

/// Asserts that everything before the gap is what was written, and that the gap is where the index says.
fn check_gap(attempt: &Path) {
    let mut log = LogReader::open(attempt).expect("readable");
    let noted = log
        .index_entries()
        .expect("readable")
        .into_iter()
        .find_map(|note| match note {
            IndexEntry::Incomplete { from, to, .. } => Some((from, to)),
            _ => None,
        });
    let (mut at, mut text) = (0, Vec::new());
    loop {
        match log.read_from(at, 100_000).expect("readable") {
            LogChunk::Bytes { bytes, .. } => {
                at += bytes.len() as u64;
                text.extend(bytes);
            }
            LogChunk::Gap { from, to } => {
                assert_eq!(Some((from, to)), noted);
                break;
            }
            LogChunk::End => panic!("no gap, but the index has {noted:?}"),
        }
    }
    let expected: String = (1_000_000..2_000_000)
        .flat_map(|number: u32| [number.to_string(), "\r\n".into()])
        .collect();
    assert!(
        text.len() > 500_000 && expected.as_bytes().starts_with(&text),
        "{} bytes before the gap",
        text.len()
    );
}
