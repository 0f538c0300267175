//! Caller of this command, found out by this process about itself: commands that act without a server are refused to agents here, by the
//! same table as in the server.

use clap::ArgMatches;

use crate::adapters::holder::process::{Origin, origin};
use crate::cli::command_error::{CommandError, CommandResult};
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::domain::AttemptId;
use crate::protocol::callers::{
    AllowedCallers, BY_OTHER_PROJECT, CallSubject, Caller, allowed_callers, refusal,
};
use crate::protocol::connection::Connection;
use crate::protocol::wire::ServerCall;

/// Returns the command that was typed, by its name in the table.
pub fn command_name(matches: &ArgMatches) -> String {
    let mut words = Vec::new();
    let mut inner = matches;
    while let Some((word, deeper)) = inner.subcommand() {
        words.push(word);
        inner = deeper;
    }
    let name = words.join(" ");
    let has = |argument: &str| {
        let given = inner.value_source(argument);
        given == Some(clap::parser::ValueSource::CommandLine)
    };
    match name.as_str() {
        "" => "start".to_owned(),
        "config" if has("value") || has("unset") => "config KEY VALUE".to_owned(),
        "doctor" if has("repair") => "doctor --repair".to_owned(),
        "notify" if has("test") => "notify --test".to_owned(),
        _ => name,
    }
}

/// Refuses a command that is for persons when an agent of this project, or a gate, runs it. The server records that, if one runs.
///
/// # Errors
/// The reason why it is refused, for people.
pub fn check(command: &str, env: &ProcessEnv) -> CommandResult<()> {
    if allowed_callers(command) != AllowedCallers::Persons {
        return Ok(());
    }
    // Outside of projects there are no agents; the command itself reports what is missing.
    let Ok(place) = ProjectPaths::find(&env.folder, env) else {
        return Ok(());
    };
    check_in(&place, command)
}

/// Checks a command on that project, wherever it is run.
///
/// # Errors
/// The reason why it is refused, for people.
pub fn check_in(paths: &ProjectPaths, command: &str) -> CommandResult<()> {
    let Some(why) = refusal(&of_this_process(paths), command, CallSubject::default()) else {
        return Ok(());
    };
    if let Ok(Some(mut server)) = Connection::open(&paths.socket) {
        // It is refused all the same when it cannot be recorded.
        drop(server.call(ServerCall::Refused(command.to_owned())));
    }
    Err(CommandError::user(why))
}

/// Returns the caller that this process is in the project: an agent by the markers it and its ancestors were started with, or by its token.
pub fn of_this_process(paths: &ProjectPaths) -> Caller {
    let found = match origin(std::process::id()) {
        Ok(found) => found,
        Err(error) => return Caller::Unknown(error.to_string()),
    };
    let starters = found.starters(&Origin::default());
    match Caller::of(&starters, &paths.marker) {
        Caller::Person => by_token(paths).unwrap_or(Caller::Person),
        // A server with the same origin is used from there.
        Caller::Program(BY_OTHER_PROJECT) => {
            Caller::of(&found.starters(&origin_of_server(paths, &found)), &paths.marker)
        }
        known => known,
    }
}

/// Returns the origin of the server of the project. Without one, a project that was made for a test below an agent of another project
/// cannot be told from one that such an agent has found, so both pass.
fn origin_of_server(paths: &ProjectPaths, own: &Origin) -> Origin {
    match Connection::open(&paths.socket) {
        Ok(Some(server)) => server
            .process()
            .and_then(|pid| origin(pid).ok())
            .unwrap_or_default(),
        Ok(None) => own.clone(),
        Err(_) => Origin::default(),
    }
}

/// Returns the agent by its token: only programs started by this project know a token beside the project's socket.
fn by_token(paths: &ProjectPaths) -> Option<Caller> {
    let get = |name: &str| {
        let all = &paths.sources.overrides.environment;
        let found = all.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    };
    let is_ours = get("DBS_TOKEN").is_some() && get("DBS_SOCKET") == paths.socket.to_str();
    let attempt = get("DBS_ATTEMPT")?.parse().ok()?;
    is_ours.then_some(Caller::Agent(AttemptId(attempt)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::command;
    use crate::protocol::callers::COMMANDS;

    fn named(line: &str) -> String {
        let words = line.split(' ').filter(|word| !word.is_empty());
        let matches = command()
            .try_get_matches_from(["dbs"].into_iter().chain(words))
            .unwrap();
        command_name(&matches)
    }

    /// Every command there is, as it is typed.
    fn all(of: &clap::Command, before: &str) -> Vec<String> {
        let own = |sub: &clap::Command| format!("{before}{}", sub.get_name());
        let subs = of.get_subcommands();
        subs.flat_map(|sub| match sub.get_subcommands().next() {
            Some(_) => all(sub, &format!("{} ", own(sub))),
            None => vec![own(sub)],
        })
        .collect()
    }

    #[test]
    fn every_command_there_is_has_its_row() {
        let commands = all(&command(), "");
        assert!(commands.contains(&"task close".to_owned()), "{commands:?}");
        for name in commands {
            assert!(
                COMMANDS.iter().any(|(known, _)| *known == name),
                "{name} has no row"
            );
        }
    }

    #[test]
    fn a_command_that_writes_is_told_apart_from_the_one_that_shows() {
        for (line, name) in [
            ("", "start"),
            ("--plain", "start"),
            ("config", "config"),
            ("config gates.test", "config"),
            ("config gates.test true", "config KEY VALUE"),
            ("config gates.test --unset", "config KEY VALUE"),
            ("doctor", "doctor"),
            ("doctor --repair", "doctor --repair"),
            ("notify", "notify"),
            ("notify --test", "notify --test"),
            ("task close t-1 no", "task close"),
        ] {
            assert_eq!(named(line), name, "{line}");
        }
    }
}
