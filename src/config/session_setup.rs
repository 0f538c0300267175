//! What a session is started with: everything that comes from configuration, arguments and environment, as plain values.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::adapters::agents::{AgentConfig, AgentsByRole, InheritedEnv};
use crate::config::Config;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::domain::{BoardSettings, RoleId, Workflow};
use crate::formats::workflow;
use crate::term::EmulatorKind;

/// Everything a session is started with, from configuration, arguments and environment.
#[derive(Debug, Clone)]
pub struct SessionSetup {
    /// This program, to be started as holder and as scripted agent.
    pub program: PathBuf,
    /// The person's environment, for git.
    pub environment: Vec<(OsString, OsString)>,
    /// The part of it that agents and gates get.
    pub inherited: InheritedEnv,
    /// The person's shell.
    pub shell: PathBuf,
    /// Settings of the rules.
    pub settings: BoardSettings,
    /// Whether the board begins paused.
    pub paused: bool,
    /// Workflows in force.
    pub workflows: Vec<Workflow>,
    /// Which agent plays which role.
    pub agents: AgentsByRole,
    /// The emulator of terminals.
    pub engine: EmulatorKind,
    /// Lines kept above each screen.
    pub history: usize,
    /// Bytes of log kept per attempt.
    pub log_limit: Option<u64>,
    /// Who signs what the engine commits for agents, as `Name <address>`.
    pub author: Option<String>,
    /// Longest run of a gate.
    pub gate_timeout: Duration,
}

/// The setup without any configuration file.
///
/// # Errors
/// When the built-in workflows cannot be read; a test keeps that from being shipped.
pub fn defaults(edge: &ProcessEnv) -> Result<SessionSetup, String> {
    Ok(SessionSetup {
        program: edge.program.clone(),
        environment: edge.environment.clone(),
        inherited: InheritedEnv::from_environment(edge.text_environment()),
        shell: shell(edge.get("SHELL")),
        settings: BoardSettings::default(),
        paused: false,
        workflows: workflows(None)?,
        agents: AgentsByRole::default(),
        engine: EmulatorKind::default(),
        history: 10_000,
        log_limit: None,
        author: None,
        gate_timeout: Duration::from_mins(10),
    })
}

/// The built-in workflows, replaced and joined by those of the project (`.debussy/workflows/*.toml`); with agents that merge
/// where the setting `merge` says so.
///
/// # Errors
/// Every finding, one line each, with file and line.
pub fn workflows(project: Option<&ProjectPaths>) -> Result<Vec<Workflow>, String> {
    let mut found: BTreeMap<String, Workflow> = BTreeMap::new();
    let mut problems = Vec::new();
    let mut take = |file: &Path, text: &str| {
        let (flow, diagnostics) = workflow::read(file, text);
        problems.extend(diagnostics.iter().map(ToString::to_string));
        if let Some(flow) = flow {
            found.insert(flow.id.as_str().to_owned(), flow);
        }
    };
    for (name, text) in workflow::builtin() {
        take(Path::new(name), text);
    }
    for file in project.map(own_workflows).transpose()?.unwrap_or_default() {
        let text = std::fs::read_to_string(&file)
            .map_err(|error| format!("could not read {}: {error}", file.display()))?;
        take(&file, &text);
    }
    if !problems.is_empty() {
        return Err(problems.join("\n"));
    }
    let mut flows: Vec<Workflow> = found.into_values().collect();
    if project.is_some_and(|place| place.config().text("merge").as_deref() == Some("agent")) {
        flows.iter_mut().for_each(Workflow::merge_by_agent);
    }
    Ok(flows)
}

