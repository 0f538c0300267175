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
    /// Master plan, plan.json, folder with one of them, or document of a design
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
    /// Database of the earlier program; default: .debussy/state.db of this project
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Subject of a new plan; without one the project is prepared
    pub feature: Option<String>,
    #[command(flatten)]
    pub shape: PlanShape,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Size and template of a new plan.
#[derive(Debug, Args)]
pub struct PlanShape {
    /// Number of phases
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=50), requires = "feature", allow_negative_numbers = true)]
    pub phases: u32,
    /// Template of the phases
    #[arg(long, default_value = "generic", value_parser = TEMPLATES, requires = "feature")]
    pub template: String,
}

/// Arguments of `dbs convert` and `dbs atdd new`.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// File that describes the work; `-` reads standard input
    pub file: PathBuf,
    #[command(flatten)]
    pub writer: WriterArgs,
}

/// Arguments of `dbs design`.
#[derive(Debug, Args)]
pub struct DesignArgs {
    /// Goal in a sentence or more; `-` reads standard input
    pub goal: String,
    /// Agents that take part; default: by the analysis of the goal. Experts review a standard goal, and a critic reviews the experts
    /// on a full one
    #[arg(long, value_parser = Complexity::WORDS)]
    pub complexity: Option<String>,
    #[command(flatten)]
    pub writer: WriterArgs,
}

/// Agent that writes a plan, and the use of its result.
#[derive(Debug, Args)]
pub struct WriterArgs {
    /// Name of the result; default: that of the file or the goal
    #[arg(long)]
    pub name: Option<String>,
    /// Kind of agent that writes it; default: as set for its role
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// Model of the agent, as its tool names it
    #[arg(long, short, value_name = "NAME")]
    pub model: Option<String>,
    /// Destination of the agent's output
    #[arg(long, short, value_enum, default_value_t = AgentOutput::File)]
    pub output: AgentOutput,
    /// Start the agents without a question
    #[arg(long)]
    pub yes: bool,
    /// Return once the work is ordered; the same command shows the result later
    #[arg(long)]
    pub detach: bool,
    /// Approve the result with this hash (printed where no terminal can ask)
    #[arg(long, value_name = "HASH")]
    pub trust: Option<String>,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// The subcommands of `dbs plan`.
#[derive(Debug, clap::Subcommand)]
pub enum PlanCommand {
    /// Create the files of a new plan, like dbs init with a name
    New(NewPlanArgs),
    /// Write the progress of a plan's phases into its files
    WriteBack(WriteBackArgs),
}

/// Arguments of `dbs plan write-back`.
#[derive(Debug, Args)]
pub struct WriteBackArgs {
    /// Master plan or plan.json
    pub plan: PathBuf,
    /// Only print the files that would change
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Arguments of `dbs plan new`.
#[derive(Debug, Args)]
pub struct NewPlanArgs {
    /// Subject of the plan
    pub feature: String,
    #[command(flatten)]
    pub shape: PlanShape,
    #[command(flatten)]
    pub json: JsonFlag,
}

/// Destination of the output of a plan's agents while a command waits for its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum AgentOutput {
    /// Print each line here, after the name of its task
    Terminal,
    /// Write only to the log of each attempt, and print its path
    File,
    /// Do both
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
    /// Master plan, plan.json, folder with one of them, or folder of PRDs
    #[arg(default_value = ".design/plan.json")]
    pub plan: PathBuf,
    /// Only show phases, gates with their commands, agents and dependencies
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    /// First phase to run; those before it are skipped
    #[arg(long, short, value_name = "ID")]
    pub phase: Option<String>,
    /// Wait for the end of the plan without a screen: one line per step, and an exit code for the outcome
    #[arg(long, conflicts_with = "dry_run")]
    pub headless: bool,
    /// Return as soon as the plan is on the board; at a terminal the call otherwise stays until the plan is over or needs you
    #[arg(long, conflicts_with_all = ["headless", "interactive"])]
    pub detach: bool,
    /// Destination of the agents' output
    #[arg(long, short, value_enum, default_value_t = AgentOutput::File, requires = "headless")]
    pub output: AgentOutput,
    /// Run independent phases at the same time, at most N; default: one after another, in the order of the table
    #[arg(long, value_name = "N", num_args = 0..=1, value_parser = at_once, allow_negative_numbers = true)]
    pub parallel: Option<Option<u32>>,
    /// Stay at the terminal and ask before each phase is merged: approve, retry, skip or quit
    #[arg(long)]
    pub interactive: bool,
    /// Skip phases that the plan marks as completed
    #[arg(long)]
    pub trust_plan: bool,
    /// Phases to skip because they are done already, separated by commas
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub done: Vec<String>,
    /// Model of the agents of new phases, as their tool names it
    #[arg(long, short, value_name = "NAME")]
    pub model: Option<String>,
    /// Context use in percent at which an agent of the plan is restarted; 100 turns this off
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(1..=100), allow_negative_numbers = true)]
    pub context_threshold: Option<u32>,
    /// Maximum number of such restarts per phase; 0 only observes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=99), allow_negative_numbers = true)]
    pub max_restarts: Option<u32>,
    /// Commit what agents of the plan leave uncommitted, overriding the settings
    #[arg(long, overrides_with = "no_auto_commit")]
    pub auto_commit: bool,
    /// Leave commits to the agents of the plan
    #[arg(long)]
    pub no_auto_commit: bool,
    /// Start despite uncommitted changes, which agents do not see
    #[arg(long)]
    pub allow_dirty: bool,
    /// Retry what failed, is held, skipped or set aside; approvals are still awaited
    #[arg(long, conflicts_with = "restart")]
    pub resume: bool,
    /// Close the plan's open tasks on the board and start over with new ones
    #[arg(long)]
    pub restart: bool,
    /// Approve the commands and changes with this hash (printed by --dry-run, and where no terminal can ask)
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
fn at_once(given: &str) -> Result<u32, &'static str> {
    let most = given.parse().ok().filter(|most| (1..=99).contains(most));
    most.ok_or("it is a number from 1 to 99, or left out; the plan stands before it")
}
