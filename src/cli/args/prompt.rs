//! The command line of `dbs prompt`.

use clap::Args;

use crate::cli::args::JsonFlag;

/// Arguments of `dbs prompt`.
#[derive(Debug, Args)]
pub struct PromptArgs {
    /// Id of the task
    #[arg(required_unless_present = "list", conflicts_with = "list")]
    pub id: Option<String>,
    /// Role to print the prompt for, instead of the task's own
    #[arg(long, requires = "id")]
    pub role: Option<String>,
    /// List all roles and blocks with their sources
    #[arg(long)]
    pub list: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}
