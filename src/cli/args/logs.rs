//! The command line of `dbs logs` and `dbs events`.

use clap::Args;

use crate::cli::args::JsonFlag;

/// Arguments of `dbs logs`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct LogsArgs {
    /// An attempt's number, an agent's name or a task; all events without it
    pub attempt: Option<String>,
    /// Go on as more comes
    #[arg(long)]
    pub follow: bool,
    /// An agent's output byte for byte
    #[arg(long, requires = "attempt")]
    pub raw: bool,
    /// An agent's output as a recording (asciicast) to be played
    #[arg(long, requires = "attempt", conflicts_with_all = ["follow", "raw", "json"])]
    pub cast: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs events`.
#[derive(Debug, Args)]
pub struct EventsArgs {
    /// Only those after that position: the `seq` of the last one seen
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    pub since: u64,
    /// Go on as more come
    #[arg(long)]
    pub follow: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}
