//! The screen and the keys of a person in a real pseudo-terminal.

use crate::terminal::Terminal;

const LABEL: &str = "DEMO · scripted agent · developer · a-1";
const ASK: &str =
    "{ ask = \"May I?\", refused = [{ print = \"a pity\" }] }, { print = \"heard {answer}\" }, { exit = 3 }";

#[test]
fn a_question_is_shown_reported_and_answered_by_a_key() {
    let table = [
        ("y", "heard Yes"),
        ("\r", "heard Yes"),
        ("1", "heard Yes"),
        ("\x1b[B\r", "heard No"),
        ("n", "heard No"),
        ("2", "heard No"),
    ];
    for (keys, heard) in table {
        let mut terminal = Terminal::start("", ASK);
        // A frame may come in pieces.
        terminal.until("the question over its label", |terminal| {
            let screen = terminal.screen();
            screen.contains("1. Yes") && screen.contains(LABEL)
        });
        let drawn = String::from_utf8_lossy(&terminal.bytes).into_owned();
        assert!(drawn.contains("\x1b]7501;state=working:app=rehearsal\x1b\\"));
        assert!(drawn.contains("\x1b]7501;state=blocked:app=rehearsal:kind=permission:msg=TWF5IEk/\x1b\\"));
        assert!(drawn.contains("\x1b]0;DEMO · scripted agent · developer · a-1 · Watch me\x07"));
        terminal.press(keys);
        assert_eq!(terminal.ended().exit_code(), 3, "{keys:?}");
        let screen = terminal.screen();
        assert!(
            screen.contains(heard) && screen.contains("a pity") == heard.ends_with("No"),
            "{keys:?}\n{screen}"
        );
        assert!(!screen.contains("1. Yes"), "{screen}");
        assert!(String::from_utf8_lossy(&terminal.bytes).contains("\x1b]7501;state=clear"));
    }
}

#[test]
fn the_label_stays_while_text_scrolls_by_on_either_screen() {
    for head in ["", "screen = \"full\""] {
        let text: String = (0..100)
            .flat_map(|number| ["line ".to_owned(), number.to_string(), "\\n".to_owned()])
            .collect();
        let mut terminal = Terminal::start(
            head,
            &format!("{{ print = \"{text}\" }}, {{ think = \"Pondering\", seconds = 600 }}"),
        );
        terminal.until("the last line over the label", |terminal| {
            let screen = terminal.screen();
            ["line 99", "Pondering", LABEL]
                .iter()
                .all(|text| screen.contains(text))
        });
        assert!(!terminal.screen().contains("line 50\n"), "{}", terminal.screen());
        terminal.press("\x03");
        assert_eq!(terminal.ended().exit_code(), 130);
    }
}

#[test]
fn a_full_screen_is_drawn_anew_for_a_new_size() {
    let mut terminal = Terminal::start(
        "screen = \"full\"",
        "{ print = \"first words\" }, { think = \"Pondering\", seconds = 600 }",
    );
    terminal.until_seen("Pondering");
    for (columns, rows) in [(40, 10), (120, 40)] {
        terminal.resize(columns, rows);
        let rule = usize::from(columns - 1);
        let widths = |screen: &str| {
            screen
                .lines()
                .map(|line| line.chars().count())
                .collect::<Vec<_>>()
        };
        terminal.until("all of it, and a rule as wide as the screen", |t| {
            let screen = t.screen();
            let is_whole = ["first words", LABEL].iter().all(|text| screen.contains(text));
            is_whole && widths(&screen).contains(&rule)
        });
        let screen = terminal.screen();
        assert!(
            widths(&screen).iter().all(|width| *width <= rule + 1)
                && screen.lines().count() <= usize::from(rows)
        );
    }
}

#[test]
fn a_new_size_prints_nothing_again_and_the_rule_becomes_as_wide_as_the_screen() {
    for printed in [1, 60] {
        let words: Vec<String> = (0..printed).map(|number| format!("word {number}.")).collect();
        let words = words.join("\\n") + "\\n";
        let mut terminal = Terminal::start(
            "",
            &format!("{{ print = \"{words}\" }}, {{ think = \"Pondering\", seconds = 600 }}"),
        );
        terminal.until_seen("Pondering");
        for (columns, rows) in [(60, 24), (100, 24), (50, 12), (120, 40), (80, 24)] {
            terminal.resize_and_keep(columns, rows);
            terminal.until("a rule as wide as the screen", |terminal| {
                let lines = terminal.lines_in_a_pane();
                let rule = lines.iter().rfind(|line| line.contains("──"));
                rule.is_some_and(|rule| rule.trim_end().chars().count() == usize::from(columns - 1))
            });
            let lines = terminal.lines_in_a_pane();
            let many = |words: &str| lines.iter().filter(|line| line.contains(words)).count();
            for number in 0..printed {
                let word = format!("word {number}.");
                assert_eq!(many(&word), 1, "{word} at {columns}x{rows}\n{}", lines.join("\n"));
            }
            assert_eq!(many("Pondering"), 1, "{}", lines.join("\n"));
            assert_eq!(
                many(LABEL),
                2,
                "at the head and at the foot\n{}",
                lines.join("\n")
            );
        }
    }
}

#[test]
fn a_drawing_fills_the_screen_under_the_label_and_goes_again() {
    let mut terminal = Terminal::start(
        "",
        "{ print = \"before\" }, { draw = \"boxes\", seconds = 1 }, { ask = \"Seen?\" }",
    );
    terminal.until("the drawing under its label", |t| {
        let screen = t.screen();
        screen.matches('█').count() > 1000 && screen.starts_with(LABEL)
    });
    let screen = terminal.screen();
    assert!(!screen.contains("before"), "{screen}");
    terminal.until_seen("Seen?");
    assert!(
        terminal.screen().contains("before") && !terminal.screen().contains('█'),
        "{}",
        terminal.screen()
    );
}

#[test]
fn what_a_person_types_is_shown_and_kept() {
    let mut terminal = Terminal::start("", "{ think = \"Pondering\", seconds = 600 }");
    terminal.until_seen("Pondering");
    terminal.press("hurry uq\x7fp");
    terminal.until_seen("> hurry up");
    terminal.press("\r");
    terminal.until("the typed line in the transcript", |t| {
        t.screen().matches("> ").count() == 2
    });
    assert!(terminal.screen().contains("hurry up"), "{}", terminal.screen());
}
