//! `dbs diff`: the changes of a task.

use serde_json::json;

use crate::adapters::git::GitCli;
use crate::cli::commands::prelude::*;
use crate::engine::task_diff::diff_range;
use crate::ports::git::Git as _;
use crate::protocol::query::{Answer, Query};
use crate::read_model::DiffBase;

/// Maximum bytes of differences that are printed.
const MOST: usize = 64 * 1024 * 1024;

/// Show what a task changed
///
/// While an agent works on the task, its folder is compared with the base, including uncommitted changes. Otherwise the branch of the task
/// is compared, or its kept work. For a merged task, the changes of the merge are shown.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs diff dbs-1\ndbs diff dbs-1 --review"))]
pub struct DiffArgs {
    /// Id of the task
    id: String,
    /// Compare with the version of the last review instead of the base
    #[arg(long)]
    review: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for DiffArgs {
    /// Prints the changes of a task, as git prints them.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let mut access = BoardAccess::open(env)?;
        let against = if self.review {
            DiffBase::Review
        } else {
            DiffBase::Base
        };
        let query = Query::Changes(self.id.as_str().into(), against);
        let Answer::Changes(changes) = access.query(query)? else {
            return Err(could_not("understand the answer"));
        };
        let setup = access.paths.git_setup(env.environment.clone());
        let range = diff_range(&changes)?;
        let found = GitCli::open(&setup)?.diff_text(&range, MOST)?;
        if self.json.json {
            output::json(&json!({ "task": changes.task, "text": found.text, "truncated": found.truncated }));
        } else if found.text.is_empty() {
            output::line(&format!("{} has no changes", changes.task));
        } else {
            output::bytes(found.text.as_bytes());
        }
        Ok(ExitCode::SUCCESS)
    }
}
