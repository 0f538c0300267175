//! Agent of each role with its options, read from the settings.

use std::collections::{BTreeMap, BTreeSet};

use crate::adapters::agents::{
    AgentDisplay, AgentTool, AgentsByRole, ClaudeAgent, CodexAgent, CustomAgent, DescribedAgent,
    RehearsalAgent, RoleAgent, RoleOptions, SessionPolicy,
};
use crate::config::{Config, agent_layers, schema};
use crate::domain::RoleId;
use crate::formats::agent_kind::RESERVED;
use crate::formats::nearest::nearest;
use crate::formats::permissions::read_setting;

/// Error in the settings of a role that do not name an agent that can be started.
#[derive(Debug, thiserror::Error)]
#[error("could not use {what}: {why}")]
pub struct RoleError {
    /// Prefix of the settings it is about: `roles.developer.`, `stages.review.`.
    pub keys: String,
    what: String,
    why: String,
}

impl From<RoleError> for String {
    fn from(error: RoleError) -> String {
        error.to_string()
    }
}

/// Returns the agents by role that these settings name, and errors for those that name no agent that can be started.
pub fn kinds(config: &Config) -> (AgentsByRole, Vec<RoleError>) {
    let (mut kinds, mut errors) = (AgentsByRole::default(), Vec::new());
    let commands = BTreeMap::from_iter(config.family(&schema::ROLE_COMMAND));
    let agents = BTreeMap::from_iter(config.family(&schema::ROLE_AGENT));
    let roles: BTreeSet<&String> = agents.keys().chain(commands.keys()).collect();
    for role in roles {
        let found = tool(config, role, agents.get(role), commands.get(role));
        let Some(tool) = noted(found, &mut errors).flatten() else {
            continue;
        };
        let agent = RoleAgent {
            tool,
            options: options(config, role),
        };
        if role == "default" {
            kinds.default = Some(agent);
        } else {
            kinds.by_role.insert(RoleId::new(role.as_str()), agent);
        }
    }
    add_roles_with_options(config, &mut kinds);
    let by_role = kinds.by_role.iter().map(|(role, agent)| (role.as_str(), agent));
    for (role, agent) in by_role.chain(kinds.default.iter().map(|agent| ("default", agent))) {
        noted(check_mode(config, role, agent), &mut errors);
    }
    let layers = agent_layers::read(config);
    let mut tools = BTreeMap::new();
    for (stage, said) in &layers.by_stage {
        let Some(agent) = &said.agent else { continue };
        let tool = noted(stage_tool(config, stage.as_str(), agent), &mut errors);
        tools.extend(tool.map(|tool| (agent.clone(), tool)));
    }
    kinds.add_layers(layers, tools);
    (kinds, errors)
}

/// Returns the value found; an error is added to `errors`.
fn noted<T>(found: Result<T, RoleError>, errors: &mut Vec<RoleError>) -> Option<T> {
    found.map_err(|error| errors.push(error)).ok()
}

