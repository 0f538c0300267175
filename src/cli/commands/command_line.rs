//! The command line as clap reads it: the commands in groups, with examples.

mod groups;

pub use groups::grouped;

use clap::error::ErrorKind;
use clap::{Command, CommandFactory as _, Parser};

use super::CliCommand;
use crate::cli::args::{CommandFacts, ThemeArgs};

/// Orchestrates coding agents in real terminals.
#[derive(Debug, Parser)]
#[command(
    name = "dbs",
    version,
    about = "Orchestrates coding agents: a real terminal for each, a task board, an engine that verifies",
    after_help = "Examples:\n  dbs demo                        see everything work, with scripted agents\n  dbs                             start or attach to this project's session\n  dbs task create \"Fix login\"     put a task on the board; prints its id\n  dbs task release ID             hand it to the pipeline\n  dbs why ID                      explain why it does not move",
    disable_help_subcommand = true,
    args_conflicts_with_subcommands = true
)]
pub struct CliArgs {
    /// Print lines instead of drawing a screen; for screen readers, simple terminals and logs
    #[arg(long)]
    pub plain: bool,
    #[command(flatten)]
    pub looks: ThemeArgs,
    /// Command to run; the default starts this project's session and attaches to it.
    #[command(subcommand)]
    pub command: Option<CliCommand>,
}

/// Returns the whole command line, with its commands in groups and with examples.
pub fn command() -> Command {
    let mut all = CliArgs::command();
    // What is deferred has to be there to be given an example.
    all.build();
    groups::with_groups(with_examples(all))
}

/// Returns the command with the examples of it and its subcommands behind the notes of their help, which `-h` shows, too.
fn with_examples(command: Command) -> Command {
    let command = command.mut_subcommands(with_examples);
    let facts = command
        .get::<CommandFacts>()
        .filter(|facts| !facts.examples.is_empty());
    let examples = facts.map(|facts| format!("Examples:\n  {}", facts.examples.replace('\n', "\n  ")));
    let parts: Vec<String> = notes(&command).into_iter().chain(examples).collect();
    if parts.is_empty() {
        return command;
    }
    command.long_about(None).after_help(parts.join("\n\n"))
}

