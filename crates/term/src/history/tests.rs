//! Packed lines come back, at their own width and at others.

use proptest::prelude::*;

use super::PackedHistory;
use crate::cell::{Cell, CellAttributes, CellStyle, CellWidth, Color, Underline, blank_torn_halves};

/// A history of lines that were written at that width.
fn history(cols: u16, lines: &[(&str, bool)]) -> PackedHistory {
    let mut history = PackedHistory::new(cols, 1000);
    for (text, wraps) in lines {
        let mut cells = cells(text);
        cells.resize(usize::from(cols), Cell::default());
        history.add_cells(&cells, *wraps, |_| None);
    }
    history
}

fn cells(text: &str) -> Vec<Cell> {
    let mut cells = Vec::new();
    for c in text.chars() {
        let is_wide = c > '\u{2fff}';
        cells.push(Cell {
            text: c.to_string().into(),
            width: if is_wide {
                CellWidth::Wide
            } else {
                CellWidth::Narrow
            },
            ..Cell::default()
        });
        if is_wide {
            cells.push(Cell::continuation(CellStyle::default()));
        }
    }
    cells
}

fn rows(history: &PackedHistory) -> Vec<(String, bool)> {
    let mut cells = Vec::new();
    (0..history.rows())
        .map(|at| {
            history.row(at, &mut cells);
            let text: String = cells.iter().map(|cell| cell.text.as_str()).collect();
            (text.trim_end().to_owned(), history.wraps(at))
        })
        .collect()
}

fn expected(rows: &[(&str, bool)]) -> Vec<(String, bool)> {
    rows.iter()
        .map(|(text, wraps)| ((*text).to_owned(), *wraps))
        .collect()
}

#[test]
fn wrapped_lines_are_wrapped_anew_at_another_width_and_nothing_is_lost() {
    let lines = [("one", false), ("abcdefgh", true), ("ij", false), ("", false)];
    let mut history = history(8, &lines);
    assert_eq!(rows(&history), expected(&lines));
    history.set_cols(4);
    let narrow = [
        ("one", false),
        ("abcd", true),
        ("efgh", true),
        ("ij", false),
        ("", false),
    ];
    assert_eq!(rows(&history), expected(&narrow));
    history.set_cols(20);
    assert_eq!(
        rows(&history),
        expected(&[("one", false), ("abcdefghij", false), ("", false)])
    );
    history.set_cols(8);
    assert_eq!(rows(&history), expected(&lines));
}

#[test]
fn a_wide_character_is_never_torn_apart() {
    let mut history = history(6, &[("日本語", true), ("a日", false)]);
    history.set_cols(3);
    assert_eq!(
        rows(&history),
        expected(&[("日", true), ("本", true), ("語a", true), ("日", false)])
    );
    history.set_cols(9);
    assert_eq!(rows(&history), expected(&[("日本語a日", false)]));
}

#[test]
fn lines_of_several_widths_stand_together() {
    let mut history = history(4, &[("abcd", true), ("ef", false)]);
    history.set_cols(3);
    let mut third = cells("xyz");
    history.add_cells(&third, true, |_| None);
    third.truncate(1);
    third.resize(3, Cell::default());
    history.add_cells(&third, false, |_| None);
    let now = [("abc", true), ("def", false), ("xyz", true), ("x", false)];
    assert_eq!(rows(&history), expected(&now));
    // The first of the two old lines goes; what is left of its text stands alone.
    history.truncate(3);
    assert_eq!(
        rows(&history),
        expected(&[("ef", false), ("xyz", true), ("x", false)])
    );
    history.truncate(2);
    assert_eq!(rows(&history), expected(&now[2..]));
    history.truncate(0);
    assert_eq!((history.rows(), history.is_open()), (0, false));
}

#[test]
fn a_hyperlink_is_found_at_every_width() {
    let mut history = PackedHistory::new(6, 10);
    let link = |col: u16| (2..5).contains(&col).then(|| "https://example.org/a".to_owned());
    let mut written = cells("ab日def");
    written.truncate(6);
    if let Some(cell) = written.last_mut() {
        cell.style.bg = Color::Indexed(3);
    }
    history.add_cells(&written, true, link);
    let found = |history: &PackedHistory, row, cols: u16| -> Vec<u16> {
        (0..cols)
            .filter(|col| history.hyperlink(row, *col).is_some())
            .collect()
    };
    assert_eq!(found(&history, 0, 6), [2, 3, 4]);
    assert_eq!(history.hyperlink(0, 3).as_deref(), Some("https://example.org/a"));
    history.set_cols(3);
    assert_eq!(found(&history, 0, 3), [] as [u16; 0]);
    assert_eq!(found(&history, 1, 3), [0, 1, 2]);
}

#[test]
fn a_line_that_could_not_be_written_leaves_nothing() {
    let mut history = history(4, &[("abcd", false)]);
    assert!(!history.add(4, false, |writer| {
        writer.printable(b"lost".iter().copied());
        false
    }));
    history.add_cells(&cells("next"), false, |_| None);
    assert_eq!(rows(&history), expected(&[("abcd", false), ("next", false)]));
}

