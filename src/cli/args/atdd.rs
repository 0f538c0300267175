//! The command line of `dbs atdd`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::args::JsonFlag;

/// A subcommand of `dbs atdd`.
#[derive(Debug, Subcommand)]
pub enum AtddCommand {
    /// Make the documents that stories are written by, and the folder of PRDs; nothing that is there is overwritten
    Init(AtddInitArgs),
    /// Say what PRDs hold and what is wrong with them
    Check(AtddCheckArgs),
}

/// Arguments of `dbs atdd init`.
#[derive(Debug, Args)]
pub struct AtddInitArgs {
    /// Put our texts in the place of documents that are there
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs atdd check`.
#[derive(Debug, Args)]
pub struct AtddCheckArgs {
    /// PRDs, or folders with them; without any all of the queue
    pub paths: Vec<PathBuf>,
    /// Exit with 2 when there are warnings
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}
