//! `dbs import`: the runs that an earlier program wrote into its database (P68).

use std::path::Path;
use std::process::ExitCode;

use crate::adapters::output;
use crate::adapters::store::EarlierHistory;
use crate::cli::args::EarlierArgs;
use crate::cli::command_error::{CommandError, failed};
use crate::cli::commands::CommandResult;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::plans::plan_in;

/// Usual path of that program's database in the project.
const USUAL: &str = ".debussy/state.db";

pub(super) fn run(env: &ProcessEnv, wanted: &EarlierArgs) -> CommandResult {
    let file = if let Some(file) = &wanted.file {
        env.folder.join(file)
    } else {
        let place = ProjectPaths::find(&env.folder, env)?;
        place.root.join(USUAL)
    };
    let shown = wanted.file.as_deref().unwrap_or_else(|| Path::new(USUAL));
    refuse_folder(&file, shown)?;
    let history = EarlierHistory::read(&file);
    let history = history.map_err(failed(format!("could not read {}", shown.display())))?;
    if wanted.json.json {
        output::json(&history);
        return Ok(ExitCode::SUCCESS);
    }
    let lines = history.lines();
    if lines.is_empty() {
        output::line("no runs are in it");
    }
    output::all(lines);
    Ok(ExitCode::SUCCESS)
}

/// Refuses a folder: it is no database. The file to give instead is named, or the command for the plan that is in it.
fn refuse_folder(file: &Path, shown: &Path) -> CommandResult<()> {
    if !file.is_dir() {
        return Ok(());
    }
    let way = match plan_in(shown) {
        Ok(Some(plan)) => format!("the plan in it is carried out by `dbs run {}`", plan.display()),
        Ok(None) => format!("name its file, such as {}", shown.join(USUAL).display()),
        Err(several) => return Err(several.into()),
    };
    Err(CommandError::user(format!(
        "could not import {}: it is a folder, and the runs of an earlier program are read from its database; {way}",
        shown.display()
    )))
}
