//! Check of the room on the disk: what the program takes of it, and whether agents are started.

use crate::adapters::git::GitCli;
use crate::adapters::load::shown_size;
use crate::cli::commands::prelude::*;

use super::DoctorResult;

/// Checks the room that is left, and lists what the program takes.
pub(super) fn room_left(paths: &ProjectPaths, env: &ProcessEnv) -> DoctorResult {
    let git = GitCli::open(&paths.git_setup(env.environment.clone()))?;
    let disk = paths.disk_use(&git)?;
    let parts = disk.parts.iter();
    let parts: Vec<String> = parts
        .map(|(what, bytes)| format!("{what} {}", shown_size(*bytes)))
        .collect();
    let taken = if parts.is_empty() {
        "nothing taken yet".to_owned()
    } else {
        parts.join(", ")
    };
    match (disk.lack(), disk.free) {
        (Some(free), _) => Err(format!(
            "{} free, and no agent is started below {} (disk.min_free): `dbs clean --builds` frees what can be built again; {taken}",
            shown_size(free),
            shown_size(disk.least)
        )
        .into()),
        (None, Some(free)) => Ok(format!("{} free; {taken}", shown_size(free))),
        (None, None) => Ok(taken),
    }
}
