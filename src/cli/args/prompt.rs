//! The command line of `dbs prompt`.

use clap::Args;

use crate::cli::args::JsonFlag;

/// Arguments of `dbs prompt`.
#[derive(Debug, Args)]
pub struct PromptArgs {
    /// Id of the task
    #[arg(required_unless_present = "list", conflicts_with = "list")]
    pub id: Option<String>,
    /// What an agent in this role would be told instead
    #[arg(long, requires = "id")]
    pub role: Option<String>,
    /// All roles and blocks, and where each comes from
    #[arg(long)]
    pub list: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}
