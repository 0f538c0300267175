//! The plain client without a terminal: in a pipe, as scripts and logs use it.
#![cfg(unix)]

use std::io::Write as _;
use std::process::Stdio;

use crate::shop::Shop;
use crate::waiting::Program;

#[test]
fn lines_that_come_through_a_pipe_are_carried_out_one_after_the_other() {
    let mut shop = Shop::new();
    shop.does(&["config", "base_branch", "main"]);
    shop.serve();
    let mut command = shop.command(&shop.git.project(), &["--plain"]);
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let program = Program::begin(piped);
    let mut input = program.stdin();
    let typed = "new Fix \u{1b}[31mit --id t-1\npark t-1 later\nshow t-1\nstart\nquit\nskip t-1\n";
    input.write_all(typed.as_bytes()).unwrap();
    let output = program.output();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    for text in [
        "Nothing needs you.",
        "created t-1",
        "parked t-1",
        "Fix \\x1b[31mit",
        "terminal of its own",
        "keep running",
    ] {
        assert!(said.contains(text), "{text}: {said}");
    }
    assert!(!said.contains('\u{1b}'), "{said}");
    assert_eq!(shop.state("t-1")["parked"], "later", "nothing after quit is done");
}

#[test]
fn new_lines_of_the_log_are_followed() {
    let mut shop = Shop::new();
    shop.does(&["config", "base_branch", "main"]);
    shop.serve();
    let told = shop.git.root().join("told");
    let mut command = shop.command(&shop.git.project(), &["logs", "--follow"]);
    let program = Program::begin(command.stdout(std::fs::File::create(&told).unwrap()));
    shop.does(&["task", "create", "Fix", "--id", "t-1"]);
    let count = || std::fs::read_to_string(&told).unwrap().lines().count();
    shop.wait_for("the lines so far", || count() > 0);
    // New lines come after the end of the stored ones.
    shop.wait_for("a new line", || {
        let before = count();
        shop.does(&["task", "comment", "t-1", "look"]);
        shop.does(&["task", "park", "t-1", "later"]);
        shop.does(&["task", "retry", "t-1"]);
        count() > before
    });
    shop.does(&["stop"]);
    assert!(program.end().success());
}
