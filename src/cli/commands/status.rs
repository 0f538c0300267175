//! `dbs status`: base branch, agents, counts and branches of tasks, or the progress of a run (K65).

use crate::adapters::git::task_branches;
use crate::cli::commands::prelude::*;
use crate::cli::commands::report;
use crate::protocol::query::{Report, TaskBranches};

/// Show the base branch, agents, task counts and task branches
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs status\ndbs status --run invoice-export\ndbs status --json"))]
pub struct StatusArgs {
    /// Id of a run (a batch listed by `dbs history`) whose tasks and progress are shown; default: the newest run
    #[arg(long, short, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    run: Option<String>,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for StatusArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let mut access = BoardAccess::open(env)?;
        let wanted = match &self.run {
            Some(run) => Report::Run(run.as_str().into()),
            None => Report::Status(branches(&access.paths, env)),
        };
        report::print(&mut access, wanted, self.json)
    }
}

/// Returns the local branches of tasks, or the reason why they could not be listed.
pub(super) fn branches(paths: &ProjectPaths, env: &ProcessEnv) -> TaskBranches {
    task_branches(&paths.git_setup(env.environment.clone())).map_err(|error| error.to_string())
}
