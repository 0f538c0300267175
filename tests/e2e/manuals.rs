//! Manuals of earlier programs, typed word by word: each line does what its manual says, or names another way.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::attached::type_in_shell;
use crate::driver::{Story, said};
use crate::phases_mishaps::part;
use crate::terminal::Make;
use crate::without_remote::without_remote;

/// A line that runs a plan, and what a person who types it at a terminal does and sees.
struct PlanLine {
    typed: &'static str,
    /// Number of phases that the person approves.
    approved: usize,
    sees: &'static [&'static str],
    misses: &'static [&'static str],
    /// Phases whose tasks are on the board in the end.
    phases: &'static [&'static str],
}

const LINE: PlanLine = PlanLine {
    typed: "",
    approved: 0,
    sees: &["1 | DEMO", " all done "],
    misses: &["writes to"],
    phases: &["1", "2"],
};

const PLAN_LINES: [PlanLine; 10] = [
    PlanLine {
        typed: "debussy run path/to/master-plan.md",
        sees: &[
            "ends after",
            "3 failed checks, 2 crashes, 2 timeouts",
            " all done ",
        ],
        ..LINE
    },
    PlanLine {
        typed: "debussy run path/to/master-plan.md --phase 2",
        sees: &[" all done "],
        phases: &["2"],
        ..LINE
    },
    PlanLine {
        typed: "debussy run path/to/master-plan.md --model haiku",
        sees: &["haiku", " all done "],
        ..LINE
    },
    PlanLine {
        typed: "debussy run path/to/master-plan.md --output both",
        sees: &["1 | DEMO", "writes to", " all done "],
        misses: &[],
        ..LINE
    },
    PlanLine {
        typed: "debussy run path/to/master-plan.md --model haiku --output file --phase 2",
        sees: &["haiku", "writes to", " all done "],
        misses: &[" | DEMO"],
        phases: &["2"],
        ..LINE
    },
    PlanLine {
        typed: "debussy run path/to/master-plan.md --interactive",
        approved: 2,
        ..LINE
    },
    PlanLine {
        typed: "debussy run MASTER_PLAN.md --context-threshold 80",
        ..LINE
    },
    PlanLine {
        typed: "debussy run MASTER_PLAN.md --no-auto-commit",
        ..LINE
    },
    PlanLine {
        typed: "debussy run MASTER_PLAN.md --allow-dirty",
        ..LINE
    },
    PlanLine {
        typed: "debussy run MASTER_PLAN.md --max-restarts 0",
        ..LINE
    },
];

/// A line that is in no manual but follows from two lines that are.
const INTERACTIVE_WITH_OUTPUT: PlanLine = PlanLine {
    typed: "debussy run path/to/master-plan.md --interactive --output both",
    approved: 2,
    sees: &["1 | DEMO", "writes to", " all done "],
    misses: &[],
    ..LINE
};

/// Types the line that chooses the model, the output and the phase, in a project without a remote.
pub(crate) fn combined_example() -> Story {
    let story = without_remote(project());
    let chosen = |line: &&PlanLine| line.typed.ends_with("--model haiku --output file --phase 2");
    is_run(&story, 1, PLAN_LINES.iter().find(chosen).unwrap());
    story
}

/// Makes a project with links to the program under all its names.
fn project() -> Story {
    let worker = part(
        "",
        "  { write = \"{task}\", text = \"{n}\\n\" },\n  { commit = \"Work\" },\n  { signal = \"done\", text = \"Worked.\" },",
    );
    let story = Story::new(&worker);
    for name in ["dbs", "debussy", "bd"] {
        symlink(env!("CARGO_BIN_EXE_dbs"), story.root().join(name)).unwrap();
    }
    story
}

/// Writes a plan of two phases to the file, different from that of any line before.
fn write_plan(story: &Story, file: &str, title: &str) {
    let master = story.project().join(file);
    let folder = master.parent().unwrap();
    fs::create_dir_all(folder).unwrap();
    let rows = "| 1 | [One](one.md) | a | Low | Pending |\n| 2 | [Two](two.md) | b | Low | Pending |\n";
    let head = "## Phases\n\n| Phase | Title | Focus | Risk | Status |\n|---|---|---|---|---|\n";
    fs::write(&master, format!("# {title} - Master Plan\n\n{head}{rows}")).unwrap();
    for name in ["one", "two"] {
        let text = format!("# {name}\n\n## Gates\n- it: `true`\n\n## Tasks\n- [ ] 1: Do\n");
        fs::write(folder.join(format!("{name}.md")), text).unwrap();
    }
}

/// Returns a command for the program under the name that begins the line, with the words of the line.
fn typed(story: &Story, line: &str) -> Command {
    let words = shell_words::split(line).unwrap();
    let program = story.root().join(&words[0]);
    let mut command = story.outside(program.to_str().unwrap());
    command.args(&words[1..]).current_dir(story.project());
    command
}

