//! Check of the room on the disk: what the program takes of it, and whether agents are started.

use std::path::PathBuf;

use crate::adapters::git::GitCli;
use crate::adapters::load::{room, shown_size, size_of};
use crate::cli::commands::prelude::*;
use crate::config::schema;
use crate::domain::pluralized;
use crate::ports::git::Git as _;

use super::DoctorResult;

/// Checks the room that is left, and lists what worktrees, logs, backups and the control repository take.
pub(super) fn room_left(paths: &ProjectPaths, env: &ProcessEnv) -> DoctorResult {
    let git = GitCli::open(&paths.git_setup(env.environment.clone()))?;
    let worktrees: Vec<PathBuf> = git.worktrees()?.into_iter().map(|entry| entry.path).collect();
    let of_worktrees: u64 = worktrees.iter().map(|path| size_of(path)).sum();
    let parts = [
        (pluralized(worktrees.len(), "worktree"), of_worktrees),
        ("logs".to_owned(), size_of(&paths.attempts) + size_of(&paths.logs)),
        (
            "kept work and history".to_owned(),
            size_of(&paths.state.join("control.git")),
        ),
        ("backups".to_owned(), size_of(&paths.store.backups)),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(_, bytes)| *bytes > 0)
        .map(|(what, bytes)| format!("{what} {}", shown_size(bytes)))
        .collect();
    let taken = if parts.is_empty() {
        "nothing taken yet".to_owned()
    } else {
        parts.join(", ")
    };
    let least = paths.read_config().value(&schema::DISK_MIN_FREE).0;
    let Some(free) = [&paths.root, &paths.state]
        .into_iter()
        .filter_map(|path| room(path))
        .min()
    else {
        return Ok(taken);
    };
    if free < least {
        return Err(format!(
            "{} free, and no agent is started below {} (disk.min_free): `dbs clean --builds` frees what can be built again; {taken}",
            shown_size(free),
            shown_size(least)
        )
        .into());
    }
    Ok(format!("{} free; {taken}", shown_size(free)))
}
