//! The two emulators against each other: they were written independently and must show the same for the same bytes. Steps that touch a
//! known gap are left out (see the lists in `sequences.rs`): text that stops in the last column, insert mode, no wrapping, clusters of
//! several wide characters, changed widths, and lines and columns that scroll in with a background.

use crate::random::Random;
use crate::screen::{cells, cursor};
use dbs::term::{Cell, CellAttributes, CellStyle, Color, EmulatorKind, Size, Terminal, Underline};
use proptest::prelude::*;

const COLS: u16 = 20;
const ROWS: u16 = 8;
/// The column of wide characters, counted from one; so their second half is at this index, counted from zero.
const WIDE: usize = 18;

/// A cell without the parts that the second emulator cannot show.
fn comparable(cell: &Cell) -> (String, CellStyle) {
    let mut style = cell.style;
    style.underline_color = Color::Default;
    if style.underline != Underline::None {
        style.underline = Underline::Single;
    }
    for unseen in [
        CellAttributes::BLINK,
        CellAttributes::HIDDEN,
        CellAttributes::STRIKE,
    ] {
        style.attributes.set(unseen, false);
    }
    // A second half is drawn with the first, and only the background of a blank cell is visible.
    match cell.text.as_str() {
        "" => style = CellStyle::default(),
        " " => {
            style = CellStyle {
                bg: style.bg,
                ..CellStyle::default()
            }
        }
        _ => {}
    }
    (cell.text.to_string(), style)
}

fn screen(terminal: &mut Terminal) -> Vec<Vec<(String, CellStyle)>> {
    cells(terminal)
        .iter()
        .map(|row| row.iter().map(comparable).collect())
        .collect()
}

const WORDS: &[&str] = &["a", "word", "e\u{301}", "─", "x y"];
const MOVES: &[&str] = &["A", "B", "E", "F", "d", "e", "G"];
#[rustfmt::skip]
const EDITS: &[&str] = &["@", "P", "X", "L", "M", "S", "T", "J", "K", "1J", "1K", "2J", "2K", "?J"];
/// Words long enough to go over the margin, and a word far from it.
const LONG: &[&str] = &["abcdefghij", "ab日本defg", "─────────"];
const STYLES: &[&str] = &["", "1", "3;31", "38;5;200", "7", "4", "22;24;27", "38:2::9:9:9"];
const CONTROLS: &[&str] = &[
    "\r\n",
    "\r",
    "\n",
    "\t",
    "\x1bM",
    "\x1bD",
    "\x1bE",
    "\x1b[m\x1b7\x1b[Hsaved\x1b8",
];
#[rustfmt::skip]
const SCREENS: &[&str] = &["\x1b[m\x1b[?1049h", "\x1b[?1049l", "\x1b[m\x1b[?47h", "\x1b[?1047l", "\x1b[!p", "\x1bc"];
const MODES: &[&str] = &["\x1b[?6h", "\x1b[?6l", "\x1b[r"];
#[rustfmt::skip]
const OTHERS: &[&str] = &["\x1b(0lqk\x1b(B", "\x1bH", "\x1b[g", "\x1b[2I", "\x1b[Z", "\x1b[5Ga\x1b[3b", "\x1b]0;x\x07", "\x1b#8"];

/// Returns true if a wide character was moved away from the place where `step` puts it, to one where an edit can cut it in half.
fn wide_moved(screen: &[Vec<(String, CellStyle)>]) -> bool {
    screen
        .iter()
        .flat_map(|row| row.iter().enumerate())
        .any(|(column, (text, _))| text.is_empty() && column != WIDE)
}

/// A step outside the known gaps.
fn step(random: &mut Random, wide_moved: bool) -> String {
    let row = random.below(u64::from(ROWS)) + 1;
    let place = format!("\x1b[{row};{}H", random.below(12) + 1);
    match random.below(14) {
        // On an erased line, because no standard says which colour remains of half a wide character.
        0 => format!("{place}\x1b[2K\x1b[44mword\x1b[49m"),
        // In its own columns, so that no text is written over half of it.
        1 => format!("\x1b[{row};{WIDE}H日"),
        2..4 => place + random.word(WORDS),
        4 => format!("\x1b[{row};15H{}", random.word(LONG)),
        5 => format!("\x1b[{}{}", random.below(9), random.word(MOVES)),
        6 | 7 => place + &edit(random, wide_moved),
        8 => random.word(CONTROLS).to_owned(),
        9 => format!("\x1b[{row};{}r", random.below(u64::from(ROWS)) + 1),
        10 => random.word(MODES).to_owned(),
        11 => random.word(SCREENS).to_owned(),
        12 => format!("\x1b[{}m", random.word(STYLES)),
        _ => random.word(OTHERS).to_owned(),
    }
}

/// Erasing with a background, or inserting and deleting without one. There is no background where half of a wide character may be erased,
/// because no standard says which colour the other half gets.
fn edit(random: &mut Random, wide_moved: bool) -> String {
    let edit = random.word(EDITS);
    let counted = edit.len() == 1 && !"JK".contains(edit);
    let count = if counted {
        random.below(5).to_string()
    } else {
        String::new()
    };
    let erases = edit.ends_with(['J', 'K', 'X']);
    let colour = if erases && !wide_moved {
        random.word(&["", "42", "48;2;1;2;3"])
    } else {
        "49"
    };
    format!("\x1b[{colour}m\x1b[{count}{edit}\x1b[49m")
}

fn compare(seed: u64, steps: usize) -> Result<(), String> {
    let mut random = Random::new(seed);
    let [mut rio, mut vt100] = EmulatorKind::ALL.map(|kind| Terminal::new(kind, Size::new(COLS, ROWS), 50));
    let mut fed = String::new();
    let mut moved = false;
    for _ in 0..steps {
        let bytes = step(&mut random, moved);
        fed.push_str(&bytes);
        rio.feed(0, bytes.as_bytes());
        vt100.feed(0, bytes.as_bytes());
        let (one, other) = (screen(&mut rio), screen(&mut vt100));
        moved = wide_moved(&one);
        let row = one.iter().zip(&other).position(|(one, other)| one != other);
        if let Some(row) = row {
            let show =
                |row: &[(String, CellStyle)]| row.iter().map(|(text, _)| text.as_str()).collect::<String>();
            let styles = one[row]
                .iter()
                .zip(&other[row])
                .position(|(one, other)| one != other);
            return Err(format!(
                "seed {seed}: row {row}, column {styles:?} after {bytes:?}\n  rio   {:?} {:?}\n  vt100 {:?} {:?}\n  all {fed:?}",
                show(&one[row]),
                one[row][styles.unwrap()].1,
                show(&other[row]),
                other[row][styles.unwrap()].1
            ));
        }
        if cursor(&rio) != cursor(&vt100) {
            return Err(format!(
                "seed {seed}: cursor {:?} and {:?} after {bytes:?}\n  all {fed:?}",
                cursor(&rio),
                cursor(&vt100)
            ));
        }
    }
    Ok(())
}

#[test]
fn both_emulators_agree_on_fixed_sessions() {
    let wrong: Vec<String> = (0..300).filter_map(|seed| compare(seed, 80).err()).collect();
    assert!(
        wrong.is_empty(),
        "{} of 300 differ, such as\n{}",
        wrong.len(),
        wrong.iter().take(6).cloned().collect::<Vec<_>>().join("\n")
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_emulators_agree_on_random_sessions(seed in any::<u64>()) {
        if let Err(text) = compare(seed, 60) {
            return Err(TestCaseError::fail(text));
        }
    }
}
