//! `dbs import`: the runs that an earlier program wrote into its database (P68).

use std::path::Path;
use std::process::ExitCode;

use crate::adapters::output;
use crate::adapters::store::EarlierHistory;
use crate::cli::args::EarlierArgs;
use crate::cli::command_error::failed;
use crate::cli::commands::CommandResult;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;

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
