//! Tests of `src/adapters/notify/command.rs`.

use super::*;
use crate::adapters::notify::body::tests::question;

fn notification(words: &str) -> Notification {
    Notification {
        text: words.to_owned(),
        ..question()
    }
}

fn command(argv: &[&str], cwd: &std::path::Path, limit: Duration) -> CommandNotifier {
    CommandNotifier::new(CommandSetup {
        argv: argv.iter().map(|&word| word.to_owned()).collect(),
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        cwd: cwd.to_owned(),
        limit,
    })
}

const LONG: Duration = Duration::from_mins(1);

#[test]
fn the_line_is_the_last_argument_and_nothing_in_it_is_read_by_a_shell_or_acts_on_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let words = "t-1 question: $(touch ran); `touch ran` \x1b]0;x\x07 'a' \"b\"\n--help";
    let sent = command(
        &[
            "sh",
            "-c",
            "printf '%s|' \"$0\" \"$@\" > sent; env >> sent",
            "first",
        ],
        folder.path(),
        LONG,
    );
    sent.send(&notification(words)).unwrap();
    let sent = std::fs::read_to_string(folder.path().join("sent")).unwrap();
    let (line, environment) = sent.rsplit_once('|').unwrap();
    assert!(
        line.starts_with("first|dbs shop: t-1 question: $(touch ran); `touch ran` \\x1b]0;x\\x07 'a'"),
        "{line}"
    );
    assert!(!line.contains(['\x1b', '\x07', '\n']), "{line:?}");
    assert!(!folder.path().join("ran").exists());
    assert!(
        !environment.contains("HOME="),
        "only what was given: {environment}"
    );
}

#[test]
fn a_program_that_is_missing_or_fails_says_so_with_its_cause() {
    let folder = tempfile::tempdir().unwrap();
    let missing = command(&["dbs-no-such-program", "dbs"], folder.path(), LONG);
    let why = missing.send(&notification("x")).unwrap_err();
    assert!(
        matches!(&why, NotifyError::Permanent(why) if why.starts_with("start dbs-no-such-program: there is no such program")),
        "{why}"
    );
    let failing = command(&["sh", "-c", "exit 3"], folder.path(), LONG);
    let why = failing.send(&notification("x")).unwrap_err();
    assert_eq!(
        why,
        NotifyError::Temporary("use sh: it ended with exit status: 3".to_owned())
    );
}

#[test]
fn a_program_that_hangs_is_killed_with_what_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let hanging = command(
        &["sh", "-c", "sleep 600 & echo $! > sleeper; echo $$ > own; wait"],
        folder.path(),
        Duration::from_secs(3),
    );
    let why = hanging.send(&notification("x")).unwrap_err();
    assert!(why.to_string().contains("longer than 3 s"), "{why}");
    let pid = |name: &str| {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        nix::unistd::Pid::from_raw(text.trim().parse().unwrap())
    };
    assert!(
        nix::sys::signal::kill(pid("own"), None).is_err(),
        "killed and reaped"
    );
    let deadline = Instant::now() + LONG;
    while is_running(pid("sleeper").as_raw()) {
        assert!(Instant::now() < deadline, "what it started goes on");
        std::thread::yield_now();
    }
}

/// Returns true if the process runs. A killed process may stay as a zombie until the process that adopted it looks.
fn is_running(pid: i32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    match status {
        Ok(text) => !text.contains(") Z "),
        Err(_) => nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), None).is_ok(),
    }
}

#[test]
fn a_server_that_ends_waits_for_no_program() {
    let folder = tempfile::tempdir().unwrap();
    let hanging = command(&["sh", "-c", "sleep 600; true"], folder.path(), LONG);
    std::thread::scope(|scope| {
        let telling = scope.spawn(|| hanging.send(&notification("x")));
        hanging.cancel();
        let why = telling.join().unwrap().unwrap_err();
        assert!(why.to_string().contains("the server ends"), "{why}");
    });
}
