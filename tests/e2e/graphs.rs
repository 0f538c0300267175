//! Stories of a graph plan: from its file to merged commits and back, with tasks that are done again, fail and are skipped.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::driver::{Story, said};
use crate::plans::task;

/// A task that makes one file.
pub(crate) fn makes(subject: &str, needs: &[usize], file: &str) -> Value {
    json!({
        "subject": subject, "description": format!("{file} is needed."), "status": "pending", "result": null, "attempts": 0,
        "blockedBy": needs, "metadata": { "type": "implementation", "files": { "create": [file], "modify": [] } },
        "agent": {
            "role": "developer", "model": "haiku", "approach": "write it",
            "assumptions": [{ "claim": "it is not there", "verify": format!("test ! -e {file}"), "severity": "blocking" }],
            "acceptanceCriteria": [{ "criterion": format!("{file} is there"), "check": format!("test -e {file}") }],
            "rollbackTriggers": [format!("{file} is there")], "fallback": "write it in two steps"
        }
    })
}

/// Makes a project with a plan of these tasks, whose agents play the scenario.
pub(crate) fn story(scenario: &str, tasks: &[Value]) -> Story {
    let story = Story::new(scenario);
    fs::create_dir_all(story.project().join(".design")).unwrap();
    let plan = json!({ "schemaVersion": 3, "goal": "Invoice export", "tasks": tasks });
    fs::write(
        story.project().join(".design/plan.json"),
        serde_json::to_string_pretty(&plan).unwrap(),
    )
    .unwrap();
    story
}

/// Carries the plan out to its end; returns the exit code and what was printed.
pub(crate) fn carried_out(story: &Story) -> (Option<i32>, String) {
    let shown = story.dbs(&["execute", "--dry-run"]);
    let hash = shown.split("hash of the commands: ").nth(1).unwrap().trim();
    let output = story.run(&["execute", "--headless", "--trust", hash]);
    (output.status.code(), said(&output))
}

/// Waits until the server has written the plan with these statuses of its tasks; returns the plan.
fn written(story: &Story, file: &str, statuses: &[&str]) -> Value {
    let read = || -> Option<Value> {
        let text = fs::read_to_string(story.project().join(".design").join(file)).ok()?;
        serde_json::from_str(&text).ok()
    };
    let says = |plan: &Value| {
        let tasks = plan["tasks"].as_array().unwrap().iter();
        tasks
            .map(|task| task["status"].as_str().unwrap())
            .eq(statuses.iter().copied())
    };
    story.wait_until(file, || read().is_some_and(|plan| says(&plan)));
    read().unwrap()
}

/// Parts in which the first agent of the first task makes a file that is not listed instead of the listed one. The agent of the last task
/// asks a question that answers itself a moment later, which must not end the wait.
const ONE_IS_DONE_AGAIN: &str = r#"
[[part]]
role = "graph-worker"
task = "invoice-0"
attempt = 1
steps = [
  { signal = "claim" },
  { write = "other.txt", text = "other\n" },
  { signal = "done", text = "Made something." },
]

[[part]]
role = "graph-worker"
task = "invoice-0"
steps = [
  { signal = "claim" },
  { write = "model.txt", text = "model\n" },
  { signal = "done", text = "The model stands in model.txt." },
]

[[part]]
role = "graph-worker"
task = "invoice-2"
steps = [
  { signal = "claim" },
  { ask = "Is all there?", answer_after = 1 },
  { signal = "done", text = "All is there." },
]

[[part]]
role = "graph-worker"
steps = [
  { signal = "claim" },
  { write = "csv.txt", text = "csv\n" },
  { signal = "done", text = "Made." },
]
"#;

/// Asserts that the base has only the listed files, each with a merge that is named after its task.
fn is_merged(story: &Story) {
    let files = story.git(&story.origin(), &["ls-tree", "-r", "--name-only", "work"]);
    let has = |file: &str| files.lines().any(|line| line == file);
    assert!(has("model.txt") && has("csv.txt"), "{files}");
    assert!(!has("other.txt"), "an unlisted file is on the base: {files}");
    let commits = story.git(&story.origin(), &["log", "--format=%s", "work"]);
    for merge in ["feat: add the model", "feat: add the writer"] {
        assert!(commits.lines().any(|line| line == merge), "{merge}: {commits}");
    }
}

