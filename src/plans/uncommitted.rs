//! Changes of the checkout that are not committed, before a plan is begun: its agents would not see them (C15, LC-9).

use std::path::Path;

use super::in_project;
use crate::adapters::git::{GitCli, GitSetup};
use crate::adapters::projected::ProjectedFiles;
use crate::adapters::text_file;
use crate::config::project_paths::ProjectPaths;
use crate::domain::Cause;
use crate::formats::plan::{Plan, PlanKind};

/// Maximum number of files that are named.
const MOST_NAMED: usize = 5;

/// Refuses where files are changed that git tracks, and returns a warning that names new files. The plan's own files do not count, because
/// their text goes with the tasks, and neither do those that this program wrote.
///
/// # Errors
/// The files that are changed, and the ways out.
pub fn refuse_changes(paths: &ProjectPaths, git: &GitSetup, plan: &Plan) -> Result<Option<String>, Cause> {
    let found = GitCli::open(git).map_err(|error| error.to_string());
    let found = found.and_then(|git| git.uncommitted().map_err(|error| error.to_string()));
    let found = match found {
        Ok(found) => found,
        Err(why) => {
            return Ok(Some(format!(
                "it is not known whether all files are committed: could not {why}"
            )));
        }
    };
    let items = plan.items.iter().filter_map(|item| item.file.as_deref());
    let own: Vec<String> = items
        .chain([plan.file.as_path()])
        .map(|file| in_project(file, &paths.root))
        .collect();
    let projected = ProjectedFiles::read(&paths.state);
    let is_projected = |file: &str| {
        let content = text_file::read(&paths.root.join(file), text_file::LARGEST_WRITTEN).ok();
        projected.holds(Path::new(file), content.as_deref())
    };
    if plan.kind == PlanKind::Stories {
        // The result of a story is written into its PRD on the base.
        let all = found.changed.iter().chain(&found.new);
        let prds: Vec<String> = all.filter(|file| own.contains(file)).cloned().collect();
        if !prds.is_empty() {
            return Err(format!(
                "could not run the queue: these PRDs are not committed, and what becomes of their stories is written there: {}. Commit and push them",
                named(&prds)
            ).into());
        }
    }
    let others = |files: Vec<String>| -> Vec<String> {
        let others = files.into_iter().filter(|file| !own.contains(file));
        others.filter(|file| !is_projected(file)).collect()
    };
    let (changed, new) = (others(found.changed), others(found.new));
    if !changed.is_empty() {
        return Err(format!(
            "could not run the plan: agents work on commits, and these files have uncommitted changes: {}. Commit them, or run with --allow-dirty",
            named(&changed)
        ).into());
    }
    Ok((!new.is_empty()).then(|| format!("not committed, so that agents do not see it: {}", named(&new))))
}

fn named(files: &[String]) -> String {
    let shown: Vec<&str> = files.iter().take(MOST_NAMED).map(String::as_str).collect();
    match files.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
