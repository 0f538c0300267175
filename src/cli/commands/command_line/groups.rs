//! Groups of commands in the help of the program. clap has none for subcommands, so the list is written from one table.

use clap::Command;

use crate::cli::commands::GROUPS;

/// Width of the column with the names of commands.
const NAMES: usize = 13;

/// Returns the command line with a help that lists its commands in groups.
pub(super) fn with_groups(command: Command) -> Command {
    let groups = groups(&command);
    let options = heading(&command, "Options");
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}{options}\n{{options}}{{after-help}}"
    ))
}

fn groups(command: &Command) -> String {
    let literal = command.get_styles().get_literal();
    let mut text = String::new();
    for (group, verbs) in grouped(command) {
        text.push_str(&heading(command, group));
        for verb in verbs {
            let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
            let name = verb.get_name();
            let line = format!("\n  {literal}{name:NAMES$}{literal:#}{about}");
            text.push_str(&line);
        }
        text.push_str("\n\n");
    }
    text
}

/// Returns the groups with the commands that are shown, in the order of the help.
pub fn grouped(command: &Command) -> Vec<(&'static str, Vec<&Command>)> {
    let verbs = |variants: &[&str]| {
        variants
            .iter()
            .filter_map(|name| verb_of(command, name))
            .collect()
    };
    let groups = GROUPS.iter().map(|(group, variants)| (*group, verbs(variants)));
    groups
        .filter(|(_, verbs): &(_, Vec<_>)| !verbs.is_empty())
        .collect()
}

/// Returns the shown command of a variant, whose name has hyphens.
fn verb_of<'a>(command: &'a Command, variant: &str) -> Option<&'a Command> {
    let mut shown = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    shown.find(|verb| verb.get_name().replace('-', "").eq_ignore_ascii_case(variant))
}

fn heading(command: &Command, name: &str) -> String {
    let style = command.get_styles().get_header();
    format!("{style}{name}:{style:#}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::command_line::command;

    #[test]
    fn every_command_stands_in_one_group() {
        let all = command();
        let groups = grouped(&all).into_iter();
        let mut grouped: Vec<&str> = groups
            .flat_map(|(_, verbs)| verbs)
            .map(Command::get_name)
            .collect();
        let shown = all.get_subcommands().filter(|verb| !verb.is_hide_set());
        let mut shown: Vec<&str> = shown.map(Command::get_name).collect();
        grouped.sort_unstable();
        shown.sort_unstable();
        assert_eq!(grouped, shown);
    }

    #[test]
    fn every_line_of_the_help_fits_a_terminal_of_80_columns() {
        let help = command().render_help().to_string();
        let (groups, _options) = help.split_once("Options:").unwrap();
        let commands = groups.lines().filter(|line| line.starts_with("  "));
        let wide: Vec<&str> = commands.filter(|line| line.chars().count() > 80).collect();
        assert_eq!(wide, Vec::<&str>::new());
    }
}
