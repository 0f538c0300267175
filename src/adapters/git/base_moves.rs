//! Movements of a branch of the remote that are not the engine's. The control repository remembers the last seen commit of the branch, and
//! the last commit that the engine pushed to it: everything else came by another hand.

use super::attic::log_lines;
use super::cli::GitCli;
use super::error_text::one_line;
use super::person_base::person_name;
use super::worktree_link;
use crate::domain::Timestamp;
use crate::domain::base_move::{BaseMove, MadeHere};
use crate::ports::git::{BranchName, CommitId, GitError, SafeName};
use std::fs;
use std::path::{Path, PathBuf};

/// Log of a checkout, in its git folder.
pub(super) const CHECKOUT_LOG: &str = "logs/HEAD";
/// Maximum number of commits of one movement that are counted.
const MOST_COMMITS: &str = "--max-count=1000";

impl GitCli {
    /// Finds the commits that moved a branch since the last look. The first look finds nothing. A commit that may have been read before that
    /// look is read again.
    pub(super) fn find_base_move(
        &self,
        branch: &BranchName,
        now: &CommitId,
    ) -> Result<Option<BaseMove>, GitError> {
        let Some(seen) = self.control_ref(&seen_name(branch))? else {
            self.note_seen(branch, now)?;
            return Ok(None);
        };
        let Some(now) = &self.not_older(branch, &seen, now)?.filter(|now| *now != seen) else {
            return Ok(None);
        };
        let pushed = self.control_ref(&pushed_name(branch))?;
        let known: Vec<&CommitId> = [Some(&seen), pushed.as_ref()].into_iter().flatten().collect();
        let came = self.commits_without(now, &known)?;
        let n_lost = if self.is_ancestor(&seen, now)? {
            0
        } else {
            self.commits_without(&seen, &[now])?.len()
        };
        if came.is_empty() && n_lost == 0 {
            self.note_seen(branch, now)?;
            return Ok(None);
        }
        let ids: Vec<&CommitId> = came.iter().map(|(id, _)| id).collect();
        let made_here = self.made_here(&ids)?;
        let is_own = n_lost == 0 && made_here.is_none() && self.is_taken_up(branch, now, &known)?;
        Ok(Some(BaseMove {
            base: branch.as_str().to_owned(),
            to: now.as_str().to_owned(),
            by: came.first().map(|(_, by)| one_line(by)).unwrap_or_default(),
            n_commits: ids.len() as u64,
            n_lost: n_lost as u64,
            made_here,
            is_own,
        }))
    }

    /// Returns the commit of a branch, which is not older than the one that was seen there. Where a commit lacks that one, the branch was set
    /// back, or the commit was read before the engine's own merge came; what is read now tells which. None: there is no such branch any more.
    fn not_older(
        &self,
        branch: &BranchName,
        seen: &CommitId,
        now: &CommitId,
    ) -> Result<Option<CommitId>, GitError> {
        if self.is_ancestor(seen, now)? {
            return Ok(Some(now.clone()));
        }
        self.import_remote(branch)
    }

    /// Returns true if a base without a remote has nothing beyond these commits but what the person's checkout made or took, and the merge
    /// with which it was taken up.
    fn is_taken_up(
        &self,
        branch: &BranchName,
        now: &CommitId,
        known: &[&CommitId],
    ) -> Result<bool, GitError> {
        let Some(person) = self
            .control_ref(&person_name(branch))?
            .filter(|_| !self.has_remote())
        else {
            return Ok(false);
        };
        let known: Vec<&CommitId> = known.iter().copied().chain([&person]).collect();
        let rest = self.commits_without(now, &known)?;
        let is_taken_up = match &rest[..] {
            [] => true,
            [(merge, _)] => self.is_merge_of_person(branch, merge, &person),
            _ => false,
        };
        Ok(is_taken_up && self.was_taken(&person)?)
    }

    /// Remembers the commit of a branch at a look whose result was reported.
    pub(super) fn note_seen(&self, branch: &BranchName, at: &CommitId) -> Result<(), GitError> {
        self.set_control_ref(&seen_name(branch), at)
    }

    /// Remembers the commit that is about to be pushed to a branch, so that it is recognised even if the push fails.
    pub(super) fn note_pushed(&self, branch: &BranchName, commit: &CommitId) -> Result<(), GitError> {
        self.set_control_ref(&pushed_name(branch), commit)
    }

    /// Checks whether commits were made in a worktree that are not part of `head`.
    pub(super) fn has_made_beyond(
        &self,
        folder: &SafeName,
        head: Option<&CommitId>,
    ) -> Result<bool, GitError> {
        let folder = self.worktree_path(folder);
        let made = self.git_dir_of(&folder).map(|git_dir| made_in(&git_dir));
        let made = made.unwrap_or_default();
        if made.is_empty() {
            return Ok(false);
        }
        let call = self.in_project("see what was committed in a worktree");
        let call = call.words("rev-list --ignore-missing --max-count=1");
        let call = call.args(made.iter().map(CommitId::as_str));
        let call = match head {
            Some(head) => call.arg("--not").arg(head.as_str()),
            None => call,
        };
        Ok(!call.arg("--").run_line()?.is_empty())
    }

