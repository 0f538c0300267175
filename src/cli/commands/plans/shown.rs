//! A plan as people and programs read it.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::domain::task::behind_failed;
use crate::domain::{Task, TaskState, pluralized};
use crate::formats::diagnostic::Diagnostic;
use crate::formats::plan::{Plan, PlanItem};

/// The document of `--json` (docs/plans.md).
pub(super) fn json(plan: &Plan) -> Value {
    let phases = plan.items.iter().map(|item| {
        let gates = item.gates.iter();
        let gates = gates.map(|gate| json!({ "name": gate.name, "command": gate.command, "requirement": gate.requirement, "blocking": gate.is_blocking, "line": gate.line }));
        let tasks = item.tasks.iter();
        let tasks = tasks.map(|task| json!({ "id": task.id, "text": task.text, "done": task.is_done, "line": task.line }));
        json!({
            "id": item.id, "title": item.title, "path": item.file, "needs": item.needs, "gates": gates.collect::<Vec<_>>(),
            "tasks": tasks.collect::<Vec<_>>(), "agents": item.agents, "notes": item.notes, "notes_before": item.notes_before,
            "steps": item.steps, "status": item.status, "risk": item.risk, "approval": item.needs_approval,
        })
    });
    let diagnostics = plan.findings.iter();
    let diagnostics = diagnostics.map(|found| finding_json(found.code, &found.diagnostic));
    json!({
        "kind": plan.kind, "title": plan.title, "phases": phases.collect::<Vec<_>>(),
        "diagnostics": diagnostics.collect::<Vec<_>>(),
    })
}

/// The plan in lines for people.
pub(super) fn lines(plan: &Plan) -> Vec<String> {
    let mut lines = vec![format!(
        "{}: {}, {}",
        plan.kind.word(),
        plan.title,
        pluralized(plan.items.len(), "phase")
    )];
    for item in &plan.items {
        lines.extend(phase(item));
    }
    let found = plan.findings.iter();
    lines.extend(found.map(|found| finding_line(found.code, &found.diagnostic)));
    if plan.findings.is_empty() {
        lines.push("nothing is wrong with it".to_owned());
    }
    lines
}

/// A finding for programs.
pub(in crate::cli::commands) fn finding_json(code: &str, known: &Diagnostic) -> Value {
    json!({ "code": code, "severity": known.severity, "file": known.file, "line": known.line, "text": known.text })
}

/// A finding for people.
pub(in crate::cli::commands) fn finding_line(code: &str, known: &Diagnostic) -> String {
    format!("{known} ({code})")
}

fn phase(item: &PlanItem) -> Vec<String> {
    let done = item.tasks.iter().filter(|task| task.is_done).count();
    let mut lines = vec![format!(
        "{:<6} {}  ({} of {} done{}{})",
        item.id,
        item.title,
        done,
        pluralized(item.tasks.len(), "task"),
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
        lines.push(format!("       gate {}: {command}", gate.name));
    }
    let facts = [
        (
            "agents",
            (!item.agents.is_empty()).then(|| item.agents.join(", ")),
        ),
        ("notes", item.notes.clone()),
        ("reads", item.notes_before.clone()),
    ];
    for (what, value) in facts {
        lines.extend(value.map(|value| format!("       {what}: {value}")));
    }
    lines
}

/// Where the phases of a plan on the board stand, a line each.
pub(super) fn standing<'a>(tasks: impl Iterator<Item = &'a Arc<Task>>) -> Vec<String> {
    let line = |task: &Arc<Task>| {
        let state = match &task.state {
            TaskState::Held(hold) => format!("held: {}", task.hold_text(hold)),
            TaskState::Failed(why) => format!("failed: {}", behind_failed(why)),
            TaskState::Parked(why) => format!("parked: {why}"),
            state => state.word().to_owned(),
        };
        format!("{:<16} {}  {state}", task.id.as_str(), task.title)
    };
    tasks.map(line).collect()
}
