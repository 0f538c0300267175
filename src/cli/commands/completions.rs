//! Completions for a shell while a person types: the words that could come next, with the existing tasks, agents, stages and sessions.
//! Quick and silent: it only reads, asks no server, and returns nothing where something is amiss.

use crate::cli::commands::prelude::*;
use crate::domain::cut::cut_chars;
use std::ffi::OsStr;
use std::sync::Arc;

use clap::Command;
use clap_complete::Shell;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::Shells;

use crate::adapters::project::Project;
use crate::adapters::store::{SqliteStore, StoreFiles, StoreReader};
use crate::cli::commands::command_line::command;
use crate::config;
use crate::config::project_paths::sockets;
use crate::domain::Event;
use crate::formats::prompt::PromptLibrary;
use crate::formats::workflow;
use crate::protocol::session_list;
use crate::term::sanitize;

/// The variable by which the script of a shell asks; its value names the shell.
pub const COMPLETE_VAR: &str = "_DBS_COMPLETE";
/// Maximum number of names offered.
const MAX_NAMES: usize = 500;
/// Maximum characters of a title shown beside an id.
const MAX_TITLE: usize = 60;

/// Kind of thing that an argument of the command line names, which decides its completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CompletionKind {
    Tasks(&'static [&'static str]),
    Agents,
    AgentsAndTasks,
    Batches,
    Sessions,
    Stages,
    Workflows,
    Settings,
    Roles,
}

const ALL: &[&str] = &[];

/// Print the shell script that completes commands, ids and names
///
/// The script calls `dbs`, so it knows the current ids of this project's tasks, its agents, stages and workflows, running sessions and
/// settings. It is quick and asks no server. If something fails, it offers nothing and prints no error. Generate it again after an update
/// of `dbs`.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs completions bash >~/.local/share/bash-completion/completions/dbs\ndbs completions fish >~/.config/fish/completions/dbs.fish"))]
pub struct CompletionsArgs {
    /// Shell to complete in
    shell: Shell,
}

