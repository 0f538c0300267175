//! The command line of `dbs status` and `dbs history`.

use clap::Args;

use crate::cli::args::JsonFlag;

/// Arguments of `dbs status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Id of a run (a batch listed by `dbs history`) whose tasks and progress are shown; the newest without one
    #[arg(long, short, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    pub run: Option<String>,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs history`.
#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// Maximum number of runs to list
    #[arg(long, short, default_value_t = 10, allow_negative_numbers = true)]
    pub limit: usize,
    #[command(flatten)]
    pub json: JsonFlag,
}
