//! Tree of the files of a folder in the control repository, with an index of our own. Git looks into a repository that is listed in such an
//! index with another git, which obeys that repository's configuration; so no index of ours lists one while files are looked at.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use memchr::memmem;

use super::cli::GitCli;
use super::command::GitOutput;
use super::files::{failed, not_ours, path_of};
use super::process::ProcessOutput;
use super::worktree_link::CheckoutDir;
use crate::ports::git::{CommitId, GitError, TreeId};

/// Mode of a repository among the entries of an index, as in the file.
pub(super) const LINK_MODE: &[u8] = b"\x00\x00\xe0\x00";
/// Maximum number of repositories without a commit in one folder; with more the folder cannot be read.
const MOST_UNBORN: usize = 50;

/// Entry of an index, such as `160000 <id> 0` for a repository, and its path.
pub(super) struct StagedEntry {
    entry: Vec<u8>,
    pub(super) path: Vec<u8>,
}

impl StagedEntry {
    /// Line of the entry for `git update-index -z --index-info`.
    fn line(&self) -> Vec<u8> {
        [&self.entry, &b"\t"[..], &self.path, b"\0"].concat()
    }
}

impl GitCli {
    /// Reads the files of a checkout, which has that head. Every file is read again: sizes and times an agent's index remembers are not
    /// believed.
    pub(super) fn read_tree_at(
        &self,
        place: &CheckoutDir,
        head: Option<&CommitId>,
    ) -> Result<TreeId, GitError> {
        self.read_tree(&place.folder, head, Some(place))
    }

    /// Reads the files of a folder in the same way.
    pub(super) fn read_tree_of(&self, folder: &Path, head: Option<&CommitId>) -> Result<TreeId, GitError> {
        self.read_tree(folder, head, None)
    }

    fn read_tree(
        &self,
        folder: &Path,
        head: Option<&CommitId>,
        place: Option<&CheckoutDir>,
    ) -> Result<TreeId, GitError> {
        let index = self.control.scratch(&self.unique_name("index"))?;
        let read = || -> Result<TreeId, GitError> {
            let (mut links, mut left_out) = (Vec::new(), Vec::new());
            if let Some(commit) = head {
                let call = self.on_files(folder, &index, "read the commit of a place")?;
                call.words("read-tree --end-of-options")
                    .arg(commit.as_str())
                    .run_ok()?;
                if let Some(place) = place.filter(|place| place.has_rules()) {
                    left_out = self.left_out(place, self.entries(folder, &index)?)?;
                }
                links = self.remove_links(folder, &index)?;
            }
            self.add_files(folder, &index)?;
            self.restore_links(folder, &index, &links)?;
            self.restore_left_out(folder, &index, &left_out)?;
            let call = self.on_files(folder, &index, "write the files of a place as a tree")?;
            Ok(TreeId::new(&call.arg("write-tree").run_line()?)?)
        };
        let tree = read();
        for name in [index.clone(), index.with_extension("lock")] {
            // A left-over scratch file costs only room.
            drop(fs::remove_file(name));
        }
        tree
    }

    fn remove_links(&self, folder: &Path, index: &Path) -> Result<Vec<StagedEntry>, GitError> {
        let text = fs::read(index).map_err(failed("read", index))?;
        if memmem::find(&text, LINK_MODE).is_none() {
            return Ok(Vec::new());
        }
        let entries = self.entries(folder, index)?;
        let links: Vec<StagedEntry> = entries.into_iter().filter(is_link).collect();
        let nothing = |link: &StagedEntry| {
            let id_len = link.entry.len().saturating_sub(b"160000  0".len());
            [b"0 ", "0".repeat(id_len).as_bytes(), b"\t", &link.path, b"\0"].concat()
        };
        let changes: Vec<u8> = links.iter().flat_map(nothing).collect();
        self.change_index(folder, index, &changes)?;
        Ok(links)
    }

    /// Restores the links of repositories that were never filled: such a repository is an empty folder, and its presence is not a change.
    fn restore_links(&self, folder: &Path, index: &Path, links: &[StagedEntry]) -> Result<(), GitError> {
        if links.is_empty() {
            return Ok(());
        }
        let now = self.entries(folder, index)?;
        let is_left_out = |link: &&StagedEntry| {
            let below = [&link.path, &b"/"[..]].concat();
            let is_there = |entry: &StagedEntry| entry.path == link.path || entry.path.starts_with(&below);
            folder.join(path_of(&link.path)).is_dir() && !now.iter().any(is_there)
        };
        let changes: Vec<u8> = links
            .iter()
            .filter(is_left_out)
            .flat_map(StagedEntry::line)
            .collect();
        self.change_index(folder, index, &changes)
    }

