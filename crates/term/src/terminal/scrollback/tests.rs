//! A terminal whose lines are packed against one whose emulator keeps them all.

use proptest::prelude::*;

use super::ScrollbackEmulator;
use crate::cell::Cell;
use crate::emulator::{Damage, Emulator as _};
use crate::emulator_kind::EmulatorKind;
use crate::event::TermEvent;
use crate::scanner::Scanner;
use crate::size::Size;
use crate::terminal::Terminal;
use crate::terminal::changes::RowChanges;
use crate::terminal::state::TerminalState;

/// Lines above the screen.
const LINES: usize = 60;

fn terminal(kind: EmulatorKind, size: Size, kept: usize) -> Terminal {
    Terminal {
        scanner: Scanner::default(),
        core: TerminalState::with_emulator(ScrollbackEmulator::keeping(kind, size, LINES, kept)),
        changes: RowChanges::default(),
    }
}

/// All that can be read of a row: its cells, whether it goes on below and whether a prompt begins there, its links.
type Row = (Vec<Cell>, (bool, bool), Vec<Option<String>>);

fn rows(terminal: &mut Terminal) -> Vec<Row> {
    let (size, history) = (terminal.size(), terminal.history_len());
    let above = (1..=history).rev().map(|back| (0, back));
    let places: Vec<(u16, usize)> = above.chain((0..size.rows).map(|row| (row, 0))).collect();
    places
        .into_iter()
        .map(|(row, back)| {
            let mut cells = Vec::new();
            terminal.visible_row(row, back, &mut cells);
            let links = (0..size.cols).map(|col| terminal.hyperlink(row, col, back));
            let links = links.collect();
            let flags = (terminal.row_wraps(row, back), terminal.is_prompt(row, back));
            (cells, flags, links)
        })
        .collect()
}

