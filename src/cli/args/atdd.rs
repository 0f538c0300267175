//! The command line of `dbs atdd`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::args::{AgentOutput, ConvertArgs, JsonFlag, RunPlanArgs};

/// A subcommand of `dbs atdd`.
#[derive(Debug, Subcommand)]
pub enum AtddCommand {
    /// Work through the queue of PRDs, story by story: tests first, then the code
    Run(AtddRunArgs),
    /// Make the documents that stories are written by, and the folder of PRDs; nothing that is there is overwritten
    Init(AtddInitArgs),
    /// Say what PRDs hold and what is wrong with them
    Check(AtddCheckArgs),
    /// Let an agent turn a text into a PRD of the queue, which is shown before it is written
    New(ConvertArgs),
    /// Look whether tools, logins, commands and documents are there that stories need, and say what to do
    Setup(JsonFlag),
    /// Show where the queue stands: PRDs, stories, and what each waits for
    Status(JsonFlag),
    /// Show the last entries of history.md on the base branch
    History(AtddHistoryArgs),
}

/// Arguments of `dbs atdd run`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct AtddRunArgs {
    /// A folder of PRDs, or one of them; without it the queue of the settings (atdd.folder)
    pub queue: Option<PathBuf>,
    /// Only show the stories and what runs their tests
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    /// Wait for the end of the queue without a screen: a line for each step, and an exit code that says how it ended
    #[arg(long, conflicts_with = "dry_run")]
    pub headless: bool,
    /// Return as soon as the stories are on the board; at a terminal the call otherwise stays until they are over or need you
    #[arg(long, conflicts_with_all = ["headless", "interactive"])]
    pub detach: bool,
    /// Where the output of agents goes meanwhile
    #[arg(long, short, value_enum, default_value_t = AgentOutput::File, requires = "headless")]
    pub output: AgentOutput,
    /// Stay at the terminal, and ask before each story is merged: approve, retry, skip or quit
    #[arg(long)]
    pub interactive: bool,
    /// Model of the agents of new stories, in their tool's words
    #[arg(long, short, value_name = "NAME")]
    pub model: Option<String>,
    /// Begin although files are changed and not committed; agents do not see these changes
    #[arg(long)]
    pub allow_dirty: bool,
    /// Take up again what failed, is held, skipped or set aside
    #[arg(long)]
    pub resume: bool,
    /// Yes to the changes with that hash, which --dry-run and a question without a terminal show
    #[arg(long, value_name = "HASH")]
    pub trust: Option<String>,
    #[command(flatten)]
    pub json: JsonFlag,
}

impl AtddRunArgs {
    /// The same as a call of `dbs run`; `folder` is the queue where none is named.
    pub fn into_run(self, folder: PathBuf) -> RunPlanArgs {
        RunPlanArgs {
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
        }
    }
}

/// Arguments of `dbs atdd init`.
#[derive(Debug, Args)]
pub struct AtddInitArgs {
    /// Put our texts in the place of documents that are there
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs atdd check`.
#[derive(Debug, Args)]
pub struct AtddCheckArgs {
    /// PRDs, or folders with them; without any all of the queue
    pub paths: Vec<PathBuf>,
    /// Exit with 2 when there are warnings
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs atdd history`.
#[derive(Debug, Args)]
pub struct AtddHistoryArgs {
    /// How many entries, the newest last
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub limit: usize,
    #[command(flatten)]
    pub json: JsonFlag,
}
