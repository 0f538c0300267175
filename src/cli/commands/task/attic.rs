//! `dbs task attic`: the work that is kept of a task beside its branch.

use serde_json::json;

use crate::adapters::git::GitCli;
use crate::cli::commands::prelude::*;
use crate::domain::TaskId;
use crate::ports::git::SafeName;
use crate::protocol::query::QueryError;

/// Restores as branches the work that the attic keeps of a task.
pub(super) fn run(env: &ProcessEnv, args: &TaskArgs) -> CommandResult {
    let mut access = BoardAccess::open(env)?;
    let id = TaskId::from(args.id.as_str());
    if access.task(&id)?.is_none() {
        return Err(QueryError::NoTask(id).into());
    }
    let setup = access.paths.git_setup(env.environment.clone());
    let task = SafeName::derive(id.as_str());
    let brought = GitCli::open(&setup)?.bring_back(&task)?;
    if args.json.json {
        let kept = brought.iter().map(|kept| {
            let (branch, commit) = (kept.branch.as_str(), kept.commit.as_str());
            json!({ "branch": branch, "commit": commit, "ref": kept.attic_ref, "files": kept.files })
        });
        output::json(&kept.collect::<Vec<_>>());
        return Ok(ExitCode::SUCCESS);
    }
    for kept in &brought {
        output::line(&format!("{}  {}", kept.branch, kept.files.join(", ")));
    }
    output::line(&match brought.last() {
        Some(last) => format!("`git checkout {} -- FILE` takes a file of it", last.branch),
        None => format!("nothing is kept of {id} beside its branch"),
    });
    Ok(ExitCode::SUCCESS)
}
