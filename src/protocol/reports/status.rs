//! Status report: base branch, agents, counts, branches of tasks (K65).

use crate::domain::{PauseReason, TroubleKind, pluralized};
use crate::protocol::query::{OutputFormat, QueryError, TaskBranches};
use crate::protocol::reports::{in_format, why};
use crate::read_model::{ReadModel, limit_words};

pub(in crate::protocol) fn report(
    model: &ReadModel,
    branches: &TaskBranches,
    format: OutputFormat,
) -> Result<String, QueryError> {
    let data = || {
        serde_json::json!({
            "live": model.is_live, "base": model.base, "max_agents": model.max_agents, "pause": model.pause,
            "limits": model.limits,
            "batches": model.batches, "agents": model.agents().map(|agent| agent.attempt).collect::<Vec<_>>(), "counts": model.counts(),
            "branches": branches.as_deref().unwrap_or_default(), "now": model.live,
        })
    };
    in_format(format, data, || lines(model, branches))
}

pub(super) fn lines(model: &ReadModel, branches: &TaskBranches) -> Vec<String> {
    let mut lines = Vec::new();
    if !model.is_live {
        lines.push("no server runs; `dbs` starts one".to_owned());
    }
    lines.extend(at_work(model));
    lines.extend(limits(model));
    if let Some(stall) = model.stall() {
        lines.push(format!("stalled: {}; `{}`", stall.text, stall.command()));
    }
    let of_files = [TroubleKind::Untrusted, TroubleKind::Settings];
    let troubles = model
        .troubles
        .iter()
        .filter(|trouble| of_files.contains(&trouble.kind));
    lines.extend(troubles.map(|trouble| format!("{}: {}", trouble.kind.word(), trouble.text)));
    lines.push(format!(
        "base branch: {}",
        model
            .base
            .as_deref()
            .unwrap_or("not set; dbs config base_branch NAME")
    ));
    for batch in model.batches.values() {
        lines.push(format!("batch {}: {}", batch.id, batch.run));
        lines.extend(
            batch
                .base_moves
                .iter()
                .map(|moves| format!("  {}", moves.summary())),
        );
        lines.extend(batch.owed_text().map(|text| format!("  {text}")));
    }
    lines.extend(agent_lines(model));
    let counts: Vec<String> = model
        .counts()
        .into_iter()
        .map(|(state, n)| format!("{n} {state}"))
        .collect();
    lines.push(format!(
        "tasks: {}",
        if counts.is_empty() {
            "none".to_owned()
        } else {
            counts.join(", ")
        }
    ));
    let unchecked = model.tasks.values().filter(|task| !task.merge_check.is_checked());
    let n_unchecked = unchecked.count();
    if n_unchecked > 0 {
        let tasks = pluralized(n_unchecked, "task");
        lines.push(format!(
            "unchecked: {tasks} merged without a gate; `dbs config gates.NAME COMMAND` sets one"
        ));
    }
    lines.push(match branches {
        Ok(names) if names.is_empty() => "branches: none".to_owned(),
        Ok(names) => format!("branches: {}", names.join(", ")),
        Err(why) => format!("branches: could not {why}"),
    });
    lines
}

/// Returns the number of agents at work, and a line for each of them.
fn agent_lines(model: &ReadModel) -> Vec<String> {
    let agents: Vec<_> = model.agents().map(|agent| agent.attempt).collect();
    let mut lines = vec![format!("agents: {}/{}", agents.len(), model.max_agents)];
    for attempt in agents {
        let for_how_long = model.at.since(attempt.created_at);
        let used = attempt.usage.summary().map(|used| format!(", {used}"));
        lines.push(format!(
            "  {:<24} {:<14} {:<8} {}{} (attempt {})",
            attempt.worker.name(),
            attempt.task,
            for_how_long.to_string(),
            model.attempt_standing(attempt).line(),
            used.unwrap_or_default(),
            attempt.id
        ));
        let live = model.live.get(&attempt.id);
        lines.extend(live.into_iter().flat_map(why::children));
    }
    lines
}

/// Returns a line for each tool that is at a usage limit.
fn limits(model: &ReadModel) -> impl Iterator<Item = String> {
    model.limits.iter().map(|(account, limit)| {
        let left = limit_words(limit, model.at);
        format!("{account} is at its usage limit, {left}; `dbs resume` continues at once")
    })
}

/// Returns words for a pause or a running server; `None` if neither is there. A pause holds also while no server runs: the next one starts
/// nothing either.
fn at_work(model: &ReadModel) -> Option<String> {
    match &model.pause {
        Some(PauseReason::Operator { by, .. }) => Some(format!("paused by {by}; `dbs resume` continues")),
        Some(PauseReason::Quota { why, .. }) => Some(format!("paused by a usage limit: {why}")),
        None => model.is_live.then(|| "server runs".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{BaseMove, BaseMoves, Batch, Timestamp};

    fn moved(n_commits: u64) -> BaseMove {
        BaseMove {
            base: "main".to_owned(),
            to: "0123456789abcdef".to_owned(),
            by: "Bo".to_owned(),
            n_commits,
            n_lost: 0,
            made_here: None,
            is_own: false,
        }
    }

    #[test]
    fn a_base_that_another_hand_moved_is_a_line_with_a_count() {
        let batch: Batch = serde_json::from_value(serde_json::json!({
            "id": "shop", "title": "Shop", "goal": "", "base": null, "go_ahead": null, "run": "running", "since": 5,
        }))
        .unwrap();
        let told = |n_commits| {
            let moves = BaseMoves {
                n_commits,
                last: moved(1),
                at: Timestamp(6),
            };
            let batch = Batch {
                base_moves: Some(Box::new(moves)),
                ..batch.clone()
            };
            let board = ReadModel {
                batches: [(batch.id.clone(), Arc::new(batch))].into(),
                ..ReadModel::default()
            };
            let lines = lines(&board, &Ok(Vec::new()));
            lines.into_iter().find(|line| line.contains("moved")).unwrap()
        };
        let line = "  main moved to 0123456789 by Bo, 1 commit, not reviewed here";
        assert_eq!(told(1), line);
        assert_eq!(told(3), format!("{line}; 3 commits so far"));
    }
}
