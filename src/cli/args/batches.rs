//! The command line of `dbs batch`.

use clap::{Args, Subcommand};

use crate::cli::args::JsonFlag;
use crate::cli::command_error::CommandResult;
use crate::ports::git::BranchName;

/// A subcommand of `dbs batch`.
#[derive(Debug, Subcommand)]
pub enum BatchCommand {
    /// Create a batch; `dbs task create --batch` adds tasks to it
    Create(BatchArgs),
    /// List all batches: their progress, base and dependencies
    List(JsonFlag),
    /// Show a batch with its tasks
    Show {
        /// Id of the batch
        #[arg(value_name = "ID")]
        batch: String,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Change the goal, base or dependencies of a batch
    Update {
        #[command(flatten)]
        facts: BatchArgs,
        /// Reset the base to the configured default
        #[arg(long, conflicts_with = "base")]
        no_base: bool,
        /// Remove all dependencies on other batches
        #[arg(long, conflicts_with = "needs")]
        no_needs: bool,
        /// Allow releasing its tasks without an acceptance
        #[arg(long, conflicts_with = "acceptance")]
        no_acceptance: bool,
    },
    /// Release all tasks of a batch that are in the backlog
    Release {
        /// Id of the batch
        #[arg(value_name = "ID")]
        batch: String,
        #[command(flatten)]
        json: JsonFlag,
    },
}

/// Facts of a batch that is created or changed.
#[derive(Debug, Args)]
pub struct BatchArgs {
    /// Id of the batch
    #[arg(value_name = "ID")]
    pub batch: String,
    /// Title, one line
    #[arg(long)]
    pub title: Option<String>,
    /// Goal of the batch; `-` reads standard input
    #[arg(long, allow_hyphen_values = true)]
    pub goal: Option<String>,
    /// Branch that its tasks start from and are merged into; created on origin from the configured base if missing
    #[arg(long, value_name = "BRANCH", value_parser = branch)]
    pub base: Option<String>,
    /// Batches that must be completed before any of its tasks starts, separated by commas; replaces the earlier list
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub needs: Vec<String>,
    /// Require one acceptance task that waits for all others before any task is released
    #[arg(long)]
    pub acceptance: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}

fn branch(text: &str) -> CommandResult<String> {
    Ok(BranchName::new(text)?.as_str().to_owned())
}
