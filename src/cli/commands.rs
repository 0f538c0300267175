//! The commands, each a function: read arguments, ask the board or the server, print. Exit codes: 0 done, 1 refused or failed, 2 wrong use.

mod agents;
pub mod atdd;
mod batches;
mod clear;
mod config;
mod copies;
pub mod create;
mod earlier;
mod events;
mod headless;
mod hook;
mod import;
mod keys;
mod manual;
mod mcp;
mod notify;
pub mod plans;
mod prompt;
pub mod sessions;
pub mod show;
pub mod signal;
mod statusline;
pub mod stop;
mod task_agent;
pub mod tasks;
mod trust;
pub mod typed;
pub mod workflows;

use std::process::ExitCode;

use crate::adapters::output;
use crate::cli::args::{CliCommand, DeferredArgs, JsonFlag};
use crate::cli::board_access::BoardAccess;
use crate::cli::command_error::CommandError;
pub use crate::cli::command_error::CommandResult;
use crate::config::process_env::ProcessEnv;
use crate::domain::Command;
use crate::engine::inbox::CommandReply;
use crate::protocol::query::Report;

/// Sends a command to the board and prints the answer.
pub fn execute(env: &ProcessEnv, command: Command, json: JsonFlag) -> CommandResult {
    let mut access = BoardAccess::open(env)?;
    Ok(print_reply(&access.execute(&env.author(), command)?, "", json))
}

