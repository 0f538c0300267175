//! Cleanup of leftovers from earlier lives at a start (K60): worktrees of attempts that are over, branches of tasks that are over, clean
//! checkouts that are no longer read. Done beside the work. Only items that are over by the board are removed (LK-19, LK-20), and the port
//! keeps a copy of everything that exists nowhere else; everything unknown is left alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::cleanup;
use super::context::{EngineContext, branch_of};
use super::job::{Job, folder_of};
use crate::domain::attempt::WorkspaceState;
use crate::domain::{Attempt, AttemptId, Board, Effect, TaskId};
use crate::ports::git::{BranchName, SafeName};

/// Puts leftovers away. Those that cannot be looked at or removed now are found by the next start.
pub(super) fn clean_up(context: &EngineContext, board: &Board) {
    worktrees(context, board);
    branches(context, board);
    checkouts(context, board);
    pack(context);
}

/// Packs the control repository when much has gathered.
pub(super) fn pack(context: &EngineContext) {
    match context.git.maintain() {
        Ok(true) => tracing::info!("packed the control repository"),
        Ok(false) => {}
        Err(error) => tracing::warn!("could not {error}"),
    }
}

fn worktrees(context: &EngineContext, board: &Board) {
    let found = match context.git.worktrees() {
        Ok(found) => found,
        Err(error) => {
            tracing::warn!("could not {error}");
            return;
        }
    };
    let known = board.attempts.values();
    let known = known.filter_map(|attempt| Some((SafeName::derive(&folder_of(attempt)?), attempt)));
    let known: BTreeMap<SafeName, &Attempt> = known
        .map(|(folder, attempt)| (folder, attempt.as_ref()))
        .collect();
    // A folder may have been handed on from one attempt to the next.
    let is_used = |folder: &SafeName| {
        let mut all = board.attempts.values().filter(|attempt| !is_leftover(attempt));
        all.any(|attempt| folder_of(attempt).is_some_and(|used| SafeName::derive(&used) == *folder))
    };
    for entry in found {
        let attempt = entry.folder.as_ref().and_then(|folder| known.get(folder));
        match (&entry.folder, attempt) {
            (Some(folder), Some(attempt)) if !is_used(folder) => remove(context, board, folder, attempt),
            (_, Some(_)) => {}
            (_, None) => tracing::info!("left alone, no attempt is known to it: {}", entry.path.display()),
        }
    }
}

/// Returns true if an attempt is over and no other job is about to put its worktree away.
fn is_leftover(attempt: &Attempt) -> bool {
    !attempt.state.is_open() && matches!(attempt.workspace, WorkspaceState::None | WorkspaceState::Gone)
}

fn remove(context: &EngineContext, board: &Board, folder: &SafeName, attempt: &Attempt) {
    let Some(task) = board.tasks.get(&attempt.task) else {
        return;
    };
    match cleanup::remove_worktree(context, task, attempt, folder) {
        Ok(Some(kept)) => tracing::warn!(
            "removed worktree {folder}; its work is kept as {}",
            kept.attic_ref
        ),
        Ok(None) => tracing::info!("removed worktree {folder}"),
        Err(problem) => tracing::warn!("{problem}"),
    }
}

fn branches(context: &EngineContext, board: &Board) {
    let over = board.tasks.values().filter(|task| board.is_retirable(&task.id));
    let over: BTreeMap<BranchName, TaskId> = over.map(|task| (branch_of(task), task.id.clone())).collect();
    if over.is_empty() {
        return;
    }
    let mut found = Vec::new();
    for listed in [context.git.branches(), context.git.remote_branches()] {
        match listed {
            Ok(listed) => found.extend(listed.into_iter().map(|entry| entry.branch)),
            Err(error) => tracing::info!("could not {error}"),
        }
    }
    found.sort();
    found.dedup();
    for branch in found {
        let task = over.get(&branch).cloned();
        let Some(job) = task.and_then(|task| Job::of(Effect::Retire(task), board)) else {
            continue;
        };
        match cleanup::retire(context, &job) {
            None => tracing::info!("deleted branch {branch}"),
            Some(why) => tracing::info!("branch {branch} stays: {why}"),
        }
    }
}

fn checkouts(context: &EngineContext, board: &Board) {
    let config = &context.config;
    let folders = config.former_checkouts.iter().chain([&config.checkouts]);
    for folder in folders.flat_map(|folder| entries(folder)) {
        let number = folder
            .file_name()
            .and_then(|name| name.to_str()?.strip_prefix("attempt-")?.parse().ok());
        let Some(attempt) = number.map(AttemptId) else {
            continue;
        };
        let known = board.attempts.get(&attempt);
        if known.is_some_and(|attempt| attempt.state.is_open()) || attempt.0 > board.last_attempt {
            continue;
        }
        if folder.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            discard(context, &folder);
        }
    }
}

/// Removes the checkouts of an attempt, or the one that earlier versions made in the place of their folder.
fn discard(context: &EngineContext, folder: &Path) {
    if let Err(error) = open(folder) {
        return tracing::warn!("could not open {}: {error}", folder.display());
    }
    if context.git.discard_checkout(folder).is_ok() {
        return;
    }
    for checkout in entries(folder) {
        if let Err(error) = context.git.discard_checkout(&checkout) {
            tracing::warn!("could not {error}");
        }
    }
    if let Err(error) = std::fs::remove_dir(folder) {
        tracing::warn!("could not remove {}: {error}", folder.display());
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Lets the content of a folder be listed.
#[cfg(unix)]
fn open(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn open(_folder: &Path) -> std::io::Result<()> {
    Ok(())
}
