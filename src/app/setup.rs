//! What a session is started with: everything that comes from configuration, arguments and environment, as plain values.

mod file;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;


use file::File;

use super::edge::Edge;
use super::place::Place;
use crate::adapters::agents::{Inherited, Kind};
use crate::domain::task::GateCommand;
use crate::domain::{RoleId, Settings, Span, Workflow};
use crate::formats::workflow;
use crate::term::EngineKind;

/// What a session is started with.
#[derive(Debug, Clone)]
pub struct Setup {
    /// This program, to be started as holder and as scripted agent.
    pub program: PathBuf,
    /// The person's environment, for git.
    pub environment: Vec<(OsString, OsString)>,
    /// The part of it that agents and gates get.
    pub inherited: Inherited,
    /// The person's shell.
    pub shell: PathBuf,
    /// Settings of the rules.
    pub settings: Settings,
    /// Workflows in force.
    pub workflows: Vec<Workflow>,
    /// Agents by role.
    pub agents: BTreeMap<RoleId, Kind>,
    /// Agent of every other role.
    pub other_agents: Option<Kind>,
    /// Whether any agent is a scripted one; screens say so.
    pub rehearsal: bool,
    /// The emulator of terminals.
    pub engine: EngineKind,
    /// Lines kept above each screen.
    pub history: usize,
    /// Bytes of log kept per attempt.
    pub log_limit: Option<u64>,
    /// Longest run of a gate.
    pub gate_timeout: Duration,
}

/// The setup without any configuration file.
///
/// # Errors
/// When the built-in workflows cannot be read; a test keeps that from being shipped.
pub fn defaults(edge: &Edge) -> Result<Setup, String> {
    Ok(Setup {
        program: edge.program.clone(),
        environment: edge.environment.clone(),
        inherited: Inherited::from_environment(edge.text_environment()),
        shell: super::server::shells::program(edge.get("SHELL")),
        settings: Settings::default(),
        workflows: workflows(None)?,
        agents: BTreeMap::new(),
        other_agents: None,
        rehearsal: false,
        engine: EngineKind::default(),
        history: 10_000,
        log_limit: None,
        gate_timeout: Duration::from_secs(600),
    })
}

/// The built-in workflows, replaced and joined by those of the project (`.debussy/workflows/*.toml`).
///
/// # Errors
/// Every finding, one line each, with file and line.
pub fn workflows(project: Option<&Place>) -> Result<Vec<Workflow>, String> {
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
        let text =
            std::fs::read_to_string(&file).map_err(|error| format!("could not read {}: {error}", file.display()))?;
        take(&file, &text);
    }
    if problems.is_empty() { Ok(found.into_values().collect()) } else { Err(problems.join("\n")) }
}

/// Workflow files of the project.
///
/// # Errors
/// When the folder cannot be listed.
pub fn own_workflows(place: &Place) -> Result<Vec<PathBuf>, String> {
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

/// The setup of a project: built-in values, then its configuration.
///
/// # Errors
/// What is wrong with a file, with file and line.
pub fn read(place: &Place, edge: &Edge) -> Result<Setup, String> {
    let mut setup = defaults(edge)?;
    let file = File::read(place)?;
    (setup.settings, setup.workflows) = reread(place)?;
    let rehearsal = file.rehearsal;
    let scripted = |scenario: &str| Kind::Rehearsal {
        scenario: if scenario.is_empty() { rehearsal.scenario.clone() } else { scenario.to_owned() },
        speed: rehearsal.speed.to_string(),
        answer_after: rehearsal.answer_after.map(|seconds| seconds.to_string()),
    };
    for (name, role) in &file.roles {
        let kind = match (role.agent.as_str(), &role.command) {
            ("rehearsal", _) => scripted(&role.scenario),
            (_, Some(command)) => Kind::Custom(words(name, command)?),
            (other, None) => return Err(format!("could not use agent {other:?} for role {name}: set roles.{name}.command")),
        };
        setup.rehearsal |= matches!(kind, Kind::Rehearsal { .. });
        if name == "default" {
            setup.other_agents = Some(kind);
        } else {
            setup.agents.insert(RoleId::new(name.clone()), kind);
        }
    }
    Ok(setup)
}

/// Settings and workflows as they are now, for a server that runs already.
///
/// # Errors
/// As [`read`].
pub fn reread(place: &Place) -> Result<(Settings, Vec<Workflow>), String> {
    let file = File::read(place)?;
    let span = |seconds: f64| Span(Duration::from_secs_f64(seconds.clamp(0.0, 1e9)).as_millis().try_into().unwrap_or(u64::MAX));
    let mut settings = Settings {
        max_agents: file.max_total_agents,
        agent_timeout: Span::seconds(file.agent_timeout),
        base: file.base_branch,
        cooldown: file.cooldown.map(span),
        ..Settings::default()
    };
    if let Some(seconds) = file.crash_backoff {
        settings.crash_backoff = span(seconds);
    }
    let gate = |(name, command): (String, String)| GateCommand { name, command };
    settings.gates = file.gates.into_iter().map(gate).collect();
    Ok((settings, workflows(Some(place))?))
}

/// A command line as program and arguments; no shell is involved.
fn words(role: &str, command: &str) -> Result<Vec<String>, String> {
    match shell_words::split(command) {
        Ok(words) if !words.is_empty() => Ok(words),
        Ok(_) => Err(format!("could not use roles.{role}.command: it is empty")),
        Err(error) => Err(format!("could not use roles.{role}.command: {error}")),
    }
}
