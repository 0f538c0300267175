//! Clients of different sizes at once, and clients that change their size.

use std::fs;

use crate::attached::{go_to_shell, type_in_shell};
use crate::driver::Story;
use crate::script::write_script;
use crate::terminal::{Screen, Tty};

/// Begins to print the size of the shell's terminal again and again.
fn print_sizes(tty: &Tty<'_>) {
    type_in_shell(tty);
    tty.type_text("while sleep 0.05; do clear; stty size; done\n");
}

/// Returns the size of the shell's pane as its program knows it.
fn size_of_shell(screen: &Screen) -> Option<(usize, usize)> {
    let rows = screen.pane("Shell")?;
    let (height, width) = rows.first()?.split_once(' ')?;
    Some((width.parse().ok()?, height.parse().ok()?))
}

/// Waits until the shell's program has the size of the pane in this client, and returns that size.
fn fits(tty: &Tty<'_>) -> (usize, usize) {
    let screen = tty.wait("a shell as large as its pane", |screen| {
        let drawn = screen.status().contains("? help") && screen.is_line(screen.cells[0].len() - 1, 3);
        let area = screen.area("Shell").map(|area| (area.columns, area.rows));
        drawn && area.is_some() && area == size_of_shell(screen)
    });
    size_of_shell(&screen).unwrap()
}

#[test]
fn two_clients_of_different_sizes_see_the_same_and_who_types_decides() {
    let story = Story::new("");
    let large = story.tty(&[], (180, 50));
    print_sizes(&large);
    let of_large = fits(&large);
    let small = story.tty(&["attach"], (100, 30));
    // The small client shows the pane cut off, at the size of the large one, with the border where it belongs.
    let screen = small.wait("the same shell", |screen| {
        size_of_shell(screen) == Some(of_large) && !is_greeted(screen)
    });
    let area = screen.area("Shell").unwrap();
    assert!(area.columns < of_large.0 && area.rows < of_large.1, "{area:?}");
    assert_straight(&screen);
    assert!(story.dbs(&["sessions"]).contains("2 attached"));
    // The person types into the small one.
    go_to_shell(&small);
    small.type_text("x");
    let of_small = fits(&small);
    assert!(of_small.0 < of_large.0 && of_small.1 < of_large.1);
    let screen = large.wait("the size of the small one", |screen| {
        size_of_shell(screen) == Some(of_small)
    });
    assert_straight(&screen);
    // Both show the same board.
    story.dbs(&["task", "create", "For both", "--id", "t-1"]);
    for tty in [&large, &small] {
        tty.see("t-1 For both");
    }
    small.press("C-b d");
    let (code, screen) = small.leave();
    assert_eq!(code, 0);
    assert!(screen.is_restored());
    assert_eq!(fits(&large), of_large);
    large.press("C-b d");
    assert_eq!(large.leave().0, 0);
}

/// Returns true if the greeting of a server that has just started lies over the panes, as it does for some seconds.
fn is_greeted(screen: &Screen) -> bool {
    screen.has("─ Welcome ")
}

/// Asserts that vertical lines have no gaps: below a border part that goes down is one that goes up.
fn assert_straight(screen: &Screen) {
    const DOWN: &str = "│┃┌┐├┤┬┼┏┓┣┫┳╋╷┍┎┑┒┝┞┟┠┡┢┥┦┧┨┩┪┭┮┯┰┱┲┽┾┿╀╁╂╃╄╅╆╇╈╉╊╽╿";
    const UP: &str = "│┃└┘├┤┴┼┗┛┣┫┻╋╵┕┖┙┚┝┞┟┠┡┢┥┦┧┨┩┪┵┶┷┸┹┺┽┾┿╀╁╂╃╄╅╆╇╈╉╊╽╿";
    let last = screen.cells.len() - 1;
    for row in 2..last {
        for column in 0..screen.cells[row].len() {
            let (here, below) = (screen.at(column, row), screen.at(column, row + 1));
            if !here.is_empty() && DOWN.contains(here) {
                assert!(
                    !below.is_empty() && UP.contains(below),
                    "a line breaks off at column {column}, row {row}:\n{}",
                    screen.text()
                );
            }
        }
    }
}

/// Titles that terminals measure differently: wide letters, emoji with and without a selector, joined emoji, flags, combining marks, and
/// text from right to left.
const TITLES: [&str; 8] = [
    "日本語のタイトルはとても長いので切られます日本語のタイトル",
    "❤️ heart ⚠️ warning ☎️ phone ❤️ heart ⚠️ warning ☎️ phone",
    "👩‍👩‍👧‍👦 family 👨‍💻 coder 👩🏽‍🚀 astronaut 👩‍👩‍👧‍👦",
    "🇩🇪🇫🇷🇯🇵🇧🇷 flags 🇩🇪🇫🇷🇯🇵🇧🇷 flags",
    "e\u{301}e\u{301}e\u{301} Z\u{351}\u{327}\u{334}a\u{321}l\u{353}g\u{356}o\u{300} marks",
    "שלום עולם ערב טוב",
    "한국어 제목 ｆｕｌｌ ｗｉｄｔｈ ①②③ ±§¶",
    "zero\u{200b}width\u{200d}joiner\u{feff} and a tail that is long enough to be cut",
];

