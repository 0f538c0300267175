//! What the command line says of the agents of a task.

use crate::cli::args::AgentArgs;
use crate::cli::board_access::BoardAccess;
use crate::config::process_env::ProcessEnv;
use crate::domain::{AgentSettings, TaskId};
use crate::formats::permissions::read_setting;

/// What a task shall say of its agents, where the command line says anything of them.
pub(super) fn changed(
    edge: &ProcessEnv,
    task: &TaskId,
    said: &AgentArgs,
) -> Result<Option<Box<AgentSettings>>, String> {
    let all = [&said.agent, &said.model, &said.effort, &said.permissions];
    if all.iter().all(|part| part.is_none()) {
        return Ok(None);
    }
    let known = BoardAccess::open(edge)?.task(task)?;
    let before = known.map(|detail| detail.task.agent.clone()).unwrap_or_default();
    merged(said, before).map(|agent| Some(Box::new(agent)))
}

/// What was said before, with what the command line says now; `default` takes a part back.
pub(super) fn merged(said: &AgentArgs, before: AgentSettings) -> Result<AgentSettings, String> {
    let part = |said: &Option<String>, before: Option<String>| match said.as_deref().map(str::trim) {
        None => before,
        Some("default") => None,
        Some(word) => Some(word.to_owned()),
    };
    if let Some(rules) = said.permissions.as_deref().filter(|rules| *rules != "default") {
        read_setting(rules).map_err(|why| format!("could not take over the permissions: {why}"))?;
    }
    Ok(AgentSettings {
        agent: part(&said.agent, before.agent),
        model: part(&said.model, before.model),
        effort: part(&said.effort, before.effort),
        permissions: part(&said.permissions, before.permissions),
        display: before.display,
    })
}
