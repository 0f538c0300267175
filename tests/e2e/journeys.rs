//! Journeys of a person through the program, several steps in each: the first start, permissions, a task from its first word to its merge,
//! a screen that is arranged and themed, an agent whose program is missing.

use std::fs;
use std::path::PathBuf;

use crate::driver::Story;
use crate::scenarios::careful;
use crate::script::write_script;
use crate::terminal::{Make, Screen, Tty};

/// Parts of a developer that works at once and of a reviewer that asks and waits for an answer.
const SLOW_REVIEW: &str = r#"
[[part]]
role = "developer"
steps = [
  { signal = "claim" },
  { write = "work/{task}.txt", text = "{title}\n" },
  { commit = "[{task}] Work" },
  { push = "origin" },
  { signal = "done", text = "Worked." },
]

[[part]]
role = "reviewer"
steps = [{ signal = "claim" }, { ask = "Have you read it?", kind = "question" }, { signal = "done", text = "Good." }]

[[part]]
steps = [{ signal = "claim" }, { signal = "done", text = "Good." }]
"#;

/// Writes a program with that name into a folder of the story; returns the path with that folder first.
fn program(story: &Story, name: &str, text: &str) -> String {
    let bin = story.root().join("bin");
    fs::create_dir_all(&bin).unwrap();
    write_script(&bin.join(name), text);
    path(story)
}

fn path(story: &Story) -> String {
    let bin = story.root().join("bin");
    format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display())
}

/// Opens the board in the third tab, with nothing over it.
fn board<'a>(story: &'a Story, env: &[(&str, &str)]) -> Tty<'a> {
    let tty = story.tty_of(Make::New, env, &[], (120, 40));
    tty.see("? help");
    tty.press("C-b 3");
    tty.see("[3 Board]");
    tty
}

#[test]
fn who_comes_for_the_first_time_answers_three_questions_sees_the_demo_and_is_not_asked_again() {
    let story = Story::new("");
    story.remove_settings();
    let path = program(&story, "claude", "#!/bin/sh\nexit 1\n");
    let tty = story.tty_of(Make::New, &[("PATH", &path)], &[], (120, 40));
    tty.wait("what was found", |screen| {
        screen.has("First start, 1 of 5") && screen.has("bin/claude") && screen.has("Not found: ")
    });
    tty.press("Enter");
    tty.wait("the branch that is checked out here", |screen| {
        screen.has("Which branch do tasks start from") && screen.has("main  (checked out here)")
    });
    tty.press("Enter");
    tty.see("Nothing has arrived yet.");
    tty.press("C-a");
    tty.see("C-a arrives.");
    tty.press("Enter");
    tty.see("May your terminal notify you");
    tty.press("j Enter");
    tty.see("Watch a demo?");
    tty.press("Enter");
    tty.wait("the demo", |screen| screen.has("DEMO") && screen.has("12 tasks"));
    tty.press("q");
    tty.see("Leave the demo?");
    tty.press("y");
    tty.wait("the project again", |screen| {
        screen.has(" dbs project ") && !screen.has("DEMO") && !screen.has("First start")
    });
    let kept = fs::read_to_string(story.root().join("home/.config/dbs/config.toml")).unwrap();
    for line in ["agent = \"claude\"", "prefix = \"C-a\"", "when = \"never\""] {
        assert!(kept.contains(line), "{line}: {kept}");
    }
    // The chosen prefix holds as soon as the server has read it.
    tty.see("settings reloaded");
    tty.press("C-a d");
    assert_eq!(tty.leave().0, 0);
    let tty = story.tty(&[], (120, 40));
    tty.wait("no more questions", |screen| {
        screen.has("? help") && !screen.has("First start")
    });
    tty.press("C-a d");
    assert_eq!(tty.leave().0, 0);
}

/// Returns the id of the task whose agent was denied its permission.
fn denied(story: &Story) -> String {
    let tasks: serde_json::Value = serde_json::from_str(&story.dbs(&["task", "list", "--json"])).unwrap();
    let mut tasks = tasks.as_array().unwrap().iter();
    let held = tasks.find(|task| task.to_string().contains("not allowed"));
    let id = held.and_then(|task| task.pointer("/id")?.as_str());
    id.unwrap().to_owned()
}

