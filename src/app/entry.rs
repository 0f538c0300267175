//! The program's one entry: from arguments to an exit code.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory as _, FromArgMatches as _};

use crate::adapters::holder;
use crate::adapters::output;
use crate::adapters::rehearsal::{self, OutgoingSignal, RehearsalContext, SignalSink, SinkError};
use crate::app::demo;
use crate::app::{serve, server_process, start};
use crate::cli::args::{AtddCommand, CliArgs, CliCommand, DeferredArgs, StartArgs, command, help_of};
use crate::cli::caller;
use crate::cli::command_error::{CommandError, CommandResult};
use crate::cli::commands;
use crate::cli::commands::signal::{self, SignalRoute};
use crate::cli::completion;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::domain::AttemptId;
use crate::formats::nearest::distance;
use crate::protocol::wire::SignalSent;

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
    if let Some(shell) = env.get(completion::COMPLETE_VAR) {
        output::bytes(&completion::answer(&env, &shell, std::env::args_os().collect()));
        return ExitCode::SUCCESS;
    }
    let (name, verb) = match read(&env) {
        Ok(read) => read,
        Err(code) => return code,
    };
    if let Err(error) = caller::check(&name, &env) {
        return failed(&error);
    }
    let env = ProcessEnv {
        theme: verb.theme().map(str::to_owned),
        ..env
    };
    match verb {
        CliCommand::Rehearse { arguments } => rehearsal::command(&arguments, &sink),
        verb => with_edge(verb, &env).unwrap_or_else(|error| failed(&error)),
    }
}

/// Returns the command with its name. Without a command that is the screen; where none can be drawn, the help (K76).
fn read(env: &ProcessEnv) -> Result<(String, CliCommand), ExitCode> {
    // Examples are only shown with help, which the first parsing ends with as with an error; every command would pay for them.
    let first = CliArgs::command().try_get_matches();
    let again = |_| command().try_get_matches();
    let matches = first
        .or_else(again)
        .unwrap_or_else(|error| nearest_first(error).exit());
    let arguments =
        CliArgs::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut command()).exit());
    let name = caller::command_name(&matches);
    let plain = arguments.plain || env.prefers_plain();
    match arguments.command {
        Some(CliCommand::Help { words }) => nearest_first(help_of(&words)).exit(),
        Some(verb) => Ok((name, verb)),
        None if plain || (std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) => {
            let start = StartArgs {
                requirement: None,
                paused: false,
                plain: arguments.plain,
                looks: arguments.looks,
            };
            Ok((name, CliCommand::Start(DeferredArgs(start))))
        }
        None => {
            output::problem("there is no terminal to draw on, so a command is needed");
            output::lines(&command().render_help().to_string());
            Err(ExitCode::FAILURE)
        }
    }
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

fn with_edge(verb: CliCommand, env: &ProcessEnv) -> CommandResult<ExitCode> {
    let verb = match verb {
        CliCommand::Atdd(DeferredArgs(AtddCommand::Run(wanted))) => {
            CliCommand::Run(DeferredArgs(commands::atdd::as_run(env, wanted)?))
        }
        verb => verb,
    };
    let serve = &|paths: &ProjectPaths| server_process::ensure_server(env, paths);
    match verb {
        CliCommand::Demo(DeferredArgs(asked)) => demo::run(
            &demo::DemoOptions {
                form: match (asked.headless, asked.json, asked.plain.plain || env.needs_plain()) {
                    (true, true, _) => demo::DemoDisplay::Json,
                    (true, false, _) => demo::DemoDisplay::Lines,
                    (false, _, true) => demo::DemoDisplay::Plain,
                    (false, _, false) => demo::DemoDisplay::Screen,
                },
                speed: asked.speed,
                script: asked.script(),
                keep: asked.keep,
                agent: asked.agent,
                is_agreed: asked.yes,
            },
            env,
        ),
        CliCommand::Attach { name, plain, .. } => start::attach(env, name.as_deref(), plain),
        CliCommand::Start(DeferredArgs(start)) => start::start(env, &start),
        CliCommand::Restart(DeferredArgs(wanted)) => start::restart_server(env, &wanted),
        CliCommand::Watch(DeferredArgs(json)) => serve::run(env, Some(json)),
        CliCommand::Server => serve::run(env, None),
        CliCommand::Run(DeferredArgs(wanted)) if wanted.interactive && !wanted.dry_run => {
            commands::plans::run_interactive(env, &wanted, serve)
        }
        CliCommand::Run(DeferredArgs(wanted))
            if wanted.headless || commands::plans::stays_attached(&wanted) =>
        {
            commands::plans::run_and_wait(env, &wanted, serve)
        }
        CliCommand::Convert(DeferredArgs(wanted)) => commands::plans::convert(env, &wanted, serve),
        CliCommand::Design(DeferredArgs(wanted)) => commands::plans::design(env, &wanted, serve),
        CliCommand::Atdd(DeferredArgs(AtddCommand::New(wanted))) => {
            commands::plans::new_prd(env, &wanted, serve)
        }
        verb => commands::run(verb, env),
    }
}

/// Prints the error of a command, the only place that does, and returns its exit code.
fn failed(error: &CommandError) -> ExitCode {
    output::problem(&error.to_string());
    error.exit_code()
}

/// Returns the sink for signals of the scripted agent, which sends them as every agent does.
fn sink(context: &RehearsalContext) -> Box<dyn SignalSink> {
    Box::new(SignalRoute {
        socket: context.socket.clone(),
        inbox: context.inbox.clone(),
    })
}

impl SignalSink for SignalRoute {
    fn send(&mut self, signal: &OutgoingSignal) -> Result<(), SinkError> {
        // A scenario that is tried by hand has no receiver.
        if self.socket.is_none() && self.inbox.is_none() {
            return Ok(());
        }
        let attempt = signal
            .attempt
            .parse()
            .map(AttemptId)
            .map_err(|_no_number| CommandError::user(format!("{} is no attempt", signal.attempt)))?;
        let sent = SignalSent {
            attempt,
            token: signal.token.clone(),
            kind: signal.kind,
            text: signal.text.clone(),
            report: signal.report.as_ref().map(ToString::to_string),
            key: signal.key.clone(),
        };
        // A refusal of the engine is the engine's business; an agent continues with its part.
        drop(signal::send(self, &sent)?);
        Ok(())
    }
}
