//! Notes for people on what their own git does in a repository and the engine does not: hooks, and programs for the connection to the remote.

use std::fs;
use std::path::{Path, PathBuf};

use super::cli::GitCli;
use super::command::ConfigScope;
use super::error_text::{left_out_text, one_line};
use super::program_keys::HOOK_EVENTS;
use crate::ports::git::GitError;

/// Hooks that can refuse a commit.
const OF_COMMITS: [&str; 4] = [
    "commit-msg",
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
];

/// Folder of the person's hooks.
struct HookFolder {
    /// Path as the configuration has it.
    shown: String,
    /// Names of the hooks in it, sorted.
    names: Vec<&'static str>,
    /// True if git looks for the folder in each worktree.
    is_relative: bool,
}

impl GitCli {
    /// Returns the sentence about settings of the repository that would tell the remote who asks, if there are some.
    pub fn unused_helpers(&self) -> Option<String> {
        let left_out = &self.project.left_out;
        (!left_out.is_empty()).then(|| left_out_text(left_out))
    }

    /// Returns the sentence about hooks of the person's repository, if there are some: which run for commits of agents, and which do not.
    ///
    /// # Errors
    /// When git cannot be asked.
    pub fn hooks_note(&self) -> Result<Option<String>, GitError> {
        let HookFolder {
            shown,
            names,
            is_relative,
        } = self.hook_folder()?;
        let names = names.join(", ");
        if names.is_empty() {
            return Ok(None);
        }
        let call = self.program.command(
            ConfigScope::Preflight,
            &self.project.root,
            "look for the hooks in the index",
        );
        if is_relative
            && call
                .words("ls-files -z --")
                .arg(&shown)
                .run_ok()?
                .stdout
                .is_empty()
        {
            return Ok(Some(format!(
                "{names} in {shown} (core.hooksPath) do not run for agents: the folder is in no commit, so no worktree has it. Make a gate that \
                 checks the same: `dbs config gates.hooks COMMAND`"
            )));
        }
        Ok(Some(format!(
            "{names} in {shown} run when agents commit and push, but not for commits, merges and pushes of dbs; gates check those"
        )))
    }

    /// Returns the hooks that can refuse a commit of an agent, as words for people.
    pub(super) fn hooks_of_commits(&self) -> Option<String> {
        let folder = self.hook_folder().ok()?;
        let mut names = folder.names;
        names.retain(|name| OF_COMMITS.contains(name));
        (!names.is_empty()).then(|| format!("{} in {}", names.join(", "), folder.shown))
    }

    fn hook_folder(&self) -> Result<HookFolder, GitError> {
        let entries = self.config_entries()?;
        let set = entries.iter().rev().find(|entry| entry.key == "core.hookspath");
        let set = set
            .map(|entry| entry.value.as_str())
            .filter(|path| !path.is_empty());
        let home = self.program.home();
        let path = match (set.and_then(|path| path.strip_prefix("~/")), home) {
            (Some(rest), Some(home)) => Some(home.join(rest)),
            _ => set.map(PathBuf::from),
        };
        let folder = match &path {
            Some(path) => self.project.root.join(path),
            None => self.project.common.join("hooks"),
        };
        Ok(HookFolder {
            shown: one_line(set.unwrap_or(".git/hooks")),
            names: hooks_in(&folder),
            is_relative: path.is_some_and(|path| path.is_relative()),
        })
    }
}

/// Names of the hooks in a folder, sorted.
fn hooks_in(folder: &Path) -> Vec<&'static str> {
    let is_there = |name: &&str| fs::metadata(folder.join(name)).is_ok_and(|found| found.is_file());
    let mut names: Vec<&str> = HOOK_EVENTS.split_whitespace().filter(is_there).collect();
    names.sort_unstable();
    names
}
