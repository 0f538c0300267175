//! Ends the server of a project, and its agents when asked for, also when no server runs.

use std::time::Duration;

use crate::adapters::deadline::Deadline;
use crate::cli::commands::prelude::*;
use crate::domain::pluralized;
use crate::engine::stop_all::stop_programs;
use crate::protocol::wire::{CallReply, ServerCall, StopAgents};

/// Maximum time until a server is gone: work under way gets ten seconds and is then aborted, and agents are ended after that.
const LONGEST: Duration = Duration::from_secs(40);

/// Stop the server; agents keep running unless --all is given
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs stop\ndbs stop --all\ndbs stop --now"))]
pub struct StopArgs {
    /// Stop all agents too, even when no server runs
    #[arg(long)]
    all: bool,
    /// Do not wait for running gates, pushes and backups; they rerun at the next start
    #[arg(long)]
    now: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for StopArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let mut access = BoardAccess::open(env)?;
        let agents = if self.all { StopAgents::Yes } else { StopAgents::No };
        let call = if self.now {
            ServerCall::StopNow(agents)
        } else {
            ServerCall::Stop(agents)
        };
        let Some(text) = end_server(&mut access, call)? else {
            let none = "no server runs for this project";
            if self.all {
                let stopped = pluralized(stop_agents(&access)?, "agent");
                print_done(
                    &format!("{none}; stopped {stopped} that had no server"),
                    self.json,
                );
            } else {
                print_done(none, self.json);
            }
            return Ok(ExitCode::SUCCESS);
        };
        if !self.json.json {
            output::line(&text);
        }
        let rest = if self.all {
            "its agents were stopped"
        } else {
            "agents keep running, and `dbs` returns to them"
        };
        print_done(&format!("the server has ended; {rest}"), self.json);
        Ok(ExitCode::SUCCESS)
    }
}

/// Ends the server and waits until it is gone; returns its answer, or nothing if none runs.
pub fn end_server(access: &mut BoardAccess, call: ServerCall) -> CommandResult<Option<String>> {
    match access.call(call)? {
        None => Ok(None),
        Some(CallReply::Done(text)) => {
            wait_until_gone(&access.paths)?;
            Ok(Some(text))
        }
        Some(other) => Err(CommandError::server(format!(
            "could not stop the server: {other:?}"
        ))),
    }
}

/// Stops everything that still runs in terminals. The store is held meanwhile, so that no server starts more.
fn stop_agents(access: &BoardAccess) -> CommandResult<usize> {
    let _store = access
        .paths
        .store
        .database
        .exists()
        .then(|| access.store())
        .transpose()?;
    Ok(stop_programs(&access.holders())?)
}

/// Waits until no server listens any more.
fn wait_until_gone(paths: &ProjectPaths) -> CommandResult<()> {
    let deadline = Deadline::after(LONGEST);
    while BoardAccess::open_project(paths.clone()).is_ok_and(|access| access.has_server()) {
        if deadline.is_over() {
            return Err(CommandError::server(
                "could not end the server: it still answers; see what it does with `dbs logs`",
            ));
        }
        deadline.sleep();
    }
    Ok(())
}
