//! `dbs interrupt`: ends the turn of the agent that works on a task.

use crate::cli::commands::prelude::*;
use crate::domain::Command;

/// End the current turn of a task's agent, like Esc in its terminal
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs interrupt dbs-1"))]
pub struct InterruptArgs {
    /// Id of the task
    id: String,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for InterruptArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        execute(env, Command::Interrupt(self.id.as_str().into()), self.json)
    }
}
