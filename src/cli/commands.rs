//! One command, one function: read arguments, ask the board or the server, print. Exit codes: 0 done, 1 refused or failed,
//! 2 wrong use.

pub mod acting;
pub mod configuring;
pub mod creating;
mod events;
mod importing;
mod keying;
mod manual;
mod notifying;
pub mod sessions;
pub mod showing;
pub mod signalling;
pub mod typed;
pub mod workflows;

use std::process::ExitCode;

use crate::adapters::out;
use crate::cli::args::{Json, SignalWord, Verb};
use crate::cli::door::Door;
use crate::config::edge::Edge;
use crate::domain::Command;
use crate::protocol::telling::Question;
use configuring::Wanted;
use showing::Form;

/// What a command says for itself when it cannot be carried out.
pub type Outcome = Result<ExitCode, String>;

/// Asks the board and prints its answer.
///
/// # Errors
/// When the board cannot be reached.
pub fn ask(edge: &Edge, command: Command, json: Json) -> Outcome {
    let mut door = Door::open(edge)?;
    Ok(said(&door.ask(&edge.author(), command)?, json))
}

fn said(answer: &crate::engine::inbox::Answer, json: Json) -> ExitCode {
    match answer {
        Ok(accepted) if json.json => out::json(&serde_json::json!({ "ok": accepted.0 })),
        Ok(accepted) => out::lines(&accepted.0),
        Err(refusal) => {
            if json.json {
                out::json(&serde_json::json!({ "refused": refusal.0 }));
            }
            out::problem(&refusal.0);
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Runs a command of the board or of sessions; verbs that are programs of their own are not among them.
///
/// # Errors
/// What could not be done, for people.
pub fn run(verb: Verb, edge: &Edge) -> Outcome {
    let asked = match verb {
        Verb::Pause(json) => (Command::Pause, json),
        Verb::Resume(json) => (Command::Resume, json),
        Verb::Reject(one) => (
            Command::Reject(one.id.as_str().into(), one.text.join(" ")),
            one.json,
        ),
        Verb::Skip(one) => (Command::Skip(one.id.as_str().into()), one.json),
        Verb::Answer(one) => (
            Command::Answer(one.id.as_str().into(), one.text.join(" ")),
            one.json,
        ),
        verb => return read_or_serve(verb, edge),
    };
    ask(edge, asked.0, asked.1)
}

fn read_or_serve(verb: Verb, edge: &Edge) -> Outcome {
    match verb {
        Verb::Approve(one) => acting::approve(edge, &one),
        Verb::KillAgent { name, json } => acting::kill(edge, &name, json),
        Verb::Task(verb) => acting::task(edge, verb),
        Verb::Why { id, json } => showing::tell(edge, Question::Why(id), json),
        Verb::Retry(retry) => acting::retry(edge, retry),
        Verb::Status(json) => showing::status(edge, json),
        Verb::Board { watch, json } => showing::board(edge, watch, json),
        Verb::Signal(signal) => signalling::signal(edge, signal.kind, &signal.said),
        Verb::Done(said) => signalling::signal(edge, SignalWord::Done, &said),
        Verb::Progress(said) => signalling::signal(edge, SignalWord::Progress, &said),
        Verb::Workflow(verb) => workflows::run(edge, verb),
        Verb::Logs {
            attempt,
            follow,
            raw,
            cast,
            json,
        } => {
            let form = if cast { Form::Cast } else { Form::of((raw, follow)) };
            showing::logs(edge, attempt.as_deref(), form, json)
        }
        Verb::Events(wanted) => events::run(edge, &wanted),
        Verb::Sessions(json) => sessions::list(edge, json),
        Verb::Stop { all, json } => sessions::stop(edge, all, json),
        Verb::Init(json) => sessions::init(edge, json),
        Verb::Debug(json) => showing::debug(edge, json),
        Verb::Notify { test, json } => notifying::run(edge, test, json),
        Verb::Doctor(json) => Ok(sessions::doctor(edge, json)),
        Verb::Config {
            key,
            value,
            explain,
            unset,
            json,
        } => {
            let wanted = match (&key, &value) {
                (Some(key), Some(value)) => Wanted::Set(key, value),
                (Some(key), None) if unset => Wanted::Unset(key),
                (key, _) if explain => Wanted::Explain(key.as_deref()),
                (key, _) => Wanted::Show(key.as_deref()),
            };
            configuring::run(edge, wanted, json)
        }
        Verb::Keys(keys) => keying::run(edge, &keys),
        Verb::Completions { shell } => completions(shell),
        Verb::Man { folder } => manual::run(folder.as_deref()),
        Verb::Metrics(json) => showing::metrics(edge, json),
        Verb::Pause(_)
        | Verb::Resume(_)
        | Verb::Reject(_)
        | Verb::Skip(_)
        | Verb::Answer(_)
        | Verb::Attach { .. }
        | Verb::Start(_)
        | Verb::Watch(_)
        | Verb::Server
        | Verb::Demo(_)
        | Verb::Rehearse { .. } => Err("could not run this here".to_owned()),
    }
}

/// The script that lets a shell ask for what could come next.
fn completions(shell: clap_complete::Shell) -> Outcome {
    let script = crate::cli::completing::script(shell)
        .ok_or_else(|| format!("could not write a script for {shell}: this version has none"))?;
    out::bytes(&script);
    Ok(ExitCode::SUCCESS)
}