/// Returns the other names of a command, and its description without the first sentence, which lists show.
pub fn notes(command: &Command) -> Option<String> {
    let names = command.get_visible_aliases().map(|name| format!("`dbs {name}`"));
    let names = names.collect::<Vec<_>>().join(" and ");
    let names = (!names.is_empty()).then(|| format!("Also {names}."));
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let all = command.get_long_about().map(ToString::to_string);
    let rest = all.and_then(|all| {
        Some(
            all.strip_prefix(&about)?
                .trim_start_matches('.')
                .trim()
                .to_owned(),
        )
    });
    let parts: Vec<String> = names.into_iter().chain(rest).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// Returns the help of a command, or the error that no such command exists, as clap reports both.
pub fn help_of(words: &[String]) -> clap::Error {
    let words = words.iter().map(String::as_str);
    let typed = ["dbs"].into_iter().chain(words).chain(["--help"]);
    match command().try_get_matches_from(typed) {
        Err(help) => help,
        Ok(_) => command().error(ErrorKind::InvalidSubcommand, "this command has no help"),
    }
}

#[cfg(test)]
mod tests {
    use std::any::TypeId;

    use super::*;
    use crate::cli::args::{Attempts, Conductors, Everybody, OwnAgent, Persons};
    use crate::cli::caller;
    use crate::domain::{AttemptId, Command as BoardCommand, TaskId};
    use crate::protocol::callers::{AllowedCallers, CommandRule, rule_of};

    fn bare(command: &Command, path: &str) -> Vec<String> {
        let mut found = Vec::new();
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let path = format!("{path} {}", verb.get_name());
            if verb.has_subcommands() {
                found.extend(bare(verb, &path));
            } else if verb
                .get::<CommandFacts>()
                .is_none_or(|facts| facts.examples.is_empty())
            {
                found.push(path);
            }
        }
        found
    }

    #[test]
    fn every_command_shows_examples() {
        assert_eq!(bare(&command(), "dbs"), Vec::<String>::new());
    }

    #[test]
    fn every_example_is_a_command_that_can_be_read() {
        let sound = |line: &str| {
            let line = line.split(" >").next().unwrap();
            let line = line.split(" <").next().unwrap();
            command().try_get_matches_from(shell_words::split(line).unwrap())
        };
        for line in rules(&command(), "")
            .iter()
            .flat_map(|(_, facts)| facts.examples.lines())
        {
            assert!(sound(line).is_ok(), "{line}: {:?}", sound(line).err());
        }
        command().debug_assert();
    }

    /// Numbers without a sign that leads to "unexpected argument" instead of the allowed range.
    fn unsigned(command: &Command, path: &str, found: &mut Vec<String>) {
        for verb in command.get_subcommands() {
            let path = format!("{path} {}", verb.get_name());
            unsigned(verb, &path, found);
            for argument in verb.get_arguments() {
                let kind = argument.get_value_parser().type_id();
                let is_number = kind == TypeId::of::<u8>()
                    || kind == TypeId::of::<u32>()
                    || kind == TypeId::of::<u64>()
                    || kind == TypeId::of::<usize>()
                    || kind == TypeId::of::<f64>();
                let takes_values = argument.get_action().takes_values();
                if is_number && takes_values && !argument.is_allow_negative_numbers_set() {
                    found.push(format!("{path} {}", argument.get_id()));
                }
            }
        }
    }

    #[test]
    fn every_number_may_be_typed_with_a_sign() {
        let mut found = Vec::new();
        unsigned(&command(), "dbs", &mut found);
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn the_help_of_a_command_is_what_its_flag_prints() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let flag = command().try_get_matches_from(["dbs", "task", "create", "--help"]);
        let asked = help_of(&words("task create"));
        assert_eq!(asked.render().to_string(), flag.unwrap_err().render().to_string());
        assert_eq!(help_of(&[]).kind(), ErrorKind::DisplayHelp);
        for unknown in ["nope", "rehearse"] {
            assert_eq!(
                help_of(&words(unknown)).kind(),
                ErrorKind::InvalidSubcommand,
                "{unknown}"
            );
        }
    }

    /// Facts of every command, by its words.
    fn rules(command: &Command, before: &str) -> Vec<(String, CommandFacts)> {
        let verbs = command.get_subcommands();
        verbs
            .flat_map(|verb| {
                let name = format!("{before}{}", verb.get_name());
                if verb.has_subcommands() {
                    return rules(verb, &format!("{name} "));
                }
                let facts = verb.get::<CommandFacts>();
                vec![(
                    name.clone(),
                    *facts.unwrap_or_else(|| panic!("{name} has no facts")),
                )]
            })
            .collect()
    }

    fn rule_of_line(line: &str) -> CommandRule {
        let words = line.split(' ').filter(|word| !word.is_empty());
        let mut all = CliArgs::command();
        let matches = all.try_get_matches_from_mut(["dbs"].into_iter().chain(words));
        caller::rule_of(&all, &matches.unwrap())
    }

    #[test]
    fn every_command_there_is_has_its_row() {
        let rows = rules(&command(), "");
        for name in ["task close", "hook", "server"] {
            assert!(rows.iter().any(|(known, _)| known == name), "{name}");
        }
    }

    #[test]
    fn a_command_that_writes_is_told_apart_from_the_one_that_shows() {
        for (line, name, callers) in [
            ("", "start", Persons),
            ("--plain", "start", Persons),
            ("start", "start", Persons),
            ("config", "config", Everybody),
            ("config gates.test", "config", Everybody),
            ("config gates.test true", "config KEY VALUE", Persons),
            ("config gates.test --unset", "config KEY VALUE", Persons),
            ("doctor", "doctor", Everybody),
            ("doctor --repair", "doctor --repair", Persons),
            ("notify", "notify", Everybody),
            ("notify --test", "notify --test", Persons),
            ("task close t-1 no", "task close", Conductors),
            ("bd comment t-1 no", "task comment", OwnAgent),
            ("execute", "run", Persons),
            ("done", "done", Attempts),
        ] {
            assert_eq!(rule_of_line(line), CommandRule::new(name, callers), "{line}");
        }
    }

    fn names_of(callers: &[AllowedCallers]) -> Vec<String> {
        let mut names: Vec<String> = rules(&command(), "")
            .into_iter()
            .filter(|(_, facts)| callers.contains(&facts.callers))
            .map(|(name, _)| name)
            .collect();
        names.sort();
        names
    }

    #[test]
    fn what_agents_may_do_is_this_and_nothing_else() {
        assert_eq!(
            names_of(&[Attempts, OwnAgent]),
            [
                "done",
                "headless",
                "hook",
                "mcp",
                "progress",
                "signal",
                "statusline",
                "task comment"
            ]
        );
    }

    #[test]
    fn a_conductor_writes_plans_comments_everywhere_and_does_nothing_else_that_is_for_persons() {
        assert_eq!(
            names_of(&[Conductors, OwnAgent]),
            [
                "batch create",
                "batch update",
                "task close",
                "task comment",
                "task create",
                "task dep",
                "task import",
                "task update"
            ]
        );
    }

    #[test]
    fn every_command_to_the_board_has_its_row() {
        let none = || TaskId::from("t");
        let batch = |is_new| BoardCommand::ChangeBatch {
            id: "b".into(),
            is_new,
            change: crate::domain::BatchPatch::default(),
        };
        let commands = [
            BoardCommand::Update(none(), crate::domain::TaskPatch::default()),
            BoardCommand::Comment(none(), String::new()),
            BoardCommand::AddDependency(none(), none()),
            BoardCommand::Release(Vec::new()),
            BoardCommand::Withdraw(none()),
            BoardCommand::Undo(Vec::new()),
            BoardCommand::Park(none(), String::new()),
            BoardCommand::Close(none(), String::new()),
            BoardCommand::Approve(none()),
            BoardCommand::Reject(none(), String::new()),
            BoardCommand::Skip(none()),
            BoardCommand::Answer(none(), String::new()),
            BoardCommand::Interrupt(none()),
            BoardCommand::Kill(AttemptId(1)),
            BoardCommand::Merged(none()),
            BoardCommand::Pulled(String::new()),
            BoardCommand::Pause,
            BoardCommand::Resume,
            BoardCommand::CreateAll(Vec::new()),
            batch(true),
            batch(false),
            BoardCommand::ReleaseBatch("b".into()),
        ];
        let rows = rules(&command(), "");
        for command in commands {
            let rule = rule_of(&command);
            let row = rows.iter().find(|(name, _)| *name == rule.name);
            let callers = row.map(|(_, facts)| facts.callers);
            assert_eq!(callers, Some(rule.callers), "{}", rule.name);
        }
    }

    #[test]
    fn a_command_is_described_only_when_it_is_read() {
        let mut all = CliArgs::command();
        let task = |all: &Command| all.find_subcommand("task").unwrap().has_subcommands();
        let start = |all: &Command| all.find_subcommand("start").unwrap().get_arguments().count();
        assert!(!task(&all) && start(&all) == 0, "nothing is described yet");
        all.try_get_matches_from_mut(["dbs", "start"]).unwrap();
        assert!(!task(&all) && start(&all) > 0, "the others are not");
        all.build();
        assert!(task(&all));
    }
}
