//! The parts of the command line that several commands share: flags, the arguments of tasks, and the facts of a command.

mod deferred;
mod facts;

use clap::Args;
use serde::de::DeserializeOwned;

use crate::protocol::query::OutputFormat;

pub use crate::protocol::callers::AllowedCallers::{Attempts, Conductors, Everybody, OwnAgent, Persons};
pub use deferred::DeferredArgs;
pub use facts::{CommandFacts, facts};

/// The flag `--json`.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct JsonFlag {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Options that choose the theme of the screen for this run.
#[derive(Debug, Clone, Default, Args)]
pub struct ThemeArgs {
    /// Theme of the screen for this run, overriding the settings: dark, light, high-contrast, mono, ...
    #[arg(long, value_name = "NAME", conflicts_with = "plain")]
    pub theme: Option<String>,
}

/// Arguments of commands that take the id of a task.
#[derive(Debug, Args)]
pub struct TaskArgs {
    /// Id of the task
    pub id: String,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of commands that take the id of a task and a text.
#[derive(Debug, Args)]
pub struct TaskTextArgs {
    /// Id of the task
    pub id: String,
    /// Reason, comment or answer
    #[arg(required = true)]
    pub text: Vec<String>,
    #[command(flatten)]
    pub json: JsonFlag,
}

impl From<JsonFlag> for OutputFormat {
    fn from(json: JsonFlag) -> OutputFormat {
        if json.json { Self::Json } else { Self::Lines }
    }
}

/// Parses the value of an enum that is written as one word.
pub(in crate::cli) fn parse_word<T: DeserializeOwned>(word: String) -> Result<T, serde_json::Error> {
    serde_json::from_value(word.into())
}
