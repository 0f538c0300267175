//! A recording against the terminal that lived through it.

use serde_json::Value;

use crate::cli::commands::logs::cast::*;
use crate::term::{EmulatorKind, Size, Terminal};

fn size(offset: u64, at: u64, (cols, rows): (u16, u16)) -> IndexEntry {
    IndexEntry::Size {
        size: PaneSize::cells(cols, rows),
        offset,
        at: Timestamp(at),
    }
}

fn mark(offset: u64, at: u64) -> IndexEntry {
    IndexEntry::Mark {
        offset,
        at: Timestamp(at),
    }
}

/// The lines of the recording of that log, read a few bytes at a time; nothing is stored before `oldest`.
fn recorded(notes: &[IndexEntry], bytes: &[u8], oldest: usize) -> (Vec<Value>, Vec<(u64, u64)>) {
    let (mut lines, mut gaps) = (Vec::new(), Vec::new());
    let mut read = |offset: u64| {
        let at = usize::try_from(offset).unwrap();
        Ok(if at < oldest {
            LogChunk::Gap {
                from: offset,
                to: oldest as u64,
            }
        } else if at < bytes.len() {
            let bytes = bytes[at..].iter().copied().take(7).collect();
            LogChunk::Bytes { offset, bytes }
        } else {
            LogChunk::End
        })
    };
    let mut gone = |from, to| gaps.push((from, to));
    let mut tell = |line: &str| lines.push(serde_json::from_str(line).unwrap());
    record("attempt 7", notes, &mut read, &mut gone, &mut tell).unwrap();
    (lines, gaps)
}

/// Returns the screen that a player shows at the end.
fn played(lines: &[Value]) -> (Size, String) {
    let side = |value: &Value| u16::try_from(value.as_u64().unwrap()).unwrap();
    let head = &lines[0];
    let mut terminal = Terminal::new(
        EmulatorKind::default(),
        Size::new(side(&head["width"]), side(&head["height"])),
        100,
    );
    for line in &lines[1..] {
        let text = line[2].as_str().unwrap();
        if line[1] == "r" {
            let (cols, rows) = text.split_once('x').unwrap();
            terminal.resize(Size::new(cols.parse().unwrap(), rows.parse().unwrap()));
        } else {
            terminal.feed(0, text.as_bytes());
        }
    }
    let last = terminal.size().rows - 1;
    (terminal.size(), terminal.text(0, last, 0))
}

/// Colours, wide and joined characters, a move upward: cut anywhere, its pieces mean nothing alone.
const WRITTEN: &str =
    "\u{1b}[1;31m0123456789abcdef\u{1b}[m\r\n顧客 naïve 👩‍👩‍👧\r\n\u{1b}[A\u{1b}[2Kagain\r\n0123456789abcdefghij";

#[test]
fn a_recording_that_is_played_ends_with_the_screen_that_the_terminal_showed() {
    for cut in 0..WRITTEN.len() {
        let (before, after) = WRITTEN.as_bytes().split_at(cut);
        let mut lived = Terminal::new(EmulatorKind::default(), Size::new(10, 4), 100);
        lived.feed(0, before);
        lived.resize(Size::new(30, 6));
        lived.feed(0, after);
        let notes = [
            size(0, 1000, (10, 4)),
            size(cut as u64, 1500, (30, 6)),
            mark(WRITTEN.len() as u64, 1900),
        ];
        let (lines, gaps) = recorded(&notes, WRITTEN.as_bytes(), 0);
        assert_eq!(
            played(&lines),
            (Size::new(30, 6), lived.text(0, 5, 0)),
            "cut at {cut}: {lines:?}"
        );
        assert_eq!(gaps, []);
    }
}

#[test]
fn times_come_from_marks_and_what_came_after_a_silence_comes_at_its_end() {
    let notes = [
        size(0, 5000, (80, 24)),
        mark(4, 5400),
        mark(6, 65_400),
        size(6, 66_000, (90, 30)),
    ];
    let (lines, _) = recorded(&notes, b"abcdef", 0);
    let expected = [
        serde_json::json!({"version": 2, "width": 80, "height": 24, "timestamp": 5, "title": "attempt 7"}),
        serde_json::json!([0.1, "o", "a"]),
        serde_json::json!([0.2, "o", "b"]),
        serde_json::json!([0.3, "o", "c"]),
        serde_json::json!([0.4, "o", "d"]),
        serde_json::json!([60.4, "o", "ef"]),
        serde_json::json!([61.0, "r", "90x30"]),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn a_recording_whose_beginning_is_gone_begins_with_what_is_left_and_its_size() {
    let notes = [
        size(0, 1000, (80, 24)),
        size(3, 9000, (50, 10)),
        mark(5, 20_000),
        mark(8, 20_100),
    ];
    let (lines, gaps) = recorded(&notes, b"gone!kept", 5);
    assert_eq!(gaps, [(0, 5)]);
    assert_eq!(
        (&lines[0]["width"], &lines[0]["timestamp"]),
        (&50.into(), &20.into())
    );
    let text: String = lines[1..].iter().filter_map(|line| line[2].as_str()).collect();
    assert_eq!(text, "kept");
}

#[test]
fn a_clock_that_was_set_back_and_bytes_that_are_no_text_do_no_harm() {
    let notes = [size(0, 9000, (80, 24)), mark(2, 9500), mark(4, 1000)];
    let (lines, _) = recorded(&notes, b"ab\xff\xc3", 0);
    let times: Vec<f64> = lines[1..].iter().map(|line| line[0].as_f64().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");
    let text: String = lines[1..].iter().filter_map(|line| line[2].as_str()).collect();
    assert_eq!(text, "ab\u{fffd}\u{fffd}");
}

#[test]
fn an_attempt_that_wrote_nothing_is_a_recording_of_nothing() {
    let (lines, _) = recorded(&[size(0, 9000, (80, 24))], b"", 0);
    assert_eq!(lines.len(), 1);
}
