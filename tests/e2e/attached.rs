//! Stories of a person attached to the session of a project, who comes, types, leaves, comes back, or closes the window.

use crate::driver::{Story, said};
use crate::scenarios::working;
use crate::terminal::{Make, Screen, Tty};

/// Waits until a person answers, and then is done at once.
const PATIENT: &str = r#"
  { print = "first words of {task}" },
  { ask = "Go on?" },
  { print = "last words of {task}" },
"#;

/// Moves to the shell of the first tab once it waits for a command, and starts to type.
pub(crate) fn type_in_shell(tty: &Tty<'_>) {
    // Keys pressed before the program has taken over the terminal do not reach it.
    tty.see("? help");
    tty.press("C-b 1");
    tty.wait("the shell's prompt", |screen| {
        screen.pane_has("Shell", "$") || screen.pane_has("Shell", "#")
    });
    go_to_shell(tty);
}

/// Moves to the shell of the first tab, whatever runs in it, and starts to type.
pub(crate) fn go_to_shell(tty: &Tty<'_>) {
    tty.press("C-b 1");
    let screen = tty.wait("the first tab", |screen| {
        screen.has("[1 Classic]") && screen.area("Shell").is_some()
    });
    let in_title = |screen: &Screen, text: &str| {
        let area = screen.area("Shell");
        area.is_some_and(|area| screen.rows[area.top - 1].contains(text))
    };
    if !in_title(&screen, "LOOKING") {
        let area = screen.area("Shell").unwrap();
        tty.click(area.left + 1, area.top);
        tty.wait("the focus on the shell", |screen| in_title(screen, "LOOKING"));
    }
    tty.press("i");
    tty.wait("to type", |screen| in_title(screen, "TYPING"));
}

#[test]
fn a_person_who_leaves_finds_everything_again() {
    let story = Story::new(&working(PATIENT));
    let tty = story.tty(&[], (120, 40));
    type_in_shell(&tty);
    tty.type_text("mine=$((40+2)); echo early-$mine; seq 1 60\n");
    tty.wait("the end of the numbers", |screen| screen.pane_has("Shell", "60"));
    story.dbs(&["task", "create", "Something", "--id", "t-1", "--release"]);
    tty.wait("a question", |screen| {
        screen.has("NEEDS YOU 1") && screen.has("t-1")
    });
    tty.press("C-b d");
    let (code, screen) = tty.leave();
    assert_eq!(code, 0);
    assert!(screen.is_restored(), "{screen:?}");
    let said = screen.text().replace('\n', "");
    let project = story.project().canonicalize().unwrap();
    let goes_on = format!(
        "dbs goes on in {}, 1 agent at work; `dbs` there comes back",
        project.display()
    );
    assert!(said.contains(&goes_on), "{said}");

    // No client is attached and the agents work on: the question is answered from the command line.
    assert!(story.is_live());
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the end of the task", || story.count("done") == 1);

    let tty = story.tty(&["attach"], (120, 40));
    tty.wait("the same shell", |screen| screen.pane_has("Shell", "60"));
    type_in_shell(&tty);
    tty.type_text("echo still-$mine\n");
    tty.wait("the same shell", |screen| screen.pane_has("Shell", "still-42"));
    // Lines that have scrolled away are there, too.
    tty.press("C-b Esc g");
    tty.wait("the first lines", |screen| {
        screen.pane_has("Shell", "early-42") && screen.has("lines back")
    });
    let sessions = story.dbs(&["sessions"]);
    assert!(sessions.contains("1 attached"), "{sessions}");
    assert!(story.dbs(&["stop", "--all"]).contains("its agents were stopped"));
    let (code, screen) = tty.leave();
    assert_eq!(code, 0);
    assert!(screen.is_restored(), "{screen:?}");
    assert!(screen.has("the server ends"), "{}", screen.text());
    // The server says goodbye before all processes have ended.
    story.wait_until("the end of every process", || story.processes().is_empty());
}

