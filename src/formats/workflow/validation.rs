//! Checks of a complete workflow: every stage exists, can be reached and left, every success has evidence, every signal can be
//! sent by somebody.

use std::collections::BTreeSet;

use super::stage::{LocatedStage, LocatedWorkflow};
use super::support::check_support;
use crate::domain::workflow::{
    Actor, ApprovalRule, EngineAction, EvidenceKind, FileAccess, GateSet, RejectTo, Stage, Workspace,
};
use crate::domain::{SignalKind, StageId};
use crate::formats::table::{Located, TomlFile};

/// Records everything that is wrong in a workflow.
pub(super) fn validate(file: &TomlFile<'_>, placed: &LocatedWorkflow) {
    names(file, placed);
    scan(file, placed);
    for stage in &placed.stages {
        edges(file, placed, stage);
        signals(file, stage);
        proofs(file, stage);
        workspaces(file, stage);
        actors(file, stage);
        check_support(file, stage);
    }
    // These follow edges, so they only make sense once all of them lead somewhere.
    if !file.is_refused() {
        reachable(file, placed);
        endings(file, placed);
    }
}

fn has(placed: &LocatedWorkflow, id: &StageId) -> bool {
    placed.flow.stage(id).is_some()
}

fn names(file: &TomlFile<'_>, placed: &LocatedWorkflow) {
    let mut seen = BTreeSet::new();
    for stage in &placed.stages {
        if !seen.insert(&stage.stage.id) {
            file.error(
                stage.at("id"),
                format_args!("there are two stages {}", stage.stage.id),
            );
        }
    }
    if !has(placed, &placed.flow.entry) {
        file.error(
            placed.entry,
            format_args!("the entry {} is no stage", placed.flow.entry),
        );
    }
    for Located { value, line } in &placed.other_entries {
        if !has(placed, &StageId::from(value.as_str())) {
            file.error(*line, format_args!("the entry {value} is no stage"));
        }
    }
}

fn scan(file: &TomlFile<'_>, placed: &LocatedWorkflow) {
    let mut seen = BTreeSet::new();
    for Located { value, line } in &placed.scan {
        if !has(placed, &StageId::from(value.as_str())) {
            file.error(*line, format_args!("`scan` names {value}, which is no stage"));
        } else if !seen.insert(value.as_str()) {
            file.error(*line, format_args!("`scan` names {value} twice"));
        }
    }
    for stage in &placed.stages {
        let id = &stage.stage.id;
        if !seen.contains(id.as_str()) {
            let text = format!("{id} is missing in `scan`: put it where its turn to get agents is");
            file.error(stage.at("id"), text);
        }
    }
}

fn edges(file: &TomlFile<'_>, placed: &LocatedWorkflow, stage: &LocatedStage) {
    let mut always = false;
    for (edge, line) in stage.stage.success.iter().zip(&stage.edges) {
        if !has(placed, &edge.to) {
            file.error(
                *line,
                format_args!("success leads to {}, which is no stage", edge.to),
            );
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
            let text = format!("a rejection leads to {to}, which is no stage (or write \"hold\", \"never\")");
            file.error(stage.at("reject"), text);
        } else if *to == stage.stage.id {
            file.error(stage.at("reject"), "a rejection leads back to the same stage");
        }
    }
}

fn signals(file: &TomlFile<'_>, placed: &LocatedStage) {
    let stage = &placed.stage;
    let has_agent = matches!(stage.actor, Actor::Role(_)) || stage.fallback.is_some();
    if !has_agent {
        if !stage.signals.is_empty() {
            file.error(
                placed.at("signals"),
                "no agent acts here, so nobody may send these signals",
            );
        }
        return;
    }
    if !stage.signals.contains(&SignalKind::Done) {
        file.error(
            placed.at("signals"),
            "nobody may signal done here, so no task ever leaves",
        );
    }
    let may_reject = stage.signals.contains(&SignalKind::Reject);
    match (may_reject, &stage.reject) {
        (true, RejectTo::Never) => {
            let text = "the signal reject is allowed, but `reject` says where to: a stage or \"hold\"";
            file.error(placed.at("signals"), text);
        }
        (false, RejectTo::Stage(_) | RejectTo::Hold) if matches!(stage.actor, Actor::Role(_)) => {
            let text = "`reject` leads somewhere, but nobody may signal reject: add it to `signals`";
            file.error(placed.at("reject"), text);
        }
        (true | false, _) => {}
    }
}

