//! Settings that the rules depend on: numbers a person can set, as one plain value.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::agent_choice::{AgentLayers, ChoiceSource};
use super::context_restart::ContextRules;
use super::delivery::DeliveryMode;
use super::id::{RoleId, StageId};
use super::session::ResumeRoles;
use super::task::{GateCommand, Task};
use super::time::{Span, Timestamp};
use super::usage::Cost;
use super::workflow::{GateSet, Stage};

/// Settings that the board's rules depend on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct BoardSettings {
    /// Maximum number of agents alive at a time (K48, `max_total_agents`).
    pub max_agents: u32,
    pub max_by_role: BTreeMap<RoleId, u32>,
    pub max_starts: u32,
    /// Maximum run time of one attempt (K32, `agent_timeout`).
    pub agent_timeout: Span,
    /// Time an agent may linger after its last signal before it is stopped.
    pub linger: Span,
    /// Time that commands and subagents may run after a turn of their agent before it is told to report, or ended after its report.
    #[serde(default = "background_time")]
    pub background: Span,
    /// Base branch of batches that name none (K61, K62).
    pub base: Option<String>,
    pub gates: Vec<GateCommand>,
    /// Names of gates that see nothing of what another gate has left, not even files that git ignores.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub fresh_gates: BTreeSet<String>,
    /// First wait after an infrastructure failure; doubles up to five minutes.
    pub infra_backoff: Span,
    /// First wait after a crash; doubles up to five minutes.
    pub crash_backoff: Span,
    pub cooldown: Option<Span>,
    /// Maximum amount of money that agents may use.
    #[serde(default, skip_serializing_if = "Budgets::is_none")]
    pub budgets: Budgets,
    /// Rules for restarting agents whose context fills up.
    #[serde(default = "ContextRules::off", skip_serializing_if = "ContextRules::is_off")]
    pub context: ContextRules,
    /// True if the engine commits the work that agents leave uncommitted, if their stage asks for it (C13).
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub auto_commit: bool,
    /// True if a finding that would be a warning has to be fixed (LP-32).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// Setting of what happens to the person's checkout after a merge.
    #[serde(default, skip_serializing_if = "DeliveryMode::is_off")]
    pub deliver: DeliveryMode,
    /// True if notes of a phase that are missing are only a warning, unless there is more to fix (P34).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accepts_missing_notes: bool,
    /// Roles whose agents continue their session after an interruption.
    #[serde(default, skip_serializing_if = "ResumeRoles::is_none")]
    pub resume: ResumeRoles,
    /// Agents by role and by stage, with their models and other settings.
    #[serde(default, skip_serializing_if = "AgentLayers::is_none")]
    pub agents: AgentLayers,
    /// Files of the project with executable text that no person has trusted yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<UntrustedFiles>,
    /// Settings that cannot be used as they are written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<SettingFault>,
    /// Last change, while a server ran, of settings that run, send or steer something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<SettingsChange>,
    /// Keys that edited files have changed since a person last changed such settings by a command. The board keeps them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub edited: BTreeSet<String>,
}

/// Change of settings that run, send or steer something, while a server ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingsChange {
    /// Line that people get.
    pub text: String,
    pub keys: BTreeSet<String>,
    /// True if a file was edited; otherwise a person gave a command.
    pub is_edit: bool,
    pub at: Timestamp,
}

impl BoardSettings {
    /// Returns the gates that are run for a task at a stage: its own first, then those of the settings.
    pub fn gates_of(&self, task: &Task, stage: &Stage) -> Vec<GateCommand> {
        let all = task.gates.iter().chain(&self.gates);
        let run = all.filter(|gate| stage.gates != GateSet::None && stage.runs_gate(&gate.name));
        run.cloned().collect()
    }

    /// Returns these settings as they follow those in force before, with the changes that are kept from them.
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

fn background_time() -> Span {
    BoardSettings::BACKGROUND
}

fn yes() -> bool {
    true
}

/// Maximum amount of money that agents may use; unlimited if nothing is set. Costs that a tool does not report are not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Budgets {
    /// Limit for one task, since a person last retried it because of its budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Cost>,
    /// Limit for all agents together on one day (UTC).
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
    /// Description of the text, and the way to trust it; one line.
    pub text: String,
    /// True if nothing may start until the text is trusted; otherwise the version trusted before stays in use.
    pub holds: bool,
}

/// Setting that cannot be used as it is written. Everything that depends on it waits until it is repaired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingFault {
    /// Fault, its place and the way to repair it; one line.
    pub text: String,
    pub reach: FaultReach,
}

/// Attempts that depend on a setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultReach {
    Everything,
    /// Attempts that start from that branch or are merged into it.
    Base(String),
    /// Agents in that role that no task and no stage names.
    Role(RoleId),
    /// Agents of roles that have no agent of their own.
    DefaultRole,
    /// Agents that the settings name for that stage.
    Stage(StageId),
}

impl FaultReach {
    /// Returns true if the fault affects an agent in that role at that stage, whose choice was made by that place.
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

/// Default values; the table of settings shows them to people.
impl BoardSettings {
    /// Default of [`BoardSettings::max_agents`].
    pub const MAX_AGENTS: u32 = 8;
    /// Default of [`BoardSettings::max_starts`].
    pub const MAX_STARTS: u32 = 2;
    /// Default of [`BoardSettings::agent_timeout`].
    pub const AGENT_TIMEOUT: Span = Span::minutes(60);
    /// Default of [`BoardSettings::linger`].
    pub const LINGER: Span = Span::seconds(5);
    /// Default of [`BoardSettings::background`].
    pub const BACKGROUND: Span = Span::minutes(5);
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
            background: BoardSettings::BACKGROUND,
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
            deliver: DeliveryMode::Off,
            accepts_missing_notes: false,
            resume: ResumeRoles::default(),
            agents: AgentLayers::default(),
            untrusted: None,
            faults: Vec::new(),
            change: None,
            edited: BTreeSet::new(),
        }
    }
}
