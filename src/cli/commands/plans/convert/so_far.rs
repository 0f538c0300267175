//! What the steps of a design before its plan brought.

use super::MadeFiles;
use crate::domain::TaskId;
use crate::formats::design::Complexity;

/// What the steps before the plan brought.
#[derive(Debug, Default)]
pub(super) struct DesignSoFar {
    pub(super) complexity: Option<Complexity>,
    /// Whether a person wants it to be treated as more or less complex than the analysis says.
    pub(super) is_overruled: bool,
    /// What the plan is written from: a heading and a document each.
    pub(super) told: Vec<(String, String)>,
    /// The challenges that the plan must answer.
    pub(super) answers: Vec<String>,
    /// The documents, by the names that they have beside the plan.
    pub(super) documents: MadeFiles,
    /// Tasks that brought nothing, so that the plan is made without them.
    pub(super) missing: Vec<TaskId>,
    /// Who took part and who did not, for people.
    pub(super) notes: Vec<String>,
}

impl DesignSoFar {
    /// Goes on without what a step was to bring (G18).
    pub(super) fn misses(&mut self, task: &TaskId, note: &str) {
        self.missing.push(task.clone());
        self.note(note);
    }

    /// Of a text with several lines only the first: what an agent wrote must not pass for a note of its own.
    pub(super) fn note(&mut self, text: &str) {
        self.notes.extend(text.lines().next().map(str::to_owned));
    }
}
