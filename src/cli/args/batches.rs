//! The command line of `dbs batch`.

use clap::{Args, Subcommand};

use crate::cli::args::JsonFlag;
use crate::ports::git::BranchName;

/// A subcommand of `dbs batch`.
#[derive(Debug, Subcommand)]
pub enum BatchCommand {
    /// Make a batch, for tasks that `dbs task create --batch` puts into it
    Create(BatchArgs),
    /// All batches: how far they are, their base, and what they wait for
    List(JsonFlag),
    /// A batch with its tasks
    Show {
        /// Id of the batch
        #[arg(value_name = "ID")]
        batch: String,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Change what a batch is for, its base, or what it waits for
    Update {
        #[command(flatten)]
        facts: BatchArgs,
        /// Let it have the base of the settings again
        #[arg(long, conflicts_with = "base")]
        no_base: bool,
        /// Let it wait for no other batch
        #[arg(long, conflicts_with = "needs")]
        no_needs: bool,
        /// Let its tasks be released without an acceptance
        #[arg(long, conflicts_with = "acceptance")]
        no_acceptance: bool,
    },
    /// Hand all its tasks that are in the backlog to the pipeline
    Release {
        /// Id of the batch
        #[arg(value_name = "ID")]
        batch: String,
        #[command(flatten)]
        json: JsonFlag,
    },
}

/// What is said of a batch that is made or changed.
#[derive(Debug, Args)]
pub struct BatchArgs {
    /// Id of the batch
    #[arg(value_name = "ID")]
    pub batch: String,
    /// One line
    #[arg(long)]
    pub title: Option<String>,
    /// What it is to achieve; `-`: read it from the standard input
    #[arg(long, allow_hyphen_values = true)]
    pub goal: Option<String>,
    /// Branch that its tasks start from and are merged into; the engine makes it on origin, from the base of the settings, where there is none
    #[arg(long, value_name = "BRANCH", value_parser = branch)]
    pub base: Option<String>,
    /// Batches that must be completed before any of its tasks starts, separated by commas; they replace those there were
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub needs: Vec<String>,
    /// Release its tasks only with one acceptance that waits for all of them
    #[arg(long)]
    pub acceptance: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}

fn branch(text: &str) -> Result<String, String> {
    match BranchName::new(text) {
        Ok(name) => Ok(name.as_str().to_owned()),
        Err(error) => Err(format!("could not {error}")),
    }
}
