//! Gates with the real shell.
#![cfg(unix)]

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use sysinfo::{Pid, ProcessStatus, ProcessesToUpdate, System};
use tempfile::TempDir;

use super::*;
use crate::ports::gates::GateEnv;

fn gate(folder: &TempDir, command: &str) -> GateRun {
    GateRun {
        name: "test".to_owned(),
        command: command.to_owned(),
        commit: "0000".to_owned(),
        began: crate::domain::Timestamp(0),
        cwd: folder.path().to_path_buf(),
        env: GateEnv {
            variables: vec![(OsString::from("PATH"), OsString::from("/usr/bin:/bin"))],
            hidden: Vec::new(),
        },
        timeout: Duration::from_secs(20),
        output: folder.path().join("gate.log"),
        output_limit: 1024 * 1024,
    }
}

fn run(command: &str) -> (GateReport, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let report = ShellGates::default().run(&gate(&folder, command));
    (report, folder)
}

fn is_alive(pid_file: &Path) -> bool {
    let pid = fs::read_to_string(pid_file).unwrap().trim().parse().unwrap();
    let mut system = System::new().unwrap();
    let pid = Pid::from_u32(pid);
    system.refresh_processes(ProcessesToUpdate::Some(&[pid]), true);
    system
        .process(pid)
        .is_some_and(|process| process.status() != ProcessStatus::Zombie)
}

#[test]
fn a_gate_that_succeeds_is_a_yes_with_its_output_in_order() {
    let (report, folder) = run("echo one; echo two >&2; echo three; pwd");
    assert_eq!((report.exit, report.outcome), (GateExit::Code(0), Tri::Yes));
    let here = folder.path().canonicalize().unwrap();
    let wanted = format!("one\ntwo\nthree\n{}\n", here.display());
    assert_eq!(
        fs::read_to_string(folder.path().join("gate.log")).unwrap(),
        wanted
    );
    assert_eq!(report.tail, wanted);
    assert!(!report.truncated);
}

#[test]
fn a_gate_that_fails_or_is_killed_is_a_no() {
    let (report, _folder) = run("exit 3");
    assert_eq!(report.exit, GateExit::Code(3));
    assert_eq!(report.outcome, Tri::No("ended with code 3".to_owned()));
    let (report, _folder) = run("kill -9 $$");
    assert_eq!(report.exit, GateExit::Signal(9));
    assert!(matches!(report.outcome, Tri::No(_)));
}

#[test]
fn a_gate_that_cannot_start_is_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let mut lost = gate(&folder, "true");
    lost.cwd = folder.path().join("nowhere");
    let report = ShellGates::default().run(&lost);
    assert!(matches!(report.exit, GateExit::NotRun(_)));
    assert!(matches!(report.outcome, Tri::Unknown(_)));
    let mut unkept = gate(&folder, "true");
    unkept.output = folder.path().join("nowhere/gate.log");
    assert!(matches!(
        ShellGates::default().run(&unkept).outcome,
        Tri::Unknown(_)
    ));
}

#[cfg(target_os = "linux")]
#[test]
fn a_gate_whose_output_finds_the_disk_full_is_unknown_for_that_reason() {
    let folder = tempfile::tempdir().unwrap();
    let mut unkept = gate(&folder, "echo said");
    unkept.output = "/dev/full".into();
    let report = ShellGates::default().run(&unkept);
    assert!(
        matches!(&report.outcome, Tri::Unknown(why) if why.kind == crate::domain::TroubleKind::Disk),
        "{:?}",
        report.outcome
    );
}

#[test]
fn only_the_given_environment_arrives_and_input_is_empty() {
    let folder = tempfile::tempdir().unwrap();
    let mut gate = gate(
        &folder,
        "env | cut -d= -f1 | grep -vE '^(PWD|SHLVL|_|OLDPWD)$' | sort; cat; echo \"$TITLE\"",
    );
    gate.env
        .variables
        .push(("TITLE".into(), "\"; rm -rf ~ # $(id)".into()));
    let report = ShellGates::default().run(&gate);
    assert_eq!(report.tail, "DBS_GATE_MARK\nPATH\nTITLE\n\"; rm -rf ~ # $(id)\n");
}

