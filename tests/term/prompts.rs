//! Marks of prompts (OSC 133 A): they stay on their line wherever it moves, and disappear with it.

use crate::screen::{fed, terminal};
use dbs::term::{EmulatorKind, Size, Terminal};

const MARK: &str = "\x1b]133;A\x07";

/// A terminal with room for that many lines above its screen.
fn roomy(cols: u16, rows: u16, lines: usize) -> Terminal {
    Terminal::new(EmulatorKind::Rio, Size::new(cols, rows), lines)
}

/// The text of all rows on which a prompt begins, oldest first.
pub(crate) fn prompts(terminal: &mut Terminal) -> Vec<String> {
    let above = (1..=terminal.history_len()).rev().map(|back| (0, back));
    let places: Vec<(u16, usize)> = above
        .chain((0..terminal.size().rows).map(|row| (row, 0)))
        .collect();
    let marked: Vec<(u16, usize)> = places
        .into_iter()
        .filter(|(row, back)| terminal.is_prompt(*row, *back))
        .collect();
    marked
        .into_iter()
        .map(|(row, back)| terminal.text(row, row, back))
        .collect()
}

/// Commands of a shell, each with that many lines of output.
fn commands(count: usize, output: usize) -> String {
    let line = "some output that is longer than twenty columns\r\n".repeat(output);
    let command = |at| format!("{MARK}{at}$ \x1b]133;B\x07make\r\n\x1b]133;C\x07{line}\x1b]133;D;0\x07");
    let commands: Vec<String> = (0..count).map(command).collect();
    commands.concat()
}

fn expected(numbers: std::ops::Range<usize>) -> Vec<String> {
    numbers.map(|at| format!("{at}$ make")).collect()
}

#[test]
fn a_mark_moves_with_its_line_into_the_history_and_into_its_packed_part() {
    let mut terminal = roomy(80, 5, 2000);
    terminal.feed(0, commands(40, 20).as_bytes());
    assert!(terminal.packed_size() > 0);
    assert_eq!(prompts(&mut terminal), expected(0..40));
}

#[test]
fn a_mark_stays_with_its_line_at_every_width() {
    let mut terminal = roomy(80, 5, 9000);
    terminal.feed(0, commands(40, 20).as_bytes());
    for cols in [20, 8, 33, 120, 80] {
        terminal.resize(Size::new(cols, 5));
        assert_eq!(prompts(&mut terminal), expected(0..40), "{cols} columns");
    }
}

#[test]
fn marks_go_with_the_lines_that_are_dropped() {
    let mut terminal = roomy(80, 5, 100);
    terminal.feed(0, commands(40, 20).as_bytes());
    assert_eq!(prompts(&mut terminal), expected(36..40));
}

#[test]
fn lines_that_scroll_inside_the_screen_take_their_marks_along() {
    let mut terminal = roomy(20, 6, 100);
    terminal.feed(0, format!("{MARK}one\r\n{MARK}two\r\n{MARK}three").as_bytes());
    terminal.feed(0, b"\x1b[2H\x1b[L");
    assert_eq!(terminal.text(0, 3, 0), "one\n\ntwo\nthree");
    assert_eq!(prompts(&mut terminal), ["one", "two", "three"]);
    terminal.feed(0, b"\x1b[3H\x1b[M");
    assert_eq!(prompts(&mut terminal), ["one", "three"]);
    terminal.feed(0, b"\x1b[H\x1b[2J");
    assert!(!terminal.is_prompt(3, 0), "a cleared row is not a prompt");
}

#[test]
fn a_full_screen_program_marks_nothing_and_hides_no_mark() {
    let mut terminal = roomy(20, 4, 100);
    terminal.feed(0, format!("{MARK}one\r\n\x1b[?1049h\x1b[H{MARK}full").as_bytes());
    assert_eq!(prompts(&mut terminal), [""; 0]);
    terminal.feed(0, b"\x1b[?1049l");
    assert_eq!(prompts(&mut terminal), ["one"]);
}

#[test]
fn only_the_beginning_of_a_prompt_is_marked() {
    let mut terminal = fed(
        EmulatorKind::Rio,
        20,
        4,
        b"\x1b]133;B\x07a\r\n\x1b]133;C\x07b\r\n\x1b]133;D\x07c",
    );
    assert_eq!(prompts(&mut terminal), [""; 0]);
}

#[test]
fn a_dump_holds_the_marks() {
    let mut original = roomy(30, 5, 100);
    original.feed(0, commands(3, 2).as_bytes());
    // A prompt that begins in the second row of a wrapped line.
    original.feed(0, format!("{}{MARK}x", "w".repeat(30)).as_bytes());
    original.feed(0, format!("\r\n{}y{MARK}z", "v".repeat(30)).as_bytes());
    let before = prompts(&mut original);
    assert_eq!(before.len(), 5);
    let mut copy = roomy(30, 5, 100);
    copy.feed(0, &original.dump(usize::MAX));
    assert_eq!(prompts(&mut copy), before);
    original.feed(0, b"\x1b[?1049hfull");
    let mut copy = roomy(30, 5, 100);
    copy.feed(0, &original.dump(usize::MAX));
    for terminal in [&mut original, &mut copy] {
        terminal.feed(0, b"\x1b[?1049l");
    }
    assert!(
        !prompts(&mut copy).is_empty(),
        "prompts of the main screen are kept"
    );
}

#[test]
fn an_emulator_without_marks_has_none() {
    let mut terminal = terminal(EmulatorKind::Vt100, 20, 4);
    terminal.feed(0, format!("{MARK}one").as_bytes());
    assert_eq!(terminal.text(0, 0, 0), "one");
    assert_eq!(prompts(&mut terminal), [""; 0]);
}
