//! Events: facts that happened, in the past tense. Every change of the board follows from one of these.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::ask::{Ask, AskReply};
use super::attempt::{ActivityKind, ProcessExit, Workplace};
use super::base_move::BaseMove;
use super::cause::Cause;
use super::command::Command;
use super::context_restart::SavedWork;
use super::delivery::Delivery;
use super::evidence::{ComplianceIssue, Evidence, GateBaseline};
use super::id::{AskId, AttemptId, RequestId, TaskId};
use super::integration::Integration;
use super::plan_entry::Claims;
use super::plural::pluralized;
use super::settings::BoardSettings;
use super::signal::SignalKind;
use super::task::MergeCheck;
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
    /// An attempt's workspace is ready and its process is about to be started: its folder, branch and commit are known even if the end of
    /// the start is never reported.
    WorkplaceMade {
        attempt: AttemptId,
        workplace: Workplace,
        /// Refs of the work that was put aside for an attempt that begins from a clean base.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        kept: Vec<String>,
        /// Results of the gates at the commit the attempt begins at, if they were run before the work.
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
    /// The session that an attempt was to continue is missing, or may not be continued; the attempt was not started.
    SessionLost {
        attempt: AttemptId,
        why: String,
    },
    /// The state of an attempt's process could not be determined, so its start or its end is still open; the effect is requested again.
    AttemptUnknown {
        attempt: AttemptId,
        why: Cause,
    },
    /// An attempt sent a signal; its token proved which one it is.
    Signalled {
        attempt: AttemptId,
        kind: SignalKind,
        text: String,
        /// Attachment of the signal: JSON as a rule.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        report: Option<String>,
        /// Claims of the report, as far as they were understood.
        #[serde(default, skip_serializing_if = "Claims::is_none")]
        claims: Claims,
        /// Key chosen by the sender; the same key counts once.
        key: String,
        /// True if the signal came as a file and not over the socket.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        by_file: bool,
    },
    Observed {
        attempt: AttemptId,
        doing: ActivityKind,
        source: String,
    },
    /// Usage of an attempt's session so far, and the fill level of its context.
    UsageReported {
        attempt: AttemptId,
        usage: Usage,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<ContextFill>,
    },
    /// The tool of an attempt reported the model that answers its agent.
    ModelReported {
        attempt: AttemptId,
        model: String,
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
    /// The work of an attempt whose context was full is committed as far as possible.
    WorkSaved {
        attempt: AttemptId,
        work: SavedWork,
    },
    /// An attempt's tool asks something by a request that waits for the reply.
    AskOpened {
        attempt: AttemptId,
        ask: Ask,
        /// Setting that answers by itself, and its answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<(String, AskReply)>,
    },
    /// No request waits for the reply to an ask any more.
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
    /// A text was not typed into the agent's terminal, because the agent asked something by then or was gone.
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
        /// Cause that the tool's own error line named, if it did.
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
        /// Further changes of an agent that merged in place of the engine.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        integration: Option<Box<Integration>>,
    },
    /// The base branch of a task has moved on the remote, and not by a merge of the engine.
    BaseMoved {
        task: TaskId,
        moved: Box<BaseMove>,
    },
    /// The merge of a task was brought to the person's checkout, or was not.
    Delivered {
        task: TaskId,
        delivery: Box<Delivery>,
    },
    /// The base of a task whose work was left on its branch was looked at: the commit by which it has the work, if it does.
    MergeSeen {
        task: TaskId,
        commit: Option<String>,
    },
    /// The repository got something that changes what git shows or starts while an attempt was at work: each change, and the command that
    /// takes it back.
    GitChanged {
        attempt: AttemptId,
        changes: Vec<String>,
    },
    /// An attempt's workspace was put away, or could not be (the text says why; it is tried again).
    WorkspaceSettled {
        attempt: AttemptId,
        problem: Option<String>,
        /// Ref that keeps work that was nowhere else (LK-21).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kept: Option<String>,
        /// Files of the kept work that differ from the commit that was checked out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<String>,
    },
    /// An effect that belongs to a task as a whole was carried out, or could not be (the text says why).
    Performed {
        key: String,
        problem: Option<String>,
    },
    /// The engine started and found these attempts. Restart is an event like any other.
    Woke(Inventory),
    /// The clock shows `by` milliseconds more, or less, than the time that passed: the machine slept, or its clock was set.
    ClockJumped {
        by: i64,
    },
    /// Time has passed; a deadline may have come.
    Ticked,
}

impl Event {
    /// Builds the event with which these settings come into force.
    pub fn configured(settings: BoardSettings) -> Event {
        Event::Configured(Box::new(settings))
    }
}

/// Cause of an agent's end as its tool named it: a usage limit, infrastructure, or the end of its work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndCause {
    /// A usage limit, with the time it ends when known.
    Quota { until: Option<Timestamp>, why: String },
    /// Login, network, bad flag: not the agent's fault.
    Infra(Cause),
    /// Nothing that was named: the end of the tool is its report, if it exited with 0.
    Reported,
    /// A person ended the tool in its terminal, for example with `/exit`.
    Left,
}

/// Outcome of an engine action such as a merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionOutcome {
    Done {
        commit: Option<String>,
        evidence: Vec<Evidence>,
        /// Check of a merge, where gates apply.
        #[serde(default, skip_serializing_if = "MergeCheck::is_checked")]
        check: MergeCheck,
    },
    /// The work would merge and passes its checks, and is on its pushed branch, where others merge it.
    HandedOver { branch: String, evidence: Vec<Evidence> },
    /// The action cannot be done as things are: conflict, failing gate. An agent may fix it.
    Failed(String),
    /// The action was not done: an integrator changed more than the conflict, and no stage has reviewed that.
    Unreviewed(Box<Integration>),
    /// Final refusal, by the remote as a rule, that no agent can change; the words are those of the refusing side.
    Refused(String),
    /// Checks found something (P38).
    Issues(Vec<ComplianceIssue>),
    /// The action could not be done or judged now: network, lock. Tried again later.
    Unknown(Cause),
}

/// Attempts that run, have ended or are unknown, as found when the engine starts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Inventory {
    pub running: BTreeSet<AttemptId>,
    /// Attempts whose process has ended, with its exit and the end of its output.
    pub ended: BTreeMap<AttemptId, (ProcessExit, String)>,
    /// Causes that the tools of ended attempts named, if they did.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub causes: BTreeMap<AttemptId, EndCause>,
    /// Attempts of which nothing is known at the moment (LK-3: unknown never means dead).
    pub unknown: BTreeSet<AttemptId>,
    /// True if the server before this one was killed or crashed: it left the record that a server removes when it is stopped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub server_was_lost: bool,
}

impl Inventory {
    /// Returns true if the server and all of its agents ended at once: a logout that ends the person's processes does that, or the end
    /// of the control group of a terminal.
    pub fn all_was_lost(&self) -> bool {
        self.server_was_lost && self.running.is_empty() && self.unknown.is_empty()
    }

    /// Returns the line for people about a lost server, with the number of its agents that continued.
    pub fn loss_text(&self) -> Option<String> {
        let agents = match self.running.len() {
            0 => String::new(),
            many => format!("; {} went on", pluralized(many, "agent")),
        };
        let text = format!("the server ended without warning and was started again{agents}");
        self.server_was_lost.then_some(text)
    }
}
