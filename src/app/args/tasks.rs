//! The command line of `dbs task`, and the arguments other verbs on a task share with it.

use clap::{Args, Subcommand};

use super::Json;

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
    /// Change title and description in your editor
    Edit(One),
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
    /// Take a task that nobody works on back into the backlog
    Withdraw(One),
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