#[test]
fn wide_letters_never_move_a_border_at_any_size_down_to_one_cell() {
    let story = Story::new("");
    for (at, title) in TITLES.iter().enumerate() {
        story.dbs(&["task", "create", title, "--id", &format!("t-{at}")]);
    }
    let tty = story.tty(&[], (120, 40));
    for (columns, rows) in [
        (120, 40),
        (80, 24),
        (61, 16),
        (60, 15),
        (59, 15),
        (30, 10),
        (2, 2),
        (1, 1),
        (1, 30),
        (90, 1),
        (200, 60),
        (119, 33),
        (100, 30),
    ] {
        tty.resize(columns, rows);
        let screen = tty.wait(&format!("a frame of {columns} times {rows}"), |screen| {
            let large = columns >= 60 && rows >= 15;
            // A greeting lies over the last border for some seconds.
            let whole = screen.cells.len() < 2 || screen.is_line(0, screen.cells.len() - 2);
            let bottom = whole && screen.status().contains("? help");
            if large {
                bottom
                    && !is_greeted(screen)
                    && screen.has("t-7")
                    && screen.rows.first().is_some_and(|row| row.contains("dbs"))
            } else {
                // There is room for a notice at most, and nothing of the previous frame is left.
                !screen.has("t-7") && !screen.has("─")
            }
        });
        if columns >= 60 && rows >= 15 {
            assert_straight(&screen);
        }
    }
    // Once more with a dialog over the wide letters, which are cut where it begins.
    tty.press("?");
    let screen = tty.see("Esc close");
    assert_straight(&screen);
    tty.press("Esc");
    tty.miss("Esc close");
    tty.press("q");
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn a_window_that_is_dragged_ends_with_the_right_size() {
    let story = Story::new("");
    let tty = story.tty(&[], (120, 40));
    print_sizes(&tty);
    fits(&tty);
    for step in 0..60 {
        tty.resize(120 + step, 40 + step / 6);
    }
    let last = fits(&tty);
    tty.resize(1, 1);
    tty.wait("nothing", |screen| !screen.has("Shell"));
    tty.resize(179, 49);
    assert_eq!(fits(&tty), last);
    // Sizes are sent at a limited pace; otherwise the shell's program would be busy with nothing else.
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
}

/// Script of an agent that records the size of its terminal at its start, and then again and again.
const MEASURING: &str = r#"#!/bin/sh
stty size > "$ROOT/$DBS_TASK.begun"
mv "$ROOT/$DBS_TASK.begun" "$ROOT/$DBS_TASK.first"
while sleep 0.05; do
  stty size > "$ROOT/$DBS_TASK.measured"
  mv "$ROOT/$DBS_TASK.measured" "$ROOT/$DBS_TASK.now"
done
"#;

#[test]
fn an_agent_starts_as_wide_as_the_last_one_was_on_the_screen() {
    let story = Story::new("");
    let program = story.root().join("measure");
    let text = MEASURING.replace("$ROOT", &story.root().display().to_string());
    write_script(&program, text);
    story.configure(&format!(
        "[roles.developer]\ncommand = {:?}\n",
        program.display().to_string()
    ));
    let size = |name: &str| fs::read_to_string(story.root().join(name)).ok();
    let tty = story.tty(&[], (100, 30));
    tty.see("No agent is running.");
    story.dbs(&["task", "create", "First", "--id", "t-1", "--release"]);
    let unseen = Some("40 120\n".to_owned());
    story.wait_until("the first agent", || size("t-1.first").is_some());
    assert_eq!(size("t-1.first"), unseen);
    tty.see("t-1 First");
    tty.press("2");
    tty.see("[2 Agents]");
    story.wait_until("the size of its pane", || {
        size("t-1.now").is_some_and(|now| Some(now) != unseen)
    });
    story.dbs(&["task", "create", "Second", "--id", "t-2", "--release"]);
    story.wait_until("the second agent", || size("t-2.first").is_some());
    let columns = |name: &str| size(name).and_then(|size| Some(size.split_once(' ')?.1.to_owned()));
    assert_eq!(columns("t-2.first"), columns("t-1.now"));
    assert!(
        size("t-2.first").unwrap().starts_with("40 "),
        "high enough for dialogs"
    );
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
}
