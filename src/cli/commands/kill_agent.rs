//! `dbs kill-agent`: stops an agent, named by its name, its attempt or its task.

use crate::cli::commands::prelude::*;
use crate::domain::Command;

/// Stop one agent; its task restarts its current stage
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs kill-agent developer-ravel\ndbs kill-agent dbs-1"))]
pub struct KillAgentArgs {
    /// Name of the agent, number of the attempt or id of the task
    name: String,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for KillAgentArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let mut access = BoardAccess::open(env)?;
        let name = &self.name;
        let attempt = access.open_attempt(name)?.ok_or_else(|| {
            CommandError::user(format!("could not find an agent at work called {name}"))
                .with_hint("`dbs status` lists them")
        })?;
        let answer = access.execute(&env.author(), Command::Kill(attempt.id))?;
        Ok(print_reply(&answer, "", self.json))
    }
}
