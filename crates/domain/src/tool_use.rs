//! Actions of an agent's tool that need a permission.

use serde::{Deserialize, Serialize};

/// Maximum length of a text of a tool's use that rules look at, in bytes. A person decides about longer ones.
pub const LONGEST_USE: usize = 16 * 1024;

/// Use of a tool that needs a permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolUse {
    /// Name of the tool in its own words, such as `Bash`.
    pub tool: String,
    pub action: ToolAction,
}

/// Action of a tool, whatever the tool is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolAction {
    /// Reading below that path.
    Read(String),
    /// Change of that file.
    Edit(String),
    /// Command line run in a shell.
    Run(String),
    /// Request for the content of that address.
    Fetch(String),
    /// Other action, or one with more arguments than are known of such a tool.
    Other,
}

impl ToolUse {
    /// Returns the use with its text cut just above the limit, so that it is still known to be too long.
    #[must_use]
    pub fn bounded(mut self) -> ToolUse {
        let text = match &mut self.action {
            ToolAction::Read(text)
            | ToolAction::Edit(text)
            | ToolAction::Run(text)
            | ToolAction::Fetch(text) => text,
            ToolAction::Other => return self,
        };
        text.truncate(text.ceil_char_boundary(LONGEST_USE + 1));
        self
    }

    /// Returns the path, command line or address; empty for anything else.
    pub fn subject(&self) -> &str {
        match &self.action {
            ToolAction::Read(text)
            | ToolAction::Edit(text)
            | ToolAction::Run(text)
            | ToolAction::Fetch(text) => text,
            ToolAction::Other => "",
        }
    }
}
