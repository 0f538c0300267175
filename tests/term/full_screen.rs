//! The last screen of a full-screen program that has ended.

use crate::random::Random;
use crate::screen::{cells, row, terminal, text};
use dbs::term::{Color, EmulatorKind, Size, TermMode, Terminal};

/// The screen after the end of a program with this output, and the number of lines above it.
fn ended(kind: EmulatorKind, bytes: &[u8]) -> (String, usize) {
    let mut terminal = terminal(kind, 20, 6);
    terminal.feed(0, bytes);
    terminal.show_last_full_screen();
    (text(&mut terminal), terminal.history_len())
}

const FULL: &str = "$ agent\r\n\x1b[?1049h\x1b[H\x1b[31mworked\x1b[m\r\n\r\non it";

#[test]
fn what_was_left_stands_behind_what_was_beneath_and_before_the_last_words() {
    for kind in EmulatorKind::ALL {
        let words = format!("{FULL}\x1b[?1049l\r\nresume: agent 7\r\n");
        let expected = "$ agent\nworked\n\non it\n\nresume: agent 7";
        assert_eq!(
            ended(kind, words.as_bytes()),
            (expected.to_owned(), 0),
            "{}",
            kind.name()
        );
        let silent = format!("{FULL}\x1b[?1049l");
        assert_eq!(ended(kind, silent.as_bytes()).0, "$ agent\nworked\n\non it");
        let mut terminal = terminal(kind, 20, 6);
        terminal.feed(0, words.as_bytes());
        terminal.show_last_full_screen();
        assert_eq!(
            row(&mut terminal, 1)[0].style.fg,
            Color::Indexed(1),
            "the styles are kept"
        );
    }
}

/// Codex clears its screen before it leaves the alternate screen.
#[test]
fn what_was_cleared_before_it_was_left_is_shown() {
    for kind in EmulatorKind::ALL {
        for clear in ["\x1b[1;1H\x1b[J", "\x1b[2J\x1b[H", "\x1b[H\x1b[0J\x1b[H\x1b[2J"] {
            let bytes = format!("{FULL}{clear}\x1b[?1049l");
            let (text, _) = ended(kind, bytes.as_bytes());
            assert_eq!(text, "$ agent\nworked\n\non it", "{clear:?} on {}", kind.name());
        }
    }
}

#[test]
fn a_screen_larger_than_what_is_left_goes_up_into_the_history() {
    let rows: Vec<String> = (1..=6).map(|at| format!("\x1b[{at}Hrow {at}")).collect();
    let rows = rows.concat();
    let bytes = format!("one\r\ntwo\r\n\x1b[?1049h{rows}\x1b[?1049lbye\r\n");
    let (text, above) = ended(EmulatorKind::Rio, bytes.as_bytes());
    assert_eq!(
        (text.as_str(), above),
        ("row 2\nrow 3\nrow 4\nrow 5\nrow 6\nbye", 3)
    );
}

#[test]
fn the_last_of_several_screens_is_shown_and_each_only_once() {
    for kind in EmulatorKind::ALL {
        let other = "\x1b[?1049h\x1b[H\x1b[2Ja longer screen that wraps\x1b[?1049l";
        let bytes = format!("{FULL}\x1b[?1049l{other}");
        let mut terminal = terminal(kind, 20, 6);
        terminal.feed(0, bytes.as_bytes());
        terminal.show_last_full_screen();
        let expected = "$ agent\na longer screen that\n wraps";
        assert_eq!(text(&mut terminal), expected, "{}", kind.name());
        let before = cells(&mut terminal);
        terminal.show_last_full_screen();
        assert_eq!(cells(&mut terminal), before);
    }
}

