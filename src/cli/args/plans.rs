//! The command line of `dbs audit` and `dbs run`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::args::JsonFlag;
use crate::domain::RunOptions;
use crate::formats::design::Complexity;
use crate::formats::plan::TEMPLATES;

/// Arguments of `dbs audit`.
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// The master plan, the plan.json, or a document of a design
    pub plan: PathBuf,
    /// Exit with 2 when there are warnings
    #[arg(long)]
    pub strict: bool,
    /// Challenges of a critique, such as C1,C2, that the decisions of a plan.json must answer
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub answers: Vec<String>,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs import`.
#[derive(Debug, Args)]
pub struct EarlierArgs {
    /// Its database; without it .debussy/state.db of this project
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// What a new plan is about; without it the project is prepared
    pub feature: Option<String>,
    #[command(flatten)]
    pub shape: PlanShape,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// What a new plan is like.
#[derive(Debug, Args)]
pub struct PlanShape {
    /// How many phases the plan has
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=50), requires = "feature")]
    pub phases: u32,
    /// What its phases are like
    #[arg(long, default_value = "generic", value_parser = TEMPLATES, requires = "feature")]
    pub template: String,
}

/// Arguments of `dbs convert` and `dbs atdd new`.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// The text that describes what is to be done; - reads standard input
    pub file: PathBuf,
    #[command(flatten)]
    pub writer: WriterArgs,
}

/// Arguments of `dbs design`.
#[derive(Debug, Args)]
pub struct DesignArgs {
    /// What is wanted, in a sentence or more; - reads standard input
    pub goal: String,
    /// Who takes part, without it as the analysis of the goal says: experts look at a standard goal, and a critic at what they say of
    /// a full one
    #[arg(long, value_parser = Complexity::WORDS)]
    pub complexity: Option<String>,
    #[command(flatten)]
    pub writer: WriterArgs,
}

/// Who writes a plan, and what becomes of it.
#[derive(Debug, Args)]
pub struct WriterArgs {
    /// What the result is called; without it as the file or the goal
    #[arg(long)]
    pub name: Option<String>,
    /// Kind of agent that writes it; without it as set for its role
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Its model, in its tool's words
    #[arg(long, short, value_name = "NAME")]
    pub model: Option<String>,
    /// Where its output goes meanwhile
    #[arg(long, short, value_enum, default_value_t = AgentOutput::File)]
    pub output: AgentOutput,
    /// Return as soon as it is ordered; the same command shows later what was made
    #[arg(long)]
    pub detach: bool,
    /// Yes to the result with that hash, which a question without a terminal shows
    #[arg(long, value_name = "HASH")]
    pub trust: Option<String>,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// The subcommands of `dbs plan`.
#[derive(Debug, clap::Subcommand)]
pub enum PlanCommand {
    /// Make the files of a new plan, as dbs init with a name does
    New(NewPlanArgs),
    /// Write into the files of a plan how far its phases are
    WriteBack(WriteBackArgs),
}

/// Arguments of `dbs plan write-back`.
#[derive(Debug, Args)]
pub struct WriteBackArgs {
    /// The master plan, or the plan.json
    pub plan: PathBuf,
    /// Only name the files that would change
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs plan new`.
#[derive(Debug, Args)]
pub struct NewPlanArgs {
    /// What the plan is about
    pub feature: String,
    #[command(flatten)]
    pub shape: PlanShape,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Where the output of the agents of a plan goes while somebody waits for its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum AgentOutput {
    /// Here, each line behind the task it is about
    Terminal,
    /// Only to the log of each attempt, whose path is said
    File,
    /// To both
    Both,
}

impl AgentOutput {
    /// Returns true if the output is printed.
    pub fn is_printed(self) -> bool {
        self != AgentOutput::File
    }

    /// Returns true if the paths of the logs are printed.
    pub fn names_logs(self) -> bool {
        self != AgentOutput::Terminal
    }
}

/// Arguments of `dbs run`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct RunPlanArgs {
    /// The master plan, the plan.json, or the folder of PRDs
    #[arg(default_value = ".design/plan.json")]
    pub plan: PathBuf,
    /// Only show phases, gates with their commands, agents and dependencies
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    /// Begin at that phase; those before it are left out
    #[arg(long, short, value_name = "ID")]
    pub phase: Option<String>,
    /// Wait for the end of the plan without a screen: a line for each step, and an exit code that says how it ended
    #[arg(long, conflicts_with = "dry_run")]
    pub headless: bool,
    /// Return as soon as the plan is on the board; at a terminal the call otherwise stays until the plan is over or needs you
    #[arg(long, conflicts_with_all = ["headless", "interactive"])]
    pub detach: bool,
    /// Where the output of agents goes meanwhile
    #[arg(long, short, value_enum, default_value_t = AgentOutput::File, requires = "headless")]
    pub output: AgentOutput,
    /// Phases that do not wait for each other at the same time, at most N where it is said; without it one after another, in the order of the table
    #[arg(long, value_name = "N", num_args = 0..=1, value_parser = at_once)]
    pub parallel: Option<Option<u32>>,
    /// Stay at the terminal, and ask before each phase is merged: approve, retry, skip or quit
    #[arg(long)]
    pub interactive: bool,
    /// Leave out phases that the plan calls completed
    #[arg(long)]
    pub trust_plan: bool,
    /// Leave out these phases, which are done already; separated by commas
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub done: Vec<String>,
    /// Model of the agents of new phases, in their tool's words
    #[arg(long, short, value_name = "NAME")]
    pub model: Option<String>,
    /// Percent of its context from which an agent of the plan is restarted; 100 watches nothing
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub context_threshold: Option<u32>,
    /// Most such restarts of a phase; 0 only observes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=99))]
    pub max_restarts: Option<u32>,
    /// Commit what agents of the plan leave uncommitted, whatever the settings say
    #[arg(long, overrides_with = "no_auto_commit")]
    pub auto_commit: bool,
    /// Let agents of the plan commit by themselves
    #[arg(long)]
    pub no_auto_commit: bool,
    /// Begin although files are changed and not committed; agents do not see these changes
    #[arg(long)]
    pub allow_dirty: bool,
    /// Take up again what failed, is held, skipped or set aside; what waits for approval waits on
    #[arg(long, conflicts_with = "restart")]
    pub resume: bool,
    /// Close what is open of the plan on the board, and begin it anew with new tasks
    #[arg(long)]
    pub restart: bool,
    /// Yes to the commands and changes with that hash, which --dry-run and a question without a terminal show
    #[arg(long, value_name = "HASH")]
    pub trust: Option<String>,
    #[command(flatten)]
    pub json: JsonFlag,
}

impl RunPlanArgs {
    /// Returns the options that hold for the run in place of the settings.
    pub fn options(&self) -> RunOptions {
        let commits = match (self.auto_commit, self.no_auto_commit) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        };
        RunOptions {
            context_threshold: self.context_threshold,
            context_restarts: self.max_restarts,
            auto_commit: commits,
            acceptance: None,
            at_once: self.parallel.flatten(),
        }
    }
}

/// Parses the number of phases that are worked on at once.
fn at_once(given: &str) -> Result<u32, String> {
    let most = given.parse().ok().filter(|most| (1..=99).contains(most));
    most.ok_or_else(|| "it is a number from 1 to 99, or left out; the plan stands before it".to_owned())
}