/// Asserts that the second try was told why, and that the next task was told the result it builds on.
fn is_told(story: &Story) {
    let again = fs::read_to_string(story.attempt(2).join("prompt.md")).unwrap();
    for wanted in [
        "files were changed that are not listed: other.txt",
        "listed files were neither made nor changed: model.txt",
        "gate criterion-1 failed",
        "The plan names another way for this case: `write it in two steps`",
        "blocking: it is not there. Shown by: `test ! -e model.txt`",
        "Stage and commit nothing",
    ] {
        assert!(again.contains(wanted), "{wanted}: {again}");
    }
    let prompts = (3..=4).map(|n| fs::read_to_string(story.attempt(n).join("prompt.md")).unwrap_or_default());
    let second = prompts.collect::<String>();
    assert!(
        second.contains("The model stands in model.txt."),
        "the result of the first task is in the prompt: {second}"
    );
}

#[test]
fn a_graph_plan_is_carried_out_held_against_its_lists_and_written_back() {
    // The last task only looks whether both files are there.
    let mut look = makes("Look at both", &[0, 1], "csv.txt");
    look["metadata"] = json!({ "type": "testing", "files": { "create": [], "modify": [] } });
    let tasks = [
        makes("Add the model", &[], "model.txt"),
        makes("Add the writer", &[0], "csv.txt"),
        look,
    ];
    let story = story(ONE_IS_DONE_AGAIN, &tasks);
    let (code, told) = carried_out(&story);
    assert_eq!(code, Some(0), "{told}");
    let first = task(&story, "invoice-0");
    assert_eq!(first["tries"]["work"], 2, "{first}");
    is_merged(&story);
    is_told(&story);
    let last = task(&story, "invoice-2");
    assert_eq!(
        (&last["stage"], &last["state"]),
        (&json!("checking"), &json!("done")),
        "{last}"
    );
    assert_eq!(last["merged"], Value::Null, "it had nothing to merge: {last}");
    let plan = written(&story, "plan.done.json", &["completed"; 3]);
    assert!(!story.project().join(".design/plan.json").exists());
    assert_eq!(plan["tasks"][0]["status"], "completed", "{plan}");
    assert_eq!(plan["tasks"][1]["status"], "completed", "{plan}");
    assert!(
        plan["tasks"][0]["result"]
            .as_str()
            .unwrap()
            .starts_with("merged as "),
        "{plan}"
    );
    assert_eq!(
        plan["progress"]["completedTasks"].as_array().unwrap().len(),
        3,
        "{plan}"
    );
    story.dbs(&["stop", "--all"]);
}

/// Parts in which the first task fails at each try and the others are done.
const ONE_FAILS: &str = r#"
[[part]]
role = "graph-worker"
task = "invoice-0"
steps = [ { signal = "claim" }, { signal = "fail", text = "the model has no date" } ]

[[part]]
role = "graph-worker"
steps = [
  { signal = "claim" },
  { write = "readme.txt", text = "read\n" },
  { signal = "done", text = "Made." },
]
"#;

#[test]
fn what_waits_for_a_task_that_failed_three_times_is_skipped_and_the_plan_says_so() {
    let tasks = [
        makes("Add the model", &[], "model.txt"),
        makes("Add the writer", &[0], "csv.txt"),
        makes("Add the text", &[], "readme.txt"),
    ];
    let story = story(ONE_FAILS, &tasks);
    let (code, told) = carried_out(&story);
    assert_eq!(code, Some(1), "{told}");
    for wanted in [
        "1 of 3 done, 1 failed, 1 skipped  Invoice export",
        "invoice-0: failed: 3 of 3 tries: the model has no date; `dbs retry invoice-0` or `dbs skip invoice-0`",
        "invoice-1: skipped: invoice-0 failed; `dbs retry invoice-0` retries it",
    ] {
        assert!(told.contains(wanted), "{wanted}: {told}");
    }
    let plan = written(&story, "plan.json", &["failed", "skipped", "completed"]);
    let of = |at: usize| {
        let task = &plan["tasks"][at];
        (
            task["status"].as_str().unwrap(),
            task["attempts"].as_u64().unwrap(),
        )
    };
    assert_eq!(of(0), ("failed", 3), "{plan}");
    assert!(
        plan["tasks"][0]["result"]
            .as_str()
            .unwrap()
            .contains("3 of 3 tries"),
        "{plan}"
    );
    assert_eq!(of(1), ("skipped", 0), "{plan}");
    assert!(
        plan["tasks"][1]["result"].as_str().unwrap().contains("invoice-0"),
        "{plan}"
    );
    assert_eq!(of(2).0, "completed", "{plan}");
    assert_eq!(plan["progress"]["completedTasks"][0]["index"], 2, "{plan}");
    is_written_after_a_kill_and_beside_edits(&story);
    story.dbs(&["stop", "--all"]);
}