fn is_run(story: &Story, nth: usize, line: &PlanLine) {
    let file = line.typed.split(' ').nth(2).unwrap();
    let name = format!("line{nth}");
    write_plan(story, file, &format!("{name} export"));
    let tty = story.tty_with(Make::New, &[], &typed(story, line.typed), (150, 60));
    // Commands that a person has approved are not asked about again.
    let asked = tty.wait("the question or the plan", |screen| {
        screen.has("y or n") || screen.has("ends after")
    });
    if asked.has("y or n") {
        tty.type_text("y\n");
    }
    for phase in line.phases.iter().take(line.approved) {
        let question = format!("{name}-{phase} waits for approval: [a]pprove");
        story.wait_until(&question, || tty.times_received(&question) == 1);
        tty.type_text("a\n");
    }
    let shown = |text: &&&str| tty.times_received(text) > 0;
    story.wait_until(line.typed, || {
        line.sees.iter().filter(shown).count() == line.sees.len()
    });
    for text in line.misses {
        assert_eq!(tty.times_received(text), 0, "{}: {text}", line.typed);
    }
    let (code, screen) = tty.leave();
    assert_eq!(code, 0, "{}: {}", line.typed, screen.text());
    let all: serde_json::Value = serde_json::from_str(&story.dbs(&["task", "list", "--json"])).unwrap();
    let own = all.as_array().unwrap().iter();
    let own = own.filter_map(|task| task["id"].as_str()?.strip_prefix(&format!("{name}-")));
    assert_eq!(own.collect::<Vec<_>>(), line.phases, "{}", line.typed);
}

#[test]
fn every_line_of_the_manuals_that_runs_a_plan_runs_it_to_its_end() {
    let story = project();
    write_plan(&story, "path/to/master-plan.md", "shown export");
    let shown = typed(&story, "debussy run path/to/master-plan.md --dry-run")
        .output()
        .unwrap();
    assert!(shown.status.success(), "{}", said(&shown));
    assert!(said(&shown).contains("hash of the commands"), "{}", said(&shown));
    for (nth, line) in PLAN_LINES.iter().chain([&INTERACTIVE_WITH_OUTPUT]).enumerate() {
        is_run(&story, nth, line);
    }
    story.dbs(&["stop", "--all"]);
}

/// Lines that a person types in a shell, in this order, each with its exit code and a text that is printed. `<first>` to `<fifth>` stand
/// for the ids of tasks that earlier lines have made.
const LINES: [(&str, i32, &str); 45] = [
    ("bd init", 0, "next: dbs task create"),
    (
        "debussy init my-feature --phases 3",
        0,
        "plans/my-feature/MASTER_PLAN.md",
    ),
    ("debussy status", 0, "base branch: work"),
    ("debussy status --run abc123", 1, "there is no batch abc123"),
    ("debussy history", 0, "no runs"),
    ("debussy done --phase 1", 1, "this is for agents"),
    (
        "debussy progress --phase 1 --step \"implementation:started\"",
        1,
        "this is for agents",
    ),
    ("dbs status", 0, "base branch: work"),
    ("dbs board", 0, "Backlog (0)"),
    ("dbs metrics", 0, ""),
    ("dbs config", 0, "max_total_agents"),
    ("dbs config max_total_agents", 0, "4"),
    ("dbs config max_total_agents 8", 0, "max_total_agents is set"),
    ("dbs config use_tmux_windows true", 0, "terminal"),
    ("dbs config agent_timeout 3600", 0, "agent_timeout is set"),
    ("dbs config base_branch wrok", 0, "did you mean `work`?"),
    (
        "dbs config base_branch feature/foo",
        0,
        "there is no branch feature/foo",
    ),
    ("dbs config base_branch work", 0, "base_branch is set"),
    ("dbs debug", 0, ""),
    ("dbs upgrade", 0, "It fetches nothing by itself"),
    ("dbs pause", 0, "paused"),
    (
        "bd create \"Implement feature X\" -d \"Description of what to do\"",
        0,
        "created",
    ),
    (
        "bd update <first> --add-label stage:development",
        0,
        "is released to development",
    ),
    ("bd show <first>", 0, "Implement feature X"),
    (
        "bd create \"Investigate area A\" -d \"Research details\"",
        0,
        "created",
    ),
    (
        "bd create \"Investigate area B\" -d \"Research details\"",
        0,
        "created",
    ),
    (
        "bd create \"Consolidate findings\" -d \"Synthesize results\" --deps \"<second>,<third>\"",
        0,
        "created",
    ),
    (
        "bd update <second> --add-label stage:investigating",
        0,
        "released",
    ),
    (
        "bd update <third> --add-label stage:investigating",
        0,
        "is released to investigating",
    ),
    (
        "bd update <fourth> --add-label stage:consolidating",
        0,
        "released",
    ),
    (
        "bd create \"Acceptance testing\" -d \"Run full test suite\" --deps \"<first>,<second>,<third>\"",
        0,
        "created",
    ),
    (
        "bd update <fifth> --add-label stage:acceptance",
        0,
        "is released to acceptance",
    ),
    ("bd comment <first> \"use the parser we have\"", 0, ""),
    ("bd list", 0, "Consolidate findings"),
    ("dbs board", 0, "Investigating (2)"),
    (
        "bd update <first> --status in_progress",
        1,
        "an agent that begins sets it",
    ),
    ("dbs backup", 0, ""),
    ("dbs clear", 1, "--confirm"),
    ("dbs clear -f", 0, "`dbs restore "),
    ("dbs board", 0, "Backlog (0)"),
    ("debussy resume", 0, ""),
    ("dbs restart", 0, "no server ran; one was started"),
    ("dbs restart -u", 0, "`dbs upgrade`"),
    ("dbs start", 1, "terminal"),
    ("dbs stop --all", 0, ""),
];

