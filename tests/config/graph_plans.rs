//! Graph plans as they are read: the rules for each field, and those between tasks.

use std::path::Path;

use dbs::formats::finding::FindingLevel;
use dbs::formats::graph_plan::{self, GraphPlan, GraphStatus, GraphTaskKind};
use serde_json::{Value, json};

/// A task without a mistake.
pub(crate) fn task(subject: &str, needs: &[usize], makes: &str) -> Value {
    json!({
        "subject": subject, "description": "The next task needs it.", "activeForm": "Working", "status": "pending",
        "result": null, "attempts": 0, "blockedBy": needs,
        "metadata": { "type": "implementation", "files": { "create": [makes], "modify": [] }, "reads": [] },
        "agent": {
            "role": "library developer", "model": "sonnet", "approach": "row by row",
            "contextFiles": [],
            "assumptions": [{ "claim": "the library is there", "verify": "test -f src/lib.rs", "severity": "blocking" }],
            "acceptanceCriteria": [{ "criterion": "its tests pass", "check": "cargo test csv" }],
            "rollbackTriggers": ["the library is missing"], "constraints": []
        }
    })
}

pub(crate) fn plan(tasks: &[Value]) -> Value {
    json!({
        "schemaVersion": 3, "goal": "Export invoices",
        "context": { "stack": "Rust", "conventions": "rustfmt", "testCommand": "cargo test", "buildCommand": "cargo build", "lsp": { "available": ["rust-analyzer"] } },
        "progress": { "completedTasks": [], "surprises": [], "decisions": [] },
        "tasks": tasks
    })
}

fn read_text(text: &str) -> GraphPlan {
    graph_plan::read(Path::new("plan.json"), text, &|path| path == "src/lib.rs")
}

fn read(plan: &Value) -> GraphPlan {
    read_text(&serde_json::to_string_pretty(plan).unwrap())
}

/// Codes and paths of the findings.
fn found(plan: &Value) -> Vec<(&'static str, String)> {
    let findings = read(plan).findings.into_iter();
    findings.map(|found| (found.code, found.path)).collect()
}

/// Codes of the findings that are errors.
fn errors(plan: &Value) -> Vec<&'static str> {
    let all = read(plan).findings.into_iter();
    all.filter(|finding| finding.severity == FindingLevel::Error)
        .map(|finding| finding.code)
        .collect()
}

/// Findings in a plan of two tasks, the second behind the first, after a change of the first.
fn found_with(pointer: &str, value: Value) -> Vec<(&'static str, String)> {
    let mut plan = plan(&[
        task("Writer", &[], "src/csv.rs"),
        task("Command", &[0], "src/cli.rs"),
    ]);
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = plan.pointer_mut(&format!("/tasks/0{parent}")).unwrap();
    if value.is_null() {
        parent.as_object_mut().unwrap().remove(key).unwrap();
    } else {
        parent[key] = value;
    }
    found(&plan)
}

#[test]
fn a_graph_plan_is_read_with_all_it_says_of_its_tasks() {
    let mut second = task("Command", &[0], "src/cli/export.rs");
    second["status"] = json!("in_progress");
    second["metadata"]["type"] = json!("testing");
    second["metadata"]["files"]["modify"] = json!(["./src//lib.rs", "docs/"]);
    second["metadata"]["reads"] = json!(["src/csv.rs"]);
    second["agent"]["contextFiles"] =
        json!([{ "path": "src/csv.rs", "reason": "what it calls", "lines": "1-20" }]);
    second["agent"]["expertise"] = json!("clap");
    second["agent"]["priorArt"] = json!("the import command");
    second["agent"]["fallback"] = json!("a flag of the list command");
    let mut whole = plan(&[task("Writer", &[], "src/csv.rs"), second]);
    whole["tasks"][0]["metadata"]["files"]["create"] = json!(["src/csv.rs", "docs/csv.md"]);
    let read = read(&whole);
    assert_eq!(read.findings, []);
    assert_eq!(
        (read.goal.as_str(), read.context.test_command.as_str()),
        ("Export invoices", "cargo test")
    );
    assert_eq!(read.context.lsp, ["rust-analyzer"]);
    let [first, second] = read.tasks.as_slice() else {
        panic!("{read:?}")
    };
    assert_eq!(
        (first.subject.as_str(), first.status),
        ("Writer", GraphStatus::Pending)
    );
    assert_eq!(
        (second.status, second.kind),
        (GraphStatus::InProgress, GraphTaskKind::Testing)
    );
    assert_eq!(second.needs, [0].into());
    assert_eq!(
        second.paths.modify,
        ["src/lib.rs", "docs/"],
        "paths have the form of git"
    );
    assert_eq!(
        (second.agent.model, second.agent.role.as_str()),
        (Some("sonnet"), "library developer")
    );
    assert_eq!(second.agent.context_files[0].lines, "1-20");
    assert_eq!(second.agent.fallback, "a flag of the list command");
    assert_eq!(graph_plan::depths(&read.tasks), [1, 2]);
    assert!(
        first.line > 1 && second.line > first.line,
        "{} {}",
        first.line,
        second.line
    );
}

