//! `dbs init`: prepares a project, or makes the files of a new plan.

use crate::adapters::git::GitCli;
use crate::cli::commands::plan::{NewPlanArgs, PlanShape};
use crate::cli::commands::prelude::*;
use crate::cli::commands::{agents, doctor};
use crate::cli::{base_choice, remote_choice, workspace_choice};

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
    if takes || !json.json {
        let base = base_choice::settle(env, &paths, takes)?;
        if !json.json {
            base.print();
        }
        workspace_choice::settle(env, &paths, takes)?;
    }
    let mut missing = doctor::problems(env);
    let agent = agents::first_step(env);
    // The step to the first agent names those that are installed.
    if let Some(agent) = agent.as_ref().filter(|_| !json.json) {
        missing.retain(|text| !text.starts_with("agents: "));
        missing.push(agent.clone());
    }
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
    Ok(ExitCode::SUCCESS)
}