fn proofs(file: &TomlFile<'_>, placed: &LocatedStage) {
    let stage = &placed.stage;
    let line = placed.at("evidence");
    let needs = |kind: &EvidenceKind| stage.evidence.contains(kind);
    if stage.evidence.is_empty() {
        file.error(
            line,
            format_args!("{} has no evidence, so nothing ever proves it done", stage.id),
        );
    }
    if needs(&EvidenceKind::Gates) && stage.gates == GateSet::None {
        file.error(line, "gates are evidence here, but no gates are run: set `gates`");
    }
    let merges = stage.actor == Actor::Engine(EngineAction::Merge);
    if !needs(&EvidenceKind::Gates) && stage.gates != GateSet::None && !merges {
        file.error(
            placed.at("gates"),
            "gates are run, but prove nothing: add \"gates\" to `evidence`",
        );
    }
    // Where gates count only if there are any, something else must count always.
    if stage.gates == GateSet::IfAny && stage.evidence == [EvidenceKind::Gates] {
        file.error(
            line,
            "without a gate command nothing would be proved: use `gates = \"all\"`",
        );
    }
    let by_agent = matches!(stage.actor, Actor::Role(_));
    if needs(&EvidenceKind::Committed)
        && !(by_agent && stage.workspace == Workspace::Branch && needs(&EvidenceKind::CommitsAhead))
    {
        file.error(
            line,
            "committed is about what an agent leaves on the task's branch: set `role`, `workspace = \"branch\"`, and add \
             \"commits_ahead\", so that something was left at all",
        );
    }
    if (needs(&EvidenceKind::CommitsAhead) || needs(&EvidenceKind::Pushed))
        && stage.workspace != Workspace::Branch
    {
        file.error(
            line,
            "commits_ahead and pushed are about the task's branch: set `workspace = \"branch\"`",
        );
    }
    if needs(&EvidenceKind::Merged) != merges {
        file.error(
            line,
            "merged is the evidence of `action = \"merge\"`, and of nothing else",
        );
    }
    let in_worktree = matches!(stage.workspace, Workspace::Head | Workspace::Base);
    let reads = stage.access == FileAccess::Read && matches!(stage.actor, Actor::Role(_)) && in_worktree;
    if reads && !needs(&EvidenceKind::WorkspaceUnchanged) {
        file.error(
            line,
            "nothing proves that a reader only read: add \"workspace_unchanged\"",
        );
    }
}

fn workspaces(file: &TomlFile<'_>, placed: &LocatedStage) {
    let stage = &placed.stage;
    let line = placed.at("workspace");
    match (&stage.actor, stage.workspace, stage.access) {
        (Actor::Role(_), Workspace::None, _) => {
            file.error(line, "an agent needs a folder: branch, head, base or main");
        }
        (Actor::Role(_), Workspace::Main, FileAccess::Write) => {
            file.error(line, "an agent never writes in the main checkout: use a branch");
        }
        (Actor::Role(_), Workspace::Head | Workspace::Base, FileAccess::Write) => {
            file.error(line, "what is written on a detached head is lost: use a branch");
        }
        (Actor::Role(_) | Actor::Engine(_) | Actor::Human, _, _) => {}
    }
}

fn actors(file: &TomlFile<'_>, placed: &LocatedStage) {
    let stage = &placed.stage;
    let is_engine = matches!(stage.actor, Actor::Engine(_));
    if stage.fallback.is_some() && !is_engine {
        file.error(placed.at("fallback"), "only an engine action has a fallback");
    }
    if stage.actor == Actor::Engine(EngineAction::Merge) && !stage.singleton {
        file.error(
            placed.line,
            "merging is done one at a time: set `singleton = true`",
        );
    }
    if stage.actor == Actor::Human && stage.approval != ApprovalRule::NotNeeded {
        file.error(
            placed.at("approval"),
            "a person acts here anyway: `approval` is for stages of agents",
        );
    }
}

fn reachable(file: &TomlFile<'_>, placed: &LocatedWorkflow) {
    let mut open: Vec<StageId> = vec![placed.flow.entry.clone()];
    open.extend(
        placed
            .other_entries
            .iter()
            .map(|entry| StageId::from(entry.value.as_str())),
    );
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if let Some(stage) = placed.flow.stage(&id)
            && seen.insert(id)
        {
            open.extend(stage.success.iter().map(|edge| edge.to.clone()));
            if let RejectTo::Stage(to) = &stage.reject {
                open.push(to.clone());
            }
        }
    }
    for stage in &placed.stages {
        if !seen.contains(&stage.stage.id) {
            let text = format!(
                "nothing leads to {}: add an edge to it, or name it in `other_entries`",
                stage.stage.id
            );
            file.error(stage.line, text);
        }
    }
}

/// Every stage must have a way to the end, or its tasks go round for ever.
fn endings(file: &TomlFile<'_>, placed: &LocatedWorkflow) {
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
        if !ending.contains(&stage.stage.id) {
            let text = format!("success in {} only ever leads in a circle", stage.stage.id);
            file.error(stage.at("success"), text);
        }
    }
}
