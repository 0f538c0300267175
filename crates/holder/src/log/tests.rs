//! The log against a plain copy of what was written.

use std::path::Path;

use super::*;
use dbs_domain::Timestamp;
use dbs_ports::holders::PaneSize;

const SIZE: PaneSize = PaneSize::cells(80, 24);
/// The least limit: segments of 128 KiB, of which about six stay.
const LIMIT: u64 = 1024 * 1024;

/// Bytes that tell their offset and do not compress to nothing.
fn noise(from: u64, count: usize) -> Vec<u8> {
    let mix = |at: u64| at.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes()[0] ^ (at >> 9).to_le_bytes()[0];
    (from..from + count as u64).map(mix).collect()
}

fn pack_all(log: &mut LogWriter) {
    while let Some((folder, number)) = log.next_to_pack() {
        let outcome = pack(&folder, number);
        assert!(outcome.is_ok(), "{outcome:?}");
        log.packed(number, outcome);
    }
}

fn write(log: &mut LogWriter, from: u64, pieces: usize, piece: usize) -> u64 {
    let mut at = from;
    for number in 0..pieces {
        let count = piece - number % 7;
        log.append(&noise(at, count), Timestamp(at));
        at += count as u64;
    }
    at
}

/// An offset and the bytes found there.
type Run = (u64, Vec<u8>);

/// Everything from `offset` on, with the gaps on the way.
fn read_all(folder: &Path, offset: u64) -> (Vec<Run>, Vec<(u64, u64)>) {
    let mut log = LogReader::open(folder).expect("readable");
    let (mut at, mut runs, mut gaps) = (offset, Vec::new(), Vec::new());
    loop {
        match log.read_from(at, 10_000).expect("readable") {
            LogChunk::Bytes { offset, bytes } => {
                assert_eq!(offset, at);
                at += bytes.len() as u64;
                runs.push((offset, bytes));
            }
            LogChunk::Gap { from, to } => {
                assert!(from == at && to > from, "{from}..{to} at {at}");
                gaps.push((from, to));
                at = to;
            }
            LogChunk::End => return (runs, gaps),
        }
    }
}

fn stored_bytes(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder.join("tty")).expect("a folder");
    let size = |file: std::io::Result<std::fs::DirEntry>| {
        file.expect("an entry").metadata().expect("its size").len()
    };
    files.map(size).sum()
}

#[test]
fn what_was_written_is_read_back_from_any_offset_across_raw_and_compressed_segments() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut log = LogWriter::create(folder.path(), 16 * LIMIT, SIZE, Timestamp(0)).expect("begun");
    let end = write(&mut log, 0, 1000, 4096);
    pack_all(&mut log);
    let last = write(&mut log, end, 100, 4096);
    for start in [0, 1, 131_071, 131_072, end - 1, end, last - 1] {
        let (runs, gaps) = read_all(folder.path(), start);
        assert_eq!(gaps, []);
        let read: Vec<u8> = runs.into_iter().flat_map(|(_, bytes)| bytes).collect();
        assert!(
            read == noise(start, usize::try_from(last - start).expect("small")),
            "from {start}"
        );
    }
    assert_eq!(read_all(folder.path(), last), (Vec::new(), Vec::new()));
    let mut reader = LogReader::open(folder.path()).expect("readable");
    assert_eq!(reader.end().expect("readable"), last);
    // Back again, with the same reader, into a compressed segment.
    assert_eq!(
        reader.read_from(3, 5).expect("readable"),
        LogChunk::Bytes {
            offset: 3,
            bytes: noise(3, 5)
        }
    );
}

