//! `dbs run`: a plan is put on the board, and its end is waited for. Parts of it serve other commands that wait for agents.

mod asking;
mod begin;
mod beginning;
mod headless;
mod interactive;

use std::path::PathBuf;

use clap::ValueEnum;

pub(super) use asking::{ask, can_ask};
pub(super) use begin::{rows, tasks_of, trusted};
pub(super) use beginning::AgentStart;
pub(super) use headless::{FollowEnd, RunFollower, UNREADY, left_running};

use crate::cli::commands::prelude::*;
use crate::config::schema;
use crate::domain::RunOptions;

/// Run a plan: its phases become tasks that agents work on
///
/// A plan is a master plan, a `plan.json` or a folder of PRDs; `dbs` detects which from the content. The commands of the plan are shown with
/// file and line, and you approve them at the terminal or with `--trust HASH`. If the plan is on the board already, changes in its files are
/// shown as a diff and applied once you approve them.
///
/// At a terminal `dbs run` starts a server if none runs, waits, and prints a line for each step. The server keeps working: Ctrl-C stops only
/// the waiting (exit code 130), and the same command waits again. `--headless` and `--output` also wait without a terminal. On Ctrl-C, `--headless` parks the tasks
/// that it put on the board (`--resume` retries them), and stops the server that it started, with its agents. A server that was killed is
/// started again. If an agent draws a screen, `--output terminal` prints that screen.
///
/// Exit codes: 0 all phases are done; 1 a phase has failed, or the call was refused; 2 the command line could not be understood; 3 the plan
/// has errors; 4 the project is not ready: files are not committed, its commands are not trusted (`dbs trust show`), or the server could
/// not start; 5 the run needs a person: an approval, an answer, a phase that is held, a paused board; the last lines name the command for
/// each.
#[derive(Debug, Default, Args)]
#[command(add = facts(Persons, "dbs run docs/MASTER.md --dry-run\ndbs run docs/MASTER.md --interactive\ndbs run docs/MASTER.md --phase 3 --parallel\ndbs run docs/MASTER.md --done 1,2\ndbs run docs/MASTER.md --resume\ndbs run docs/MASTER.md --output both\ndbs run docs/MASTER.md --headless --trust HASH --output file\ndbs execute\ndbs run .design/plan.json --dry-run"))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct RunPlanArgs {
    /// Master plan, plan.json, folder with one of them, or folder of PRDs
    #[arg(default_value = ".design/plan.json")]
    pub plan: PathBuf,
    /// First phase to run; those before it are skipped
    #[arg(long, short, value_name = "ID")]
    pub phase: Option<String>,
    /// Run independent phases at the same time, at most N; default: one after another, in the order of the table; a plan.json: as its
    /// dependencies allow
    #[arg(long, value_name = "N", num_args = 0..=1, value_parser = at_once, allow_negative_numbers = true)]
    pub parallel: Option<Option<u32>>,
    /// Skip phases that the plan marks as completed
    #[arg(long)]
    pub trust_plan: bool,
    /// Phases to skip because they are done already, separated by commas
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub done: Vec<String>,
    /// Restart an agent of the plan when its context is this full, in percent; 100 turns this off
    #[arg(long, value_name = "PERCENT", value_parser = percent, allow_negative_numbers = true)]
    pub context_threshold: Option<u32>,
    /// Maximum number of such restarts per phase; 0 only observes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=99), allow_negative_numbers = true)]
    pub max_restarts: Option<u32>,
    /// Commit changes that agents of the plan leave uncommitted, overriding the settings
    #[arg(long, overrides_with = "no_auto_commit")]
    pub auto_commit: bool,
    /// Leave commits to the agents of the plan
    #[arg(long)]
    pub no_auto_commit: bool,
    /// Close the plan's open tasks on the board and start over with new ones
    #[arg(long, conflicts_with = "resume")]
    pub restart: bool,
    #[command(flatten)]
    pub call: RunCallArgs,
}

/// Options of a call that puts phases or stories on the board and may wait for their end.
#[derive(Debug, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct RunCallArgs {
    /// Only show the phases or stories with their commands, agents and dependencies
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    /// Wait for the end without a screen: one line per step, and an exit code for the outcome
    #[arg(long, conflicts_with = "dry_run")]
    pub headless: bool,
    /// Return as soon as the tasks are on the board, without waiting for their end
    #[arg(long, conflicts_with_all = ["headless", "interactive"])]
    pub detach: bool,
    /// Wait for the end, and send the agents' output to this destination; default if the command waits: terminal
    #[arg(long, short, value_enum, conflicts_with = "detach")]
    pub output: Option<AgentOutput>,
    /// Stay at the terminal and ask before each phase or story is merged: approve, retry, skip or quit
    #[arg(long)]
    pub interactive: bool,
    /// Model of the agents of new tasks, as their tool names it
    #[arg(long, short, value_name = "NAME")]
    pub model: Option<String>,
    /// Start despite uncommitted changes, which agents do not see
    #[arg(long)]
    pub allow_dirty: bool,
    /// Retry phases that failed or are held, skipped or parked; approvals are still required
    #[arg(long)]
    pub resume: bool,
    /// Approve the commands and changes with this hash (printed by --dry-run, and where no terminal can ask)
    #[arg(long, value_name = "HASH")]
    pub trust: Option<String>,
    #[command(flatten)]
    pub json: JsonFlag,
}

impl RunCommand for RunPlanArgs {
    fn run(mut self, env: &ProcessEnv) -> CommandResult {
        let has_person = begin::stays_attached(&self) && !self.call.headless;
        let settings = RunCallArgs::by_settings(env);
        self.call.interactive |= has_person && settings.asks;
        if begin::waits(&self) {
            self.call.output = self.call.output.or(settings.output);
        }
        if self.call.interactive && !self.call.dry_run {
            interactive::run(env, &self)
        } else if begin::waits(&self) && !self.call.dry_run {
            headless::run(env, &self)
        } else {
            begin::run(env, &self)
        }
    }
}

/// Options of a call that settings of earlier programs choose (P51).
#[derive(Default)]
struct CallSettings {
    /// True if a person approves each phase.
    asks: bool,
    output: Option<AgentOutput>,
}

impl RunCallArgs {
    /// Returns the options that the project's settings choose.
    fn by_settings(env: &ProcessEnv) -> CallSettings {
        let Ok(paths) = ProjectPaths::find(&env.folder, env) else {
            return CallSettings::default();
        };
        let config = paths.read_config();
        let output = config.value(&schema::OUTPUT);
        CallSettings {
            asks: config.value(&schema::INTERACTIVE) == Some(true),
            output: output.and_then(|word| AgentOutput::from_str(&word, false).ok()),
        }
    }

    /// Returns the destination of the agents' output while the call waits.
    fn printed(&self) -> AgentOutput {
        self.output.unwrap_or(AgentOutput::Terminal)
    }
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

/// Parses a number of percent, with or without a fraction, and rounds it.
fn percent(given: &str) -> Result<u32, &'static str> {
    let number = given.parse().ok().filter(|number| (0.0..=100.0).contains(number));
    let rounded = number.and_then(|number: f64| format!("{:.0}", number.round()).parse().ok());
    rounded
        .filter(|percent| *percent > 0)
        .ok_or("it is a number from 1 to 100, such as 80 or 80.5")
}

/// Destination of the output of a plan's agents while a command waits for its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
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
