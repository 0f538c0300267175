//! Programs that write more than any reader takes.
#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    reason = "waits until a program has been still for a time"
)]

use std::time::{Duration, Instant};

use dbs::adapters::holder::protocol::{HolderReply, HolderStatus};
use dbs::adapters::holder::{HolderConnection, IndexEntry, LogReader};
use dbs::domain::{ProcessExit, Span};
use dbs::ports::holders::{HolderId, HolderLiveness, Holders, LaunchSpec};

use super::bench::{Bench, Seen, memory, wait_for};

const MIB: u64 = 1024 * 1024;

fn on_disk(bench: &Bench, id: &str) -> u64 {
    let files = std::fs::read_dir(bench.attempts.join(id).join("tty")).expect("a folder");
    // A file may vanish between the listing and the look at it.
    files
        .flatten()
        .filter_map(|file| file.metadata().ok())
        .map(|file| file.len())
        .sum()
}

fn snapshot(connection: &mut HolderConnection) -> HolderStatus {
    connection.requests.status().expect("asked");
    loop {
        if let Some(HolderReply::Status(found)) = connection.replies.next_reply().expect("readable") {
            return found;
        }
    }
}

#[test]
fn a_flood_nobody_watches_stays_within_its_limit_and_ends_with_the_right_bytes() {
    let bench = Bench::new();
    let limit = 16 * MIB;
    let script = "head -c 157286400 /dev/urandom | base64 -w 0; echo; echo THE END; exit 2";
    let launched = bench
        .launch(&LaunchSpec {
            log_limit: Some(limit),
            ..bench.spec("1", script)
        })
        .expect("started");
    let mut most = (0, 0);
    while let HolderLiveness::Running(_) = bench.state("1") {
        // The holder may end between the two looks.
        if std::path::Path::new(&format!("/proc/{}/status", launched.holder_pid)).exists() {
            most = (
                most.0.max(on_disk(&bench, "1")),
                most.1.max(memory(launched.holder_pid, "RssAnon")),
            );
        }
        std::thread::park_timeout(Duration::from_millis(5));
    }
    assert!(most.0 <= limit + MIB, "{} bytes were on disk", most.0);
    assert!(most.1 < 8 * 1024, "{} KiB of memory", most.1);
    assert_eq!(bench.end("1").exit, ProcessExit::Code(2));
    assert!(bench.tail("1", 100).ends_with("\r\nTHE END\r\n"));
    let end = 157_286_400 / 3 * 4 + 2 + 9;
    let mut log = LogReader::open(&bench.attempts.join("1")).expect("readable");
    assert_eq!(log.end().expect("readable"), end);
    let dropped = log
        .index_entries()
        .expect("readable")
        .into_iter()
        .rev()
        .find_map(|note| match note {
            IndexEntry::Dropped { to, .. } => Some(to),
            _ => None,
        });
    let kept = end - dropped.expect("much was dropped");
    assert!(
        kept > limit / 2 && log.tail(u64::MAX).expect("readable").bytes.len() as u64 == kept,
        "{kept} kept"
    );
}

#[test]
fn a_reader_that_does_not_read_slows_the_program_and_costs_no_memory() {
    let bench = Bench::new();
    let launched = bench.start("1", "i=1000000; while :; do echo $i; i=$((i+1)); done");
    let before = memory(launched.holder_pid, "RssAnon");
    let mut reader = bench.connect("1");
    reader.requests.attach(0).expect("attached");
    let mut watcher = bench.connect("1");
    let (mut last, mut since) = (0, Instant::now());
    wait_for("the program to stand still", || {
        let end = snapshot(&mut watcher).end;
        if end != last {
            (last, since) = (end, Instant::now());
        }
        since.elapsed() > Duration::from_secs(2)
    });
    let grown = memory(launched.holder_pid, "RssAnon") - before;
    assert!(grown < 2048, "{grown} KiB more while the reader slept");
    assert!(last < 2 * MIB, "{last} bytes got out");
    let mut seen = Seen::default();
    while seen.bytes.len() < usize::try_from(last + MIB).expect("small") {
        seen.take(reader.replies.next_reply().expect("readable").expect("open"));
    }
    for (number, line) in (1_000_000..).zip(seen.bytes.split_inclusive(|byte| *byte == b'\n')) {
        assert!(
            line == format!("{number}\r\n").as_bytes() || !line.ends_with(b"\n"),
            "line {number}"
        );
    }
    // A reader that hangs must not prevent a stop.
    let stopped = bench
        .holders
        .stop(&HolderId::new("1"), Span(1000))
        .expect("stopped");
    assert_eq!(stopped.survivors, 0);
}

#[test]
fn a_program_whose_reader_left_goes_on() {
    let bench = Bench::new();
    bench.start(
        "1",
        "read x; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo THE END",
    );
    let reader = bench.connect("1");
    reader.requests.attach(0).expect("attached");
    reader.requests.input(b"\r").expect("typed");
    let mut watcher = bench.connect("1");
    wait_for("the reader to be behind", || snapshot(&mut watcher).end > 300_000);
    drop((reader, watcher));
    assert_eq!(bench.end("1").exit, ProcessExit::Code(0));
    assert!(bench.tail("1", 100).ends_with("THE END\r\n"));
}
