//! `dbs restore`: puts a copy in the place of the store.

use std::path::{Path, PathBuf};

use crate::adapters::clock;
use crate::adapters::store::{LockOwner, SqliteStore, StoreFiles};
use crate::cli::commands::prelude::*;
use crate::ports::store::StoreError;

/// Restore the store from a backup; the old store is kept
///
/// The backup is checked first. Refused while a server runs.
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs restore ~/shop.db"))]
pub struct RestoreArgs {
    /// Backup to restore
    file: PathBuf,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for RestoreArgs {
    /// Puts a copy in the place of the store; refused while a server runs.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let place = ProjectPaths::find(&env.folder, env)?;
        let from = env.folder.join(&self.file);
        place.prepare()?;
        let restored = SqliteStore::restore(&place.store, &LockOwner::this_process(), &from, clock::now());
        let aside = restored.map_err(|error| not_restored(&place.store, &from, error))?;
        let kept = aside.map_or_else(String::new, |path| {
            format!("; the store of before is kept as {}", path.display())
        });
        print_done(
            &format!("the store is now the copy {}{kept}", from.display()),
            self.json,
        );
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the reason why a file was not put in the place of the store; if it is not a copy, with the place of the copies.
fn not_restored(files: &StoreFiles, from: &Path, error: StoreError) -> CommandError {
    let why = match error {
        StoreError::Damaged { path, why, .. } if path == from => {
            format!("it is not a complete copy of a store: {why}")
        }
        StoreError::Failed { why, .. } if !from.is_file() => why,
        other => return other.into(),
    };
    CommandError::project(format!(
        "could not restore from {}: {why}; `dbs backup` makes copies, and the existing ones are in {}",
        from.display(),
        files.backups.display()
    ))
}
