//! Origin of a process below a holder, which no program can shake off.

use std::path::Path;
use std::process::Command;

use dbs::adapters::holder::HolderConnection;
use dbs::adapters::holder::process::origin;
use dbs::ports::holders::LaunchSpec;

use super::bench::{Bench, wait_for};

/// Returns the beginning of the markers of a test. No two tests share one: what carries it is ended when a holder starts.
fn project(test: &str) -> String {
    format!("dbs-{}{test}", std::process::id())
}

fn spec(bench: &Bench, project: &str, script: &str) -> LaunchSpec {
    LaunchSpec {
        marker: format!("{project}-17"),
        ..bench.spec("17", script)
    }
}

/// Returns the number that the script wrote.
fn number(spec: &LaunchSpec) -> u32 {
    let file = spec.cwd.join("number");
    let read = || {
        std::fs::read_to_string(&file)
            .ok()?
            .strip_suffix('\n')?
            .parse()
            .ok()
    };
    wait_for("the number of a process", || read().is_some());
    read().expect("just read")
}

/// Asserts that the process whose number the script writes belongs to attempt 17 alone.
fn is_known_by_its_attempt(test: &str, script: &str) {
    let (bench, project) = (Bench::new(), project(test));
    let spec = spec(&bench, &project, script);
    bench.launch(&spec).expect("started");
    let pid = number(&spec);
    let found = origin(pid).expect("it lives").markers;
    let own = format!("{project}-17");
    assert!(
        !found.is_empty() && found.iter().all(|marker| *marker == own),
        "{found:?}"
    );
    let ours = origin(std::process::id()).expect("it lives");
    assert!(!ours.markers.contains(&own), "the test is not the attempt's");
}

#[test]
fn a_program_of_an_attempt_is_known() {
    is_known_by_its_attempt("a", "echo $$ > number; read x");
}

#[test]
fn a_program_that_clears_its_environment_is_known() {
    is_known_by_its_attempt("b", "exec env -i sh -c 'echo $$ > number; read x'");
}

#[test]
fn a_program_that_claims_to_be_a_persons_shell_is_known() {
    let (bench, project) = (Bench::new(), project("c"));
    let script = format!("DBS_MARKER={project}-shell-1-5 sh -c 'echo $$ > number; read x'; true");
    let spec = spec(&bench, &project, &script);
    bench.launch(&spec).expect("started");
    let found = origin(number(&spec)).expect("it lives").markers;
    assert!(found.contains(&format!("{project}-17")), "{found:?}");
}

/// Adoption by the holder exists only on Linux; elsewhere only the environment of a process tells whose it is.
#[cfg(target_os = "linux")]
#[test]
fn a_program_that_forks_twice_begins_a_session_and_clears_its_environment_is_known() {
    use dbs::adapters::holder::process::processes;

    let (bench, project) = (Bench::new(), project("d"));
    let script = "(env -i setsid sh -c 'echo $$ > number; sleep 600; true' &); read x";
    let spec = spec(&bench, &project, script);
    let holder = bench.launch(&spec).expect("started").holder_pid;
    let pid = number(&spec);
    wait_for("its adoption", || {
        let rows = processes().expect("listed");
        rows.iter()
            .any(|row| row.pid == pid && row.parent == holder && row.session == pid)
    });
    let found = origin(pid).expect("it lives").markers;
    assert_eq!(found.first(), Some(&format!("{project}-17")), "by the holder");
}

/// Test that plays both parts: run again with the marker of an agent, it types into a terminal.
#[test]
fn an_agent_types_neither_into_its_own_terminal_nor_into_that_of_a_shell() {
    if let Some(socket) = std::env::var_os("DBS_TEST_SOCKET") {
        let typed =
            HolderConnection::open(Path::new(&socket)).and_then(|mut to| to.type_and_wait(b"typed\r"));
        return println!(
            "{}",
            if typed.is_ok() {
                "it was taken"
            } else {
                "it was refused"
            }
        );
    }
    let (bench, project) = (Bench::new(), project("e"));
    for (id, marker) in [
        ("17", format!("{project}-17")),
        ("shell-1", format!("{project}-shell-1-5")),
    ] {
        let spec = LaunchSpec {
            marker,
            ..bench.spec(id, "read x; echo $x > heard; read x")
        };
        let socket = bench.launch(&spec).expect("started").socket;
        let types = |marker: &str| {
            let test = "origins::an_agent_types_neither_into_its_own_terminal_nor_into_that_of_a_shell";
            let mut typist = Command::new(std::env::current_exe().expect("a path"));
            typist.args([test, "--exact", "--nocapture"]);
            typist.env("DBS_TEST_SOCKET", &socket).env("DBS_MARKER", marker);
            String::from_utf8_lossy(&typist.output().expect("it runs").stdout).into_owned()
        };
        let said = types(&format!("{project}-17"));
        assert!(said.contains("it was refused"), "{id}: {said}");
        let said = types(&format!("{project}-shell-2-5"));
        assert!(said.contains("it was taken"), "{id}: {said}");
    }
}
