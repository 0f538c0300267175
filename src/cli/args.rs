//! The command line, as clap reads it. Help texts live here; what a command does lives in `commands`.

mod atdd;
mod batches;
mod cost;
mod deferred;
mod demo;
mod examples;
mod groups;
mod logs;
mod plans;
mod prompt;
mod runs;
mod settings;
mod signal;
mod tasks;
mod trust;
mod upkeep;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::protocol::query::OutputFormat;

pub use atdd::{AtddCheckArgs, AtddCommand, AtddHistoryArgs, AtddInitArgs, AtddRunArgs};
pub use batches::{BatchArgs, BatchCommand};
pub use cost::CostArgs;
pub use deferred::DeferredArgs;
pub use demo::DemoArgs;
pub use examples::{command, help_of};
pub use logs::{EventsArgs, LogsArgs};
pub use plans::{
    AgentOutput, AuditArgs, ConvertArgs, DesignArgs, EarlierArgs, InitArgs, PlanCommand, PlanShape,
    RunPlanArgs, WriteBackArgs, WriterArgs,
};
pub use prompt::PromptArgs;
pub use runs::{HistoryArgs, StatusArgs};
pub use settings::{ConfigArgs, KeysArgs};
pub(in crate::cli) use signal::SIGNALS;
pub(in crate::cli) use signal::parse_word;
pub use signal::{DoneArgs, ProgressArgs, SignalArgs, SignalText};
pub use tasks::{
    AgentArgs, CreateArgs, DiffArgs, ImportArgs, RetryArgs, TaskArgs, TaskCommand, TaskTextArgs, UpdateArgs,
    WhyArgs,
};
pub use trust::{TrustArgs, TrustView};
pub use upkeep::{ClearArgs, RestartArgs};

/// Orchestrates coding agents in real terminals.
#[derive(Debug, Parser)]
#[command(
    name = "dbs",
    version,
    about = "Orchestrates coding agents: a real terminal for each, a task board, an engine that verifies",
    after_help = "Examples:\n  dbs demo                        see everything work, with scripted agents\n  dbs                             start or attach to this project's session\n  dbs task create \"Fix login\"     put a task on the board\n  dbs task release dbs-1          hand it to the pipeline\n  dbs why dbs-1                   why is it not moving?",
    disable_help_subcommand = true,
    args_conflicts_with_subcommands = true
)]
pub struct CliArgs {
    /// Print lines instead of drawing a screen; for screen readers, simple terminals and logs
    #[arg(long)]
    pub plain: bool,
    #[command(flatten)]
    pub looks: ThemeArgs,
    /// Command to run; the default starts this project's session and attaches to it.
    #[command(subcommand)]
    pub command: Option<CliCommand>,
}

