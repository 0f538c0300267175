//! Stories of a project that has no remote.

use std::fs;

use crate::driver::{Story, said};
use crate::graphs;
use crate::manuals::combined_example;
use crate::phases::wait_for_end;
use crate::plans::{story, story_of, task};
use crate::stories::health;

/// Turns a story into one of a project without a remote, where the person has the base branch checked out.
pub(crate) fn without_remote(story: Story) -> Story {
    let project = story.project();
    story.git(&project, &["remote", "remove", "origin"]);
    fs::remove_dir_all(story.origin()).unwrap();
    let file = project.join(".debussy/config.toml");
    let settings = fs::read_to_string(file).unwrap();
    story.write_settings(&format!("remote = \"none\"\n{settings}"));
    story.git(&project, &["checkout", "-q", "work"]);
    story.git(&project, &["merge", "-q", "--ff-only", "main"]);
    story
}

/// Waits until the person's folder, branch and index have everything that was merged, with the files `files` and without the files `gone`.
fn wait_for_files(story: &Story, files: &[&str], gone: &[&str]) {
    let project = story.project();
    // Files, branch and index are updated one after the other.
    story.wait_until("the folder has what was merged", || {
        let is_there = |file: &&str| project.join(file).exists();
        files.iter().all(is_there)
            && !gone.iter().any(is_there)
            && story.git(&project, &["rev-parse", "work"]) == story.git(&project, &["rev-parse", "dbs/work"])
            && story
                .git(
                    &project,
                    &["--no-optional-locks", "status", "--porcelain", "-uno"],
                )
                .is_empty()
    });
}