    /// Restores the entries of files that were left out, unless something else has their path now.
    fn restore_left_out(
        &self,
        folder: &Path,
        index: &Path,
        left_out: &[StagedEntry],
    ) -> Result<(), GitError> {
        if left_out.is_empty() {
            return Ok(());
        }
        let now: BTreeSet<Vec<u8>> = self
            .entries(folder, index)?
            .into_iter()
            .map(|entry| entry.path)
            .collect();
        let is_free = |entry: &&StagedEntry| {
            let above = memchr::memchr_iter(b'/', &entry.path).filter_map(|end| entry.path.get(..end));
            !above
                .chain([entry.path.as_slice()])
                .any(|path| now.contains(path))
        };
        let lines: Vec<u8> = left_out
            .iter()
            .filter(is_free)
            .flat_map(StagedEntry::line)
            .collect();
        self.change_index(folder, index, &lines)
    }

    /// The paths of repositories among the entries of an index.
    pub(super) fn links_in(&self, folder: &Path, index: &Path) -> Result<Vec<PathBuf>, GitError> {
        let text = fs::read(index).map_err(failed("read", index))?;
        if memmem::find(&text, LINK_MODE).is_none() {
            return Ok(Vec::new());
        }
        let links = self.entries(folder, index)?.into_iter().filter(is_link);
        Ok(links.map(|link| path_of(&link.path)).collect())
    }

    fn entries(&self, folder: &Path, index: &Path) -> Result<Vec<StagedEntry>, GitError> {
        let call = self.on_files(folder, index, "list an index")?;
        let output = call.words("ls-files --stage -z").run_ok()?;
        if output.truncated {
            return Err(not_ours(folder, "it has too many files"));
        }
        let entry = |line: &[u8]| {
            let at = memchr::memchr(b'\t', line)?;
            let (entry, path) = (line.get(..at)?.to_owned(), line.get(at + 1..)?.to_owned());
            Some(StagedEntry { entry, path })
        };
        Ok(output.stdout.split(|byte| *byte == 0).filter_map(entry).collect())
    }

    fn change_index(&self, folder: &Path, index: &Path, changes: &[u8]) -> Result<(), GitError> {
        if changes.is_empty() {
            return Ok(());
        }
        let call = self.on_files(folder, index, "change an index")?;
        call.words("update-index -z --index-info")
            .input(changes)
            .run_ok()
            .map(drop)
    }

    /// A repository without any commit cannot be an entry, and git then adds nothing at all; its files are added instead.
    fn add_files(&self, folder: &Path, index: &Path) -> Result<(), GitError> {
        let mut unborn: Vec<String> = Vec::new();
        loop {
            let output = self.add_all_but(folder, index, &unborn)?;
            match unborn_in(&output) {
                _ if output.code == Some(0) => break,
                Some(path) if !unborn.contains(&path) && unborn.len() < MOST_UNBORN => unborn.push(path),
                Some(_) | None => return output.ok().map(drop),
            }
        }
        for path in unborn {
            let tree = self.read_tree_of(&folder.join(&path), None)?;
            let call = self.on_files(folder, index, "add the files of a repository without a commit")?;
            let call = call.arg("read-tree").arg(format!("--prefix={path}"));
            call.arg(tree.as_str()).run_ok()?;
        }
        Ok(())
    }

    fn add_all_but(&self, folder: &Path, index: &Path, unborn: &[String]) -> Result<GitOutput, GitError> {
        let call = self.on_files(folder, index, "read the files of a place")?;
        let add = "add --all -- .";
        if unborn.is_empty() {
            return call.words(add).run();
        }
        let own = self.project.excludes_file.as_ref().map(fs::read);
        let mut rules = own.and_then(Result::ok).unwrap_or_default();
        for path in unborn {
            rules.extend_from_slice(format!("\n{}\n", ignore_rule(path)).as_bytes());
        }
        let file = self.control.scratch(&self.unique_name("excludes"))?;
        fs::write(&file, rules).map_err(failed("write", &file))?;
        let call = call.config_path("core.excludesFile=", &file);
        let output = call.words(add).run();
        // A left-over scratch file costs only room.
        drop(fs::remove_file(file));
        output
    }
}

fn is_link(entry: &StagedEntry) -> bool {
    entry.entry.starts_with(b"160000 ")
}

/// The folder of a repository without a commit that kept git from adding files.
fn unborn_in(output: &ProcessOutput) -> Option<String> {
    let said = String::from_utf8_lossy(&output.stderr);
    let named = said.lines().find_map(|line| {
        let path = line.strip_prefix("error: '")?;
        path.strip_suffix("' does not have a commit checked out")
    })?;
    let is_plain = named.ends_with('/') && !named.contains(['\u{fffd}', '\r']);
    is_plain.then(|| named.to_owned())
}

/// The line of an ignore file that means this folder and no other.
fn ignore_rule(folder: &str) -> String {
    let mut rule = String::from("/");
    for letter in folder.chars() {
        if matches!(letter, '\\' | '*' | '?' | '[' | ']' | '!' | '#' | ' ') {
            rule.push('\\');
        }
        rule.push(letter);
    }
    rule
}
