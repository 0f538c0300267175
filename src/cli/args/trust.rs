//! The arguments of `dbs trust`.

use clap::{Args, ValueEnum};

use crate::cli::args::JsonFlag;

/// Arguments of `dbs trust`.
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// Part to print: everything, or the difference from what you trusted
    #[arg(default_value = "show")]
    pub view: TrustView,
    /// Trust everything in the project's files if it has this hash
    #[arg(long, value_name = "HASH")]
    pub hash: Option<String>,
    /// Revoke all trust in this project
    #[arg(long, conflicts_with = "hash")]
    pub forget: bool,
    /// Use the state in this project's folder although it was not created by you on this machine
    #[arg(long, conflicts_with_all = ["hash", "forget"])]
    pub state: bool,
    /// Accept this new address of origin, if origin has it now
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["hash", "forget", "state"])]
    pub origin: Option<String>,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Part that `dbs trust` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TrustView {
    /// Print everything that starts a program or steers an agent, with its place and the hash
    Show,
    /// Print the difference from what you trusted
    Diff,
}
