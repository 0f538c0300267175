//! `dbs plan write-back`: writes the state of its phases on the board into the files of a plan, only on request.

use std::process::ExitCode;

use super::run::rows;
use crate::adapters::output;
use crate::cli::args::WriteBackArgs;
use crate::cli::board_access::BoardAccess;
use crate::cli::commands::CommandResult;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::domain::pluralized;
use crate::plans::write_back::WriteBack;
use crate::plans::{in_project, read};

/// Writes the statuses of its phases into a plan, and ticks the tasks of those that are done.
pub(super) fn write_back(env: &ProcessEnv, wanted: &WriteBackArgs) -> CommandResult {
    let paths = ProjectPaths::find(&env.folder, env)?;
    let read = read(&wanted.plan, Some(&paths))?;
    if !read.plan.is_sound() {
        return Err(
            "could not write back: the plan has errors, `dbs audit` shows them"
                .to_owned()
                .into(),
        );
    }
    let rows = rows(&mut BoardAccess::open_project(paths.clone())?, &read.plan)?;
    if rows.tasks.is_empty() {
        return Err(
            "could not write back: the plan is not on the board; `dbs run` puts it there"
                .to_owned()
                .into(),
        );
    }
    let changes = WriteBack::new(&read, &paths, &rows)?;
    let files = changes.files(&paths);
    if !wanted.dry_run {
        changes.write()?;
    }
    let done = changes.done_name().map(|name| in_project(name, &paths.root));
    if wanted.json.json {
        output::json(&serde_json::json!({ "files": files, "written": !wanted.dry_run, "renamed": done }));
        return Ok(ExitCode::SUCCESS);
    }
    let to_be = if wanted.dry_run { "to be " } else { "" };
    if files.is_empty() {
        output::line("the files of the plan say already what the board knows");
    } else {
        output::line(&format!(
            "{} {to_be}changed: {}",
            pluralized(files.len(), "file"),
            files.join(", ")
        ));
    }
    if let Some(name) = done {
        output::line(&format!(
            "all tasks are done; the plan is {to_be}renamed to {name}"
        ));
    }
    Ok(ExitCode::SUCCESS)
}
