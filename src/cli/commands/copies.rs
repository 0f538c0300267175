//! `dbs backup`, `dbs restore` and `dbs doctor --repair`: copies of the store, and the way back from damage.

use std::path::Path;
use std::process::ExitCode;

use crate::adapters::clock;
use crate::adapters::store::{LockOwner, SqliteStore, StoreFiles};
use crate::cli::args::JsonFlag;
use crate::cli::command_error::CommandError;
use crate::cli::commands::{CommandResult, print_done};
use crate::config::kept_settings::KeptSettings;
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
use crate::ports::store::StoreError;

/// Copies the store, beside a running server or without one.
pub(super) fn backup(env: &ProcessEnv, file: Option<&Path>, json: JsonFlag) -> CommandResult {
    let place = ProjectPaths::find(&env.folder, env)?;
    if !place.store.database.exists() {
        return Err(CommandError::user("could not copy the store: there is none yet")
            .with_hint("start `dbs` once in this project"));
    }
    let path = if let Some(file) = file {
        let path = env.folder.join(file);
        SqliteStore::backup_to(&place.store, &path)?;
        path
    } else {
        SqliteStore::backup_while_running(&place.store, clock::now())?
    };
    print_done(&format!("the store was copied to {}", path.display()), json);
    Ok(ExitCode::SUCCESS)
}

/// Returns the reason why a file was not put in the place of the store; where it is not a copy, with the place of the copies.
fn not_restored(files: &StoreFiles, from: &Path, error: StoreError) -> CommandError {
    let why = match error {
        StoreError::Damaged { path, why, .. } if path == from => {
            format!("it is no whole copy of a store: {why}")
        }
        StoreError::Failed { why, .. } if !from.is_file() => why,
        other => return other.into(),
    };
    CommandError::project(format!(
        "could not restore from {}: {why}; `dbs backup` makes copies, and those that are there lie in {}",
        from.display(),
        files.backups.display()
    ))
}

/// Puts a copy in the place of the store; refused while a server runs.
pub(super) fn restore(env: &ProcessEnv, file: &Path, json: JsonFlag) -> CommandResult {
    let place = ProjectPaths::find(&env.folder, env)?;
    let from = env.folder.join(file);
    place.prepare()?;
    let restored = SqliteStore::restore(&place.store, &owner(), &from, clock::now());
    let aside = restored.map_err(|error| not_restored(&place.store, &from, error))?;
    let kept = aside.map_or_else(String::new, |path| {
        format!("; the store of before is kept as {}", path.display())
    });
    print_done(
        &format!("the store is now the copy {}{kept}", from.display()),
        json,
    );
    Ok(ExitCode::SUCCESS)
}

/// Restores settings of which only the copies are left; otherwise makes a damaged store whole again, which is refused while a server runs.
pub(super) fn repair(env: &ProcessEnv, json: JsonFlag) -> CommandResult {
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
    let done = SqliteStore::repair(&place.store, &owner(), clock::now())?;
    print_done(&done, json);
    Ok(ExitCode::SUCCESS)
}

fn owner() -> LockOwner {
    LockOwner {
        process: std::process::id(),
        socket: String::new(),
    }
}
