//! Keeps the engine's folders out of everybody's commits, through the repository's private exclude file (LK-44). Must
//! never touch `.gitignore`.

use std::fs;

use super::discovery::ProjectRepo;
use super::files::{failed, real_folder, write_atomically};
use crate::ports::git::GitError;

/// What is excluded, from the root of every checkout of the project.
pub(super) const PATTERN: &str = "/.debussy*";

/// Adds the pattern unless it is there. A link in the file's place is replaced by a file, not written through.
pub(super) fn ensure(project: &ProjectRepo) -> Result<(), GitError> {
    let info = project.common.join("info");
    real_folder(&info)?;
    let file = info.join("exclude");
    let text = match file.symlink_metadata() {
        Ok(found) if found.is_file() => fs::read(&file).map_err(|error| failed("read", &file, &error))?,
        Ok(_) | Err(_) => Vec::new(),
    };
    let mut text = String::from_utf8(text).map_err(|_bytes| GitError::Failed {
        what: format!("read {}", file.display()),
        why: "it is not UTF-8".to_owned(),
    })?;
    if text.lines().any(|line| line.trim() == PATTERN) {
        return Ok(());
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(PATTERN);
    text.push('\n');
    write_atomically(&file, &text)
}
