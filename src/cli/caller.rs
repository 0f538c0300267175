//! Caller of this command, found out by this process about itself: commands that act without a server are refused to agents here, by the
//! same rules as in the server.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

use crate::adapters::holder::process::{Origin, origin};
use crate::cli::args::CommandFacts;
use crate::cli::command_error::{CommandError, CommandResult};
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::domain::AttemptId;
use crate::protocol::callers::{AllowedCallers, BY_OTHER_PROJECT, CallSubject, Caller, CommandRule, refusal};
use crate::protocol::connection::Connection;
use crate::protocol::wire::ServerCall;

/// Returns the rule of the command that was typed; `line` is the command line that was read.
pub fn rule_of(line: &Command, matches: &ArgMatches) -> CommandRule {
    let mut words = Vec::new();
    let (mut command, mut inner) = (Some(line), matches);
    while let Some((word, deeper)) = inner.subcommand() {
        words.push(word);
        command = command.and_then(|command| command.find_subcommand(word));
        inner = deeper;
    }
    if words.is_empty() {
        return CommandRule::new("start", AllowedCallers::Persons);
    }
    let name = words.join(" ");
    let facts = command.and_then(Command::get::<CommandFacts>);
    let is_given = |argument| inner.value_source(argument) == Some(ValueSource::CommandLine);
    let mut for_persons = facts.iter().flat_map(|facts| facts.for_persons);
    match for_persons.find(|(argument, _)| is_given(*argument)) {
        Some((_, words)) => CommandRule::new(format!("{name} {words}"), AllowedCallers::Persons),
        None => CommandRule::new(name, facts.map_or(AllowedCallers::Persons, |facts| facts.callers)),
    }
}

/// Refuses a command that is for persons when an agent of this project, or a gate, runs it. The server records that, if one runs.
///
/// # Errors
/// When it is refused.
pub fn check(rule: &CommandRule, env: &ProcessEnv) -> CommandResult<()> {
    if rule.callers != AllowedCallers::Persons {
        return Ok(());
    }
    // Outside of projects there are no agents; the command itself reports what is missing.
    let Ok(place) = ProjectPaths::find(&env.folder, env) else {
        return Ok(());
    };
    check_in(&place, rule)
}

/// Checks a command on that project, wherever it is run.
///
/// # Errors
/// When it is refused.
pub fn check_in(paths: &ProjectPaths, rule: &CommandRule) -> CommandResult<()> {
    let Some(why) = refusal(&of_this_process(paths), rule, CallSubject::default()) else {
        return Ok(());
    };
    if let Ok(Some(mut server)) = Connection::open(&paths.socket) {
        // It is refused all the same when it cannot be recorded.
        drop(server.call(ServerCall::Refused(rule.name.clone().into_owned())));
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
