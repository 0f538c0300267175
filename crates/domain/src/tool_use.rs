//! What an agent's tool wants to do and asks to be allowed.

use serde::{Deserialize, Serialize};

/// Longest text of a tool's use that rules look at, in bytes. What is longer is decided by a person.
pub const LONGEST_USE: usize = 16 * 1024;

/// The use of a tool that is asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The tool's own name, such as `Bash`.
    pub tool: String,
    pub action: ToolAction,
}

/// What a tool is to do, whatever it is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolAction {
    /// Read below that path.
    Read(String),
    /// Change that file.
    Edit(String),
    /// Run that command line in a shell.
    Run(String),
    /// Get what is at that address.
    Fetch(String),
    /// Something else, or with more than is known of such a tool.
    Other,
}

impl ToolUse {
    /// The same with its text cut just above the limit, so that it is still known to be too long.
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

    /// The path, command line or address; empty for anything else.
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