/// The agents that can work without an interface, as `claude, codex or opencode`.
fn able_without_interface(config: &Config) -> String {
    let described = config.agent_kinds().all().into_iter();
    let described = described.map(|kind| AgentTool::Described(DescribedAgent(kind)));
    let tools = [AgentTool::Claude(ClaudeAgent), AgentTool::Codex(CodexAgent)];
    let names: Vec<String> = tools
        .into_iter()
        .chain(described)
        .filter(|tool| tool.kind().runs_headless())
        .filter_map(|tool| Some(tool.kind().name()?.to_owned()))
        .collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// Looks whether the agent of a role can do without its interface where the settings say so.
fn check_mode(config: &Config, role: &str, agent: &RoleAgent) -> Result<(), RoleError> {
    let kind = agent.tool.kind();
    if agent.options.mode != AgentDisplay::Headless || kind.runs_headless() {
        return Ok(());
    }
    // A mode that a role does not set itself is at `default`.
    let said = [role, "default"].map(|role| config.explain(&format!("roles.{role}.mode")));
    let said = said.into_iter().flatten().find(|said| said.value.is_some());
    let at = said.map_or_else(String::new, |said| format!(", at {}", said.origin));
    let name = kind.name().unwrap_or("custom");
    Err(RoleError {
        keys: format!("roles.{role}."),
        what: format!("mode headless for role {role}{at}"),
        why: format!(
            "its agent {name} runs only with its own interface here; set it with `dbs config roles.{role}.mode visible`, or let \
             {} play this role",
            able_without_interface(config)
        ),
    })
}

/// A role that only says how it uses its agent has that of `default`.
fn add_roles_with_options(config: &Config, kinds: &mut AgentsByRole) {
    let Some(tool) = kinds.default.as_ref().map(|agent| agent.tool.clone()) else {
        return;
    };
    let texts = [
        &schema::ROLE_PERMISSIONS,
        &schema::ROLE_MODEL,
        &schema::ROLE_EFFORT,
        &schema::ROLE_MODE,
    ];
    let texts = texts
        .into_iter()
        .flat_map(|key| config.family(key))
        .map(|(role, _)| role);
    let switches = config
        .family(&schema::ROLE_RESUME)
        .into_iter()
        .map(|(role, _)| role);
    for role in texts.chain(switches).filter(|role| role != "default") {
        let agent = || RoleAgent {
            tool: tool.clone(),
            options: options(config, &role),
        };
        kinds
            .by_role
            .entry(RoleId::new(role.as_str()))
            .or_insert_with(agent);
    }
}

/// The tool that the settings name for a role, if they name one.
fn tool(
    config: &Config,
    role: &str,
    agent: Option<&String>,
    command: Option<&String>,
) -> Result<Option<AgentTool>, RoleError> {
    let failed = |agent: &str, why: String| RoleError {
        keys: format!("roles.{role}."),
        what: format!("agent {agent} for role {role}"),
        why,
    };
    Ok(Some(match (agent.map(String::as_str), command) {
        (Some("rehearsal"), _) => AgentTool::Rehearsal(rehearsal(config)),
        (Some("claude"), _) => AgentTool::Claude(ClaudeAgent),
        (Some("codex"), _) => AgentTool::Codex(CodexAgent),
        (None | Some("custom"), Some(command)) => AgentTool::Custom(CustomAgent(words(role, command)?)),
        (Some("custom"), None) => {
            let why = format!(
                "it has no command yet; set it with `dbs config roles.{role}.command 'PROGRAM ARGUMENT …'`"
            );
            return Err(failed("custom", why));
        }
        (Some(other), _) => match config.agent_kinds().get(other) {
            Some(Ok(kind)) => AgentTool::Described(DescribedAgent(kind)),
            Some(Err(why)) => return Err(failed(other, why.text)),
            None => {
                let unknown = unknown_kind(config, other);
                let why = format!(
                    "{unknown}, or set roles.{role}.agent to custom and roles.{role}.command to its command line"
                );
                return Err(failed(other, why));
            }
        },
        (None, None) => return Ok(None),
    }))
}

/// The agent that a stage names.
///
/// # Errors
/// When there is none of that name, or it is a command of one's own, which only a role has.
fn stage_tool(config: &Config, stage: &str, name: &str) -> Result<AgentTool, RoleError> {
    let key = format!("stages.{stage}.agent");
    let failed = |why: String| RoleError {
        keys: format!("stages.{stage}."),
        what: format!("agent {name} for stage {stage}, at {}", origin(config, &key)),
        why,
    };
    match name {
        "rehearsal" => Ok(AgentTool::Rehearsal(rehearsal(config))),
        "claude" => Ok(AgentTool::Claude(ClaudeAgent)),
        "codex" => Ok(AgentTool::Codex(CodexAgent)),
        "custom" => Err(failed(format!(
            "a command line of one's own belongs to a role; set it with `dbs config roles.ROLE.command`, and take this away with \
             `dbs config {key} --unset`"
        ))),
        _ => match config.agent_kinds().get(name) {
            Some(kind) => kind
                .map(|kind| AgentTool::Described(DescribedAgent(kind)))
                .map_err(|why| failed(why.text)),
            None => Err(failed(format!(
                "{}, or take it away with `dbs config {key} --unset`",
                unknown_kind(config, name)
            ))),
        },
    }
}

/// Returns the place where a setting was read, or its key where that is not known.
fn origin(config: &Config, key: &str) -> String {
    let said = config.explain(key);
    said.map_or_else(|_| key.to_owned(), |said| said.origin.to_string())
}

/// Names of all kinds of agents that there are.
pub fn agent_names(config: &Config) -> Vec<String> {
    let described = config.agent_kinds().all().into_iter();
    let described = described.map(|kind| kind.name.clone());
    RESERVED.into_iter().map(str::to_owned).chain(described).collect()
}

/// Returns the message for an unknown kind of agent, with the names that exist.
fn unknown_kind(config: &Config, name: &str) -> String {
    let known = agent_names(config);
    let meant = nearest(name, &known);
    format!(
        "there is no kind of agent of that name{}; there are {}; describe it in .debussy/agents/{name}.toml",
        meant.map_or_else(String::new, |word| format!(", did you mean `{word}`")),
        known.join(", ")
    )
}

fn rehearsal(config: &Config) -> RehearsalAgent {
    RehearsalAgent {
        scenario: config.value(&schema::REHEARSAL_SCENARIO).into_owned(),
        speed: config.value(&schema::REHEARSAL_SPEED).to_string(),
        answer_after: (config.value(&schema::REHEARSAL_ANSWER_AFTER)).map(|seconds| seconds.to_string()),
        person_file: None,
    }
}

/// Returns true if a role has an agent of its own that differs from that of `default`. The names of models and efforts are those of one
/// tool, and another tool would not start with them.
fn has_another_agent(config: &Config, role: &str) -> bool {
    let value = |key, role: &str| BTreeMap::from_iter(config.family::<String>(key)).remove(role);
    let custom = |role: &str| value(&schema::ROLE_COMMAND, role).map(|_| "custom".to_owned());
    let named = |role: &str| value(&schema::ROLE_AGENT, role).or_else(|| custom(role));
    matches!((named(role), named("default")), (Some(own), Some(usual)) if own != usual)
}

/// Returns the options of a role for its agent; what the role does not set is as for `default`, except the model and the effort of another
/// agent.
fn options(config: &Config, role: &str) -> RoleOptions {
    fn of<T>(all: Vec<(String, T)>, role: &str) -> Option<T> {
        let mut all = BTreeMap::from_iter(all);
        all.remove(role).or_else(|| all.remove("default"))
    }
    let is_another = has_another_agent(config, role);
    let of_tool = |key| {
        let mut all = config.family(key);
        all.retain(|(name, _)| name == role || !is_another);
        of(all, role)
    };
    // The table of settings lets nothing through that cannot be read.
    let (rules, permissions) = of(config.family(&schema::ROLE_PERMISSIONS), role)
        .and_then(|text| read_setting(&text).ok())
        .unwrap_or_default();
    RoleOptions {
        permissions,
        rules,
        model: of_tool(&schema::ROLE_MODEL),
        effort: of_tool(&schema::ROLE_EFFORT),
        resume: match of(config.family(&schema::ROLE_RESUME), role) {
            Some(false) => SessionPolicy::BeginAfresh,
            Some(true) | None => SessionPolicy::Continue,
        },
        mode: match of(config.family(&schema::ROLE_MODE), role).as_deref() {
            Some("headless") => AgentDisplay::Headless,
            Some(_) | None => AgentDisplay::Visible,
        },
    }
}

/// A command line as program and arguments; no shell is involved.
fn words(role: &str, command: &str) -> Result<Vec<String>, RoleError> {
    let why = match shell_words::split(command) {
        Ok(words) if !words.is_empty() => return Ok(words),
        Ok(_) => "it is empty".to_owned(),
        Err(error) => error.to_string(),
    };
    Err(RoleError {
        keys: format!("roles.{role}."),
        what: format!("roles.{role}.command"),
        why,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigFiles, ConfigOverrides};

    /// Model, effort and mode of a reviewer.
    fn reviewer(text: &str) -> (Option<String>, Option<String>, AgentDisplay) {
        let folder = tempfile::tempdir().unwrap();
        let files = ConfigFiles::new(folder.path(), None, None);
        std::fs::write(files.toml(), text).unwrap();
        let (kinds, errors) = kinds(&Config::read(&files, &ConfigOverrides::default()));
        assert!(errors.is_empty(), "{errors:?}");
        let options = kinds.by_role[&RoleId::from("reviewer")].options.clone();
        (options.model, options.effort, options.mode)
    }

    #[test]
    fn a_role_with_another_agent_does_not_take_over_the_model_and_effort_of_the_default() {
        let usual = "[roles.default]\nagent = \"claude\"\nmodel = \"opus\"\neffort = \"high\"\nmode = \"headless\"\n\
                     [roles.reviewer]\n";
        let both = (Some("opus".to_owned()), Some("high".to_owned()));
        let of = |text: &str| reviewer(&format!("{usual}{text}"));
        let headless = AgentDisplay::Headless;
        assert_eq!(of("agent = \"codex\"\n"), (None, None, headless));
        let own = "agent = \"codex\"\nmodel = \"gpt\"\n";
        assert_eq!(of(own), (Some("gpt".to_owned()), None, headless));
        assert_eq!(
            of("agent = \"claude\"\n"),
            (both.0.clone(), both.1.clone(), headless)
        );
        assert_eq!(of("resume = false\n"), (both.0, both.1, headless));
    }
}
