//! The command line of `dbs status` and `dbs history`.

use clap::Args;

use crate::cli::args::JsonFlag;

/// Arguments of `dbs status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// The tasks of that run, and how far each is: the id of a batch, as `dbs history` lists them
    #[arg(long, short, value_name = "ID")]
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
