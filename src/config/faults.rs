//! Settings that cannot be used as they are written: values of another type, and names of missing things. Work that depends on one waits.

use std::ffi::OsString;
use std::path::Path;

use crate::adapters::agents::{AgentTool, AgentsByRole, find_program};
use crate::adapters::git::{GitCli, RemoteChoice, known_branches};
use crate::config::Config;
use crate::config::project_paths::ProjectPaths;
use crate::config::role_agents::{RoleError, kinds};
use crate::config::setting_names::unknown_names;
use crate::domain::{FaultReach, RoleId, SettingFault, Workflow};
use crate::formats::nearest::nearest;
use crate::ports::git::{BranchName, Git as _, Head};

/// All faults of these settings, those that reach furthest first. Blocks; asks the remote only about a base branch that is not known here.
pub fn all(paths: &ProjectPaths, config: &Config, workflows: &[Workflow]) -> Vec<SettingFault> {
    let settings = config.settings();
    let mut found = written(paths, config, workflows);
    found.extend(programs(paths, config));
    found.extend(
        settings
            .base
            .and_then(|base| base_branch(paths, config, &base, RemoteDoubt::Passes)),
    );
    found
}

/// Lists the faults that the files themselves show: unreadable values, and unknown names of roles, stages and agents.
pub fn written(paths: &ProjectPaths, config: &Config, workflows: &[Workflow]) -> Vec<SettingFault> {
    let everywhere = |text: String| SettingFault {
        text,
        reach: FaultReach::Everything,
    };
    let unusable = config.unusable().iter();
    let mut found: Vec<SettingFault> = unusable
        .map(|what| everywhere(format!("could not use {what}")))
        .collect();
    let unknown = unknown_names(paths, config, workflows).into_iter();
    found.extend(
        unknown
            .filter(|name| name.is_own)
            .map(|name| everywhere(name.text)),
    );
    found.extend(kinds(config).1.iter().map(of_agent));
    found
}

fn of_agent(error: &RoleError) -> SettingFault {
    let name = |table: &str| error.keys.strip_prefix(table)?.strip_suffix('.');
    let reach = match (name("roles."), name("stages.")) {
        (Some("default"), _) => FaultReach::DefaultRole,
        (Some(role), _) => FaultReach::Role(RoleId::new(role)),
        (None, Some(stage)) => FaultReach::Stage(stage.into()),
        (None, None) => FaultReach::Everything,
    };
    SettingFault {
        text: error.to_string(),
        reach,
    }
}

/// Agents whose program is in none of the folders of `PATH`.
pub fn programs(paths: &ProjectPaths, config: &Config) -> Vec<SettingFault> {
    let kinds: AgentsByRole = kinds(config).0;
    let Some(path) = config.search_path(&paths.sources.overrides.environment) else {
        return Vec::new();
    };
    let fault = |tool: &AgentTool, key: String, reach: FaultReach| {
        let name = missing(tool, &paths.root, &path)?;
        let role = match &reach {
            FaultReach::Role(role) => role.clone(),
            _ => RoleId::from("default"),
        };
        let way = tool.kind().way_to_get(&role);
        let text = format!("could not use {key}: {name} is in none of the folders of PATH; {way}");
        Some(SettingFault { text, reach })
    };
    let mut found = Vec::new();
    if let Some(agent) = &kinds.default {
        found.extend(fault(
            &agent.tool,
            "roles.default".to_owned(),
            FaultReach::DefaultRole,
        ));
    }
    // A role that says nothing of its agent has that of all others.
    let says = |role: &RoleId| {
        kinds
            .layers
            .by_role
            .get(role)
            .is_some_and(|said| said.agent.is_some())
    };
    for (role, agent) in kinds.by_role.iter().filter(|(role, _)| says(role)) {
        let reach = FaultReach::Role(role.clone());
        found.extend(fault(&agent.tool, format!("roles.{role}"), reach));
    }
    for (stage, said) in &kinds.layers.by_stage {
        let tool = said.agent.as_ref().and_then(|name| kinds.tools.get(name));
        let key = format!("stages.{stage}.agent");
        found.extend(tool.and_then(|tool| fault(tool, key, FaultReach::Stage(stage.clone()))));
    }
    found
}

/// The program of a tool, if it cannot be found. One that is given by its path from the checkout is looked for where the agent starts.
fn missing<'a>(tool: &'a AgentTool, root: &Path, path: &str) -> Option<&'a str> {
    let name = tool.kind().program()?;
    let is_sure = Path::new(name).is_absolute() || !name.contains('/');
    (is_sure && find_program(name, root, path).is_none()).then_some(name)
}

/// Effect of a remote that cannot be asked for a branch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum RemoteDoubt {
    /// The branch may be there: work waits for nothing.
    Passes,
    /// A person who has just named the branch hears of it.
    Counts,
}

/// The base branch of the settings, if it is neither in the project nor on its remote.
pub fn base_branch(
    paths: &ProjectPaths,
    config: &Config,
    base: &str,
    doubt: RemoteDoubt,
) -> Option<SettingFault> {
    let why = base_problem(paths, base, doubt)?;
    let origin = config.explain("base_branch").ok()?.origin;
    Some(SettingFault {
        text: format!("could not use base_branch, at {origin}: {why}"),
        reach: FaultReach::Base(base.to_owned()),
    })
}

/// Returns the reason why a branch cannot be the base, if there is one; reads after a colon.
fn base_problem(paths: &ProjectPaths, base: &str, doubt: RemoteDoubt) -> Option<String> {
    let name = match BranchName::new(base) {
        Ok(name) => name,
        Err(error) => return Some(error.to_string()),
    };
    let environment = paths.sources.overrides.environment.iter();
    let environment = environment.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let setup = paths.git_setup(environment);
    // Where git cannot be asked, the code that needs it for the work reports that.
    let known = known_branches(&setup).ok()?;
    if known.iter().any(|branch| branch == base) {
        return None;
    }
    let remote = setup.remote.name();
    let head = GitCli::open(&setup).map(|git| git.remote_head(&name));
    let place = match head {
        Ok(Head::At(_)) => return None,
        Ok(Head::Absent) if setup.remote == RemoteChoice::Control => " in this repository".to_owned(),
        Ok(Head::Absent) => format!(", neither here nor on {remote}"),
        Ok(Head::Unknown(_)) | Err(_) if doubt == RemoteDoubt::Passes => return None,
        Ok(Head::Unknown(_)) | Err(_) => format!(" here, and {remote} cannot be asked"),
    };
    let way = match nearest(base, known.iter().map(String::as_str)) {
        Some(meant) => format!("did you mean `{meant}`? dbs config base_branch {meant}"),
        None => "name one that is: dbs config base_branch NAME".to_owned(),
    };
    Some(format!("there is no branch {base}{place}; {way}"))
}
