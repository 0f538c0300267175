//! `dbs skip`: a task is left out.

use crate::cli::commands::prelude::*;
use crate::domain::Command;

/// Skip a task
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs skip dbs-1"))]
pub struct SkipArgs {
    #[command(flatten)]
    task: TaskArgs,
}

impl RunCommand for SkipArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        execute(env, Command::Skip(self.task.id.as_str().into()), self.task.json)
    }
}
