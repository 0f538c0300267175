//! One command, one function: read arguments, ask the board or the server, print. Exit codes: 0 done, 1 refused or failed,
//! 2 wrong use.

pub mod config;
pub mod create;
mod events;
mod import;
mod keys;
mod manual;
mod notify;
pub mod sessions;
pub mod show;
pub mod signal;
pub mod tasks;
pub mod typed;
pub mod workflows;

use std::process::ExitCode;

use crate::adapters::output;
use crate::cli::args::{CliCommand, JsonFlag, SignalWord};
use crate::cli::board_access::BoardAccess;
use crate::config::process_env::ProcessEnv;
use crate::domain::Command;
use crate::protocol::query::Report;
use config::ConfigAction;
use show::LogFormat;

/// Exit code of a command, or why it could not be carried out.
pub type CommandResult = Result<ExitCode, String>;

/// Asks the board and prints its answer.
pub fn execute(edge: &ProcessEnv, command: Command, json: JsonFlag) -> CommandResult {
    let mut access = BoardAccess::open(edge)?;
    Ok(print_reply(&access.execute(&edge.author(), command)?, json))
}

fn print_reply(answer: &crate::engine::inbox::CommandReply, json: JsonFlag) -> ExitCode {
    match answer {
        Ok(accepted) if json.json => output::json(&serde_json::json!({ "ok": accepted.0 })),
        Ok(accepted) => output::lines(&accepted.0),
        Err(refusal) => {
            if json.json {
                output::json(&serde_json::json!({ "refused": refusal.0 }));
            }
            output::problem(&refusal.0);
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Runs a command of the board or of sessions; verbs that are programs of their own are not among them.
///
/// # Errors
/// What could not be done, for people.
pub fn run(verb: CliCommand, edge: &ProcessEnv) -> CommandResult {
    let asked = match verb {
        CliCommand::Pause(json) => (Command::Pause, json),
        CliCommand::Resume(json) => (Command::Resume, json),
        CliCommand::Reject(one) => (
            Command::Reject(one.id.as_str().into(), one.text.join(" ")),
            one.json,
        ),
        CliCommand::Skip(one) => (Command::Skip(one.id.as_str().into()), one.json),
        CliCommand::Answer(one) => (
            Command::Answer(one.id.as_str().into(), one.text.join(" ")),
            one.json,
        ),
        verb => return read_or_serve(verb, edge),
    };
    execute(edge, asked.0, asked.1)
}

fn read_or_serve(verb: CliCommand, edge: &ProcessEnv) -> CommandResult {
    match verb {
        CliCommand::Approve(one) => tasks::approve(edge, &one),
        CliCommand::KillAgent { name, json } => tasks::kill(edge, &name, json),
        CliCommand::Task(verb) => tasks::task(edge, verb),
        CliCommand::Why { id, json } => show::print_report(edge, Report::Why(id), json),
        CliCommand::Retry(retry) => tasks::retry(edge, retry),
        CliCommand::Status(json) => show::status(edge, json),
        CliCommand::Board { watch, json } => show::board(edge, watch, json),
        CliCommand::Signal(signal) => signal::signal(edge, signal.kind, &signal.said),
        CliCommand::Done(said) => signal::signal(edge, SignalWord::Done, &said),
        CliCommand::Progress(said) => signal::signal(edge, SignalWord::Progress, &said),
        CliCommand::Workflow(verb) => workflows::run(edge, verb),
        CliCommand::Logs {
            attempt,
            follow,
            raw,
            cast,
            json,
        } => show::logs(edge, attempt.as_deref(), LogFormat::of(cast, (raw, follow)), json),
        CliCommand::Events(wanted) => events::run(edge, &wanted),
        CliCommand::Sessions(json) => sessions::list(edge, json),
        CliCommand::Stop { all, json } => sessions::stop(edge, all, json),
        CliCommand::Init(json) => sessions::init(edge, json),
        CliCommand::Debug(json) => show::debug(edge, json),
        CliCommand::Notify { test, json } => notify::run(edge, test, json),
        CliCommand::Doctor(json) => Ok(sessions::doctor(edge, json)),
        CliCommand::Config {
            key,
            value,
            explain,
            unset,
            json,
        } => {
            let wanted = match (&key, &value) {
                (Some(key), Some(value)) => ConfigAction::Set(key, value),
                (Some(key), None) if unset => ConfigAction::Unset(key),
                (key, _) if explain => ConfigAction::Explain(key.as_deref()),
                (key, _) => ConfigAction::Show(key.as_deref()),
            };
            config::run(edge, wanted, json)
        }
        CliCommand::Keys(keys) => keys::run(edge, &keys),
        CliCommand::Completions { shell } => completions(shell),
        CliCommand::Man { folder } => manual::run(folder.as_deref()),
        CliCommand::Metrics(json) => show::metrics(edge, json),
        CliCommand::Pause(_)
        | CliCommand::Resume(_)
        | CliCommand::Reject(_)
        | CliCommand::Skip(_)
        | CliCommand::Answer(_)
        | CliCommand::Attach { .. }
        | CliCommand::Start(_)
        | CliCommand::Watch(_)
        | CliCommand::Server
        | CliCommand::Demo(_)
        | CliCommand::Rehearse { .. } => Err("could not run this here".to_owned()),
    }
}

/// The script that lets a shell ask for what could come next.
fn completions(shell: clap_complete::Shell) -> CommandResult {
    let script = crate::cli::completion::script(shell)
        .ok_or_else(|| format!("could not write a script for {shell}: this version has none"))?;
    output::bytes(&script);
    Ok(ExitCode::SUCCESS)
}
