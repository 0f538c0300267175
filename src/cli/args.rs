//! The command line, as clap reads it. Help texts live here; what a command does lives in `commands`.

mod atdd;
mod batches;
mod cost;
mod deferred;
mod demo;
mod examples;
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
pub use examples::command;
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
    /// Lines instead of a screen: for screen readers, simple terminals and logs
    #[arg(long)]
    pub plain: bool,
    #[command(flatten)]
    pub looks: ThemeArgs,
    /// What to do; without it: start or attach.
    #[command(subcommand)]
    pub command: Option<CliCommand>,
}

/// A command of the program with its arguments.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Start this project's session if needed, and attach to it
    Start(DeferredArgs<StartArgs>),
    /// Run the server in the foreground, without a screen, one line per event
    Watch(DeferredArgs<JsonFlag>),
    /// Attach to a session; one that was cut off comes back
    Attach {
        /// Name or folder of the session; without it this project's, and outside of projects the one you were at last
        name: Option<String>,
        /// Lines instead of a screen: for screen readers, simple terminals and logs
        #[arg(long)]
        plain: bool,
        #[command(flatten)]
        looks: ThemeArgs,
    },
    /// List sessions: those that run, and those that were cut off
    Sessions(DeferredArgs<JsonFlag>),
    /// End the server; agents go on unless --all is given
    Stop {
        /// Stop all agents, too; also when no server runs
        #[arg(long)]
        all: bool,
        /// Wait for no check, push or copy of work that is under way: it is repeated at the next start
        #[arg(long)]
        now: bool,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// End the server and start it again, in the background; agents go on
    Restart(DeferredArgs<RestartArgs>),
    /// Which version this is, where it lies, and how a newer one gets there
    Upgrade(DeferredArgs<JsonFlag>),
    /// Base branch, agents, counts, branches of tasks
    Status(DeferredArgs<StatusArgs>),
    /// Runs: plans and other batches of tasks, the newest first
    History(DeferredArgs<HistoryArgs>),
    /// The board, and below it the status
    Board {
        /// Print again whenever it changes
        #[arg(long)]
        watch: bool,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Start nothing new and stop what runs
    Pause(DeferredArgs<JsonFlag>),
    /// Go on
    Resume(DeferredArgs<JsonFlag>),
    /// Stop one agent; its task goes back to its stage
    #[command(name = "kill-agent")]
    KillAgent {
        /// Name of the agent, number of the attempt, or id of the task
        name: String,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// End the turn of the agent that works on a task, as Esc in its terminal does; its session stays
    Interrupt {
        /// Id of the task
        id: String,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Let the agents of a task work with or without their tool's interface; one at work goes on with its session
    Mode {
        /// Id of the task
        id: String,
        /// Which way; without it the other one
        #[arg(value_parser = ["visible", "headless"])]
        mode: Option<String>,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Tasks: create, show, list, release …
    #[command(subcommand, visible_aliases = ["bd", "bead"])]
    Task(DeferredArgs<TaskCommand>),
    /// Batches: tasks that belong together, with a base branch of their own
    #[command(subcommand)]
    Batch(DeferredArgs<BatchCommand>),
    /// Start a conductor: an agent that plans tasks with you in its terminal; you release them
    Conduct {
        /// What is to be built; without it the conductor asks you
        goal: Vec<String>,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Why does a task not move, and what does an agent do?
    Why {
        /// Id of the task
        id: String,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Show what a task changed
    Diff(DeferredArgs<DiffArgs>),
    /// Say yes: to a task that waits for approval, or to an agent that asks for a permission
    Approve(DeferredArgs<TaskArgs>),
    /// Say no: to an agent that asks for a permission, or to work, which is sent back
    Reject(DeferredArgs<TaskTextArgs>),
    /// Leave a task out
    Skip(DeferredArgs<TaskArgs>),
    /// Take up a held, parked or failed task again
    Retry(DeferredArgs<RetryArgs>),
    /// Type an answer to the agent that works on a task
    Answer(DeferredArgs<TaskTextArgs>),
    /// For agents: say how the attempt goes
    Signal(DeferredArgs<SignalArgs>),
    /// For agents: the same as tools, over the Model Context Protocol on standard input and output
    Mcp,
    /// What the tool of an agent calls when something happens in it
    #[command(hide = true)]
    Hook,
    /// What runs in the terminal of an agent whose tool shows no interface
    #[command(hide = true, disable_help_flag = true)]
    Headless {
        /// The tool with its arguments, `--`, and the prompt
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// What the tool of an agent calls to fill its status line
    #[command(hide = true)]
    Statusline,
    /// For agents: the attempt is done
    Done(DeferredArgs<DoneArgs>),
    /// For agents: a step of the way
    Progress(DeferredArgs<ProgressArgs>),
    /// Show or set configuration
    Config(DeferredArgs<ConfigArgs>),
    /// Whether what this project's files would start is trusted; trust it by its hash
    Trust(DeferredArgs<TrustArgs>),
    /// Workflows: list, show, check
    #[command(subcommand)]
    Workflow(DeferredArgs<WorkflowCommand>),
    /// What the next agent of a task would be told, or the one at work was told
    Prompt(DeferredArgs<PromptArgs>),
    /// Say what a plan holds and what is wrong with it
    Audit(DeferredArgs<AuditArgs>),
    /// Carry out a plan: its phases become tasks, and the engine works through them
    #[command(visible_alias = "execute")]
    Run(DeferredArgs<RunPlanArgs>),
    /// Read the runs of plans that an earlier program wrote into its database; it is only read
    Import(DeferredArgs<EarlierArgs>),
    /// Let an agent turn a text into a phased plan; it is shown before it is written
    Convert(DeferredArgs<ConvertArgs>),
    /// Let an agent write a graph plan for a goal; it is shown before it is written
    Design(DeferredArgs<DesignArgs>),
    /// Make a plan, or write into its files how far its phases are
    #[command(subcommand)]
    Plan(DeferredArgs<PlanCommand>),
    /// Stories whose tests are written first: documents, PRDs, where they stand
    #[command(subcommand, visible_alias = "stories")]
    Atdd(DeferredArgs<AtddCommand>),
    /// What happened, or what an agent showed
    Logs(DeferredArgs<LogsArgs>),
    /// The durable events, one a line, for tools
    Events(DeferredArgs<EventsArgs>),
    /// Agents on this machine: version, login, what works with them, how to get them
    Agents(DeferredArgs<JsonFlag>),
    /// Look whether everything needed is there
    Doctor {
        /// Bring lost settings back, or make a damaged store whole again, from its events and backups
        #[arg(long)]
        repair: bool,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Copy the store, also while a server runs
    Backup {
        /// The file to write; without it one of the ten copies that are kept
        file: Option<PathBuf>,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Take everything off the board, after a copy was made; asks for the project's name
    Clear(DeferredArgs<ClearArgs>),
    /// Put a copy in the place of the store, which is kept aside
    Restore {
        /// The copy
        file: PathBuf,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// By which ways you are called when you are at no screen
    Notify {
        /// Use each of them once
        #[arg(long)]
        test: bool,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Tasks by state and stage, and what is in the state folder
    Debug(DeferredArgs<JsonFlag>),
    /// Prepare this project: folders and ignore rules; with a name make the files of a new plan
    Init(DeferredArgs<InitArgs>),
    /// See everything work: a throw-away repository with scripted agents
    Demo(DeferredArgs<DemoArgs>),
    /// The keys in force, with a person's own
    Keys(DeferredArgs<KeysArgs>),
    /// What agents cost, as far as their tools report it
    Cost(DeferredArgs<CostArgs>),
    /// Print stats: throughput, stages, failures, what agents use
    #[command(visible_alias = "stats")]
    Metrics(DeferredArgs<JsonFlag>),
    /// Manual pages: that of dbs, or all of them into a folder
    Man {
        /// The folder
        folder: Option<PathBuf>,
    },
    /// Print the script by which a shell completes commands, ids and names
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// The server process
    #[command(hide = true)]
    Server,
    /// The scripted agent
    #[command(hide = true, disable_help_flag = true)]
    Rehearse {
        /// Its arguments
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
    /// A first requirement, put on the board as a task
    pub requirement: Option<String>,
    /// Begin paused
    #[arg(long)]
    pub paused: bool,
    /// Lines instead of a screen: for screen readers, simple terminals and logs
    #[arg(long)]
    pub plain: bool,
    #[command(flatten)]
    pub looks: ThemeArgs,
}

/// A subcommand of `dbs workflow`.
#[derive(Debug, Subcommand)]
pub enum WorkflowCommand {
    /// All workflows in force
    List(JsonFlag),
    /// Stages and edges of one
    Show {
        /// Its name
        #[arg(default_value = "kanban")]
        name: String,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Read files and say what is wrong with them
    Check {
        /// Files; the project's own without them
        files: Vec<PathBuf>,
        #[command(flatten)]
        json: JsonFlag,
    },
}

impl CliCommand {
    /// The theme that the screen shall have this time.
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
    /// Theme of the screen this time, whatever is set: dark, light, high-contrast, mono, ...
    #[arg(long, value_name = "NAME", conflicts_with = "plain")]
    pub theme: Option<String>,
}

/// The flag `--plain`.
#[derive(Debug, Clone, Copy, Args)]
pub struct PlainFlag {
    /// Lines instead of a screen: for screen readers, simple terminals and logs
    #[arg(long, conflicts_with = "headless")]
    pub plain: bool,
}

impl From<JsonFlag> for OutputFormat {
    fn from(json: JsonFlag) -> OutputFormat {
        if json.json { Self::Json } else { Self::Lines }
    }
}
