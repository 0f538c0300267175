//! Keeps our folders out of commits through the repository's private exclude file; the project's own files are not touched.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::error::{ProjectError, failed};

/// What is ignored, for the main checkout and every linked worktree: they share the file.
const RULES: [&str; 2] = ["/.debussy/", "/.debussy-worktrees/"];

/// Adds the rules that are missing.
pub(super) fn exclude(git: &Path) -> Result<(), ProjectError> {
    let folder = git.join("info");
    fs::create_dir_all(&folder).map_err(failed("make folder", &folder))?;
    let path = folder.join("exclude");
    let text = match fs::read(&path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failed("read", &path)(error)),
    };
    let missing = RULES
        .iter()
        .filter(|rule| !text.lines().any(|line| line.trim() == **rule));
    let missing: Vec<&str> = missing.copied().collect();
    if missing.is_empty() {
        return Ok(());
    }
    let gap = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let addition = format!("{gap}{}\n", missing.join("\n"));
    // One write to a file open for appending: what others add at the same time is kept.
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(&path)
        .and_then(|mut file| file.write_all(addition.as_bytes()))
        .map_err(failed("add ignore rules to", &path))
}