#[test]
fn a_plan_runs_to_its_end_on_the_branch_of_the_person_who_commits_meanwhile() {
    let story = without_remote(story());
    let project = story.project();
    story.git(&project, &["checkout", "-q", "main"]);
    let (text, code) = wait_for_end(&story, &["--allow-dirty"]);
    assert_eq!(code, Some(5), "a phase waits for approval: {text}");
    // The first phase is already on the branch; the person goes on from it in another checkout.
    let files = story.git(&project, &["ls-tree", "-r", "--name-only", "work"]);
    assert!(files.contains("model.txt"), "{files}");
    let mine = story.root().join("mine");
    story.git(
        &project,
        &["worktree", "add", "-q", mine.to_str().unwrap(), "work"],
    );
    fs::write(mine.join("mine.txt"), "mine\n").unwrap();
    story.git(&mine, &["add", "mine.txt"]);
    story.git(&mine, &["commit", "-q", "-m", "Mine"]);
    story.dbs(&["approve", "invoice-2.1"]);
    let (text, code) = wait_for_end(&story, &["--allow-dirty"]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(task(&story, "invoice-2.1")["state"], "done");
    // The branch is checked out there, so its files wait for the person.
    story.git(&mine, &["merge", "-q", "--ff-only", "dbs/work"]);
    for file in ["model.txt", "csv.txt", "mine.txt"] {
        assert!(mine.join(file).exists(), "{file}");
    }
    let doctor = String::from_utf8(story.run(&["doctor"]).stdout).unwrap();
    assert!(doctor.contains("no remote: nothing is pushed"), "{doctor}");
    story.dbs(&["stop", "--all"]);
}

#[test]
fn the_files_of_a_plan_come_to_the_folder_of_the_person_who_commits_there() {
    let story = without_remote(story());
    let project = story.project();
    let (text, code) = wait_for_end(&story, &["--allow-dirty"]);
    assert_eq!(code, Some(5), "a phase waits for approval: {text}");
    story.wait_until("the first phase is here", || project.join("model.txt").exists());
    fs::write(project.join("mine.txt"), "mine\n").unwrap();
    story.git(&project, &["add", "mine.txt"]);
    story.git(&project, &["commit", "-q", "-m", "Mine"]);
    story.dbs(&["approve", "invoice-2.1"]);
    let (text, code) = wait_for_end(&story, &["--allow-dirty"]);
    assert_eq!(code, Some(0), "{text}");
    wait_for_files(&story, &["csv.txt", "model.txt", "mine.txt"], &[]);
    story.dbs(&["stop", "--all"]);
}

#[test]
fn the_health_check_stands_in_the_folder_with_its_record() {
    let Some(story) = health() else { return };
    let story = without_remote(story);
    let output = story.run(&["run", "prds", "--headless"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let files = [
        "app.py",
        "tests/test_US_001.py",
        "state.json",
        "prds/archive/001-FEAT-health.json",
    ];
    wait_for_files(&story, &files, &["prds/001-FEAT-health.json"]);
    let history = fs::read_to_string(story.project().join("history.md")).unwrap();
    assert!(history.contains("- **Tests:** 3/3 passed"), "{history}");
    story.dbs(&["stop", "--all"]);
}

/// Part of the agent of the monitoring phase.
const MONITORING: &str = r##"
[[part]]
role = "phase-worker"
steps = [
  { signal = "claim" },
  { write = "src/shop/estimate.py", text = "x = 1\n" },
  { write = "notes/NOTES_shop_phase_6.md", text = "# Summary\nDone.\n# Key Decisions\nNone.\n# Files Modified\nOne.\n" },
  { signal = "done", text = "Worked.", report = { steps_completed = ["read_notes", "validation"] } },
]
"##;

#[test]
fn a_phase_of_an_earlier_program_runs_below_a_small_master_plan() {
    let story = without_remote(story_of(MONITORING));
    let plan = story.project().join("plan");
    let phase = include_str!("../data/plans/monitoring.md")
        .replace("uv run lint check .", "test -e src/shop/estimate.py")
        .replace("uv run types src/shop/", "true")
        .replace("uv run pytest tests/ -v", "true");
    fs::write(plan.join("phase-6.md"), phase).unwrap();
    let master = "# Shop - Master Plan\n\n## Phases\n\n| Phase | Title | Focus | Risk | Status |\n|--|--|--|--|--|\n\
                  | 6 | [Watching the store](phase-6.md) | monitoring | Low | Pending |\n";
    fs::write(plan.join("MASTER.md"), master).unwrap();
    // A gate without a command needs one from the person.
    let refused = said(&story.run(&["run", "plan/MASTER.md", "--dry-run"]));
    assert!(refused.contains("coverage"), "{refused}");
    story.dbs(&["config", "gates.coverage", "true"]);
    let (text, code) = wait_for_end(&story, &["--allow-dirty"]);
    assert_eq!(code, Some(0), "{text}");
    wait_for_files(
        &story,
        &["src/shop/estimate.py", "notes/NOTES_shop_phase_6.md"],
        &[],
    );
    story.dbs(&["stop", "--all"]);
}

#[test]
fn the_combined_example_of_the_manual_leaves_its_file_in_the_folder() {
    let story = combined_example();
    wait_for_files(&story, &["line1-2"], &["line1-1"]);
    story.dbs(&["stop", "--all"]);
}

/// Parts in which each task adds a line to the file that both list.
const ADDS: &str = r#"
[[part]]
role = "graph-worker"
task = "invoice-0"
steps = [ { signal = "claim" }, { write = "shared.txt", text = "one\n" }, { signal = "done", text = "Made." } ]

[[part]]
role = "graph-worker"
task = "invoice-1"
steps = [
  { signal = "claim" },
  { require = "shared.txt", text = "one", failed = [ { signal = "fail", text = "the first task is not there" } ] },
  { write = "shared.txt", text = "one\ntwo\n" },
  { signal = "done", text = "Added." },
]
"#;

#[test]
fn tasks_of_a_graph_that_change_one_file_are_done_one_after_the_other_with_a_warning() {
    let mut second = graphs::makes("Add the writer", &[], "shared.txt");
    second["metadata"]["files"] = serde_json::json!({ "create": [], "modify": ["shared.txt"] });
    let tasks = [graphs::makes("Add the model", &[], "shared.txt"), second];
    let story = without_remote(graphs::story(ADDS, &tasks));
    let shown = said(&story.run(&["execute", "--dry-run"]));
    assert!(
        shown.contains("warning") && shown.contains("shared.txt"),
        "{shown}"
    );
    let (code, text) = graphs::carried_out(&story);
    assert_eq!(code, Some(0), "{text}");
    wait_for_files(&story, &["shared.txt"], &[]);
    let text = fs::read_to_string(story.project().join("shared.txt")).unwrap();
    assert_eq!(text, "one\ntwo\n");
    story.dbs(&["stop", "--all"]);
}
