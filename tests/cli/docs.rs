//! The reference names every command and every option, and the commands in the README are understood.

use std::path::Path;

use clap::Command;
use clap::error::ErrorKind;

use crate::command_reference::reference;

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
fn the_reference_of_the_commands_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/commands.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (begin, end) = ("<!-- commands -->\n", "<!-- end of commands -->");
    let (before, rest) = text.split_once(begin).unwrap();
    let (written, after) = rest.split_once(end).unwrap();
    #[expect(
        clippy::disallowed_methods,
        reason = "the switch that rewrites generated documents"
    )]
    if std::env::var_os("DBS_UPDATE").is_some() {
        std::fs::write(&path, format!("{before}{begin}{}{end}{after}", reference())).unwrap();
        return;
    }
    assert!(
        written == reference(),
        "docs/commands.md is stale; DBS_UPDATE=1 cargo test --test cli the_reference rewrites it"
    );
}

#[test]
fn every_command_and_option_is_in_the_reference() {
    let mut found = Vec::new();
    let all = dbs::cli::commands::command_line::command();
    missing(&all, "dbs", &reference(), &mut found);
    assert_eq!(found, Vec::<String>::new());
}

/// The commands to type, line by line.
fn lines_to_type(text: &str) -> Vec<&str> {
    let lines = text.lines().map(|line| line.trim().trim_end_matches(";;"));
    let commands = lines.map(|line| line.split(" #").next().unwrap_or_default().trim());
    commands.filter(|line| line.starts_with("dbs ")).collect()
}

/// The commands named between backticks; each may be less than a whole command.
fn named(text: &str) -> Vec<&str> {
    let parts = text.split('`').map(str::trim);
    parts
        .filter(|part| part.starts_with("dbs ") && !part.contains('\n'))
        .collect()
}

fn problem(command: &str) -> Option<ErrorKind> {
    let words = shell_words::split(command).unwrap();
    let read = dbs::cli::commands::command_line::command().try_get_matches_from(words);
    read.err().map(|error| error.kind())
}

#[test]
fn every_command_in_the_readme_is_understood() {
    let text = include_str!("../../README.md");
    let (lines, named) = (lines_to_type(text), named(text));
    assert!(lines.len() >= 10 && named.len() >= 4, "{lines:?} {named:?}");
    for command in lines {
        assert_eq!(problem(command), None, "{command}");
    }
    for command in named {
        let problem = problem(command).filter(|kind| *kind != ErrorKind::MissingRequiredArgument);
        assert_eq!(problem, None, "{command}");
    }
}
