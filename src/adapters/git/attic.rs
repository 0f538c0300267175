//! Attic: commits that keep work which is about to be deleted, in the control repository where no agent's `gc` or `update-ref` reaches them
//! (LK-21, LK-25).

use std::collections::BTreeMap;
use std::path::Path;

use super::cli::GitCli;
use super::command::GitCommand;
use super::worktree_link::CheckoutDir;
use crate::adapters::text_file;
use crate::ports::git::{AtticOwner, AtticSnapshot, CommitId, GitError, SafeName, Signature, TreeId};

/// Number of lines of a worktree's own head log that are searched for commits nothing else names.
const LOG_LINES: usize = 200;
/// Number of bytes at the end of a log in which they are searched.
const LOG_BYTES: u64 = 1024 * 1024;

struct AtticEntry {
    snapshot: AtticSnapshot,
    tree: String,
    parents: Vec<String>,
}

impl AtticEntry {
    /// Returns its position in the order in which the attic took the entries of a task.
    fn number(&self) -> Option<u64> {
        self.snapshot.attic_ref.rsplit('/').next()?.parse().ok()
    }
}

/// Author of a commit with git's own words for the time.
pub(super) struct Authorship {
    pub(super) name: String,
    pub(super) email: String,
    pub(super) date: String,
}

/// Tree, parents, message and signature of a commit to be created.
pub(super) struct CommitDraft<'a> {
    pub(super) tree: &'a TreeId,
    pub(super) parents: &'a [CommitId],
    pub(super) message: String,
    pub(super) signature: &'a Signature,
    /// Author, where it is another than the signature.
    pub(super) author: Option<&'a Authorship>,
}

impl GitCli {
    /// Keeps files, commit, commits only the worktree's own log remembers, and the repositories in it.
    pub(super) fn snapshot_checkout(
        &self,
        checkout: &CheckoutDir,
        owner: &AtticOwner,
    ) -> Result<AtticSnapshot, GitError> {
        let state = self.read_state(checkout)?;
        let mut parents: Vec<CommitId> = state.head.into_iter().collect();
        parents.extend(self.unreferenced_commits(checkout, parents.first())?);
        // Nothing is about to be deleted in the main checkout, whose submodules may be large.
        if checkout.git_dir != self.project.git_dir {
            parents.extend(self.keep_nested(checkout, owner)?);
        }
        let folder = checkout.folder.file_name().unwrap_or_default().to_string_lossy();
        let folder = super::error_text::one_line(&folder);
        let message = format!("Snapshot of {folder}\n\nDbs-Task: {}\n", owner.task);
        self.keep_once(&state.tree, &parents, message, owner)
    }

    /// Puts a commit of that into the task's attic, unless the same is there already.
    pub(super) fn keep_once(
        &self,
        tree: &TreeId,
        parents: &[CommitId],
        message: String,
        owner: &AtticOwner,
    ) -> Result<AtticSnapshot, GitError> {
        let is_same = |entry: &AtticEntry| {
            let ids = parents.iter().map(CommitId::as_str);
            entry.tree == tree.as_str() && ids.eq(entry.parents.iter().map(String::as_str))
        };
        if let Some(entry) = self.attic(&owner.task)?.into_iter().find(is_same) {
            return Ok(entry.snapshot);
        }
        let draft = CommitDraft {
            tree,
            parents,
            message,
            signature: &owner.signature,
            author: None,
        };
        self.add_to_attic(self.commit(&draft)?, &owner.task)
    }

    /// Keeps a commit as it is, unless the task's attic holds it already.
    pub(super) fn archive(&self, commit: &CommitId, task: &SafeName) -> Result<AtticSnapshot, GitError> {
        for entry in self.attic(task)? {
            if self.is_ancestor(commit, &entry.snapshot.commit)? {
                return Ok(entry.snapshot);
            }
        }
        self.add_to_attic(commit.clone(), task)
    }

    /// A commit object; the same draft gives the same commit.
    pub(super) fn commit(&self, draft: &CommitDraft<'_>) -> Result<CommitId, GitError> {
        commit_with(self.in_control("make a commit")?, draft)
    }

    fn add_to_attic(&self, commit: CommitId, task: &SafeName) -> Result<AtticSnapshot, GitError> {
        let turn = self.lock_control()?;
        let newest = self.kept_of(task)?.pop_last().map_or(0, |(number, _)| number);
        let attic = format!("refs/dbs/attic/{task}/{}", newest + 1);
        let nothing = "0".repeat(commit.as_str().len());
        let call = self.in_control(format!("keep {commit} as {attic}"))?;
        // The note of the time of making gives its age; the commit may be as old as its author claims.
        let call = call
            .with_lock(&turn)?
            .words("update-ref --create-reflog --end-of-options");
        call.arg(&attic).arg(commit.as_str()).arg(nothing).run_ok()?;
        turn.finish()?;
        Ok(AtticSnapshot {
            attic_ref: attic,
            commit,
        })
    }

