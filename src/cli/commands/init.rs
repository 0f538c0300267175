//! `dbs init`: prepares a project, or makes the files of a new plan.

use crate::adapters::git::{GitCli, likely_base};
use crate::cli::commands::plan::{NewPlanArgs, PlanShape};
use crate::cli::commands::prelude::*;
use crate::cli::commands::{agents, doctor};
use crate::cli::{asking, remote_choice, workspace_choice};
use crate::config::{schema, set};

/// Prepare this project, or create the files of a new plan
///
/// A plan is created in `plans/NAME`, with the project's checks as the gates of each phase; an existing folder is not changed. `dbs plan new
/// NAME` is the same.
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs init\ndbs init \"Invoice export\" --phases 4 --template backend"))]
pub struct InitArgs {
    /// Subject of a new plan; without one the project is prepared
    feature: Option<String>,
    #[command(flatten)]
    shape: PlanShape,
    /// Accept the proposals for the project: its base branch, the preparation of worktrees, and no remote if it has none
    #[arg(long, conflicts_with = "feature")]
    yes: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for InitArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let InitArgs {
            feature,
            shape,
            yes,
            json,
        } = self;
        match feature {
            None => prepare(env, yes, json),
            Some(feature) => NewPlanArgs { feature, shape, json }.run(env),
        }
    }
}

/// Prepares a project: folders and ignore rules (the rules are git's own private ones, never the project's files).
pub(super) fn prepare(env: &ProcessEnv, takes: bool, json: JsonFlag) -> CommandResult {
    let paths = ProjectPaths::find(&env.folder, env)?;
    if let Some(why) = paths.state_problem() {
        return Err(could_not(why));
    }
    if takes || !json.json {
        remote_choice::settle(env, &paths, takes)?;
    }
    GitCli::open(&paths.git_setup(env.environment.clone()))?;
    paths.prepare()?;
    let workflows = &paths.workflows;
    std::fs::create_dir_all(workflows).map_err(failed(format!("could not make {}", workflows.display())))?;
    choose_base(env, &paths, takes, json)?;
    if takes || !json.json {
        workspace_choice::settle(env, &paths, takes)?;
    }
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
fn choose_base(env: &ProcessEnv, paths: &ProjectPaths, takes: bool, json: JsonFlag) -> CommandResult<()> {
    let is_set = paths.read_config().value(&schema::BASE_BRANCH).is_some();
    if is_set || env.is_agent() || json.json && !takes {
        return Ok(());
    }
    let found = likely_base(&paths.git_setup(env.environment.clone()))?;
    let Some(found) = found else {
        return Ok(());
    };
    let (name, found_by) = (found.name, found.found_by);
    if !takes && !asking::can_ask() {
        output::line(&format!(
            "the base branch is most likely {name} ({found_by}): `dbs config base_branch {name}`"
        ));
        return Ok(());
    }
    let chosen = if takes {
        name
    } else {
        let question = format!(
            "Tasks start from a base branch, and are merged into it. Which one? Enter for {name} ({found_by}):"
        );
        match asking::answer_to(&question)? {
            None => return Ok(()),
            Some(answer) if answer.is_empty() => name,
            Some(answer) => answer,
        }
    };
    set(&paths.sources.files, "base_branch", &chosen)?;
    if !json.json {
        output::line(&format!(
            "the base branch is {chosen}; `dbs config base_branch NAME` changes that"
        ));
    }
    Ok(())
}