#[test]
fn the_oldest_is_dropped_within_the_limit_and_offsets_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut log = LogWriter::create(folder.path(), LIMIT, SIZE, Timestamp(0)).expect("begun");
    let mut at = 0;
    let mut most = 0;
    while at < 20 * LIMIT {
        at = write(&mut log, at, 20, 16 * 1024);
        most = most.max(stored_bytes(folder.path()));
        pack_all(&mut log);
        most = most.max(stored_bytes(folder.path()));
    }
    assert!(most <= LIMIT + 64 * 1024, "{most} bytes were on disk");
    let (runs, gaps) = read_all(folder.path(), 0);
    assert_eq!(gaps, [(0, log.oldest())]);
    assert!(
        at - log.oldest() > LIMIT / 2,
        "only {} bytes are left",
        at - log.oldest()
    );
    for (offset, bytes) in runs {
        assert!(bytes == noise(offset, bytes.len()), "at {offset}");
    }
    let tail = LogReader::open(folder.path())
        .and_then(|mut log| log.tail(1000))
        .expect("readable");
    assert_eq!(
        tail,
        LogTail {
            offset: at - 1000,
            bytes: noise(at - 1000, 1000)
        }
    );
    let notes = LogReader::open(folder.path())
        .and_then(|log| log.index_entries())
        .expect("readable");
    let dropped = notes.iter().rev().find_map(|note| match note {
        IndexEntry::Dropped { to, .. } => Some(*to),
        _ => None,
    });
    assert_eq!(dropped, Some(log.oldest()));
}

#[test]
fn a_reader_that_is_overtaken_by_dropping_and_compressing_finds_its_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut log = LogWriter::create(folder.path(), LIMIT, SIZE, Timestamp(0)).expect("begun");
    let mut at = write(&mut log, 0, 40, 4096);
    let mut reader = LogReader::open(folder.path()).expect("readable");
    let mut position = 0;
    let mut skipped = 0;
    while at < 8 * LIMIT {
        at = write(&mut log, at, 30, 8192);
        pack_all(&mut log);
        match reader.read_from(position, 50_000).expect("readable") {
            LogChunk::Bytes { offset, bytes } => {
                assert!(
                    offset == position && bytes == noise(offset, bytes.len()),
                    "at {offset}"
                );
                position += bytes.len() as u64;
            }
            LogChunk::Gap { to, .. } => {
                skipped += 1;
                position = to;
            }
            LogChunk::End => panic!("there is more at {position} of {at}"),
        }
    }
    assert!(skipped > 0, "the reader was never overtaken");
}

#[test]
fn sizes_and_marks_are_in_the_index_and_a_torn_line_is_skipped() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut log = LogWriter::create(folder.path(), LIMIT, SIZE, Timestamp(5)).expect("begun");
    log.append(b"hello", Timestamp(10_000));
    log.resized(PaneSize::cells(100, 30), Timestamp(10_500));
    log.append(b" world", Timestamp(10_600));
    let index = folder.path().join("tty/index.jsonl");
    let mut text = std::fs::read(&index).expect("an index");
    text.extend_from_slice(b"{\"mark\":{\"offs");
    std::fs::write(&index, text).expect("ours");
    let notes = LogReader::open(folder.path())
        .and_then(|log| log.index_entries())
        .expect("readable");
    assert_eq!(
        notes,
        [
            IndexEntry::Format { version: 1 },
            IndexEntry::Size {
                size: SIZE,
                offset: 0,
                at: Timestamp(5)
            },
            IndexEntry::Segment {
                number: 1,
                start: 0,
                at: Timestamp(10_000)
            },
            IndexEntry::Mark {
                offset: 5,
                at: Timestamp(10_000)
            },
            IndexEntry::Size {
                size: PaneSize::cells(100, 30),
                offset: 5,
                at: Timestamp(10_500)
            },
        ]
    );
    assert_eq!(read_all(folder.path(), 0).0, [(0, b"hello world".to_vec())]);
}

