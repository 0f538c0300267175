//! Stories of a phased plan: from its files to the merged commits, with a gate that fails first and a phase that a person approves.

use std::fs;

use serde_json::Value;

use crate::driver::{Story, said};

pub(crate) const MASTER: &str = "# Invoice export - Master Plan

## Phases

| Phase | Title | Focus | Risk | Status |
|-------|-------|-------|------|--------|
| 1 | [Data model](phase-1.md) | tables | Low | Pending |
| 2.1 | [CSV writer](phase-2-1.md) | io | High | Pending |
";

pub(crate) const FIRST: &str = "# Invoice export Phase 1: Data model

**Depends On:** None

## Process Wrapper (MANDATORY)
- [ ] Pre-validation until clean
- [ ] Write notes to: `notes/NOTES_export_phase_1.md`

## Gates (must pass before completion)
- model: there (command: `test -e model.txt`)

## Tasks
- [ ] 1.1: Make model.txt
";

const SECOND: &str = "# Invoice export Phase 2.1: CSV writer

**Depends On:** Phase 1

## Process Wrapper (MANDATORY)
- [ ] Read previous notes: `notes/NOTES_export_phase_1.md`
- [ ] Write notes to: `notes/NOTES_export_phase_2.1.md`

## Gates
- csv: `test -e csv.txt && test -e model.txt`

## Tasks
- [ ] 2.1: Make csv.txt
";

/// Parts in which the first phase forgets its file at first, and the second does everything at once.
const WORKERS: &str = r###"
[[part]]
role = "phase-worker"
task = "invoice-1"
attempt = 1
steps = [
  { signal = "claim" },
  { write = "notes/NOTES_export_phase_1.md", text = "## Summary\nDone.\n## Key Decisions\nNone.\n## Files Modified\nOne.\n" },
  { signal = "progress", text = "pre_validation:completed" },
  { signal = "done", text = "Worked." },
]

[[part]]
role = "phase-worker"
task = "invoice-1"
steps = [
  { signal = "claim" },
  { write = "model.txt", text = "model\n" },
  { signal = "done", text = "Worked." },
]

[[part]]
role = "phase-worker"
steps = [
  { signal = "claim" },
  { write = "csv.txt", text = "csv\n" },
  { write = "notes/NOTES_export_phase_2.1.md", text = "## Summary\nDone.\n## Key Decisions\nNone.\n## Files Modified\nOne.\n" },
  { signal = "done", text = "Worked.", report = { steps_completed = ["read_previous_notes"] } },
]
"###;

pub(crate) fn story() -> Story {
    story_of(WORKERS)
}

