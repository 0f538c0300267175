//! Stories of the demo, with and without a screen.

use std::collections::BTreeMap;
use std::path::Path;

use crate::driver::{Story, said};
use crate::terminal::Tty;

#[test]
fn the_demo_of_a_plan_mends_a_failed_gate_and_approves_a_phase_by_itself() {
    let story = Story::new("");
    let output = story.run(&["demo", "--plan", "--headless", "--json", "--speed", "20"]);
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let at = |kind: &str, task: &str| {
        let is_it = |line: &serde_json::Value| {
            line.pointer("/notice/kind").is_some_and(|found| found == kind)
                && line.pointer("/notice/task").is_some_and(|found| found == task)
        };
        let found = lines.iter().position(is_it);
        found.unwrap_or_else(|| panic!("{kind} {task}: {text}"))
    };
    assert!(
        at("gate_failed", "knots-2.1") < at("close", "knots-2.1"),
        "the gate fails before the task is closed"
    );
    assert!(at("approval", "knots-2.2") < at("approve", "knots-2.2"));
    assert!(at("approve", "knots-2.2") < at("close", "knots-2.2"));
    assert!(at("close", "knots-2.1").max(at("close", "knots-2.2")) < at("claim", "knots-3"));
    assert!(!text.contains("passed with warnings"), "{text}");
    let summary = lines.last().unwrap();
    assert_eq!(
        (&summary["done"], &summary["tasks"], &summary["exit"]),
        (&4.into(), &4.into(), &0.into()),
        "{summary}"
    );
    assert_eq!(summary["differences"], serde_json::json!([]));
}

