//! `dbs clean`: room on the disk, without any work.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::adapters::clock;
use crate::adapters::git::GitCli;
use crate::adapters::load::{shown_size, size_of};
use crate::adapters::workspaces::{remove_template, unused_templates};
use crate::cli::commands::prelude::*;
use crate::domain::pluralized;
use crate::engine::context::branch_of;
use crate::ports::git::{BranchName, CheckedOut, Git as _, WorktreeEntry};

/// Time for which nothing has used a template that is removed; a copy takes less.
const UNUSED: Duration = Duration::from_mins(10);

/// Free disk space that work does not need
///
/// `--builds` removes build output from worktrees that are not in use; tools build it again when they need it. It removes folders that git
/// ignores and that are caches by their mark (`CACHEDIR.TAG`, as in Cargo's `target`) or name (`node_modules`, `.venv`). Everything else
/// stays: files that git tracks or does not ignore, other ignored files, and folders with a repository in them. Prepared workspaces
/// (`workspace.key`) that nothing has used for ten minutes go, too; the next task prepares one again.
#[derive(Debug, Args)]
#[command(add = facts(Persons, "dbs clean --builds"))]
pub struct CleanArgs {
    /// Remove files that tools can build again
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
        for folder in unused_templates(&access.paths.places().outside(), unused_since()) {
            let bytes = size_of(&folder);
            match remove_template(&git, &folder) {
                Ok(()) => (freed, removed) = (freed + bytes, removed + 1),
                Err(why) => problems.push(why.to_string()),
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

/// Returns the time since which nothing may have used a template that is removed: a server may be copying one.
fn unused_since() -> SystemTime {
    let now = Duration::from_millis(clock::now().0);
    SystemTime::UNIX_EPOCH + now.saturating_sub(UNUSED)
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
