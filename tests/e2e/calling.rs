//! A person who looks elsewhere is called by their terminal; one who looks is not, and a simple terminal is told nothing odd.

use crate::driver::Story;
use crate::terminal::{Make, Tty};

const ASKING: &str = r#"
[[part]]
role = "developer"
steps = [{ signal = "claim" }, { ask = "Go on?" }, { signal = "done", text = "Worked." }]

[[part]]
steps = [{ signal = "claim" }, { signal = "done", text = "Good." }]
"#;

fn ask(story: &Story, tty: &Tty<'_>, task: &str, needs: u32) {
    story.dbs(&["task", "create", "Something", "--id", task, "--release"]);
    tty.see(&format!("NEEDS YOU {needs}"));
}

#[test]
fn the_terminal_calls_who_looks_elsewhere_and_its_title_counts() {
    let story = Story::new(ASKING);
    let tty = story.tty_of(Make::New, &[("TERM", "foot")], &[], (120, 40));
    tty.see("? help");
    ask(&story, &tty, "t-1", 1);
    story.wait_until("the title", || {
        tty.times_received("1 needs you · project – dbs") == 1
    });
    assert_eq!(tty.times_received("\x1b]777;"), 0, "they see it");
    assert_eq!(
        tty.times_received("\x1b]9;"),
        0,
        "it is not known to show how far the work is"
    );
    tty.look_away(true);
    ask(&story, &tty, "t-2", 2);
    let called = "\x1b]777;notify;dbs project;needs you: t-2 permission: Go on?\x1b\\\x07";
    story.wait_until("a call", || tty.times_received(called) == 1);
    tty.look_away(false);
    tty.press("C-b d");
    let (kept, back) = ("\x1b[22;2t", "\x1b[23;2t");
    story.wait_until("the old title", || {
        tty.times_received(kept) == 1 && tty.times_received(back) == 1
    });
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn a_terminal_that_shows_how_far_the_work_is_is_told_so_until_the_person_leaves() {
    let story = Story::new(ASKING);
    let tty = story.tty_of(
        Make::New,
        &[("TERM", "xterm-256color"), ("WT_SESSION", "1")],
        &[],
        (120, 40),
    );
    tty.see("? help");
    assert_eq!(tty.times_received("\x1b]9;4;"), 0, "nothing is under way");
    ask(&story, &tty, "t-1", 1);
    story.wait_until("that the work waits", || {
        tty.times_received("\x1b]9;4;4;0\x1b\\") >= 1
    });
    let gone = "\x1b]9;4;0;0\x1b\\";
    assert_eq!(tty.times_received(gone), 0);
    tty.press("C-b d");
    story.wait_until("the end of it", || tty.times_received(gone) == 1);
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn a_simple_terminal_gets_the_bell_and_nothing_else() {
    let story = Story::new(ASKING);
    story.configure("[notify]\nwhen = \"always\"\nway = \"osc9\"\n");
    let tty = story.tty_of(Make::Old, &[("TERM", "linux")], &[], (120, 40));
    tty.see("? help");
    ask(&story, &tty, "t-1", 1);
    story.wait_until("the bell", || tty.times_received("\x07") == 1);
    tty.press("C-b d");
    for odd in ["\x1b]9;", "\x1b]2;", "\x1b[22;2t", "\x1b[23;2t"] {
        assert_eq!(tty.times_received(odd), 0, "{odd:?}");
    }
    assert_eq!(tty.leave().0, 0);
}
