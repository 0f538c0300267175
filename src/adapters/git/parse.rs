//! Readers of git's machine formats. Pure; a line that is not understood is an error or left out, never guessed.

use crate::ports::git::{BranchName, CheckedOut, CommitId, TreeId};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Entry of `git worktree list --porcelain -z`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RegisteredWorktree {
    pub(super) path: PathBuf,
    pub(super) checked_out: CheckedOut,
    /// Commit that is checked out, unless the branch is unborn.
    pub(super) head: Option<CommitId>,
    /// The branch exactly as git names it, also when the engine would refuse the name.
    pub(super) branch: Option<String>,
    pub(super) is_locked: bool,
}

/// Parsed output of `git merge-tree --write-tree -z --name-only`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MergeTreeOutput {
    pub(super) tree: TreeId,
    pub(super) files: Vec<String>,
    pub(super) report: String,
}

/// Mode and id of an entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileEntry {
    pub(super) mode: String,
    pub(super) id: String,
}

impl FileEntry {
    /// Returns whether it is neither a link nor another repository.
    pub(super) fn is_file(&self) -> bool {
        self.mode.starts_with("100")
    }
}

/// Entry at a path in conflict: before both sides (stage 1), on ours (2) or on theirs (3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Staged {
    stage: u8,
    entry: FileEntry,
}

impl Staged {
    /// The entry, if it is one of the two sides.
    pub(super) fn side(&self) -> Option<&FileEntry> {
        (self.stage > 1).then_some(&self.entry)
    }
}

/// Path in which two trees differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeChange {
    pub(super) path: String,
    pub(super) from: Option<FileEntry>,
    pub(super) to: Option<FileEntry>,
}

/// Output of `merge-tree --write-tree --no-messages -z`: the tree, and the entries in conflict by their path.
pub(super) fn conflicts(bytes: &[u8]) -> Option<(TreeId, BTreeMap<String, Vec<Staged>>)> {
    let text = String::from_utf8_lossy(bytes);
    let mut fields = text.split('\0');
    let tree = TreeId::new(fields.next()?.trim()).ok()?;
    let mut found: BTreeMap<String, Vec<Staged>> = BTreeMap::new();
    for field in fields.filter(|field| !field.is_empty()) {
        // `MODE ID STAGE TAB PATH`
        let (facts, path) = field.split_once('\t')?;
        let mut words = facts.split(' ');
        let (mode, id) = (words.next()?.to_owned(), words.next()?.to_owned());
        let stage = words.next()?.parse().ok()?;
        let staged = Staged {
            stage,
            entry: FileEntry { mode, id },
        };
        found.entry(path.to_owned()).or_default().push(staged);
    }
    Some((tree, found))
}

/// Output of `diff-tree --raw --no-abbrev --no-renames -z`.
pub(super) fn tree_changes(bytes: &[u8]) -> Vec<TreeChange> {
    let text = String::from_utf8_lossy(bytes);
    let mut fields = text.split('\0');
    let mut changes = Vec::new();
    // `:MODE MODE ID ID STATUS`, then the path
    while let (Some(facts), Some(path)) = (fields.next(), fields.next()) {
        let words: Vec<&str> = facts.trim_start_matches(':').split(' ').collect();
        let [from_mode, to_mode, from, to, _status] = words[..] else {
            continue;
        };
        changes.push(TreeChange {
            path: path.to_owned(),
            from: entry(from_mode, from),
            to: entry(to_mode, to),
        });
    }
    changes
}

/// Reads an entry; `None` if the mode says that there is none.
fn entry(mode: &str, id: &str) -> Option<FileEntry> {
    let (mode, id) = (mode.to_owned(), id.to_owned());
    (mode != "000000").then_some(FileEntry { mode, id })
}

/// Entries of `worktree list --porcelain -z`; bare entries are left out.
pub(super) fn worktrees(bytes: &[u8]) -> Vec<RegisteredWorktree> {
    let text = String::from_utf8_lossy(bytes);
    text.split("\0\0").filter_map(worktree).collect()
}

