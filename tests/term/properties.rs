//! Properties that hold for all bytes.

use crate::cases::CASES;
use crate::random::Random;
use crate::screen::{cells, cursor, halves_match, replies, row, terminal, text};
use dbs::term::{Cell, EmulatorKind, Size, TermEvent, TermMode, Terminal};
use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

/// Screen, cursor, modes, title, and all replies to the program.
#[derive(Debug, PartialEq)]
pub(crate) struct State(Vec<Vec<Cell>>, (u16, u16), dbs::term::Modes, String, Vec<u8>);

pub(crate) fn state(terminal: &mut Terminal, sent: Vec<u8>) -> State {
    State(
        cells(terminal),
        cursor(terminal),
        *terminal.modes(),
        terminal.title().to_owned(),
        sent,
    )
}

fn fed(kind: EmulatorKind, bytes: &[u8]) -> Terminal {
    let mut terminal = terminal(kind, 12, 6);
    terminal.feed(0, bytes);
    terminal
}

#[test]
fn bytes_cut_anywhere_give_the_same_screen() {
    for kind in EmulatorKind::ALL {
        for case in CASES {
            let bytes = case.input.as_bytes();
            let mut terminal = terminal(kind, case.cols, case.rows);
            let sent = replies(&terminal.feed(0, bytes));
            let want = state(&mut terminal, sent);
            for at in 1..bytes.len() {
                let mut terminal = Terminal::new(kind, Size::new(case.cols, case.rows), 100);
                let mut sent = replies(&terminal.feed(0, &bytes[..at]));
                sent.extend(replies(&terminal.feed(0, &bytes[at..])));
                assert_eq!(
                    state(&mut terminal, sent),
                    want,
                    "{} cut at {at} on {}",
                    case.name,
                    kind.name()
                );
            }
        }
    }
}

#[test]
fn a_string_cut_off_by_a_sequence_is_the_same_in_pieces() {
    for kind in EmulatorKind::ALL {
        for bytes in [
            "a\x1b]0;t\x1b[Cb\x1b]2;x\x1b\x1b\\c",
            "\x1bPq\x1b\x1b[31mred",
            "\x1b]9;\u{26a0}\x1b",
            "é\x1b]0;ü\x07日",
        ] {
            let want = {
                let mut t = fed(kind, bytes.as_bytes());
                state(&mut t, Vec::new())
            };
            let mut single = terminal(kind, 12, 6);
            for byte in bytes.bytes() {
                single.feed(0, &[byte]);
            }
            assert_eq!(state(&mut single, Vec::new()), want, "{bytes:?}");
        }
    }
}

/// Feeds a random session with resizes and checks the terminal after each step.
fn session(kind: EmulatorKind, seed: u64, steps: u64, mut check: impl FnMut(&mut Terminal)) {
    let mut random = Random::new(seed);
    let mut terminal = Terminal::new(kind, Size::new(12, 6), 20);
    for _ in 0..steps {
        if random.below(40) == 0 {
            let size = Size::new(random.below(30) as u16, random.below(12) as u16);
            terminal.resize(size);
        }
        let bytes = random.step();
        let at = usize::try_from(random.below(bytes.len() as u64 + 1)).unwrap();
        terminal.feed(0, &bytes[..at]);
        terminal.feed(0, &bytes[at..]);
        check(&mut terminal);
    }
}

