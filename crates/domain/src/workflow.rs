//! Workflows: state machines as data, with stages, their actors, the proof of success and the next stage. This file holds the types;
//! `formats::workflow` reads them from TOML and validates them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::failure::FailureClass;
use super::id::{RoleId, StageId, WorkflowId};
use super::signal::SignalKind;
use super::time::Span;

/// State machine as data: its stages, limits and policies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workflow {
    pub id: WorkflowId,
    pub title: String,
    pub entry: StageId,
    /// Stages in the order agents are handed out: closest to completion first (K8).
    pub scan: Vec<StageId>,
    /// All stages, in reading order (the order of the board's columns).
    pub stages: Vec<Stage>,
    /// Limits on the failures of each class per task and stage before the task is held or failed.
    pub limits: RetryLimits,
    /// Policy for tasks whose dependency finally failed: they wait or are skipped (G50).
    pub cascade: CascadePolicy,
    /// Policy for a task whose failures used up a limit.
    pub exhausted: ExhaustionPolicy,
}

impl Workflow {
    /// Lets agents merge instead of the engine, as the first program did: in a worktree at the base they merge, run the checks and push;
    /// the engine then looks at the remote and runs the gates there (K56, K100).
    pub fn merge_by_agent(&mut self) {
        let merges = |stage: &&mut Stage| stage.actor == Actor::Engine(EngineAction::Merge);
        for stage in self.stages.iter_mut().filter(merges) {
            let role = stage.fallback.take();
            stage.actor = Actor::Role(role.unwrap_or_else(|| RoleId::from("integrator")));
            stage.workspace = Workspace::Base;
            stage.access = FileAccess::Write;
            stage.signals.insert(SignalKind::Done);
            let proves_gates = stage.evidence.contains(&EvidenceKind::Gates);
            if stage.gates != GateSet::None && !proves_gates {
                stage.evidence.push(EvidenceKind::Gates);
            }
        }
    }

    /// Lets findings that hold a task be fixed by another attempt first, as often as the limits of the workflow allow (A24).
    pub fn heal(&mut self) {
        self.replace_holds(FindingPolicy::Fail, |_| true);
    }

    /// Lets a person decide about tests that should have failed and did not, instead of holding their task (LA-5).
    pub fn ask_about_first_runs(&mut self) {
        let is_first_run = |kind: &EvidenceKind| matches!(kind, EvidenceKind::GateFails(_));
        self.replace_holds(FindingPolicy::Ask, |stage| {
            stage.evidence.iter().any(is_first_run)
        });
    }

    fn replace_holds(&mut self, policy: FindingPolicy, is_meant: impl Fn(&Stage) -> bool) {
        for stage in &mut self.stages {
            if stage.findings == FindingPolicy::Hold && is_meant(stage) {
                stage.findings = policy;
            }
        }
    }

    /// Returns the stage of that name.
    pub fn stage(&self, id: &StageId) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.id == *id)
    }
}

/// Stage of a workflow: its actor, the proof of success and the next stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    pub id: StageId,
    /// Column title of the board: `Sec Review`.
    pub label: String,
    /// Short name for trails (K13).
    pub short: String,
    pub actor: Actor,
    /// Role that is called when an engine action fails for a reason an agent can fix.
    pub fallback: Option<RoleId>,
    pub workspace: Workspace,
    /// Access of the actor to files; checked afterwards, not only asked for.
    pub access: FileAccess,
    /// Signals an agent may send here (K14–K18, LK-10). Claim, progress and question are always allowed.
    pub signals: BTreeSet<SignalKind>,
    /// Edges to the next stage after success: the first whose tag the task carries is taken. No edge matches: the task is done.
    pub success: Vec<Edge>,
    pub reject: RejectTo,
    /// Evidence that the engine must see before the task moves on.
    pub evidence: Vec<EvidenceKind>,
    pub gates: GateSet,
    /// Names of the only gates that are run here; empty: all there are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gate_names: Vec<String>,
    /// True if the gates are also run before the first attempt, so that its agent knows which pass already (LP-22).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gates_before: bool,
    /// Place in which the gates are run.
    #[serde(default, skip_serializing_if = "GatePlace::is_commit")]
    pub gate_at: GatePlace,
    /// Paths that must stay as they were when the task came here, besides those its plan protects; in the form of
    /// [`PathRules`](super::plan_entry::PathRules).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protected: Vec<String>,
    /// Reaction to findings.
    #[serde(default, skip_serializing_if = "FindingPolicy::is_fail")]
    pub findings: FindingPolicy,
    /// True if the stage admits at most one attempt at a time for a target branch (K47, LK-54).
    pub singleton: bool,
    /// Conditions for the start of an attempt, besides dependencies.
    pub guards: Vec<StartGuard>,
    /// Maximum run time of one attempt; `None`: the settings' agent timeout.
    pub timeout: Option<Span>,
    /// Rule for the approval of a person before the actor starts.
    pub approval: ApprovalRule,
}

