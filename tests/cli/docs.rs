//! The reference names every command and every option.

use clap::Command;

fn missing(command: &Command, path: &str, text: &str, found: &mut Vec<String>) {
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let path = format!("{path} {}", verb.get_name());
        if verb.has_subcommands() {
            missing(verb, &path, text, found);
            continue;
        }
        let section = text.split("\n### ").find(|part| {
            part.lines()
                .next()
                .is_some_and(|head| head.trim_matches('`') == path)
        });
        let Some(section) = section else {
            found.push(path);
            continue;
        };
        let options = verb.get_arguments().filter_map(clap::Arg::get_long);
        let lost = options.filter(|long| *long != "help" && !section.contains(&format!("`--{long}")));
        found.extend(lost.map(|long| format!("{path} --{long}")));
    }
}

#[test]
fn every_command_and_option_is_in_the_reference() {
    let mut found = Vec::new();
    let text = include_str!("../../docs/commands.md");
    missing(&dbs::app::args::command(), "dbs", text, &mut found);
    assert_eq!(found, Vec::<String>::new());
}