#[test]
fn permissions_are_allowed_together_denied_and_what_was_denied_is_tried_again_with_a_note() {
    let story = Story::new(&careful());
    let tty = board(&story, &[]);
    for task in ["t-1", "t-2", "t-3"] {
        story.dbs(&["task", "create", "Mend it", "--id", task, "--release"]);
    }
    tty.see("NEEDS YOU 3");
    // Before all are allowed at once they are named, and nothing happens without a yes.
    tty.press("I");
    tty.wait("the inbox", |screen| screen.has("Inbox 3"));
    tty.press("A");
    tty.wait("all of them by name", |screen| {
        ["t-1", "t-2", "t-3"].iter().all(|task| screen.has(task)) && screen.status().contains("ASK")
    });
    tty.press("n");
    // A yes is not typed to a question that is too new for the person to have read.
    tty.wait("questions that stand a while", |screen| {
        screen.has("NEEDS YOU 3") && screen.has("Inbox 3") && !screen.has(" 0s")
    });
    // The first is allowed, the next denied in its own terminal.
    tty.press("g a");
    tty.see("NEEDS YOU 2");
    tty.press("C-b a");
    tty.wait("a terminal that asks", |screen| {
        screen.has("Touch the shop?") && screen.has("LOOKING")
    });
    tty.press("i");
    tty.wait("to type", |screen| screen.status().contains("TYPE"));
    tty.press("n");
    tty.see("I was not allowed to.");
    story.wait_until("a task that is held", || story.count("held") == 1);
    // The program has ended: what was typed ahead is dropped, and then keys go to dbs again.
    tty.wait("keys of ours", |screen| !screen.status().contains("TYPE"));
    let id = denied(&story);
    tty.press("C-b b");
    tty.press(":");
    tty.type_text(&format!("@{id}\n"));
    tty.wait("the task that is held", |screen| screen.has("held: blocked"));
    tty.press("R");
    tty.see("the agent should know");
    tty.type_text("touch the shop, but gently\n");
    story.wait_until("the task at work again", || story.count("held") == 0);
    tty.wait("the question of the agent that tries again", |screen| {
        screen.has("NEEDS YOU 2") && !screen.has("held: blocked")
    });
    // The full view of the task shows what the agent was told.
    tty.press("V");
    tty.see("touch the shop, but gently");
    tty.press("Esc");
    for _ in 0..2 {
        let before = tty.look();
        let left = if before.has("NEEDS YOU 2") {
            "NEEDS YOU 1"
        } else {
            "Nothing needs you."
        };
        // Sent together, the digit would be a count of the movement.
        tty.press("5");
        tty.wait("questions that stand a while", |screen| {
            screen.has("[5 Inbox]") && !screen.has(" 0s")
        });
        tty.press("g a");
        tty.see(left);
    }
    story.wait_until("the end of all tasks", || story.count("done") == 3);
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn a_task_is_written_in_a_form_and_an_editor_set_aside_released_and_merged_at_once() {
    let story = Story::new(SLOW_REVIEW);
    program(
        &story,
        "scribe",
        "#!/bin/sh\nprintf 'With a brush.\\n' >> \"$1\"\n",
    );
    let editor: PathBuf = story.root().join("bin/scribe");
    let tty = board(&story, &[("EDITOR", editor.to_str().unwrap())]);
    tty.press("n");
    tty.see("New task");
    tty.type_text("Paint the fence");
    tty.press("C-e");
    tty.see("With a brush.");
    tty.press("Enter");
    story.wait_until("the task in the backlog", || story.count("backlog") == 1);
    // Keys pressed just after the form are dropped; a second later they count.
    let ages = || {
        (1..60).flat_map(|age| {
            [
                format!("priority 2, {age}s old"),
                format!("priority 2, {age}m old"),
            ]
        })
    };
    let is_older = |screen: &Screen| ages().any(|text| screen.has(&text));
    tty.wait("the task in full", |screen| {
        screen.has("Paint the fence") && screen.has("With a brush.") && is_older(screen)
    });
    tty.press("+");
    tty.see("priority 1");
    tty.press("u");
    tty.see("priority 2");
    tty.press("e");
    tty.wait("what the editor added", |screen| {
        screen.text().matches("With a brush.").count() >= 2
    });
    tty.press("p");
    tty.see("because");
    tty.type_text("it rains\n");
    tty.see("parked: it rains");
    // A task that is unparked waits for its release, and then runs by itself until the reviewer asks.
    tty.press("p");
    tty.see("its batch has not been released yet");
    tty.press("w");
    tty.see("NEEDS YOU 1");
    tty.press("m");
    tty.wait("what is left out", |screen| {
        screen.has("now?") && screen.has("The stages before")
    });
    tty.press("y");
    story.wait_until("the merge", || story.count("done") == 1);
    tty.wait("the card that sums up", |screen| {
        screen.has("All done") && screen.has("1 of 1 done")
    });
    let merged = story.git(&story.origin(), &["log", "--format=%s", "work"]);
    assert!(merged.contains("Work"), "{merged}");
    tty.press("q");
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn the_screen_is_split_zoomed_dressed_searched_and_left_alone_by_a_paste() {
    let story = Story::new("");
    for (id, title) in [("t-1", "Apples"), ("t-2", "Pears"), ("t-3", "Plums")] {
        story.dbs(&["task", "create", title, "--id", id]);
    }
    // Inside tmux, the program tells how keys get past it.
    let tty = board(&story, &[("TMUX", "/tmp/none,1,0")]);
    tty.see("tmux");
    tty.press("C-b %");
    tty.see("Show beside it");
    tty.move_mark_until("the dependencies", "j", |screen| screen.is_marked("Dependencies"));
    tty.press("Enter");
    tty.wait("both panes", |screen| {
        screen.area("Board").is_some() && screen.area("Dependencies").is_some()
    });
    tty.press("C-b z");
    tty.wait("one of them", |screen| {
        screen.area("Board").is_none() && screen.area("Dependencies").is_some()
    });
    tty.press("C-b z");
    tty.wait("both again", |screen| screen.area("Board").is_some());
    tty.press("C-b x");
    tty.wait("the board alone", |screen| {
        screen.area("Board").is_some() && screen.area("Dependencies").is_none()
    });
    // A theme is shown while it is marked, and Enter keeps it.
    tty.press("C-b T");
    tty.see("as much contrast as can be");
    tty.press("j j j j j j Enter");
    let kept = story.state().join("screen.json");
    story.wait_until("the theme to be kept", || {
        fs::read_to_string(&kept).is_ok_and(|text| text.contains("high-contrast"))
    });
    // Typing in the help searches it.
    tty.press("?");
    tty.type_text("urgent");
    tty.see("Raise the priority by one.");
    // The first Esc clears the search, the second closes the help.
    tty.press("Esc");
    tty.see("/ type to search");
    tty.press("Esc");
    tty.miss("Esc close");
    tty.press("/");
    tty.type_text("zzz\n");
    tty.see("0 of 3 match `zzz`. Esc clears.");
    tty.press("Esc");
    tty.see("Plums");
    // A paste is never taken as keys: with these, every task would be gone and the program left.
    let bomb = "s q x y X\n".repeat(20_000);
    tty.paste(&bomb);
    tty.see("a paste is never taken as keys");
    assert_eq!(story.count("backlog"), 3);
    tty.press(":");
    tty.type_text("leave\n");
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn an_agent_whose_program_is_missing_is_told_with_the_way_out_and_tried_again_by_a_key() {
    let story = Story::new("");
    let file = story.project().join(".debussy/config.toml");
    let settings = fs::read_to_string(&file).unwrap();
    let settings = settings
        .replace("agent = \"rehearsal\"", "command = \"shop-agent {title}\"")
        .replace("infra_backoff = 1", "infra_backoff = 280");
    story.write_settings(&settings);
    let path = path(&story);
    let tty = board(&story, &[("PATH", &path)]);
    tty.see("settings: could not use roles.default: shop-agent is in none of the folders of PATH");
    let install = || {
        program(
            &story,
            "shop-agent",
            "#!/bin/sh\necho here I am\nexec sleep 600\n",
        )
    };
    install();
    // A program that a setting names is looked for again without a key press.
    tty.miss("shop-agent is in none of the folders");
    // From here on the program is missing although the settings were usable.
    fs::remove_file(story.root().join("bin/shop-agent")).unwrap();
    story.dbs(&["task", "create", "Mend it", "--id", "t-1", "--release"]);
    tty.wait(
        "the cause, what waits, what goes on by itself, the key",
        |screen| {
            [
                "no agent",
                "could not find the program shop-agent",
                "t-1 waits, retry in",
                "T now",
            ]
            .iter()
            .all(|part| screen.rows.iter().any(|row| row.contains(part)))
        },
    );
    // The command line says the same as the screen.
    let told = story.dbs(&["task", "show", "t-1"]);
    assert!(told.contains("looked in"), "{told}");
    install();
    tty.press("T");
    tty.wait("the agent at work", |screen| {
        screen.has("▸1") && !screen.has("no agent")
    });
    tty.press("C-b 2");
    tty.see("here I am");
    // The question names the agent before it is stopped.
    tty.press("x");
    tty.see("It works on t-1");
    tty.press("y");
    story.wait_until("the end of the agent", || {
        story.logs().contains("person stopped ")
    });
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
}
