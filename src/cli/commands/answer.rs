//! `dbs answer`: types an answer to the agent that works on a task.

use crate::cli::commands::asks;
use crate::cli::commands::prelude::*;
use crate::domain::{Command, TaskId};

/// Send an answer to the agent that works on a task
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs answer dbs-1 \"yes, delete it\""))]
pub struct AnswerArgs {
    #[command(flatten)]
    task: TaskTextArgs,
}

impl RunCommand for AnswerArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let mut access = BoardAccess::open(env)?;
        let task = TaskId::from(self.task.id.as_str());
        asks::open_ask(&mut access, &task, &|_| true)?;
        let answer = access.execute(&env.author(), Command::Answer(task, self.task.text.join(" ")))?;
        Ok(print_reply(&answer, "", self.task.json))
    }
}
