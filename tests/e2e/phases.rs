//! Stories of a plan that somebody waits for without a screen: how it ends, and what goes wrong on its way.

use std::fs;

use crate::driver::{Story, said};
use crate::plans::{FIRST, MASTER, hash, story, story_of, task};

/// Runs the plan and waits for its end; what was printed, and the exit code.
fn wait_for_end(story: &Story, options: &[&str]) -> (String, Option<i32>) {
    let hash = hash(story);
    let words = ["run", "plan/MASTER.md", "--headless", "--trust", &hash];
    let output = story.run(&[&words, options].concat());
    (said(&output), output.status.code())
}

#[test]
fn a_plan_is_waited_for_line_by_line_and_says_which_command_goes_on() {
    let story = story();
    let (text, code) = wait_for_end(&story, &["--output", "both"]);
    assert_eq!(code, Some(5), "a phase waits for approval: {text}");
    for wanted in [
        "phased plan: Invoice export, 2 phases one after another",
        "invoice-2.1  Phase 2.1: CSV writer  Pending, waits for invoice-1",
        "gate model failed",
        "invoice-1 attempt 1 writes to ",
        "invoice-1 | DEMO · scripted agent",
        "invoice-1 Work → Merge",
        "invoice-2.1 waits for approval: `dbs approve invoice-2.1`",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    assert!(
        !text.contains("ends after 3 failed checks"),
        "no terminal: {text}"
    );
    story.dbs(&["approve", "invoice-2.1"]);
    let (text, code) = wait_for_end(&story, &[]);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("invoice-export completed") && text.contains("2 of 2 done"),
        "{text}"
    );
    assert!(!text.contains(" | "), "output goes to its log: {text}");
    story.dbs(&["stop", "--all"]);
}

#[test]
fn a_plan_that_cannot_begin_says_by_its_exit_code_whether_it_or_the_project_is_not_ready() {
    let story = story();
    let project = story.project();
    fs::write(project.join("tracked.txt"), "one\n").unwrap();
    story.git(&project, &["add", "tracked.txt"]);
    story.git(&project, &["commit", "-qm", "one more file"]);
    fs::write(project.join("tracked.txt"), "two\n").unwrap();
    let (text, code) = wait_for_end(&story, &[]);
    assert_eq!(code, Some(4), "{text}");
    assert!(text.contains("changed and not committed"), "{text}");
    fs::write(
        project.join("plan/phase-1.md"),
        FIRST.replace("## Gates", "## Other"),
    )
    .unwrap();
    let output = story.run(&["run", "plan/MASTER.md", "--headless"]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(!story.is_live(), "nothing was started");
}

#[test]
fn a_phase_whose_gate_fails_three_times_ends_the_run_with_1_and_its_dependents_wait() {
    let story = story_of(
        r##"
[[part]]
steps = [
  { signal = "claim" },
  { write = "notes/NOTES_export_phase_1.md", text = "# Summary\n# Key Decisions\n# Files Modified\n{n}\n" },
  { signal = "progress", text = "pre_validation:completed" },
  { signal = "done", text = "Worked." },
]
"##,
    );
    let (text, code) = wait_for_end(&story, &[]);
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("invoice-1 failed: ") && text.contains("`dbs retry invoice-1`"),
        "{text}"
    );
    assert!(text.contains("invoice-2.1 waits for"), "{text}");
    assert_eq!(task(&story, "invoice-1")["tries"]["work"], 3);
    story.dbs(&["stop", "--all"]);
}

#[test]
fn what_the_board_knows_is_written_into_the_files_when_asked_and_not_over_a_newer_text() {
    let story = story();
    let refused = said(&story.run(&["plan", "write-back", "plan/MASTER.md"]));
    assert!(refused.contains("the plan is not on the board"), "{refused}");
    let folder = story.project().join("plan");
    let marked = format!("\u{feff}{}", MASTER.replace('\n', "\r\n"));
    fs::write(folder.join("MASTER.md"), &marked).unwrap();
    let (_, code) = wait_for_end(&story, &[]);
    assert_eq!(code, Some(5));
    let named = story.dbs(&["plan", "write-back", "plan/MASTER.md", "--dry-run"]);
    assert!(
        named.contains("2 files to be changed: plan/MASTER.md, plan/phase-1.md"),
        "{named}"
    );
    assert_eq!(fs::read_to_string(folder.join("MASTER.md")).unwrap(), marked);
    story.dbs(&["plan", "write-back", "plan/MASTER.md"]);
    let now = fs::read_to_string(folder.join("MASTER.md")).unwrap();
    let wanted = marked
        .replace("| Low | Pending |", "| Low | Completed |")
        .replace("| High | Pending |", "| High | Awaiting |");
    assert_eq!(now, wanted);
    let phase = fs::read_to_string(folder.join("phase-1.md")).unwrap();
    assert_eq!(phase, FIRST.replace("- [ ] 1.1", "- [x] 1.1"));
    let again = story.dbs(&["plan", "write-back", "plan/MASTER.md"]);
    assert!(again.contains("say already what the board knows"), "{again}");
    let elsewhere = story.root().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::rename(&folder, elsewhere.join("plan")).unwrap();
    std::os::unix::fs::symlink(elsewhere.join("plan"), &folder).unwrap();
    fs::write(folder.join("MASTER.md"), &marked).unwrap();
    let refused = said(&story.run(&["plan", "write-back", "plan/MASTER.md"]));
    assert!(refused.contains("it is outside of the project"), "{refused}");
    assert_eq!(fs::read_to_string(folder.join("MASTER.md")).unwrap(), marked);
    story.dbs(&["stop", "--all"]);
}
