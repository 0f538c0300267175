//! Plans in forms that people write by hand: phases as headings of one file, and tables without links.

use std::path::Path;

use dbs::formats::plan::{self, PhaseStatus, Plan, PlanChoices};

fn read(text: &str) -> Plan {
    let mut open = |path: &Path| Err(format!("nothing asks for {}", path.display()));
    plan::read(Path::new("PLAN.md"), text, &[], &mut open)
}

/// Id, title, status and needs of each phase.
fn phases(plan: &Plan) -> Vec<(&str, &str, PhaseStatus, Vec<&str>)> {
    let phases = plan.items.iter().map(|item| {
        let needs = item.needs.iter().map(String::as_str).collect();
        (item.id.as_str(), item.title.as_str(), item.status, needs)
    });
    phases.collect()
}

/// The codes of all findings: one code per form, regardless of the number of phases.
fn codes(plan: &Plan) -> Vec<&str> {
    plan.findings.iter().map(|found| found.code).collect()
}

const HEADINGS: &str = "# Orders plan\n\n## Overview\n- [ ] not a task\n\n## Phase 1: Model ✅\n- [x] table\n\n\
## Phase 2: Export\nDepends on: Phase 1\n- [ ] writer\n- [ ] `tests`\n### Gates\n- unit: `cargo test`\n\n## Notes\nLast.\n";

#[test]
fn phases_are_read_from_headings_of_one_file() {
    let plan = read(HEADINGS);
    assert_eq!(
        (plan.title.as_str(), codes(&plan)),
        ("Orders plan", vec!["ONE_FILE"])
    );
    assert!(
        plan.findings[0].text.contains("`dbs convert PLAN.md`"),
        "{:?}",
        plan.findings
    );
    assert_eq!(plan.findings[0].line, 6);
    let wanted = [
        ("1", "Model", PhaseStatus::Completed, vec![]),
        ("2", "Export", PhaseStatus::Pending, vec!["1"]),
    ];
    assert_eq!(phases(&plan), wanted);
    assert_eq!(plan.items[1].gates[0].command.as_deref(), Some("cargo test"));
    let tasks = plan.items[1].tasks.iter().map(|task| task.text.as_str());
    assert_eq!(tasks.collect::<Vec<_>>(), ["writer", "tests"]);
    let section = HEADINGS.get(plan.items[1].section.clone().unwrap()).unwrap();
    assert!(
        section.starts_with("## Phase 2: Export\n") && section.ends_with("`cargo test`\n\n"),
        "{section:?}"
    );
}

#[test]
fn stages_with_a_status_line_and_ids_of_letters_are_phases() {
    let stages = read(
        "# P\n\n## Stage A: Model\n**Goal**: tables\n**Status**: Complete\n\n## Stage B: Export\n**Status**: Not Started\n**Depends on**: A\n",
    );
    let wanted = [
        ("A", "Model", PhaseStatus::Completed, vec![]),
        ("B", "Export", PhaseStatus::Pending, vec!["A"]),
    ];
    assert_eq!(
        (phases(&stages), codes(&stages)),
        (wanted.to_vec(), vec!["ONE_FILE"])
    );
    let ids = read("# P\n\n### P1 — Model\n- [x] a\n\n### P2_1 — Export\n- Dependencies: P1\n- [ ] b\n");
    let wanted = [
        ("P1", "Model", PhaseStatus::Completed, vec![]),
        ("P2_1", "Export", PhaseStatus::Pending, vec!["P1"]),
    ];
    assert_eq!(phases(&ids), wanted);
}

#[test]
fn a_table_without_links_is_a_plan_and_its_sections_belong_to_it() {
    let text = "# P\n\n| Phase | Title | Depends On | Status |\n|---|---|---|---|\n| 1 | Model | - | ✅ Done |\n| 2 | Server | 1 | Pending |\n\n## Phase 2: Server\n- [ ] routes\n";
    let plan = read(text);
    let wanted = [
        ("1", "Model", PhaseStatus::Completed, vec![]),
        ("2", "Server", PhaseStatus::Pending, vec!["1"]),
    ];
    assert_eq!((phases(&plan), codes(&plan)), (wanted.to_vec(), vec!["ONE_FILE"]));
    assert_eq!(plan.items[1].tasks.len(), 1);
    let rows = read("| # | Title |\n|---|---|\n| x y | a |\n| z z | b |\n| 3 | c |\n");
    assert_eq!(codes(&rows), ["PHASE_PARSE_ERROR", "ONE_FILE"]);
    assert!(
        rows.findings[0].text.ends_with("(2 rows like it)"),
        "{:?}",
        rows.findings
    );
}

#[test]
fn a_completed_section_gets_its_ticks_and_no_other_byte_changes() {
    let plan = read(HEADINGS);
    let done = |_: &plan::PlanItem| Some(PhaseStatus::Completed);
    let written = plan::with_statuses(&plan, HEADINGS, &done);
    let wanted = HEADINGS.replace("- [ ] writer\n- [ ] `tests`", "- [x] writer\n- [x] `tests`");
    assert_eq!(written, wanted);
}

#[test]
fn a_task_has_the_text_of_its_section_only() {
    let plan = read(HEADINGS);
    let body = |item: &plan::PlanItem| HEADINGS.get(item.section.clone().unwrap()).unwrap().to_owned();
    let path = |path: &Path| path.display().to_string();
    let drafts = plan::drafts(&plan, &PlanChoices::default(), &body, &path).unwrap();
    let source = &drafts[1].plan.as_ref().unwrap().source;
    assert_eq!(
        (source.file.as_str(), source.item.as_str(), source.line),
        ("PLAN.md", "2", 9)
    );
    assert!(!drafts[1].body.contains("Model"), "{}", drafts[1].body);
}