#[test]
fn the_demo_of_stories_goes_from_red_to_green_and_retries_the_story_whose_tests_were_changed() {
    let story = Story::new("");
    let kept = story.root().join("kept");
    let place = kept.to_str().unwrap();
    let output = story.run(&[
        "demo",
        "--stories",
        "--headless",
        "--speed",
        "20",
        "--keep",
        place,
    ]);
    let text = said(&output);
    assert!(output.status.success(), "{text}");
    for line in [
        "protected files were changed: tests/test_US_002.py",
        "all done: 2 of 2 tasks done",
        "origin holds exactly the expected tree",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let origin = kept.join("origin.git");
    let show = |path: &str| story.git(&origin, &["show", &format!("feature/demo:{path}")]);
    assert!(show("tests/test_US_002.py").contains("test_the_page_warns_of_short_ends"));
    assert!(!show("prds/archive/001-FEAT-knots.json").contains("\"passes\": false"));
    let history = show("history.md");
    assert_eq!(history.matches("- **Tests:** 2/2 passed").count(), 2, "{history}");
    assert!(history.contains("Story US-002 BLOCKED"), "{history}");
    assert!(show("state.json").contains("\"current_prd\": null"));
}

#[test]
fn the_demo_of_a_plan_counts_down_to_its_approval_and_waits_once_a_person_is_there() {
    let story = Story::new("");
    let tty = story.tty(&["demo", "--plan", "--speed", "5"], (120, 40));
    tty.wait("the countdown", |screen| {
        screen.has("knots-2.2") && screen.has("waits for your approval") && screen.has("approved in ")
    });
    tty.press("j");
    tty.miss("approved in ");
    tty.wait("nothing else to do, and a phase that waits", |screen| {
        screen.has("agents 0/4") && screen.has("NEEDS YOU")
    });
    tty.press("Tab a");
    tty.wait("the end of all phases", |screen| {
        screen.has("4 of 4 done") && screen.has("4 merged into feature/demo")
    });
    tty.press("q");
    tty.see("Leave the demo?");
    tty.press("y");
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn the_demo_is_played_on_the_whole_screen_to_its_end() {
    let story = Story::new("");
    set_own_prefix(&story);
    let kept = story.root().join("kept");
    let tty = story.tty(
        &["demo", "--speed", "5", "--keep", kept.to_str().unwrap()],
        (120, 40),
    );
    tty.wait("the whole board", |screen| {
        screen.has("DEMO") && screen.has("─ Board  12 tasks") && screen.has("knot-1 ")
    });
    tty.wait(
        "the agent of a task beside the list, and what happened below",
        |screen| {
            screen.has("│DEMO · scripted agent · ")
                && screen.area("Board").is_some()
                && screen.area("Log").is_some()
        },
    );
    wait_for_question(&tty);
    // The marked answer is the other one, so this answer can only come from the test.
    tty.press("i n");
    tty.see("Nothing needs you.");
    tty.press("C-a 1");
    add_task(&tty);
    tty.wait("the end of all tasks", |screen| {
        screen.has("✓13") && screen.has("13 finished") && screen.pane_has("Log", "batch demo: all done")
    });
    tty.press(".");
    tty.wait("finished tasks", |screen| {
        (1..=10).all(|number| screen.has(&format!("✓ knot-{number} ")))
    });
    tty.press("q");
    tty.wait("what becomes of the folder", |screen| {
        screen.has("Leave the demo?") && screen.has("Its folder is kept.")
    });
    tty.press("y");
    let (code, screen) = tty.leave();
    assert_eq!(code, 0);
    assert!(screen.is_restored(), "{screen:?}");
    let said = screen.text();
    let left = format!(
        "left the demo, 13 of 13 tasks done; its agents ended, and its repository is in {}\nNext, in a repository of your own:\n   dbs init",
        kept.display()
    );
    assert!(said.trim().starts_with(&left), "{said}");
    assert_eq!(story.processes(), Vec::<String>::new());
    // It is chance how long words stay on the screen of an agent that is about to end; its log keeps them.
    let heard = |attempt: u32| {
        let mut logs = story.program(&["logs", &attempt.to_string(), "--raw"]);
        let log = logs.current_dir(kept.join("project")).output().unwrap();
        String::from_utf8_lossy(&log.stdout).contains("Committing without the check.")
    };
    assert!((1..=60).any(heard), "no agent got our answer");
    let origin = kept.join("origin.git");
    let cover = story.git(&origin, &["show", "feature/demo:cover.toml"]);
    assert!(
        cover.contains("motto = \"Tie it right, check it twice\""),
        "{cover}"
    );
    let list = ["ls-tree", "--name-only", "-r", "feature/demo", "notes/"];
    let notes = story.git(&origin, &list);
    assert!(notes.starts_with("notes/dbs-"), "{notes}");
}

/// Sets a person's own prefix key, which also holds in a demo.
fn set_own_prefix(story: &Story) {
    let own = story.root().join("home/.config/dbs");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("config.toml"), "[keys]\nprefix = \"C-a\"\n").unwrap();
}

/// Waits for the question that would answer itself, and keeps it waiting by a key press.
fn wait_for_question(tty: &Tty<'_>) {
    tty.wait(
        "a question that would answer itself, in the pane of whoever asks",
        |screen| screen.has("NEEDS YOU") && screen.has("knot-3") && screen.has("answers itself with 1 in "),
    );
    // Any key does that, even one that is not for that terminal.
    tty.press("j");
    tty.press("k");
    tty.wait("the question of the same agent, without an end", |screen| {
        !screen.has("answers itself")
    });
    tty.press("C-a a");
    tty.wait("the terminal that asks, beside the list", |screen| {
        screen.has("[1 Main]")
            && screen.has("waits for your answer")
            && screen.has("LOOKING")
            && screen.area("Board").is_some()
    });
}

/// Adds a task of the person, which is played, too.
fn add_task(tty: &Tty<'_>) {
    tty.press("Esc");
    tty.miss("LOOK");
    tty.press("n");
    tty.see("New task");
    tty.type_text("Mine");
    tty.press("Up Right");
    tty.see("is released at once");
    tty.press("Enter");
    tty.see("13 tasks");
}

#[test]
fn a_demo_that_is_left_early_leaves_nothing() {
    let story = Story::new("");
    let tty = story.tty(&["demo"], (100, 30));
    // The worst moment: programs are just being started.
    tty.wait("agents at work", |screen| screen.has("agents 4/4"));
    tty.press("q");
    tty.wait("what goes with it", |screen| {
        screen.has("Leave the demo?")
            && screen.has("Its folder is deleted")
            && screen.has("These agents are ended:")
    });
    tty.press("y");
    let (code, screen) = tty.leave();
    assert_eq!(code, 0);
    assert!(screen.is_restored(), "{screen:?}");
    let said = screen.text();
    let left = "left the demo, 0 of 12 tasks done; its agents ended, and its folder was deleted\nNext, in a repository of your own:\n";
    assert!(said.trim().starts_with(left), "{said}");
    assert!(said.contains("dbs init"), "{said}");
    assert_eq!(story.processes(), Vec::<String>::new());
    let left: Vec<_> = std::fs::read_dir(story.root().join("tmp")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Result of a finished demo: the printed lines, the events of each task, and the final tree.
struct Played {
    lines: Vec<serde_json::Value>,
    tasks: BTreeMap<String, Vec<String>>,
    tree: String,
}

fn play(story: &Story, name: &str) -> Played {
    let kept = story.root().join(name);
    let output = story.run(&[
        "demo",
        "--headless",
        "--json",
        "--speed",
        "50",
        "--keep",
        kept.to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{}", said(&output));
    let lines: Vec<serde_json::Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut tasks: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in &lines {
        if let Some(task) = line.pointer("/notice/task").and_then(serde_json::Value::as_str) {
            let text = line.pointer("/notice/text").and_then(serde_json::Value::as_str);
            let of_task = tasks.entry(task.to_owned()).or_default();
            of_task.push(without_names(text.unwrap()));
        }
    }
    let tree = story.git(&kept.join("origin.git"), &["ls-tree", "-r", "feature/demo"]);
    Played { lines, tasks, tree }
}

/// Replaces the names of agents by their roles: composers are dealt out in the order of starts, which differs between runs.
fn without_names(text: &str) -> String {
    let word = |word: &str| match word.rsplit_once('-') {
        Some((role, _)) if ROLES.contains(&role) => role.to_owned(),
        _ => word.to_owned(),
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

const ROLES: [&str; 5] = [
    "developer",
    "reviewer",
    "security-reviewer",
    "tester",
    "integrator",
];

/// Takes out the two tasks that change the same line: which is merged first is a race, and so is which one needs the integrator.
fn take_rivals(played: &mut Played) -> Vec<Vec<String>> {
    let mut both: Vec<Vec<String>> = ["knot-1", "knot-2"]
        .iter()
        .map(|id| {
            let lines = played.tasks.remove(*id).unwrap();
            // The first line is the title.
            lines.iter().skip(1).map(|line| line.replace(id, "it")).collect()
        })
        .collect();
    both.sort();
    both
}

/// Separates the questions: they come through the terminal and signals through the socket, so their order is chance.
fn asked_apart(lines: Vec<String>) -> (Vec<String>, Vec<String>) {
    lines.into_iter().partition(|line| line.contains(" asks: "))
}

/// Asserts that the last line says how the demo ended.
fn check_summary(lines: &[serde_json::Value]) {
    let summary = lines.last().unwrap();
    assert_eq!(summary["exit"], 0);
    assert_eq!(summary["done"], summary["tasks"]);
    assert_eq!(summary["differences"], serde_json::json!([]));
    assert!(lines.len() > 20, "every event has a line");
}

/// Asserts that the figures of a played demo show what was sent back and what failed.
fn check_figures(story: &Story, project: &Path) {
    let metrics = |arguments: &[&str]| {
        let output = story.program(arguments).current_dir(project).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let figures: serde_json::Value = serde_json::from_str(&metrics(&["metrics", "--json"])).unwrap();
    let count = |field: &str| figures[field].as_u64().unwrap();
    assert_eq!(count("tasks_done"), 12);
    assert_eq!(figures["trails"].as_array().unwrap().len(), 12);
    assert!(count("attempts") > 36 && count("sent_back") >= 1, "{figures}");
    assert!(figures["failures"]["crash"].as_u64() >= Some(1), "{figures}");
    let text = metrics(&["metrics"]);
    let trails: Vec<&str> = text.lines().filter(|line| line.contains(" > ")).collect();
    assert_eq!(trails.len(), 12, "{text}");
    assert!(trails.iter().all(|line| line.ends_with(" > done")), "{text}");
    assert!(trails.iter().any(|line| line.contains("rev!")), "{text}");
    assert!(trails.iter().any(|line| line.contains(" 2x ")), "{text}");
}

/// Asserts that the demo is kept in the given folder, and that no demo is played over a folder that is not empty.
fn check_kept(story: &Story, kept: &Path) {
    let cover = ["show", "feature/demo:cover.toml"];
    let cover = story.git(&kept.join("origin.git"), &cover);
    assert!(
        cover.contains("motto = \"Tie it right, check it twice\""),
        "{cover}"
    );
    let again = story.run(&["demo", "--headless", "--keep", kept.to_str().unwrap()]);
    assert!(!again.status.success());
    assert!(said(&again).contains("it is not empty"), "{}", said(&again));
}

// One test covers all that a played demo leaves, because each demo takes ten seconds of a processor.
#[test]
fn played_demos_are_kept_with_their_figures_and_tell_the_same_story_one_after_another_and_side_by_side() {
    let story = Story::new("");
    let mut first = play(&story, "first");
    check_summary(&first.lines);
    check_figures(&story, &story.root().join("first/project"));
    check_kept(&story, &story.root().join("first"));
    let rivals = take_rivals(&mut first);
    assert_eq!(first.tasks.len(), 10);
    let tasks: BTreeMap<String, _> = first
        .tasks
        .into_iter()
        .map(|(task, lines)| (task, asked_apart(lines)))
        .collect();
    let (one, two) = std::thread::scope(|scope| {
        let one = scope.spawn(|| play(&story, "second"));
        let two = play(&story, "third");
        (one.join().unwrap(), two)
    });
    for mut played in [one, two] {
        assert_eq!(played.tree, first.tree);
        assert_eq!(take_rivals(&mut played), rivals);
        for (task, lines) in &tasks {
            let others = asked_apart(played.tasks.remove(task).unwrap());
            assert_eq!(*lines, others, "{task}");
        }
        assert!(played.tasks.is_empty(), "{:?}", played.tasks);
    }
}
