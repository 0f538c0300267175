//! Output of a terminal: every byte arrives once and in order, however often the reader dies.

use std::io::{Read, Write};

use dbs::adapters::holder::protocol::{HolderReply, HolderStatus};
use dbs::domain::ProcessExit;
use dbs::ports::holders::{HolderId, Holders, PaneSize};

use super::bench::{Bench, Dice, Seen, wait_for};

const LINES: usize = 30_000;

#[cfg(any(target_os = "linux", target_os = "macos"))]
#[test]
fn the_erase_key_takes_a_whole_letter() {
    let bench = Bench::new();
    bench.start(
        "1",
        "stty -a; stty erase '^H'; echo ready; read x; echo \"got <$x>\"",
    );
    bench.wait_for_output("1", "ready");
    bench
        .holders
        .send(&HolderId::new("1"), "ab\u{e9}\u{8}c\r".as_bytes())
        .expect("sent");
    bench.wait_for_output("1", "got <abc>");
    bench.end("1");
}

#[test]
fn output_is_complete_and_in_order_however_often_the_reader_dies() {
    let bench = Bench::new();
    let script = format!("i=0; while [ $i -lt {LINES} ]; do echo line $i; i=$((i+1)); done; exit 7");
    bench.start("1", &script);
    let (mut seen, mut dice, mut sessions) = (Seen::default(), Dice(1), 0);
    let mut is_over = false;
    while !is_over {
        let Ok(mut connection) = bench.holders.connect(&HolderId::new("1")) else {
            // The end was sent to a reader that broke off before it. All output is on disk, where the next reader finds it.
            let kept = bench.tail("1", 1024 * 1024).into_bytes();
            assert!(kept.starts_with(&seen.bytes), "the log has other output");
            seen.bytes = kept;
            break;
        };
        let from = dice.below(seen.bytes.len() + 1);
        connection.requests.attach(from as u64).expect("attached");
        let frames = 1 + dice.below(40);
        for _ in 0..frames {
            let reply = connection
                .replies
                .next_reply()
                .expect("readable")
                .expect("it goes on until the end");
            is_over = seen.take(reply);
            if is_over {
                break;
            }
        }
        sessions += 1;
    }
    let expected: String = (0..LINES)
        .flat_map(|line| ["line ".into(), line.to_string(), "\r\n".into()])
        .collect();
    assert!(
        seen.bytes == expected.as_bytes(),
        "{} bytes instead of {}",
        seen.bytes.len(),
        expected.len()
    );
    assert!(sessions > 3, "the reader died only {sessions} times");
    assert_eq!(bench.end("1").exit, ProcessExit::Code(7));
    assert_eq!(bench.tail("1", 12), "line 29999\r\n");
}

#[test]
fn what_is_typed_arrives_and_is_not_in_the_log_unless_echoed() {
    let bench = Bench::new();
    bench.start("1", "stty -echo; echo ready; read x; echo \"got ${#x}\"");
    bench.wait_for_output("1", "ready");
    bench
        .holders
        .send(&HolderId::new("1"), b"geheim\r")
        .expect("typed");
    bench.wait_for_output("1", "got 6");
    assert!(!bench.tail("1", 1000).contains("geheim"));
    assert_eq!(bench.end("1").exit, ProcessExit::Code(0));
}

#[test]
fn a_new_size_arrives_and_is_never_under_two() {
    let bench = Bench::new();
    bench.start(
        "1",
        "trap 'stty size' WINCH; stty size; while :; do sleep 0.02; done",
    );
    bench.wait_for_output("1", "24 80");
    let mut connection = bench.connect("1");
    connection
        .requests
        .resize(PaneSize::cells(101, 33))
        .expect("asked");
    bench.wait_for_output("1", "33 101");
    connection.requests.resize(PaneSize::cells(0, 1)).expect("asked");
    bench.wait_for_output("1", "2 2\r");
    connection.requests.status().expect("asked");
    let Ok(Some(HolderReply::Status(HolderStatus { size, .. }))) = connection.replies.next_reply() else {
        panic!("no snapshot")
    };
    assert_eq!((size.cols, size.rows), (2, 2));
}

