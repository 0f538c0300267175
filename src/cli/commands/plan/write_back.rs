//! `dbs plan write-back`: writes the state of its phases on the board into the files of a plan, only on request.

use std::path::PathBuf;

use crate::cli::commands::prelude::*;
use crate::cli::commands::run::rows;
use crate::domain::pluralized;
use crate::plans::write_back::WriteBack;
use crate::plans::{in_project, read};

/// Write the progress of a plan's phases into its files
///
/// In a phased plan, the status cells of the table are written, and the boxes of phases that are done are ticked. In a `plan.json`, the
/// status, the result and the attempts of each task are written, and the list of completed tasks. Nothing else in the files changes. A file
/// that changed meanwhile or is outside the project is not written.
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs plan write-back docs/MASTER.md\ndbs plan write-back .design/plan.json"))]
pub struct WriteBackArgs {
    /// Master plan or plan.json
    plan: PathBuf,
    /// Only print the files that would change
    #[arg(long, short = 'n')]
    dry_run: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for WriteBackArgs {
    /// Writes the statuses of its phases into a plan, and ticks the tasks of those that are done.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let paths = ProjectPaths::find(&env.folder, env)?;
        let read = read(&self.plan, Some(&paths), &|_| true)?;
        if !read.plan.is_sound() {
            return Err(CommandError::user(
                "could not write back: the plan has errors, `dbs audit` shows them",
            ));
        }
        let rows = rows(&mut BoardAccess::open_project(paths.clone())?, &read.plan)?;
        if rows.tasks.is_empty() {
            return Err(CommandError::user(
                "could not write back: the plan is not on the board; `dbs run` puts it there",
            ));
        }
        let changes = WriteBack::new(&read, &paths, &rows)?;
        let files = changes.files(&paths);
        if !self.dry_run {
            changes.write()?;
        }
        for stranger in changes.strangers() {
            output::problem(stranger);
        }
        let done = changes.done_name().map(|name| in_project(name, &paths.root));
        if self.json.json {
            output::json(&serde_json::json!({ "files": files, "written": !self.dry_run, "renamed": done }));
            return Ok(ExitCode::SUCCESS);
        }
        let to_be = if self.dry_run { "to be " } else { "" };
        if files.is_empty() {
            output::line("the files of the plan are up to date already");
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
}