/// Carries out a plan of one task, with the base checked out in the person's folder and this value of the setting `deliver`.
fn delivered(deliver: &str) -> Story {
    let agents = "[[part]]\nrole = \"graph-worker\"\nsteps = [\n  { signal = \"claim\" },\n  \
                  { write = \"model.txt\", text = \"model\\n\" },\n  { signal = \"done\", text = \"Made.\" },\n]\n";
    let story = story(agents, &[makes("Add the model", &[], "model.txt")]);
    story.git(&story.project(), &["checkout", "-q", "work"]);
    story.dbs(&["config", "deliver", deliver]);
    let (code, told) = carried_out(&story);
    assert_eq!(code, Some(0), "{told}");
    story
}

#[test]
fn the_files_of_a_finished_plan_stand_in_the_persons_folder() {
    let story = delivered("fast-forward");
    let model = story.project().join("model.txt");
    let head_in = |folder: &Path| story.git(folder, &["rev-parse", "work"]);
    // Files, branch and index are updated one after the other.
    story.wait_until("the files, the branch and the index are there", || {
        model.exists()
            && head_in(&story.project()) == head_in(&story.origin())
            && story
                .git(
                    &story.project(),
                    &["--no-optional-locks", "status", "--porcelain", "model.txt"],
                )
                .is_empty()
    });
    story.dbs(&["stop", "--all"]);
    assert_eq!(fs::read_to_string(model).unwrap(), "model\n");
}

#[test]
fn who_is_told_of_a_finished_plan_brings_it_with_a_pull_that_overwrites_nothing() {
    let story = delivered("tell");
    let told = || story.dbs(&["status"]);
    let line = |text: &str| {
        text.lines()
            .any(|line| line.ends_with(" on origin/work: dbs pull"))
    };
    story.wait_until("it is told", || line(&told()));
    assert!(
        line(&story.dbs(&["status", "--run"])),
        "the end card says it, too"
    );
    story.dbs(&["stop", "--all"]);
    let model = story.project().join("model.txt");
    fs::write(&model, "mine\n").unwrap();
    let refused = story.run(&["pull"]);
    assert!(!refused.status.success());
    assert!(
        said(&refused).contains("model.txt is a file of yours"),
        "{}",
        said(&refused)
    );
    assert_eq!(fs::read_to_string(&model).unwrap(), "mine\n");
    fs::remove_file(&model).unwrap();
    let moved = story.dbs(&["pull"]);
    assert!(
        moved.contains("work and its files in your folder moved by "),
        "{moved}"
    );
    assert_eq!(fs::read_to_string(&model).unwrap(), "model\n");
    assert!(!line(&told()), "nothing is left to pull");
    assert!(story.dbs(&["pull"]).contains("has everything that is merged"));
}

/// Leaves a part of a file, as a server that ended between writing and renaming does, and asserts that the next server writes the plan. A
/// person's changes stay, and no progress goes to a task that has another subject now.
fn is_written_after_a_kill_and_beside_edits(story: &Story) {
    story.dbs(&["stop", "--all"]);
    let file = story.project().join(".design/plan.json");
    let text = fs::read_to_string(&file).unwrap();
    let edited = text
        .replace("\"failed\"", "\"pending\"")
        .replace("\"Add the text\"", "\"Add another text\"")
        .replace("\"completed\"", "\"pending\"")
        .replace("readme.txt is needed.", "Kept.");
    fs::write(&file, edited).unwrap();
    fs::write(file.with_file_name(".tmp-plan.json"), "{ \"schema").unwrap();
    let _server = story.server();
    let plan = written(story, "plan.json", &["failed", "skipped", "pending"]);
    assert_eq!(plan["tasks"][2]["description"], "Kept.", "{plan}");
    story.wait_until("the notice", || {
        story
            .logs()
            .contains("task 2 is called \"Add another text\" there")
    });
}

#[test]
fn the_file_says_of_each_task_what_it_is_while_the_plan_goes_on() {
    let agents = "[[part]]\nrole = \"graph-worker\"\ntask = \"invoice-0\"\nsteps = [{ signal = \"claim\" }, { write = \"model.txt\", text = \"model\\n\" }, { signal = \"done\", text = \"Made.\" }]\n\n\
                  [[part]]\nrole = \"graph-worker\"\nsteps = [{ signal = \"claim\" }, { hang = true }]\n";
    let tasks = [
        makes("Add the model", &[], "model.txt"),
        makes("Add the writer", &[0], "csv.txt"),
    ];
    let story = story(agents, &tasks);
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    let shown = story.dbs(&["execute", "--dry-run"]);
    let hash = shown.split("hash of the commands: ").nth(1).unwrap().trim();
    story.dbs(&["execute", "--trust", hash]);
    written(&story, "plan.json", &["completed", "in_progress"]);
    story.dbs(&["stop", "--all"]);
}
