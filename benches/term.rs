//! Throughput of a terminal: scanner and emulator together, in the chunks of a pty, with a full history.
#![expect(clippy::expect_used, reason = "a bench that cannot run has failed")]

use std::fmt::Write as _;

use dbs::term::{EmulatorKind, Size, Terminal};
use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};

/// Most bytes that a read from a pty returns.
const READ: usize = 4096;
const KINDS: [&str; 2] = ["rio", "vt100"];

fn main() {
    divan::main();
}

/// Feeds `bytes` to a terminal of 200 by 50.
fn feed(bencher: Bencher<'_, '_>, kind: &str, bytes: &[u8]) {
    let kind: EmulatorKind = kind.parse().expect("a known engine");
    let mut terminal = Terminal::new(kind, Size::new(200, 50), 2000);
    terminal.feed(0, &b"a line to fill the history\r\n".repeat(3000));
    bencher.counter(BytesCount::new(bytes.len())).bench_local(|| {
        for chunk in bytes.chunks(READ) {
            black_box(terminal.feed(0, black_box(chunk)));
        }
    });
}

/// Feeds the same bytes without the scanner, to see its cost.
fn feed_bare(bencher: Bencher<'_, '_>, kind: &str, bytes: &[u8]) {
    let kind: EmulatorKind = kind.parse().expect("a known engine");
    let mut engine = kind.build(Size::new(200, 50), 2000);
    engine.feed(&b"a line to fill the history\r\n".repeat(3000));
    bencher.counter(BytesCount::new(bytes.len())).bench_local(|| {
        for chunk in bytes.chunks(READ) {
            engine.feed(black_box(chunk));
        }
    });
}

/// Lines of a build log, about 120 characters each.
#[divan::bench(args = KINDS, sample_count = 20)]
fn log_text(bencher: Bencher<'_, '_>, kind: &str) {
    feed(bencher, kind, log().as_bytes());
}

/// Reads all of 10,000 lines back, as COPY does; a test checks their memory (`tests/term/memory.rs`).
#[divan::bench(args = KINDS, sample_count = 20)]
fn read_history(bencher: Bencher<'_, '_>, kind: &str) {
    let kind: EmulatorKind = kind.parse().expect("a known engine");
    let mut terminal = Terminal::new(kind, Size::new(120, 40), 10_000);
    terminal.feed(0, log().repeat(2).as_bytes());
    let mut cells = Vec::new();
    bencher.counter(ItemsCount::new(10_000usize)).bench_local(|| {
        for back in (1..=terminal.history_len()).rev() {
            terminal.visible_row(0, back, &mut cells);
            black_box(&cells);
        }
    });
}

fn log() -> String {
    let mut text = String::new();
    for line in 0..8000 {
        write!(
            text,
            "2026-01-01T12:00:00.{line:06}Z INFO worker-{} compiled module {line} of 8000: ",
            line % 7
        )
        .expect("text");
        text.push_str("no warnings, 0 errors, 12.5 ms elapsed, cache hit\r\n");
    }
    text
}

/// Output of a diff or a compiler: one of about twenty colours for every word.
#[divan::bench(args = KINDS, sample_count = 20)]
fn coloured(bencher: Bencher<'_, '_>, kind: &str) {
    feed(bencher, kind, coloured_words().as_bytes());
}

/// The same output without the scanner.
#[divan::bench(args = KINDS, sample_count = 20)]
fn coloured_bare(bencher: Bencher<'_, '_>, kind: &str) {
    feed_bare(bencher, kind, coloured_words().as_bytes());
}

fn coloured_words() -> String {
    let mut text = String::new();
    for (word, token) in (0..60_000u32).zip(["fn", "value", "return", "self"].into_iter().cycle()) {
        let shade = word % 20 * 12;
        write!(text, "\x1b[38;2;{shade};{};90m{token}\x1b[0m ", 255 - shade).expect("text");
        if word % 12 == 11 {
            text.push_str("\r\n");
        }
    }
    text
}

/// Two letters a line: only scrolling.
#[divan::bench(args = KINDS, sample_count = 20)]
fn y_lines(bencher: Bencher<'_, '_>, kind: &str) {
    feed(bencher, kind, &b"y\r\n".repeat(60_000));
}

/// Frames of an agent: whole repaints between synchronized output, with boxes and signs.
#[divan::bench(args = KINDS, sample_count = 20)]
fn agent_frames(bencher: Bencher<'_, '_>, kind: &str) {
    let mut text = String::new();
    for frame in 0..100 {
        text.push_str("\x1b[?2026h\x1b[2J\x1b[3J\x1b[H");
        for row in 0..40 {
            write!(text, "\x1b[2K\x1b[38;5;{}m│ ✻ row {row} of frame {frame} — “quoted” 日本 \x1b[1mbold\x1b[22m │\x1b[39m\r\n", row + 16)
                .expect("text");
        }
        text.push_str("\x1b[?2026l");
    }
    feed(bencher, kind, text.as_bytes());
}