#[test]
fn the_bytes_are_limited_whatever_a_program_writes() {
    let lines = 1000;
    let mut history = PackedHistory::new(200, lines);
    let marks = "e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}";
    for number in 0..3 * lines {
        let row: Vec<Cell> = (0u8..200)
            .map(|col| Cell {
                text: marks.into(),
                style: CellStyle {
                    fg: Color::Rgb(col, number.to_le_bytes()[0], 1),
                    bg: Color::Rgb(number.to_le_bytes()[1], col, 2),
                    underline_color: Color::Rgb(3, 4, col),
                    underline: Underline::Curly,
                    attributes: CellAttributes::BOLD,
                },
                width: CellWidth::Narrow,
            })
            .collect();
        history.add_cells(&row, false, |col| {
            Some(format!("https://example.org/{number}/{col}"))
        });
        assert!(
            history.size() <= lines * 960 + 300_000,
            "{} bytes",
            history.size()
        );
    }
    assert!(history.rows() > 50, "{} lines are left", history.rows());
}

fn color() -> impl Strategy<Value = Color> {
    prop_oneof![
        3 => Just(Color::Default),
        1 => any::<u8>().prop_map(Color::Indexed),
        1 => any::<(u8, u8, u8)>().prop_map(|(red, green, blue)| Color::Rgb(red, green, blue)),
    ]
}

fn style() -> impl Strategy<Value = CellStyle> {
    let underline = prop_oneof![
        Just(Underline::None),
        Just(Underline::Single),
        Just(Underline::Dashed)
    ];
    let drawn = (color(), color(), color(), underline, 0u8..128);
    let drawn = drawn.prop_map(|(fg, bg, underline_color, underline, attributes)| CellStyle {
        fg,
        bg,
        underline_color,
        underline,
        attributes: CellAttributes::from_bits_retain(attributes),
    });
    prop_oneof![2 => Just(CellStyle::default()), 1 => drawn]
}

const TEXTS: [&str; 12] = [
    "a",
    " ",
    "~",
    "é",
    "─",
    "日",
    "e\u{301}",
    "👨\u{200d}👩",
    "\u{7f}",
    "\u{1}",
    "\u{2}x",
    "",
];

fn cell() -> impl Strategy<Value = Cell> {
    let width = prop_oneof![4 => Just(CellWidth::Narrow), 1 => Just(CellWidth::Wide), 1 => Just(CellWidth::Continuation)];
    (proptest::sample::select(&TEXTS[..]), style(), width).prop_map(|(text, style, width)| match width {
        CellWidth::Continuation => Cell::continuation(style),
        CellWidth::Narrow | CellWidth::Wide => Cell {
            text: text.into(),
            style,
            width,
        },
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_cells_come_back(
        lines in proptest::collection::vec((proptest::collection::vec(cell(), 9), any::<bool>()), 1..40),
        kept in 0usize..40,
        linked in any::<u16>(),
    ) {
        let mut history = PackedHistory::new(9, 1000);
        let mut lines = lines;
        let link = |col: u16| (linked >> col & 1 == 1).then(|| format!("https://example.org/{}", col / 3));
        for (cells, wraps) in &mut lines {
            blank_torn_halves(cells);
            history.add_cells(cells, *wraps, link);
        }
        let gone = lines.len().saturating_sub(kept);
        history.truncate(kept);
        prop_assert_eq!(history.rows(), lines.len() - gone);
        let mut read = Vec::new();
        for (at, (cells, wraps)) in lines.iter().skip(gone).enumerate() {
            history.row(at, &mut read);
            prop_assert_eq!(&read, cells);
            prop_assert_eq!(history.wraps(at), *wraps);
            for col in 0..9 {
                prop_assert_eq!(history.hyperlink(at, col), link(col));
            }
        }
    }

    #[test]
    fn any_width_shows_the_same_text(
        lines in proptest::collection::vec((proptest::collection::vec(cell(), 9), any::<bool>()), 1..80),
        cols in 2u16..30,
    ) {
        let mut history = PackedHistory::new(9, 1000);
        let mut text = String::new();
        for (mut cells, wraps) in lines {
            blank_torn_halves(&mut cells);
            history.add_cells(&cells, wraps, |_| None);
            let line: String = cells.iter().map(|cell| cell.text.as_str()).collect();
            text.push_str(if wraps { &line } else { line.trim_end_matches(' ') });
        }
        history.set_cols(cols);
        let mut shown = String::new();
        let mut cells = Vec::new();
        for at in 0..history.rows() {
            history.row(at, &mut cells);
            prop_assert_eq!(cells.len(), usize::from(cols));
            let line: String = cells.iter().map(|cell| cell.text.as_str()).collect();
            // A row that goes on has blanks of its own at its end, but also the one before a wide character that did not fit.
            shown.push_str(line.trim_end_matches(' '));
        }
        prop_assert_eq!(shown.replace(' ', ""), text.replace(' ', ""));
    }
}