#[test]
fn only_version_three_is_read_and_a_plan_has_a_task() {
    let mut old = plan(&[task("Writer", &[], "src/csv.rs")]);
    old["schemaVersion"] = json!(2);
    let findings = read(&old).findings;
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].code, "SCHEMA_VERSION");
    assert!(findings[0].text.contains("says 2; version 3"), "{findings:?}");
    for text in ["{}", "[]", "{\"tasks\": []}", "", "{\"schemaVersion\": 3,"] {
        let findings = read_text(text).findings;
        assert_eq!(findings.len(), 1, "{text}: {findings:?}");
    }
    assert_eq!(found(&plan(&[])), [("NO_TASKS", "$.tasks".to_owned())]);
    assert_eq!(errors(&old), ["SCHEMA_VERSION"]);
}

/// A field of a sound task, its new value, and the expected finding with its place; null removes the field.
const WRONG_FIELDS: &str = r#"
/subject | null | MISSING_FIELD | subject
/subject | " " | EMPTY | subject
/subject | "a\u001b[2J" | CONTROL_CHARACTER | subject
/description | null | MISSING_FIELD | description
/status | null | MISSING_FIELD | status
/status | "done" | UNKNOWN_WORD | status
/blockedBy | null | MISSING_FIELD | blockedBy
/blockedBy | ["1"] | WRONG_KIND | blockedBy[0]
/metadata | null | MISSING_FIELD | metadata
/metadata/type | "coding" | UNKNOWN_WORD | metadata.type
/metadata/files | null | MISSING_FIELD | metadata.files
/metadata/files/modify | ["../secret"] | BAD_PATH | metadata.files.modify[0]
/metadata/files/modify | ["/etc/passwd"] | BAD_PATH | metadata.files.modify[0]
/metadata/files/modify | ["./"] | BAD_PATH | metadata.files.modify[0]
/metadata/files/modify | ["src/*.rs"] | BAD_PATH | metadata.files.modify[0]
/metadata/reads | [".git/config"] | BAD_PATH | metadata.reads[0]
/agent/model | "gpt" | UNKNOWN_WORD | agent.model
/agent/model | null | MISSING_FIELD | agent.model
/agent/approach | null | MISSING_FIELD | agent.approach
/agent/assumptions | [] | NO_ASSUMPTION | agent.assumptions
/agent/rollbackTriggers | [] | NO_ROLLBACK_TRIGGER | agent.rollbackTriggers
/agent/acceptanceCriteria | [] | NO_CRITERIA | agent.acceptanceCriteria
/agent/acceptanceCriteria | [{"criterion":"x","check":"make \u202etset"}] | HIDDEN_CHARACTER | agent.acceptanceCriteria[0].check
/agent/acceptanceCriteria | [{"criterion":"x","check":"make\ntest"}] | CONTROL_CHARACTER | agent.acceptanceCriteria[0].check
/agent/assumptions | [{"claim":"x","verify":"te\u200bst","severity":"blocking"}] | HIDDEN_CHARACTER | agent.assumptions[0].verify
/agent/assumptions | [{"claim":"x","verify":" ","severity":"blocking"}] | MISSING_FIELD | agent.assumptions[0].verify
/agent/assumptions | [{"claim":"x","severity":"blocking"}] | MISSING_FIELD | agent.assumptions[0].verify
/agent/constraints | "none" | WRONG_KIND | agent.constraints
/agent | "me" | WRONG_KIND | agent
"#;

