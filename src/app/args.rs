//! The command line, as clap reads it. Help texts live here; what a command does lives in `commands`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Orchestrates coding agents in real terminals.
#[derive(Debug, Parser)]
#[command(
    name = "dbs",
    version,
    about = "Orchestrates coding agents: a real terminal for each, a task board, an engine that verifies",
    after_help = "Examples:\n  dbs demo                        see everything work, with scripted agents\n  dbs                             start or attach to this project's session\n  dbs task create \"Fix login\"     put a task on the board\n  dbs task release dbs-1          hand it to the pipeline\n  dbs why dbs-1                   why is it not moving?",
    disable_help_subcommand = true
)]
pub struct Arguments {
    /// What to do; without it: start or attach.
    #[command(subcommand)]
    pub command: Option<Verb>,
}

/// What can be asked for.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Start this project's session if needed, and attach to it
    Start(Start),
    /// Run the server in the foreground, without a screen, one line per event
    Watch(Json),
    /// Attach to a running session
    Attach {
        /// Name of the session; this project's without it
        name: Option<String>,
    },
    /// List running sessions
    Sessions(Json),
    /// End the server; agents go on unless --all is given
    Stop {
        /// Stop all agents, too
        #[arg(long)]
        all: bool,
    },
    /// Base branch, agents, counts
    Status(Json),
    /// The board
    Board {
        /// Print again whenever it changes
        #[arg(long)]
        watch: bool,
        /// Output for programs
        #[command(flatten)]
        json: Json,
    },
    /// Start nothing new and stop what runs
    Pause(Json),
    /// Go on
    Resume(Json),
    /// Stop one agent; its task goes back to its stage
    #[command(name = "kill-agent")]
    KillAgent {
        /// Name of the agent, number of the attempt, or id of the task
        name: String,
        /// Output for programs
        #[command(flatten)]
        json: Json,
    },
    /// Tasks: create, show, list, release …
    #[command(subcommand)]
    Task(TaskVerb),
    /// Why does a task not move?
    Why {
        /// Id of the task
        id: String,
        /// Output for programs
        #[command(flatten)]
        json: Json,
    },
    /// Say yes to a task that waits for approval
    Approve(One),
    /// Say no, or send work back
    Reject(OneWithText),
    /// Leave a task out
    Skip(One),
    /// Take up a held, parked or failed task again
    Retry(Retry),
    /// Type an answer to the agent that works on a task
    Answer(OneWithText),
    /// For agents: say how the attempt goes
    Signal(Signal),
    /// For agents: the attempt is done
    Done {
        /// What to say about it
        text: Vec<String>,
    },
    /// For agents: a step of the way
    Progress {
        /// The step
        text: Vec<String>,
    },
    /// Show or set configuration
    Config {
        /// The key
        key: Option<String>,
        /// Its new value
        value: Option<String>,
        /// Say where each value comes from
        #[arg(long)]
        explain: bool,
        /// Output for programs
        #[command(flatten)]
        json: Json,
    },
    /// Workflows: list, show, check
    #[command(subcommand)]
    Workflow(WorkflowVerb),
    /// What happened, or what an agent showed
    Logs {
        /// An attempt's number, an agent's name or a task; all events without it
        attempt: Option<String>,
        /// Go on as more comes
        #[arg(long)]
        follow: bool,
        /// An agent's output byte for byte
        #[arg(long)]
        raw: bool,
        /// Output for programs
        #[command(flatten)]
        json: Json,
    },
    /// Look whether everything needed is there
    Doctor(Json),
    /// Prepare this project: folders and ignore rules
    Init,
    /// See everything work: a throw-away repository with scripted agents
    Demo(Demo),
    /// Print shell completions
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

/// Output for programs.
#[derive(Debug, Clone, Copy, Args)]
pub struct Json {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// How to start.
#[derive(Debug, Args)]
pub struct Start {
    /// A first requirement, put on the board as a task
    pub requirement: Option<String>,
    /// Begin paused
    #[arg(long)]
    pub paused: bool,
}

/// One task.
#[derive(Debug, Args)]
pub struct One {
    /// Id of the task
    pub id: String,
    /// Output for programs
    #[command(flatten)]
    pub json: Json,
}

/// One task and a text.
#[derive(Debug, Args)]
pub struct OneWithText {
    /// Id of the task
    pub id: String,
    /// What to say
    #[arg(required = true)]
    pub text: Vec<String>,
    /// Output for programs
    #[command(flatten)]
    pub json: Json,
}

/// How to take a task up again.
#[derive(Debug, Args)]
pub struct Retry {
    /// Id of the task
    pub id: String,
    /// What the next attempt should know
    #[arg(long)]
    pub note: Option<String>,
    /// Where to begin; where it stood without it
    #[arg(long)]
    pub stage: Option<String>,
    /// Output for programs
    #[command(flatten)]
    pub json: Json,
}

/// What an agent says.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  dbs signal claim\n  dbs signal done \"all tests pass\"\n  dbs signal reject \"src/lib.rs:12: panics on empty input\"\n  dbs signal block \"needs a key I do not have\""
)]
pub struct Signal {
    /// What
    pub kind: SignalWord,
    /// Reason, finding, step or question
    pub text: Vec<String>,
}

