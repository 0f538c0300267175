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
use crate::cli::commands::run::{AgentOutput, RunPlanArgs};
use crate::config::atdd::StorySettings;
use crate::domain::MadeForm;

/// Folder of the documents that stories are written by, in the project's root.
const DOCUMENTS: &str = ".swanson";

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
            AtddCommand::Run(wanted) => wanted.into_run(env)?.run(env),
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
/// `dbs stories run` is the same, and so is `dbs run` with a folder of PRDs. The stories are tasks of the batch `stories`; what the queue has
/// otherwise now is taken over when it is run again. The exit codes of `--headless` are those of `dbs run`.
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs atdd run\ndbs atdd run prds --dry-run\ndbs stories run --headless --output both"))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct AtddRunArgs {
    /// Folder of PRDs, or one PRD; default: the queue of the settings (atdd.folder)
    pub(super) queue: Option<PathBuf>,
    /// Only show the stories and the commands that run their tests
    #[arg(long, short = 'n')]
    pub(super) dry_run: bool,
    /// Wait for the end of the queue without a screen: one line per step, and an exit code for the outcome
    #[arg(long, conflicts_with = "dry_run")]
    pub(super) headless: bool,
    /// Return as soon as the stories are on the board; at a terminal the call otherwise stays until they are over or need you
    #[arg(long, conflicts_with_all = ["headless", "interactive"])]
    pub(super) detach: bool,
    /// Destination of the agents' output
    #[arg(long, short, value_enum, default_value_t = AgentOutput::File, requires = "headless")]
    pub(super) output: AgentOutput,
    /// Stay at the terminal and ask before each story is merged: approve, retry, skip or quit
    #[arg(long)]
    pub(super) interactive: bool,
    /// Model of the agents of new stories, as their tool names it
    #[arg(long, short, value_name = "NAME")]
    pub(super) model: Option<String>,
    /// Start despite uncommitted changes, which agents do not see
    #[arg(long)]
    pub(super) allow_dirty: bool,
    /// Retry what failed, is held, skipped or set aside
    #[arg(long)]
    pub(super) resume: bool,
    /// Approve the changes with this hash (printed by --dry-run, and where no terminal can ask)
    #[arg(long, value_name = "HASH")]
    pub(super) trust: Option<String>,
    #[command(flatten)]
    pub(super) json: JsonFlag,
}

impl AtddRunArgs {
    /// Converts to the arguments of `dbs run`.
    ///
    /// # Errors
    /// When there is no project.
    fn into_run(self, env: &ProcessEnv) -> CommandResult<RunPlanArgs> {
        let place = ProjectPaths::find(&env.folder, env)?;
        let folder = place.root.join(StorySettings::of(&place.read_config()).folder);
        Ok(RunPlanArgs {
            plan: self.queue.unwrap_or(folder),
            dry_run: self.dry_run,
            phase: None,
            headless: self.headless,
            detach: self.detach,
            output: self.output,
            parallel: None,
            interactive: self.interactive,
            trust_plan: false,
            done: Vec::new(),
            model: self.model,
            context_threshold: None,
            max_restarts: None,
            auto_commit: false,
            no_auto_commit: false,
            allow_dirty: self.allow_dirty,
            resume: self.resume,
            restart: false,
            trust: self.trust,
            json: self.json,
        })
    }
}

/// Let an agent turn a text into a PRD of the queue, which you review
///
/// It works as `dbs convert` does for a plan: `dbs atdd check` is run on the PRD, which is shown as a whole, and only after a yes it is
/// written to the queue, with the number behind the last one. The exit codes are those of `dbs run --headless`.
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
