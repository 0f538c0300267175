//! A graph plan as one plain value.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::finding::Finding;
use dbs_domain::PathRules;

/// A plan whose tasks are scheduled only by the tasks they wait for (G2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphPlan {
    /// The file that was read, as the person named it.
    pub file: PathBuf,
    pub goal: String,
    pub context: GraphContext,
    /// The index of a task is its name (G4).
    pub tasks: Vec<GraphTask>,
    pub findings: Vec<Finding>,
}

/// Facts about the project for all tasks of a plan. A field is empty if the plan does not fill it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GraphContext {
    pub stack: String,
    pub conventions: String,
    pub test_command: String,
    pub build_command: String,
    /// Language servers that agents can use.
    pub lsp: Vec<String>,
}

/// Task of a graph plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphTask {
    pub subject: String,
    pub description: String,
    pub status: GraphStatus,
    /// Indices of the tasks it waits for.
    pub needs: BTreeSet<usize>,
    pub kind: GraphTaskKind,
    /// Paths that the task makes and changes, normalised.
    pub paths: PathRules,
    /// Paths that the task reads, normalised.
    pub reads: Vec<String>,
    pub agent: GraphAgent,
    /// Line at which it begins.
    pub line: usize,
}

impl GraphTask {
    /// Builds the placeholder for a task that could not be read.
    pub(super) fn unread(line: usize) -> GraphTask {
        GraphTask {
            subject: String::new(),
            description: String::new(),
            status: GraphStatus::Pending,
            needs: BTreeSet::new(),
            kind: GraphTaskKind::Implementation,
            paths: PathRules::default(),
            reads: Vec::new(),
            agent: GraphAgent::default(),
            line,
        }
    }
}

/// Status of a task by the plan's own account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum GraphStatus {
    Pending,
    InProgress,
    Completed,
    Failed,
    Blocked,
    Skipped,
}

/// Kind of work of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum GraphTaskKind {
    Research,
    Implementation,
    Testing,
    Configuration,
}

/// Instructions for the agent of a task.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GraphAgent {
    pub role: String,
    /// The model for the task, in the words of Claude: `opus`, `sonnet` or `haiku` (G29).
    pub model: Option<&'static str>,
    pub expertise: String,
    pub approach: String,
    pub prior_art: String,
    /// Another way, for an agent that tries again.
    pub fallback: String,
    pub context_files: Vec<GraphContextFile>,
    pub assumptions: Vec<GraphAssumption>,
    pub criteria: Vec<GraphCriterion>,
    /// Conditions in which the agent is to stop at once.
    pub triggers: Vec<String>,
    pub constraints: Vec<String>,
}

/// A file to be read before the work begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphContextFile {
    pub path: String,
    pub reason: String,
    /// Lines of the file to read; empty for all.
    pub lines: String,
}

/// Condition that must hold before the work begins, with the command that shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphAssumption {
    pub claim: String,
    pub verify: String,
    pub is_blocking: bool,
}

/// Condition that must hold when the work is done, with the command that shows it; empty if a person judges it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphCriterion {
    pub criterion: String,
    pub check: String,
    pub line: usize,
}
