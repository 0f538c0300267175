//! The command line of `dbs clear` and `dbs restart`.

use clap::Args;

use crate::cli::args::JsonFlag;

/// Arguments of `dbs clear`.
#[derive(Debug, Args)]
pub struct ClearArgs {
    /// Name of the project, as the answer to the question
    #[arg(long, value_name = "NAME")]
    pub confirm: Option<String>,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs restart`.
#[derive(Debug, Args)]
pub struct RestartArgs {
    /// Do not wait for running checks, pushes and copies; they rerun at the start
    #[arg(long)]
    pub now: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}