impl Stage {
    /// Returns true if a gate of that name is run here, provided the stage runs gates.
    pub fn runs_gate(&self, name: &str) -> bool {
        self.gate_names.is_empty() || self.gate_names.iter().any(|known| known == name)
    }
}

/// Actor of a stage: an agent, the engine or a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    Role(RoleId),
    Engine(EngineAction),
    /// Person who approves, rejects or skips.
    Human,
}

/// Action of the engine as the actor of a stage: merge, commit or verify.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineAction {
    /// Merge the task's recorded head into the base branch, run gates on the merged tree, push.
    Merge,
    /// Commit on the task's branch; workflow files that ask for it are refused, because the engine commits where agents worked.
    Commit,
    /// Run gates on the task's recorded head, once that is merged on the base; findings carry severities (P33–P38).
    Verify,
}

/// Checkout that the attempts of a stage work in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Workspace {
    /// A worktree on the task's own branch, created from the base (K54).
    Branch,
    /// A worktree detached at the task's recorded head (K55).
    Head,
    /// A worktree detached at the base branch (K56).
    Base,
    /// The main checkout; read only (K57).
    Main,
    /// No folder at all: engine actions in the control repository, people.
    None,
}

/// Access of a stage's actor to files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileAccess {
    Write,
    /// Reading only; evidence `workspace_unchanged` is the proof.
    Read,
}

/// Transition of the workflow that a task may take after success.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// Tag that a task needs to take the edge; `None`: every task takes it.
    pub when: Option<String>,
    pub to: StageId,
}

/// Destination of a task whose work is rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RejectTo {
    /// Another stage, after the cooldown (K23).
    Stage(StageId),
    /// Held at its stage; a person must act (K22).
    Hold,
    Never,
}

/// Kind of evidence that a stage requires before a task moves on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// The engine committed any work the agent had left uncommitted in its worktree, so that all of its work is on the task's branch (A17,
    /// C13).
    Committed,
    /// The task's branch has commits the base lacks (K27). A No counts as an empty attempt.
    CommitsAhead,
    /// The engine pushed the branch and the remote holds the recorded head (LK-12).
    Pushed,
    /// The recorded commit is an ancestor of the remote base (LK-11).
    Merged,
    /// Nothing changed in a read-only workspace.
    WorkspaceUnchanged,
    /// The attempt left at least one comment on the task (K102).
    Commented,
    /// The report file exists and is not empty (K103).
    Report(String),
    Gates,
    Approved,
    /// The notes that the task's plan names exist, with their sections (P34). Counts if the task names notes.
    Notes,
    /// The subagents that the task's plan names were seen at work (P35). Counts if it names some.
    AgentsUsed,
    /// The steps that the task's plan names were reported (P36). Counts if it names some.
    StepsDone,
    /// Nothing that the task's plan or the stage protects was changed since the task came to the stage.
    Protected,
    /// The files that the task's plan lists, and no others, were made and changed. Counts if it lists some.
    ListedFiles,
    /// The gate of that name fails on the task's head, by its own verdict: it was found, it ran, and it ended by itself.
    GateFails(String),
    /// The tests that the task's plan names exist, each asserts something, and there is at least one for each criterion (A5, A15). Counts
    /// if it names tests.
    Tests,
}