    /// Lists the commits that one has and the others lack, newest first, with their authors.
    fn commits_without(
        &self,
        commit: &CommitId,
        others: &[&CommitId],
    ) -> Result<Vec<(CommitId, String)>, GitError> {
        let call = self.in_control(format!("list what came to {commit}"))?;
        let call = call.args([
            "log",
            "--format=%H%x00%an",
            MOST_COMMITS,
            commit.as_str(),
            "--not",
        ]);
        let printed = call
            .args(others.iter().map(|other| other.as_str()))
            .arg("--")
            .run_line()?;
        let pair = |line: &str| {
            let (id, author) = line.split_once('\0')?;
            Some((CommitId::new(id).ok()?, author.to_owned()))
        };
        Ok(printed.lines().filter_map(pair).collect())
    }

    /// Finds the newest of these commits that was made in a worktree of the engine. A commit that is in the person's own checkout, or was
    /// made there, is the person's.
    fn made_here(&self, commits: &[&CommitId]) -> Result<Option<MadeHere>, GitError> {
        for (folder, git_dir) in self.own_worktrees() {
            let made = made_in(&git_dir);
            for commit in commits.iter().filter(|commit| made.contains(commit)) {
                if !self.is_of_person(commit)? {
                    return Ok(Some(MadeHere {
                        commit: commit.as_str().to_owned(),
                        folder,
                    }));
                }
            }
        }
        Ok(None)
    }

    fn is_of_person(&self, commit: &CommitId) -> Result<bool, GitError> {
        if made_in(&self.project.git_dir).contains(commit) {
            return Ok(true);
        }
        if !self.has_remote() {
            // The branch of the checkout is the base itself, which an agent can move: only a checkout that took the commit says more.
            return self.was_taken(commit);
        }
        let call = self.in_project(format!("look for {commit} in the main checkout"));
        let output = call
            .words("merge-base --is-ancestor")
            .arg(commit.as_str())
            .arg("HEAD")
            .run()?;
        // Any other exit code means that there is no commit yet, or none of that id.
        Ok(output.code == Some(0))
    }

    /// Returns true if the log of the main checkout has a commit that holds this one.
    fn was_taken(&self, commit: &CommitId) -> Result<bool, GitError> {
        let log = log_lines(&self.project.git_dir.join(CHECKOUT_LOG));
        let heads = log.iter().filter_map(|line| line.split(' ').nth(1));
        let call = self.in_project(format!("look for {commit} in the log of the main checkout"));
        let call = call
            .words("rev-list --ignore-missing --max-count=1")
            .arg(commit.as_str());
        let printed = call.arg("--not").args(heads).arg("--").run_line()?;
        Ok(printed.is_empty())
    }

    /// Folder names and git folders of the worktrees of the engine.
    fn own_worktrees(&self) -> Vec<(String, PathBuf)> {
        let entries = fs::read_dir(self.project.common.join("worktrees"));
        let own = |git_dir: PathBuf| {
            let pointer = worktree_link::read_pointer(&git_dir.join("gitdir")).ok()?;
            let pointer = git_dir.join(pointer);
            let folder = pointer.parent()?;
            let is_own = folder
                .parent()
                .is_some_and(|parent| self.project.worktree_roots.iter().any(|root| root == parent));
            if !is_own {
                return None;
            }
            Some((folder.file_name()?.to_str()?.to_owned(), git_dir))
        };
        let entries = entries.into_iter().flatten().flatten();
        entries.filter_map(|entry| own(entry.path())).collect()
    }
}

/// Returns the commits that were made in a checkout, according to its own log.
fn made_in(git_dir: &Path) -> Vec<CommitId> {
    made_at(git_dir).into_iter().map(|(id, _)| id).collect()
}

/// Returns the commits that were made in a checkout, newest first, each with the time at which it was made.
pub(super) fn made_at(git_dir: &Path) -> Vec<(CommitId, Timestamp)> {
    let made = |line: String| {
        let (entry, done) = line.split_once('\t')?;
        let id = entry.split(' ').nth(1).filter(|_| is_made(done))?;
        let seconds: u64 = entry.rsplit(' ').nth(1)?.parse().ok()?;
        Some((CommitId::new(id).ok()?, Timestamp(seconds.saturating_mul(1000))))
    };
    log_lines(&git_dir.join(CHECKOUT_LOG))
        .into_iter()
        .filter_map(made)
        .collect()
}

fn seen_name(branch: &BranchName) -> String {
    format!("refs/dbs/base/seen/{branch}")
}

fn pushed_name(branch: &BranchName) -> String {
    format!("refs/dbs/base/pushed/{branch}")
}

/// Returns true if a line of a log is about a commit that was made there.
fn is_made(done: &str) -> bool {
    const MADE: [&str; 9] = [
        "commit",
        "cherry-pick",
        "revert",
        "am",
        "rebase (pick)",
        "rebase (reword)",
        "rebase (squash)",
        "rebase (fixup)",
        "rebase (continue)",
    ];
    let begins = |word: &str| {
        let rest = done.strip_prefix(word);
        rest.is_some_and(|rest| rest.starts_with([':', ' ']))
    };
    MADE.into_iter().any(begins) || done.contains(": Merge made by")
}
