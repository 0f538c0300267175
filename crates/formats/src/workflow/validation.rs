//! Checks of a complete workflow: every stage exists, can be reached and left, every success has evidence, every signal can be sent by an
//! agent.

use std::collections::BTreeSet;

use super::stage::{LocatedStage, LocatedWorkflow};
use super::support::check_support;
use crate::table::{Located, TomlFile};
use dbs_domain::wait_graph;
use dbs_domain::workflow::{
    Actor, ApprovalRule, EngineAction, EvidenceKind, FileAccess, FindingPolicy, GatePlace, GateSet, RejectTo,
    Stage, Workspace,
};
use dbs_domain::{SignalKind, StageId};

/// Records all faults of a workflow.
pub(super) fn validate(file: &TomlFile<'_>, placed: &LocatedWorkflow<'_>) {
    names(file, placed);
    scan(file, placed);
    for stage in &placed.stages {
        edges(file, placed, stage);
        signals(stage);
        proofs(stage);
        checks(stage);
        workspaces(stage);
        actors(stage);
        check_support(stage);
    }
    // These follow edges, so they only make sense once all of them lead somewhere.
    if !file.is_refused() {
        reachable(placed);
        endings(placed);
    }
}

fn has(placed: &LocatedWorkflow<'_>, id: &StageId) -> bool {
    placed.flow.stage(id).is_some()
}

fn names(file: &TomlFile<'_>, placed: &LocatedWorkflow<'_>) {
    let mut seen = BTreeSet::new();
    for stage in &placed.stages {
        if !seen.insert(&stage.stage.id) {
            stage.error("id", format_args!("there are two stages {}", stage.stage.id));
        }
    }
    let others = placed
        .other_entries
        .iter()
        .map(|entry| (&entry.value, entry.line));
    for (entry, line) in std::iter::once((&placed.flow.entry, placed.entry)).chain(others) {
        if !has(placed, entry) {
            file.error(line, format_args!("the entry {entry} is not a stage"));
        }
    }
}

fn scan(file: &TomlFile<'_>, placed: &LocatedWorkflow<'_>) {
    let mut seen = BTreeSet::new();
    for Located { value, line } in &placed.scan {
        if !has(placed, value) {
            file.error(*line, format_args!("`scan` names {value}, which is not a stage"));
        } else if !seen.insert(value) {
            file.error(*line, format_args!("`scan` names {value} twice"));
        }
    }
    for stage in &placed.stages {
        let id = &stage.stage.id;
        let text = format_args!("{id} is missing in `scan`: add it in the order in which stages get agents");
        stage.check(!seen.contains(id), "id", text);
    }
}

fn edges(file: &TomlFile<'_>, placed: &LocatedWorkflow<'_>, stage: &LocatedStage<'_>) {
    let mut always = false;
    for (edge, line) in stage.stage.success.iter().zip(&stage.edges) {
        if !has(placed, &edge.to) {
            let text = format_args!("success leads to {}, which is not a stage", edge.to);
            file.error(*line, text);
        }
        if edge.to == stage.stage.id {
            file.error(*line, "success leads back to the same stage");
        }
        if always {
            file.error(*line, "this edge is never taken: the one before it always is");
        }
        always |= edge.when.is_none();
    }
    if let RejectTo::Stage(to) = &stage.stage.reject {
        if !has(placed, to) {
            let text =
                format!("a rejection leads to {to}, which is not a stage (or write \"hold\", \"never\")");
            stage.error("reject", text);
        } else if *to == stage.stage.id {
            stage.error("reject", "a rejection leads back to the same stage");
        }
    }
}

fn signals(placed: &LocatedStage<'_>) {
    let stage = &placed.stage;
    let may = |kind| stage.signals.contains(&kind);
    if !placed.has_agent() {
        let text = "no agent acts here to send these signals";
        return placed.check(!stage.signals.is_empty(), "signals", text);
    }
    let text = "no signal done is allowed here, so no task ever leaves";
    placed.check(!may(SignalKind::Done), "signals", text);
    let rejects = stage.reject != RejectTo::Never;
    let text = "the signal reject is allowed, but `reject` says where to: a stage or \"hold\"";
    placed.check(may(SignalKind::Reject) && !rejects, "signals", text);
    let by_agent = matches!(stage.actor, Actor::Role(_));
    let text = "`reject` names a target, but the signal reject is not allowed: add it to `signals`";
    placed.check(rejects && by_agent && !may(SignalKind::Reject), "reject", text);
}