/// A command of the program with its arguments.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Start this project's session if needed, and attach to it
    Start(DeferredArgs<StartArgs>),
    /// Run the server in the foreground, one line per event
    Watch(DeferredArgs<JsonFlag>),
    /// Attach to a session, restarting its server if it was cut off
    Attach {
        /// Name or folder of the session; default: this project's session, or outside of projects the last one you used
        name: Option<String>,
        /// Print lines instead of drawing a screen; for screen readers, simple terminals and logs
        #[arg(long)]
        plain: bool,
        #[command(flatten)]
        looks: ThemeArgs,
    },
    /// List running sessions and those that were cut off
    Sessions(DeferredArgs<JsonFlag>),
    /// Stop the server; agents keep running unless --all is given
    Stop {
        /// Stop all agents too, even when no server runs
        #[arg(long)]
        all: bool,
        /// Do not wait for running checks, pushes and copies; they rerun at the next start
        #[arg(long)]
        now: bool,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Restart the server in the background; agents keep running
    Restart(DeferredArgs<RestartArgs>),
    /// Show the installed version and how to upgrade
    Upgrade(DeferredArgs<JsonFlag>),
    /// Show the base branch, agents, task counts and task branches
    Status(DeferredArgs<StatusArgs>),
    /// List runs (plans and other batches of tasks), newest first
    History(DeferredArgs<HistoryArgs>),
    /// Show the task board with the status below it
    Board {
        /// Print again on every change
        #[arg(long)]
        watch: bool,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Pause scheduling: stop running agents, start no new ones
    Pause(DeferredArgs<JsonFlag>),
    /// Resume scheduling
    Resume(DeferredArgs<JsonFlag>),
    /// Stop one agent; its task goes back to its stage
    #[command(name = "kill-agent")]
    KillAgent {
        /// Name of the agent, number of the attempt or id of the task
        name: String,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// End the current turn of a task's agent, like Esc in its terminal
    Interrupt {
        /// Id of the task
        id: String,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Switch a task's agents between visible and headless
    Mode {
        /// Id of the task
        id: String,
        /// New mode; default: the other one
        #[arg(value_parser = ["visible", "headless"])]
        mode: Option<String>,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Create, list, change and release tasks
    #[command(subcommand, visible_aliases = ["bd", "bead"])]
    Task(DeferredArgs<TaskCommand>),
    /// Create, list, change and release batches of tasks
    #[command(subcommand)]
    Batch(DeferredArgs<BatchCommand>),
    /// Start a conductor, an agent that plans tasks with you
    Conduct {
        /// Goal of the plan; without one the conductor asks you
        goal: Vec<String>,
        /// Start the conductor without a question
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Explain why a task does not move and what its agent is doing
    Why(DeferredArgs<WhyArgs>),
    /// Show what a task changed
    Diff(DeferredArgs<DiffArgs>),
    /// Approve a waiting task, or allow what its agent asks for
    Approve(DeferredArgs<TaskArgs>),
    /// Send back a task's work, or deny what its agent asks for
    Reject(DeferredArgs<TaskTextArgs>),
    /// Skip a task
    Skip(DeferredArgs<TaskArgs>),
    /// Retry a held, parked or failed task
    Retry(DeferredArgs<RetryArgs>),
    /// Send an answer to the agent that works on a task
    Answer(DeferredArgs<TaskTextArgs>),
    /// Report the state of an attempt (for agents)
    Signal(DeferredArgs<SignalArgs>),
    /// Offer the signals as Model Context Protocol tools (for agents)
    Mcp,
    /// Handle an event of an agent's tool
    #[command(hide = true)]
    Hook,
    /// Run an agent's tool without its interface
    #[command(hide = true, disable_help_flag = true)]
    Headless {
        /// Tool with its arguments, `--`, and the prompt
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// Print the status line of an agent's tool
    #[command(hide = true)]
    Statusline,
    /// Report that an attempt is done (for agents)
    Done(DeferredArgs<DoneArgs>),
    /// Report a step of an attempt (for agents)
    Progress(DeferredArgs<ProgressArgs>),
    /// Show or change settings
    Config(DeferredArgs<ConfigArgs>),
    /// Review or trust the commands this project's files would run
    Trust(DeferredArgs<TrustArgs>),
    /// List, show and check workflows
    #[command(subcommand)]
    Workflow(DeferredArgs<WorkflowCommand>),
    /// Print a task's agent prompt
    Prompt(DeferredArgs<PromptArgs>),
    /// Validate a plan and summarize it
    Audit(DeferredArgs<AuditArgs>),
    /// Run a plan: its phases become tasks that agents work on
    #[command(visible_alias = "execute")]
    Run(DeferredArgs<RunPlanArgs>),
    /// Import the plan runs an earlier program stored in its database
    Import(DeferredArgs<EarlierArgs>),
    /// Let an agent turn a text into a phased plan, which you review
    Convert(DeferredArgs<ConvertArgs>),
    /// Let agents design a graph plan for a goal, which you review
    Design(DeferredArgs<DesignArgs>),
    /// Create a plan, or write its progress back into its files
    #[command(subcommand)]
    Plan(DeferredArgs<PlanCommand>),
    /// Prepare, check and run stories whose tests are written first
    #[command(subcommand, visible_alias = "stories")]
    Atdd(DeferredArgs<AtddCommand>),
    /// Show events, or the output of an agent
    Logs(DeferredArgs<LogsArgs>),
    /// Print the stored events for tools, one per line
    Events(DeferredArgs<EventsArgs>),
    /// List agents on this machine: version, login, how to install
    Agents(DeferredArgs<JsonFlag>),
    /// Check that everything dbs needs is installed
    Doctor {
        /// Restore lost settings, or repair a damaged store from its events and backups
        #[arg(long)]
        repair: bool,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Back up the store, even while a server runs
    Backup {
        /// File to write; default: one of the ten backups that are kept
        file: Option<PathBuf>,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Delete all tasks, after a backup; asks for the project's name
    Clear(DeferredArgs<ClearArgs>),
    /// Restore the store from a backup; the old store is kept
    Restore {
        /// Backup to restore
        file: PathBuf,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Show the notification channels used when no screen is attached
    Notify {
        /// Send a test through each channel
        #[arg(long)]
        test: bool,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Count tasks by state and stage, and list the state folder
    Debug(DeferredArgs<JsonFlag>),
    /// Prepare this project, or create the files of a new plan
    Init(DeferredArgs<InitArgs>),
    /// Try everything in a throw-away repository with scripted agents
    Demo(DeferredArgs<DemoArgs>),
    /// Show the key bindings in force, including your own
    Keys(DeferredArgs<KeysArgs>),
    /// Show what agents cost, as far as their tools report it
    Cost(DeferredArgs<CostArgs>),
    /// Show statistics: throughput, stages, failures, agent usage
    #[command(visible_alias = "stats")]
    Metrics(DeferredArgs<JsonFlag>),
    /// Print the manual page of dbs, or write all pages to a folder
    Man {
        /// Folder for the pages of all commands
        folder: Option<PathBuf>,
    },
    /// Print the shell script that completes commands, ids and names
    Completions {
        /// Shell to complete in
        shell: clap_complete::Shell,
    },
    /// Print the help of dbs or of a command
    Help {
        /// Words of the command, such as `task create`
        words: Vec<String>,
    },
    /// Run the server process
    #[command(hide = true)]
    Server,
    /// Run a scripted agent
    #[command(hide = true, disable_help_flag = true)]
    Rehearse {
        /// Arguments of the scripted agent
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

/// The flag `--json`.
#[derive(Debug, Clone, Copy, Args)]
pub struct JsonFlag {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `dbs start`.
#[derive(Debug, Args)]
pub struct StartArgs {
    /// First requirement, added to the board as a task
    pub requirement: Option<String>,
    /// Start paused
    #[arg(long)]
    pub paused: bool,
    /// Print lines instead of drawing a screen; for screen readers, simple terminals and logs
    #[arg(long)]
    pub plain: bool,
    #[command(flatten)]
    pub looks: ThemeArgs,
}

/// A subcommand of `dbs workflow`.
#[derive(Debug, Subcommand)]
pub enum WorkflowCommand {
    /// List the workflows in force
    List(JsonFlag),
    /// Show the stages and edges of a workflow
    Show {
        /// Name of the workflow
        #[arg(default_value = "kanban")]
        name: String,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Check workflow files
    Check {
        /// Files to check; default: the project's own
        files: Vec<PathBuf>,
        #[command(flatten)]
        json: JsonFlag,
    },
}

impl CliCommand {
    /// Returns the theme that the command line names.
    pub fn theme(&self) -> Option<&str> {
        match self {
            CliCommand::Start(DeferredArgs(StartArgs { looks, .. }))
            | CliCommand::Attach { looks, .. }
            | CliCommand::Demo(DeferredArgs(DemoArgs { looks, .. })) => looks.theme.as_deref(),
            _ => None,
        }
    }
}

/// Options that choose the theme of the screen for this run.
#[derive(Debug, Clone, Default, Args)]
pub struct ThemeArgs {
    /// Theme of the screen for this run, overriding the settings: dark, light, high-contrast, mono, ...
    #[arg(long, value_name = "NAME", conflicts_with = "plain")]
    pub theme: Option<String>,
}

/// The flag `--plain`.
#[derive(Debug, Clone, Copy, Args)]
pub struct PlainFlag {
    /// Print lines instead of drawing a screen; for screen readers, simple terminals and logs
    #[arg(long, conflicts_with = "headless")]
    pub plain: bool,
}

impl From<JsonFlag> for OutputFormat {
    fn from(json: JsonFlag) -> OutputFormat {
        if json.json { Self::Json } else { Self::Lines }
    }
}
