//! Arguments that are described to clap only when their command is read: a description of all of them costs more than most
//! commands do, and agents call many.

use clap::builder::Resettable;
use clap::error::Error;
use clap::{ArgMatches, Args, Command, FromArgMatches, Id, Subcommand};

/// Arguments or subcommands of a command, described when it is read or its help is shown.
#[derive(Debug, Clone)]
pub struct DeferredArgs<T>(pub T);

impl<T: FromArgMatches> FromArgMatches for DeferredArgs<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<T: Args> Args for DeferredArgs<T> {
    fn group_id() -> Option<Id> {
        T::group_id()
    }

    fn augment_args(command: Command) -> Command {
        command.defer(|command| with_own_words(command, T::augment_args))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| with_own_words(command, T::augment_args_for_update))
    }
}

impl<T: Subcommand> Subcommand for DeferredArgs<T> {
    fn augment_subcommands(command: Command) -> Command {
        command.defer(|command| with_own_words(command, T::augment_subcommands))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        command.defer(|command| with_own_words(command, T::augment_subcommands_for_update))
    }

    fn has_subcommand(name: &str) -> bool {
        T::has_subcommand(name)
    }
}

/// Keeps the help text of a command, although its arguments have one of their own.
fn with_own_words(command: Command, describe: fn(Command) -> Command) -> Command {
    let (about, long_about) = (command.get_about().cloned(), command.get_long_about().cloned());
    describe(command)
        .about(Resettable::from(about))
        .long_about(Resettable::from(long_about))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use crate::cli::args::CliArgs;

    #[test]
    fn a_command_says_the_same_of_itself_before_and_after_its_arguments_are_described() {
        let said = |all: &clap::Command| -> Vec<(String, Option<String>)> {
            let one = |command: &clap::Command| {
                let about = command.get_about().map(ToString::to_string);
                (command.get_name().to_owned(), about)
            };
            all.get_subcommands().map(one).collect()
        };
        let mut all = CliArgs::command();
        let task = |all: &clap::Command| all.find_subcommand("task").unwrap().has_subcommands();
        let start = |all: &clap::Command| all.find_subcommand("start").unwrap().get_arguments().count();
        let before = said(&all);
        assert!(!task(&all) && start(&all) == 0, "nothing is described yet");
        all.build();
        assert!(task(&all) && start(&all) > 0);
        assert_eq!(said(&all), before);
    }
}
