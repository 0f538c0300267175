//! A plan as one plain value, whatever file it was read from.

use std::ops::Range;
use std::path::PathBuf;

use serde::Serialize;

use crate::finding::Finding;
use dbs_domain::{PathRules, StoryTests, pluralized};

/// Maximum number of names of one kind that a phase may list: phases it waits for, subagents.
pub(super) const MOST_NAMES: usize = 100;

/// A plan as it was read: its items in their order, and everything in its files that was not understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Plan {
    pub kind: PlanKind,
    pub title: String,
    /// The file that was read, as the person named it.
    pub file: PathBuf,
    pub items: Vec<PlanItem>,
    pub findings: Vec<Finding>,
}

impl Plan {
    /// Returns true if the plan may be carried out: nothing in it is an error.
    pub fn is_sound(&self) -> bool {
        !self.findings.iter().any(Finding::is_error)
    }
}

/// Kind of plan that a file holds; known by its content.
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
    /// Returns the word for people.
    pub fn word(self) -> &'static str {
        match self {
            PlanKind::Phased => "phased plan",
            PlanKind::Stories => "queue of PRDs",
            PlanKind::Graph => "graph plan",
        }
    }

    /// Returns the name that people use for an item.
    pub fn item_word(self) -> &'static str {
        match self {
            PlanKind::Phased => "phase",
            PlanKind::Stories => "story",
            PlanKind::Graph => "task",
        }
    }

    /// Returns a number of items in words.
    pub fn items(self, many: usize) -> String {
        match (self, many) {
            (PlanKind::Stories, many) if many != 1 => format!("{many} stories"),
            (kind, many) => pluralized(many, kind.item_word()),
        }
    }

    /// Returns the workflow that carries the plan out.
    pub fn workflow(self) -> &'static str {
        match self {
            PlanKind::Phased => "phased",
            PlanKind::Stories => "atdd",
            PlanKind::Graph => "graph",
        }
    }

    /// Returns true if its items wait only for those they name, and not for the one before them (G2).
    pub fn is_parallel(self) -> bool {
        self == PlanKind::Graph
    }

    /// Returns true if the marks of done items in its file were written by the runner that carried them out.
    pub fn keeps_status(self) -> bool {
        matches!(self, PlanKind::Stories | PlanKind::Graph)
    }
}

/// Item of a plan: a phase, a story, a task of a graph.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct PlanItem {
    /// Name of the item in the plan: `1`, `2.1`, `3a`.
    pub id: String,
    pub title: String,
    /// The file that describes it, if it has one that could be read.
    pub file: Option<PathBuf>,
    /// Place of its text in the file of the plan, in bytes behind a byte order mark, if it has no file of its own.
    #[serde(skip)]
    pub section: Option<Range<usize>>,
    /// Line of the item in the plan.
    pub line: usize,
    /// Ids of the items it waits for.
    pub needs: Vec<String>,
    pub gates: Vec<PlanGate>,
    /// Commands that its agent is to run, besides those of its gates.
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
    /// Place where notes are left.
    pub notes: Option<String>,
    /// File of the project that shows the form of these notes, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes_template: Option<String>,
    pub status: PhaseStatus,
    /// The cell of the status in the plan, in bytes behind a byte order mark.
    #[serde(skip)]
    pub status_at: Option<Range<usize>>,
    pub risk: Option<String>,
    /// True if a person must approve the work.
    pub needs_approval: bool,
    /// Text of the plan itself for its agents, if that is more than a file of its own.
    pub detail: Option<Box<PlanDetail>>,
}

/// Instructions of a plan for an item that has no file of its own: a story of a PRD, a task of a graph.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct PlanDetail {
    /// Work to be done, for its agents.
    pub text: String,
    pub criteria: Vec<String>,
    pub paths: PathRules,
    /// First line of the commit that closes it.
    pub commit: String,
    /// Another way, for an agent that tries again.
    pub fallback: Option<String>,
    /// The model for the item, in the words of Claude.
    pub model: Option<&'static str>,
    /// Facts about the item as a story, if it is one.
    pub story: Option<PlanStory>,
}

/// Rules for testing a story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanStory {
    pub tests: StoryTests,
    /// True if its tests are written already (A8).
    pub is_tested: bool,
    pub passes_over: bool,
}

/// A check of an item: a name, and the command that decides it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanGate {
    pub name: String,
    pub command: Option<String>,
    /// Other text of the plan about the gate.
    pub requirement: String,
    /// True if a failure blocks the item.
    pub is_blocking: bool,
    pub line: usize,
}

/// A command that an agent is to run according to a plan. The engine does not run it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToldCommand {
    /// Name of the command in the plan: `assumption-1`, `command-2`.
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
    /// Place of its brackets in the file of its phase, in bytes behind a byte order mark.
    #[serde(skip)]
    pub box_at: Range<usize>,
    pub line: usize,
}

/// Status of a phase by its own account (P5).
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
    /// Returns the word that plans have for it.
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
