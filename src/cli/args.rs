//! The command line, as clap reads it. Help texts live here; what a command does lives in `commands`.

mod examples;
mod tasks;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use examples::command;
pub use tasks::{Create, Import, One, OneWithText, Retry, TaskVerb, Update};

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
pub struct Arguments {
    /// Lines instead of a screen: for screen readers, simple terminals and logs
    #[arg(long)]
    pub plain: bool,
    /// How the screen looks
    #[command(flatten)]
    pub looks: Dress,
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
    /// Attach to a session; one that was cut off comes back
    Attach {
        /// Name or folder of the session; without it this project's, and outside of projects the one you were at last
        name: Option<String>,
        /// Lines instead of a screen: for screen readers, simple terminals and logs
        #[arg(long)]
        plain: bool,
        /// How the screen looks
        #[command(flatten)]
        looks: Dress,
    },
    /// List sessions: those that run, and those that were cut off
    Sessions(Json),
    /// End the server; agents go on unless --all is given
    Stop {
        /// Stop all agents, too
        #[arg(long)]
        all: bool,
        /// Output for programs
        #[command(flatten)]
        json: Json,
    },
    /// Base branch, agents, counts, branches of tasks
    Status(Json),
    /// The board, and below it the status
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
    /// Say yes: to a task that waits for approval, or to an agent that wants to be allowed something
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
    Done(Said),
    /// For agents: a step of the way
    Progress(Said),
    /// Show or set configuration
    Config {
        /// The key
        key: Option<String>,
        /// Its new value
        value: Option<String>,
        /// Say where each value comes from
        #[arg(long)]
        explain: bool,
        /// Take the key out of this project's settings; the next source's value holds
        #[arg(long, requires = "key", conflicts_with_all = ["value", "explain"])]
        unset: bool,
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
        #[arg(long, requires = "attempt")]
        raw: bool,
        /// An agent's output as a recording (asciicast) to be played
        #[arg(long, requires = "attempt", conflicts_with_all = ["follow", "raw", "json"])]
        cast: bool,
        /// Output for programs
        #[command(flatten)]
        json: Json,
    },
    /// The durable events, one a line, for tools
    Events(Events),
    /// Look whether everything needed is there
    Doctor(Json),
    /// By which ways you are called when you are at no screen
    Notify {
        /// Use each of them once
        #[arg(long)]
        test: bool,
        /// Output for programs
        #[command(flatten)]
        json: Json,
    },
    /// Tasks by state and stage, and what is in the state folder
    Debug(Json),
    /// Prepare this project: folders and ignore rules
    Init(Json),
    /// See everything work: a throw-away repository with scripted agents
    Demo(Demo),
    /// The keys in force, with a person's own
    Keys(Keys),
    /// Figures: throughput, stages, failures, what agents use
    Metrics(Json),
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
    /// Lines instead of a screen: for screen readers, simple terminals and logs
    #[arg(long)]
    pub plain: bool,
    /// How the screen looks
    #[command(flatten)]
    pub looks: Dress,
}

/// What an agent says.
#[derive(Debug, Args)]
pub struct Signal {
    /// What
    pub kind: SignalWord,
    /// What about it
    #[command(flatten)]
    pub said: Said,
}

/// What goes with a signal.
#[derive(Debug, Args)]
pub struct Said {
    /// Reason, finding, step or question
    pub text: Vec<String>,
    /// A file with a report, JSON as a rule, at most 64 KiB; `-`: read it from the standard input
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Output for programs
    #[command(flatten)]
    pub json: Json,
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
        /// Output for programs
        #[command(flatten)]
        json: Json,
    },
}

/// What of the keys is wanted.
#[derive(Debug, Args)]
pub struct Keys {
    /// Only say whether they are without contradiction
    #[arg(long)]
    pub check: bool,
    /// Those of a preset instead: default, tmux, vim, emacs
    #[arg(long)]
    pub preset: Option<String>,
    /// Output for programs
    #[command(flatten)]
    pub json: Json,
}

/// Which events are wanted.
#[derive(Debug, Args)]
pub struct Events {
    /// Only those after that position: the `seq` of the last one seen
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    pub since: u64,
    /// Go on as more come
    #[arg(long)]
    pub follow: bool,
    /// Output for programs
    #[command(flatten)]
    pub json: Json,
}

impl Verb {
    /// The theme that the screen shall have this time.
    pub fn theme(&self) -> Option<&str> {
        match self {
            Verb::Start(Start { looks, .. })
            | Verb::Attach { looks, .. }
            | Verb::Demo(Demo { looks, .. }) => looks.theme.as_deref(),
            _ => None,
        }
    }
}

/// How the screen looks this time.
#[derive(Debug, Clone, Default, Args)]
pub struct Dress {
    /// Theme of the screen this time, whatever is set: dark, light, high-contrast, mono, ...
    #[arg(long, value_name = "NAME", conflicts_with = "plain")]
    pub theme: Option<String>,
}

/// Lines for somebody who cannot read a screen.
#[derive(Debug, Clone, Copy, Args)]
pub struct Plain {
    /// Lines instead of a screen: for screen readers, simple terminals and logs
    #[arg(long, conflicts_with = "headless")]
    pub plain: bool,
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
    /// How it is shown to somebody
    #[command(flatten)]
    pub plain: Plain,
    /// How the screen looks
    #[command(flatten)]
    pub looks: Dress,
    /// How much faster than a person would like it
    #[arg(long, default_value_t = 1.0)]
    pub speed: f64,
    /// Keep the repository in that new folder
    #[arg(long)]
    pub keep: Option<PathBuf>,
}

impl From<Json> for crate::protocol::telling::Form {
    fn from(json: Json) -> crate::protocol::telling::Form {
        if json.json { Self::Json } else { Self::Lines }
    }
}
