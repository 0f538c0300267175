//! Tests of `crates/holder/src/process/selector.rs`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use super::*;

#[cfg(target_os = "linux")]
#[test]
fn who_may_open_no_more_files_cannot_say_that_nothing_is_left() {
    let name = "process::selector::tests::who_may_open_no_more_files_cannot_say_that_nothing_is_left";
    super::super::scarcity::with_descriptors(name, 1, |held| {
        // One descriptor is enough for the list of numbers, and two for what stands behind them.
        let looked = members(&mut ProcessSelector::marked("no-such-marker"));
        assert!(looked.is_err(), "{looked:?}");
        drop(held);
        let row = table::process(std::process::id())
            .expect("readable")
            .expect("it lives");
        assert!(table::has_env_entry(&row, "DBS_TEST_LACKS_DESCRIPTORS=yes").expect("readable"));
        let held = super::super::scarcity::hold_all();
        assert!(table::has_env_entry(&row, "DBS_TEST_LACKS_DESCRIPTORS=yes").is_err());
        drop(held);
        assert_eq!(
            members(&mut ProcessSelector::marked("no-such-marker")).expect("listed"),
            []
        );
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_starts_one_program_after_the_other_is_found_at_every_look() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("again.sh");
    std::fs::write(&script, "exec sh \"$0\"\n").expect("written");
    let marker = format!("exec-{}", folder.path().display());
    #[expect(clippy::disallowed_methods, reason = "the test needs a child of its own")]
    let mut child = Command::new("sh")
        .arg(&script)
        .env(MARKER, &marker)
        .spawn()
        .expect("sh starts");
    let found = (0..300).filter(|_| {
        let rows = members(&mut ProcessSelector::marked(&marker)).expect("listed");
        rows.iter().any(|row| row.pid == child.id())
    });
    let found = found.count();
    child.kill().expect("it runs");
    child.wait().expect("collected");
    assert_eq!(found, 300);
}

#[test]
fn a_member_that_has_lost_its_parent_and_carries_no_marker_stays_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let marker = format!("orphan-{}", folder.path().display());
    let mut target = ProcessSelector::marked(&marker);
    #[expect(clippy::disallowed_methods, reason = "the test needs a child of its own")]
    let mut child = Command::new("sh")
        .args(["-c", "env -i sleep 60 & echo $!; wait"])
        .env(MARKER, &marker)
        .stdout(Stdio::piped())
        // Else the reader of the tests' output would wait for it when the test fails.
        .stderr(Stdio::null())
        .spawn()
        .expect("sh starts");
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    output.read_line(&mut line).expect("a line");
    let orphan: u32 = line.trim().parse().expect("a number");
    let mut found = || {
        let rows = members(&mut target).expect("listed");
        rows.iter().any(|row| row.pid == orphan)
    };
    assert!(found(), "its parent is marked");
    child.kill().expect("it runs");
    child.wait().expect("collected");
    assert!(found(), "it was a member");
    assert_eq!(
        super::super::terminate(&mut target, std::time::Duration::ZERO).expect("listed"),
        0
    );
    assert!(
        table::process(orphan)
            .expect("readable")
            .is_none_or(|row| row.is_dead)
    );
}

#[test]
fn a_process_that_starts_a_marked_program_in_its_place_is_found_though_it_was_not_before() {
    let mut target = ProcessSelector::marked("becomes-marked");
    #[expect(clippy::disallowed_methods, reason = "the test needs a child of its own")]
    let mut child = Command::new("sh")
        .args([
            "-c",
            "read line; exec env DBS_MARKER=becomes-marked sh -c 'echo; read line'",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("sh starts");
    assert_eq!(members(&mut target).expect("listed"), []);
    let mut input = child.stdin.take().expect("piped");
    input.write_all(b"\n").expect("it reads");
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    output.read_line(&mut String::new()).expect("a line");
    let found = members(&mut target).expect("listed");
    assert_eq!(found.iter().map(|row| row.pid).collect::<Vec<_>>(), [child.id()]);
    input.write_all(b"\n").expect("it reads");
    child.wait().expect("collected");
}
