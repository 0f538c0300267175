//! `dbs retry`: a task that is held, parked or failed is worked on again.

use crate::cli::commands::prelude::*;
use crate::domain::{Command, TaskId, TaskPatch};

/// Retry a held, parked, failed or skipped task
///
/// `dbs task retry` is the same.
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs retry dbs-1\ndbs retry dbs-1 --stage development --note \"begin again\"\ndbs retry dbs-1 --clean"))]
pub struct RetryArgs {
    /// Id of the task
    id: String,
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
        let stage = self.stage.map(|stage| stage.replace('-', "_").as_str().into());
        let task = TaskId::from(self.id.as_str());
        let command = Command::Retry {
            task: task.clone(),
            stage,
            note: self.note,
        };
        if !self.clean {
            return execute(env, command, self.json);
        }
        let mut access = BoardAccess::open(env)?;
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
            return Ok(print_reply(&set, "", self.json));
        }
        let retried = BoardAccess::open(env)?.execute(&env.author(), command)?;
        if retried.is_err() {
            clean(false)??;
        }
        Ok(print_reply(&retried, "", self.json))
    }
}
