//! The tasks of a `plan.json` as a plan: an item for each, named by its index (G4), with all instructions for its agent (G38).

use super::model::{PhaseStatus, Plan, PlanDetail, PlanGate, PlanItem, PlanKind, ToldCommand};
use crate::finding::{Finding, FindingLevel};
use crate::graph_plan::{FileExists, GraphContext, GraphPlan, GraphStatus, GraphTask, GraphTaskKind};
use dbs_domain::MAX_TEXT_BYTES;

/// Builds the plan of a graph. Tasks that it calls completed are checked again: the files must exist (G33).
pub fn graph(read: &GraphPlan, exists: FileExists<'_>) -> Plan {
    let mut plan = Plan {
        kind: PlanKind::Graph,
        title: read.goal.clone(),
        file: read.file.clone(),
        items: Vec::new(),
        findings: read.findings.clone(),
    };
    for (at, task) in read.tasks.iter().enumerate() {
        let missing = task.paths.listed().find(|path| !exists(path));
        let mut note = |severity, code, text: String| {
            let finding = Finding::new(severity, &read.file, task.line, text);
            plan.findings.push(finding.at(code, &format!("$.tasks[{at}]")));
        };
        if let (GraphStatus::Completed, Some(path)) = (task.status, missing) {
            let text = format!("this is called completed, but {path} is not there, so it is done again");
            note(FindingLevel::Warning, "NOT_COMPLETED", text);
        }
        let item = item(read, (at, task), missing.is_none());
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

fn item(plan: &GraphPlan, (at, task): (usize, &GraphTask), has_files: bool) -> PlanItem {
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
            text: text(plan, task),
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

/// Returns the task as its agent reads it.
fn text(plan: &GraphPlan, task: &GraphTask) -> String {
    let agent = &task.agent;
    let mut text = TaskText::default();
    text.line(&format!("Part of a plan whose goal is: {}", plan.goal));
    text.line(&task.description);
    let role = match some(&agent.expertise) {
        Some(expertise) => format!(
            "You work on it as {}. What that asks of you: {expertise}",
            agent.role
        ),
        None => format!("You work on it as {}.", agent.role),
    };
    text.line(&role);
    let assumptions = agent.assumptions.iter().map(|one| {
        let severity = if one.is_blocking { "blocking" } else { "warning" };
        format!("{severity}: {} Shown by: `{}`", sentence(&one.claim), one.verify)
    });
    let there = task
        .paths
        .modify
        .iter()
        .map(|path| format!("blocking: {path} exists."));
    text.list(
        "Before you change anything, look whether this holds",
        assumptions.chain(there),
    );
    let files = agent.context_files.iter().map(|file| {
        let lines = some(&file.lines).map(|lines| format!(", lines {lines}"));
        format!("{}{}: {}", file.path, lines.unwrap_or_default(), file.reason)
    });
    let reads = task
        .reads
        .iter()
        .map(|path| format!("{path}: the task reads it."));
    text.list("Read first", files.chain(reads));
    text.list("The project", project(&plan.context));
    if task.kind == GraphTaskKind::Research {
        text.line("This is research: look for sources on the web too, where your tool can, and name them.");
    }
    for (heading, said) in [("Approach", &agent.approach), ("Prior art", &agent.prior_art)] {
        text.list(heading, some(said).map(ToOwned::to_owned).into_iter());
    }
    text.list("Files to be made", task.paths.create.iter().cloned());
    text.list("Files to be changed", task.paths.modify.iter().cloned());
    text.list("Constraints", agent.constraints.iter().cloned());
    text.list(
        "Stop at once when one of these is so",
        agent.triggers.iter().cloned(),
    );
    text.0
}

fn sentence(text: &str) -> String {
    let ends = text.ends_with(['.', '!', '?']);
    format!("{text}{}", if ends { "" } else { "." })
}

/// Returns the facts about the project for all tasks.
fn project(context: &GraphContext) -> impl Iterator<Item = String> {
    let named = |what: &str, said: &str| some(said).map(|said| format!("{what}: {said}"));
    let command = |what: &str, said: &str| some(said).map(|said| format!("{what}: `{said}`"));
    let said = [
        named("made with", &context.stack),
        named("customs", &context.conventions),
        command("tested with", &context.test_command),
        command("built with", &context.build_command),
        named("language servers that you can ask", &context.lsp.join(", ")),
    ];
    said.into_iter().flatten()
}

/// A text that grows by paragraphs.
#[derive(Default)]
struct TaskText(String);

impl TaskText {
    fn line(&mut self, line: &str) {
        if !self.0.is_empty() {
            self.0.push_str("\n\n");
        }
        self.0.push_str(line.trim());
    }

    /// Adds a heading with its points; nothing if there are none.
    fn list(&mut self, heading: &str, points: impl Iterator<Item = String>) {
        let points: Vec<String> = points.map(|point| format!("\n- {}", point.trim())).collect();
        if !points.is_empty() {
            self.line(&format!("{heading}:\n{}", points.concat()));
        }
    }
}
