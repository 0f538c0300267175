//! The reference in `docs/commands.md`, generated from the command line. Returns text; writes nothing.

use std::fmt::Write as _;

use clap::{Arg, ArgAction, Command, CommandFactory as _};
use dbs::cli::args::{Attempts, CommandFacts, Conductors, Everybody, OwnAgent, Persons};
use dbs::cli::commands::command_line::{CliArgs, grouped, notes};

/// Commands with the document that tells more about each.
const DOCUMENTS: &[(&str, &str)] = &[
    ("atdd run", "stories.md"),
    ("audit", "plans.md"),
    ("conduct", "graphs.md"),
    ("config", "configuration.md"),
    ("convert", "plans.md#from-a-text-to-a-plan"),
    ("design", "graphs.md#from-a-goal-to-a-plan"),
    ("events", "events.md"),
    ("init", "plans.md"),
    ("keys", "keys.md"),
    ("notify", "configuration.md#being-called"),
    ("plan new", "plans.md"),
    ("plan write-back", "graphs.md"),
    ("prompt", "prompts.md"),
    ("run", "plans.md"),
    ("trust", "configuration.md#trust"),
    ("workflow check", "workflows.md"),
];

/// All commands in their groups, as Markdown.
pub(crate) fn reference() -> String {
    let mut all = CliArgs::command();
    all.build();
    let mut text = String::new();
    for (group, verbs) in grouped(&all) {
        writeln!(text, "\n## {group}").unwrap();
        for verb in verbs {
            section(&mut text, verb, verb.get_name());
        }
    }
    text.push('\n');
    text
}

fn section(text: &mut String, command: &Command, path: &str) {
    writeln!(text, "\n### `dbs {path}`\n\n{}", sentence(command)).unwrap();
    for paragraph in notes(command).iter().flat_map(|notes| notes.split("\n\n")) {
        writeln!(text, "\n{}", wrapped(paragraph)).unwrap();
    }
    if command.has_subcommands() {
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            section(text, verb, &format!("{path} {}", verb.get_name()));
        }
        return;
    }
    if let Some((_, document)) = DOCUMENTS.iter().find(|(known, _)| *known == path) {
        let name = document.split('#').next().unwrap();
        writeln!(text, "\nMore in [{name}]({document}).").unwrap();
    }
    let usage = command.clone().render_usage().to_string();
    writeln!(text, "\n`{}`\n", usage.trim_start_matches("Usage: ")).unwrap();
    let shown = |argument: &&Arg| !argument.is_hide_set() && argument.get_id() != "help";
    let (positionals, options): (Vec<&Arg>, Vec<&Arg>) = command
        .get_arguments()
        .filter(shown)
        .partition(|argument| argument.is_positional());
    for argument in positionals.into_iter().chain(options) {
        writeln!(text, "- {}", line(argument)).unwrap();
    }
    let facts = command.get::<CommandFacts>().unwrap();
    writeln!(
        text,
        "\nCallers: {}.\n\n```sh\n{}\n```",
        callers(facts),
        facts.examples
    )
    .unwrap();
}

fn sentence(command: &Command) -> String {
    format!(
        "{}.",
        command.get_about().unwrap().to_string().trim_end_matches('.')
    )
}

fn callers(facts: &CommandFacts) -> String {
    let all = match facts.callers {
        Everybody => "everybody",
        Attempts => "persons, and the agent whose attempt it is",
        OwnAgent => "persons, the agent that works on the task, and conductors",
        Conductors => "persons and conductors",
        Persons => "persons",
    };
    let with: Vec<String> = facts
        .for_persons
        .iter()
        .map(|(_, words)| format!("`{words}`"))
        .collect();
    let mut with = with;
    with.dedup();
    if with.is_empty() {
        all.to_owned()
    } else {
        format!("{all}; with {} persons", with.join(" or "))
    }
}

/// An argument with its possible values.
fn line(argument: &Arg) -> String {
    let name = if argument.is_positional() {
        format!("`{argument}`")
    } else {
        let (short, long) = (argument.get_short(), argument.get_long().unwrap());
        let value = value(argument);
        let short = short.map_or_else(String::new, |short| format!("`-{short}`, "));
        format!("{short}`--{long}{value}`")
    };
    let mut text = format!("{name}: {}", argument.get_help().unwrap());
    let takes_value = argument.get_action().takes_values();
    let values: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set() && takes_value)
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if !values.is_empty() {
        write!(text, " ({})", values.join(", ")).unwrap();
    }
    let defaults = argument.get_default_values().iter();
    let defaults: Vec<String> = defaults
        .map(|value| value.to_string_lossy().into_owned())
        .filter(|value| takes_value && !value.is_empty())
        .collect();
    if !defaults.is_empty() {
        write!(text, " [default: {}]", defaults.join(", ")).unwrap();
    }
    text
}

fn value(argument: &Arg) -> String {
    if !argument.get_action().takes_values() || matches!(argument.get_action(), ArgAction::SetTrue) {
        return String::new();
    }
    let names = argument.get_value_names().unwrap_or_default();
    let names: Vec<String> = names.iter().map(|name| format!("<{name}>")).collect();
    let is_optional = argument
        .get_num_args()
        .is_some_and(|range| range.min_values() == 0);
    if is_optional {
        format!(" [{}]", names.join(" "))
    } else {
        format!(" {}", names.join(" "))
    }
}

/// The paragraph in lines of at most 140 columns.
fn wrapped(paragraph: &str) -> String {
    let mut lines = vec![String::new()];
    for word in words(paragraph) {
        let last = lines.last_mut().unwrap();
        if last.is_empty() {
            last.push_str(&word);
        } else if last.chars().count() + 1 + word.chars().count() > 140 {
            lines.push(word);
        } else {
            write!(last, " {word}").unwrap();
        }
    }
    lines.join("\n")
}

/// The words of a paragraph; text between two backticks counts as one word.
fn words(paragraph: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in paragraph.split(' ') {
        match words.last_mut() {
            Some(open) if open.matches('`').count() % 2 == 1 => *open = format!("{open} {word}"),
            _ => words.push(word.to_owned()),
        }
    }
    words
}
