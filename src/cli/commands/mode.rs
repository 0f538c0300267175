//! `dbs mode`: the agents of a task work with or without their tool's interface.

use crate::cli::commands::prelude::*;
use crate::domain::{AgentDisplay, Command};

/// Switch a task's agents between visible and headless
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs mode dbs-1\ndbs mode dbs-1 visible"))]
pub struct ModeArgs {
    /// Id of the task
    id: String,
    /// New mode; default: the other one
    #[arg(value_parser = ["visible", "headless"])]
    mode: Option<String>,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for ModeArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let mode = self.mode.map(|word| match word.as_str() {
            "headless" => AgentDisplay::Headless,
            _ => AgentDisplay::Visible,
        });
        execute(env, Command::SetMode(self.id.as_str().into(), mode), self.json)
    }
}
