//! `dbs reject`: denies what an agent asks for, or sends work back.

use crate::cli::commands::asks;
use crate::cli::commands::prelude::*;
use crate::domain::{Ask, AskReply, Command, TaskId};

/// Send back a task's work, or say no to what its agent asks
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs reject dbs-1 \"the empty file is not handled\""))]
pub struct RejectArgs {
    #[command(flatten)]
    task: TaskTextArgs,
}

impl RunCommand for RejectArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let (task, why) = (TaskId::from(self.task.id.as_str()), self.task.text.join(" "));
        let send_back = Command::Reject(task.clone(), why.clone());
        asks::reply_or(
            env,
            &task,
            Ask::takes_no,
            AskReply::Deny(why),
            send_back,
            self.task.json,
        )
    }
}