#[test]
fn the_index_stays_small_however_long_a_program_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut log = LogWriter::create(folder.path(), LIMIT, SIZE, Timestamp(0)).expect("begun");
    for second in 0..40_000_u64 {
        log.append(b"tick\n", Timestamp(second * 1000));
    }
    let size = std::fs::metadata(folder.path().join("tty/index.jsonl"))
        .expect("an index")
        .len();
    assert!(size <= 1024 * 1024 + 200, "{size} bytes of index");
    let notes = LogReader::open(folder.path())
        .and_then(|log| log.index_entries())
        .expect("readable");
    assert_eq!(
        notes.get(..2),
        Some(
            &[
                IndexEntry::Format { version: 1 },
                IndexEntry::Size {
                    size: SIZE,
                    offset: 0,
                    at: Timestamp(0)
                }
            ][..]
        )
    );
    assert!(
        matches!(notes.last(), Some(IndexEntry::Mark { offset: 200_000, .. })),
        "{:?}",
        notes.last()
    );
    let (runs, gaps) = read_all(folder.path(), 0);
    assert_eq!(
        (
            runs.iter().map(|(_, bytes)| bytes.len()).sum::<usize>(),
            gaps.len()
        ),
        (200_000, 0)
    );
}

#[test]
fn bytes_the_disk_did_not_take_are_one_gap_that_the_index_names_and_storing_goes_on_behind_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut log = LogWriter::create(folder.path(), LIMIT, SIZE, Timestamp(0)).expect("begun");
    let (tty, away) = (folder.path().join("tty"), folder.path().join("away"));
    let mut now = 10;
    let mut put = |log: &mut LogWriter, at: u64, count: u64| {
        now += 1;
        log.append(&noise(at, 1000), Timestamp(now * count));
        at + 1000
    };
    let mut at = 0;
    for _ in 0..10 {
        at = put(&mut log, at, 1);
    }
    // The open file goes on taking bytes; the next one cannot be made.
    std::fs::rename(&tty, &away).expect("ours");
    for _ in 0..500 {
        at = put(&mut log, at, 1);
    }
    std::fs::rename(&away, &tty).expect("ours");
    let mut last = at;
    for _ in 0..20 {
        last = put(&mut log, last, 1000);
    }
    let (runs, gaps) = read_all(folder.path(), 0);
    let [(from, to)] = gaps[..] else {
        panic!("{gaps:?}")
    };
    assert!(from == 131_000 && to == at, "{from}..{to} of {at}");
    let stored: u64 = runs.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    assert_eq!(stored, last - (to - from));
    assert!(
        runs.into_iter()
            .all(|(offset, bytes)| bytes == noise(offset, bytes.len()))
    );
    let notes = LogReader::open(folder.path())
        .and_then(|log| log.index_entries())
        .expect("readable");
    let named = |note: &IndexEntry| matches!(note, IndexEntry::Incomplete { from: first, to: next, .. } if (*first, *next) == (from, to));
    assert_eq!(notes.iter().filter(|note| named(note)).count(), 1, "{notes:?}");
}

#[test]
fn a_silence_begins_and_ends_with_a_mark_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut log = LogWriter::create(folder.path(), LIMIT, SIZE, Timestamp(0)).expect("begun");
    for (at, bytes) in [(2000, 10), (2100, 20), (2200, 30), (600_000, 40)] {
        log.append(&noise(0, bytes), Timestamp(at));
    }
    log.append(&noise(0, 5), Timestamp(600_100));
    log.finish(Timestamp(700_000));
    let notes = LogReader::open(folder.path())
        .expect("readable")
        .index_entries()
        .expect("notes");
    let marks = notes.iter().filter_map(|note| match note {
        IndexEntry::Mark { offset, at } => Some((*offset, at.0)),
        _ => None,
    });
    assert_eq!(
        marks.collect::<Vec<_>>(),
        [
            (10, 2000),
            (60, 2200),
            (100, 600_000),
            (105, 600_100),
            (105, 700_000)
        ]
    );
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_log_or_its_index_is_refused_and_not_waited_for() {
    for name in ["tty/index.jsonl", "tty/000001.log"] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut log = LogWriter::create(folder.path(), LIMIT, SIZE, Timestamp(0)).expect("begun");
        log.append(b"hello\n", Timestamp(1));
        drop(log);
        let path = folder.path().join(name);
        std::fs::remove_file(&path).expect("it was there");
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
        let read = LogReader::open(folder.path()).and_then(|mut log| {
            log.index_entries()?;
            log.tail(100)
        });
        let why = read.expect_err("no log").to_string();
        assert!(why.ends_with("it is not a regular file"), "{name}: {why}");
    }
}
