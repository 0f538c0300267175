//! Folders of a repository that git does not take for a checkout: the inside of one, and a checkout that a setting calls bare.

use std::path::{Path, PathBuf};

use super::command::GitCommand;
use super::parse;
use crate::ports::git::PreflightError;

/// Returns the reason why git does not take a folder for a checkout, though it belongs to a repository.
pub(super) fn reason(
    ask: &dyn Fn(&str) -> GitCommand,
    project: &Path,
) -> Result<PreflightError, PreflightError> {
    let folders = ask("find the repository").words("rev-parse --path-format=absolute --git-dir");
    let git_dir = PathBuf::from(folders.run_line()?);
    let parent = git_dir.parent().filter(|_| git_dir.ends_with(".git"));
    // A bare repository has no index.
    let was_checkout = git_dir.join("index").exists();
    if let Some(folder) =
        parent.filter(|folder| was_checkout && !project.starts_with(&git_dir) && project.starts_with(folder))
    {
        let call = ask("find the setting core.bare").words("config --show-origin --get core.bare");
        let origin = call.run_line()?;
        let (file, _) = origin.split_once('\t').unwrap_or_default();
        return Ok(PreflightError::SaysBare {
            folder: folder.to_owned(),
            file: project.join(file.trim_start_matches("file:")),
        });
    }
    let listed = ask("list the worktrees")
        .words("worktree list --porcelain -z")
        .run_ok()?;
    let mut known = parse::worktrees(&listed.stdout).into_iter();
    Ok(PreflightError::NoCheckout {
        folder: project.to_owned(),
        checkout: known
            .find(|entry| entry.head.is_some() && entry.path.join(".git").exists())
            .map(|entry| entry.path),
    })
}
