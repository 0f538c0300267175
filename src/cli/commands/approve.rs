//! `dbs approve`: allows what an agent asks for, or approves a task.

use crate::cli::commands::asks;
use crate::cli::commands::prelude::*;
use crate::domain::{AskReply, Command, TaskId};

/// Approve a waiting task, or allow what its agent asks for
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs approve dbs-1"))]
pub struct ApproveArgs {
    #[command(flatten)]
    task: TaskArgs,
}

impl RunCommand for ApproveArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let task = TaskId::from(self.task.id.as_str());
        let approve = Command::Approve(task.clone());
        asks::reply_or(env, &task, |_| true, AskReply::Allow, approve, self.task.json)
    }
}
