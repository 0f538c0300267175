//! Events: what happened, in the past tense. Every change of the board follows from one of these.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::ask::{Ask, AskReply};
use super::attempt::{ActivityKind, ProcessExit, Workplace};
use super::base_move::BaseMove;
use super::cause::Cause;
use super::command::Command;
use super::context_restart::SavedWork;
use super::evidence::{ComplianceIssue, Evidence, GateBaseline};
use super::id::{AskId, AttemptId, RequestId, TaskId};
use super::integration::Integration;
use super::plan_entry::Claims;
use super::plural::pluralized;
use super::settings::BoardSettings;
use super::signal::SignalKind;
use super::time::Timestamp;
use super::usage::{ContextFill, Usage};
use super::workflow::Workflow;

/// Something that happened, as the board takes it in and the store keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    Asked {
        request: RequestId,
        by: String,
        command: Command,
    },
    Configured(Box<BoardSettings>),
    /// The workflows were read, or changed; replaces all of them.
    WorkflowsLoaded(Vec<Workflow>),
    /// An attempt's workspace is ready and its process is about to be started: where it works, and from what, is known even if
    /// nobody hears how the start ends.
    WorkplaceMade {
        attempt: AttemptId,
        workplace: Workplace,
        /// Refs that keep what was put aside for an attempt that begins anew.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        kept: Vec<String>,
        /// What its gates said of the commit it begins at, where they were run before the work.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        gates_before: Vec<GateBaseline>,
    },
    AttemptStarted {
        attempt: AttemptId,
        workplace: Workplace,
    },
    /// An attempt's workspace or process could not be made: class Infra.
    AttemptNotStarted {
        attempt: AttemptId,
        why: Cause,
    },
    /// The session that an attempt was to go on with is not there, or may not be continued; it was not started.
    SessionLost {
        attempt: AttemptId,
        why: String,
    },
    /// Nobody could tell whether an attempt's process runs, so its start or its end is still open; it is asked for again.
    AttemptUnknown {
        attempt: AttemptId,
        why: Cause,
    },
    /// An attempt spoke; who it is was proved by its token.
    Signalled {
        attempt: AttemptId,
        kind: SignalKind,
        text: String,
        /// What it hands over besides: JSON as a rule.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        report: Option<String>,
        /// What the report claims, as far as it was understood.
        #[serde(default, skip_serializing_if = "Claims::is_none")]
        claims: Claims,
        /// Chosen by the sender; the same key counts once.
        key: String,
        /// It came as a file and not over the socket.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        by_file: bool,
    },
    Observed {
        attempt: AttemptId,
        doing: ActivityKind,
        source: String,
    },
    /// What the session of an attempt has used so far, and how full its context is.
    UsageReported {
        attempt: AttemptId,
        usage: Usage,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<ContextFill>,
    },
    /// A subagent of that name was seen at work for an attempt.
    SubagentSeen {
        attempt: AttemptId,
        name: String,
    },
    /// The tool of an attempt shortens its context by itself.
    ContextCompacted {
        attempt: AttemptId,
    },
    /// What an attempt whose context was full left is committed as far as it can be.
    WorkSaved {
        attempt: AttemptId,
        work: SavedWork,
    },
    /// An attempt's tool asks something by a request that waits for the reply.
    AskOpened {
        attempt: AttemptId,
        ask: Ask,
        /// The setting that answers by itself, and how.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<(String, AskReply)>,
    },
    /// Nobody waits for the reply to an ask any more.
    AskWithdrawn {
        attempt: AttemptId,
        ask: AskId,
    },
    /// The answer to a question in words was typed into its agent's terminal.
    AnswerTyped {
        attempt: AttemptId,
        ask: AskId,
    },
    /// The answer to an ask could not be handed over.
    AnswerLost {
        attempt: AttemptId,
        ask: AskId,
        problem: String,
    },
    /// A text was not typed into its agent's terminal, because that asked something by then or was not there.
    TextLost {
        attempt: AttemptId,
        text: String,
        problem: String,
    },
    /// The screen of an agent that waits with a dialog or a question shows these entries to choose from.
    MenuSeen {
        attempt: AttemptId,
        options: Vec<String>,
    },
    /// An attempt's process has ended (by itself or because we stopped it).
    AttemptEnded {
        attempt: AttemptId,
        exit: ProcessExit,
        tail: String,
        /// The tool's own error line named this cause, when it did.
        cause: Option<EndCause>,
    },
    ActionEnded {
        attempt: AttemptId,
        outcome: ActionOutcome,
    },
    Verified {
        attempt: AttemptId,
        evidence: Vec<Evidence>,
        head: Option<String>,
        /// What an agent that merged for the engine changed besides.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        integration: Option<Box<Integration>>,
    },
    /// The base branch of a task has moved on the remote, and not by a merge of the engine.
    BaseMoved {
        task: TaskId,
        moved: Box<BaseMove>,
    },
    /// While an attempt was at work the repository got something that changes what git shows or starts: each change, and the command
    /// that takes it back.
    GitChanged {
        attempt: AttemptId,
        changes: Vec<String>,
    },
    /// An attempt's workspace was put away, or could not be (the text says why; it is tried again).
    WorkspaceSettled {
        attempt: AttemptId,
        problem: Option<String>,
        /// Under which ref work is kept that was nowhere else (LK-21).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kept: Option<String>,
        /// The files of it that differ from the commit that was checked out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<String>,
    },
    /// An effect that belongs to a task as a whole was carried out, or could not be (the text says why).
    Performed {
        key: String,
        problem: Option<String>,
    },
    /// The engine starts: this is what it found. Restart is an event like any other.
    Woke(Inventory),
    /// The clock shows `by` milliseconds more, or less, than the time that passed: the machine slept, or its clock was set.
    ClockJumped {
        by: i64,
    },
    /// Time has passed; a deadline may have come.
    Ticked,
}