fn worktree(block: &str) -> Option<RegisteredWorktree> {
    let (mut path, mut head, mut branch, mut is_locked) = (None, None, None, false);
    for line in block.split('\0') {
        match line.split_once(' ').unwrap_or((line, "")) {
            ("worktree", rest) => path = Some(PathBuf::from(rest)),
            ("HEAD", rest) => head = existing_commit(rest),
            ("branch", rest) => branch = Some(rest.strip_prefix("refs/heads/").unwrap_or(rest).to_owned()),
            ("locked", _) => is_locked = true,
            ("bare", _) => return None,
            _ => {}
        }
    }
    let checked_out = match (&branch, &head) {
        (Some(name), None) => CheckedOut::Unborn(name.clone()),
        (Some(name), Some(_)) => {
            BranchName::new(name).map_or_else(|_| CheckedOut::Unusable(name.clone()), CheckedOut::Branch)
        }
        (None, Some(commit)) => CheckedOut::Detached(commit.clone()),
        // Without a branch and without a commit: its head is damaged.
        (None, None) => CheckedOut::Unborn("HEAD".to_owned()),
    };
    Some(RegisteredWorktree {
        path: path?,
        checked_out,
        head,
        branch,
        is_locked,
    })
}

/// Returns the id of a commit, unless it is the one of zeros that means none.
pub(super) fn existing_commit(text: &str) -> Option<CommitId> {
    let id = CommitId::new(text).ok()?;
    id.as_str().bytes().any(|byte| byte != b'0').then_some(id)
}

/// Pairs of the form `<id> <ref>` or `<id>\t<ref>`, one a line.
pub(super) fn refs(bytes: &[u8]) -> Vec<(CommitId, String)> {
    let text = String::from_utf8_lossy(bytes);
    let pair = |line: &str| {
        let (id, name) = line.split_once([' ', '\t'])?;
        Some((CommitId::new(id).ok()?, name.to_owned()))
    };
    text.lines().filter_map(pair).collect()
}

/// Output of `merge-tree`, with or without conflicts.
pub(super) fn merge_tree(bytes: &[u8]) -> Option<MergeTreeOutput> {
    let text = String::from_utf8_lossy(bytes);
    let (tree, rest) = text.split_once('\0')?;
    let tree = TreeId::new(tree.trim()).ok()?;
    let (names, printed) = rest
        .split_once("\0\0")
        .unwrap_or((rest.trim_end_matches('\0'), ""));
    let names = names.split('\0').filter(|name| !name.is_empty());
    let mut files: Vec<String> = names.map(str::to_owned).collect();
    files.dedup();
    Some(MergeTreeOutput {
        tree,
        files,
        report: merge_report(printed),
    })
}

/// Each message is `<n>\0<path>...\0<kind>\0<text>\n\0`; only the texts are for people.
fn merge_report(printed: &str) -> String {
    let mut fields = printed.split('\0');
    let mut report = String::new();
    while let Some(n_paths) = fields.next().and_then(|count| count.trim().parse::<usize>().ok()) {
        if let Some(text) = fields.nth(n_paths + 1) {
            report.push_str(text.trim_end());
            report.push('\n');
        }
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worktree_entries_keep_apart_branch_detached_unborn_and_locked() {
        let a = "a".repeat(40);
        let zero = "0".repeat(40);
        let printed = format!(
            "worktree /p\0HEAD {a}\0branch refs/heads/main\0\0worktree /p/w x\0HEAD {a}\0detached\0locked initializing\0\0\
             worktree /p/u\0HEAD {zero}\0branch refs/heads/new\0prunable gone\0\0\
             worktree /p/d\0HEAD {zero}\0detached\0\0worktree /p/b\0bare\0\0"
        );
        let found = worktrees(printed.as_bytes());
        assert_eq!(found.len(), 4);
        assert_eq!(
            found[0].checked_out,
            CheckedOut::Branch(BranchName::new("main").unwrap())
        );
        assert_eq!(found[1].path, PathBuf::from("/p/w x"));
        assert!(found[1].is_locked && matches!(found[1].checked_out, CheckedOut::Detached(_)));
        assert_eq!(found[2].checked_out, CheckedOut::Unborn("new".to_owned()));
        assert_eq!(
            (found[3].path.as_path(), &found[3].head),
            (std::path::Path::new("/p/d"), &None)
        );
    }
}
