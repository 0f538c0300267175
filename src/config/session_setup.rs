//! Setup of a session: everything that comes from configuration, arguments and environment, as plain values.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::adapters::agents::{AgentsByRole, LiveEnv, PersonEnv};
use crate::adapters::load::agents_that_fit;
use crate::config::atdd::{PassingTests, StorySettings};
use crate::config::error::{ConfigError, WorkflowError};
use crate::config::faults;
use crate::config::file_stamps::FileStamps;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::config::role_agents::{RoleError, kinds};
use crate::config::themes::toml_paths;
use crate::config::value::AUTO;
use crate::config::workflow_limits;
use crate::config::{Config, SettingValue, schema};
use crate::display::{LeaveEffect, NextSteps};
use crate::domain::task::GateCommand;
use crate::domain::{BoardSettings, Budgets, ContextRules, Cost, DeliveryMode, MergeRules, RoleId, Workflow};
use crate::formats::plan::PlanKind;
use crate::formats::workflow;
use crate::term::EmulatorKind;

/// Everything a session is started with, from configuration, arguments and environment.
#[derive(Debug, Clone)]
pub struct SessionSetup {
    /// Path of this program, to be started as holder and as scripted agent.
    pub program: PathBuf,
    pub environment: Vec<(OsString, OsString)>,
    /// Message for people about the `PATH` of the environment.
    pub path_note: Option<String>,
    /// Part of the environment that agents, gates and shells get.
    pub inherited: LiveEnv,
    /// Text variables of the environment; each kind of agent gets those that are meant for it.
    pub person: PersonEnv,
    pub shell: PathBuf,
    pub settings: BoardSettings,
    pub paused: bool,
    pub workflows: Vec<Workflow>,
    pub agents: AgentsByRole,
    pub engine: EmulatorKind,
    pub history: usize,
    /// Bytes of log kept per attempt.
    pub log_limit: u64,
    /// Bytes of room on the disk below which no agent is started.
    pub min_free_disk: u64,
    /// Signature of the commits that the engine makes for agents, as `Name <address>`.
    pub author: Option<String>,
    /// First line of these commits, as a template.
    pub commit_message: Option<String>,
    /// Form and words of the engine's own merges.
    pub merging: MergeRules,
    pub gate_timeout: Duration,
    /// Effect on the session when its person leaves.
    pub on_leave: LeaveEffect,
    /// Next steps shown to that person after a demo.
    pub next_steps: NextSteps,
    /// The settings that are in force at the start. Later ones are compared with them.
    pub config: Config,
    /// Stamps of the settings files before they were read.
    pub stamps: FileStamps,
}

impl Config {
    /// Returns the settings that the rules need; everything else stays with the application.
    pub fn settings(&self) -> BoardSettings {
        let by_role = self.family(&schema::MAX_ROLE_AGENTS).into_iter();
        let gates = self.family(&schema::GATES).into_iter();
        let fresh_gates = self.family(&schema::GATE_FRESH).into_iter();
        let fresh_gates = fresh_gates.filter_map(|(name, is_fresh)| is_fresh.then_some(name));
        // The faults of agents are reported among the others.
        let (agents, _errors) = kinds(self);
        BoardSettings {
            max_agents: self.max_agents(),
            max_by_role: by_role.map(|(role, most)| (RoleId::new(role), most)).collect(),
            max_starts: self.value(&schema::LIMITS_STARTS_PER_TURN),
            agent_timeout: self.value(&schema::AGENT_TIMEOUT),
            linger: self.value(&schema::LIMITS_LINGER),
            background: self.value(&schema::LIMITS_BACKGROUND),
            base: self.value(&schema::BASE_BRANCH),
            gates: gates
                .map(|(name, command)| GateCommand { name, command })
                .collect(),
            fresh_gates: fresh_gates.collect(),
            infra_backoff: self.value(&schema::LIMITS_INFRA_BACKOFF),
            crash_backoff: self.value(&schema::LIMITS_CRASH_BACKOFF),
            cooldown: self.value(&schema::LIMITS_COOLDOWN),
            budgets: Budgets {
                task: budget(self.value(&schema::BUDGET_TASK)),
                day: budget(self.value(&schema::BUDGET_DAY)),
            },
            context: ContextRules {
                threshold: self.value(&schema::CONTEXT_THRESHOLD),
                tool_calls: self.value(&schema::CONTEXT_TOOL_CALLS),
                restarts: self.value(&schema::CONTEXT_RESTARTS),
                on_compaction: self.choice(&schema::CONTEXT_COMPACTION),
            },
            auto_commit: self.value(&schema::COMMIT_AUTO),
            strict: self.value(&schema::STRICT),
            deliver: match self.value(&schema::DELIVER).as_deref() {
                Some("fast-forward") => DeliveryMode::FastForward,
                Some("off") => DeliveryMode::Off,
                None if self.value(&schema::REMOTE) == "none" => DeliveryMode::FastForward,
                Some(_) | None => DeliveryMode::Tell,
            },
            accepts_missing_notes: self.choice(&schema::NOTES_MISSING),
            resume: agents.resume_roles(),
            agents: agents.layers,
            untrusted: self.untrusted().cloned(),
            faults: Vec::new(),
            change: None,
            edited: BTreeSet::new(),
        }
    }
}

