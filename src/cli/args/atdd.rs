//! The command line of `dbs atdd`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::args::{AgentOutput, ConvertArgs, JsonFlag, RunPlanArgs};

/// A subcommand of `dbs atdd`.
#[derive(Debug, Subcommand)]
pub enum AtddCommand {
    /// Run the queue of PRDs story by story: tests first, then the code
    Run(AtddRunArgs),
    /// Create the documents that guide stories, and the folder of PRDs; existing files are kept
    Init(AtddInitArgs),
    /// Validate PRDs and summarize them
    Check(AtddCheckArgs),
    /// Let an agent turn a text into a PRD of the queue, which you review
    New(ConvertArgs),
    /// Check that the tools, logins, commands and documents that stories need are there
    Setup(JsonFlag),
    /// Show the progress of the queue: PRDs, stories, and what each waits for
    Status(JsonFlag),
    /// Show the last entries of history.md on the base branch
    History(AtddHistoryArgs),
}

/// Arguments of `dbs atdd run`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct AtddRunArgs {
    /// Folder of PRDs, or one PRD; default: the queue of the settings (atdd.folder)
    pub queue: Option<PathBuf>,
    /// Only show the stories and the commands that run their tests
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    /// Wait for the end of the queue without a screen: one line per step, and an exit code for the outcome
    #[arg(long, conflicts_with = "dry_run")]
    pub headless: bool,
    /// Return as soon as the stories are on the board; at a terminal the call otherwise stays until they are over or need you
    #[arg(long, conflicts_with_all = ["headless", "interactive"])]
    pub detach: bool,
    /// Destination of the agents' output
    #[arg(long, short, value_enum, default_value_t = AgentOutput::File, requires = "headless")]
    pub output: AgentOutput,
    /// Stay at the terminal and ask before each story is merged: approve, retry, skip or quit
    #[arg(long)]
    pub interactive: bool,
    /// Model of the agents of new stories, as their tool names it
    #[arg(long, short, value_name = "NAME")]
    pub model: Option<String>,
    /// Start despite uncommitted changes, which agents do not see
    #[arg(long)]
    pub allow_dirty: bool,
    /// Retry what failed, is held, skipped or set aside
    #[arg(long)]
    pub resume: bool,
    /// Approve the changes with this hash (printed by --dry-run, and where no terminal can ask)
    #[arg(long, value_name = "HASH")]
    pub trust: Option<String>,
    #[command(flatten)]
    pub json: JsonFlag,
}

impl AtddRunArgs {
    /// Converts to the arguments of `dbs run`; `folder` is the queue where none is named.
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
    /// Replace existing documents with the built-in texts
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs atdd check`.
#[derive(Debug, Args)]
pub struct AtddCheckArgs {
    /// PRDs or folders of PRDs; default: the whole queue
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
    /// Maximum number of entries to show, newest last
    #[arg(long, default_value_t = 10, value_name = "N", allow_negative_numbers = true)]
    pub limit: usize,
    #[command(flatten)]
    pub json: JsonFlag,
}
