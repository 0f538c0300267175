//! Work that an agent left uncommitted, and the line that informs people of it.

use serde::{Deserialize, Serialize};

use super::id::TaskId;
use super::plural::pluralized;

/// Work that was only in a workspace when the workspace was put away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptWork {
    /// Ref of the control repository that keeps the work.
    pub attic_ref: String,
    /// Files that differ from the commit that was checked out, at most [`KeptWork::MOST_FILES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

impl KeptWork {
    /// Maximum number of files that are listed.
    pub const MOST_FILES: usize = 50;
    /// Maximum number of files named in the line for people.
    const NAMED: usize = 3;

    /// Returns the line that names the kept work and the command that brings it back.
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
