//! `dbs`, `dbs start` and `dbs attach`: start this project's server if none runs, and show a session in this terminal.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use crate::cli::board_access::BoardAccess;
use crate::cli::caller;
use crate::cli::command_error::CommandError;
use crate::cli::commands::attach::AttachArgs;
use crate::cli::commands::start::StartArgs;
use crate::cli::commands::task::create;
use crate::cli::commands::{CommandResult, RunCommand, logs, typed};
use crate::cli::server_process;
use crate::client::plain::{self, Commands};
use crate::client::{self, ClientError, RestartFn, RestartOutcome, SwitchTarget};
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::domain::command::{Command, TaskDraft};
use crate::protocol::callers::{AllowedCallers, CommandRule};
use crate::protocol::connection::blocking_runtime;
use crate::protocol::session_list;

/// Commands for lines typed into the plain client, which are executed as on the command line.
pub(super) const COMMANDS: Commands = Commands {
    run: |words, env| typed::run(words, env).map_err(ClientError::command),
    end_of: |place, task, lines| logs::last_lines(place, task, lines).map_err(ClientError::command),
};

/// Display of a session in this terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DisplayMode {
    /// The whole terminal is drawn.
    FullScreen,
    /// Lines that are only added.
    PlainLines,
}

impl DisplayMode {
    /// Returns the display that was requested by an option, else the one this terminal needs.
    fn choose(is_plain_asked: bool, env: &ProcessEnv) -> DisplayMode {
        if is_plain_asked || env.needs_plain() {
            DisplayMode::PlainLines
        } else {
            DisplayMode::FullScreen
        }
    }
}

impl RunCommand for StartArgs {
    /// Starts this project's server if none runs, and attaches (K63).
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let mode = DisplayMode::choose(self.plain, env);
        if mode == DisplayMode::FullScreen {
            // Before anything is begun: a screen that cannot be drawn is not a reason to &self a server.
            client::refuse_without_terminal(env)?;
        }
        let paths = place_at(&env.folder, env).map_err(|error| match session_list::last_used(env) {
            Some(_) => error.with_hint("`dbs attach` goes to the session you were at last"),
            None => error,
        })?;
        if self.paused {
            // Before there is a server: a moment later it would have begun to work.
            BoardAccess::open_project(paths.clone())?.execute(&env.author(), Command::Pause)??;
        }
        server_process::ensure_server(env, &paths)?;
        let mut access = BoardAccess::open_project(paths.clone())?;
        if let Some(text) = &self.requirement {
            // None of it starts without a go-ahead (LK-33).
            let draft = create::requirement(text);
            let (answer, _) = create::create_tasks(&mut access, &env.author(), &[&draft], |ids| {
                let id = ids.first().cloned().unwrap_or_else(|| draft.id.clone());
                Command::Create(TaskDraft { id, ..draft.clone() })
            })?;
            answer?;
        }
        drop(access);
        show(env, &paths, mode)
    }
}

impl RunCommand for AttachArgs {
    /// Attaches to a session by name, or to this project's; `plain` shows it in lines that are only added.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let mode = DisplayMode::choose(self.plain, env);
        if mode == DisplayMode::FullScreen {
            client::refuse_nesting(env)?;
        }
        let paths = match &self.name {
            Some(name) => place_at(&session_list::find_named(env, name)?, env)?,
            None => match (place_at(&env.folder, env), session_list::last_used(env)) {
                (Ok(here), _) => here,
                (Err(_nowhere), Some(last)) => place_at(&last, env)?,
                (Err(nowhere), None) => return Err(nowhere),
            },
        };
        // The project may differ from that of the folder it was run in.
        caller::check_in(&paths, &attach_rule())?;
        if recover(env, &paths)? == RestartOutcome::Stopped {
            return Err(
                CommandError::server("could not attach: no server runs for this project")
                    .with_hint("`dbs` starts one"),
            );
        }
        show(env, &paths, mode)
    }
}

/// Returns the rule of `dbs attach`.
fn attach_rule() -> CommandRule {
    CommandRule::new("attach", AllowedCallers::Persons)
}

fn show(env: &ProcessEnv, paths: &ProjectPaths, mode: DisplayMode) -> CommandResult {
    session_list::mark_used(paths);
    match mode {
        DisplayMode::PlainLines => show_lines(env, paths),
        DisplayMode::FullScreen => show_screen(env, paths.clone()),
    }
}

fn show_lines(env: &ProcessEnv, paths: &ProjectPaths) -> CommandResult {
    let runtime = blocking_runtime()?;
    let talked = runtime.block_on(plain::attach(paths, env, COMMANDS, Some(restart(env, paths))));
    // A reader of lines may still wait for one; it is not worth waiting for.
    runtime.shutdown_background();
    talked?;
    Ok(ExitCode::SUCCESS)
}

/// Draws the session at `place`, then each one that the person switches to.
fn show_screen(env: &ProcessEnv, mut paths: ProjectPaths) -> CommandResult {
    let runtime = blocking_runtime()?;
    loop {
        match runtime.block_on(client::attach(&paths, env, Some(restart(env, &paths)))) {
            Ok(SwitchTarget::Demo) => {
                server_process::play_demo(env)?;
                // The server that was left may have been stopped meanwhile.
                server_process::ensure_server(env, &paths)?;
            }
            Ok(SwitchTarget::Project(root)) => {
                paths = place_at(Path::new(&root), env)?;
                caller::check_in(&paths, &attach_rule())?;
                server_process::ensure_server(env, &paths)?;
            }
            ended => {
                // A reader of keys may still wait for one; it is not worth waiting for.
                runtime.shutdown_background();
                ended?;
                return Ok(ExitCode::SUCCESS);
            }
        }
    }
}

fn restart(env: &ProcessEnv, paths: &ProjectPaths) -> RestartFn {
    let (env, paths) = (env.clone(), paths.clone());
    Arc::new(move || recover(&env, &paths).map_err(ClientError::command))
}

/// Starts the project's server again if it was cut off; a server that was stopped, as its missing record shows, stays so.
fn recover(env: &ProcessEnv, paths: &ProjectPaths) -> CommandResult<RestartOutcome> {
    if !BoardAccess::open_project(paths.clone())?.has_server() {
        if !session_list::is_cut_off(paths) {
            return Ok(RestartOutcome::Stopped);
        }
        server_process::start_server(env, paths)?;
    }
    Ok(RestartOutcome::Running)
}

fn place_at(folder: &Path, env: &ProcessEnv) -> CommandResult<ProjectPaths> {
    Ok(ProjectPaths::find(folder, env)?)
}
