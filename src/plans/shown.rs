//! A plan as people and programs read it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::domain::task::behind_failed;
use crate::domain::{Task, TaskDraft, TaskId, TaskState, counted, pluralized};
use crate::formats::finding::Finding;
use crate::formats::plan::{PhaseStatus, Plan, PlanDetail, PlanItem};
use crate::term::sanitize_command;

/// Returns the document of `--json` (docs/plans.md); these phases are left out of a run.
pub fn json(plan: &Plan, left_out: &BTreeSet<&str>) -> Value {
    let phases = plan.items.iter().map(|item| {
        let gates = item.gates.iter();
        let gates = gates.map(|gate| json!({ "name": gate.name, "command": gate.command, "requirement": gate.requirement, "blocking": gate.is_blocking, "line": gate.line }));
        let files = item.detail.as_ref().map(|detail| json!({ "create": detail.paths.create, "modify": detail.paths.modify }));
        let tasks = item.tasks.iter();
        let tasks = tasks.map(|task| json!({ "id": task.id, "text": task.text, "done": task.is_done, "line": task.line }));
        json!({
            "id": item.id, "title": item.title, "path": item.file, "needs": item.needs, "gates": gates.collect::<Vec<_>>(),
            "tasks": tasks.collect::<Vec<_>>(), "agents": item.agents, "notes": item.notes, "notes_before": item.notes_before,
            "told": item.told, "steps": item.steps, "status": item.status, "risk": item.risk, "approval": item.needs_approval,
            "files": files, "criteria": item.detail.as_ref().map(|detail| &detail.criteria),
            "left_out": left_out.contains(item.id.as_str()),
        })
    });
    let diagnostics = plan.findings.iter();
    let diagnostics = diagnostics.map(finding_json);
    json!({
        "kind": plan.kind, "title": plan.title, "phases": phases.collect::<Vec<_>>(),
        "diagnostics": diagnostics.collect::<Vec<_>>(),
    })
}

/// Returns the plan in lines for people.
pub fn lines(plan: &Plan) -> Vec<String> {
    lines_of_run(plan, &BTreeSet::new())
}

/// Returns the lines of a plan for a run that leaves these phases out.
pub fn lines_of_run(plan: &Plan, left_out: &BTreeSet<&str>) -> Vec<String> {
    let mut lines = Vec::new();
    // A document with no contents of a plan is not one.
    if !plan.items.is_empty() || plan.is_sound() {
        let items = plan.kind.items(plan.items.len());
        lines.push(format!("{}: {}, {items}", plan.kind.word(), plan.title));
    }
    for item in &plan.items {
        if left_out.contains(item.id.as_str()) {
            lines.push(format!("{:<6} {}  (left out)", item.id, item.title));
        } else {
            lines.extend(phase(item));
        }
    }
    let found = plan.findings.iter();
    lines.extend(found.map(finding_line));
    if plan.findings.is_empty() {
        lines.push("nothing is wrong with it".to_owned());
    }
    lines
}

/// Returns a finding for programs.
pub fn finding_json(finding: &Finding) -> Value {
    json!({ "code": finding.code, "severity": finding.severity, "file": finding.file, "line": finding.line, "text": finding.text })
}

/// Returns a finding for people.
pub fn finding_line(found: &Finding) -> String {
    format!("{found} ({})", found.code)
}

/// Returns the findings in a document for people.
pub fn finding_lines(findings: &[Finding]) -> Vec<String> {
    if findings.is_empty() {
        return vec!["nothing is wrong with it".to_owned()];
    }
    findings.iter().map(finding_line).collect()
}

fn phase(item: &PlanItem) -> Vec<String> {
    let done = item.tasks.iter().filter(|task| task.is_done).count();
    let work = match &item.detail {
        Some(detail) => said(item, detail),
        // Without a file of its own the plan is all that tells of it.
        None if item.file.is_none() && item.tasks.is_empty() => item.status.word().to_lowercase(),
        None => format!("{done} of {} done", pluralized(item.tasks.len(), "task")),
    };
    let mut lines = vec![format!(
        "{:<6} {}  ({work}{}{})",
        item.id,
        item.title,
        if item.needs.is_empty() {
            String::new()
        } else {
            format!(", waits for {}", item.needs.join(", "))
        },
        if item.needs_approval {
            ", needs approval"
        } else {
            ""
        },
    )];
    for gate in &item.gates {
        let command = gate.command.as_deref().unwrap_or("no command");
        lines.push(format!(
            "       gate {}: {}",
            gate.name,
            sanitize_command(command)
        ));
    }
    for told in &item.told {
        let (name, command) = (&told.name, sanitize_command(&told.command));
        lines.push(format!("       the agent is told to run {name}: {command}"));
    }
    let facts = [
        (
            "agents",
            (!item.agents.is_empty()).then(|| item.agents.join(", ")),
        ),
        ("steps", (!item.steps.is_empty()).then(|| item.steps.join(", "))),
        ("notes", item.notes.clone()),
        ("reads", item.notes_before.clone()),
    ];
    for (what, value) in facts {
        lines.extend(value.map(|value| format!("       {what}: {value}")));
    }
    lines
}

/// Returns the details of an item that has no file, in a few words.
fn said(item: &PlanItem, detail: &PlanDetail) -> String {
    let criteria = counted(detail.criteria.len(), "criterion", "criteria");
    let Some(story) = &detail.story else {
        let files = [("makes", &detail.paths.create), ("changes", &detail.paths.modify)];
        let files = files.into_iter().filter(|(_, paths)| !paths.is_empty());
        let files = files.map(|(what, paths)| format!(", {what} {}", paths.join(" ")));
        let done = if item.status == PhaseStatus::Completed {
            ", done"
        } else {
            ""
        };
        return format!("{criteria}{}{done}", files.collect::<String>());
    };
    let tests = match (item.status, story.is_tested) {
        (PhaseStatus::Completed, _) => ", passes",
        (_, true) => ", which are there",
        (_, false) => "",
    };
    format!("{criteria}, tests in {}{tests}", story.tests.file)
}

/// Returns new phases as a table: task, title, status in the plan, and the phases each waits for (P19).
pub fn table(drafts: &[TaskDraft], plan: &Plan) -> Vec<String> {
    let line = |draft: &TaskDraft| {
        let phase = draft.plan.as_ref().map(|entry| entry.source.item.as_str());
        let item = plan.items.iter().find(|item| Some(item.id.as_str()) == phase);
        let status = item.map_or("", |item| item.status.word());
        let needs: Vec<&str> = draft.deps.iter().map(TaskId::as_str).collect();
        let waits = if needs.is_empty() {
            String::new()
        } else {
            format!(", waits for {}", needs.join(", "))
        };
        format!("{}  {}  {status}{waits}", draft.id, draft.title)
    };
    drafts.iter().map(line).collect()
}

/// Returns the states of the phases of a plan on the board, a line each.
pub fn standing<'a>(tasks: impl Iterator<Item = &'a Arc<Task>>) -> Vec<String> {
    let line = |task: &Arc<Task>| format!("{:<16} {}  {}", task.id.as_str(), task.title, standing_of(task));
    tasks.map(line).collect()
}

/// Returns the state of a task, with the reason if it does not continue.
pub fn standing_of(task: &Task) -> String {
    match &task.state {
        TaskState::Held(hold) => format!("held: {}", task.hold_text(hold)),
        TaskState::Failed(why) => format!("failed: {}", behind_failed(why)),
        TaskState::Parked(why) => format!("parked: {why}"),
        state => state.word().to_owned(),
    }
}
