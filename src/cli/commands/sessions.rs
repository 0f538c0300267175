//! Sessions: list them; prepare a project; check that everything is there.

mod check;
mod doctor;

pub(super) use check::{DoctorCheck, DoctorResult, check, print_checks, warning};
pub(super) use doctor::{doctor, needs_of_agents};

use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;

use crate::adapters::git::{GitCli, likely_base};
use crate::adapters::output;
use crate::cli::args::JsonFlag;
use crate::cli::command_error::{could_not, failed};
use crate::cli::commands::{CommandResult, agents};
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::config::{schema, set};
use crate::domain::pluralized;
use crate::protocol::session_list::{self, FoundSession};

/// Lists sessions: those whose server answers, and for people those that were cut off.
pub(super) fn list(env: &ProcessEnv, json: JsonFlag) -> CommandResult {
    let found = session_list::all(env)?;
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

/// Asks a person at the terminal to confirm the base branch that was found, if none is set; else prints the most likely one.
fn choose_base((env, place): (&ProcessEnv, &ProjectPaths), json: JsonFlag) -> CommandResult<()> {
    let is_set = place.read_config().value(&schema::BASE_BRANCH).is_some();
    if is_set || json.json || env.is_agent() {
        return Ok(());
    }
    let found = likely_base(&place.git_setup(env.environment.clone()))?;
    let Some(found) = found else {
        return Ok(());
    };
    let (name, found_by) = (found.name, found.found_by);
    if !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
        output::line(&format!(
            "the base branch is most likely {name} ({found_by}): `dbs config base_branch {name}`"
        ));
        return Ok(());
    }
    output::line(&format!(
        "Tasks start from a base branch, and are merged into it. Which one? Enter for {name} ({found_by}):"
    ));
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.map_err(failed("could not read the answer"))?;
    let chosen = Some(answer.trim())
        .filter(|answer| !answer.is_empty())
        .unwrap_or(&name);
    set(&place.sources.files, "base_branch", chosen)?;
    output::line(&format!(
        "the base branch is {chosen}; `dbs config base_branch NAME` changes that"
    ));
    Ok(())
}

/// Prints the version and path of this program, and the way to replace it: it fetches no other one itself (K71).
pub(super) fn upgrade(env: &ProcessEnv, json: JsonFlag) -> ExitCode {
    let (version, program) = (env!("CARGO_PKG_VERSION"), env.program.display());
    if json.json {
        output::json(&serde_json::json!({ "version": version, "program": env.program }));
        return ExitCode::SUCCESS;
    }
    output::line(&format!("dbs {version}, {program}"));
    output::line("It fetches nothing by itself. To use another one:");
    output::line("1. `dbs stop` in each project of `dbs sessions`: agents go on");
    output::line("2. put it in that place: a package of your system, an archive of a release");
    output::line("   whose checksum you compared, or `cargo install --path .` in its sources");
    output::line("3. `dbs` in each project comes back to its agents");
    ExitCode::SUCCESS
}

/// Prepares a project: folders and ignore rules (the rules are git's own private ones, never the project's files).
pub(super) fn init(env: &ProcessEnv, json: JsonFlag) -> CommandResult {
    let paths = ProjectPaths::find(&env.folder, env)?;
    if let Some(why) = paths.state_problem() {
        return Err(could_not(why));
    }
    GitCli::open(&paths.git_setup(env.environment.clone()))?;
    paths.prepare()?;
    let workflows = &paths.workflows;
    std::fs::create_dir_all(workflows).map_err(failed(format!("could not make {}", workflows.display())))?;
    choose_base((env, &paths), json)?;
    let missing = doctor::problems(env);
    let agent = agents::first_step(env);
    if json.json {
        output::json(&serde_json::json!({ "root": paths.root, "missing": missing, "agent": agent }));
    } else if missing.is_empty() {
        output::line(&format!(
            "{} is ready; next: dbs task create",
            paths.root.display()
        ));
    } else {
        output::line(&format!("{} is prepared; still missing:", paths.root.display()));
        output::all(missing.iter().map(|text| format!("  {text}")));
    }
    if !json.json {
        output::all(agent);
    }
    Ok(ExitCode::SUCCESS)
}