#[test]
fn what_a_field_must_be_is_said_with_its_path() {
    for line in WRONG_FIELDS.trim().lines() {
        let [pointer, value, code, path] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let told = found_with(pointer, serde_json::from_str(value).unwrap());
        let path = format!("$.tasks[0].{path}");
        assert!(
            told.iter().any(|found| found.0 == code && found.1 == path),
            "{line}: {told:?}"
        );
    }
    let long = found_with("/subject", json!("x".repeat(501)));
    assert_eq!(long, [("TOO_LONG", "$.tasks[0].subject".to_owned())]);
}

#[test]
fn tasks_wait_for_tasks_that_are_there_and_not_in_a_circle() {
    let chain = |needs: &[&[usize]]| {
        let tasks = needs.iter().enumerate();
        let tasks = tasks.map(|(at, needs)| task("A task", needs, &format!("src/{at}.rs")));
        plan(&tasks.collect::<Vec<_>>())
    };
    let at = |task: usize| format!("$.tasks[{task}].blockedBy");
    assert_eq!(found(&chain(&[&[0]])), [("MISSING_DEPENDENCY", at(0))]);
    assert_eq!(found(&chain(&[&[], &[2]])), [("MISSING_DEPENDENCY", at(1))]);
    assert_eq!(
        found(&chain(&[&[], &[3], &[1], &[2], &[1]])),
        [("CIRCULAR_DEPENDENCY", at(1))]
    );
    assert_eq!(found(&chain(&[&[1], &[]])), [], "a task may wait for a later one");
    assert_eq!(found(&chain(&[&[], &[0], &[1], &[2]])), []);
    assert_eq!(
        found(&chain(&[&[], &[0], &[1], &[2], &[3]])),
        [("LONG_CHAIN", at(4))]
    );
    assert_eq!(found(&chain(&[&[] as &[usize]; 12])), []);
    assert_eq!(
        found(&chain(&[&[] as &[usize]; 13])),
        [("MANY_TASKS", "$.tasks[0]".to_owned())]
    );
    assert_eq!(errors(&chain(&[&[0]])), ["MISSING_DEPENDENCY"]);
    assert_eq!(errors(&chain(&[&[1], &[0]])), ["CIRCULAR_DEPENDENCY"]);
    let none: [&str; 0] = [];
    assert_eq!(errors(&chain(&[&[], &[0], &[1], &[2], &[3]])), none);
    assert_eq!(errors(&chain(&[&[] as &[usize]; 13])), none);
}

#[test]
fn tasks_that_may_be_worked_on_together_touch_no_path_of_each_other() {
    let pair = |needs: &[usize], first: (&str, &str), second: (&str, &str)| {
        let mut tasks = [task("First", &[], first.0), task("Second", needs, second.0)];
        for (task, reads) in tasks.iter_mut().zip([first.1, second.1]) {
            let reads: Vec<&str> = reads.split_whitespace().collect();
            task["metadata"]["reads"] = json!(reads);
        }
        tasks
    };
    let codes = |tasks: &[Value]| found(&plan(tasks));
    let writes = [("WRITE_OVERLAP", "$.tasks[1].metadata.files".to_owned())];
    assert_eq!(codes(&pair(&[], ("src/a.rs", ""), ("./src//a.rs", ""))), writes);
    assert_eq!(
        codes(&pair(&[], ("src/", ""), ("src/a.rs", ""))),
        writes,
        "a folder includes its files"
    );
    assert_eq!(codes(&pair(&[], ("src/a.rs", ""), ("src", ""))), writes);
    assert_eq!(
        codes(&pair(&[], ("src/a", ""), ("src/a.rs", ""))),
        [],
        "a name that is the prefix of another is no folder"
    );
    assert_eq!(
        codes(&pair(&[0], ("src/a.rs", ""), ("src/a.rs", ""))),
        [],
        "one waits for the other"
    );
    let read_and_made = plan(&pair(&[], ("src/a.rs", ""), ("b.rs", "src/a.rs")));
    assert_eq!(errors(&read_and_made), ["READ_OVERLAP"]);
    let shared = plan(&pair(&[], ("src/a.rs", ""), ("src/a.rs", "")));
    let shared = graph_plan::read(Path::new("plan.json"), &shared.to_string(), &|_| true);
    assert_eq!(
        shared.findings[0].severity,
        FindingLevel::Warning,
        "the board puts the tasks in order"
    );
    let reads = |task: usize| [("READ_OVERLAP", format!("$.tasks[{task}].metadata.reads"))];
    assert_eq!(
        codes(&pair(&[], ("src/a.rs", ""), ("b.rs", "src/a.rs"))),
        reads(1)
    );
    assert_eq!(codes(&pair(&[], ("src/a.rs", "b.rs"), ("b.rs", ""))), reads(0));
    assert_eq!(codes(&pair(&[0], ("src/a.rs", "b.rs"), ("b.rs", ""))), []);
    let mut turned = pair(&[], ("src/a.rs", ""), ("src/a.rs", ""));
    turned[0]["blockedBy"] = json!([1]);
    assert_eq!(codes(&turned), [], "the first task waits for the second");
    // A third task between them makes one wait for the other, too.
    let mut through = pair(&[], ("src/a.rs", ""), ("src/b.rs", "")).to_vec();
    through.push(task("Third", &[1], "src/a.rs"));
    through[1]["blockedBy"] = json!([0]);
    assert_eq!(codes(&through), []);
    let mut over = pair(&[], ("src/a.rs", ""), ("src/a.rs", ""));
    over[0]["status"] = json!("completed");
    assert_eq!(codes(&over), [], "a finished task conflicts with no other");
}

