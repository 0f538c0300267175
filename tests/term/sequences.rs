//! The table of cases on both emulators. A listed gap that no longer fails is an error, too, so that the lists stay true.

use crate::cases::{CASES, Case, GROWN, STYLES, StyleCase};
use crate::screen::{cursor, fed, row, text};
use dbs::term::{EmulatorKind, Size};

/// Names of the cases that an emulator is known to fail.
fn known_gaps(kind: EmulatorKind) -> &'static [&'static str] {
    match kind {
        EmulatorKind::Rio => &[
            "47 leaves what the alternate screen shows",
            "el at the pending wrap erases the last column",
            "lf at the pending wrap keeps the column",
        ],
        EmulatorKind::Vt100 => &[
            "47 leaves what the alternate screen shows",
            "a long indic conjunct takes two columns",
            "a skin tone joins",
            "a scrolled in line takes only the background",
            "a zwj family takes two columns",
            "an erased cell takes only the background",
            "an inserted cell takes only the background",
            "bs at the pending wrap",
            "cub at the pending wrap",
            "el at the pending wrap erases the last column",
            "irm drops half a character at the margin",
            "irm inserts",
            "irm keeps wide characters whole",
            "irm makes room for what rep repeats",
            "irm moves the next row when it wraps",
            "lf at the pending wrap keeps the column",
            "no wrap without decawm",
            "replacement characters show",
            "sgr 21 underlines twice",
            "sgr 4:3 is curly",
            "sgr 5 blinks",
            "sgr 58 colours only the underline",
            "sgr 8 hides",
            "sgr 9 strikes",
        ],
    }
}

fn outcome(kind: EmulatorKind, case: &Case) -> Result<(), String> {
    let mut terminal = fed(kind, case.cols, case.rows, case.input.as_bytes());
    let got = (text(&mut terminal), cursor(&terminal));
    let want = (case.screen.replace('|', "\n"), case.cursor);
    if got == want {
        return Ok(());
    }
    Err(format!(
        "{} ({}): {:?}\n  got  {got:?}\n  want {want:?}",
        case.name, case.source, case.input
    ))
}

fn style_outcome(kind: EmulatorKind, case: &StyleCase) -> Result<(), String> {
    let mut terminal = fed(kind, 10, 2, case.input.as_bytes());
    let got = row(&mut terminal, 0)[0].style;
    let want = (case.style)();
    if got == want {
        Ok(())
    } else {
        Err(format!(
            "{} ({}): {:?}\n  got  {got:?}\n  want {want:?}",
            case.name, case.source, case.input
        ))
    }
}

fn judge(kind: EmulatorKind) {
    let mut outcomes: Vec<(&str, Result<(), String>)> = CASES
        .iter()
        .map(|case| (case.name, outcome(kind, case)))
        .collect();
    outcomes.extend(STYLES.iter().map(|case| (case.name, style_outcome(kind, case))));
    let gaps = known_gaps(kind);
    let mut wrong: Vec<String> = Vec::new();
    for (name, outcome) in &outcomes {
        match outcome {
            Err(text) if !gaps.contains(name) => wrong.push(text.clone()),
            Ok(()) if gaps.contains(name) => wrong.push(format!("{name} is listed as a gap but passes")),
            _ => {}
        }
    }
    wrong.extend(
        gaps.iter()
            .filter(|gap| !outcomes.iter().any(|(name, _)| name == *gap))
            .map(|gap| format!("no case is called {gap}")),
    );
    assert!(
        wrong.is_empty(),
        "{} of {} on {}:\n{}",
        wrong.len(),
        outcomes.len(),
        kind.name(),
        wrong.join("\n")
    );
}

#[test]
fn rio_draws_every_case_as_its_standard_says() {
    judge(EmulatorKind::Rio);
}

#[test]
fn vt100_draws_every_case_but_its_known_gaps() {
    judge(EmulatorKind::Vt100);
}

#[test]
fn a_screen_that_grows_shows_what_is_above_it_unless_that_was_erased() {
    for kind in EmulatorKind::ALL {
        // The second emulator does not pull lines back.
        let skipped = usize::from(kind == EmulatorKind::Vt100);
        for (name, input, screen) in GROWN.iter().skip(skipped) {
            let mut terminal = fed(kind, 10, 3, input.as_bytes());
            terminal.resize(Size::new(10, 8));
            let want = screen.replace('|', "\n");
            assert_eq!(text(&mut terminal), want, "{name} on {}", kind.name());
        }
    }
}

#[test]
fn a_screen_that_grows_while_it_is_hidden_shows_what_is_above_it_unless_that_was_erased() {
    for kind in EmulatorKind::ALL {
        let grown = |erase: &str| {
            let mut terminal = fed(
                kind,
                10,
                3,
                b"1\r\n2\r\n3\r\n4\r\n5\x1b[?1049h\x1b[2;3H\x1b[31mfull",
            );
            terminal.feed(0, erase.as_bytes());
            terminal.feed(0, b"!");
            assert_eq!(text(&mut terminal), "\n  full!", "{}", kind.name());
            let pen = row(&mut terminal, 1)[6].style;
            terminal.resize(Size::new(10, 8));
            terminal.feed(0, b"\x1b[?1049l");
            (text(&mut terminal), terminal.history_len(), pen)
        };
        let (kept, erased) = (grown(""), grown("\x1b[3J"));
        assert_eq!((erased.0.as_str(), erased.1), ("3\n4\n5", 2), "{}", kind.name());
        if kind == EmulatorKind::Rio {
            assert_eq!((kept.0.as_str(), kept.1), ("1\n2\n3\n4\n5", 0));
        }
        assert_eq!(erased.2, kept.2, "the alternate screen keeps its look");
    }
}

#[test]
fn case_names_are_unique_and_there_are_enough() {
    let mut names: Vec<&str> = CASES
        .iter()
        .map(|case| case.name)
        .chain(STYLES.iter().map(|case| case.name))
        .collect();
    assert!(names.len() >= 80, "{}", names.len());
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}