/// Output of programs: text of all kinds, styles, links, erasing, moving, scrolling, the alternate screen, and garbage.
fn step() -> impl Strategy<Value = Vec<u8>> {
    let fixed = |text: &str| Just(text.as_bytes().to_vec());
    let texts = [
        "word ",
        "日本語",
        "e\u{301}",
        "👨\u{200d}👩",
        "─│",
        "\t",
        "a longer piece of text than fits in a row ",
        "ﾊﾞ",
    ];
    let text = proptest::sample::select(texts.to_vec()).prop_map(|text| text.as_bytes().to_vec());
    let style = (0u8..8, any::<(u8, u8, u8)>()).prop_map(|(kind, (red, green, blue))| {
        let code = match kind {
            0 => "0".to_owned(),
            1 => format!("{}", 30 + red % 8),
            2 => format!("48;5;{red}"),
            3 => format!("38;2;{red};{green};{blue}"),
            4 => format!("48;2;{red};{green};{blue}"),
            5 => "4:3;58:5:9".to_owned(),
            6 => "1;2;3;5;7;8;9".to_owned(),
            _ => "49".to_owned(),
        };
        format!("\x1b[{code}m").into_bytes()
    });
    let finals = proptest::sample::select(b"@ABCDGHJKLMPSTXbd".to_vec());
    let control = (finals.prop_map(char::from), 0u16..12, 0u16..20)
        .prop_map(|(last, one, two)| format!("\x1b[{one};{two}{last}").into_bytes());
    prop_oneof![
        12 => text,
        8 => (1usize..6).prop_map(|count| b"\r\n".repeat(count)),
        4 => style,
        4 => control,
        1 => fixed("\x1b]8;;https://example.org/a\x1b\\"),
        1 => fixed("\x1b]8;;\x1b\\"),
        1 => fixed("\x1b[?1049h"),
        2 => fixed("\x1b[?1049l"),
        1 => fixed("\x1b]133;A\x07"),
        1 => fixed("\x1b[3J"),
        1 => fixed("\x1b[2J"),
        1 => fixed("\x1bM"),
        1 => fixed("\x1b[2;4r"),
        1 => fixed("\x1b[r"),
        1 => fixed("\x1bc"),
        1 => proptest::collection::vec(any::<u8>(), 0..12),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn packed_and_own_lines_read_as_if_the_emulator_had_kept_them_all(
        steps in proptest::collection::vec(step(), 1..400),
        cols in 2u16..24,
        kept in 1usize..9,
    ) {
        for kind in EmulatorKind::ALL {
            let size = Size::new(cols, 5);
            let mut whole = terminal(kind, size, LINES);
            let mut packed = terminal(kind, size, kept);
            let mut panicked = false;
            for step in &steps {
                panicked |= whole.feed(0, step).contains(&TermEvent::EmulatorRebuilt);
                panicked |= packed.feed(0, step).contains(&TermEvent::EmulatorRebuilt);
                // What a panic costs depends on what the emulator had.
                if panicked {
                    break;
                }
                prop_assert_eq!(whole.history_len(), packed.history_len(), "{}", kind.name());
            }
            if !panicked {
                let (whole, packed) = (rows(&mut whole), rows(&mut packed));
                for (at, (one, other)) in whole.iter().zip(&packed).enumerate() {
                    prop_assert_eq!(one, other, "row {} on {}", at, kind.name());
                }
            }
        }
    }

    #[test]
    fn text_stays_complete_at_every_width(
        lines in proptest::collection::vec("[a-z]{1,40}|[a-z 日本]{1,20}[a-z]", 1..60),
        widths in proptest::collection::vec(2u16..40, 1..5),
    ) {
        let mut terminal = terminal(EmulatorKind::Rio, Size::new(20, 4), 3);
        // No more than can be kept at the first width.
        let lines = lines.get(..lines.len().min(20)).unwrap();
        for line in lines {
            terminal.feed(0, format!("{line}\r\n").as_bytes());
        }
        let mut before = joined(&mut terminal);
        prop_assert_eq!(before.len(), lines.len());
        for cols in widths {
            let wider = terminal.size().cols < cols;
            terminal.resize(Size::new(cols, 4));
            let after = joined(&mut terminal);
            // The emulator's own lines can be more than may be kept when they get narrow; then the oldest rows go.
            let ends_alike = before.concat().ends_with(&after.concat());
            prop_assert!(after == before || !wider && ends_alike, "{:?}\n{:?}", before, after);
            before = after;
        }
    }
}

/// The text of all lines without blanks, those that were wrapped joined.
fn joined(terminal: &mut Terminal) -> Vec<String> {
    let mut lines = vec![String::new()];
    for (cells, (wraps, _), _) in rows(terminal) {
        let text: String = cells.iter().map(|cell| cell.text.as_str()).collect();
        let line = lines.last_mut().unwrap();
        // A blank can also be where a wide character did not fit.
        line.push_str(&text.replace(' ', ""));
        if !wraps {
            lines.push(String::new());
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

#[test]
fn a_history_begins_and_ends_where_the_emulators_would() {
    for kind in EmulatorKind::ALL {
        let mut terminal = terminal(kind, Size::new(10, 3), 4);
        for line in 0..200 {
            terminal.feed(0, format!("line {line}\r\n").as_bytes());
        }
        assert_eq!(terminal.history_len(), LINES, "{}", kind.name());
        assert!(terminal.packed_size() > 0, "{}", kind.name());
        // A view that is moved up over the seam.
        for back in [1, 2, 3, 4, 5, 6, 40, LINES, LINES + 5] {
            let first = 198 - back.min(LINES);
            let expected = format!("line {first}\nline {}\nline {}", first + 1, first + 2);
            let expected = expected.replace("line 200", "");
            assert_eq!(
                terminal.text(0, 2, back),
                expected,
                "{back} back on {}",
                kind.name()
            );
        }
        assert_eq!(terminal.text(3, 9, 30), "", "below the view is nothing");
    }
}

#[test]
fn a_hidden_history_is_packed_once_however_often_it_is_erased_until_its_size_changes() {
    let mut terminal = terminal(EmulatorKind::Rio, Size::new(10, 3), 4);
    terminal.feed(0, b"1\r\n2\r\n3\r\n4\r\n5\x1b[?1049h");
    // Packing draws the whole screen anew.
    let packs = |terminal: &mut Terminal| {
        terminal.core.emulator.take_damage();
        terminal.feed(0, b"\x1b[3J");
        terminal.core.emulator.take_damage() == Damage::All
    };
    assert!(packs(&mut terminal), "it had a history");
    assert!(!packs(&mut terminal), "nothing can have come to it");
    terminal.resize(Size::new(10, 2));
    assert!(packs(&mut terminal), "a line went up");
}

#[test]
fn the_alternate_screen_has_no_history_and_the_main_one_has_its_own_again() {
    for kind in EmulatorKind::ALL {
        let mut terminal = terminal(kind, Size::new(10, 3), 4);
        terminal.feed(0, &b"main\r\n".repeat(30));
        let before = rows(&mut terminal);
        terminal.feed(0, b"\x1b[?1049h");
        terminal.feed(0, &b"other\r\n".repeat(30));
        assert_eq!(terminal.history_len(), 0, "{}", kind.name());
        assert!(!terminal.text(0, 2, 20).contains("main"));
        terminal.feed(0, b"\x1b[?1049l");
        assert_eq!(rows(&mut terminal), before, "{}", kind.name());
    }
}

#[test]
fn a_dump_with_history_crosses_the_seam() {
    for kind in EmulatorKind::ALL {
        let mut original = terminal(kind, Size::new(10, 3), 4);
        for line in 0..40 {
            original.feed(0, format!("\x1b[3{}mline {line}\x1b[m\r\n", line % 8).as_bytes());
        }
        let mut copy = terminal(kind, Size::new(10, 3), 4);
        copy.feed(0, &original.dump(usize::MAX));
        assert_eq!(rows(&mut copy), rows(&mut original), "{}", kind.name());
    }
}

#[test]
fn packed_lines_outlive_an_emulator_that_panics() {
    let mut terminal = terminal(EmulatorKind::Rio, Size::new(10, 3), 4);
    for line in 0..40 {
        terminal.feed(0, format!("line {line}\r\n").as_bytes());
    }
    let packed = terminal.core.emulator.packed_rows();
    let fresh = terminal.core.emulator.fresh();
    terminal.core.emulator.replace_emulator(fresh);
    assert_eq!(terminal.history_len(), packed);
    assert_eq!(terminal.text(0, 0, packed), "line 0");
}

/// A line that began in the packed history and goes on in the emulator's own is one line at any width.
#[test]
fn no_line_is_torn_at_the_seam_by_another_width() {
    let mut terminal = terminal(EmulatorKind::Rio, Size::new(10, 3), 4);
    terminal.feed(0, format!("{}\r\n", "x".repeat(55)).as_bytes());
    terminal.feed(0, b"1\r\n2\r\n3");
    assert!(
        terminal.core.emulator.packed.is_open(),
        "the seam is in the long line"
    );
    terminal.resize(Size::new(30, 3));
    let (cells, (wraps, _), _) = rows(&mut terminal).swap_remove(0);
    assert!(wraps && cells.iter().all(|cell| cell.text == "x"), "{cells:?}");
    assert_eq!(joined(&mut terminal).first().map(String::len), Some(55));
}
