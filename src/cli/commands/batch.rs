//! `dbs batch`: tasks that belong together, their base branch and their order (K61).

use clap::Subcommand;

use crate::cli::commands::prelude::*;
use crate::cli::text_input;
use crate::domain::{BatchPatch, Command, RunOptions};
use crate::ports::git::BranchName;
use crate::protocol::query::Report;

/// Create, list, change and release batches of tasks
#[derive(Debug, Subcommand)]
pub enum BatchCommand {
    /// Create a batch; `dbs task create --batch` adds tasks to it
    ///
    /// The base branch is created when the first task of the batch starts. If work of the batch was merged into that branch, and the branch
    /// is gone from origin, it is not created again: its tasks are held with that reason. A batch is completed when each of its tasks is
    /// done or was closed by a person; a batch without tasks is not completed. Batches and tasks that would wait for each other are
    /// refused. `dbs task create --batch` also creates a batch that does not exist.
    ///
    /// With `--acceptance` the batch ends with one task at the stage `acceptance` that waits for all its other work. Until there is exactly
    /// one such task, only investigations of the batch can be released. Conductors plan only in such batches, and may change them until
    /// they are released.
    #[command(add = facts(Conductors, "dbs batch create billing --title \"Invoices\" --base feature/billing\ndbs batch create mails --needs billing --goal - <goal.md\ndbs batch create export --base feature/export --acceptance\ndbs task create \"Send an invoice\" --batch mails"))]
    Create(BatchArgs),
    /// List all batches: their progress, base and dependencies
    #[command(add = facts(Everybody, "dbs batch list\ndbs batch list --json"))]
    List(JsonFlag),
    /// Show a batch with its tasks
    #[command(add = facts(Everybody, "dbs batch show billing"))]
    Show {
        /// Id of the batch
        #[arg(value_name = "ID")]
        batch: String,
        #[command(flatten)]
        json: JsonFlag,
    },
    /// Change the goal, base or dependencies of a batch
    ///
    /// Running work continues. The base can be changed only while nothing in the batch is at work.
    #[command(add = facts(Conductors, "dbs batch update billing --base feature/billing-2\ndbs batch update mails --no-needs"))]
    Update {
        #[command(flatten)]
        facts: BatchArgs,
        /// Reset the base to the configured default
        #[arg(long, conflicts_with = "base")]
        no_base: bool,
        /// Remove all dependencies on other batches
        #[arg(long, conflicts_with = "needs")]
        no_needs: bool,
        /// Allow releasing its tasks without an acceptance
        #[arg(long, conflicts_with = "acceptance")]
        no_acceptance: bool,
    },
    /// Release all tasks of a batch that are in the backlog
    #[command(add = facts(Persons, "dbs batch release billing"))]
    Release {
        /// Id of the batch
        #[arg(value_name = "ID")]
        batch: String,
        #[command(flatten)]
        json: JsonFlag,
    },
}

/// Facts of a batch that is created or changed.
#[derive(Debug, Args)]
pub struct BatchArgs {
    /// Id of the batch
    #[arg(value_name = "ID")]
    batch: String,
    /// Title, one line
    #[arg(long)]
    title: Option<String>,
    /// Goal of the batch; `-` reads standard input
    #[arg(long, allow_hyphen_values = true)]
    goal: Option<String>,
    /// Branch that its tasks start from and are merged into; created from the configured base if missing
    #[arg(long, value_name = "BRANCH", value_parser = branch)]
    base: Option<String>,
    /// Batches that must be completed before any of its tasks starts, separated by commas; replaces the earlier list
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    needs: Vec<String>,
    /// Require one acceptance task that waits for all others before any task is released
    #[arg(long)]
    acceptance: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for BatchCommand {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        match self {
            BatchCommand::List(json) => print_report(env, Report::Batches, json),
            BatchCommand::Show { batch, json } => print_report(env, Report::Run(batch.as_str().into()), json),
            BatchCommand::Create(facts) => {
                let change = patch(&facts)?;
                change_batch(env, &facts, true, change)
            }
            BatchCommand::Update {
                facts,
                no_base,
                no_needs,
                no_acceptance,
            } => {
                let mut change = patch(&facts)?;
                if no_base {
                    change.base = Some(String::new());
                }
                if no_needs {
                    change.needs = Some([].into());
                }
                if no_acceptance {
                    change.options.acceptance = Some(false);
                }
                if change == BatchPatch::default() {
                    return Err(CommandError::user(
                        "could not change anything: say what to change, for example --goal or --base",
                    ));
                }
                change_batch(env, &facts, false, change)
            }
            BatchCommand::Release { batch, json } => {
                execute(env, Command::ReleaseBatch(batch.as_str().into()), json)
            }
        }
    }
}

fn branch(text: &str) -> CommandResult<String> {
    Ok(BranchName::new(text)?.as_str().to_owned())
}

fn change_batch(env: &ProcessEnv, facts: &BatchArgs, is_new: bool, change: BatchPatch) -> CommandResult {
    let id = facts.batch.as_str().into();
    execute(env, Command::ChangeBatch { id, is_new, change }, facts.json)
}

fn patch(facts: &BatchArgs) -> CommandResult<BatchPatch> {
    let goal = facts.goal.clone().map(|text| text_input::typed("goal", text));
    let needs = facts.needs.iter().map(|id| id.trim()).filter(|id| !id.is_empty());
    let needs = (!facts.needs.is_empty()).then(|| needs.map(Into::into).collect());
    Ok(BatchPatch {
        title: facts.title.clone(),
        goal: goal.transpose()?,
        base: facts.base.clone(),
        needs,
        options: RunOptions {
            acceptance: facts.acceptance.then_some(true),
            ..RunOptions::default()
        },
    })
}
