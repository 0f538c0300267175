//! Stories of a phased plan: from its files to the merged commits, with a gate that fails first and a phase that a person approves.

use std::fs;

use serde_json::Value;

use crate::driver::{Story, said};

const MASTER: &str = "# Invoice export - Master Plan

## Phases

| Phase | Title | Focus | Risk | Status |
|-------|-------|-------|------|--------|
| 1 | [Data model](phase-1.md) | tables | Low | Pending |
| 2.1 | [CSV writer](phase-2-1.md) | io | High | Pending |
";

const FIRST: &str = "# Invoice export Phase 1: Data model

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

/// The first phase forgets its file at first; the second does all at once.
const WORKERS: &str = r###"
[[part]]
role = "phase-worker"
task = "invoice-1"
attempt = 1
steps = [
  { signal = "claim" },
  { write = "notes/NOTES_export_phase_1.md", text = "## Summary\n## Key Decisions\n## Files Modified\n" },
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
  { write = "notes/NOTES_export_phase_2.1.md", text = "## Summary\n## Key Decisions\n## Files Modified\n" },
  { signal = "done", text = "Worked.", report = { steps_completed = ["read_previous_notes"] } },
]
"###;

fn story() -> Story {
    let story = Story::new(WORKERS);
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

fn task(story: &Story, id: &str) -> Value {
    let whole: Value = serde_json::from_str(&story.dbs(&["task", "show", id, "--json"])).unwrap();
    whole["task"].clone()
}

/// The hash of the plan's commands, as `--dry-run` shows it.
fn hash(story: &Story) -> String {
    let shown = story.dbs(&["run", "plan/MASTER.md", "--dry-run"]);
    let line = shown
        .lines()
        .find(|line| line.starts_with("hash of the gate commands: "));
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
        "to do: fix what the gate found",
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
    story.dbs(&["approve", "invoice-2.1"]);
    story.wait_until("the end of the plan", || story.count("done") == 2);
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
        refused.contains("not that one") && refused.contains("touch /tmp/owned"),
        "{refused}"
    );
    assert_eq!(
        story.dbs(&["task", "list", "--json"]).trim(),
        "[]",
        "nothing is on the board"
    );
    fs::write(&phase, FIRST).unwrap();
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
        again.contains("it is on the board already, invoice-2.1"),
        "it is there already: {again}"
    );
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
    let refused = said(&story.run(&["init", "Invoice export"]));
    assert!(refused.contains("set a check first"), "{refused}");
    story.configure("[gates]\ntest = \"true\"\n");
    story.trust();
    let made = story.dbs(&["init", "Invoice export", "--phases", "2", "--template", "backend"]);
    assert!(made.contains("plans/invoice-export/phase-2.md"), "{made}");
    let audit = story.run(&["audit", "plans/invoice-export/MASTER_PLAN.md", "--strict"]);
    assert_eq!(audit.status.code(), Some(0), "{}", said(&audit));
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
        refused.contains("could not run the plan: mend what is called an error"),
        "{refused}"
    );
    // The project's own gate of that name lends its command.
    story.configure("[gates]\nmodel = \"test -e model.txt\"\n");
    story.trust();
    assert_eq!(
        story.run(&["audit", "plan/MASTER.md", "--strict"]).status.code(),
        Some(0)
    );
}
