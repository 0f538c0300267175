//! Things that a person takes out of terminals, goes back to and finds again: text, links, older lines, an agent's past, another session,
//! the arrangement of panes.

use std::fs;

use crate::attached::{go_to_shell, type_in_shell};
use crate::driver::{Story, said};
use crate::lost::lose_server;
use crate::scenarios::working;
use crate::script::write_script;
use crate::terminal::{Make, Screen, Tty};

/// Prints something at once, and then waits for an answer.
const WORDY: &str = r#"
  { print = "the needle of {task} lies here" },
  { ask = "Go on?" },
"#;

/// Returns the column and row where the text stands alone in its row of the shell.
fn place_of(screen: &Screen, text: &str) -> (usize, usize) {
    let area = screen.area("Shell").unwrap();
    let rows = screen.pane("Shell").unwrap();
    let row = rows.iter().rposition(|row| row.trim() == text).unwrap();
    (area.left, area.top + row)
}

#[test]
fn text_and_links_of_a_terminal_reach_the_person() {
    let story = Story::new("");
    // An opener that writes down its argument.
    let bin = story.root().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let (opener, given) = (bin.join("xdg-open"), story.root().join("opened"));
    write_script(&opener, format!("#!/bin/sh\necho \"$1\" > {}\n", given.display()));
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display());
    let tty = story.tty_of(Make::New, &[("PATH", &path)], &[], (120, 40));
    type_in_shell(&tty);

    // Text that is dragged over with the mouse is on the clipboard of the outer terminal.
    tty.type_text("echo drag-$((40+2))-me\n");
    let screen = tty.wait("the text", |screen| screen.pane_has("Shell", "drag-42-me"));
    let (column, row) = place_of(&screen, "drag-42-me");
    tty.press("C-b Esc");
    tty.wait("to look", |screen| screen.has("LOOKING"));
    tty.drag((column, row), (column + 9, row));
    tty.see("copied 10 characters");
    // `drag-42-me` as OSC 52 carries it.
    story.wait_until("the clipboard", || {
        tty.times_received("\x1b]52;c;ZHJhZy00Mi1tZQ==") == 1
    });

    // A link is shown whole, and opened after a yes.
    go_to_shell(&tty);
    tty.type_text("echo see https://example.org/$((40+2)), then\n");
    tty.wait("the link", |screen| screen.pane_has("Shell", "example.org/42,"));
    tty.press("C-b u");
    tty.wait("the question", |screen| {
        screen.has("Open this link?") || screen.has("Open which link?")
    });
    if tty.look().has("Open which link?") {
        tty.press("Enter");
        tty.see("Open this link?");
    }
    assert!(tty.look().has("https://example.org/42"));
    tty.press("y");
    story.wait_until("the opener", || {
        fs::read_to_string(&given).is_ok_and(|text| text == "https://example.org/42\n")
    });

    // Lines that a shell would run at once are shown before they are pasted.
    tty.paste("echo pasted-$((1+1))\necho pasted-$((2+2))\n");
    tty.see("takes every line end as Enter");
    tty.press("y");
    tty.wait("both lines", |screen| {
        screen.pane_has("Shell", "pasted-2") && screen.pane_has("Shell", "pasted-4")
    });

    // Starting dbs inside its own screen is refused.
    tty.type_text(&format!("clear; {}\n", env!("CARGO_BIN_EXE_dbs")));
    tty.wait("why not", |screen| {
        screen.pane_has("Shell", "could not show a screen here")
    });
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn what_was_shown_long_ago_is_found_and_seen_again() {
    let story = Story::new(&working(WORDY));
    let tty = story.tty(&[], (120, 40));
    type_in_shell(&tty);
    tty.type_text("echo very-$((40+2))-first; seq 1 12000; echo the-$((1+1))-end\n");
    tty.wait("the end", |screen| screen.pane_has("Shell", "the-2-end"));
    // The output is more than memory keeps; the rest is in the log.
    tty.press("C-b [");
    tty.wait("to copy", |screen| screen.status().contains("COPY"));
    tty.press("g k");
    tty.wait("the older lines", |screen| {
        let came = |row: &String| row.contains("older lines from the log") && !row.contains("reading");
        screen.rows.iter().any(came)
    });
    tty.press("g /");
    tty.type_text("very-42\n");
    tty.wait("the first line", |screen| {
        screen.pane_has("Shell", "very-42-first") && !screen.pane_has("Shell", "the-2-end")
    });
    tty.press("Esc");
    tty.press("C-b b");

    // The search finds the words of an agent in its log, and leads to its terminal.
    story.dbs(&["task", "create", "Words", "--id", "t-1", "--release"]);
    tty.see("NEEDS YOU 1");
    tty.press("C-b /");
    tty.type_text("needle of t-1");
    tty.wait("where it occurs", |screen| {
        // The first letters match as well; the count belongs to the whole text.
        screen.has("History of all agents  /needle of t-1  1 line of 1 terminal")
            && screen.has("the needle of t-1 lies here")
    });
    tty.press("Enter");
    tty.wait("the list", |screen| screen.status().contains("NAV"));
    tty.press("Enter");
    tty.wait("the line in its terminal", |screen| {
        screen.status().contains("COPY") && screen.has("the needle of t-1 lies here")
    });
    tty.press("Esc");
    tty.wait("to look", |screen| screen.status().contains("LOOK"));

    // Replay shows the agent's screen at the time of an event.
    tty.press("W");
    tty.wait("the log", |screen| screen.pane_has("Log", "t-1"));
    tty.press("k Enter");
    tty.see("REPLAY");
    tty.see("as it was at");
    tty.press("Esc");
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the end of the task", || story.count("done") == 1);

    // A task is skipped, and the skip is undone.
    story.dbs(&["task", "create", "Later", "--id", "t-2"]);
    tty.press("C-b b");
    tty.see("t-2");
    tty.press("/");
    tty.type_text("later\n");
    tty.see("1 of 2");
    tty.press("s");
    tty.see("undo: skipped t-2");
    story.wait_until("the skip", || story.count("skipped") == 1);
    tty.press("u");
    tty.see("put back t-2");
    story.wait_until("the task in the backlog", || story.count("backlog") == 1);
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
}

