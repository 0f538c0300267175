//! `dbs retry`: a task that is held, parked or failed is worked on again.

use crate::cli::commands::prelude::*;
use crate::domain::{Command, TaskId, TaskPatch};
use crate::engine::inbox::CommandReply;

/// Retry held, parked, failed or skipped tasks
///
/// `dbs task retry` is the same.
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs retry dbs-1\ndbs retry dbs-1 dbs-2\ndbs retry dbs-1 --stage development --note \"begin again\"\ndbs retry dbs-1 --clean"))]
pub struct RetryArgs {
    /// Ids of the tasks
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Note for the next attempt
    #[arg(long)]
    note: Option<String>,
    /// Stage to retry from; default: the stage it was in
    #[arg(long)]
    stage: Option<String>,
    /// Start on a clean branch; the old work is kept in the attic
    #[arg(long, conflicts_with = "stage")]
    clean: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for RetryArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let mut is_done = true;
        for id in &self.ids {
            let answer = self.retry(env, &TaskId::from(id.as_str()))?;
            print_reply(&answer, "", self.json);
            is_done &= answer.is_ok();
        }
        Ok(exit_code(is_done))
    }
}

impl RetryArgs {
    /// Retries one task.
    fn retry(&self, env: &ProcessEnv, task: &TaskId) -> CommandResult<CommandReply> {
        let stage = self.stage.as_ref();
        let command = Command::Retry {
            task: task.clone(),
            stage: stage.map(|stage| stage.replace('-', "_").as_str().into()),
            note: self.note.clone(),
        };
        let mut access = BoardAccess::open(env)?;
        if !self.clean {
            return access.execute(&env.author(), command);
        }
        let mut clean = |is_clean| {
            let patch = TaskPatch {
                begins_anew: Some(is_clean),
                ..TaskPatch::default()
            };
            access.execute(&env.author(), Command::Update(task.clone(), patch))
        };
        // Set before: the next attempt may begin at once.
        let set = clean(true)?;
        if set.is_err() {
            return Ok(set);
        }
        let retried = BoardAccess::open(env)?.execute(&env.author(), command)?;
        if retried.is_err() {
            clean(false)??;
        }
        Ok(retried)
    }
}
