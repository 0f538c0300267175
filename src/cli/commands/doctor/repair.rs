//! `dbs doctor --repair`: the way back from damage.

use crate::adapters::clock;
use crate::adapters::store::{LockOwner, SqliteStore};
use crate::cli::commands::prelude::*;
use crate::config::kept_settings::KeptSettings;

/// Restores settings of which only the copies are left; otherwise makes a damaged store whole again, which is refused while a server runs.
pub(super) fn run(env: &ProcessEnv, json: JsonFlag) -> CommandResult {
    let place = ProjectPaths::find(&env.folder, env)?;
    let brought = KeptSettings::new(&place.debussy, &place.state).restore()?;
    if !brought.is_empty() {
        let names: Vec<String> = brought.iter().map(|name| name.display().to_string()).collect();
        let done = format!(
            "brought back into {}: {}; the store was not looked at",
            place.debussy.display(),
            names.join(", ")
        );
        // A server that runs takes them over by itself.
        print_done(&done, json);
        return Ok(ExitCode::SUCCESS);
    }
    let done = SqliteStore::repair(&place.store, &LockOwner::this_process(), clock::now())?;
    print_done(&done, json);
    Ok(ExitCode::SUCCESS)
}
