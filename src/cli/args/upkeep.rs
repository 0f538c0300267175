//! The command line of `dbs clear` and `dbs restart`.

use clap::Args;

use crate::cli::args::JsonFlag;

/// Arguments of `dbs clear`.
#[derive(Debug, Args)]
pub struct ClearArgs {
    /// The project's name, instead of the question
    #[arg(long, value_name = "NAME")]
    pub confirm: Option<String>,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs restart`.
#[derive(Debug, Args)]
pub struct RestartArgs {
    /// Wait for no check, push or copy of work that is under way: it is repeated at the start
    #[arg(long)]
    pub now: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}
