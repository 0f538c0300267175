//! `dbs trust --origin`: another address of the remote than the one with which the project's work began.

use crate::adapters::git::GitCli;
use crate::cli::command_error::CommandResult;
use crate::cli::commands::prelude::*;
use crate::ports::git::{Git as _, PreflightError};

/// Takes the address that origin has now, if it is the one that the person names; returns the result.
pub(super) fn accept(paths: &ProjectPaths, env: &ProcessEnv, address: &str) -> CommandResult<String> {
    // The server works with the address it was started with, and would put that back.
    if BoardAccess::open_project(paths.clone())?.has_server() {
        return Err(CommandError::server(
            "could not take another address of origin while a server runs: end it with `dbs stop`, then try again",
        ));
    }
    let git = GitCli::open(&paths.git_setup(env.environment.clone()))?;
    let now = match git.preflight() {
        Ok(facts) => facts.origin.ok_or_else(|| {
            CommandError::config(format!(
                "could not trust {address}: work here goes to no remote; `dbs config remote NAME` names one"
            ))
        })?,
        Err(PreflightError::OriginChanged { now, .. }) => now,
        Err(error) => return Err(could_not(error)),
    };
    if now != address {
        return Err(CommandError::config(format!(
            "could not trust {address}: origin is {now}; name that one, or change it with `git remote set-url origin {address}`"
        )));
    }
    git.accept_origin()?;
    Ok(format!("work goes to and comes from {now} from now on"))
}
