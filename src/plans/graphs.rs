//! A `plan.json` as a plan of tasks.

use std::path::Path;

use super::OnBase;
use crate::config::project_paths::ProjectPaths;
use crate::formats::finding::Finding;
use crate::formats::graph_plan;
use crate::formats::plan::{self, Plan};

/// Reads the plan of a file with that text. The files it names are looked up in the project, without one in this folder; those of completed
/// tasks on the base, because a file that a person has not committed is not there for the agents of other tasks.
pub(super) fn read(file: &Path, text: &str, paths: Option<&ProjectPaths>, on_base: OnBase<'_>) -> Plan {
    let root = paths.map_or(Path::new("."), |paths| &paths.root);
    let exists = |path: &str| root.join(path).exists();
    plan::graph(&graph_plan::read(file, text, &exists), on_base)
}

/// Returns a finding for each of these challenges that no decision of the plan names.
pub fn undecided(file: &Path, text: &str, challenges: &[String]) -> Vec<Finding> {
    graph_plan::undecided(file, text, challenges)
}