#[test]
fn a_program_that_did_not_leave_or_went_on_for_long_changes_nothing() {
    let went_on = format!("{FULL}\x1b[?1049l{}", "a line\r\n".repeat(30));
    let drew_on = format!("{FULL}\x1b[?1049l{}", "\rworking |\rworking /".repeat(300));
    for bytes in [
        FULL,
        went_on.as_str(),
        drew_on.as_str(),
        "never\r\nhad one",
        "\x1b[?1049h\x1b[?1049lblank",
    ] {
        for kind in EmulatorKind::ALL {
            let mut terminal = terminal(kind, 20, 6);
            terminal.feed(0, bytes.as_bytes());
            let before = (cells(&mut terminal), terminal.history_len());
            terminal.show_last_full_screen();
            let after = (cells(&mut terminal), terminal.history_len());
            assert_eq!(after, before, "{bytes:?} on {}", kind.name());
        }
    }
}

#[test]
fn of_screens_that_come_all_at_once_some_are_kept_and_later_ones_again() {
    let screen = |at: usize| format!("\x1b[?1049h\x1b[H\x1b[2Jscreen {at}\x1b[?1049l");
    let flood: String = (0..100).map(screen).collect();
    let shown = |later: &str| {
        let mut terminal = terminal(EmulatorKind::Rio, 20, 6);
        terminal.feed(0, flood.as_bytes());
        terminal.feed(1000, later.as_bytes());
        terminal.show_last_full_screen();
        text(&mut terminal)
    };
    assert!(!shown("").contains("screen 99"), "{}", shown(""));
    assert_eq!(shown(&screen(100)), "screen 100");
}

/// Recorded agents of the two kinds, and their screens when they ended.
#[test]
fn the_last_screens_of_recorded_agents_stay_with_their_last_words() {
    for (cast, screen, words) in [
        (
            "tui_approval.cast",
            "Shutting down...",
            "To continue this session, run:",
        ),
        (
            "permission_prompt_osc7501.cast",
            "Exit the CLI",
            "Resume this session with:",
        ),
    ] {
        let mut terminal = played(cast);
        let before = text(&mut terminal);
        assert!(before.contains(words) && !before.contains(screen), "{before}");
        terminal.show_last_full_screen();
        let after = text(&mut terminal);
        let (screen, words) = (after.find(screen), after.find(words));
        assert!(screen.is_some() && screen < words, "{cast}: {after}");
    }
}

/// A terminal that has played a whole recording.
fn played(name: &str) -> Terminal {
    let path: std::path::PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "data", "term", "casts", name]
        .iter()
        .collect();
    let content = std::fs::read_to_string(path).unwrap();
    let mut lines = content
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let header = lines.next().unwrap();
    let size = |value: &serde_json::Value| u16::try_from(value.as_u64().unwrap()).unwrap();
    let size = Size::new(size(&header["width"]), size(&header["height"]));
    let mut terminal = Terminal::new(EmulatorKind::Rio, size, 100);
    for event in lines.filter(|event| event[1] == "o") {
        terminal.feed(0, event[2].as_str().unwrap().as_bytes());
    }
    terminal
}

#[test]
fn modes_that_were_left_on_do_not_spoil_it() {
    let bytes = format!("{FULL}\x1b[?1049l\x1b[2;3r\x1b[?6h\x1b[?7l\x1b[4h\x1b(0\x1b[2;1H");
    let (text, _) = ended(EmulatorKind::Rio, bytes.as_bytes());
    assert!(text.contains("worked\n\non it"), "{text}");
}

#[test]
fn random_programs_end_without_harm() {
    for seed in 0..300 {
        let random = &mut Random::new(seed);
        for kind in EmulatorKind::ALL {
            let mut terminal = Terminal::new(kind, Size::new(1 + random.below(20) as u16, 6), 50);
            for _ in 0..80 {
                terminal.feed(random.below(1000), &random.step());
            }
            terminal.feed(0, b"\x1b[?1049h text \x1b[?1049l");
            terminal.show_last_full_screen();
            assert!(!terminal.modes().has(TermMode::AlternateScreen));
            let cursor = terminal.cursor();
            assert!(cursor.row < terminal.size().rows && cursor.col < terminal.size().cols);
        }
    }
}
