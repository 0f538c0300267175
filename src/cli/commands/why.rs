//! `dbs why`: the reason for which a task does not move.

use crate::cli::commands::prelude::*;
use crate::protocol::query::Report;

/// Explain why a task does not move and what its agent is doing
///
/// `dbs task why` is the same.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs why dbs-1\ndbs why developer-ravel --sources"))]
pub struct WhyArgs {
    /// Id of the task, or name of its agent
    id: String,
    /// Also show what each source reports of the agent, and which one counts
    #[arg(long)]
    sources: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for WhyArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let report = Report::Why {
            name: self.id,
            with_sources: self.sources,
        };
        print_report(env, report, self.json)
    }
}
