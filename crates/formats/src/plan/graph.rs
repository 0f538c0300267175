//! The tasks of a `plan.json` as a plan: an item for each, named by its index (G4), with all instructions for its agent (G38).

use std::collections::BTreeSet;

use serde_json::json;

use super::model::{PhaseStatus, Plan, PlanDetail, PlanGate, PlanItem, PlanKind, ToldCommand};
use crate::finding::{Finding, FindingLevel};
use crate::graph_plan::{self, FileExists, GraphContext, GraphPlan, GraphStatus, GraphTask, GraphTaskKind};
use crate::prompt::fill;
use dbs_domain::MAX_TEXT_BYTES;

const TEXT: &str = include_str!("../../../../assets/plans/graph-task.md");

/// Builds the plan of a graph. Tasks that it calls completed are checked again: their files must be on the base (G33).
pub fn graph(read: &GraphPlan, on_base: FileExists<'_>) -> Plan {
    let mut plan = Plan {
        kind: PlanKind::Graph,
        title: read.goal.clone(),
        file: read.file.clone(),
        items: Vec::new(),
        findings: read.findings.clone(),
    };
    let before = graph_plan::ancestors(&read.tasks);
    for (at, task) in read.tasks.iter().enumerate() {
        let missing = task.paths.listed().find(|path| !on_base(path));
        let mut note = |severity, code, text: String| {
            let finding = Finding::new(severity, &read.file, task.line, text);
            plan.findings.push(finding.at(code, &format!("$.tasks[{at}]")));
        };
        if let (GraphStatus::Completed, Some(path)) = (task.status, missing) {
            let text = format!(
                "this is called completed, but {path} is not on the base branch, so it is done again"
            );
            note(FindingLevel::Warning, "NOT_COMPLETED", text);
        }
        let shared = shared(read, task, before.get(at));
        let text = text(read, task, &shared).unwrap_or_else(|why| {
            note(FindingLevel::Error, "TOO_LONG", why);
            String::new()
        });
        let item = item(read, at, task, missing.is_none(), text);
        let size = item.detail.as_ref().map_or(0, |detail| detail.text.len());
        if size > MAX_TEXT_BYTES {
            let text = format!(
                "its texts have {} KiB together; an agent is told {} at most",
                size / 1024,
                MAX_TEXT_BYTES / 1024
            );
            note(FindingLevel::Error, "TOO_LONG", text);
        }
        plan.items.push(item);
    }
    plan
}

fn item(plan: &GraphPlan, at: usize, task: &GraphTask, has_files: bool, text: String) -> PlanItem {
    let checked = task.agent.criteria.iter().enumerate();
    let checked = checked.filter(|(_, one)| !one.check.is_empty());
    let gates = checked.map(|(index, one)| PlanGate {
        name: format!("criterion-{}", index + 1),
        command: Some(one.check.clone()),
        requirement: one.criterion.clone(),
        is_blocking: true,
        line: one.line,
    });
    PlanItem {
        id: at.to_string(),
        title: task.subject.clone(),
        line: task.line,
        needs: task.needs.iter().map(ToString::to_string).collect(),
        gates: gates.collect(),
        told: told(&plan.context, task),
        // A task that was stopped, failed or was left out is tried again: only the board knows how often it was tried.
        status: if task.status == GraphStatus::Completed && has_files {
            PhaseStatus::Completed
        } else {
            PhaseStatus::Pending
        },
        detail: Some(Box::new(PlanDetail {
            text,
            criteria: task
                .agent
                .criteria
                .iter()
                .map(|one| one.criterion.clone())
                .collect(),
            paths: task.paths.clone(),
            commit: commit(task),
            fallback: some(&task.agent.fallback).map(ToOwned::to_owned),
            model: task.agent.model,
            story: None,
        })),
        ..PlanItem::default()
    }
}

