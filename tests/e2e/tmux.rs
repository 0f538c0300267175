//! A person whose terminal is in a real tmux, which gets all keys first.

use std::process::Command;

use crate::driver::Story;
use crate::scenarios::working;
use crate::terminal::Make;

/// Asks a question, and prints something before and after the answer.
const LISTENING: &str = r#"
  { print = "first words of {task}" },
  { ask = "Go on?" },
  { print = "last words of {task}" },
"#;

/// Returns tmux with nothing configured, on a socket of the story's own; it ends with its last session.
fn tmux(story: &Story, arguments: &[&str]) -> Command {
    let mut command = story.outside("tmux");
    command.arg("-u").arg("-f").arg("/dev/null");
    command.arg("-S").arg(story.root().join("tmux.socket"));
    command.args(arguments).current_dir(story.project());
    command
}

#[test]
fn inside_a_real_tmux_another_prefix_is_proposed_and_keys_reach_agents_through_both() {
    let story = Story::new(&working(LISTENING));
    let rehearsal = story.remove_settings();
    let program = env!("CARGO_BIN_EXE_dbs");
    let new = tmux(&story, &["new-session", "-s", "work", program]);
    let tty = story.tty_with(Make::New, &[], &new, (120, 40));
    tty.see("First start, 1 of 5");
    tty.move_mark_until("no agent yet", "j", |screen| screen.is_marked("none yet"));
    tty.press("Enter");
    tty.see("Which branch do tasks start from");
    tty.move_mark_until("no base yet", "j", |screen| screen.is_marked("none yet"));
    tty.press("Enter");
    // The proposal and its reason are shown; a prefix of both reaches the program when it is pressed twice.
    tty.see("This terminal is in tmux, which may keep C-b for itself: use C-a.");
    tty.press("C-b C-b");
    tty.see("C-b arrives.");
    tty.press("C-a");
    tty.see("C-a arrives.");
    tty.press("Enter");
    tty.see("May your terminal notify you");
    tty.press("j Enter");
    tty.see("Watch a demo?");
    tty.press("j Enter");
    tty.see("settings reloaded");
    story.write_settings(&rehearsal);
    tty.see("settings reloaded: max_total_agents");
    story.dbs(&["task", "create", "Something", "--id", "t-1", "--release"]);
    tty.see("NEEDS YOU 1");
    tty.press("C-a a");
    tty.wait("a terminal that asks", |screen| {
        screen.has("Go on?") && screen.has("LOOKING")
    });
    tty.press("i");
    tty.see("TYPING");
    // The person leaves tmux, and comes back to what they left.
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
    let back = tmux(&story, &["attach-session", "-t", "work"]);
    let tty = story.tty_with(Make::New, &[], &back, (120, 40));
    tty.wait("everything as it was", |screen| {
        screen.has("Go on?") && screen.has("TYPING")
    });
    tty.press("y");
    tty.see("last words of t-1");
    story.wait_until("the end of the task", || story.count("done") == 1);
    tty.press("C-a d");
    let (code, screen) = tty.leave();
    assert_eq!(code, 0);
    assert!(screen.is_restored(), "{screen:?}");
    assert!(story.is_live());
}
