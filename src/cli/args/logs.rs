//! The command line of `dbs logs` and `dbs events`.

use clap::Args;

use crate::cli::args::JsonFlag;

/// Arguments of `dbs logs`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct LogsArgs {
    /// Number of an attempt, name of an agent or id of a task; default: all events
    pub attempt: Option<String>,
    /// Keep printing as more arrives
    #[arg(long)]
    pub follow: bool,
    /// Print an agent's output byte for byte
    #[arg(long, requires = "attempt")]
    pub raw: bool,
    /// Print an agent's output as a recording to play (asciicast)
    #[arg(long, requires = "attempt", conflicts_with_all = ["follow", "raw", "json"])]
    pub cast: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs events`.
#[derive(Debug, Args)]
pub struct EventsArgs {
    /// Position to start after: the `seq` of the last event seen
    #[arg(long, value_name = "SEQ", default_value_t = 0, allow_negative_numbers = true)]
    pub since: u64,
    /// Keep printing as more arrive
    #[arg(long)]
    pub follow: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}
