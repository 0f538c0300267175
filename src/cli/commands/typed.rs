//! Commands typed as lines into the plain client: parsed as the command line parses them, and executed.

use clap::FromArgMatches as _;

use crate::cli::args::DeferredArgs;
use crate::cli::command_error::{CommandError, CommandResult};
use crate::cli::commands::atdd::{AtddCommand, AtddRunArgs};
use crate::cli::commands::board::BoardArgs;
use crate::cli::commands::command_line::{CliArgs, command};
use crate::cli::commands::events::EventsArgs;
use crate::cli::commands::logs::LogsArgs;
use crate::cli::commands::run::RunPlanArgs;
use crate::cli::commands::task::TaskCommand;
use crate::cli::commands::{CliCommand, RunCommand as _};
use crate::config::process_env::ProcessEnv;

/// Executes one typed command, which prints by itself; its exit code is dropped.
///
/// # Errors
/// The words that could not be parsed, or the failure, for people.
pub fn run(words: &[String], env: &ProcessEnv) -> CommandResult<()> {
    read(words)?.run(env).map(drop)
}

/// Parses words as the command line does; `dbs` before them and `task` may be left out.
fn read(words: &[String]) -> CommandResult<CliCommand> {
    let words = match words {
        [first, rest @ ..] if first == "dbs" => rest,
        all => all,
    };
    let mut all = command();
    let known = |word: &str| all.find_subcommand(word).is_some();
    let of_task = |word: &str| {
        all.find_subcommand("task")
            .is_some_and(|task| task.find_subcommand(word).is_some())
    };
    let short = words.first().is_some_and(|word| !known(word) && of_task(word));
    let head = ["dbs"].into_iter().chain(short.then_some("task"));
    let matches = all
        .clone()
        .try_get_matches_from(head.chain(words.iter().map(String::as_str)))
        .map_err(|error| CommandError::user(error.render().to_string().trim_end()))?;
    let arguments = CliArgs::from_arg_matches(&matches)
        .map_err(|error| CommandError::user(error.format(&mut all).render().to_string()))?;
    match arguments.command {
        Some(verb) if fits(&verb) => Ok(without_waiting(verb)),
        Some(_) => Err(CommandError::user(
            "this one needs a terminal of its own: run it outside of these lines",
        )),
        None => Err(CommandError::user("type help for what can be typed")),
    }
}

/// Returns true if a command prints and ends, as everything here must.
fn fits(verb: &CliCommand) -> bool {
    !matches!(
        verb,
        CliCommand::Start(_)
            | CliCommand::Watch(_)
            | CliCommand::Attach(_)
            | CliCommand::Restart(_)
            | CliCommand::Server(_)
            | CliCommand::Demo(_)
            | CliCommand::Rehearse(_)
            | CliCommand::Headless(_)
            | CliCommand::Convert(_)
            | CliCommand::Design(_)
            | CliCommand::Atdd(DeferredArgs(AtddCommand::New(_)))
            | CliCommand::Board(DeferredArgs(BoardArgs { watch: true, .. }))
            | CliCommand::Logs(DeferredArgs(LogsArgs { follow: true, .. }))
            | CliCommand::Events(DeferredArgs(EventsArgs { follow: true, .. }))
            | CliCommand::Task(DeferredArgs(TaskCommand::Edit(_)))
    )
}

/// Returns the command so that it does not stay until the end of what it begins.
fn without_waiting(mut verb: CliCommand) -> CliCommand {
    if let CliCommand::Run(DeferredArgs(RunPlanArgs { call, .. }))
    | CliCommand::Atdd(DeferredArgs(AtddCommand::Run(AtddRunArgs { call, .. }))) = &mut verb
    {
        call.detach = true;
        call.output = None;
    }
    verb
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        shell_words::split(line).unwrap()
    }

    #[test]
    fn commands_are_read_with_and_without_their_first_words() {
        for line in [
            "dbs task release t-1 t-2",
            "task release t-1 t-2",
            "release t-1 t-2",
        ] {
            let verb = read(&words(line)).unwrap();
            assert!(
                matches!(&verb, CliCommand::Task(DeferredArgs(TaskCommand::Release { ids, .. })) if ids.len() == 2),
                "{line}: {verb:?}"
            );
        }
        assert!(matches!(read(&words("board")), Ok(CliCommand::Board(_))));
    }

    #[test]
    fn what_would_not_end_or_needs_the_whole_terminal_is_refused_in_words() {
        for line in [
            "start",
            "watch",
            "demo",
            "logs --follow",
            "board --watch",
            "edit t-1",
            "events --follow",
        ] {
            let why = read(&words(line)).unwrap_err().to_string();
            assert!(why.contains("terminal of its own"), "{line}: {why}");
        }
        let why = read(&words("relase t-1")).unwrap_err().to_string();
        assert!(why.contains("relase"), "{why}");
        let help = read(&words("retry --help")).unwrap_err().to_string();
        assert!(help.contains("--note"), "{help}");
    }
}