/// Asserts that no panic gets out, that rows are as wide as the screen, and that the cursor is on it.
fn sound(terminal: &mut Terminal) {
    let size = terminal.size();
    let back = terminal.history_len();
    let mut cells = Vec::new();
    for (at, back) in [(0, 0), (size.rows - 1, 0), (0, back), (size.rows, 0)] {
        terminal.visible_row(at, back, &mut cells);
        assert_eq!(cells.len(), usize::from(size.cols));
        assert!(halves_match(&cells), "{cells:?}");
    }
    let cursor = terminal.cursor();
    assert!(cursor.row < size.rows && cursor.col < size.cols);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_sessions_never_panic(seed in any::<u64>()) {
        for kind in EmulatorKind::ALL {
            session(kind, seed, 150, sound);
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600), cols in 0..40u16, rows in 0..20u16) {
        for kind in EmulatorKind::ALL {
            let mut terminal = terminal(kind, cols, rows);
            terminal.feed(0, &bytes);
            sound(&mut terminal);
        }
    }

    #[test]
    fn random_sessions_in_pieces_give_the_same_screen(seed in any::<u64>(), cut in 1..9usize) {
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..60).flat_map(|_| random.step()).collect();
        for kind in EmulatorKind::ALL {
            let mut one = terminal(kind, 12, 6);
            if one.feed(0, &bytes).contains(&TermEvent::EmulatorRebuilt) {
                // The loss after a panic depends on where the bytes were cut.
                continue;
            }
            let mut many = terminal(kind, 12, 6);
            for piece in bytes.chunks(cut) {
                many.feed(0, piece);
            }
            prop_assert_eq!(state(&mut one, Vec::new()), state(&mut many, Vec::new()), "{}", kind.name());
        }
    }

    #[test]
    fn rows_that_are_not_damaged_look_the_same(seed in any::<u64>()) {
        for kind in EmulatorKind::ALL {
            let mut seen: Vec<Vec<Cell>> = Vec::new();
            let mut last = 0;
            session(kind, seed, 60, |terminal| {
                let (next, rows) = terminal.changes_since(last);
                last = next;
                let now = cells(terminal);
                for (at, new) in now.iter().enumerate() {
                    let same = now.len() == seen.len() && seen.get(at) == Some(new);
                    assert!(same || rows.contains(&u16::try_from(at).unwrap()), "row {at} on {}", kind.name());
                }
                seen = now;
            });
        }
    }

    #[test]
    fn a_dump_rebuilds_the_screen(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..50).map(|_| random.step()).filter(|step| stands(step)).flatten().collect();
        for kind in EmulatorKind::ALL {
            let mut original = fed(kind, &bytes);
            let dump = original.dump(10);
            let mut copy = fed(kind, &dump);
            if let Some(difference) = first_difference(&texts(&mut original), &texts(&mut copy)) {
                prop_assert!(false, "{} {difference}\n  {:?}\n  {:?}", kind.name(), String::from_utf8_lossy(&bytes), String::from_utf8_lossy(&dump));
            }
            prop_assert_eq!(cursor(&original), cursor(&copy), "{}", kind.name());
            for mode in [TermMode::Origin, TermMode::GraphemeClusters] {
                prop_assert_eq!(original.modes().has(mode), copy.modes().has(mode), "{}", kind.name());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// Only for the default emulator: the other one does not rewrap its lines.
    #[test]
    fn sessions_with_resizes_in_pieces_give_the_same_screen_and_history(seed in any::<u64>(), cut in 1..9usize) {
        let random = &mut Random::new(seed);
        let new = || Terminal::new(EmulatorKind::Rio, Size::new(12, 6), 4000);
        let (mut one, mut many) = (new(), new());
        for _ in 0..8 {
            let bytes: Vec<u8> = (0..30).flat_map(|_| long_step(random)).collect();
            if one.feed(0, &bytes).contains(&TermEvent::EmulatorRebuilt) {
                // The loss after a panic depends on where the bytes were cut.
                break;
            }
            for piece in bytes.chunks(cut) {
                many.feed(0, piece);
            }
            let size = Size::new(2 + random.below(30) as u16, 2 + random.below(12) as u16);
            one.resize(size);
            many.resize(size);
            prop_assert_eq!(state(&mut one, Vec::new()), state(&mut many, Vec::new()));
            let (whole, pieces) = (history(&mut one), history(&mut many));
            let differs = first_difference(&whole, &pieces);
            prop_assert!(differs.is_none(), "{differs:?}");
            prop_assert_eq!(whole.len(), pieces.len());
        }
    }
}

/// A step of any program, or lines of a log, some of them wider than the screen.
pub(crate) fn long_step(random: &mut Random) -> Vec<u8> {
    if random.below(3) > 0 {
        return random.step();
    }
    let word = random.word(&["line ", "日本語 ", "e\u{301} "]);
    let words = usize::try_from(random.below(9)).unwrap();
    let lines = usize::try_from(random.below(12)).unwrap();
    format!("{}\r\n", word.repeat(words)).repeat(lines).into_bytes()
}

/// The lines above the screen.
pub(crate) fn history(terminal: &mut Terminal) -> Vec<Vec<Cell>> {
    let mut lines = Vec::new();
    for back in 1..=terminal.history_len() {
        let mut cells = Vec::new();
        terminal.visible_row(0, back, &mut cells);
        lines.push(cells);
    }
    lines
}

/// Returns true if a step has no character that joins the letter before it, except for the accent. A joining character with a width makes
/// the cell wider, which an emulator may do only in part; one without a width that stands alone cannot be written alone again.
fn stands(step: &[u8]) -> bool {
    String::from_utf8_lossy(step).chars().all(|c| {
        let joins = c.width() == Some(0) || format!("a{c}").graphemes(true).count() == 1;
        c < ' ' || c == '\u{301}' || !joins
    })
}

/// Row and column of the first cell that differs, with both.
pub(crate) fn first_difference<T: PartialEq + std::fmt::Debug>(
    one: &[Vec<T>],
    other: &[Vec<T>],
) -> Option<String> {
    let row = one.iter().zip(other).position(|(one, other)| one != other)?;
    let col = one[row]
        .iter()
        .zip(&other[row])
        .position(|(one, other)| one != other)?;
    Some(format!(
        "row {row} column {col}: {:?} and {:?}",
        one[row][col], other[row][col]
    ))
}

fn texts(terminal: &mut Terminal) -> Vec<Vec<(String, dbs::term::CellStyle)>> {
    cells(terminal)
        .iter()
        .map(|row| {
            row.iter()
                .map(|cell| (cell.text.to_string(), cell.style))
                .collect()
        })
        .collect()
}

#[test]
fn a_dump_keeps_modes_title_and_the_screen_beneath() {
    for kind in EmulatorKind::ALL {
        let setup = "one\r\ntwo\r\n\x1b[31mthree\x1b[?1049h\x1b[Hfull\x1b[?1;2004;1003;1006h\x1b[>5u\x1b[?25l\x1b]2;name\x07\x1b[2 q";
        let mut original = fed(kind, setup.as_bytes());
        let mut copy = fed(kind, &original.dump(0));
        assert_eq!(original.modes(), copy.modes(), "{}", kind.name());
        assert_eq!(
            (original.title(), original.cursor()),
            (copy.title(), copy.cursor())
        );
        for terminal in [&mut original, &mut copy] {
            terminal.feed(0, b"\x1b[?1049l");
        }
        assert_eq!(cells(&mut original), cells(&mut copy), "{}", kind.name());
        assert_eq!(row(&mut copy, 2)[0].text, "t");
    }
}

/// A vowel sign joins the letter before it, but not one that is before it only on the screen.
#[test]
fn a_dump_joins_no_characters_that_were_apart() {
    let apart = [
        ("a sign after a gap", "\x1b[5C\u{1c27}n"),
        ("a sign in its own colour after a gap", "a\x1b[2C\x1b[31m\u{1c27}"),
        (
            "a sign before a letter that came later",
            "\x1b[5C\u{93f}\x1b[5Gn\x1b[2Gx",
        ),
        ("a sign in the last column", "\x1b[12G\u{1c27}\x1b[11Gb\x1b[12G"),
        ("a sign that waits at the end of its row", "\x1b[12G\u{1c27}"),
        (
            "half of a flag after the other",
            "\x1b[3G\u{1f1e9}\x1b[1G\u{1f1ea}",
        ),
        (
            "without clusters",
            "\x1b[?2027l\u{1f44d}\u{1f3fd}\u{26a0}\u{fe0f}\u{1f468}\u{200d}\u{1f469}",
        ),
        (
            "an emoji as text without clusters",
            "\x1b[?2027l\u{1f44d}\u{fe0e}",
        ),
        ("a sign for numbers without clusters", "\x1b[?2027la\u{604}"),
        (
            "letters without clusters",
            "\x1b[?2027l\u{928}\u{93f}\u{928}\u{93f}",
        ),
        (
            "a wide one in each of two rows without clusters",
            "\x1b[?2027l0123456789\u{1f44d}\u{1f3fd}",
        ),
        (
            "some with, some without",
            "\u{1f44d}\u{1f3fd}\x1b[?2027l\u{1f44d}\u{1f3fd}\x1b[?2027h",
        ),
        (
            "a mark of no width without clusters",
            "\x1b[?2027la\u{200b}\u{308}b\u{20dd}",
        ),
    ];
    for kind in EmulatorKind::ALL {
        for (name, bytes) in apart {
            let mut original = fed(kind, bytes.as_bytes());
            let dump = original.dump(10);
            let mut copy = fed(kind, &dump);
            let case = format!("{name} on {}: {:?}", kind.name(), String::from_utf8_lossy(&dump));
            assert_eq!(
                first_difference(&texts(&mut copy), &texts(&mut original)),
                None,
                "{case}"
            );
            assert_eq!(cursor(&copy), cursor(&original), "{case}");
            for terminal in [&mut original, &mut copy] {
                terminal.feed(0, "\u{1f44d}\u{1f3fd}".as_bytes());
            }
            let next = first_difference(&texts(&mut copy), &texts(&mut original));
            assert_eq!(next, None, "the text after {case}");
        }
    }
}

#[test]
fn a_dump_holds_the_history() {
    for kind in EmulatorKind::ALL {
        let mut original = terminal(kind, 10, 3);
        for line in 0..20 {
            original.feed(0, format!("line {line}\r\n").as_bytes());
        }
        let mut copy = terminal(kind, 10, 3);
        copy.feed(0, &original.dump(5));
        assert_eq!(copy.history_len(), 5, "{}", kind.name());
        assert_eq!(copy.text(0, 2, 5), original.text(0, 2, 5));
        assert_eq!(cells(&mut copy), cells(&mut original));
    }
}

#[test]
fn what_was_cleared_with_its_history_does_not_come_back_onto_a_screen_that_grows() {
    for kind in EmulatorKind::ALL {
        let mut terminal = terminal(kind, 10, 3);
        for line in 0..20 {
            terminal.feed(0, format!("line {line}\r\n").as_bytes());
        }
        terminal.feed(0, b"\x1b[H\x1b[2J\x1b[3Jnew");
        let kept = terminal.history_len();
        assert!(kept >= 18, "{kept} lines can be read on {}", kind.name());
        terminal.resize(Size::new(10, 8));
        assert_eq!(text(&mut terminal), "new", "{}", kind.name());
        assert_eq!(terminal.history_len(), kept);
    }
}

#[test]
fn the_generation_grows_with_every_change() {
    let mut terminal = terminal(EmulatorKind::Rio, 10, 3);
    let first = terminal.generation();
    assert_eq!(terminal.feed(0, b"x"), Vec::<TermEvent>::new());
    let second = terminal.generation();
    terminal.resize(Size::new(11, 3));
    assert!(first < second && second < terminal.generation());
}
