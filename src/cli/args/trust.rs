//! The arguments of `dbs trust`.

use clap::{Args, ValueEnum};

use crate::cli::args::JsonFlag;

/// Arguments of `dbs trust`.
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// What to print: everything, or what differs from what you trusted
    #[arg(default_value = "show")]
    pub view: TrustView,
    /// Trust everything in the project's files, if it has this hash
    #[arg(long, value_name = "HASH")]
    pub hash: Option<String>,
    /// Trust nothing of this project any more
    #[arg(long, conflicts_with = "hash")]
    pub forget: bool,
    /// Use the state that lies in this project, though you did not make it on this machine
    #[arg(long, conflicts_with_all = ["hash", "forget"])]
    pub state: bool,
    /// Work with this address of the remote from now on, if it is what origin has now
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["hash", "forget", "state"])]
    pub origin: Option<String>,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// What `dbs trust` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TrustView {
    /// Everything that starts a program or steers an agent, with its place and the hash
    Show,
    /// What differs from what you trusted
    Diff,
}
