//! The stages of a workflow in words, for `dbs workflow show`.

use std::fmt::Write as _;

use dbs_domain::workflow::{
    Actor, ApprovalRule, Edge, EvidenceKind, FileAccess, GatePlace, GateSet, RejectTo, Stage, Workflow,
    Workspace,
};

/// Lists for each stage its actor and place, the targets of its edges, and the evidence it needs.
pub fn describe(flow: &Workflow) -> String {
    let mut text = String::new();
    for stage in &flow.stages {
        let mark = if stage.id == flow.entry { ">" } else { " " };
        // Writing to a text cannot fail.
        let _written = writeln!(text, "\n{mark} {}  [{}]  {}", stage.id, stage.label, actor(stage));
        for line in lines(stage) {
            let _written = writeln!(text, "    {line}");
        }
    }
    let order: Vec<&str> = flow.scan.iter().map(dbs_domain::StageId::as_str).collect();
    let _written = writeln!(text, "\nagents go first to: {}", order.join(", "));
    text
}

fn actor(stage: &Stage) -> String {
    let access = match stage.access {
        FileAccess::Write => "writes",
        FileAccess::Read => "reads",
    };
    let place = match stage.workspace {
        Workspace::Branch => "the task's branch",
        Workspace::Head => "the task's head",
        Workspace::Base => "the base branch",
        Workspace::Main => "the main checkout",
        Workspace::None => "",
    };
    let at = if place.is_empty() {
        String::new()
    } else {
        format!(", {access} {place}")
    };
    match &stage.actor {
        Actor::Role(role) => format!("{role}{at}"),
        Actor::Engine(action) => {
            let fallback = stage.fallback.as_ref();
            let fallback = fallback.map_or_else(String::new, |role| format!(", else {role}"));
            format!("engine: {action:?}{fallback}").to_lowercase()
        }
        Actor::Human => "a person".to_owned(),
    }
}

fn lines(stage: &Stage) -> Vec<String> {
    let mut lines = vec![format!("success -> {}", edge_text(&stage.success))];
    match &stage.reject {
        RejectTo::Stage(to) => lines.push(format!("reject  -> {to}")),
        RejectTo::Hold => lines.push("reject  -> held here for a person".to_owned()),
        RejectTo::Never => {}
    }
    let evidence: Vec<String> = stage
        .evidence
        .iter()
        .map(|kind| match kind {
            EvidenceKind::Gates if stage.gates == GateSet::IfAny => "gates, if there are any".to_owned(),
            kind => kind.words(),
        })
        .collect();
    lines.push(format!("proof      {}", evidence.join(", ")));
    let approval = match stage.approval {
        ApprovalRule::NotNeeded => None,
        ApprovalRule::WhenAsked => Some("begins after approval, where a task asks for it"),
        ApprovalRule::Always => Some("begins after approval"),
    };
    lines.extend(approval.map(str::to_owned));
    if stage.gate_at == GatePlace::Worktree {
        lines.push("gates run in the worktree of its agent, not on a clean checkout".to_owned());
    }
    if stage.singleton {
        lines.push("one at a time for each base branch".to_owned());
    }
    if let Some(limit) = stage.timeout {
        lines.push(format!("at most {limit}"));
    }
    lines
}

fn edge_text(edges: &[Edge]) -> String {
    let mut ways: Vec<String> = edges
        .iter()
        .map(|edge| match &edge.when {
            Some(tag) => format!("{} (tag {tag})", edge.to),
            None => edge.to.to_string(),
        })
        .collect();
    if edges.iter().all(|edge| edge.when.is_some()) {
        ways.push("done".to_owned());
    }
    ways.join(", else ")
}
