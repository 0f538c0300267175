//! `dbs debug`: the number of tasks in each state and stage, and the contents of the state folder (K75). For reports of defects; changes
//! nothing.

use std::path::Path;

use crate::cli::commands::prelude::*;
use crate::cli::commands::report::print;
use crate::protocol::query::{Report, StateEntry, StateFolder};

/// Count tasks by state and stage, and list the state folder
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs debug\ndbs debug --json"))]
pub struct DebugArgs {
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for DebugArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let mut access = BoardAccess::open(env)?;
        let folder = access.paths.state.clone();
        let entries = listing(&folder).map_err(failed(format!("could not list {}", folder.display())))?;
        let path = folder.display().to_string();
        print(
            &mut access,
            Report::Debug(StateFolder { path, entries }),
            self.json,
        )
    }
}

fn listing(folder: &Path) -> std::io::Result<Vec<StateEntry>> {
    let mut found = Vec::new();
    let entries = match std::fs::read_dir(folder) {
        // The project was not prepared yet.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(found),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let facts = entry.metadata()?;
        let within = || std::fs::read_dir(entry.path()).map(Iterator::count);
        found.push(StateEntry {
            name: entry.file_name().to_string_lossy().into_owned(),
            bytes: facts.is_file().then_some(facts.len()),
            entries: if facts.is_dir() { within().ok() } else { None },
        });
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}
