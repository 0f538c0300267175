//! A keeper ends the processes that its program leaves, however they are started; a keeper that leaves them alone stays above them.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use dbs::adapters::holder::process::{Keeper, origin, processes};
use dbs::ports::holders::{LaunchSpec, OrphanPolicy};

use super::bench::{Bench, wait_for};

fn keeper(marker: &str) -> Keeper {
    Keeper::new(PathBuf::from(env!("CARGO_BIN_EXE_dbs")), marker.to_owned()).expect("this is Linux")
}

fn shell(script: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]).env("PATH", "/usr/bin:/bin");
    command
}

/// Script that starts one process after the other, each without its parent and its environment, and leaves the last.
const RESTLESS: &str = "(setsid env -i PATH=\"$PATH\" setsid sh -c '\n\
    for i in 1 2 3 4 5 6 7 8; do x=$(cut -d\" \" -f4 /proc/$$/stat); sh -c true; done; exec sleep 600.25' \
    </dev/null >/dev/null 2>&1 &)";

#[test]
fn nothing_that_a_program_leaves_outlives_a_keeper_that_sweeps() {
    for _ in 0..40 {
        let mut command = keeper("dbs-0a-gate").around(&shell(RESTLESS), OrphanPolicy::Sweep);
        let mut child = command.stdin(Stdio::piped()).spawn().expect("it starts");
        // The input is taken, because waiting would close it.
        let input = child.stdin.take();
        assert!(child.wait().expect("collected").success());
        drop(input);
    }
    let rows = processes().expect("listed").into_iter();
    let left = rows.filter(|row| {
        let words = std::fs::read(format!("/proc/{}/cmdline", row.pid)).unwrap_or_default();
        String::from_utf8_lossy(&words).contains("600.25")
    });
    assert_eq!(left.count(), 0);
}

#[test]
fn a_keeper_ends_as_its_program_does_and_with_everything_when_its_input_closes() {
    use std::os::unix::process::ExitStatusExt as _;

    let run = |script: &str, leftovers| {
        let mut command = keeper("dbs-0b-gate").around(&shell(script), leftovers);
        let mut child = command.stdin(Stdio::piped()).spawn().expect("it starts");
        let input = child.stdin.take();
        let status = child.wait().expect("collected");
        drop(input);
        status
    };
    for leftovers in [OrphanPolicy::Sweep, OrphanPolicy::Leave] {
        assert_eq!(run("exit 3", leftovers).code(), Some(3));
        assert_eq!(run("kill -9 $$", leftovers).signal(), Some(9));
        assert_eq!(run("kill -15 $$", leftovers).signal(), Some(15));
    }
    let mut command = keeper("dbs-0b-gate").around(&shell("sleep 600"), OrphanPolicy::Sweep);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("it starts");
    let below = || {
        let rows = processes().expect("listed").into_iter();
        rows.filter(|row| row.parent == child.id() && !row.is_dead)
            .map(|row| row.pid)
            .next()
    };
    wait_for("the program", || below().is_some());
    let sleeper = below().expect("just seen");
    drop(child.stdin.take());
    assert!(!child.wait().expect("collected").success());
    let rows = processes().expect("listed");
    assert!(rows.iter().all(|row| row.pid != sleeper || row.is_dead));
}

#[test]
fn what_is_left_alone_stays_below_a_process_that_carries_the_marker() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("number");
    let script = format!(
        "(setsid env -i PATH=\"$PATH\" sh -c 'echo $$ >{0}.part; mv {0}.part {0}; exec sleep 600' </dev/null >/dev/null 2>&1 &)\n\
         until [ -e {0} ]; do sleep 0.02; done; echo said",
        file.display()
    );
    let mut command = keeper("dbs-0c-git").around(&shell(&script), OrphanPolicy::Leave);
    let output = command.output().expect("it runs");
    assert_eq!(output.stdout, b"said\n");
    let text = std::fs::read_to_string(file).expect("written");
    let pid: u32 = text.trim().parse().expect("a number");
    let found = origin(pid).expect("it lives").markers;
    assert_eq!(found.first().map(String::as_str), Some("dbs-0c-git"));
    let number = nix::unistd::Pid::from_raw(i32::try_from(pid).expect("a number"));
    nix::sys::signal::kill(number, nix::sys::signal::Signal::SIGKILL).expect("it lives");
}

/// Returns the nice value of a process.
fn nice(pid: u32) -> i32 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("it runs");
    let (_, rest) = stat.rsplit_once(") ").expect("a name");
    rest.split(' ')
        .nth(16)
        .expect("a value")
        .parse()
        .expect("a number")
}

#[test]
fn agents_and_gates_have_a_lower_priority_than_holders_and_a_persons_shell() {
    let bench = Bench::new();
    let own = nice(std::process::id());
    let lower = (own + 10).min(19);
    let started = |id: &str, orphans| {
        let spec = bench.spec(id, "sleep 600");
        let process = bench.launch(&LaunchSpec { orphans, ..spec }).expect("started");
        (nice(process.holder_pid), nice(process.child_pid))
    };
    assert_eq!(started("1", OrphanPolicy::Sweep), (own, lower));
    assert_eq!(started("2", OrphanPolicy::Leave), (own, own));
    let gate = |leftovers| {
        let mut command = keeper("dbs-0d-gate").around(&shell("nice; cat"), leftovers);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let input = child.stdin.take();
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("output"))
            .read_line(&mut line)
            .expect("a line");
        drop(input);
        child.wait().expect("collected");
        line.trim().parse::<i32>().expect("a number")
    };
    assert_eq!(gate(OrphanPolicy::Sweep), lower);
    assert_eq!(gate(OrphanPolicy::Leave), own);
}

#[test]
fn what_a_keeper_runs_for_git_has_no_terminal_of_its_starter() {
    // Group, session and terminal of the shell, by its own record.
    let shown = || shell("read a b c d e f g rest </proc/$$/stat; echo $$ $e $f $g");
    for mut command in [
        keeper("dbs-0e-git").apart(&shown()),
        keeper("dbs-0e-git").around(&shown(), OrphanPolicy::Leave),
    ] {
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let numbers: Vec<i32> = said
            .split_whitespace()
            .map(|word| word.parse().unwrap())
            .collect();
        let [_, group, session, terminal] = numbers[..] else {
            panic!("{said}")
        };
        assert_eq!(group, session, "{said}");
        assert_eq!(terminal, 0, "{said}");
        let own = nix::unistd::getsid(None).unwrap().as_raw();
        assert_ne!(session, own, "{said}");
    }
}
