//! `dbs pause`: no new agents, and those at work are stopped.

use crate::cli::commands::prelude::*;
use crate::domain::Command;

/// Pause scheduling: stop running agents, start no new ones
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs pause"))]
pub struct PauseArgs {
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for PauseArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        execute(env, Command::Pause, self.json)
    }
}
