//! Hooks that a configuration defines (`hook.NAME.event`, `hook.NAME.command`; git 2.54 and newer). The first version with them
//! switches them off by their names alone, so the names are looked for in every configuration that a call can read.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use super::cli::GitCli;
use super::command::GitCommand;
use super::config_entries::ConfigEntry;
use super::files::{file_state, path_of};
use super::known_hooks::KnownHooks;
use crate::ports::git::GitError;

impl GitCli {
    /// The call with all hooks switched off that a configuration names.
    pub(super) fn without_named_hooks(&self, call: GitCommand) -> GitCommand {
        let keys = self.hook_keys().into_iter();
        keys.fold(call, |call, key| call.setting(key, "false"))
    }

    /// Settings that are to be false for the hooks that the configurations of the person, the system and the project name. Where these
    /// cannot be read, a call that could run a hook cannot read its configuration either, and fails.
    pub(super) fn hook_keys(&self) -> BTreeSet<OsString> {
        if !self.program.runs_named_hooks {
            return BTreeSet::new();
        }
        let mut known = self.hooks.lock();
        if !known.is_current() {
            *known = self.read_hooks().unwrap_or_default();
        }
        known.keys.clone()
    }

    fn read_hooks(&self) -> Result<KnownHooks, GitError> {
        let mut entries = Vec::new();
        // A condition of an included file may hold for one of the two alone.
        for git_dir in [&self.project.git_dir, &self.control.path] {
            entries.extend(self.config_entries_in(git_dir)?);
        }
        let keys = entries.iter().filter_map(|entry| switch_of(&entry.raw_key));
        // Included files may change, or begin to exist, without a trace in any of these files.
        let has_includes = entries.iter().any(|entry| entry.key.starts_with("include"));
        let files = (!has_includes).then(|| self.configuration_files(&entries));
        let files = files.into_iter().flatten();
        Ok(KnownHooks {
            keys: keys.collect(),
            seen: files
                .map(|file| {
                    let state = file_state(&file);
                    (file, state)
                })
                .collect(),
        })
    }

    /// Files in which settings were found, or in which git would look for some.
    fn configuration_files(&self, entries: &[ConfigEntry]) -> BTreeSet<PathBuf> {
        let found = entries.iter().filter_map(|entry| entry.file.as_deref());
        let found = found.map(|file| self.project.root.join(file));
        let common = &self.project.common;
        let own = [common.join("config"), common.join("config.worktree")];
        let personal = self.program.personal_files();
        found.chain(own).chain(personal).collect()
    }
}

/// `hook.Odd.Name.enabled` for `hook.Odd.Name.command`.
fn switch_of(key: &[u8]) -> Option<OsString> {
    let end = key.iter().rposition(|byte| *byte == b'.')?;
    let hook = key.get(..end).filter(|hook| hook.starts_with(b"hook."))?;
    Some(path_of(&[hook, b".enabled"].concat()).into_os_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_hook_may_hold_dots_signs_and_capitals() {
        let switch = |key: &str| switch_of(key.as_bytes());
        assert_eq!(
            switch("hook.Odd=.Name.command"),
            Some("hook.Odd=.Name.enabled".into())
        );
        assert_eq!(switch("hook.jobs"), None);
        assert_eq!(switch("core.hooksPath"), None);
    }
}
