//! The command line of `dbs watch`, which `app` carries out.

use crate::cli::commands::prelude::*;

/// Run the server in the foreground, one line per event
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs watch\ndbs watch --json >events.jsonl"))]
pub struct WatchArgs {
    #[command(flatten)]
    pub json: JsonFlag,
}
