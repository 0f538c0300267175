//! Work that an agent left uncommitted, and the line by which people are told of it.

use serde::{Deserialize, Serialize};

use super::id::TaskId;
use super::plural::pluralized;

/// Work that was in a workspace and nowhere else when that was put away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptWork {
    /// The ref of the control repository that keeps it.
    pub attic_ref: String,
    /// The files that differ from the commit that was checked out, at most so many as [`KeptWork::MOST_FILES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

impl KeptWork {
    /// Most files that are listed.
    pub const MOST_FILES: usize = 50;
    /// Most files that its line names.
    const NAMED: usize = 3;

    /// What was left, and the command that brings it back.
    pub fn line(&self, task: &TaskId) -> String {
        let named = self.files.iter().take(KeptWork::NAMED).map(String::as_str);
        let mut files: Vec<String> = named.map(str::to_owned).collect();
        match self.files.len().saturating_sub(KeptWork::NAMED) {
            0 => {}
            more => files.push(pluralized(more, "more file")),
        }
        let what = match (files.pop(), files.is_empty()) {
            (None, _) => "uncommitted work was left and is kept".to_owned(),
            (Some(only), true) => format!("{only} was left and is kept"),
            (Some(last), false) => format!("{} and {last} were left and are kept", files.join(", ")),
        };
        format!("{what}: `dbs task attic {task}` brings it back as a branch")
    }
}
