//! `dbs atdd`: stories whose tests are written first. Their documents, the contents of their PRDs, the checks of their needs, and their
//! states.

mod check;
mod init;
mod setup;
mod standing;

use std::path::PathBuf;

use clap::Subcommand;

use crate::cli::commands::convert::{self, ConvertArgs};
use crate::cli::commands::prelude::*;
use crate::cli::commands::run::{RunCallArgs, RunPlanArgs};
use crate::config::atdd::StorySettings;
use crate::domain::MadeForm;

/// Prepare, check and run stories whose tests are written first
#[derive(Debug, Subcommand)]
pub enum AtddCommand {
    Run(AtddRunArgs),
    Init(init::AtddInitArgs),
    Check(check::AtddCheckArgs),
    New(NewPrdArgs),
    Setup(setup::AtddSetupArgs),
    Status(standing::AtddStatusArgs),
    History(standing::AtddHistoryArgs),
}

impl RunCommand for AtddCommand {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        match self {
            AtddCommand::Run(wanted) => wanted.run(env),
            AtddCommand::Init(wanted) => wanted.run(env),
            AtddCommand::Check(wanted) => wanted.run(env),
            AtddCommand::New(wanted) => wanted.run(env),
            AtddCommand::Setup(wanted) => wanted.run(env),
            AtddCommand::Status(wanted) => wanted.run(env),
            AtddCommand::History(wanted) => wanted.run(env),
        }
    }
}

/// Run the queue of PRDs story by story: tests first, then the code
///
/// `dbs run` with a folder of PRDs is the same. The stories become tasks of the batch `stories`. Run the command again to apply later
/// changes of the queue. The exit codes of `--headless` are those of `dbs run`.
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs atdd run\ndbs atdd run prds --dry-run\ndbs stories run --headless --output both"))]
pub struct AtddRunArgs {
    /// Folder of PRDs, or one PRD; default: the queue of the settings (atdd.folder)
    queue: Option<PathBuf>,
    #[command(flatten)]
    pub(super) call: RunCallArgs,
}

impl RunCommand for AtddRunArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let place = ProjectPaths::find(&env.folder, env)?;
        let folder = place.root.join(StorySettings::of(&place.read_config()).folder);
        let run = RunPlanArgs {
            plan: self.queue.unwrap_or(folder),
            call: self.call,
            ..RunPlanArgs::default()
        };
        run.run(env)
    }
}

/// Let an agent turn a text into a PRD of the queue, which you review
///
/// Works like `dbs convert`: `dbs atdd check` checks the PRD, and the PRD is shown as a whole. When you agree, it is written to the queue,
/// with the number after the last one. The exit codes are those of `dbs run --headless`.
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs atdd new ideas.md\ndbs atdd new - --name export <ideas.md"))]
pub struct NewPrdArgs {
    #[command(flatten)]
    text: ConvertArgs,
}

impl RunCommand for NewPrdArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        convert::convert(env, &self.text, MadeForm::Prd)
    }
}
