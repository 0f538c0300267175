//! A plan as one plain value, whatever file it was read from.

use std::ops::Range;
use std::path::PathBuf;

use serde::Serialize;

use crate::diagnostic::Diagnostic;
use dbs_domain::{PathRules, StoryTests, pluralized};

/// A plan as it was read: its items in their order, and everything in its files that was not understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Plan {
    pub kind: PlanKind,
    pub title: String,
    /// The file that was read, as the person named it.
    pub file: PathBuf,
    pub items: Vec<PlanItem>,
    pub findings: Vec<PlanFinding>,
}

impl Plan {
    /// Whether it may be carried out: nothing in it is an error.
    pub fn is_sound(&self) -> bool {
        !self.findings.iter().any(|found| found.diagnostic.is_error())
    }
}

/// What kind of plan a file holds; known by its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanKind {
    /// A master plan with a table of phases, each with a file of its own.
    Phased,
    /// A folder of PRDs whose stories are tested first.
    Stories,
    /// A `plan.json` whose tasks wait for each other by their indices.
    Graph,
}

impl PlanKind {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            PlanKind::Phased => "phased plan",
            PlanKind::Stories => "queue of PRDs",
            PlanKind::Graph => "graph plan",
        }
    }

    /// What people call one of its items.
    pub fn item_word(self) -> &'static str {
        match self {
            PlanKind::Phased => "phase",
            PlanKind::Stories => "story",
            PlanKind::Graph => "task",
        }
    }

    /// So many of its items, in words.
    pub fn items(self, many: usize) -> String {
        match (self, many) {
            (PlanKind::Stories, many) if many != 1 => format!("{many} stories"),
            (kind, many) => pluralized(many, kind.item_word()),
        }
    }

    /// The workflow that carries it out.
    pub fn workflow(self) -> &'static str {
        match self {
            PlanKind::Phased => "phased",
            PlanKind::Stories => "atdd",
            PlanKind::Graph => "graph",
        }
    }

    /// Whether its items wait only for those they name, and not for the one before them (G2).
    pub fn is_parallel(self) -> bool {
        self == PlanKind::Graph
    }

    /// Whether what its file says of items that are done was written by whoever carried them out.
    pub fn keeps_status(self) -> bool {
        matches!(self, PlanKind::Stories | PlanKind::Graph)
    }
}

/// One item of a plan: a phase, a story, a task of a graph.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct PlanItem {
    /// What the plan calls it: `1`, `2.1`, `3a`.
    pub id: String,
    pub title: String,
    /// The file that describes it, if it has one that could be read.
    pub file: Option<PathBuf>,
    /// Line of the plan at which it stands.
    pub line: usize,
    /// Ids of the items it waits for.
    pub needs: Vec<String>,
    pub gates: Vec<PlanGate>,
    /// Commands that its agent is told to run, besides those of its gates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<ToldCommand>,
    /// Headings that group its tasks.
    pub groups: Vec<PlanGroup>,
    pub tasks: Vec<PlanTask>,
    /// Subagents it requires (P15).
    pub agents: Vec<String>,
    /// Steps it requires, by their names (P16).
    pub steps: Vec<&'static str>,
    /// Notes to be read first.
    pub notes_before: Option<String>,
    /// Where notes are left.
    pub notes: Option<String>,
    pub status: PhaseStatus,
    /// The cell of the status in the plan, in bytes behind a byte order mark.
    #[serde(skip)]
    pub status_at: Option<Range<usize>>,
    pub risk: Option<String>,
    /// Whether a person must approve what was done.
    pub needs_approval: bool,
    /// What the plan itself says for its agents, where that is more than a file of its own.
    pub detail: Option<Box<PlanDetail>>,
}

/// What a plan says of an item that has no file of its own: a story of a PRD, a task of a graph.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct PlanDetail {
    /// What is to be done, for its agents.
    pub text: String,
    pub criteria: Vec<String>,
    pub paths: PathRules,
    /// First line of the commit that closes it.
    pub commit: String,
    /// Another way, for an agent that tries again.
    pub fallback: Option<String>,
    /// The model it is meant for, in the words of Claude.
    pub model: Option<&'static str>,
    /// What it is as a story, where it is one.
    pub story: Option<PlanStory>,
}

/// How a story is tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanStory {
    pub tests: StoryTests,
    /// Whether its tests are written already (A8).
    pub is_tested: bool,
    pub passes_over: bool,
}

/// A check of an item: a name, and the command that decides it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanGate {
    pub name: String,
    pub command: Option<String>,
    /// What the plan says of it besides.
    pub requirement: String,
    /// Whether a failure stands in the way.
    pub is_blocking: bool,
    pub line: usize,
}

/// A command that a plan tells an agent to run. The engine does not run it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToldCommand {
    /// What it is in the plan: `assumption-1`, `command-2`.
    pub name: String,
    pub command: String,
    pub line: usize,
}

/// A heading in the tasks of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanGroup {
    pub id: String,
    pub title: String,
    pub line: usize,
}

/// A box to tick.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanTask {
    pub id: String,
    pub text: String,
    pub is_done: bool,
    /// Where its brackets stand in the file of its phase, in bytes behind a byte order mark.
    #[serde(skip)]
    pub box_at: Range<usize>,
    pub line: usize,
}

/// Where a phase stands by its own account (P5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseStatus {
    #[default]
    Pending,
    Running,
    Validating,
    AwaitingHuman,
    Completed,
    Failed,
    Blocked,
}

impl PhaseStatus {
    /// The word that plans have for it.
    pub fn word(self) -> &'static str {
        match self {
            PhaseStatus::Pending => "Pending",
            PhaseStatus::Running => "Running",
            PhaseStatus::Validating => "Validating",
            PhaseStatus::AwaitingHuman => "Awaiting",
            PhaseStatus::Completed => "Completed",
            PhaseStatus::Failed => "Failed",
            PhaseStatus::Blocked => "Blocked",
        }
    }
}

/// Something in a plan that is wrong, doubtful or worth knowing, with a code for programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanFinding {
    pub code: &'static str,
    #[serde(flatten)]
    pub diagnostic: Diagnostic,
}
