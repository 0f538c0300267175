//! Misbehaviour in a real pseudo-terminal: it must be as bad as announced, and must harm no other process.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::terminal::{Terminal, wait_until};

#[test]
fn a_crash_is_a_death_by_signal() {
    for (how, name) in [("abort", "Abort"), ("kill", "Kill"), ("term", "Terminated")] {
        let mut terminal = Terminal::start("", &format!("{{ ignore_term = true }}, {{ crash = \"{how}\" }}"));
        let status = terminal.ended();
        assert!(
            status.signal().is_some_and(|signal| signal.starts_with(name)),
            "{how}: {status:?}"
        );
    }
}

#[test]
fn term_ends_a_rehearsal_that_does_not_ignore_it() {
    let mut terminal = Terminal::start("", "{ ask = \"Wait\" }");
    terminal.until_seen("1. Yes");
    terminal.signal(Signal::SIGTERM);
    assert!(terminal.ended().signal().is_some());
}

#[test]
fn ignored_signals_change_nothing_and_kill_still_works() {
    let mut terminal = Terminal::start(
        "",
        "{ ignore_term = true }, { ask = \"Wait\" }, { print = \"still here\" }, { ask = \"Again\" }",
    );
    terminal.until_seen("1. Yes");
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        terminal.signal(signal);
    }
    terminal.press("y");
    terminal.until_seen("still here");
    terminal.until_seen("Again");
    terminal.signal(Signal::SIGKILL);
    assert!(
        terminal
            .ended()
            .signal()
            .is_some_and(|signal| signal.starts_with("Kill"))
    );
}

#[test]
fn a_hang_hears_no_key_and_lasts() {
    let mut terminal = Terminal::start("", "{ print = \"last words\" }, { hang = true }");
    terminal.until_seen("last words");
    terminal.press("\x03");
    assert!(terminal.stays_alive());
    terminal.signal(Signal::SIGTERM);
    assert!(terminal.ended().signal().is_some());
}

#[test]
fn a_flood_pours_out_what_it_says_and_the_rehearsal_goes_on() {
    let mut terminal = Terminal::start(
        "",
        "{ flood = 4, width = 64 }, { huge_line = 300000 }, { garbage = 50000, seed = 3 }, { print = \"after the flood\" }, { exit = 5 }",
    );
    assert_eq!(terminal.ended().exit_code(), 5);
    let bytes = &terminal.bytes;
    assert!(bytes.len() > (4 << 20) + 350_000, "{}", bytes.len());
    // The bytes that remove the live area come before the first line.
    let flood = bytes
        .windows(b"flood 0".len())
        .filter(|window| window == b"flood 0")
        .count();
    assert_eq!(flood, (4 << 20) / 64);
    let longest = bytes.split(|byte| *byte == b'\n').map(<[u8]>::len).max();
    assert!(longest >= Some(300_000), "{longest:?}");
    assert!(String::from_utf8_lossy(bytes).contains("after the flood"));
}

#[test]
fn a_process_left_behind_outlives_the_rehearsal_and_ignores_term() {
    let mut terminal = Terminal::start(
        "",
        "{ fork_daemon = 60, pid_file = \"daemon.pid\" }, { exit = 6 }",
    );
    assert_eq!(terminal.ended().exit_code(), 6);
    let pid = std::fs::read_to_string(terminal.tree.path().join("daemon.pid")).unwrap();
    let pid = Pid::from_raw(pid.parse().unwrap());
    assert_eq!(
        nix::unistd::getsid(Some(pid)),
        Ok(pid),
        "the process has a session of its own"
    );
    for signal in [Signal::SIGTERM, Signal::SIGHUP] {
        kill(pid, signal).unwrap();
    }
    assert!(lives(pid));
    kill(pid, Signal::SIGKILL).unwrap();
    wait_until("the end of the daemon", || !lives(pid));
}

/// Returns true if a process lives; a zombie does not count.
fn lives(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    kill(pid, None).is_ok() && !stat.contains(") Z ")
}
