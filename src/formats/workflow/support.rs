//! Checks that the engine can do what a stage asks for: nothing that it would refuse or skip while the pipeline runs is
//! accepted from a file.

use super::stage::LocatedStage;
use crate::domain::workflow::{Actor, ApprovalRule, EngineAction, EvidenceKind};
use crate::formats::table::TomlFile;

/// Records what the engine would not do in a stage.
pub(super) fn check_support(file: &TomlFile<'_>, placed: &LocatedStage) {
    match &placed.stage.actor {
        Actor::Role(_) => by_an_agent(file, placed),
        Actor::Engine(action) => by_the_engine(file, placed, *action),
        Actor::Human => by_a_person(file, placed),
    }
    let has_agent = matches!(placed.stage.actor, Actor::Role(_)) || placed.stage.fallback.is_some();
    if placed.stage.timeout.is_some() && !has_agent {
        file.error(
            placed.at("timeout"),
            "`timeout` limits agents, and none acts here; gates have `limits.gate_timeout`",
        );
    }
}

fn by_an_agent(file: &TomlFile<'_>, placed: &LocatedStage) {
    let stage = &placed.stage;
    if stage.evidence.contains(&EvidenceKind::Approved) && stage.approval != ApprovalRule::Always {
        file.error(
            placed.at("evidence"),
            "approved is evidence here, but not every task is shown to a person: set `approval = \"always\"`",
        );
    }
}

fn by_the_engine(file: &TomlFile<'_>, placed: &LocatedStage, action: EngineAction) {
    let stage = &placed.stage;
    let line = placed.at("evidence");
    match action {
        EngineAction::Commit => file.error(
            placed.at("action"),
            "the engine does not commit in a stage of its own, where the agent's files are gone: let it commit in the stage \
             whose agent writes them, by `evidence = [\"committed\", \"commits_ahead\"]`",
        ),
        EngineAction::Verify if stage.evidence.iter().any(|kind| *kind != EvidenceKind::Gates) => {
            file.error(line, "`action = \"verify\"` runs gates and looks at nothing else: set `evidence = [\"gates\"]`");
        }
        EngineAction::Verify | EngineAction::Merge => {}
    }
    for (kind, word) in [
        (EvidenceKind::Commented, "commented"),
        (EvidenceKind::WorkspaceUnchanged, "workspace_unchanged"),
    ] {
        if action == EngineAction::Merge && stage.evidence.contains(&kind) {
            file.error(
                line,
                format_args!("{word} is about what an agent did, and the engine acts here"),
            );
        }
    }
}

fn by_a_person(file: &TomlFile<'_>, placed: &LocatedStage) {
    if placed.stage.evidence != [EvidenceKind::Approved] {
        file.error(
            placed.at("evidence"),
            "what a person does is proved by the approval alone: leave `evidence` out",
        );
    }
}