impl Config {
    /// Returns the most agents at work at a time; measures the machine where the setting says so.
    fn max_agents(&self) -> u32 {
        let word = self.get(schema::MAX_TOTAL_AGENTS.name()).ok().flatten();
        match word {
            Some(SettingValue::Text(word)) if word == AUTO => agents_that_fit(),
            _ => self.value(&schema::MAX_TOTAL_AGENTS),
        }
    }
}

/// A budget as the settings write it, in dollars; 0 sets none.
fn budget(dollars: Option<f64>) -> Option<Cost> {
    dollars.and_then(Cost::of_dollars).filter(|cost| !cost.is_none())
}

/// Lines kept above each screen.
const HISTORY: usize = 10_000;

/// Creates the setup of a session without a project's own workflows.
///
/// # Errors
/// The fault of a built-in workflow; a test keeps it from being shipped.
pub fn of(config: &Config, env: &ProcessEnv) -> Result<SessionSetup, WorkflowError> {
    let person = PersonEnv::new(env.text_environment());
    Ok(SessionSetup {
        program: env.program.clone(),
        environment: env.environment.clone(),
        path_note: env.left_out_text().map(|text| format!("PATH: {text}")),
        inherited: LiveEnv::new(&config.environment_rules(), person.clone(), None),
        person,
        shell: shell(env.get("SHELL")),
        settings: config.settings(),
        paused: config.value(&schema::PAUSED),
        workflows: workflows(None)?,
        agents: kinds(config).0,
        engine: config.choice(&schema::TERMINAL_ENGINE),
        history: HISTORY,
        min_free_disk: config.value(&schema::DISK_MIN_FREE).0,
        log_limit: u64::from(config.value(&schema::TERMINAL_LOG_LIMIT_MIB)) * 1024 * 1024,
        author: config.value(&schema::COMMIT_AUTHOR),
        commit_message: config.value(&schema::COMMIT_MESSAGE),
        merging: MergeRules {
            via: config.choice(&schema::MERGE_VIA),
            style: config.choice(&schema::MERGE_STYLE),
            message: config.value(&schema::MERGE_MESSAGE),
        },
        gate_timeout: Duration::from_millis(config.value(&schema::LIMITS_GATE_TIMEOUT).0),
        on_leave: LeaveEffect::GoesOn,
        next_steps: NextSteps::default(),
        config: config.clone(),
        stamps: FileStamps::default(),
    })
}

