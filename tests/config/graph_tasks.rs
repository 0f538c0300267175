//! The tasks made of a graph plan: the text for each, its dependencies, and the parts that are left out.

use std::path::Path;

use dbs::domain::{Cause, MAX_TEXT_BYTES, StageId, TaskDraft};
use dbs::formats::graph_plan;
use dbs::formats::plan::{self, PhaseStatus, Plan, PlanChoices, PlanKind};
use serde_json::{Value, json};

use crate::graph_plans::{plan, task};

/// The plan of this document in a folder with these files.
fn read(document: &Value, files: &[&str]) -> Plan {
    let exists = |path: &str| files.contains(&path);
    let text = document.to_string();
    plan::graph(&graph_plan::read(Path::new("plan.json"), &text, &exists), &exists)
}

fn drafts(plan: &Plan) -> Result<Vec<TaskDraft>, Cause> {
    let path = |path: &Path| path.display().to_string();
    plan::drafts(plan, &PlanChoices::default(), &|_| String::new(), &path)
}

#[test]
fn tasks_wait_for_what_they_name_and_for_nothing_else() {
    let mut tasks = [
        task("Writer", &[2], "src/csv.rs"),
        task("Reader", &[], "src/read.rs"),
        task("Model", &[], "src/model.rs"),
    ];
    let soft = json!({ "criterion": "it reads well" });
    let criteria = tasks[0]["agent"]["acceptanceCriteria"].as_array_mut().unwrap();
    criteria.insert(0, soft);
    let made = drafts(&read(&plan(&tasks), &[])).unwrap();
    let of = |id: &str| made.iter().find(|draft| draft.id.as_str() == id).unwrap();
    assert_eq!(made.len(), 3);
    assert_eq!(of("export-0").deps, ["export-2".into()].into());
    assert!(of("export-1").deps.is_empty() && of("export-2").deps.is_empty());
    let writer = of("export-0");
    assert_eq!(
        (writer.workflow.as_str(), writer.title.as_str()),
        ("graph", "Writer")
    );
    assert_eq!(writer.agent.model.as_deref(), Some("sonnet"));
    let gates: Vec<(&str, &str)> = writer
        .gates
        .iter()
        .map(|gate| (gate.name.as_str(), gate.command.as_str()))
        .collect();
    assert_eq!(
        gates,
        [("criterion-2", "cargo test csv")],
        "a criterion without a command is not a gate"
    );
    let entry = writer.plan.as_ref().unwrap();
    assert_eq!(entry.paths.create, ["src/csv.rs"]);
    assert_eq!(
        (entry.source.plan.as_str(), entry.source.item.as_str()),
        ("plan.json", "0")
    );
    assert_eq!(entry.criteria, ["it reads well", "its tests pass"]);
}

#[test]
fn a_task_that_touches_no_file_only_looks() {
    let mut look = task("Look", &[0], "nothing");
    look["metadata"]["files"] = json!({ "create": [], "modify": [] });
    let made = drafts(&read(&plan(&[task("Writer", &[], "src/csv.rs"), look]), &[])).unwrap();
    let stages: Vec<Option<&str>> = made
        .iter()
        .map(|draft| draft.stage.as_ref().map(StageId::as_str))
        .collect();
    assert_eq!(stages, [None, Some("checking")]);
}

#[test]
fn the_merge_of_a_task_is_called_by_its_kind_of_work() {
    let word = |kind: &str| {
        let mut task = task("Add the writer", &[], "src/csv.rs");
        task["metadata"]["type"] = json!(kind);
        let made = drafts(&read(&plan(&[task]), &[])).unwrap();
        made[0].plan.as_ref().unwrap().commit.clone().unwrap()
    };
    assert_eq!(word("implementation"), "feat: add the writer");
    assert_eq!(word("research"), "docs: add the writer");
    assert_eq!(word("testing"), "test: add the writer");
    assert_eq!(word("configuration"), "chore: add the writer");
}

