//! Settings that decide: numbers a person may set, as one plain value.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::agent_choice::{AgentLayers, ChoiceSource};
use super::context_restart::ContextRules;
use super::id::{RoleId, StageId};
use super::session::ResumeRoles;
use super::task::GateCommand;
use super::time::{Span, Timestamp};
use super::usage::Cost;

/// The settings that the board's rules depend on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardSettings {
    /// Most agents alive at a time (K48, `max_total_agents`).
    pub max_agents: u32,
    pub max_by_role: BTreeMap<RoleId, u32>,
    pub max_starts: u32,
    /// Longest run of one attempt (K32, `agent_timeout`).
    pub agent_timeout: Span,
    /// How long an agent may linger after its last word before it is stopped.
    pub linger: Span,
    /// Base branch of batches that name none (K61, K62).
    pub base: Option<String>,
    pub gates: Vec<GateCommand>,
    /// Names of gates that see nothing of what another gate has left, not even what git ignores.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub fresh_gates: BTreeSet<String>,
    /// First wait after an infrastructure failure; doubles up to five minutes.
    pub infra_backoff: Span,
    /// First wait after a crash; doubles up to five minutes.
    pub crash_backoff: Span,
    pub cooldown: Option<Span>,
    /// Most money that agents may use.
    #[serde(default, skip_serializing_if = "Budgets::is_none")]
    pub budgets: Budgets,
    /// When agents whose context fills up are started again.
    #[serde(default = "ContextRules::off", skip_serializing_if = "ContextRules::is_off")]
    pub context: ContextRules,
    /// Whether the engine commits what agents leave uncommitted, where their stage asks for it (C13).
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub auto_commit: bool,
    /// Whether a finding that would be a warning is to be fixed (LP-32).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// Whose agents go on with their session after an interruption.
    #[serde(default, skip_serializing_if = "ResumeRoles::is_none")]
    pub resume: ResumeRoles,
    /// Which agents work, by role and by stage, and how.
    #[serde(default, skip_serializing_if = "AgentLayers::is_none")]
    pub agents: AgentLayers,
    /// What of the project's own files no person has trusted yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<UntrustedFiles>,
    /// Settings that cannot be used as they are written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<SettingFault>,
    /// The last change, while a server ran, of what runs, sends or steers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<SettingsChange>,
    /// The keys that edited files have changed since a person changed such settings by a command. The board keeps them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub edited: BTreeSet<String>,
}

/// A change of settings that run, send or steer something, while a server ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingsChange {
    /// The line that people get.
    pub text: String,
    pub keys: BTreeSet<String>,
    /// Whether a file was edited; otherwise a person gave a command.
    pub is_edit: bool,
    pub at: Timestamp,
}

impl BoardSettings {
    /// These settings where those were in force before, with what stays of their changes.
    pub(crate) fn following(&self, before: &BoardSettings) -> BoardSettings {
        let mut next = self.clone();
        next.edited.clone_from(&before.edited);
        match &self.change {
            None => next.change.clone_from(&before.change),
            change if *change == before.change => {}
            Some(change) if change.is_edit => next.edited.extend(change.keys.iter().cloned()),
            Some(_) => next.edited.clear(),
        }
        next
    }
}

fn yes() -> bool {
    true
}

/// Most money that agents may use; none where nothing is set. What a tool does not report is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Budgets {
    /// For one task, since it was last retried by a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Cost>,
    /// For all agents together on one day (UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<Cost>,
}

impl Budgets {
    fn is_none(&self) -> bool {
        *self == Budgets::default()
    }
}

/// Executable text in the project's files that no person has trusted yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UntrustedFiles {
    /// What it is, and the way to trust it; one line.
    pub text: String,
    /// Whether nothing may start until it is trusted; otherwise what was trusted before goes on.
    pub holds: bool,
}

/// A setting that cannot be used as it is written. What depends on it waits until it is repaired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingFault {
    /// What is wrong, where it stands, and the way out; one line.
    pub text: String,
    pub reach: FaultReach,
}

/// The attempts that depend on a setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultReach {
    Everything,
    /// Whatever starts from that branch or is merged into it.
    Base(String),
    /// Agents in that role that no task and no stage names.
    Role(RoleId),
    /// Agents of roles that have none of their own.
    DefaultRole,
    /// Agents that the settings name for that stage.
    Stage(StageId),
}

impl FaultReach {
    /// Returns whether it reaches an agent in that role at that stage, whose choice was made by that place.
    pub(crate) fn includes_agent(&self, role: &RoleId, stage: &StageId, by: Option<ChoiceSource>) -> bool {
        let is_of_role = !matches!(by, Some(ChoiceSource::Task | ChoiceSource::Stage));
        match self {
            FaultReach::Everything => true,
            FaultReach::Base(_) => false,
            FaultReach::Role(other) => is_of_role && role == other,
            FaultReach::DefaultRole => is_of_role && by != Some(ChoiceSource::Role),
            FaultReach::Stage(other) => by == Some(ChoiceSource::Stage) && stage == other,
        }
    }
}

/// What holds where nobody set anything; the table of settings shows these to people.
impl BoardSettings {
    /// Default of [`BoardSettings::max_agents`].
    pub const MAX_AGENTS: u32 = 8;
    /// Default of [`BoardSettings::max_starts`].
    pub const MAX_STARTS: u32 = 2;
    /// Default of [`BoardSettings::agent_timeout`].
    pub const AGENT_TIMEOUT: Span = Span::minutes(60);
    /// Default of [`BoardSettings::linger`].
    pub const LINGER: Span = Span::seconds(5);
    /// Default of [`BoardSettings::infra_backoff`].
    pub const INFRA_BACKOFF: Span = Span::seconds(5);
    /// Default of [`BoardSettings::crash_backoff`].
    pub const CRASH_BACKOFF: Span = Span::seconds(10);
}

impl Default for BoardSettings {
    fn default() -> Self {
        BoardSettings {
            max_agents: BoardSettings::MAX_AGENTS,
            max_by_role: BTreeMap::new(),
            max_starts: BoardSettings::MAX_STARTS,
            agent_timeout: BoardSettings::AGENT_TIMEOUT,
            linger: BoardSettings::LINGER,
            base: None,
            gates: Vec::new(),
            fresh_gates: BTreeSet::new(),
            infra_backoff: BoardSettings::INFRA_BACKOFF,
            crash_backoff: BoardSettings::CRASH_BACKOFF,
            cooldown: None,
            budgets: Budgets::default(),
            context: ContextRules::default(),
            auto_commit: true,
            strict: false,
            resume: ResumeRoles::default(),
            agents: AgentLayers::default(),
            untrusted: None,
            faults: Vec::new(),
            change: None,
            edited: BTreeSet::new(),
        }
    }
}
