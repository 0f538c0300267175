//! Checks that the engine can do everything a stage asks for: nothing that it would refuse or skip while the pipeline runs is accepted from
//! a file.

use super::stage::LocatedStage;
use dbs_domain::workflow::{Actor, ApprovalRule, EngineAction, EvidenceKind};

/// Records everything in a stage that the engine would not do.
pub(super) fn check_support(placed: &LocatedStage<'_>) {
    let stage = &placed.stage;
    match &stage.actor {
        Actor::Role(_) => {
            let is_wrong =
                stage.evidence.contains(&EvidenceKind::Approved) && stage.approval != ApprovalRule::Always;
            let text = "approved is evidence here, but not every task is shown to a person: set `approval = \"always\"`";
            placed.check(is_wrong, "evidence", text);
        }
        Actor::Engine(action) => by_the_engine(placed, *action),
        Actor::Human => {
            let text = "the approval is the only evidence of a person's stage: leave `evidence` out";
            placed.check(stage.evidence != [EvidenceKind::Approved], "evidence", text);
        }
    }
    let text = "`timeout` limits agents, and none acts here; gates have `limits.gate_timeout`";
    placed.check(stage.timeout.is_some() && !placed.has_agent(), "timeout", text);
}

fn by_the_engine(placed: &LocatedStage<'_>, action: EngineAction) {
    let evidence = &placed.stage.evidence;
    let text = "the engine does not commit in a stage of its own, where the agent's files are gone: let it commit in the stage \
         whose agent writes them, by `evidence = [\"committed\", \"commits_ahead\"]`";
    placed.check(action == EngineAction::Commit, "action", text);
    let is_run = |kind: &EvidenceKind| {
        matches!(
            kind,
            EvidenceKind::Gates | EvidenceKind::GateFails(_) | EvidenceKind::Tests
        )
    };
    let text = "`action = \"verify\"` runs gates and looks at nothing else but the tests of a story: set `evidence = [\"gates\"]`";
    placed.check(
        action == EngineAction::Verify && !evidence.iter().all(is_run),
        "evidence",
        text,
    );
    for (kind, word) in [
        (EvidenceKind::Commented, "commented"),
        (EvidenceKind::WorkspaceUnchanged, "workspace_unchanged"),
    ] {
        let is_wrong = action == EngineAction::Merge && evidence.contains(&kind);
        let text = format_args!("{word} is about what an agent did, and the engine acts here");
        placed.check(is_wrong, "evidence", text);
    }
}
