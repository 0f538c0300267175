//! Groups of commands in the help of the program. clap has none for subcommands, so the list is written from one table.

use clap::Command;

/// Groups in the order of the help, each with its commands in the order of their use.
const GROUPS: [(&str, &str); 6] = [
    ("Start here", "start attach demo init doctor help"),
    (
        "Tasks",
        "board status task batch why diff approve reject retry skip",
    ),
    (
        "Plans",
        "conduct design convert plan audit run history atdd import",
    ),
    (
        "Agents",
        "agents logs prompt answer interrupt kill-agent mode pause resume cost metrics",
    ),
    (
        "Project",
        "sessions watch stop restart config trust workflow keys notify events backup restore clear debug upgrade man completions",
    ),
    ("For agents", "signal done progress mcp"),
];
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
    for (group, names) in GROUPS {
        text.push_str(&heading(command, group));
        for verb in names.split(' ').filter_map(|name| command.find_subcommand(name)) {
            let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
            let name = verb.get_name();
            let line = format!("\n  {literal}{name:NAMES$}{literal:#}{about}");
            text.push_str(&line);
        }
        text.push_str("\n\n");
    }
    text
}

fn heading(command: &Command, name: &str) -> String {
    let style = command.get_styles().get_header();
    format!("{style}{name}:{style:#}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::command;

    #[test]
    fn every_command_stands_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.split(' ')).collect();
        let all = command();
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
