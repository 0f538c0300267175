//! Memory for the lines above a screen. A count, not a time.

use std::fmt::Write as _;

use dbs::term::{EmulatorKind, Size, Terminal};

const LINES: usize = 10_000;
const COLS: u16 = 120;

/// Bytes of the packed lines of a pane after more than `LINES` lines made by `line`.
fn packed(kind: EmulatorKind, line: impl Fn(usize) -> String) -> usize {
    let mut terminal = Terminal::new(kind, Size::new(COLS, 40), LINES);
    for number in 0..LINES + 500 {
        terminal.feed(0, line(number).as_bytes());
    }
    assert_eq!(terminal.history_len(), LINES);
    terminal.packed_size()
}

/// A build log: 80 characters.
fn plain(number: usize) -> String {
    format!("2026-01-01T12:00:00.{number:06}Z INFO compiled module {number:05}, no warnings, 0 errors\r\n")
}

/// A diff or a listing: one colour per word.
fn coloured(number: usize) -> String {
    let mut line = String::new();
    for word in 0..12 {
        write!(line, "\x1b[38;5;{}mword{word:02}\x1b[0m ", (number + word) % 256).unwrap();
    }
    line + "\r\n"
}

/// The worst case: another foreground, background and underline in every cell.
fn every_cell(number: usize) -> String {
    let mut line = String::new();
    for col in 0..COLS {
        let (red, green) = (number % 256, number / 256);
        write!(
            line,
            "\x1b[1;4:3;38;2;{red};{green};{col};48;2;{col};{red};{green};58:2:{green}:{col}:{red}m▀"
        )
        .unwrap();
    }
    line + "\r\n"
}

/// Least size of that many lines in an emulator: 8 bytes per cell.
const UNPACKED: usize = LINES * COLS as usize * 8;

#[test]
fn lines_take_little_more_than_their_text() {
    for kind in EmulatorKind::ALL {
        let plain = packed(kind, plain);
        let coloured = packed(kind, coloured);
        let blank = packed(kind, |_| "\r\n".to_owned());
        println!(
            "{}: {plain} bytes plain, {coloured} coloured, {blank} blank",
            kind.name()
        );
        assert!(plain < UNPACKED / 9);
        assert!(coloured < UNPACKED / 5);
        assert!(blank < UNPACKED / 60);
    }
}

#[test]
fn a_style_on_every_cell_takes_no_more_than_the_cells_it_replaces() {
    let most = LINES / 10;
    let mut terminal = Terminal::new(EmulatorKind::Rio, Size::new(COLS, 40), most);
    for number in 0..most + 500 {
        terminal.feed(0, every_cell(number).as_bytes());
    }
    let (bytes, lines) = (terminal.packed_size(), terminal.history_len());
    println!("every cell: {bytes} bytes, {lines} lines");
    assert!(bytes < UNPACKED / 10 + 64 * 1024, "{bytes} bytes");
    assert!(lines > most / 3, "{lines} lines are left");
}