/// Returns true if the arrangement is as made: the third tab, with one more pane.
fn is_arranged(screen: &Screen) -> bool {
    screen.has("[3 Board]") && screen.area("Dependencies").is_some() && screen.area("Board").is_some()
}

/// Splits the third tab, and waits until the new arrangement is stored.
fn arrange(story: &Story, tty: &Tty<'_>) {
    tty.see("? help");
    tty.press("C-b 3");
    tty.see("[3 Board]");
    tty.press("C-b %");
    tty.see("Show beside it");
    tty.move_mark_until("the dependencies", "j", |screen| screen.is_marked("Dependencies"));
    tty.press("Enter");
    tty.wait("both panes", is_arranged);
    let kept = story.state().join("screen.json");
    // Before, only the tab was stored.
    let whole = ["\"tab\":2,", "\"title\":\"Board\",\"shape\":{\"own\":"];
    story.wait_until("the arrangement to be kept", || {
        fs::read_to_string(&kept).is_ok_and(|text| whole.iter().all(|part| text.contains(part)))
    });
}

#[test]
fn the_arrangement_comes_back_after_a_kill_and_after_a_restart() {
    let story = Story::new("");
    let tty = story.tty(&[], (120, 40));
    arrange(&story, &tty);
    // A new server draws from now on, and draws the same.
    lose_server(&story, &tty);
    tty.wait("the same arrangement", is_arranged);
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
    story.dbs(&["stop"]);
    story.wait_until("the end of the server", || !story.is_live());
    let tty = story.tty(&[], (120, 40));
    tty.wait("the arrangement of the day before", is_arranged);
    tty.press("q");
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn a_key_leads_to_the_session_of_another_project() {
    let story = Story::new("");
    let other = story.root().join("second");
    let (from, to) = (story.project(), other.to_str().unwrap().to_owned());
    story.git(&from, &["clone", "-q", story.origin().to_str().unwrap(), &to]);
    fs::create_dir_all(other.join(".debussy")).unwrap();
    fs::copy(
        from.join(".debussy/config.toml"),
        other.join(".debussy/config.toml"),
    )
    .unwrap();
    for (name, value) in [("user.name", "Story"), ("user.email", "story@example.org")] {
        story.git(&other, &["config", name, value]);
    }
    story.git(&other, &["branch", "-f", "work", "origin/work"]);
    story.trust_in(&other);
    let _second = story.server_in(&other);
    let tty = story.tty(&[], (120, 40));
    tty.see(" dbs project ");
    story.wait_until("both servers", || story.dbs(&["sessions"]).contains("second"));
    tty.press("C-b s");
    tty.wait("both sessions", |screen| {
        screen.has("Sessions 2") && screen.has("second")
    });
    tty.press("Enter");
    tty.see(" dbs second ");
    tty.press("q");
    assert_eq!(tty.leave().0, 0);
    let stopped = story
        .program(&["stop", "--all"])
        .current_dir(&other)
        .output()
        .unwrap();
    assert!(stopped.status.success(), "{}", said(&stopped));
}
