//! Sessions: list, end; prepare a project; look whether everything is there.

mod doctor;

pub(super) use doctor::doctor;

use std::process::ExitCode;

use crate::adapters::out;
use crate::adapters::patience::Patience;
use crate::cli::args::Json;
use crate::cli::commands::Outcome;
use crate::cli::door::Door;
use crate::config::edge::Edge;
use crate::config::place::Place;
use crate::domain::counted;
use crate::protocol::neighbours::{self, Neighbour};
use crate::protocol::wire::{Answer, Call, StopAgents};

/// Lists sessions: those whose server answers, and for people those that were cut off.
pub(super) fn list(edge: &Edge, json: Json) -> Outcome {
    let found = neighbours::all(edge)?;
    if json.json {
        let running = found.iter().filter_map(|one| match one {
            Neighbour::Answers(who) => Some(who),
            Neighbour::CutOff(_) => None,
        });
        out::json(&running.collect::<Vec<_>>());
        return Ok(ExitCode::SUCCESS);
    }
    if found.is_empty() {
        out::line("no session runs");
    }
    for one in found {
        let (name, root) = (one.name(), one.root());
        out::line(&match &one {
            Neighbour::Answers(who) => format!(
                "{name:<20} {}, {} attached, process {}, {root}",
                counted(who.agents, "agent"),
                who.clients,
                who.pid,
            ),
            Neighbour::CutOff(_) => {
                format!("{name:<20} cut off, {root}; `dbs attach {name}` brings it back")
            }
        });
    }
    Ok(ExitCode::SUCCESS)
}

/// Ends this project's server.
pub(super) fn stop(edge: &Edge, all: bool, json: Json) -> Outcome {
    let mut door = Door::open(edge)?;
    let agents = if all { StopAgents::Yes } else { StopAgents::No };
    match door.call(Call::Stop(agents))? {
        None => {
            tell("no server runs for this project", json);
            Ok(ExitCode::SUCCESS)
        }
        Some(Answer::Done(text)) => {
            wait_until_gone(&door.place)?;
            let rest = if all {
                "; its agents were stopped"
            } else {
                "; agents go on, `dbs` comes back to them"
            };
            tell(&format!("{text}{rest}"), json);
            Ok(ExitCode::SUCCESS)
        }
        Some(other) => Err(format!("could not stop the server: {other:?}")),
    }
}

fn tell(text: &str, json: Json) {
    if json.json {
        out::json(&serde_json::json!({ "ok": text }));
    } else {
        out::line(text);
    }
}

/// Prepares a project: folders and ignore rules (the rules are git's own private ones, never the project's files).
pub(super) fn init(edge: &Edge, json: Json) -> Outcome {
    use crate::adapters::git::{GitCli, GitSetup};
    let place = Place::find(&edge.folder, edge).map_err(|why| format!("could not {why}"))?;
    GitCli::open(&GitSetup::new(&place.root, edge.environment.clone()))
        .map_err(|error| format!("could not {error}"))?;
    let workflows = &place.workflows;
    std::fs::create_dir_all(workflows)
        .map_err(|error| format!("could not make {}: {error}", workflows.display()))?;
    let missing = doctor::missing(edge);
    if json.json {
        out::json(&serde_json::json!({ "root": place.root, "missing": missing }));
    } else if missing.is_empty() {
        out::line(&format!(
            "{} is ready; next: dbs task create",
            place.root.display()
        ));
    } else {
        out::line(&format!("{} is prepared; still missing:", place.root.display()));
        out::all(missing.iter().map(|text| format!("  {text}")));
    }
    Ok(ExitCode::SUCCESS)
}

/// Waits until no server listens any more.
///
/// # Errors
/// When it does not end.
fn wait_until_gone(place: &Place) -> Result<(), String> {
    let patience = Patience::begin();
    while Door::to(place.clone()).is_ok_and(|door| door.is_live()) {
        if patience.is_over() {
            return Err("could not end the server: it still answers".to_owned());
        }
        patience.wait();
    }
    Ok(())
}
