//! Settings from the command line for the agents of a task.

use crate::cli::command_error::CommandResult;
use crate::cli::commands::prelude::*;
use crate::config::role_agents::agent_names;
use crate::domain::{AgentSettings, TaskId};
use crate::formats::nearest::nearest;
use crate::formats::permissions::read_setting;

/// Settings for the agents of a task, overriding those of its stages and roles; `default` removes one.
#[derive(Debug, Args)]
pub(super) struct AgentArgs {
    /// Agent for every stage: claude, codex, ... or default
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Model of its agents, as their tool names it; or default
    #[arg(long)]
    model: Option<String>,
    /// Reasoning effort of its agents, as their tool names it; or default
    #[arg(long)]
    effort: Option<String>,
    /// Permission rules of its agents, written like roles.ROLE.permissions; or default
    #[arg(long, value_name = "RULES")]
    permissions: Option<String>,
}

/// Returns the new settings for the agents of a task, where the command line contains any.
pub(super) fn changed(
    env: &ProcessEnv,
    task: &TaskId,
    args: &AgentArgs,
) -> CommandResult<Option<Box<AgentSettings>>> {
    let all = [&args.agent, &args.model, &args.effort, &args.permissions];
    if all.iter().all(|part| part.is_none()) {
        return Ok(None);
    }
    check_kind(env, args)?;
    let known = BoardAccess::open(env)?.task(task)?;
    let before = known.map(|detail| detail.task.agent.clone()).unwrap_or_default();
    merged(args, before).map(|agent| Some(Box::new(agent)))
}

/// Checks that there is a kind of agent of the name given on the command line.
///
/// # Errors
/// When there is none, with the nearest.
pub(super) fn check_kind(env: &ProcessEnv, args: &AgentArgs) -> CommandResult<()> {
    let Some(name) = args
        .agent
        .as_deref()
        .map(str::trim)
        .filter(|name| *name != "default")
    else {
        return Ok(());
    };
    let place = ProjectPaths::find(&env.folder, env)?;
    let names = agent_names(&place.read_config());
    if names.iter().any(|known| known == name) {
        return Ok(());
    }
    let meant = nearest(name, &names).map(|meant| format!(", did you mean `{meant}`"));
    Err(CommandError::user(format!(
        "could not use the agent {name}: there is no kind of agent of that name{}; there are {}",
        meant.unwrap_or_default(),
        names.join(", ")
    )))
}

/// Merges the earlier settings with those of the command line; `default` takes a part back.
pub(super) fn merged(said: &AgentArgs, before: AgentSettings) -> CommandResult<AgentSettings> {
    let part = |said: &Option<String>, before: Option<String>| match said.as_deref().map(str::trim) {
        None => before,
        Some("default") => None,
        Some(word) => Some(word.to_owned()),
    };
    if let Some(rules) = said.permissions.as_deref().filter(|rules| *rules != "default") {
        read_setting(rules).map_err(failed("could not take over the permissions"))?;
    }
    Ok(AgentSettings {
        agent: part(&said.agent, before.agent),
        model: part(&said.model, before.model),
        effort: part(&said.effort, before.effort),
        permissions: part(&said.permissions, before.permissions),
        display: before.display,
    })
}
