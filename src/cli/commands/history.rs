//! `dbs history`: the runs there were.

use crate::cli::commands::prelude::*;
use crate::protocol::query::Report;

/// List runs (plans and other batches of tasks), newest first
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs history\ndbs history --limit 50 --json"))]
pub struct HistoryArgs {
    /// Maximum number of runs to list
    #[arg(long, short, default_value_t = 10, allow_negative_numbers = true)]
    limit: usize,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for HistoryArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        print_report(env, Report::Runs(self.limit), self.json)
    }
}