fn proofs(placed: &LocatedStage<'_>) {
    let stage = &placed.stage;
    let needs = |kind: &EvidenceKind| stage.evidence.contains(kind);
    let by_agent = matches!(stage.actor, Actor::Role(_));
    let merges = stage.actor == Actor::Engine(EngineAction::Merge);
    let verifies = stage.actor == Actor::Engine(EngineAction::Verify);
    let on_branch = stage.workspace == Workspace::Branch;
    let text = format_args!("{} has no evidence, so nothing ever proves it done", stage.id);
    placed.check(stage.evidence.is_empty(), "evidence", text);
    gate_proofs(placed);
    let in_worktree = matches!(stage.workspace, Workspace::Head | Workspace::Base);
    let reads = stage.access == FileAccess::Read && by_agent && in_worktree;
    let wrong = [
        (
            needs(&EvidenceKind::Committed) && !(by_agent && on_branch && needs(&EvidenceKind::CommitsAhead)),
            "committed is about what an agent leaves on the task's branch: set `role`, `workspace = \"branch\"`, and add \
             \"commits_ahead\", so that something was left at all",
        ),
        (
            (needs(&EvidenceKind::CommitsAhead) || needs(&EvidenceKind::Pushed)) && !on_branch,
            "commits_ahead and pushed are about the task's branch: set `workspace = \"branch\"`",
        ),
        (
            // Each of them counts only if the task's plan asks for it, so none of them alone proves anything.
            stage.evidence.iter().all(counts_by_plan) && !stage.evidence.is_empty(),
            "notes, agents_used, steps_done, protected, listed_files and tests count only for tasks that ask for them: add evidence \
             that every task must give",
        ),
        (
            stage.evidence.iter().any(is_about_changes) && !(by_agent && on_branch),
            "protected and listed_files are about what an agent commits on the task's branch: set `role` and \
             `workspace = \"branch\"`",
        ),
        (
            stage.evidence.iter().any(is_about_tests) && !(by_agent && on_branch || verifies),
            "tests and gate_fails are about tests that an agent commits or that are in the base: set `role` and \
             `workspace = \"branch\"`, or `action = \"verify\"`",
        ),
        (
            needs(&EvidenceKind::Notes) && !(by_agent && on_branch || merges),
            "notes are looked at where an agent commits them or where they are merged: set `role` and `workspace = \"branch\"`, or \
             `action = \"merge\"`",
        ),
        (
            needs(&EvidenceKind::Protected) && stage.protected.is_empty() && !by_agent,
            "no agent changes files here, so there is nothing to protect",
        ),
        (
            needs(&EvidenceKind::Merged) != merges,
            "merged is the evidence of `action = \"merge\"`, and of nothing else",
        ),
        (
            reads && !needs(&EvidenceKind::WorkspaceUnchanged),
            "nothing proves that the agent only read: add \"workspace_unchanged\"",
        ),
    ];
    for (is_wrong, text) in wrong {
        placed.check(is_wrong, "evidence", text);
    }
}

/// Checks that gates prove something, and that evidence of gates comes from gates that are run.
fn gate_proofs(placed: &LocatedStage<'_>) {
    let stage = &placed.stage;
    let merges = stage.actor == Actor::Engine(EngineAction::Merge);
    let is_run = |kind: &EvidenceKind| matches!(kind, EvidenceKind::Gates | EvidenceKind::GateFails(_));
    let unused = stage.gates != GateSet::None && !stage.evidence.iter().any(is_run) && !merges;
    let text = "gates are run, but prove nothing: add \"gates\" to `evidence`";
    placed.check(unused, "gates", text);
    let missing = stage.gates == GateSet::None && stage.evidence.contains(&EvidenceKind::Gates);
    let text = "gates are evidence here, but no gates are run: set `gates`";
    placed.check(missing, "evidence", text);
    // If gates count only if there are any, something else must count always.
    let only = stage.gates == GateSet::IfAny && stage.evidence == [EvidenceKind::Gates];
    let text = "without a gate command nothing would be proved: use `gates = \"all\"`";
    placed.check(only, "evidence", text);
}

/// Returns true if the evidence is looked at only for tasks whose plan says so.
fn counts_by_plan(kind: &EvidenceKind) -> bool {
    matches!(
        kind,
        EvidenceKind::Notes
            | EvidenceKind::AgentsUsed
            | EvidenceKind::StepsDone
            | EvidenceKind::Protected
            | EvidenceKind::ListedFiles
            | EvidenceKind::Tests
    )
}

fn is_about_changes(kind: &EvidenceKind) -> bool {
    matches!(kind, EvidenceKind::Protected | EvidenceKind::ListedFiles)
}

fn is_about_tests(kind: &EvidenceKind) -> bool {
    matches!(kind, EvidenceKind::GateFails(_) | EvidenceKind::Tests)
}