/// Words for signals.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum SignalWord {
    /// I begin
    Claim,
    /// I am done
    Done,
    /// What I looked at is not good enough
    Reject,
    /// I cannot go on
    Block,
    /// I failed
    Fail,
    /// A step of the way
    Progress,
    /// I need an answer
    Question,
}

/// Commands on tasks.
#[derive(Debug, Subcommand)]
pub enum TaskVerb {
    /// Put a task into the backlog
    Create(Create),
    /// Everything about a task
    Show(One),
    /// All tasks
    List {
        /// Only tasks in that state: backlog, released, active, verifying, held, parked, done, failed, skipped, cancelled
        #[arg(long)]
        state: Option<String>,
        /// Only tasks in that stage
        #[arg(long)]
        stage: Option<String>,
        /// Output for programs
        #[command(flatten)]
        json: Json,
    },
    /// Tasks that could be started now
    Ready(Json),
    /// Change what a task says
    Update(Update),
    /// Write on a task
    Comment(OneWithText),
    /// Dependencies: `dbs task dep ID ON` lets ID wait for ON
    Dep {
        /// The task that waits
        id: String,
        /// The task it waits for
        on: String,
        /// Let it no longer wait
        #[arg(long)]
        remove: bool,
        /// Output for programs
        #[command(flatten)]
        json: Json,
    },
    /// Hand tasks to the pipeline
    Release {
        /// Their ids
        #[arg(required = true)]
        ids: Vec<String>,
        /// Output for programs
        #[command(flatten)]
        json: Json,
    },
    /// Set a task aside
    Park(OneWithText),
    /// Close a task without it being done
    Close(OneWithText),
    /// Take up a held, parked or failed task again
    Retry(Retry),
    /// Why does it not move?
    Why(One),
}

/// A new task.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  dbs task create \"Add CSV export\" -d \"src/csv.rs: …\" --deps dbs-1 --tag security --release"
)]
pub struct Create {
    /// One line
    pub title: String,
    /// Everything else
    #[arg(short, long, default_value = "")]
    pub description: String,
    /// Ids of tasks that must be done first, separated by commas
    #[arg(long, value_delimiter = ',')]
    pub deps: Vec<String>,
    /// Tags, such as security, frontend, priority
    #[arg(long = "tag")]
    pub tags: Vec<String>,
    /// 0 (most urgent) to 4
    #[arg(long, default_value_t = 2)]
    pub priority: u8,
    /// bug, feature, task or chore
    #[arg(long = "type", default_value = "task")]
    pub kind: String,
    /// Where it begins; the workflow's entry without it
    #[arg(long)]
    pub stage: Option<String>,
    /// The workflow
    #[arg(long, default_value = "kanban")]
    pub workflow: String,
    /// The batch
    #[arg(long, default_value = "main")]
    pub batch: String,
    /// Its id; made up without it
    #[arg(long)]
    pub id: Option<String>,
    /// A person must approve it
    #[arg(long)]
    pub approval: bool,
    /// Hand it to the pipeline at once
    #[arg(long)]
    pub release: bool,
    /// Output for programs
    #[command(flatten)]
    pub json: Json,
}

/// Changes to a task.
#[derive(Debug, Args)]
pub struct Update {
    /// Id of the task
    pub id: String,
    /// New title
    #[arg(long)]
    pub title: Option<String>,
    /// New description
    #[arg(short, long)]
    pub description: Option<String>,
    /// New priority
    #[arg(long)]
    pub priority: Option<u8>,
    /// Tags to add
    #[arg(long = "add-tag")]
    pub add_tags: Vec<String>,
    /// Tags to remove
    #[arg(long = "remove-tag")]
    pub remove_tags: Vec<String>,
    /// Move it to that stage
    #[arg(long)]
    pub stage: Option<String>,
    /// Output for programs
    #[command(flatten)]
    pub json: Json,
}

/// Commands on workflows.
#[derive(Debug, Subcommand)]
pub enum WorkflowVerb {
    /// All workflows in force
    List(Json),
    /// Stages and edges of one
    Show {
        /// Its name
        #[arg(default_value = "kanban")]
        name: String,
        /// Output for programs
        #[command(flatten)]
        json: Json,
    },
    /// Read files and say what is wrong with them
    Check {
        /// Files; the project's own without them
        files: Vec<PathBuf>,
    },
}

/// How to run the demo.
#[derive(Debug, Args)]
pub struct Demo {
    /// Without a screen: one line per event and a summary
    #[arg(long)]
    pub headless: bool,
    /// Lines as JSON (with --headless)
    #[arg(long, requires = "headless")]
    pub json: bool,
    /// How much faster than a person would like it
    #[arg(long, default_value_t = 1.0)]
    pub speed: f64,
    /// Keep the repository in that new folder
    #[arg(long)]
    pub keep: Option<PathBuf>,
}
