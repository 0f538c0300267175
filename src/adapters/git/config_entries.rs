//! The settings of all configurations that git reads in a place, each with who set it and where.

use super::command::{GitCommand, GitOutput};
use crate::ports::git::GitError;

/// Setting as git lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConfigEntry {
    /// `system`, `global`, `local` or `worktree`.
    pub(super) scope: String,
    /// File of the setting; relative to the folder git was called in.
    pub(super) file: Option<String>,
    /// Section and last part in lower case, the name between them as it is written.
    pub(super) key: String,
    /// The key as bytes: the name may not be text.
    pub(super) raw_key: Vec<u8>,
    /// Empty for a key without a value, too.
    pub(super) value: String,
}

impl ConfigEntry {
    /// Returns whether the repository's own configuration says it, which agents can write.
    pub(super) fn is_repositorys(&self) -> bool {
        matches!(&*self.scope, "local" | "worktree")
    }
}

/// Runs a listing in a place; settings of the call itself are not among them.
pub(super) fn read(call: GitCommand) -> Result<Vec<ConfigEntry>, GitError> {
    let output = call
        .words("config --list -z --show-scope --show-origin")
        .run_ok()?;
    let mut parts = output.stdout.split(|byte| *byte == 0);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut entries = Vec::new();
    while let (Some(scope), Some(origin), Some(entry)) = (parts.next(), parts.next(), parts.next()) {
        if scope == b"command" {
            continue;
        }
        let mut halves = entry.splitn(2, |byte| *byte == b'\n');
        let (key, value) = (
            halves.next().unwrap_or_default(),
            halves.next().unwrap_or_default(),
        );
        entries.push(ConfigEntry {
            scope: text(scope),
            file: text(origin).strip_prefix("file:").map(str::to_owned),
            key: text(key),
            raw_key: key.to_owned(),
            value: text(value),
        });
    }
    Ok(entries)
}

/// Keys and values of `git config -z --list`.
pub(super) fn listed(output: &GitOutput) -> Vec<(String, String)> {
    let text = output.text();
    let entries = text.split('\0').filter_map(|entry| entry.split_once('\n'));
    entries
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}
