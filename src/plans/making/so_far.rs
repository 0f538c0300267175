//! Results of the steps of a design before its plan.

use super::MadeFiles;
use crate::domain::TaskId;
use crate::formats::design::Complexity;

/// Results of the steps before the plan.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DesignSoFar {
    pub complexity: Option<Complexity>,
    /// True if a person overrules the complexity that the analysis gives.
    pub is_overruled: bool,
    /// Material for writing the plan: a heading and a document each.
    pub(super) told: Vec<(String, String)>,
    /// The challenges that the plan must answer.
    pub(super) answers: Vec<String>,
    /// The documents, by the names that they have beside the plan.
    pub(super) documents: MadeFiles,
    /// Tasks without a result, so that the plan is made without them.
    pub(super) missing: Vec<TaskId>,
    /// Experts who took part and those who did not, for people.
    pub(super) notes: Vec<String>,
    /// Findings in documents that are not used, for people.
    pub problems: Vec<String>,
}

impl DesignSoFar {
    /// Continues without the result of a step (G18).
    pub(super) fn misses(&mut self, task: &TaskId, note: &str) {
        self.missing.push(task.clone());
        self.note(note);
    }

    /// Adds a note. Of a text with several lines only the first is taken: text that an agent wrote must not pass for a note of its own.
    pub(super) fn note(&mut self, text: &str) {
        self.notes.extend(text.lines().next().map(str::to_owned));
    }
}
