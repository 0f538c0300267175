//! Settings of roles, stages and workflows that do not exist: refused in the project's own files, and reported for the person's, which are for many
//! projects.

use crate::config::project_paths::ProjectPaths;
use crate::config::{Config, ResolvedSetting, SettingOrigin};
use crate::domain::Workflow;
use crate::domain::workflow::Actor;
use crate::formats::nearest::nearest;
use crate::formats::prompt::PromptLibrary;

/// A setting of a role, a stage or a workflow that the project does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// Message with the setting, its place and the way out.
    pub text: String,
    /// True if the project's own files have the setting.
    pub is_own: bool,
}

/// Lists all settings of unknown roles, stages and workflows, in the order of the settings.
pub fn unknown_names(paths: &ProjectPaths, config: &Config, workflows: &[Workflow]) -> Vec<UnknownName> {
    let stages = workflows.iter().flat_map(|flow| &flow.stages);
    let stages: Vec<&str> = stages.map(|stage| stage.id.as_str()).collect();
    let flows: Vec<&str> = workflows.iter().map(|flow| flow.id.as_str()).collect();
    let all = config.list();
    let roles = if all.iter().any(|shown| role_of(&shown.key).is_some()) {
        roles(paths, workflows)
    } else {
        Vec::new()
    };
    let known_roles: Vec<&str> = roles.iter().map(String::as_str).collect();
    let unknown = |shown: &ResolvedSetting| {
        if let Some(stage) = stage_of(&shown.key) {
            return found(paths, shown, "a stage", stage, &stages);
        }
        if let Some(flow) = workflow_of(&shown.key) {
            return found(paths, shown, "the name", flow, &flows);
        }
        found(paths, shown, "a role", role_of(&shown.key)?, &known_roles)
    };
    all.iter().filter_map(unknown).collect()
}

fn stage_of(key: &str) -> Option<&str> {
    Some(key.strip_prefix("stages.")?.split_once('.')?.0)
}

fn workflow_of(key: &str) -> Option<&str> {
    Some(key.strip_prefix("limits.")?.split_once('.')?.0)
}

fn role_of(key: &str) -> Option<&str> {
    let of_agents = || Some(key.strip_prefix("roles.")?.split_once('.')?.0);
    key.strip_prefix("max_role_agents.").or_else(of_agents)
}

/// Returns the names of the roles that workflows and files of roles have, and `default`, which is for all others.
fn roles(paths: &ProjectPaths, workflows: &[Workflow]) -> Vec<String> {
    let mut roles = vec!["default".to_owned()];
    for stage in workflows.iter().flat_map(|flow| &flow.stages) {
        let actor = match &stage.actor {
            Actor::Role(role) => Some(role),
            Actor::Engine(_) | Actor::Human => None,
        };
        roles.extend(actor.into_iter().chain(&stage.fallback).map(ToString::to_string));
    }
    // Faults in the file of a role are reported where prompts are made.
    let library = paths.trust.prompt_library();
    let files = library.iter().flat_map(PromptLibrary::roles);
    roles.extend(files.map(|(role, _)| role.id.to_string()));
    roles
}

fn found(
    paths: &ProjectPaths,
    shown: &ResolvedSetting,
    what: &str,
    name: &str,
    known: &[&str],
) -> Option<UnknownName> {
    if known.contains(&name) {
        return None;
    }
    let (key, origin) = (&shown.key, &shown.origin);
    let meant = nearest(name, known.iter().copied());
    let meant = meant.map_or_else(String::new, |word| format!(", did you mean `{word}`"));
    let is_own = matches!(origin, SettingOrigin::File { path, .. } if path.starts_with(&paths.debussy));
    Some(UnknownName {
        text: format!(
            "could not use {key}, at {origin}: no workflow has {what} {name}{meant}; `dbs workflow list` names workflows, and \
             `dbs config {key} --unset` takes it away"
        ),
        is_own,
    })
}
