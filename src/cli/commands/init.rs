//! `dbs init`: prepares a project, or makes the files of a new plan.

use std::io::{BufRead, IsTerminal};

use crate::adapters::git::{GitCli, likely_base};
use crate::cli::commands::plan::{NewPlanArgs, PlanShape};
use crate::cli::commands::prelude::*;
use crate::cli::commands::{agents, doctor};
use crate::config::{schema, set};

/// Prepare this project, or create the files of a new plan
///
/// A plan lies in `plans/NAME`, with the project's checks as the gates of each phase; a folder that is there already is left alone. `dbs plan
/// new NAME` is the same.
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs init\ndbs init \"Invoice export\" --phases 4 --template backend"))]
pub struct InitArgs {
    /// Subject of a new plan; without one the project is prepared
    feature: Option<String>,
    #[command(flatten)]
    shape: PlanShape,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for InitArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let InitArgs { feature, shape, json } = self;
        match feature {
            None => prepare(env, json),
            Some(feature) => NewPlanArgs { feature, shape, json }.run(env),
        }
    }
}

/// Prepares a project: folders and ignore rules (the rules are git's own private ones, never the project's files).
pub(super) fn prepare(env: &ProcessEnv, json: JsonFlag) -> CommandResult {
    let paths = ProjectPaths::find(&env.folder, env)?;
    if let Some(why) = paths.state_problem() {
        return Err(could_not(why));
    }
    GitCli::open(&paths.git_setup(env.environment.clone()))?;
    paths.prepare()?;
    let workflows = &paths.workflows;
    std::fs::create_dir_all(workflows).map_err(failed(format!("could not make {}", workflows.display())))?;
    choose_base(env, &paths, json)?;
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

/// Asks a person at the terminal to confirm the base branch that was found, if none is set; else prints the most likely one.
fn choose_base(env: &ProcessEnv, place: &ProjectPaths, json: JsonFlag) -> CommandResult<()> {
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
