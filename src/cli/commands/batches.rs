//! `dbs batch`: tasks that belong together, their base branch and their order (K61).

use crate::cli::args::{BatchArgs, BatchCommand};
use crate::cli::command_error::CommandError;
use crate::cli::commands::{CommandResult, execute, show};
use crate::cli::text_input;
use crate::config::process_env::ProcessEnv;
use crate::domain::{BatchPatch, Command, RunOptions};
use crate::protocol::query::Report;

pub(super) fn run(env: &ProcessEnv, verb: BatchCommand) -> CommandResult {
    match verb {
        BatchCommand::List(json) => show::print_report(env, Report::Batches, json),
        BatchCommand::Show { batch, json } => {
            show::print_report(env, Report::Run(batch.as_str().into()), json)
        }
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