#[test]
fn what_is_to_be_changed_is_there_or_is_made_before_and_checks_can_fail() {
    let modify = |path: &str| found_with("/metadata/files/modify", json!([path]));
    assert_eq!(modify("src/lib.rs"), []);
    let missing = [("MISSING_FILE", "$.tasks[0].metadata.files.modify".to_owned())];
    assert_eq!(modify("src/gone.rs"), missing);
    let mut two = plan(&[
        task("Writer", &[], "src/csv.rs"),
        task("Command", &[0], "src/cli.rs"),
    ]);
    two["tasks"][1]["metadata"]["files"]["modify"] = json!(["src/csv.rs"]);
    two["tasks"][1]["agent"]["contextFiles"] = json!([{ "path": "src/other.rs", "reason": "x" }]);
    assert_eq!(
        found(&two),
        [("MISSING_FILE", "$.tasks[1].agent.contextFiles".to_owned())]
    );
    let criteria = json!([{ "criterion": "it works", "check": "cargo test || true" }]);
    let weak = (
        "WEAK_CHECK",
        "$.tasks[0].agent.acceptanceCriteria[0].check".to_owned(),
    );
    assert_eq!(found_with("/agent/acceptanceCriteria", criteria), [weak]);
    let criteria =
        json!([{ "criterion": "it works", "check": "cargo test" }, { "criterion": "it looks right" }]);
    let soft = (
        "SOFT_CRITERION",
        "$.tasks[0].agent.acceptanceCriteria[1].check".to_owned(),
    );
    assert_eq!(found_with("/agent/acceptanceCriteria", criteria), [soft]);
}

#[test]
fn a_completed_task_may_be_trimmed() {
    let mut trimmed = plan(&[
        task("Writer", &[], "src/csv.rs"),
        task("Command", &[0], "src/cli.rs"),
    ]);
    trimmed["tasks"][0] = json!({
        "subject": "Writer", "status": "completed", "result": "done", "blockedBy": [],
        "metadata": { "files": { "create": ["src/csv.rs"], "modify": [] } },
        "agent": { "role": "library developer", "model": "sonnet" }
    });
    assert_eq!(found(&trimmed), []);
    trimmed["tasks"][0]["status"] = json!("pending");
    assert!(!found(&trimmed).is_empty());
}

#[test]
fn too_much_that_is_wrong_is_cut_and_is_an_error_itself() {
    let mut many = task("A task", &[], "src/csv.rs");
    let bad: Vec<String> = (0..50).map(|n| format!("../{n}")).collect();
    many["metadata"]["files"] = json!({ "create": bad, "modify": bad });
    let read = read(&plan(&vec![many; 100]));
    assert_eq!(read.findings.len(), 1_001);
    assert_eq!(read.findings.last().unwrap().code, "TOO_MANY_FINDINGS");
    let more = vec![task("A task", &[], "src/csv.rs"); 101];
    assert_eq!(found(&plan(&more)), [("TOO_MANY", "$.tasks".to_owned())]);
}