#[test]
fn closing_the_window_ends_the_client_and_nothing_else() {
    let story = Story::new(&working(PATIENT));
    let tty = story.tty(&[], (120, 40));
    type_in_shell(&tty);
    tty.type_text("echo kept-$((1+1))\n");
    tty.wait("an answer", |screen| screen.pane_has("Shell", "kept-2"));
    story.dbs(&["task", "create", "Something", "--id", "t-1", "--release"]);
    tty.see("NEEDS YOU 1");
    let client = tty.pid().to_string();
    tty.close();
    assert!(
        !story
            .processes()
            .iter()
            .any(|line| line.starts_with(&format!("{client} ")))
    );
    assert!(story.is_live());
    let tty = story.tty(&["attach"], (120, 40));
    tty.wait("everything as it was", |screen| {
        screen.pane_has("Shell", "kept-2") && screen.has("NEEDS YOU 1")
    });
    tty.press("q");
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn closing_the_window_of_a_demo_ends_all_of_it() {
    let story = Story::new("");
    let tty = story.tty(&["demo"], (120, 40));
    tty.wait("agents at work", |screen| screen.has("▸4"));
    tty.close();
    story.wait_until("the end of every process", || story.processes().is_empty());
    let left: Vec<_> = std::fs::read_dir(story.root().join("tmp")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_question_is_answered_by_key_or_from_the_command_line() {
    let story = Story::new(&working(PATIENT));
    let tty = story.tty(&[], (120, 40));
    tty.see("No agent is running.");
    for task in ["t-1", "t-2"] {
        story.dbs(&["task", "create", "Something", "--id", task, "--release"]);
    }
    tty.see("NEEDS YOU 2");
    tty.press("C-b a");
    let screen = tty.wait("a terminal that asks", |screen| {
        screen.has("[2 Agents]") && screen.has("Go on?") && screen.has("LOOKING")
    });
    let (first, other) = if screen
        .rows
        .iter()
        .any(|row| row.contains("t-1") && row.contains("LOOKING"))
    {
        ("t-1", "t-2")
    } else {
        ("t-2", "t-1")
    };
    tty.press("i y");
    tty.see(&format!("last words of {first}"));
    tty.see("NEEDS YOU 1");
    story.dbs(&["approve", other]);
    tty.see("Nothing needs you.");
    story.wait_until("the end of both tasks", || story.count("done") == 2);
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn enter_with_shift_and_with_control_reach_a_program_that_tells_them_apart() {
    let story = Story::new("");
    let tty = story.tty(&[], (120, 40));
    type_in_shell(&tty);
    // The program asks for the kitty keyboard protocol, and shows the fourteen bytes that it then reads.
    tty.type_text("stty raw -echo; printf '\\033[>1uready-%s\\r\\n' now; dd bs=1 count=14 2>/dev/null | od -An -tx1; stty sane\n");
    tty.wait("a program that reads", |screen| {
        screen.pane_has("Shell", "ready-now")
    });
    tty.press("S-Enter C-Enter");
    tty.wait("both keys", |screen| {
        screen.pane_has("Shell", "1b 5b 31 33 3b 32 75 1b 5b 31 33 3b 35 75")
    });
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn escape_and_a_key_of_one_breath_reach_a_program_as_they_came_from_an_old_terminal() {
    let story = Story::new("");
    let tty = story.tty_of(Make::Old, &[("TERM", "xterm-256color")], &[], (120, 40));
    type_in_shell(&tty);
    // Like vim, the program asks for keys with Alt in a form of their own, and shows the bytes that it then reads.
    tty.type_text("stty raw -echo; printf '\\033[>4;2mready-%s\\r\\n' now; dd bs=1 count=13 2>/dev/null | od -An -tx1; stty sane\n");
    tty.wait("a program that reads", |screen| {
        screen.pane_has("Shell", "ready-now")
    });
    tty.press("A-:");
    tty.type_text("w");
    tty.press("A-x");
    // The bytes of this key could also be a report of the cursor's position.
    tty.press("S-F3");
    // Escape twice, in one write.
    tty.press("A-Esc");
    tty.wait("the bytes of each", |screen| {
        screen.pane_has("Shell", "1b 3a 77 1b 78 1b 5b 31 3b 32 52 1b 1b")
    });
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn a_key_leads_to_the_prompts_of_a_shell_that_marks_them() {
    let story = Story::new("");
    let tty = story.tty(&[], (120, 40));
    type_in_shell(&tty);
    tty.type_text("for n in 1 2; do printf '\\033]133;A\\007mark-%s>\\n' $n; seq 100; done; echo all-$n\n");
    tty.wait("the output", |screen| screen.pane_has("Shell", "all-2"));
    tty.press("C-b Esc { {");
    tty.wait("the first prompt", |screen| {
        screen.pane_has("Shell", "mark-1>") && screen.status().contains("COPY")
    });
    tty.press("}");
    tty.wait("the next prompt", |screen| screen.pane_has("Shell", "mark-2>"));
    tty.press("Esc C-b d");
    assert_eq!(tty.leave().0, 0);
}

/// Draws on the whole screen, and leaves the screen as it is when it gives up.
const FULL_SCREEN: &str = r#"
[[part]]
role = "developer"
screen = "full"
steps = [
  { signal = "claim" },
  { print = "all the work is shown here" },
  { ask = "Enough?" },
  { signal = "block", text = "I gave up." },
  { exit = 0 },
]
"#;

#[test]
fn the_last_screen_of_a_full_screen_agent_is_seen_after_its_end() {
    let story = Story::new(FULL_SCREEN);
    let tty = story.tty(&[], (120, 40));
    tty.see("No agent is running.");
    story.dbs(&["task", "create", "Mend it", "--id", "t-1", "--release"]);
    tty.see("NEEDS YOU 1");
    tty.press("C-b a");
    tty.wait("its terminal", |screen| {
        screen.has("all the work is shown here") && screen.has("LOOKING")
    });
    story.dbs(&["approve", "t-1"]);
    story.wait_until("a task that is held", || story.count("held") == 1);
    tty.wait("the last screen of an agent that has ended", |screen| {
        screen.has("all the work is shown here") && screen.has("ended")
    });
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn an_old_terminal_without_colours_and_unicode_will_do() {
    let story = Story::new(&working(PATIENT));
    let env = [("TERM", "linux"), ("NO_COLOR", "1")];
    let tty = story.tty_of(Make::Old, &env, &[], (100, 30));
    let screen = tty.wait("the board", |screen| {
        screen.has("- Board") && screen.has("? help")
    });
    assert!(screen.text().is_ascii(), "{}", screen.text());
    assert_eq!(screen.modes.kitty, dbs::term::KittyFlags::default());
    tty.press("?");
    tty.see("Esc close");
    // To such a terminal, Escape directly followed by a key would be another key.
    tty.press("Esc");
    tty.miss("Esc close");
    tty.press("q");
    let (code, screen) = tty.leave();
    assert_eq!(code, 0);
    assert!(screen.is_restored(), "{screen:?}");
}

#[test]
fn who_comes_where_nobody_serves_is_told_so() {
    let story = Story::new("");
    let tty = story.tty(&["attach"], (80, 24));
    let (code, screen) = tty.leave();
    assert_eq!(code, 1);
    assert!(
        screen.text().contains("no server runs for this project"),
        "{}",
        screen.text()
    );
    assert!(screen.is_restored());
    let refused = story.run(&["start"]);
    assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
}