impl RunCommand for CompletionsArgs {
    fn run(self, _env: &ProcessEnv) -> CommandResult {
        output::bytes(&script(self.shell)?);
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the script that lets a shell ask.
fn script(shell: Shell) -> CommandResult<Vec<u8>> {
    let mut script = Vec::new();
    let tried = format!("could not write a script for {shell}");
    let shells = Shells::builtins();
    let known = shells.completer(&shell.to_string());
    let known = known.ok_or_else(|| CommandError::project(format!("{tried}: this version has none")))?;
    let written = known.write_registration(COMPLETE_VAR, "dbs", "dbs", "dbs", &mut script);
    written.map_err(failed(tried))?;
    Ok(script)
}

/// Returns the answer to the request of the shell. `arguments` are those of the process.
pub fn answer(env: &ProcessEnv, shell: &str, arguments: Vec<std::ffi::OsString>) -> Vec<u8> {
    let mut answer = Vec::new();
    let shells = Shells::builtins();
    let words = arguments.into_iter().skip_while(|word| word != "--").skip(1);
    let words: Vec<_> = words.collect();
    if let (Some(known), false) = (shells.completer(shell), words.is_empty()) {
        let mut all = with_completers(command(), "", &Arc::new(env.clone()));
        // A partial answer is not written.
        if known
            .write_complete(&mut all, words, Some(&env.folder), &mut answer)
            .is_err()
        {
            answer.clear();
        }
    }
    answer
}

/// Adds to the command line the completions for the words of commands.
fn with_completers(command: Command, path: &str, env: &Arc<ProcessEnv>) -> Command {
    let command = command.mut_args(|arg| match names(path, arg.get_id().as_str()) {
        Some(names) => {
            let env = Arc::clone(env);
            arg.add(ArgValueCompleter::new(move |typed: &OsStr| {
                candidates(&env, names, typed)
            }))
        }
        None => arg,
    });
    command.mut_subcommands(|below| {
        let path = format!("{path} {}", below.get_name());
        with_completers(below, path.trim(), env)
    })
}

/// Returns the kind of thing that an argument of a command names.
fn names(path: &str, argument: &str) -> Option<CompletionKind> {
    Some(match (path, argument) {
        ("approve", "id") => CompletionKind::Tasks(&["held", "active"]),
        ("retry" | "task retry", "ids") => CompletionKind::Tasks(&["held", "parked", "failed", "skipped"]),
        ("answer" | "interrupt" | "mode", "id") => CompletionKind::Tasks(&["active"]),
        ("task release", "ids") => CompletionKind::Tasks(&["backlog"]),
        ("kill-agent", "name") => CompletionKind::Agents,
        ("why", "id") | ("logs", "attempt") => CompletionKind::AgentsAndTasks,
        ("attach", "name") => CompletionKind::Sessions,
        ("workflow show", "name") | (_, "workflow") => CompletionKind::Workflows,
        ("config", "key") => CompletionKind::Settings,
        ("prompt", "role") => CompletionKind::Roles,
        (_, "stage") => CompletionKind::Stages,
        ("task create", "id") | ("batch create", "batch") => return None,
        (_, "batch" | "needs") | ("status", "run") => CompletionKind::Batches,
        (_, "id" | "on" | "deps") => CompletionKind::Tasks(ALL),
        _ => return None,
    })
}

fn candidates(env: &ProcessEnv, names: CompletionKind, typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    // Ids that are separated by commas are completed one after the other.
    let (before, last) = typed
        .rsplit_once(',')
        .map_or(("", &*typed), |(before, last)| (before, last));
    let lead = if before.is_empty() && !typed.contains(',') {
        String::new()
    } else {
        format!("{before},")
    };
    let mut found = matching(env, names, last);
    found.retain(|(name, _)| name.starts_with(last) && *sanitize(name) == **name);
    found.truncate(MAX_NAMES);
    let shown = |text: String| {
        let text = cut_chars(&sanitize(&text), MAX_TITLE).to_owned();
        (!text.is_empty()).then(|| text.into())
    };
    found
        .into_iter()
        .map(|(name, help)| CompletionCandidate::new(format!("{lead}{name}")).help(shown(help)))
        .collect()
}

/// Returns the names that begin with that text, and a help text for each.
fn matching(env: &ProcessEnv, names: CompletionKind, begin: &str) -> Vec<(String, String)> {
    let bare = |name: String| (name, String::new());
    let store = || reader(env);
    match names {
        CompletionKind::Tasks(states) => store()
            .map(|store| tasks(&store, begin, states))
            .unwrap_or_default(),
        CompletionKind::Agents => store().map(|store| agents(&store)).unwrap_or_default(),
        CompletionKind::AgentsAndTasks => store()
            .map(|store| {
                let mut all = agents(&store);
                all.extend(tasks(&store, begin, ALL));
                all
            })
            .unwrap_or_default(),
        CompletionKind::Batches => store()
            .and_then(|store| store.batch_labels(begin, MAX_NAMES).ok())
            .unwrap_or_default(),
        CompletionKind::Sessions => session_list::names(&sockets(&env.runtime))
            .into_iter()
            .map(bare)
            .collect(),
        CompletionKind::Stages | CompletionKind::Workflows => {
            flows(store().as_ref(), names).into_iter().map(bare).collect()
        }
        CompletionKind::Roles => PromptLibrary::read(&[])
            .iter()
            .flat_map(PromptLibrary::roles)
            .map(|(role, _)| (role.id.to_string(), role.title.clone()))
            .collect(),
        CompletionKind::Settings => config::keys()
            .filter(|key| !key.is_family())
            .map(|key| (key.name.to_owned(), key.doc.to_owned()))
            .collect(),
    }
}

fn reader(env: &ProcessEnv) -> Option<StoreReader> {
    let project = Project::find(&env.folder).ok()?;
    let files = StoreFiles::new(&project.dbs(), &project.backups());
    SqliteStore::open_reader(&files).ok().flatten()
}

fn tasks(store: &StoreReader, begin: &str, states: &[&str]) -> Vec<(String, String)> {
    let found = store
        .task_labels(begin, MAX_NAMES)
        .unwrap_or_default()
        .into_iter();
    found
        .filter(|card| states.is_empty() || states.contains(&card.state.as_str()))
        .map(|card| (card.id, card.title))
        .collect()
}

fn agents(store: &StoreReader) -> Vec<(String, String)> {
    let open = store.open_attempts().unwrap_or_default().into_iter();
    open.map(|attempt| (attempt.worker.name().to_owned(), attempt.task.to_string()))
        .collect()
}

/// Returns the names of workflows, or of their stages: as the last server had them, else those that are built in.
fn flows(store: Option<&StoreReader>, names: CompletionKind) -> Vec<String> {
    let events = store
        .and_then(|store| store.last_settings().ok())
        .unwrap_or_default();
    let loaded = events.into_iter().find_map(|event| match event {
        Event::WorkflowsLoaded(flows) => Some(flows),
        _ => None,
    });
    let flows = loaded.unwrap_or_else(|| {
        let texts = workflow::builtin().into_iter();
        texts
            .filter_map(|(name, text)| workflow::read(name.as_ref(), text).0)
            .collect()
    });
    let mut found: Vec<String> = if names == CompletionKind::Workflows {
        flows.iter().map(|flow| flow.id.to_string()).collect()
    } else {
        let stages = flows.iter().flat_map(|flow| &flow.stages);
        stages.map(|stage| stage.id.to_string()).collect()
    };
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_gets_a_script_that_asks() {
        for shell in [
            Shell::Bash,
            Shell::Elvish,
            Shell::Fish,
            Shell::PowerShell,
            Shell::Zsh,
        ] {
            let script = String::from_utf8(script(shell).unwrap()).unwrap();
            assert!(script.contains(COMPLETE_VAR), "{shell}: {script}");
        }
    }

    #[test]
    fn every_word_that_names_something_is_known() {
        fn bare(command: &Command, path: &str, found: &mut Vec<String>) {
            for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
                let path = format!("{path} {}", verb.get_name());
                for arg in verb.get_arguments() {
                    let id = arg.get_id().as_str();
                    let names_something =
                        ["id", "ids", "on", "deps", "stage", "workflow", "needs"].contains(&id);
                    if names_something && names(path.trim(), id).is_none() {
                        found.push(format!("{path} {id}"));
                    }
                }
                bare(verb, &path, found);
            }
        }
        let mut found = Vec::new();
        bare(&command(), "", &mut found);
        assert_eq!(found, [" task create id"], "a new task's id is new");
    }
}
