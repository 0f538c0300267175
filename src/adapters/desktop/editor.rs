//! Editor of the person: a text goes into a file of its own, the editor opens it, and the edited text comes back.
#![expect(
    clippy::disallowed_methods,
    reason = "starts the editor the person has chosen, in the person's own terminal"
)]

use std::io::Write as _;
use std::process::Command;

use crate::adapters::text_file;

/// Error of an editor that does not exist or failed.
#[derive(Debug, thiserror::Error)]
#[error("could not edit with `{command}`: {why}; set EDITOR to your editor")]
pub struct EditorError {
    command: String,
    why: String,
}

/// Lets the person edit a text with the editor that `wanted` names (`VISUAL`, `EDITOR`), else the system's. Blocks until the
/// editor is closed.
///
/// # Errors
/// When there is no editor, or it failed.
pub fn edit(wanted: Option<String>, text: &str) -> Result<String, EditorError> {
    let wanted = wanted.filter(|wanted| !wanted.trim().is_empty());
    let command = wanted.unwrap_or_else(|| if cfg!(windows) { "notepad" } else { "vi" }.to_owned());
    let failed = |why: &dyn std::fmt::Display| EditorError {
        command: command.clone(),
        why: why.to_string(),
    };
    let words = shell_words::split(&command).map_err(|error| failed(&error))?;
    let Some((program, arguments)) = words.split_first() else {
        return Err(failed(&"it is empty"));
    };
    let mut file = tempfile::Builder::new()
        .prefix("dbs-")
        .suffix(".md")
        .tempfile()
        .map_err(|error| failed(&error))?;
    file.write_all(text.as_bytes()).map_err(|error| failed(&error))?;
    // Closed before the editor opens it: some write a new file in its place.
    let path = file.into_temp_path();
    let status = Command::new(program)
        .args(arguments)
        .arg(&path)
        .status()
        .map_err(|error| failed(&error))?;
    if !status.success() {
        return Err(failed(&status));
    }
    text_file::read_text(&path, text_file::LARGEST_WRITTEN).map_err(|error| failed(&error))
}