#[test]
fn a_flood_is_cut_in_the_file_and_does_not_stop_the_gate() {
    let folder = tempfile::tempdir().unwrap();
    let mut gate = gate(&folder, "head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last");
    gate.output_limit = 10_000;
    let report = ShellGates::default().run(&gate);
    assert_eq!(report.exit, GateExit::Code(0));
    assert!(report.truncated);
    assert!(report.tail.ends_with("x\nlast\n") && report.tail.len() <= 8 * 1024);
    assert_eq!(
        fs::metadata(folder.path().join("gate.log")).unwrap().len(),
        10_000
    );
}

#[test]
fn at_the_time_limit_the_whole_tree_is_killed_even_what_left_the_group() {
    let folder = tempfile::tempdir().unwrap();
    let command = "trap '' TERM HUP INT\n\
        sh -c 'echo $$ > child; exec sleep 300' &\n\
        setsid sh -c 'echo $$ > session; exec sleep 300' &\n\
        (setsid sh -c 'echo $$ > orphan; exec sleep 300' & )\n\
        until [ -s child ] && [ -s session ] && [ -s orphan ]; do sleep 0.05; done; echo ready; sleep 300";
    let mut gate = gate(&folder, command);
    gate.timeout = Duration::from_secs(2);
    let report = ShellGates::default().run(&gate);
    assert_eq!(report.exit, GateExit::TimedOut);
    assert!(
        matches!(&report.outcome, Tri::No(why) if why.contains("longer than 2 s")),
        "{:?}",
        report.outcome
    );
    assert_eq!(report.tail, "ready\n");
    for name in ["child", "session", "orphan"] {
        assert!(!is_alive(&folder.path().join(name)), "{name} lives");
    }
    assert!(report.duration_ms < 8000, "{}", report.duration_ms);
}

#[test]
fn at_the_time_limit_a_tree_is_killed_that_has_cleared_its_environment_and_left_the_group() {
    let folder = tempfile::tempdir().unwrap();
    let command = "exec env -i PATH=\"$PATH\" sh -c 'trap \"\" TERM HUP\n\
        setsid sh -c \"echo \\$\\$ > bare; exec sleep 300\" &\n\
        until [ -s bare ]; do sleep 0.05; done; echo ready; sleep 300'";
    let mut gate = gate(&folder, command);
    gate.timeout = Duration::from_secs(2);
    let report = ShellGates::default().run(&gate);
    assert_eq!(
        (report.exit, report.tail.as_str()),
        (GateExit::TimedOut, "ready\n")
    );
    assert!(!is_alive(&folder.path().join("bare")), "it lives");
}

#[test]
fn what_a_gate_leaves_running_is_killed_when_it_ends() {
    let (report, folder) =
        run("sh -c 'echo $$ > left; exec sleep 300' & until [ -s left ]; do sleep 0.05; done");
    assert_eq!(report.exit, GateExit::Code(0));
    assert!(report.duration_ms < 15_000, "{}", report.duration_ms);
    assert!(!is_alive(&folder.path().join("left")));
}

#[cfg(target_os = "linux")]
#[test]
fn a_gate_has_no_file_of_ours_open_beside_its_input_and_outputs() {
    let list =
        "n=; for f in /proc/$$/fd/*; do if [ -e $f ]; then n=\"$n ${f##*/}\"; fi; done; echo \"open:$n\"";
    // The process that runs the tests may have left some open, and every program inherits them.
    let plain = Command::new("/bin/sh").args(["-c", list]).output().unwrap();
    let (report, _folder) = run(list);
    assert!(report.tail.starts_with("open: 0 1 "), "{}", report.tail);
    assert_eq!(report.tail, String::from_utf8(plain.stdout).unwrap());
}

#[test]
fn what_cannot_be_looked_at_is_looked_at_again_until_the_time_is_over() {
    let mut left = 2;
    let mut look = || {
        left -= 1;
        if left == 0 {
            Ok("seen")
        } else {
            Err(io::Error::other("no descriptors"))
        }
    };
    let deadline = Instant::now() + Duration::from_mins(1);
    assert_eq!(retried(deadline, &mut look).unwrap(), "seen");
    let gone = retried(Instant::now(), look).unwrap_err();
    assert_eq!(gone.to_string(), "no descriptors");
}