impl EvidenceKind {
    /// Returns the proven fact, in words for people.
    pub fn words(&self) -> String {
        match self {
            EvidenceKind::CommitsAhead => "commits ahead of the base".to_owned(),
            EvidenceKind::Committed => "uncommitted changes are committed".to_owned(),
            EvidenceKind::Pushed => "branch on the remote".to_owned(),
            EvidenceKind::Merged => "head merged into the remote base".to_owned(),
            EvidenceKind::WorkspaceUnchanged => "workspace unchanged".to_owned(),
            EvidenceKind::Commented => "findings as a comment".to_owned(),
            EvidenceKind::Report(path) => format!("report {path}"),
            EvidenceKind::Gates => "gates".to_owned(),
            EvidenceKind::Approved => "a person's approval".to_owned(),
            EvidenceKind::Notes => "notes, where the plan names them".to_owned(),
            EvidenceKind::AgentsUsed => "subagents the plan names".to_owned(),
            EvidenceKind::StepsDone => "steps the plan names".to_owned(),
            EvidenceKind::Protected => "protected files unchanged".to_owned(),
            EvidenceKind::ListedFiles => "the listed files and no others".to_owned(),
            EvidenceKind::GateFails(name) => format!("gate {name} fails"),
            EvidenceKind::Tests => "tests that assert, one for each criterion at least".to_owned(),
        }
    }

    /// Returns what an agent has to do about a No, if that is not plain from its text (P42).
    pub fn action(&self) -> Option<&'static str> {
        match self {
            EvidenceKind::Gates => Some("fix the gate's findings, and run it until it passes"),
            EvidenceKind::Notes => Some("write the notes to that path, complete with all their sections"),
            EvidenceKind::AgentsUsed => Some("let that subagent do its part, instead of doing it yourself"),
            EvidenceKind::StepsDone => {
                Some("do the step, then report it with `dbs signal progress STEP:completed`")
            }
            EvidenceKind::Protected => Some("put these files back as they were"),
            EvidenceKind::ListedFiles => Some("make and change exactly the listed files"),
            EvidenceKind::GateFails(_) => Some("write the test so that it fails without the work it is for"),
            EvidenceKind::Tests => Some("write a test with a real assertion for each criterion"),
            EvidenceKind::Committed
            | EvidenceKind::CommitsAhead
            | EvidenceKind::Pushed
            | EvidenceKind::Merged
            | EvidenceKind::WorkspaceUnchanged
            | EvidenceKind::Commented
            | EvidenceKind::Report(_)
            | EvidenceKind::Approved => None,
        }
    }
}

/// Reaction to findings in a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingPolicy {
    /// Every finding fails the attempt.
    #[default]
    Fail,
    /// Findings are weighed: a warning, a fix on the same branch, or the stage from the beginning (P38).
    Weigh,
    /// Findings are weighed, but a person decides before anything is fixed (P27).
    Ask,
    /// Every finding fails the attempt, and a person decides whether there is another (A24).
    Hold,
}

impl FindingPolicy {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    fn is_fail(&self) -> bool {
        *self == FindingPolicy::Fail
    }
}

/// Gate commands that a stage runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateSet {
    /// No gates.
    None,
    /// Gates of the task and of the project, if there are any.
    IfAny,
    /// Gates of the task and of the project; without a single one nothing passes.
    All,
}

/// Place in which the gates of a stage are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GatePlace {
    /// Clean checkout of the commit that the gates check.
    #[default]
    Commit,
    /// Worktree of the agent, with the files that git ignores there, if all else in it is in the commit.
    Worktree,
}

impl GatePlace {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    fn is_commit(&self) -> bool {
        *self == GatePlace::Commit
    }
}

/// Condition for the start of an attempt, besides the task's dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartGuard {
    /// Every dependency that has a head has it merged (K46, LK-22).
    DependencyHeadsMerged,
}

/// Rule for the approval of a person before a stage starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalRule {
    NotNeeded,
    WhenAsked,
    Always,
}

/// Policy for the dependents of a task that failed for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CascadePolicy {
    Wait,
    /// Dependents are skipped with the root cause, unless they are more than `breaker_percent` of the batch's remaining tasks (and the
    /// batch has more than three): then the run is aborted before anything is skipped (G50, G51, LG-11).
    Skip {
        breaker_percent: u8,
    },
}

/// Policy for a task that used up one of its retry limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExhaustionPolicy {
    /// Held until a person acts.
    Hold,
    Fail,
}

/// Limits on the failures, rejections and attempts of a workflow's tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetryLimits {
    /// Failures of a class per task and stage before [`ExhaustionPolicy`] applies. A class not listed has no limit.
    pub by_class: BTreeMap<FailureClass, u32>,
    /// Rejections per task (K24).
    pub rejections: u32,
    /// Attempts of any kind per task over its life (K43).
    pub spawns: u32,
    pub cooldown: Span,
}
