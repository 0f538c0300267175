//! Sessions: list them; prepare a project; look whether everything is there.

mod doctor;

pub(super) use doctor::doctor;

use std::process::ExitCode;

use crate::adapters::output;
use crate::cli::args::JsonFlag;
use crate::cli::commands::{CommandResult, agents};
use crate::cli::failure::could_not;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::domain::pluralized;
use crate::protocol::session_list::{self, FoundSession};

/// Lists sessions: those whose server answers, and for people those that were cut off.
pub(super) fn list(edge: &ProcessEnv, json: JsonFlag) -> CommandResult {
    let found = session_list::all(edge)?;
    if json.json {
        let running = found.iter().filter_map(|one| match one {
            FoundSession::Running(who) => Some(who),
            FoundSession::CutOff(_) => None,
        });
        output::json(&running.collect::<Vec<_>>());
        return Ok(ExitCode::SUCCESS);
    }
    if found.is_empty() {
        output::line("no session runs");
    }
    for one in found {
        let (name, root) = (one.name(), one.root());
        output::line(&match &one {
            FoundSession::Running(who) => format!(
                "{name:<20} {}, {} attached, process {}, {root}",
                pluralized(who.agents, "agent"),
                who.clients,
                who.pid,
            ),
            FoundSession::CutOff(_) => {
                format!("{name:<20} cut off, {root}; `dbs attach {name}` brings it back")
            }
        });
    }
    Ok(ExitCode::SUCCESS)
}

/// Prepares a project: folders and ignore rules (the rules are git's own private ones, never the project's files).
pub(super) fn init(edge: &ProcessEnv, json: JsonFlag) -> CommandResult {
    use crate::adapters::git::{GitCli, GitSetup};
    let place = ProjectPaths::find(&edge.folder, edge).map_err(could_not)?;
    if let Some(why) = place.state_problem() {
        return Err(could_not(why));
    }
    GitCli::open(&GitSetup::new(&place.root, edge.environment.clone())).map_err(could_not)?;
    let workflows = &place.workflows;
    std::fs::create_dir_all(workflows)
        .map_err(|error| format!("could not make {}: {error}", workflows.display()))?;
    let missing = doctor::problems(edge);
    let agent = agents::first_step(edge);
    if json.json {
        output::json(&serde_json::json!({ "root": place.root, "missing": missing, "agent": agent }));
    } else if missing.is_empty() {
        output::line(&format!(
            "{} is ready; next: dbs task create",
            place.root.display()
        ));
    } else {
        output::line(&format!("{} is prepared; still missing:", place.root.display()));
        output::all(missing.iter().map(|text| format!("  {text}")));
    }
    if !json.json {
        output::all(agent);
    }
    Ok(ExitCode::SUCCESS)
}
