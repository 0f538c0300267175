//! A `plan.json` as a plan of tasks.

use std::path::Path;

use crate::config::project_paths::ProjectPaths;
use crate::config::session_setup;
use crate::domain::AgentSettings;
use crate::domain::workflow::Actor;
use crate::formats::graph_plan;
use crate::formats::plan::{self, Plan, PlanKind};

/// The plan of a file with that text. Whether the files it names are there is looked up in the project; without one in this folder.
pub(super) fn read((file, text): (&Path, &str), place: Option<&ProjectPaths>) -> Plan {
    let root = place.map_or(Path::new("."), |place| &place.root);
    let exists = |path: &str| root.join(path).exists();
    plan::graph(&graph_plan::read(file, text, &exists), &exists)
}

/// Whether Claude works on the items of such a plan, as far as the settings say.
pub(super) fn works_with_claude(place: &ProjectPaths, kind: PlanKind) -> bool {
    let Ok((settings, workflows)) = session_setup::reread(place) else {
        return false;
    };
    let flow = workflows.iter().find(|flow| flow.id.as_str() == kind.workflow());
    let first = flow.and_then(|flow| flow.stage(&flow.entry));
    let chosen = first.and_then(|stage| {
        let Actor::Role(role) = &stage.actor else {
            return None;
        };
        let nothing = AgentSettings::default();
        settings.agents.choose(role, &stage.id, &nothing).agent
    });
    chosen.is_some_and(|agent| agent.value == "claude")
}
