//! Lists of work that tasks are imported from.

use serde::{Deserialize, Serialize};

/// Kind of list that a task was imported from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkSource {
    /// `.beads/issues.jsonl`
    Beads,
    /// `tasks.json` of task-master.
    TaskMaster,
    /// List of stories that say whether they pass.
    Stories,
    /// Markdown text with boxes to tick.
    Checklist,
    Github,
    Gitlab,
}

impl WorkSource {
    /// Returns true if its items are on a forge, and not in a file.
    pub fn is_forge(self) -> bool {
        matches!(self, WorkSource::Github | WorkSource::Gitlab)
    }

    /// Returns the name for people.
    pub fn word(self) -> &'static str {
        match self {
            WorkSource::Beads => "beads store",
            WorkSource::TaskMaster => "task-master file",
            WorkSource::Stories => "list of stories",
            WorkSource::Checklist => "checklist",
            WorkSource::Github => "list of GitHub issues",
            WorkSource::Gitlab => "list of GitLab issues",
        }
    }
}