/// Checks that named gates, protected paths and weighed findings mean something in the stage.
fn checks(placed: &LocatedStage<'_>) {
    let stage = &placed.stage;
    let needs_protected = stage.evidence.contains(&EvidenceKind::Protected);
    let text = "paths are protected, but not checked: add \"protected\" to `evidence`";
    placed.check(!stage.protected.is_empty() && !needs_protected, "protected", text);
    let text = "gates are named, but none are run here: set `gates`";
    placed.check(
        !stage.gate_names.is_empty() && stage.gates == GateSet::None,
        "gate_names",
        text,
    );
    let agent_on_branch = matches!(stage.actor, Actor::Role(_)) && stage.workspace == Workspace::Branch;
    let text = "gates before the work need `gates` and an agent with the workspace \"branch\"";
    placed.check(
        stage.gates_before && (stage.gates == GateSet::None || !agent_on_branch),
        "gates_before",
        text,
    );
    let text = "gates in the worktree need `gates` and an agent with the workspace \"branch\"";
    placed.check(
        stage.gate_at == GatePlace::Worktree && (stage.gates == GateSet::None || !agent_on_branch),
        "gate_at",
        text,
    );
    let fails = stage.evidence.iter().find_map(|kind| match kind {
        EvidenceKind::GateFails(name) => Some(name),
        _ => None,
    });
    if let Some(name) = fails {
        let text = format_args!(
            "gate {name} is to fail here, so gates must be run: set `gates` and name the others"
        );
        placed.check(stage.gates == GateSet::None, "evidence", text);
        let text = format_args!(
            "gate {name} is to fail, and \"gates\" wants all to pass: leave \"gates\" out, or leave the gate out of `gate_names`"
        );
        let both = stage.evidence.contains(&EvidenceKind::Gates) && stage.runs_gate(name);
        placed.check(both, "evidence", text);
    }
    let is_judged = matches!(stage.actor, Actor::Role(_) | Actor::Engine(EngineAction::Verify));
    let text = "`findings` is about what an agent or a check finds, and none acts here";
    placed.check(
        stage.findings != FindingPolicy::Fail && !is_judged,
        "findings",
        text,
    );
}

fn workspaces(placed: &LocatedStage<'_>) {
    let stage = &placed.stage;
    if !matches!(stage.actor, Actor::Role(_)) {
        return;
    }
    let text = match (stage.workspace, stage.access) {
        (Workspace::None, _) => "an agent needs a folder: branch, head, base or main",
        (Workspace::Main, FileAccess::Write) => "an agent never writes in the main checkout: use a branch",
        (Workspace::Head | Workspace::Base, FileAccess::Write) => {
            "work on a detached head is lost: use a branch"
        }
        (_, FileAccess::Read) | (Workspace::Branch, _) => return,
    };
    placed.error("workspace", text);
}

fn actors(placed: &LocatedStage<'_>) {
    let stage = &placed.stage;
    let is_engine = matches!(stage.actor, Actor::Engine(_));
    let text = "only an engine action has a fallback";
    placed.check(stage.fallback.is_some() && !is_engine, "fallback", text);
    if stage.actor == Actor::Engine(EngineAction::Merge) && !stage.singleton {
        placed.head_error("merging is done one at a time: set `singleton = true`");
    }
    let approves = stage.actor == Actor::Human && stage.approval != ApprovalRule::NotNeeded;
    let text = "a person acts here anyway: `approval` is for stages of agents";
    placed.check(approves, "approval", text);
}

fn reachable(placed: &LocatedWorkflow<'_>) {
    let entries = placed.other_entries.iter().map(|entry| &entry.value);
    let seen = wait_graph::reachable(entries.chain([&placed.flow.entry]), |id| {
        let stage = placed.flow.stage(id);
        let onward = stage
            .into_iter()
            .flat_map(|stage| stage.success.iter().map(|edge| &edge.to));
        let back = stage.and_then(|stage| match &stage.reject {
            RejectTo::Stage(to) => Some(to),
            _ => None,
        });
        onward.chain(back)
    });
    for stage in &placed.stages {
        if !seen.contains(&stage.stage.id) {
            let text = format!(
                "nothing leads to {}: add an edge to it, or name it in `other_entries`",
                stage.stage.id
            );
            stage.head_error(text);
        }
    }
}

/// Checks that every stage has a way to the end, or its tasks go round for ever.
fn endings(placed: &LocatedWorkflow<'_>) {
    let ends_here = |stage: &Stage| stage.success.iter().all(|edge| edge.when.is_some());
    let mut ending: BTreeSet<&StageId> = BTreeSet::new();
    loop {
        let before = ending.len();
        for stage in &placed.flow.stages {
            let leads_on = stage.success.iter().any(|edge| ending.contains(&edge.to));
            if ends_here(stage) || leads_on {
                ending.insert(&stage.id);
            }
        }
        if ending.len() == before {
            break;
        }
    }
    for stage in &placed.stages {
        let id = &stage.stage.id;
        let text = format_args!("success in {id} only ever leads in a circle");
        stage.check(!ending.contains(id), "success", text);
    }
}