#[test]
fn every_other_line_of_the_manuals_does_what_it_says_or_names_the_way() {
    let story = project();
    let mut made: Vec<String> = Vec::new();
    for (line, code, text) in LINES {
        let mut words = line.to_owned();
        for (name, id) in ["<first>", "<second>", "<third>", "<fourth>", "<fifth>"]
            .iter()
            .zip(&made)
        {
            words = words.replace(name, id);
        }
        let output = typed(&story, &words).output().unwrap();
        let told = said(&output);
        assert_eq!(output.status.code(), Some(code), "{words}: {told}");
        assert!(told.contains(text), "{words}: {told}");
        if line.starts_with("bd create") {
            let id = told.split([' ', ':', '\n']).find(|word| word.starts_with("dbs-"));
            made.push(id.unwrap_or_else(|| panic!("{told}")).to_owned());
        }
    }
    let backups = fs::read_dir(story.state().join("backups")).unwrap().count();
    assert!(backups > 1, "one by hand, one before the board was cleared");
}

#[test]
fn a_screen_is_started_and_the_board_is_watched_by_the_lines_of_the_manual() {
    let story = project();
    let screen = |line: &str| story.tty_with(Make::New, &[], &typed(&story, line), (120, 40));
    let watch = screen("dbs watch");
    story.wait_until("the server", || story.is_live());
    watch.press("C-c");
    drop(watch.leave());
    story.dbs(&["pause"]);
    let start = screen("dbs start \"Let people export their orders\"");
    start.see("Let people export their orders");
    start.close();
    story.dbs(&["stop", "--all"]);
}

#[test]
fn a_shell_in_a_pane_finds_the_program_under_the_names_of_earlier_ones() {
    let story = Story::new("");
    let tty = story.tty(&[], (180, 50));
    type_in_shell(&tty);
    tty.type_text(
        "for name in dbs debussy bd; do command -v $name; done | wc -l | sed 's/ *//;s/^/found-/'\n",
    );
    tty.see("found-3");
    tty.type_text("debussy upgrade\n");
    tty.see("It fetches nothing by itself");
    tty.close();
    story.dbs(&["stop", "--all"]);
}

/// Plan of `dbs init` as it was made, with no more than one gate set.
#[test]
fn a_new_plan_with_the_least_filled_in_runs_to_its_end() {
    let told = "pre_validation";
    let worker = part(
        "",
        "  { write = \"{task}\", text = \"{n}\\n\" },
  { write = \"notes/NOTES_my_feature_phase_1.md\", text = \"## Summary\\nDone.\\n## Key Decisions\\nNone.\\n## Files Modified\\nOne.\\n\" },
  { write = \"notes/NOTES_my_feature_phase_2.md\", text = \"## Summary\\nDone.\\n## Key Decisions\\nNone.\\n## Files Modified\\nOne.\\n\" },
  { signal = \"progress\", text = \"pre_validation:completed\" },
  { signal = \"done\", text = \"Worked.\", report = { steps_completed = [\"read_previous_notes\"] } },",
    );
    let story = Story::new(&worker);
    story.dbs(&["init", "my-feature", "--phases", "2"]);
    let master = "plans/my-feature/MASTER_PLAN.md";
    let unset = said(&story.run(&["run", master, "--dry-run"]));
    assert!(
        unset.contains("dbs config gates.tests"),
        "no gate proves a phase: {unset}"
    );
    story.dbs(&["config", "gates.tests", "true"]);
    let audited = story.dbs(&["audit", master]);
    let steps: Vec<&str> = audited.lines().filter(|line| line.contains("steps: ")).collect();
    assert_eq!(steps.len(), 2, "{audited}");
    assert!(
        steps[0].contains(told) && !steps[0].contains("read_previous_notes"),
        "{audited}"
    );
    assert!(steps[1].contains("read_previous_notes"), "{audited}");
    let shown = story.dbs(&["run", master, "--dry-run"]);
    assert!(shown.contains("steps: "), "{shown}");
    let hash = shown
        .lines()
        .find_map(|line| line.strip_prefix("hash of the commands: "));
    let words = ["run", master, "--headless", "--trust", hash.unwrap()];
    let output = story.run(&words);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let run = story.dbs(&["status", "--run"]);
    assert!(run.contains("2 of 2 done"), "{run}");
    assert_eq!(
        run.matches("  completed").count(),
        4,
        "each phase is worked on and merged once: {run}"
    );
    assert!(!run.contains("failed"), "{run}");
    assert!(Path::new(&story.project().join(master)).exists());
    story.dbs(&["stop", "--all"]);
}