/// Makes a story of the same plan with agents of another scenario.
pub(crate) fn story_of(workers: &str) -> Story {
    let story = Story::new(workers);
    let folder = story.project().join("plan");
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in [
        ("MASTER.md", MASTER),
        ("phase-1.md", FIRST),
        ("phase-2-1.md", SECOND),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    story
}

pub(crate) fn task(story: &Story, id: &str) -> Value {
    let whole: Value = serde_json::from_str(&story.dbs(&["task", "show", id, "--json"])).unwrap();
    whole["task"].clone()
}

/// Returns the hash of the plan's commands, as `--dry-run` shows it.
pub(crate) fn hash(story: &Story) -> String {
    hash_with(story, &[])
}

/// Returns the hash that `--dry-run` shows with these choices.
fn hash_with(story: &Story, choices: &[&str]) -> String {
    let shown = story.dbs(&[&["run", "plan/MASTER.md", "--dry-run"], choices].concat());
    let line = shown
        .lines()
        .find(|line| line.starts_with("hash of the commands: "));
    line.unwrap_or_else(|| panic!("{shown}"))
        .rsplit(' ')
        .next()
        .unwrap()
        .to_owned()
}

#[test]
fn a_plan_is_carried_out_phase_by_phase_mended_once_and_approved_once() {
    let story = story();
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    let hash = hash(&story);
    story.dbs(&["run", "plan/MASTER.md", "--trust", &hash]);
    story.wait_until("a phase that waits for a person", || {
        task(&story, "invoice-2.1")["state"]
            .to_string()
            .contains("approval")
    });
    let first = task(&story, "invoice-1");
    assert_eq!(first["state"], "done", "{first}");
    assert_eq!(first["tries"]["work"], 2, "{first}");
    let told = fs::read_to_string(story.attempt(2).join("prompt.md")).unwrap_or_default();
    for wanted in [
        "This is a remediation of invoice-1",
        "critical: gate model failed",
        "to do: fix the gate's findings",
        "Read the phase file `plan/phase-1.md`",
        "notes/NOTES_export_phase_1.md",
        "1.1: Make model.txt",
    ] {
        assert!(told.contains(wanted), "{wanted}: {told}");
    }
    let second = task(&story, "invoice-2.1");
    assert!(
        !second["comments"].to_string().contains("warnings"),
        "its step was reported: {second}"
    );
    let run = story.dbs(&["status", "--run", "invoice-export"]);
    lists_each_attempt(&run);
    for wanted in [
        "1 of 2 done  Invoice export",
        "invoice-1    Phase 1: Data model",
        "low   1/1    2      Merge done",
        "high  1/1    1      Merge waits for your approval",
    ] {
        assert!(run.contains(wanted), "{wanted}: {run}");
    }
    story.dbs(&["approve", "invoice-2.1"]);
    story.wait_until("the end of the plan", || story.count("done") == 2);
    is_in_the_history(&story);
    let files = story.git(&story.origin(), &["ls-tree", "-r", "--name-only", "work"]);
    for file in [
        "model.txt",
        "csv.txt",
        "notes/NOTES_export_phase_1.md",
        "notes/NOTES_export_phase_2.1.md",
    ] {
        assert!(files.lines().any(|line| line == file), "{file}: {files}");
    }
    story.dbs(&["stop", "--all"]);
}

/// Asserts that each attempt is listed with its times and its duration.
fn lists_each_attempt(run: &str) {
    let rows: Vec<Vec<&str>> = run
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let states: Vec<[&str; 3]> = rows
        .iter()
        .filter(|row| {
            row.first().is_some_and(|word| word.parse::<u64>().is_ok())
                && row.len() > 8
                && row[3].contains('-')
        })
        .map(|row| [row[1], row[2], row[8]])
        .collect();
    assert_eq!(
        states,
        [
            ["invoice-1", "Work", "failed"],
            ["invoice-1", "Work", "completed"],
            ["invoice-1", "Merge", "completed"],
            ["invoice-2.1", "Work", "completed"],
        ],
        "with times and durations: {run}"
    );
}

fn is_in_the_history(story: &Story) {
    let all: Value = serde_json::from_str(&story.dbs(&["history", "--json"])).unwrap();
    assert_eq!(all[0]["id"], "invoice-export", "{all}");
    assert_eq!(
        (&all[0]["done"], &all[0]["state"]),
        (&2.into(), &"completed".into()),
        "{all}"
    );
    let one: Value =
        serde_json::from_str(&story.dbs(&["status", "--run", "invoice-export", "--json"])).unwrap();
    assert_eq!(one["tasks"][1]["item"], "2.1", "the order of the plan: {one}");
    let unknown = said(&story.run(&["status", "--run", "nope"]));
    assert!(unknown.contains("there is no batch nope"), "{unknown}");
}

#[test]
fn nothing_of_a_plan_runs_before_a_person_has_seen_its_commands_and_a_changed_command_asks_again() {
    let story = story();
    let refused = said(&story.run(&["run", "plan/MASTER.md"]));
    assert!(
        refused.contains("plan/phase-1.md:10: phase 1 gate model: test -e model.txt"),
        "{refused}"
    );
    let hash = hash(&story);
    assert!(refused.contains(&format!("--trust {hash}")), "{refused}");
    let phase = story.project().join("plan/phase-1.md");
    fs::write(&phase, FIRST.replace("test -e model.txt", "touch /tmp/owned")).unwrap();
    let refused = said(&story.run(&["run", "plan/MASTER.md", "--trust", &hash]));
    assert!(
        refused.contains("not the given one") && refused.contains("touch /tmp/owned"),
        "{refused}"
    );
    assert_eq!(
        story.dbs(&["task", "list", "--json"]).trim(),
        "[]",
        "nothing is on the board"
    );
    fs::write(&phase, FIRST).unwrap();
    let hash = hash_with(&story, &["--phase", "2.1"]);
    let made = story.dbs(&[
        "run",
        "plan/MASTER.md",
        "--trust",
        &hash,
        "--phase",
        "2.1",
        "--json",
    ]);
    assert!(
        made.contains("invoice-2.1") && !made.contains("invoice-1\""),
        "{made}"
    );
    let again = said(&story.run(&["run", "plan/MASTER.md", "--trust", &hash, "--phase", "2.1"]));
    assert!(
        again.contains("invoice-2.1      Phase 2.1: CSV writer  released")
            && again.contains("on the board as its files have it"),
        "the phase is on the board already: {again}"
    );
    let whole = said(&story.run(&["run", "plan/MASTER.md"]));
    assert!(
        whole.contains("invoice-1  Phase 1: Data model  (new, line 7 of the plan)")
            && whole.contains("test -e model.txt"),
        "the phase that was left out: {whole}"
    );
}

#[test]
fn commands_that_were_trusted_are_not_asked_about_again_and_changed_ones_are_shown_beside_them() {
    let story = story();
    let hash = hash(&story);
    story.dbs(&["run", "plan/MASTER.md", "--trust", &hash]);
    let shown = story.dbs(&["trust", "show"]);
    for wanted in [
        "trusted  plan      plan/MASTER.md",
        "phase 1 gate model: test -e model.txt",
    ] {
        assert!(shown.contains(wanted), "{wanted}: {shown}");
    }
    assert!(
        !shown.contains("not trusted"),
        "the project is as trusted as before: {shown}"
    );
    story.dbs(&["run", "plan/MASTER.md", "--restart"]);
    let phase = story.project().join("plan/phase-1.md");
    fs::write(&phase, FIRST.replace("test -e model.txt", "test -s model.txt")).unwrap();
    let refused = said(&story.run(&["run", "plan/MASTER.md", "--restart"]));
    for wanted in [
        "plan/phase-1.md:10: phase 1 gate model: test -s model.txt",
        "you trusted another command there",
        "- test -e model.txt",
        "+ test -s model.txt",
        "--trust ",
    ] {
        assert!(refused.contains(wanted), "{wanted}: {refused}");
    }
    assert!(!refused.contains("phase 2.1 gate"), "it was trusted: {refused}");
    fs::write(&phase, FIRST).unwrap();
    story.dbs(&["run", "plan/MASTER.md", "--restart"]);
    story.dbs(&["trust", "--forget"]);
    let refused = said(&story.run(&["run", "plan/MASTER.md", "--restart"]));
    assert!(
        refused.contains("phase 1 gate model: test -e") && refused.contains("phase 2.1 gate csv"),
        "{refused}"
    );
}

#[test]
fn phases_that_a_person_leaves_out_are_shown_as_such_and_get_no_task() {
    let story = story();
    let master = story.project().join("plan/MASTER.md");
    fs::write(
        &master,
        MASTER.replace("| tables | Low | Pending |", "| tables | Low | Completed |"),
    )
    .unwrap();
    for choice in [&["--phase", "2.1"][..], &["--done", "1"], &["--trust-plan"]] {
        let shown = story.dbs(&[&["run", "plan/MASTER.md", "--dry-run"], choice].concat());
        assert!(
            shown.contains("1      Data model  (left out)"),
            "{choice:?}: {shown}"
        );
        assert!(
            !shown.contains("gate model") && shown.contains("gate csv"),
            "{shown}"
        );
        let json = story.dbs(&[&["run", "plan/MASTER.md", "--dry-run", "--json"], choice].concat());
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(
            (&json["phases"][0]["left_out"], &json["phases"][1]["left_out"]),
            (&true.into(), &false.into())
        );
        let hash = hash_with(&story, choice);
        let words = ["run", "plan/MASTER.md", "--restart", "--trust", &hash];
        let made = story.dbs(&[&words, choice].concat());
        assert!(
            made.contains("2.1  Phase 2.1") && !made.contains("Phase 1:"),
            "{choice:?}: {made}"
        );
    }
}

#[test]
fn what_is_chosen_for_a_run_stands_over_the_settings_also_when_it_is_said_later() {
    let story = story();
    let run = |options: &[&str]| {
        let hash = hash(&story);
        story.dbs(&[&["run", "plan/MASTER.md", "--trust", &hash], options].concat());
        story.dbs(&["events", "--json"])
    };
    let events = run(&["--context-threshold", "60"]);
    assert!(
        events.contains(r#""options":{"context_threshold":60}"#),
        "{events}"
    );
    let events = run(&["--max-restarts", "1", "--no-auto-commit"]);
    assert!(events.contains(r#""context_restarts":1"#), "{events}");
    assert!(events.contains(r#""auto_commit":false"#), "{events}");
    let events = run(&["--no-auto-commit", "--auto-commit"]);
    assert!(events.contains(r#""auto_commit":true"#), "{events}");
    let events = run(&["--parallel", "2"]);
    assert!(events.contains(r#""at_once":2"#), "{events}");
    let refused = said(&story.run(&["run", "--parallel", "plan/MASTER.md"]));
    assert!(refused.contains("the plan stands before it"), "{refused}");
}

#[test]
fn a_plan_is_not_begun_while_files_are_changed_and_not_committed_unless_a_person_says_so() {
    let story = story();
    let hash = hash(&story);
    let project = story.project();
    fs::write(project.join("tracked.txt"), "one\n").unwrap();
    story.git(&project, &["add", "tracked.txt"]);
    story.git(&project, &["commit", "-qm", "one more file"]);
    fs::write(project.join("tracked.txt"), "two\n").unwrap();
    let refused = said(&story.run(&["run", "plan/MASTER.md", "--trust", &hash]));
    assert!(
        refused.contains(
            "agents work on commits, and these files have uncommitted changes: tracked.txt. Commit"
        ),
        "{refused}"
    );
    assert_eq!(story.dbs(&["task", "list", "--json"]).trim(), "[]");
    let made = story.dbs(&[
        "run",
        "plan/MASTER.md",
        "--trust",
        &hash,
        "--allow-dirty",
        "--json",
    ]);
    assert!(made.contains("invoice-1"), "{made}");
    fs::write(project.join("tracked.txt"), "one\n").unwrap();
    fs::write(project.join("notes.txt"), "mine\n").unwrap();
    let again = said(&story.run(&["run", "plan/MASTER.md", "--restart", "--trust", &hash]));
    assert!(again.contains("agents do not see it: notes.txt"), "{again}");
}

#[test]
fn an_edited_plan_is_shown_as_a_difference_and_taken_over_when_a_person_agrees() {
    let story = story();
    let first = hash(&story);
    story.dbs(&["run", "plan/MASTER.md", "--trust", &first]);
    let phase = story.project().join("plan/phase-2-1.md");
    let edited = SECOND
        .replace("test -e csv.txt &&", "test -s csv.txt &&")
        .replace("2.1: Make csv.txt", "2.1: Make csv.txt with a heading")
        .replace("**Depends On:** Phase 1\n", "");
    fs::write(&phase, &edited).unwrap();
    let shown = said(&story.run(&["run", "plan/MASTER.md", "--trust", &first]));
    for wanted in [
        "- gate csv: test -e csv.txt && test -e model.txt",
        "+ gate csv: test -s csv.txt && test -e model.txt",
        "- - [ ] 2.1: Make csv.txt",
        "+ - [ ] 2.1: Make csv.txt with a heading",
        "plan/phase-2-1.md:9: phase 2.1 gate csv: test -s csv.txt",
        "not the given one",
    ] {
        assert!(shown.contains(wanted), "{wanted}: {shown}");
    }
    assert!(!shown.contains("phase 1 gate model"), "it was agreed to: {shown}");
    let command = |story: &Story| task(story, "invoice-2.1")["gates"][0]["command"].clone();
    assert_eq!(command(&story), "test -e csv.txt && test -e model.txt");
    let second = hash(&story);
    story.dbs(&["run", "plan/MASTER.md", "--trust", &second]);
    assert_eq!(command(&story), "test -s csv.txt && test -e model.txt");
    let now = task(&story, "invoice-2.1");
    assert!(now["body"].as_str().unwrap().contains("with a heading"), "{now}");
    assert_eq!(
        now["deps"][0], "invoice-1",
        "the run was begun one phase after another: {now}"
    );
    let again = story.dbs(&["run", "plan/MASTER.md"]);
    assert!(again.contains("on the board as its files have it"), "{again}");
}

#[test]
fn a_plan_goes_on_where_it_stopped_or_begins_anew() {
    let story = story();
    let hash = hash(&story);
    story.dbs(&["run", "plan/MASTER.md", "--trust", &hash]);
    story.dbs(&["task", "park", "invoice-1", "not", "now"]);
    let stands = story.dbs(&["run", "plan/MASTER.md"]);
    assert!(
        stands.contains("parked: not now") && stands.contains("1 phase stopped; `--resume`"),
        "{stands}"
    );
    let resumed = story.dbs(&["run", "plan/MASTER.md", "--resume"]);
    assert!(resumed.contains("invoice-1 goes on"), "{resumed}");
    assert_eq!(task(&story, "invoice-1")["state"], "released");
    story.dbs(&["trust", "--forget"]);
    story.trust();
    let refused = said(&story.run(&["run", "plan/MASTER.md", "--restart"]));
    assert!(
        refused.contains("--trust"),
        "nothing is trusted any more: {refused}"
    );
    assert_eq!(task(&story, "invoice-1")["state"], "released");
    story.dbs(&["run", "plan/MASTER.md", "--restart", "--trust", &hash]);
    assert_eq!(task(&story, "invoice-1")["state"], "cancelled");
    assert_eq!(task(&story, "invoice-export-2-1")["batch"], "invoice-export-2");
    let stands = story.dbs(&["run", "plan/MASTER.md"]);
    assert!(
        stands.contains("invoice-export-2-2.1 Phase 2.1: CSV writer  released"),
        "{stands}"
    );
    let n_runs = |words: &[&str]| {
        let text = story.dbs(&[&["history", "--json"], words].concat());
        serde_json::from_str::<Value>(&text)
            .unwrap()
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!([n_runs(&[]), n_runs(&["--limit", "1"])], [2, 1]);
}

#[test]
#[cfg(unix)]
fn a_phase_that_is_a_link_to_a_file_elsewhere_is_not_read() {
    let story = story();
    let phase = story.project().join("plan/phase-1.md");
    fs::remove_file(&phase).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &phase).unwrap();
    let found = said(&story.run(&["audit", "plan/MASTER.md"]));
    assert!(
        found.contains("a link to a file outside of the folder of the plan (PHASE_NOT_FOUND)"),
        "{found}"
    );
}

#[test]
fn a_plan_that_names_a_large_file_again_and_again_is_refused() {
    let story = story();
    let folder = story.project().join("plan");
    let block = format!("```\n{}\n```\n", "x".repeat(3_000_000));
    fs::write(folder.join("phase-1.md"), format!("{FIRST}{block}")).unwrap();
    let rows: Vec<String> = (0..20)
        .map(|n| format!("| {n} | [Again](phase-1.md) | | | |"))
        .collect();
    let table = MASTER.split("| 1 |").next().unwrap();
    fs::write(folder.join("MASTER.md"), format!("{table}{}\n", rows.join("\n"))).unwrap();
    let found = said(&story.run(&["audit", "plan/MASTER.md"]));
    assert!(
        found.contains("have more than 16777216 bytes together"),
        "{}",
        &found[..500.min(found.len())]
    );
}

#[test]
fn another_plan_with_the_same_first_word_gets_longer_ids() {
    let story = story();
    let hash = hash(&story);
    story.dbs(&["run", "plan/MASTER.md", "--trust", &hash]);
    let folder = story.project().join("plan");
    fs::write(
        folder.join("OTHER.md"),
        MASTER.replace("Invoice export", "Invoice import"),
    )
    .unwrap();
    let made = story.dbs(&["run", "plan/OTHER.md", "--trust", &hash]);
    assert!(
        made.contains("invoice-import-2.1  Phase 2.1: CSV writer"),
        "{made}"
    );
}

#[test]
fn a_new_plan_is_made_from_a_template_and_never_over_another() {
    let story = story();
    let unproved = story.dbs(&["init", "Unproved"]);
    assert!(
        unproved.contains("`dbs config gates.tests 'make test'`"),
        "{unproved}"
    );
    let audited = said(&story.run(&["audit", "plans/unproved"]));
    assert!(audited.contains("gate tests has no command"), "{audited}");
    story.configure("[gates]\ntest = \"true\"\n");
    let own = story.project().join(".debussy/plans");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("notes.md"), "# Ours: {feature}\n").unwrap();
    story.trust();
    let made = story.dbs(&["init", "Invoice export", "--phases", "2", "--template", "backend"]);
    assert!(made.contains("plans/invoice-export/phase-2.md"), "{made}");
    let notes = story.project().join("plans/invoice-export/NOTES_TEMPLATE.md");
    assert_eq!(fs::read_to_string(notes).unwrap(), "# Ours: Invoice export\n");
    let audit = || story.run(&["audit", "plans/invoice-export/MASTER_PLAN.md", "--strict"]);
    let unwritten = audit();
    assert_eq!(unwritten.status.code(), Some(2));
    assert!(
        said(&unwritten).contains("phase 2 still has the text of the template"),
        "{}",
        said(&unwritten)
    );
    for phase in ["phase-1.md", "phase-2.md"] {
        let file = story.project().join("plans/invoice-export").join(phase);
        let text = fs::read_to_string(&file).unwrap();
        let (before, after) = text.split_once("What this phase adds").unwrap();
        let (_, below) = after.split_once('\n').unwrap();
        fs::write(&file, format!("{before}Invoices leave as CSV.\n{below}")).unwrap();
    }
    assert_eq!(audit().status.code(), Some(0), "{}", said(&audit()));
    let again = said(&story.run(&["init", "Invoice export"]));
    assert!(again.contains("is there already"), "{again}");
}

#[test]
fn a_plan_with_an_error_is_audited_shown_and_not_run() {
    let story = story();
    let phase = story.project().join("plan/phase-1.md");
    fs::write(&phase, FIRST.replace(" (command: `test -e model.txt`)", "")).unwrap();
    let audit = story.run(&["audit", "plan/MASTER.md", "--json"]);
    assert_eq!(audit.status.code(), Some(1));
    let found: Value = serde_json::from_slice(&audit.stdout).unwrap();
    assert_eq!(found["diagnostics"][0]["code"], "MISSING_GATE_COMMAND", "{found}");
    assert_eq!(found["diagnostics"][0]["line"], 10, "{found}");
    let refused = said(&story.run(&["run", "plan/MASTER.md", "--trust", "x"]));
    assert!(
        refused.contains("could not run the plan: it has errors; fix those listed above"),
        "{refused}"
    );
    // The project's own gate of that name provides the command.
    story.configure("[gates]\nmodel = \"test -e model.txt\"\n");
    story.trust();
    assert_eq!(
        story.run(&["audit", "plan/MASTER.md", "--strict"]).status.code(),
        Some(0)
    );
}