#[test]
fn a_newer_peer_replaces_an_older_one_and_both_see_every_byte_they_are_told() {
    let bench = Bench::new();
    bench.start("1", "echo one; read x; echo two; read x");
    let mut older = bench.connect("1");
    older.requests.attach(0).expect("attached");
    let mut before = Seen::default();
    while !before.bytes.ends_with(b"one\r\n") {
        before.take(older.replies.next_reply().expect("readable").expect("open"));
    }
    let mut newer = bench.connect("1");
    newer.requests.attach(0).expect("attached");
    assert_eq!(
        older.replies.next_reply().expect("readable"),
        Some(HolderReply::Replaced)
    );
    newer.requests.input(b"\r").expect("typed");
    let mut after = Seen::default();
    while !after.bytes.ends_with(b"two\r\n") {
        after.take(newer.replies.next_reply().expect("readable").expect("open"));
    }
    // The older peer may still ask, and say goodbye.
    older.requests.status().expect("asked");
    assert!(matches!(
        older.replies.next_reply(),
        Ok(Some(HolderReply::Status(_)))
    ));
    older.requests.detach().expect("asked");
    assert_eq!(older.replies.next_reply().expect("readable"), None);
}

#[test]
fn input_nobody_reads_is_bounded_and_a_stop_still_gets_through() {
    let bench = Bench::new();
    bench.start("1", "stty raw -echo; echo ready; exec sleep 1000");
    bench.wait_for_output("1", "ready");
    let refused = bench
        .holders
        .send(&HolderId::new("1"), &vec![b'x'; 9 * 1024 * 1024])
        .expect_err("too much");
    assert!(refused.0.contains("does not read"), "{refused}");
    let stopped = bench
        .holders
        .stop(&HolderId::new("1"), dbs::domain::Span(2000))
        .expect("stopped");
    assert_eq!(stopped.survivors, 0);
}

#[test]
fn a_long_paste_arrives_whole_at_a_program_that_reads_it() {
    let bench = Bench::new();
    bench.start(
        "1",
        "stty raw -echo; echo ready; head -c 3000000 | tr -d x; echo end",
    );
    bench.wait_for_output("1", "ready");
    let mut paste = vec![b'x'; 3_000_000];
    for (at, mark) in [(1, b'a'), (300_000, b'b'), (1_500_000, b'c'), (2_999_999, b'd')] {
        paste[at] = mark;
    }
    bench.holders.send(&HolderId::new("1"), &paste).expect("typed");
    bench.wait_for_output("1", "abcdend");
}

#[test]
fn a_stranger_who_does_not_greet_or_speaks_another_version_is_refused() {
    let bench = Bench::new();
    let launched = bench.start("1", "sleep 1000");
    for (said, code) in [
        (&b"\0\0\0\x03\x01\0\x09"[..], 2),
        (b"\0\0\0\x01\x06", 3),
        (b"\0\0\0\x02\x01\0", 3),
    ] {
        let mut stream = std::os::unix::net::UnixStream::connect(&launched.socket).expect("reachable");
        stream.write_all(said).expect("written");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("closed in good order");
        assert_eq!(answer.get(4..7), Some(&[0x87, 0, code][..]), "{answer:?}");
    }
    let mut huge = std::os::unix::net::UnixStream::connect(&launched.socket).expect("reachable");
    huge.write_all(&[0xff; 64]).expect("written");
    let mut rest = Vec::new();
    // The connection is closed with bytes unread, so both the end and a reset are fine.
    drop(huge.read_to_end(&mut rest));
    assert_eq!(rest, b"");
    // A request of a future version is refused, and the conversation goes on.
    let mut stream = std::os::unix::net::UnixStream::connect(&launched.socket).expect("reachable");
    stream
        .write_all(b"\0\0\0\x03\x01\0\x01\0\0\0\x01\x6f\0\0\0\x01\x06")
        .expect("written");
    let mut answer = vec![0; 11];
    stream.read_exact(&mut answer).expect("a welcome");
    let mut head = [0; 7];
    stream.read_exact(&mut head).expect("a refusal");
    assert_eq!(head.get(4..), Some(&[0x87, 0, 1][..]));
    wait_for("the holder to live on", || {
        matches!(bench.state("1"), dbs::ports::holders::HolderLiveness::Running(_))
    });
}
