//! `dbs backup`: copies the store, beside a running server or without one.

use std::path::PathBuf;

use crate::adapters::clock;
use crate::adapters::store::SqliteStore;
use crate::cli::commands::prelude::*;

/// Back up the store, even while a server runs
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs backup\ndbs backup ~/shop.db"))]
pub struct BackupArgs {
    /// File to write, which must not exist yet; default: one of the ten backups that are kept
    file: Option<PathBuf>,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for BackupArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let place = ProjectPaths::find(&env.folder, env)?;
        if !place.store.database.exists() {
            return Err(CommandError::user("could not copy the store: there is none yet")
                .with_hint("start `dbs` once in this project"));
        }
        let path = if let Some(file) = &self.file {
            let path = env.folder.join(file);
            SqliteStore::backup_to(&place.store, &path)?;
            path
        } else {
            SqliteStore::backup_while_running(&place.store, clock::now())?
        };
        print_done(&format!("the store was copied to {}", path.display()), self.json);
        Ok(ExitCode::SUCCESS)
    }
}
