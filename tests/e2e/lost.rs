//! Effects of a server's death on an attached client: a notice, and then everything again, with no byte missing.

use std::fs;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::attached::type_in_shell;
use crate::driver::Story;
use crate::scenarios::working;
use crate::terminal::{Screen, Tty};

/// Prints numbered lines, for long enough to be cut off in the middle, and then waits for a key.
const TALKER: &str = r#"
  { flood = 1, width = 90 },
  { sleep = 0.5 },
  { flood = 1, width = 90 },
  { sleep = 0.5 },
  { flood = 1, width = 90 },
  { ask = "Seen it all?" },
"#;

/// Returns the pid of the server that runs now.
fn server_of(story: &Story) -> Option<i32> {
    let output = story.run(&["sessions", "--json"]);
    let sessions: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
    let pid = sessions.pointer("/0/pid")?.as_i64()?;
    i32::try_from(pid).ok()
}

fn kill_server(story: &Story) {
    let pid = server_of(story).unwrap();
    kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap();
    story.wait_until("the death of the server", || {
        !fs::exists(format!("/proc/{pid}")).unwrap_or(true) || is_dead(pid)
    });
}

/// Returns true if the process has ended, even if its parent has not collected it yet.
fn is_dead(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')')
        .is_none_or(|(_, rest)| rest.trim_start().starts_with('Z'))
}

#[test]
fn a_server_that_dies_is_started_again_and_no_byte_is_missing_on_the_screen() {
    let story = Story::new(&working(TALKER));
    let tty = story.tty(&[], (120, 40));
    type_in_shell(&tty);
    tty.type_text("mine=$((40+2)); echo before-$mine\n");
    tty.wait("the shell", |screen| screen.pane_has("Shell", "before-42"));
    story.dbs(&["task", "create", "Talk", "--id", "t-1", "--release"]);
    tty.press("C-b 2");
    tty.wait("the agent's terminal", |screen| {
        screen.has("[2 Agents]") && screen.has("flood 0000")
    });
    story.wait_until("the agent's first words", || {
        fs::metadata(story.attempt(1).join("tty/000001.log")).is_ok_and(|log| log.len() > 100_000)
    });
    // Twice in the middle of a flood, and once when all is quiet.
    for _ in 0..2 {
        lose_everything(&story, &tty);
    }
    tty.see("NEEDS YOU 1");
    let before = agents_screen(&tty);
    lose_everything(&story, &tty);
    let after = agents_screen(&tty);
    assert_eq!(after, before);
    // The shell is the same and still has its variable.
    tty.press("1");
    type_in_shell(&tty);
    tty.type_text("echo after-$mine\n");
    tty.wait("the same shell", |screen| {
        screen.pane_has("Shell", "before-42") && screen.pane_has("Shell", "after-42")
    });
    all_numbers_three_times(&story.dbs(&["logs", "1", "--raw"]));
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the end of the task", || story.count("done") == 1);
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
}

/// Kills the server, and waits until its client is told and another server draws: keys pressed in between are lost.
pub(crate) fn lose_server(story: &Story, tty: &Tty<'_>) {
    // The notice is drawn several times, with seconds that count, so only what arrives from now on is about this death.
    let note = "agents keep running, reconnecting (";
    let before = tty.look().received;
    kill_server(story);
    tty.wait("word of it", |_| tty.times_received_since(before, note) > 0);
    tty.wait("the session again", |screen| {
        !screen.has(note)
            && (screen.has("[1 Classic]") || screen.has("[2 Agents]") || screen.has("[3 Board]"))
    });
}

/// Kills the server with any tab in front, and waits until everything is in the first tab again.
fn lose_everything(story: &Story, tty: &Tty<'_>) {
    lose_server(story, tty);
    // A digit alone may be the first of a count, and waits for the next.
    tty.press("C-b 1");
    tty.wait("everything again", |screen| {
        screen.pane_has("Shell", "before-42") && screen.has("t-1 Talk")
    });
}

/// Returns the lines of the pane beside the list of agents, because the times in the list go on.
fn beside_list(screen: &Screen) -> Vec<String> {
    let lines = screen.inside(screen.area_at(2).unwrap()).into_iter();
    lines
        .map(|line| {
            line.split_once('│')
                .map_or(line.clone(), |(_, beside)| beside.to_owned())
        })
        .collect()
}

/// Returns what the agent's terminal shows once it is at rest: the present, and the very first line of its past.
fn agents_screen(tty: &Tty<'_>) -> (Vec<String>, Vec<String>) {
    tty.press("2");
    // Enter would open the details of a task whose terminal has not been read again yet.
    let list = tty.wait("the agents", |screen| {
        screen.has("[2 Agents]") && screen.has("y · n · 1-9 · Enter")
    });
    if !list.has("LOOKING") {
        tty.press("Enter");
    }
    let screen = tty.wait("the agent's terminal", |screen| {
        screen.has("[2 Agents]") && screen.has("y · n · 1-9 · Enter") && screen.has("LOOKING")
    });
    let now = beside_list(&screen);
    tty.press("g");
    let screen = tty.wait("its past", |screen| {
        screen.has("lines back") && screen.has("flood 0000")
    });
    let past = beside_list(&screen);
    tty.press("G");
    tty.wait("the present", |screen| !screen.has("lines back"));
    (now, past)
}

/// Asserts that the numbered lines of all three floods are complete and that none comes twice.
fn all_numbers_three_times(text: &str) {
    let of_flood = text.lines().filter_map(|line| line.strip_prefix("flood "));
    let numbers: Vec<usize> = of_flood.map(|rest| rest[..9].parse().unwrap()).collect();
    let each = numbers.len() / 3;
    assert!(each > 1_000, "{each}");
    let expected: Vec<usize> = (0..3).flat_map(|_| 1..=each).collect();
    let differs = numbers
        .iter()
        .zip(&expected)
        .position(|(one, other)| one != other);
    assert_eq!((differs, numbers.len()), (None, expected.len()));
}

/// Clients that were stopped, as after Ctrl-Z and `fg`, or that hung: each finds keys and, behind the last frame, a goodbye. Which of them
/// a client takes first is chance, and what it sends then reaches no server.
#[test]
fn a_server_that_was_stopped_is_not_started_again_by_screens_that_slept_meanwhile() {
    let story = Story::new("");
    let mut server = story.server();
    story.wait_until("a server", || story.is_live());
    let all: Vec<Tty<'_>> = (0..6).map(|_| story.tty(&["attach"], (100, 30))).collect();
    for tty in &all {
        tty.wait("a screen", |screen| screen.area("Shell").is_some());
    }
    let signal = |tty: &Tty<'_>, signal| kill(Pid::from_raw(tty.pid().cast_signed()), signal).unwrap();
    for tty in &all {
        signal(tty, Signal::SIGSTOP);
    }
    story.dbs(&["task", "create", "Something", "--id", "t-1"]);
    story.dbs(&["stop"]);
    server.0.wait().unwrap();
    for tty in &all {
        tty.press("j k j k");
        signal(tty, Signal::SIGCONT);
    }
    for tty in all {
        let (code, screen) = tty.leave();
        assert_eq!(code, 0, "{}", screen.text());
        assert!(
            screen.has("the server ends") || screen.has("the server was stopped"),
            "{}",
            screen.text()
        );
    }
    assert!(!story.is_live());
}
