//! `dbs restart`: ends the server of a project and starts it again in the background (K72).

use crate::cli::commands::prelude::*;
use crate::cli::commands::stop;
use crate::cli::server_process::start_server;
use crate::protocol::wire::{ServerCall, StopAgents};

/// Restart the server in the background; agents keep running
///
/// The new server finds the agents again; attached screens end.
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs restart\ndbs restart --now"))]
pub struct RestartArgs {
    /// Do not wait for running gates, pushes and backups; they rerun at the start
    #[arg(long)]
    now: bool,
    /// Restart, and name the command that explains how to upgrade; nothing is fetched
    #[arg(long, short)]
    upgrade: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for RestartArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let paths = ProjectPaths::find(&env.folder, env)?;
        let mut access = BoardAccess::open_project(paths.clone())?;
        let call = if self.now {
            ServerCall::StopNow
        } else {
            ServerCall::Stop
        };
        let ended = stop::end_server(&mut access, call(StopAgents::No))?;
        start_server(env, &paths)?;
        let before = match ended {
            Some(_) => "the server was started again; its agents went on, attached screens have ended",
            None => "no server ran; one was started",
        };
        print_done(&format!("{before}; `dbs` shows it"), self.json);
        if self.upgrade {
            output::problem(
                "nothing was upgraded: `dbs upgrade` shows how to put another version in place; restart again after that",
            );
        }
        Ok(ExitCode::SUCCESS)
    }
}
