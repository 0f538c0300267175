//! A person with a screen reader: lines, numbered prompts, nothing drawn, in a terminal that can do nothing else.

#![expect(
    clippy::disallowed_methods,
    reason = "waits until a time has passed for a program"
)]

use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::driver::Story;
use crate::scenarios::{careful, working};
use crate::terminal::{Make, Tty};

/// Prints something and waits for an answer.
const ASKING: &str = r#"
  { print = "first words of {task}" },
  { ask = "Go on?" },
"#;

fn signal(tty: &Tty<'_>, signal: Signal) {
    kill(Pid::from_raw(tty.pid().cast_signed()), signal).unwrap();
}

/// Asserts that nothing arrived that moves a cursor, colours a letter or queries the terminal.
fn only_lines(tty: &Tty<'_>) {
    assert_eq!(tty.times_received("\x1b"), 0, "{}", tty.look().text());
    assert!(!tty.look().modes.has(dbs::term::TermMode::AlternateScreen));
}

#[test]
fn a_whole_day_passes_in_lines_and_numbered_prompts() {
    let story = Story::new(&working(ASKING));
    let tty = story.tty_of(Make::Old, &[("TERM", "dumb")], &[], (140, 60));
    tty.see("Nothing needs you.");
    tty.type_text("new Fix the log in --id t-1 --release\n");
    tty.see("released t-1");
    let screen = tty.see("1. t-1 permission:");
    let prompt = screen
        .rows
        .iter()
        .find(|row| row.contains("needs you: 1."))
        .unwrap();
    assert!(prompt.contains("Go on?"), "{}", screen.text());
    tty.type_text("1 look\n");
    tty.see("first words of t-1");
    tty.type_text("1\n");
    tty.see("from report");
    tty.type_text("7 yes\n");
    tty.see("there is no 7");
    tty.type_text("1 yes\n");
    tty.see("allowed t-1: Go on?");
    tty.see("1 no longer waits");
    story.wait_until("the end of the task", || story.count("done") == 1);
    tty.type_text("new Second --id t-2 --approval\n");
    tty.type_text("show t-2\n");
    tty.see("created t-2");
    tty.type_text("relase t-2\n");
    tty.see("unrecognized subcommand");
    only_lines(&tty);
    tty.type_text("quit\n");
    let (code, screen) = tty.leave();
    assert_eq!(code, 0);
    assert!(
        screen.has("the server and its agents keep running"),
        "{}",
        screen.text()
    );
    assert!(story.is_live());
}

#[test]
fn a_no_to_a_permission_reaches_the_agent_and_what_was_denied_is_tried_again_with_a_note() {
    let story = Story::new(&careful());
    let tty = story.tty(&["--plain"], (140, 60));
    tty.see("Nothing needs you.");
    tty.type_text("new Mend it --id t-1 --release\n");
    let screen = tty.see("1. t-1 permission:");
    assert!(screen.has("1 yes, 1 no"), "{}", screen.text());
    tty.type_text("1 no\n");
    tty.see("denied t-1: Touch the shop?");
    tty.see("1 no longer waits");
    // The agent goes another way, as it was told to, and its task waits for the person.
    let screen = tty.see("2. t-1 ");
    assert!(screen.has("I was not allowed to."), "{}", screen.text());
    assert_eq!((story.count("held"), story.count("done")), (1, 0));
    tty.type_text("2 retry touch the shop, but gently\n");
    tty.see("3. t-1 permission:");
    tty.type_text("3 yes\n");
    tty.see("allowed t-1: Touch the shop?");
    story.wait_until("the end of the task", || story.count("done") == 1);
    only_lines(&tty);
    tty.type_text("quit\n");
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn a_server_that_dies_is_started_again_and_the_lines_go_on() {
    let story = Story::new(&working(ASKING));
    let mut server = story.server();
    story.wait_until("a server", || story.is_live());
    story.dbs(&["task", "create", "Old", "--id", "t-0"]);
    let tty = story.tty(&["attach", "--plain"], (140, 60));
    tty.see("Nothing needs you.");
    story.dbs(&["task", "create", "Something", "--id", "t-1", "--release"]);
    tty.see("1. t-1 permission:");
    signal(&tty, Signal::SIGSTOP);
    server.kill();
    story.dbs(&["task", "create", "Missed", "--id", "t-2"]);
    signal(&tty, Signal::SIGCONT);
    tty.see("the server is back");
    story.dbs(&["task", "create", "Other", "--id", "t-3"]);
    tty.see("t-3 created");
    // Earlier lines are not repeated, and lines that could not be printed meanwhile follow.
    let heard = |task: usize| tty.times_received(&format!("t-{task} created"));
    assert_eq!([0, 1, 2, 3].map(heard), [0, 1, 1, 1], "{}", tty.look().text());
    story.dbs(&["approve", "t-1"]);
    tty.see("1 no longer waits");
    only_lines(&tty);
    story.dbs(&["stop", "--all"]);
    let (code, screen) = tty.leave();
    assert_eq!(code, 0);
    assert!(screen.has("the server ends"), "{}", screen.text());
}

/// Clients that find the goodbye and the time for their next look at the board at once; which of them a client takes first is chance.
#[test]
fn a_server_that_was_stopped_is_not_started_again_by_clients_that_were_about_to_ask_it() {
    let story = Story::new("");
    let mut server = story.server();
    story.wait_until("a server", || story.is_live());
    let all: Vec<Tty<'_>> = (0..8)
        .map(|_| story.tty(&["attach", "--plain"], (140, 20)))
        .collect();
    for tty in &all {
        tty.see("Nothing needs you.");
    }
    // A client that prints this is connected, and gets the goodbye.
    story.dbs(&["task", "create", "Something", "--id", "t-1"]);
    for tty in &all {
        tty.see("t-1 created");
    }
    for tty in &all {
        signal(tty, Signal::SIGSTOP);
    }
    let stopped = Instant::now();
    story.dbs(&["stop"]);
    server.0.wait().unwrap();
    story.wait_until("the next look", || stopped.elapsed() > Duration::from_secs(3));
    for tty in &all {
        signal(tty, Signal::SIGCONT);
    }
    for tty in all {
        let (code, screen) = tty.leave();
        assert_eq!(code, 0);
        assert!(screen.has("the server ends"), "{}", screen.text());
        assert!(!screen.has("the server is back"), "{}", screen.text());
    }
    assert!(!story.is_live());
}