/// Prints an accepted answer, or a refusal with `prefix` before it.
fn print_reply(answer: &CommandReply, prefix: &str, json: JsonFlag) -> ExitCode {
    match answer {
        Ok(accepted) => print_done(&accepted.0, json),
        Err(refusal) => {
            if json.json {
                output::json(&serde_json::json!({ "refused": refusal.why }));
            }
            output::problem(&format!("{prefix}{}", refusal.why));
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Prints the result.
pub fn print_done(text: &str, json: JsonFlag) {
    if json.json {
        output::json(&serde_json::json!({ "ok": text }));
    } else {
        output::lines(text);
    }
}

/// Returns the exit code of a command that checked something.
fn exit_code(is_well: bool) -> ExitCode {
    if is_well {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Runs a command of the board or of sessions; commands that are programs of their own are not among them.
///
/// # Errors
/// The failure, for people.
pub fn run(verb: CliCommand, env: &ProcessEnv) -> CommandResult {
    match verb {
        CliCommand::Pause(DeferredArgs(json)) => execute(env, Command::Pause, json),
        CliCommand::Resume(DeferredArgs(json)) => execute(env, Command::Resume, json),
        CliCommand::Reject(DeferredArgs(one)) => tasks::reject(env, &one),
        CliCommand::Skip(DeferredArgs(one)) => execute(env, Command::Skip(one.id.as_str().into()), one.json),
        CliCommand::Answer(DeferredArgs(one)) => tasks::answer(env, &one),
        CliCommand::Approve(DeferredArgs(one)) => tasks::approve(env, &one),
        CliCommand::KillAgent { name, json } => tasks::kill(env, &name, json),
        CliCommand::Interrupt { id, json } => tasks::interrupt(env, &id, json),
        CliCommand::Mode { id, mode, json } => tasks::mode(env, (&id, mode.as_deref()), json),
        CliCommand::Conduct { goal, yes, json } => create::conduct(env, (&goal.join(" "), yes), json),
        CliCommand::Task(DeferredArgs(verb)) => tasks::task(env, verb),
        CliCommand::Batch(DeferredArgs(verb)) => batches::run(env, verb),
        CliCommand::Why(DeferredArgs(wanted)) => show::why(env, wanted),
        CliCommand::Diff(DeferredArgs(wanted)) => show::diff(env, &wanted),
        CliCommand::Retry(DeferredArgs(retry)) => tasks::retry(env, retry),
        CliCommand::Status(DeferredArgs(wanted)) => show::status(env, &wanted),
        CliCommand::History(DeferredArgs(wanted)) => {
            show::print_report(env, Report::Runs(wanted.limit), wanted.json)
        }
        CliCommand::Board { watch, json } => show::board(env, watch, json),
        CliCommand::Signal(DeferredArgs(signal)) => signal::signal(env, signal.kind, &signal.message),
        CliCommand::Hook => hook::hook(env),
        CliCommand::Headless { words } => headless::run(env, &words),
        CliCommand::Statusline => statusline::run(env),
        CliCommand::Mcp => mcp::run(env),
        CliCommand::Done(DeferredArgs(wanted)) => signal::done(env, &wanted),
        CliCommand::Progress(DeferredArgs(wanted)) => signal::progress(env, &wanted),
        CliCommand::Workflow(DeferredArgs(verb)) => workflows::run(env, verb),
        CliCommand::Prompt(DeferredArgs(wanted)) => prompt::run(env, &wanted),
        CliCommand::Audit(DeferredArgs(wanted)) => plans::audit(env, &wanted),
        CliCommand::Run(DeferredArgs(wanted)) => plans::run(env, &wanted),
        CliCommand::Import(DeferredArgs(wanted)) => earlier::run(env, &wanted),
        CliCommand::Atdd(DeferredArgs(verb)) => atdd::run(env, verb),
        CliCommand::Logs(DeferredArgs(wanted)) => show::logs(env, &wanted),
        CliCommand::Events(DeferredArgs(wanted)) => events::run(env, &wanted),
        CliCommand::Init(DeferredArgs(wanted)) => match &wanted.feature {
            None => sessions::init(env, wanted.json),
            Some(feature) => plans::init(env, (feature, &wanted.shape), wanted.json),
        },
        CliCommand::Plan(DeferredArgs(verb)) => plans::plan(env, &verb),
        CliCommand::Debug(DeferredArgs(json)) => show::debug(env, json),
        CliCommand::Clear(DeferredArgs(wanted)) => clear::run(env, &wanted),
        CliCommand::Cost(DeferredArgs(wanted)) => {
            show::print_report(env, Report::Cost(wanted.by), wanted.json)
        }
        CliCommand::Metrics(DeferredArgs(json)) => show::metrics(env, json),
        other => of_machine(other, env),
    }
}

/// Runs a command about sessions, settings, copies of the board and the program itself.
fn of_machine(verb: CliCommand, env: &ProcessEnv) -> CommandResult {
    match verb {
        CliCommand::Agents(DeferredArgs(json)) => agents::run(env, json),
        CliCommand::Sessions(DeferredArgs(json)) => sessions::list(env, json),
        CliCommand::Stop { all, now, json } => stop::stop(env, (all, now), json),
        CliCommand::Notify { test, json } => notify::run(env, test, json),
        CliCommand::Doctor { repair: true, json } => copies::repair(env, json),
        CliCommand::Doctor { json, .. } => Ok(sessions::doctor(env, json)),
        CliCommand::Backup { file, json } => copies::backup(env, file.as_deref(), json),
        CliCommand::Upgrade(DeferredArgs(json)) => Ok(sessions::upgrade(env, json)),
        CliCommand::Restore { file, json } => copies::restore(env, &file, json),
        CliCommand::Config(DeferredArgs(wanted)) => config::run(env, &wanted),
        CliCommand::Trust(DeferredArgs(wanted)) => trust::run(env, &wanted),
        CliCommand::Keys(DeferredArgs(keys)) => keys::run(env, &keys),
        CliCommand::Completions { shell } => completions(shell),
        CliCommand::Man { folder } => manual::run(folder.as_deref()),
        // Commands that draw, serve or play are started by the caller of this function.
        _ => Err(CommandError::user("could not run this here")),
    }
}

/// Prints the script by which a shell asks for completions.
fn completions(shell: clap_complete::Shell) -> CommandResult {
    let script = crate::cli::completion::script(shell).ok_or_else(|| {
        CommandError::project(format!(
            "could not write a script for {shell}: this version has none"
        ))
    })?;
    output::bytes(&script);
    Ok(ExitCode::SUCCESS)
}
