//! The command line of `dbs status` and `dbs history`.

use clap::Args;

use crate::cli::args::JsonFlag;

/// Arguments of `dbs status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Show the phases or tasks of a run: a batch id as `dbs history` lists them, or the newest run without one
    #[arg(long, short, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    pub run: Option<String>,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs history`.
#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// So many at most
    #[arg(long, short, default_value_t = 10)]
    pub limit: usize,
    #[command(flatten)]
    pub json: JsonFlag,
}