/// Returns the commands in the text for the agent that are not gates.
fn told(context: &GraphContext, task: &GraphTask) -> Vec<ToldCommand> {
    let assumptions = task.agent.assumptions.iter().enumerate();
    let assumptions = assumptions.map(|(at, one)| (format!("assumption-{}", at + 1), &one.verify));
    let project = [
        ("test command".to_owned(), &context.test_command),
        ("build command".to_owned(), &context.build_command),
    ];
    let all = assumptions
        .chain(project)
        .filter(|(_, command)| !command.is_empty());
    let told = all.map(|(name, command)| ToldCommand {
        name,
        command: command.clone(),
        line: task.line,
    });
    told.collect()
}

/// Returns the first line of a commit, `feat: add writer`: the kind of work, and its subject (G56).
fn commit(task: &GraphTask) -> String {
    let kind = match task.kind {
        GraphTaskKind::Research => "docs",
        GraphTaskKind::Implementation => "feat",
        GraphTaskKind::Testing => "test",
        GraphTaskKind::Configuration => "chore",
    };
    let mut letters = task.subject.chars();
    let first = letters.next().map(|letter| letter.to_lowercase().to_string());
    format!("{kind}: {}{}", first.unwrap_or_default(), letters.as_str())
}

fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// Returns the files that a task reads and one before it makes or changes: without them it cannot begin (G24).
fn shared<'a>(plan: &GraphPlan, task: &'a GraphTask, before: Option<&BTreeSet<usize>>) -> Vec<&'a str> {
    let before = before.into_iter().flatten();
    let made: Vec<&String> = before
        .filter_map(|at| plan.tasks.get(*at))
        .flat_map(|task| task.paths.create.iter().chain(&task.paths.modify))
        .collect();
    let context = task.agent.context_files.iter().map(|file| &file.path);
    let read: BTreeSet<&String> = task.reads.iter().chain(context).collect();
    let is_shared = |path: &&String| made.contains(path) && !task.paths.modify.contains(path);
    read.into_iter().filter(is_shared).map(String::as_str).collect()
}

/// Returns the task as its agent reads it.
fn text(plan: &GraphPlan, task: &GraphTask, shared: &[&str]) -> Result<String, String> {
    let (agent, context) = (&task.agent, &plan.context);
    let trimmed = |texts: &[String]| {
        texts
            .iter()
            .map(|text| text.trim().to_owned())
            .collect::<Vec<_>>()
    };
    let assumptions = agent.assumptions.iter().map(|one| {
        json!({ "is_blocking": one.is_blocking, "claim": sentence(one.claim.trim()), "verify": one.verify })
    });
    let files = agent.context_files.iter();
    let files =
        files.map(|file| json!({ "path": file.path, "lines": file.lines, "reason": file.reason.trim() }));
    let project = json!({
        "stack": context.stack.trim(), "conventions": context.conventions.trim(),
        "test_command": context.test_command, "build_command": context.build_command, "lsp": context.lsp.join(", "),
    });
    let is_known = project
        .as_object()
        .is_some_and(|facts| facts.values().any(|fact| *fact != ""));
    fill(
        TEXT,
        &json!({
            "goal": plan.goal.trim(), "description": task.description.trim(), "role": agent.role.trim(),
            "expertise": agent.expertise.trim(), "assumptions": assumptions.collect::<Vec<_>>(),
            "shared": shared, "context_files": files.collect::<Vec<_>>(), "reads": task.reads,
            "project": is_known.then_some(project), "is_research": task.kind == GraphTaskKind::Research,
            "approach": agent.approach.trim(), "prior_art": agent.prior_art.trim(),
            "create": task.paths.create, "modify": task.paths.modify,
            "blocks": !(shared.is_empty() && task.paths.modify.is_empty()) || agent.assumptions.iter().any(|one| one.is_blocking),
            "constraints": trimmed(&agent.constraints), "triggers": trimmed(&agent.triggers),
        }),
    )
    .map(|text| text.trim_end().to_owned())
}

fn sentence(text: &str) -> String {
    let ends = text.ends_with(['.', '!', '?']);
    format!("{text}{}", if ends { "" } else { "." })
}
