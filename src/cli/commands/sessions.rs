//! Sessions: list, end; prepare a project; look whether everything is there.

mod doctor;

pub(super) use doctor::doctor;

use std::process::ExitCode;

use crate::adapters::deadline::Deadline;
use crate::adapters::output;
use crate::cli::args::JsonFlag;
use crate::cli::board_access::BoardAccess;
use crate::cli::commands::{CommandResult, print_done};
use crate::cli::failure::could_not;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::domain::pluralized;
use crate::protocol::session_list::{self, FoundSession};
use crate::protocol::wire::{CallReply, ServerCall, StopAgents};

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

pub(super) fn stop(edge: &ProcessEnv, all: bool, json: JsonFlag) -> CommandResult {
    let mut access = BoardAccess::open(edge)?;
    let agents = if all { StopAgents::Yes } else { StopAgents::No };
    match access.call(ServerCall::Stop(agents))? {
        None => {
            print_done("no server runs for this project", json);
            Ok(ExitCode::SUCCESS)
        }
        Some(CallReply::Done(text)) => {
            wait_until_gone(&access.place)?;
            let rest = if all {
                "; its agents were stopped"
            } else {
                "; agents go on, `dbs` comes back to them"
            };
            print_done(&format!("{text}{rest}"), json);
            Ok(ExitCode::SUCCESS)
        }
        Some(other) => Err(format!("could not stop the server: {other:?}")),
    }
}

/// Prepares a project: folders and ignore rules (the rules are git's own private ones, never the project's files).
pub(super) fn init(edge: &ProcessEnv, json: JsonFlag) -> CommandResult {
    use crate::adapters::git::{GitCli, GitSetup};
    let place = ProjectPaths::find(&edge.folder, edge).map_err(could_not)?;
    GitCli::open(&GitSetup::new(&place.root, edge.environment.clone())).map_err(could_not)?;
    let workflows = &place.workflows;
    std::fs::create_dir_all(workflows)
        .map_err(|error| format!("could not make {}: {error}", workflows.display()))?;
    let missing = doctor::problems(edge);
    if json.json {
        output::json(&serde_json::json!({ "root": place.root, "missing": missing }));
    } else if missing.is_empty() {
        output::line(&format!(
            "{} is ready; next: dbs task create",
            place.root.display()
        ));
    } else {
        output::line(&format!("{} is prepared; still missing:", place.root.display()));
        output::all(missing.iter().map(|text| format!("  {text}")));
    }
    Ok(ExitCode::SUCCESS)
}

/// Waits until no server listens any more.
fn wait_until_gone(place: &ProjectPaths) -> Result<(), String> {
    let deadline = Deadline::start();
    while BoardAccess::open_project(place.clone()).is_ok_and(|access| access.has_server()) {
        if deadline.is_over() {
            return Err("could not end the server: it still answers".to_owned());
        }
        deadline.sleep();
    }
    Ok(())
}
