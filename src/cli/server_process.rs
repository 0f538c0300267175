//! Starting the server as a process of its own, independent of the terminal it was started from.

use std::path::Path;
use std::process::{Child, ExitStatus};
use std::time::Duration;

use crate::adapters::deadline::Deadline;
use crate::adapters::own_program;
use crate::adapters::text_file;
use crate::cli::base_choice::{self, BaseChoice};
use crate::cli::board_access::BoardAccess;
use crate::cli::command_error::{CommandError, CommandResult, could_not, failed};
use crate::cli::remote_choice;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;

/// Exit code of the server when another process has the project: the starter waits for that one, or tries again.
pub const EXIT_LOCKED: u8 = 75;

/// Starts a server unless one runs, and waits until it listens.
pub fn ensure_server(env: &ProcessEnv, paths: &ProjectPaths) -> CommandResult<()> {
    if BoardAccess::open_project(paths.clone())?.has_server() {
        return Ok(());
    }
    start_server(env, paths)
}

/// Plays the demo in this terminal, and waits for its end.
///
/// # Errors
/// When it could not be started, or failed; for people.
pub fn play_demo(env: &ProcessEnv) -> CommandResult<()> {
    let played = own_program::play_demo(&env.program, &env.environment);
    let played = played.map_err(failed("could not start the demo"))?;
    if played.success() {
        Ok(())
    } else {
        Err(CommandError::user(format!(
            "could not play the demo to its end: {played}"
        )))
    }
}

/// Starts a server and waits until it listens, or until it has reported why it cannot. A server that another process is starting serves as
/// well.
pub fn start_server(env: &ProcessEnv, paths: &ProjectPaths) -> CommandResult<()> {
    let is_alone = remote_choice::settle(env, paths, false)?;
    paths
        .prepare_for_server(env.environment.clone())
        .map_err(could_not)?;
    // The screen asks at a first start only where no setting was made yet.
    if is_alone && let chosen @ BaseChoice::Made(_) = base_choice::settle(env, paths, false)? {
        chosen.print();
    }
    let deadline = Deadline::start();
    loop {
        match try_start(env, paths, &deadline)? {
            SpawnResult::Listening => return Ok(()),
            SpawnResult::Locked(why) if deadline.is_over() => return Err(CommandError::server(why)),
            // Each try starts a server, which keeps the processors from the one that is about to end or to listen.
            SpawnResult::Locked(_) => deadline.sleep_for(Duration::from_millis(200)),
        }
    }
}

/// Result of starting a server: one is listening, or another process has the project.
enum SpawnResult {
    /// Server that listens, this one or another.
    Listening,
    /// Process that has the project, and does not listen (yet); with the output of the server.
    Locked(String),
}

fn try_start(env: &ProcessEnv, paths: &ProjectPaths, deadline: &Deadline) -> CommandResult<SpawnResult> {
    let output = paths.logs.join("start.log");
    let mut child = spawn(env, paths, &output)?;
    loop {
        let ended = child.try_wait().map_err(failed("could not look at the server"))?;
        // Asked after checking the child: when that one has ended, another one may have been faster.
        if BoardAccess::open_project(paths.clone())?.has_server() {
            return Ok(SpawnResult::Listening);
        }
        if let Some(status) = ended {
            let why = startup_error(&output, status);
            return match status.code() {
                Some(code) if code == i32::from(EXIT_LOCKED) => Ok(SpawnResult::Locked(why)),
                _ => Err(CommandError::server(why)),
            };
        }
        if deadline.is_over() {
            return Err(CommandError::server(format!(
                "could not reach the server that was started; see {}",
                paths.logs.display()
            )));
        }
        deadline.sleep();
    }
}

fn spawn(env: &ProcessEnv, paths: &ProjectPaths, output: &Path) -> CommandResult<Child> {
    let file =
        std::fs::File::create(output).map_err(failed(format!("could not write {}", output.display())))?;
    let child = own_program::spawn_server(&env.program, &paths.root, env.given_environment(), file);
    child.map_err(failed(format!("could not start {}", env.program.display())))
}

fn startup_error(output: &Path, status: ExitStatus) -> String {
    let text = text_file::read_text(output, text_file::LARGEST_WRITTEN).unwrap_or_default();
    let text = text.trim();
    if text.is_empty() {
        format!("the server ended at once ({status})")
    } else {
        let lines = text
            .lines()
            .map(|line| line.strip_prefix("dbs: ").unwrap_or(line));
        lines.collect::<Vec<_>>().join("\n")
    }
}
