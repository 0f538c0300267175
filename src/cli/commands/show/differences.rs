//! `dbs diff` and `dbs task attic`: the changes of a task, and the work that is kept beside its branch.

use std::process::ExitCode;

use serde_json::json;

use crate::adapters::git::GitCli;
use crate::adapters::output;
use crate::cli::args::{DiffArgs, TaskArgs};
use crate::cli::board_access::BoardAccess;
use crate::cli::command_error::{CommandError, could_not};
use crate::cli::commands::CommandResult;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::domain::TaskId;
use crate::engine::task_diff::diff_range;
use crate::ports::git::{Git as _, SafeName};
use crate::protocol::query::{Answer, Query, QueryError};
use crate::read_model::DiffBase;

/// Maximum bytes of differences that are printed.
const MOST: usize = 64 * 1024 * 1024;

/// Prints the changes of a task, as git prints them.
pub(in crate::cli::commands) fn diff(env: &ProcessEnv, wanted: &DiffArgs) -> CommandResult {
    let mut access = BoardAccess::open(env)?;
    let against = if wanted.review {
        DiffBase::Review
    } else {
        DiffBase::Base
    };
    let query = Query::Changes(wanted.id.as_str().into(), against);
    let Answer::Changes(changes) = access.query(query)? else {
        return Err(could_not("understand the answer"));
    };
    let range = diff_range(&changes)?;
    let found = git(&access.paths, env)?.diff_text(&range, MOST)?;
    if wanted.json.json {
        output::json(&json!({ "task": changes.task, "text": found.text, "truncated": found.truncated }));
    } else if found.text.is_empty() {
        output::line(&format!("{} has no changes", changes.task));
    } else {
        output::bytes(found.text.as_bytes());
    }
    Ok(ExitCode::SUCCESS)
}

/// Restores as branches the work that the attic keeps of a task.
pub(in crate::cli::commands) fn attic(env: &ProcessEnv, wanted: &TaskArgs) -> CommandResult {
    let mut access = BoardAccess::open(env)?;
    let id = TaskId::from(wanted.id.as_str());
    if access.task(&id)?.is_none() {
        return Err(QueryError::NoTask(id).into());
    }
    let task = SafeName::derive(id.as_str());
    let brought = git(&access.paths, env)?.bring_back(&task)?;
    if wanted.json.json {
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

fn git(paths: &ProjectPaths, env: &ProcessEnv) -> CommandResult<GitCli> {
    GitCli::open(&paths.git_setup(env.environment.clone())).map_err(CommandError::from)
}
