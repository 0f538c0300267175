//! The server itself: in the background (`dbs` starts it) or in the foreground with a line per event (`dbs watch`, K64).

use std::process::ExitCode;

use crate::adapters::crash;
use crate::adapters::holder::process;
use crate::adapters::ipc::{FrameLimits, IpcListener};
use crate::adapters::logging;
use crate::adapters::output;
use crate::adapters::termination;
use crate::app::session;
use crate::app::watch::{HEARTBEAT_INTERVAL, stream_notices};
use crate::cli::args::JsonFlag;
use crate::cli::command_error::{CommandError, could_not, failed};
use crate::cli::commands::logs::print as print_line;
use crate::cli::commands::server::ServerArgs;
use crate::cli::commands::watch::WatchArgs;
use crate::cli::commands::{CommandResult, RunCommand};
use crate::cli::server_process;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::config::session_setup;
use crate::ports::store::StoreError;
use crate::protocol::session_list;
use crate::protocol::wire::{LONG_FRAMES_TOGETHER, longest_from_client};
use crate::server::{Server, Session, SessionError};

impl RunCommand for WatchArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        run(env, Some(self.json))
    }
}

impl RunCommand for ServerArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        run(env, None)
    }
}

/// Runs the server; with `lines` it prints a line per event, without them it has no output but its log.
fn run(env: &ProcessEnv, lines: Option<JsonFlag>) -> CommandResult {
    process::close_inherited_files();
    // In the foreground it stays in its terminal, for Ctrl-C and for a terminal that closes.
    if lines.is_none() {
        process::leave_session();
    }
    let paths = ProjectPaths::find(&env.folder, env)?;
    if let Some(why) = paths.state_problem() {
        return Err(could_not(why));
    }
    paths
        .prepare_for_server(env.environment.clone())
        .map_err(could_not)?;
    let _log = logging::to_folder(&paths.logs, env.get("DBS_LOG").as_deref()).map_err(failed(format!(
        "could not write logs in {}",
        paths.logs.display()
    )))?;
    crash::install_reporter(&paths.logs);
    let setup = session_setup::read(&paths, env)?;
    let runtime = session::runtime()?;
    let session = match session::start(paths, setup, &runtime) {
        Ok(session) => session,
        Err(taken @ SessionError::Store(StoreError::Locked { .. })) if lines.is_none() => {
            output::problem(&format!("could not {taken}"));
            return Ok(ExitCode::from(server_process::EXIT_LOCKED));
        }
        Err(error) => return Err(could_not(error)),
    };
    let served = runtime.block_on(serve_until_stopped(session, lines));
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    served
}

async fn serve_until_stopped(session: Session, lines: Option<JsonFlag>) -> CommandResult {
    let socket = session.paths.socket.clone();
    let listener =
        IpcListener::bind(&socket).map_err(failed(format!("could not listen at {}", socket.display())))?;
    let listener = listener.with_limits(FrameLimits::new(longest_from_client, LONG_FRAMES_TOGETHER));
    session_list::write_record(&session.paths, &session.name());
    let server = Server::new(session);
    let stop = &server.stop;
    let interrupted = async {
        termination::termination_signal().await;
        stop.cancel();
    };
    tokio::join!(
        server.run(&listener),
        stop.run_until_cancelled(print_notices(&server, lines)),
        stop.run_until_cancelled(interrupted),
    );
    let ended = server.end(server.stop_agents()).await;
    // Last, so that a process waiting for the end of this server waits for all of it.
    drop(listener);
    ended?;
    if server.is_broken() {
        return Err(CommandError::server(
            "could not continue: a part of the server broke, see the log; agents keep running",
        ));
    }
    Ok(ExitCode::SUCCESS)
}

async fn print_notices(server: &Server, lines: Option<JsonFlag>) {
    let Some(json) = lines else { return };
    output::problem(&format!(
        "watching {}; Ctrl-C ends the server, agents keep running",
        server.session.paths.root.display()
    ));
    stream_notices(&server.session.engine, HEARTBEAT_INTERVAL, |line| {
        print_line(line, json);
    })
    .await;
}
