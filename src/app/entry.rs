//! The program's one entry: from arguments to an exit code.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory as _, FromArgMatches as _};

use crate::adapters::holder;
use crate::adapters::output;
use crate::adapters::program::own_names::TRACKER;
use crate::cli::args::DeferredArgs;
use crate::cli::caller;
use crate::cli::command_error::CommandError;
use crate::cli::commands::command_line::{CliArgs, command, help_of};
use crate::cli::commands::completions;
use crate::cli::commands::help::HelpArgs;
use crate::cli::commands::start::StartArgs;
use crate::cli::commands::{CliCommand, RunCommand as _};
use crate::config::process_env::ProcessEnv;
use crate::formats::nearest::distance;
use crate::protocol::callers::CommandRule;

/// Runs the program. Exit codes: 0 done, 1 refused or failed, 2 wrong use, and those of a run (see `docs/commands.md`).
pub fn run() -> ExitCode {
    // Holders and keepers are programs of their own and stay small: they do not even read arguments like the rest.
    if std::env::args_os().nth(1).is_some_and(|word| word == "hold") {
        return match holder::run_holder(std::io::stdin().lock()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed(&error.into()),
        };
    }
    if std::env::args_os().nth(1).is_some_and(|word| word == "keep") {
        return match holder::run_keeper(std::env::args_os().skip(2)) {
            Ok(never) => match never {},
            Err(error) => failed(&error.into()),
        };
    }
    let env = match ProcessEnv::read() {
        Ok(env) => env,
        Err(error) => return failed(&error.into()),
    };
    if let Some(shell) = env.get(completions::COMPLETE_VAR) {
        output::bytes(&completions::answer(&env, &shell, std::env::args_os().collect()));
        return ExitCode::SUCCESS;
    }
    let (rule, verb) = match read(&env) {
        Ok(read) => read,
        Err(code) => return code,
    };
    if let Err(error) = caller::check(&rule, &env) {
        return failed(&error);
    }
    let env = ProcessEnv {
        theme: theme(&verb).map(str::to_owned),
        ..env
    };
    verb.run(&env).unwrap_or_else(|error| failed(&error))
}

/// Returns the command with its name. Without a command that is the screen; if none can be drawn, the help (K76).
fn read(env: &ProcessEnv) -> Result<(CommandRule, CliCommand), ExitCode> {
    // Examples are only shown with help, which the first parsing ends with as with an error; every command would pay for them.
    let mut line = CliArgs::command();
    let first = line.try_get_matches_from_mut(words());
    let again = |_| command().try_get_matches_from(words());
    let matches = first
        .or_else(again)
        .unwrap_or_else(|error| nearest_first(error).exit());
    let arguments =
        CliArgs::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut command()).exit());
    let rule = caller::rule_of(&line, &matches);
    let plain = arguments.plain || env.prefers_plain();
    match arguments.command {
        Some(CliCommand::Help(DeferredArgs(HelpArgs { words }))) => nearest_first(help_of(&words)).exit(),
        Some(verb) => Ok((rule, verb)),
        None if plain || (std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) => {
            let start = StartArgs {
                plain: arguments.plain,
                looks: arguments.looks,
                ..StartArgs::default()
            };
            Ok((rule, CliCommand::Start(DeferredArgs(start))))
        }
        None => {
            output::problem("there is no terminal to draw on, so a command is needed");
            output::lines(&command().render_help().to_string());
            Err(ExitCode::FAILURE)
        }
    }
}

/// Returns the words of the command line. Called as `bd`, the program does what `dbs bd` does.
fn words() -> Vec<OsString> {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    let name = words.first().and_then(|word| Path::new(word).file_stem());
    if name.is_some_and(|name| name == TRACKER) {
        words.insert(1, TRACKER.into());
    }
    words
}

/// Returns the same error with only the words that are nearest to the mistyped command, the nearest first.
fn nearest_first(mut error: clap::Error) -> clap::Error {
    let typed = error.get(ContextKind::InvalidSubcommand);
    let known = error.get(ContextKind::SuggestedSubcommand);
    if let (Some(ContextValue::String(typed)), Some(ContextValue::Strings(known))) = (typed, known) {
        let mut known = known.clone();
        known.sort_by_key(|word| distance(typed, word));
        let nearest = known.first().map_or(0, |word| distance(typed, word));
        known.retain(|word| distance(typed, word) <= nearest + 1);
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(known));
    }
    error
}

/// Returns the theme that the command line names.
fn theme(verb: &CliCommand) -> Option<&str> {
    let looks = match verb {
        CliCommand::Start(DeferredArgs(start)) => &start.looks,
        CliCommand::Attach(DeferredArgs(attach)) => &attach.looks,
        CliCommand::Demo(DeferredArgs(demo)) => &demo.looks,
        _ => return None,
    };
    looks.theme.as_deref()
}

/// Prints the error of a command, the only place that does, and returns its exit code.
fn failed(error: &CommandError) -> ExitCode {
    output::problem(&error.to_string());
    ExitCode::FAILURE
}