impl Event {
    /// Returns the event with which these settings come into force.
    pub fn configured(settings: BoardSettings) -> Event {
        Event::Configured(Box::new(settings))
    }
}

/// The cause of an agent's end as its tool named it: a usage limit or infrastructure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndCause {
    /// A usage limit, with the time it ends when known.
    Quota { until: Option<Timestamp>, why: String },
    /// Login, network, bad flag: not the agent's fault.
    Infra(Cause),
}

/// The outcome of an engine action such as a merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionOutcome {
    Done {
        commit: Option<String>,
        evidence: Vec<Evidence>,
    },
    /// It cannot be done as things are: conflict, failing gate. An agent may fix it.
    Failed(String),
    /// It was not done: an integrator changed more than the conflict, and no stage has seen that.
    Unreviewed(Box<Integration>),
    /// It was refused for good, by the remote as a rule, and no agent can change that; the words are whose they are.
    Refused(String),
    /// Checks found something (P38).
    Issues(Vec<ComplianceIssue>),
    /// Could not be found out or done just now: network, lock. Tried again later.
    Unknown(Cause),
}

/// Which attempts run, have ended or are unknown, as found when the engine starts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Inventory {
    pub running: BTreeSet<AttemptId>,
    /// Attempts whose process has ended, and how, with the end of their output.
    pub ended: BTreeMap<AttemptId, (ProcessExit, String)>,
    /// What the tools of those that ended named as the cause, where they did.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub causes: BTreeMap<AttemptId, EndCause>,
    /// Attempts of which nothing is known just now (LK-3: unknown never means dead).
    pub unknown: BTreeSet<AttemptId>,
    /// Whether the server before this one was killed or broke: it left the record that one that is stopped removes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub server_was_lost: bool,
}

impl Inventory {
    /// The line for people about a server that was lost, with what became of its agents.
    pub fn loss_text(&self) -> Option<String> {
        let agents = match self.running.len() {
            0 => String::new(),
            many => format!("; {} went on", pluralized(many, "agent")),
        };
        let text = format!("the server ended without warning and was started again{agents}");
        self.server_was_lost.then_some(text)
    }
}
