//! `dbs atdd`: stories whose tests are written first. Their documents, the contents of their PRDs, the checks of their needs, and their
//! states.

mod check;
mod init;
mod setup;
mod standing;

use crate::cli::args::{AtddCommand, AtddRunArgs, RunPlanArgs};
use crate::cli::command_error::CommandError;
use crate::cli::commands::CommandResult;
use crate::config::atdd::StorySettings;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;

/// Folder of the documents that stories are written by, in the project's root.
const DOCUMENTS: &str = ".swanson";

/// Converts a call of `dbs atdd run` into one of `dbs run`.
///
/// # Errors
/// When there is no project.
pub fn as_run(env: &ProcessEnv, wanted: AtddRunArgs) -> CommandResult<RunPlanArgs> {
    let place = ProjectPaths::find(&env.folder, env)?;
    let folder = place.root.join(StorySettings::of(&place.read_config()).folder);
    Ok(wanted.into_run(folder))
}

/// Executes a command of stories.
pub(super) fn run(env: &ProcessEnv, verb: AtddCommand) -> CommandResult {
    match verb {
        AtddCommand::Run(wanted) => super::plans::run(env, &as_run(env, wanted)?),
        AtddCommand::Init(wanted) => init::run(env, &wanted),
        AtddCommand::Check(wanted) => check::run(env, &wanted),
        // The caller of `run` starts it, because it starts a server.
        AtddCommand::New(_) => Err(CommandError::user("could not run this here")),
        AtddCommand::Setup(json) => Ok(setup::run(env, json)),
        AtddCommand::Status(json) => standing::status(env, json),
        AtddCommand::History(wanted) => standing::history(env, &wanted),
    }
}