#[test]
fn an_agent_is_told_everything_the_plan_says_of_its_task() {
    let mut writer = task("Writer", &[], "src/csv.rs");
    writer["metadata"]["type"] = json!("research");
    writer["metadata"]["files"]["modify"] = json!(["src/lib.rs"]);
    writer["metadata"]["reads"] = json!(["src/model.rs"]);
    writer["agent"]["contextFiles"] =
        json!([{ "path": "src/list.rs", "reason": "how it writes", "lines": "10-20" }]);
    writer["agent"]["expertise"] = json!("formats of tables");
    writer["agent"]["priorArt"] = json!("the JSON writer");
    writer["agent"]["fallback"] = json!("write by hand");
    writer["agent"]["constraints"] = json!(["no new dependency"]);
    let more =
        json!({ "claim": "the model is public.", "verify": "grep pub src/model.rs", "severity": "warning" });
    writer["agent"]["assumptions"].as_array_mut().unwrap().push(more);
    let made = drafts(&read(&plan(&[writer]), &["src/lib.rs"])).unwrap();
    let body = &made[0].body;
    for said in [
        "Part of a plan whose goal is: Export invoices\n\nThe next task needs it.\n\n",
        "You work on it as library developer. What that asks of you: formats of tables",
        "- blocking: the library is there. Shown by: `test -f src/lib.rs`\n",
        "- warning: the model is public. Shown by: `grep pub src/model.rs`\n- blocking: src/lib.rs exists.",
        "Read first:\n\n- src/list.rs, lines 10-20: how it writes\n- src/model.rs: the task reads it.",
        "- made with: Rust\n- customs: rustfmt\n- tested with: `cargo test`\n- built with: `cargo build`\n- language servers that you can ask: rust-analyzer",
        "This is research: look for sources on the web too",
        "Approach:\n\n- row by row",
        "Prior art:\n\n- the JSON writer",
        "Files to be made:\n\n- src/csv.rs",
        "Files to be changed:\n\n- src/lib.rs",
        "Constraints:\n\n- no new dependency",
        "Stop at once when one of these is so:\n\n- the library is missing",
    ] {
        assert!(body.contains(said), "{said}\nin\n{body}");
    }
    assert!(
        !body.contains("write by hand"),
        "the other way is for a task that has failed: {body}"
    );
    let entry = made[0].plan.as_ref().unwrap();
    assert_eq!(entry.fallback.as_deref(), Some("write by hand"));
    let plain = drafts(&read(&plan(&[task("Writer", &[], "src/csv.rs")]), &[])).unwrap();
    assert!(!plain[0].body.contains("research") && !plain[0].body.contains("Read first"));
    let mut second = task("Command", &[0], "src/cli.rs");
    second["metadata"]["reads"] = json!(["src/csv.rs"]);
    let made = drafts(&read(&plan(&[task("Writer", &[], "src/csv.rs"), second]), &[])).unwrap();
    let body = &made[1].body;
    for said in [
        "- blocking: src/csv.rs exists; a task before this one makes or changes it.",
        "- What is called blocking above does not hold.",
    ] {
        assert!(body.contains(said), "{said}\nin\n{body}");
    }
}

#[test]
fn what_is_completed_is_left_out_as_long_as_its_files_are_there() {
    let mut tasks = [
        "completed",
        "in_progress",
        "failed",
        "blocked",
        "skipped",
        "pending",
    ]
    .map(|status| {
        let mut task = task(status, &[], &format!("{status}.rs"));
        task["status"] = json!(status);
        task
    });
    tasks[5]["blockedBy"] = json!([0]);
    let there = read(&plan(&tasks), &["completed.rs"]);
    assert_eq!(there.findings, []);
    let made = drafts(&there).unwrap();
    let ids: Vec<&str> = made.iter().map(|draft| draft.id.as_str()).collect();
    assert_eq!(ids, ["export-1", "export-2", "export-3", "export-4", "export-5"]);
    assert!(made[4].deps.is_empty(), "no task waits for one that is done");
    let gone = read(&plan(&tasks), &[]);
    let codes: Vec<&str> = gone.findings.iter().map(|found| found.code).collect();
    assert_eq!(codes, ["NOT_COMPLETED"]);
    assert_eq!(gone.items[0].status, PhaseStatus::Pending);
    assert_eq!(drafts(&gone).unwrap().len(), 6);
    let over = read(&plan(&tasks[..1]), &["completed.rs"]);
    assert_eq!(
        drafts(&over).unwrap_err().text,
        "nothing is left to do in this plan"
    );
}

#[test]
fn a_plan_that_is_wrong_is_not_carried_out_and_one_that_says_too_much_neither() {
    assert_eq!(read(&plan(&[]), &[]).kind, PlanKind::Graph);
    assert!(!read(&plan(&[]), &[]).is_sound());
    let mut long = task("Writer", &[], "src/csv.rs");
    let text = "x".repeat(20_000);
    let many = MAX_TEXT_BYTES / text.len() + 1;
    long["agent"]["constraints"] = json!(vec![text; many]);
    let read = read(&plan(&[long]), &[]);
    let codes: Vec<&str> = read.findings.iter().map(|found| found.code).collect();
    assert_eq!(codes, ["TOO_LONG"]);
    assert!(!read.is_sound());
}
