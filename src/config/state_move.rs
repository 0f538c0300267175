//! Move of a project's state from its place in earlier versions, once, when no process works with it.

use std::path::PathBuf;

use crate::adapters::git::{GitSetup, is_tracked};
use crate::adapters::holder::LocalHolders;
use crate::adapters::output;
use crate::adapters::project::{Project, ProjectError, StateRelocation};
use crate::adapters::store::{LockOwner, ServerLock};
use crate::config::process_env::ProcessEnv;
use crate::ports::holders::{HolderLiveness, HolderPortError, Holders as _};

/// Moves the state from the former place, if there is one, and reports it.
///
/// # Errors
/// When it must not be moved or cannot be. Reads after "could not".
pub(super) fn bring(project: &Project, env: &ProcessEnv) -> Result<(), ProjectError> {
    let Some(found) = project.relocation()? else {
        return Ok(());
    };
    match carry_out(&found, project, env) {
        Ok(true) => {
            output::problem(&format!(
                "the state of this project was moved from {} to {}, where `git clean` does not reach",
                found.from.display(),
                found.to.display()
            ));
            Ok(())
        }
        Ok(false) => Ok(()),
        // Another process was faster.
        Err(_) if !found.from.exists() => Ok(()),
        Err(why) => Err(why),
    }
}

fn carry_out(found: &StateRelocation, project: &Project, env: &ProcessEnv) -> Result<bool, ProjectError> {
    let refuse = |why: String| found.refuse(why);
    let setup = GitSetup::new(project.root(), env.environment.clone());
    // A state that came with a clone is another person's board and secret.
    if is_tracked(&setup, StateRelocation::former_paths()).map_err(|error| refuse(error.to_string()))? {
        let why = "git tracks files there, so it may come from somebody else; remove it from the repository, or move it away";
        return Err(refuse(why.to_owned()));
    }
    let owner = LockOwner {
        process: std::process::id(),
        socket: String::new(),
    };
    let lock = ServerLock::take(&found.from.join("server.lock"), &owner);
    let _lock = lock.map_err(|error| refuse(error.to_string()))?;
    let busy = running(&found.from.join("attempts")).map_err(|error| refuse(error.to_string()))?;
    if !busy.is_empty() {
        return Err(refuse(format!(
            "programs that an earlier dbs started still write there (processes {}); end them and try again",
            busy.join(", ")
        )));
    }
    found.carry_out()
}

/// Process ids of holders that write below the folder.
fn running(attempts: &std::path::Path) -> Result<Vec<String>, HolderPortError> {
    let holders = LocalHolders::new(PathBuf::new(), attempts.to_owned(), PathBuf::new());
    let found = holders.inventory()?;
    let mut running = Vec::new();
    for report in found {
        match report.state {
            HolderLiveness::Running(process) => running.push(process.holder_pid.to_string()),
            HolderLiveness::Unknown(why) => return Err(HolderPortError(why)),
            HolderLiveness::Exited(_)
            | HolderLiveness::Lost
            | HolderLiveness::GoneWithMachine
            | HolderLiveness::NotStarted => {}
        }
    }
    Ok(running)
}
