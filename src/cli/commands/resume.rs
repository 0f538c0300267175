//! `dbs resume`: agents work again.

use crate::cli::commands::prelude::*;
use crate::domain::Command;

/// Resume scheduling
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs resume"))]
pub struct ResumeArgs {
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for ResumeArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        execute(env, Command::Resume, self.json)
    }
}