/// Returns the built-in workflows, replaced and joined by those of the project (`.debussy/workflows/*.toml`) that are trusted; with agents
/// that merge where the setting `merge` says so.
///
/// # Errors
/// Every finding, one line each, with file and line.
pub fn workflows(project: Option<&ProjectPaths>) -> Result<Vec<Workflow>, WorkflowError> {
    let config = project.map(ProjectPaths::read_config);
    workflows_by(project.zip(config.as_ref()))
}

/// The same by those settings of the project.
fn workflows_by(project: Option<(&ProjectPaths, &Config)>) -> Result<Vec<Workflow>, WorkflowError> {
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
    for (file, text) in project
        .map(|(place, _)| place.trust.workflows())
        .unwrap_or_default()
    {
        take(&file, &text);
    }
    if !problems.is_empty() {
        return Err(WorkflowError(problems));
    }
    let mut flows: Vec<Workflow> = found.into_values().collect();
    if let Some((_, config)) = project {
        if config.choice(&schema::MERGE_BY_AGENT) {
            flows.iter_mut().for_each(Workflow::merge_by_agent);
        }
        workflow_limits::apply(config, &mut flows);
        let stories = StorySettings::of(config);
        let is_story = |flow: &&mut Workflow| flow.id.as_str() == PlanKind::Stories.workflow();
        for flow in flows.iter_mut().filter(is_story) {
            if stories.passing_tests == PassingTests::Ask {
                flow.ask_about_first_runs();
            }
            if stories.heal > 0 {
                flow.heal();
            }
        }
    }
    Ok(flows)
}

/// Workflow files of the project.
///
/// # Errors
/// When the folder cannot be listed.
pub fn own_workflows(paths: &ProjectPaths) -> Result<Vec<PathBuf>, ConfigError> {
    let folder = &paths.workflows;
    toml_paths(folder).map_err(|why| ConfigError::Failed {
        act: "list",
        path: folder.clone(),
        why,
    })
}

/// Reads the setup of a project. Text of a file that is not understood is ignored, kept, and reported by `dbs doctor` and `dbs config`;
/// unusable values are among the faults of the board's settings.
///
/// # Errors
/// The fault of a workflow.
pub fn read(paths: &ProjectPaths, env: &ProcessEnv) -> Result<SessionSetup, WorkflowError> {
    // First, so that a later comparison notices changes that were made while they were read.
    let stamps = FileStamps::now(paths);
    let config = paths.read_config();
    let (mut settings, workflows) = rules(paths, &config)?;
    settings.faults = faults::all(paths, &config, &workflows);
    let setup = of(&config, env)?;
    let rules = config.environment_rules();
    Ok(SessionSetup {
        settings,
        workflows,
        stamps,
        inherited: LiveEnv::new(&rules, setup.person.clone(), Some(&paths.root)),
        ..setup
    })
}

/// Returns the agents of the roles as the configuration has them now; also for a server that runs already.
///
/// # Errors
/// The first fault of an agent's settings.
pub fn agents(paths: &ProjectPaths) -> Result<AgentsByRole, RoleError> {
    let (kinds, errors) = kinds(&paths.read_config());
    errors.into_iter().next().map_or(Ok(kinds), Err)
}

/// Reads settings and workflows as they are now, also for a server that runs already.
///
/// # Errors
/// The fault of a workflow.
pub fn reread(paths: &ProjectPaths) -> Result<(BoardSettings, Vec<Workflow>), WorkflowError> {
    rules(paths, &paths.read_config())
}

/// Reads the settings of the board and the workflows, by those settings of the project.
///
/// # Errors
/// The fault of a workflow.
pub fn rules(paths: &ProjectPaths, config: &Config) -> Result<(BoardSettings, Vec<Workflow>), WorkflowError> {
    for finding in config.diagnostics() {
        tracing::warn!("{finding}");
    }
    Ok((config.settings(), workflows_by(Some((paths, config)))?))
}

fn shell(wanted: Option<String>) -> PathBuf {
    wanted.map_or_else(
        || PathBuf::from(if cfg!(windows) { "cmd.exe" } else { "/bin/sh" }),
        PathBuf::from,
    )
}