    /// Returns the snapshots that the attic keeps of a task, by number, oldest first.
    pub(super) fn kept_of(&self, task: &SafeName) -> Result<BTreeMap<u64, AtticSnapshot>, GitError> {
        let entries = self.attic(task)?.into_iter();
        Ok(entries
            .filter_map(|entry| Some((entry.number()?, entry.snapshot)))
            .collect())
    }

    /// The commit that the attic took last of a task.
    pub(super) fn newest_in_attic(&self, task: &SafeName) -> Result<Option<CommitId>, GitError> {
        let newest = self.kept_of(task)?.pop_last();
        Ok(newest.map(|(_, snapshot)| snapshot.commit))
    }

    fn attic(&self, task: &SafeName) -> Result<Vec<AtticEntry>, GitError> {
        let call = self.in_control(format!("read the attic of {task}"))?;
        let call = call.words("for-each-ref --format=%(refname)%09%(objectname)%09%(tree)%09%(parent) --");
        let output = call.arg(format!("refs/dbs/attic/{task}/")).run_ok()?;
        let entry = |line: &str| {
            let mut words = line.split(['\t', ' ']).map(str::to_owned);
            let (attic_ref, id, tree) = (words.next()?, words.next()?, words.next()?);
            let commit = CommitId::new(&id).ok()?;
            Some(AtticEntry {
                snapshot: AtticSnapshot { attic_ref, commit },
                tree,
                parents: words.filter(|word| !word.is_empty()).collect(),
            })
        };
        Ok(output.text().lines().filter_map(entry).collect())
    }

    /// Lists commits that the worktree once had checked out and that neither a branch of the project nor `head` contains (`reset --hard`, a
    /// rebase, commits without a branch). The log of the main checkout is the person's and not read.
    pub(super) fn unreferenced_commits(
        &self,
        checkout: &CheckoutDir,
        head: Option<&CommitId>,
    ) -> Result<Vec<CommitId>, GitError> {
        let logged = logged(&checkout.git_dir.join("logs").join("HEAD"));
        if logged.is_empty() || checkout.git_dir == self.project.git_dir {
            return Ok(Vec::new());
        }
        let ids = || logged.iter().map(CommitId::as_str);
        let look = || self.in_project("look for commits without a branch");
        let call = look().words("rev-list --ignore-missing").args(ids());
        let call = call.words("--not --branches").args(head.map(CommitId::as_str));
        let mut found = call.run_line()?;
        let bare: Vec<&str> = found.lines().filter(|line| ids().any(|id| id == *line)).collect();
        found = match bare.as_slice() {
            [_, _, ..] => look().words("merge-base --independent").args(bare).run_line()?,
            [] | [_] => bare.concat(),
        };
        let import = |id: &str| self.import_known(CommitId::new(id)?);
        found.lines().map(import).collect()
    }

    /// Returns true if a local branch of the project contains a commit.
    pub(super) fn is_on_a_branch(&self, commit: &CommitId) -> Result<bool, GitError> {
        let call = self.in_project(format!("look for branches with {commit}"));
        call.reaches(commit, "refs/heads/")
    }
}

/// The same in the repository that the call is made in.
pub(super) fn commit_with(call: GitCommand, draft: &CommitDraft<'_>) -> Result<CommitId, GitError> {
    Ok(CommitId::new(&draft_call(call, draft).run_line()?)?)
}

/// The call that makes a commit.
pub(super) fn draft_call(call: GitCommand, draft: &CommitDraft<'_>) -> GitCommand {
    let mut call = call.words("commit-tree -F -");
    for parent in draft.parents {
        call = call.arg("-p").arg(parent.as_str());
    }
    let clean = |text: &str| text.replace(|c: char| c.is_control() || "<>".contains(c), "");
    let (name, email) = (clean(&draft.signature.name), clean(&draft.signature.email));
    let at = format!("@{} +0000", draft.signature.seconds.max(0));
    let committer = [name, email, at];
    let author = draft.author.map_or_else(
        || committer.clone(),
        |author| {
            [
                clean(&author.name),
                clean(&author.email),
                format!("@{}", author.date),
            ]
        },
    );
    for (who, values) in [("AUTHOR", author), ("COMMITTER", committer.clone())] {
        for ((what, value), own) in ["NAME", "EMAIL", "DATE"].into_iter().zip(values).zip(&committer) {
            let value = if value.trim().is_empty() { own } else { &value };
            call = call.env(&format!("GIT_{who}_{what}"), value);
        }
    }
    call.arg(draft.tree.as_str()).input(draft.message.as_bytes())
}

/// The commits that a log of a head names, newest first, each once.
pub(super) fn logged(file: &Path) -> Vec<CommitId> {
    let mut seen: Vec<CommitId> = Vec::new();
    for line in log_lines(file) {
        for id in line.split(' ').take(2).filter_map(super::parse::existing_commit) {
            if !seen.contains(&id) {
                seen.push(id);
            }
        }
    }
    seen
}

/// The last lines of a log of a head, newest first.
pub(super) fn log_lines(file: &Path) -> Vec<String> {
    if !file.symlink_metadata().is_ok_and(|found| found.is_file()) {
        return Vec::new();
    }
    let (text, _) = text_file::tail(file, LOG_BYTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.lines().rev().take(LOG_LINES).map(str::to_owned).collect()
}
