//! A `plan.json` as a plan of tasks.

use std::path::{Path, PathBuf};

use super::TaskOf;
use crate::config::project_paths::ProjectPaths;
use crate::config::session_setup;
use crate::domain::workflow::Actor;
use crate::domain::{AgentSettings, TaskState};
use crate::formats::finding::Finding;
use crate::formats::graph_plan;
use crate::formats::plan::{self, PhaseStatus, Plan, PlanItem, PlanKind};

/// Reads the plan of a file with that text. The files it names are looked up in the project; without one in this folder.
pub(super) fn read((file, text): (&Path, &str), place: Option<&ProjectPaths>) -> Plan {
    let root = place.map_or(Path::new("."), |place| &place.root);
    let exists = |path: &str| root.join(path).exists();
    plan::graph(&graph_plan::read(file, text, &exists), &exists)
}

/// Returns a finding for each of these challenges that no decision of the plan names.
pub(super) fn undecided((file, text): (&Path, &str), challenges: &[String]) -> Vec<Finding> {
    graph_plan::undecided(file, text, challenges)
}

/// Returns true if Claude works on the items of such a plan, by the settings.
pub(super) fn works_with_claude(place: &ProjectPaths, kind: PlanKind) -> bool {
    is_claude(place, (kind.workflow(), None))
}

/// Returns true if Claude works at a stage of a workflow, or at its first, by the settings.
pub(super) fn is_claude(place: &ProjectPaths, (workflow, stage): (&str, Option<&str>)) -> bool {
    let Ok((settings, workflows)) = session_setup::reread(place) else {
        return false;
    };
    let flow = workflows.iter().find(|flow| flow.id.as_str() == workflow);
    let stage = flow.and_then(|flow| flow.stage(&stage.map_or_else(|| flow.entry.clone(), Into::into)));
    let chosen = stage.and_then(|stage| {
        let Actor::Role(role) = &stage.actor else {
            return None;
        };
        let nothing = AgentSettings::default();
        settings.agents.choose(role, &stage.id, &nothing).agent
    });
    chosen.is_some_and(|agent| agent.value == "claude")
}

/// Returns the text of such a plan with the progress of its tasks on the board.
pub(super) fn with_progress(plan: &Plan, text: &str, task: TaskOf<'_>) -> String {
    graph_plan::with_progress(text, &|at| plan::progress_of(task(plan.items.get(at)?)?))
}

/// Returns the name under which a plan is kept whose tasks are all done (G54); nothing while one is not, and where it has that name.
pub(super) fn name_when_done(plan: &Plan, task: TaskOf<'_>) -> Option<PathBuf> {
    let is_done = |item: &PlanItem| match task(item) {
        Some(task) => task.state == TaskState::Done,
        None => item.status == PhaseStatus::Completed,
    };
    let name = plan.file.file_name()?.to_str()?;
    let is_open = plan.kind == PlanKind::Graph && !name.ends_with(".done.json");
    (is_open && plan.items.iter().all(is_done)).then(|| plan.file.with_extension("done.json"))
}