/// Workflow files of the project.
///
/// # Errors
/// When the folder cannot be listed.
pub fn own_workflows(place: &ProjectPaths) -> Result<Vec<PathBuf>, String> {
    let folder = &place.workflows;
    let failed = |error: std::io::Error| format!("could not list {}: {error}", folder.display());
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|end| end == "toml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The setup of a project: built-in values, then its configuration. What is not understood in a file is passed over, kept, and
/// told by `dbs doctor` and `dbs config`.
///
/// # Errors
/// What is wrong with a workflow or an agent's command.
pub fn read(place: &ProjectPaths, edge: &ProcessEnv) -> Result<SessionSetup, String> {
    let mut setup = defaults(edge)?;
    let config = Config::read(&place.sources.files, &place.sources.overrides);
    (setup.settings, setup.workflows) = reread(place)?;
    setup.paused = config.switch("paused");
    setup.agents = kinds(&config)?;
    setup.engine = match config.text("terminal.engine").as_deref() {
        Some("vt100") => EmulatorKind::Vt100,
        _ => EmulatorKind::Rio,
    };
    setup.log_limit = u64::try_from(config.count("terminal.log_limit_mib"))
        .ok()
        .map(|mib| mib * 1024 * 1024);
    setup.author = config.text("commit.author");
    setup.gate_timeout =
        Duration::from_secs(u64::try_from(config.count("limits.gate_timeout")).unwrap_or(300));
    Ok(setup)
}

/// Which agent plays which role, as the configuration has it now; also for a server that runs already.
///
/// # Errors
/// What is wrong with an agent's command.
pub fn agents(place: &ProjectPaths) -> Result<AgentsByRole, String> {
    kinds(&Config::read(&place.sources.files, &place.sources.overrides))
}

fn kinds(config: &Config) -> Result<AgentsByRole, String> {
    let mut kinds = AgentsByRole::default();
    let scripted = || AgentConfig::Rehearsal {
        scenario: config
            .text("rehearsal.scenario")
            .unwrap_or_else(|| "demo".to_owned()),
        speed: config.decimal("rehearsal.speed").unwrap_or(1.0).to_string(),
        answer_after: config
            .decimal("rehearsal.answer_after")
            .map(|seconds| seconds.to_string()),
    };
    for shown in config.list() {
        let ["roles", role, "agent" | "command"] = shown.key.split('.').collect::<Vec<_>>()[..] else {
            continue;
        };
        let command = config.text(&format!("roles.{role}.command"));
        let kind = match (config.text(&format!("roles.{role}.agent")).as_deref(), command) {
            (Some("rehearsal"), _) => scripted(),
            (None | Some("custom"), Some(command)) => AgentConfig::Custom(words(role, &command)?),
            (Some("custom"), None) => {
                return Err(format!(
                    "could not use agent custom for role {role}: it has no command yet; set it with `dbs config \
                     roles.{role}.command 'PROGRAM ARGUMENT …'`"
                ));
            }
            (Some(other), _) => {
                return Err(format!(
                    "could not use agent {other} for role {role}: this version starts `rehearsal` and `custom` agents; set \
                     roles.{role}.agent to custom and roles.{role}.command to its command line"
                ));
            }
            (None, None) => continue,
        };
        if role == "default" {
            kinds.default = Some(kind);
        } else {
            kinds.by_role.insert(RoleId::new(role), kind);
        }
    }
    Ok(kinds)
}

/// Settings and workflows as they are now, also for a server that runs already.
///
/// # Errors
/// What is wrong with a workflow.
pub fn reread(place: &ProjectPaths) -> Result<(BoardSettings, Vec<Workflow>), String> {
    let config = Config::read(&place.sources.files, &place.sources.overrides);
    for finding in config.diagnostics() {
        tracing::warn!("{finding}");
    }
    Ok((config.settings(), workflows(Some(place))?))
}

/// A command line as program and arguments; no shell is involved.
fn words(role: &str, command: &str) -> Result<Vec<String>, String> {
    match shell_words::split(command) {
        Ok(words) if !words.is_empty() => Ok(words),
        Ok(_) => Err(format!("could not use roles.{role}.command: it is empty")),
        Err(error) => Err(format!("could not use roles.{role}.command: {error}")),
    }
}

/// The person's shell.
fn shell(wanted: Option<String>) -> PathBuf {
    wanted.map_or_else(
        || PathBuf::from(if cfg!(windows) { "cmd.exe" } else { "/bin/sh" }),
        PathBuf::from,
    )
}
