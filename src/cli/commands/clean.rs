//! `dbs clean`: room on the disk, without any work.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::adapters::git::GitCli;
use crate::adapters::load::{shown_size, size_of};
use crate::cli::commands::prelude::*;
use crate::domain::pluralized;
use crate::engine::context::branch_of;
use crate::ports::git::{BranchName, CheckedOut, Git as _, WorktreeEntry};

/// Free room on the disk that work does not need
///
/// `--builds` removes what tools built in worktrees where nothing works now, and build again when they need it: folders that git ignores and
/// that are a cache by their mark (`CACHEDIR.TAG`, as in Cargo's `target`) or name (`node_modules`, `.venv`). Everything else stays: files
/// that git tracks or does not ignore, other ignored files, and folders with a repository in them.
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs clean --builds"))]
pub struct CleanArgs {
    /// Remove what can be built again
    #[arg(long, required = true)]
    builds: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for CleanArgs {
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let mut access = BoardAccess::open(env)?;
        let git = GitCli::open(&access.paths.git_setup(env.environment.clone()))?;
        let used = UsedWorktrees::read(&mut access)?;
        let (mut freed, mut removed, mut problems) = (0, 0, Vec::new());
        for worktree in git.worktrees()? {
            let Some(folder) = worktree.folder.as_ref().filter(|_| is_free(&worktree, &used)) else {
                continue;
            };
            match git.built_folders(folder) {
                Ok(built) => {
                    for path in built {
                        match remove(&path) {
                            Ok(bytes) => (freed, removed) = (freed + bytes, removed + 1),
                            Err(error) => {
                                problems.push(format!("could not remove {}: {error}", path.display()));
                            }
                        }
                    }
                }
                Err(error) => problems.push(format!("{folder} was left alone: could not {error}")),
            }
        }
        let text = format!(
            "{} freed: {} removed",
            shown_size(freed),
            pluralized(removed, "folder")
        );
        if self.json.json {
            output::json(&json!({ "freed": freed, "folders": removed, "problems": problems }));
        } else {
            output::line(&text);
            for line in &problems {
                output::problem(line);
            }
        }
        Ok(exit_code(problems.is_empty()))
    }
}

/// Removes a folder; returns the bytes that it took.
fn remove(folder: &Path) -> std::io::Result<u64> {
    let bytes = size_of(folder);
    fs::remove_dir_all(folder)?;
    Ok(bytes)
}

/// Worktrees in which something works, or may go on.
#[derive(Default)]
struct UsedWorktrees {
    folders: BTreeSet<PathBuf>,
    /// Branches of tasks that are not over: the next attempt goes on in the worktree as it is.
    branches: BTreeSet<BranchName>,
}

impl UsedWorktrees {
    /// Reads the board.
    ///
    /// # Errors
    /// When the board cannot be read, or an agent is being started whose worktree is not known yet.
    fn read(access: &mut BoardAccess) -> CommandResult<UsedWorktrees> {
        let mut used = UsedWorktrees::default();
        if !access.paths.store.database.exists() {
            return Ok(used);
        }
        for id in access.ids()? {
            let Some(detail) = access.task(&id)? else { continue };
            if !detail.task.state.is_terminal() {
                used.branches.insert(branch_of(&detail.task));
            }
            let Some(attempt) = detail.attempt else { continue };
            let Some(place) = &attempt.workplace else {
                let what = format!("an agent of {id} is being started; try again when it works");
                return Err(could_not(format!("could not clean: {what}")));
            };
            used.folders.insert(PathBuf::from(&place.path));
        }
        Ok(used)
    }

    fn holds(&self, worktree: &WorktreeEntry) -> bool {
        let is_of_task = matches!(&worktree.checked_out, Some(CheckedOut::Branch(branch)) if self.branches.contains(branch));
        is_of_task || self.folders.contains(&worktree.path)
    }
}

fn is_free(worktree: &WorktreeEntry, used: &UsedWorktrees) -> bool {
    worktree.is_present && worktree.checked_out.is_some() && !used.holds(worktree)
}
