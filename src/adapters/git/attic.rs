//! The attic: commits that keep what is about to be deleted, in the control repository where no agent's `gc` or
//! `update-ref` reaches them (design 5.9, LK-21, LK-25).

use std::fs;
use std::path::Path;

use super::cli::GitCli;
use super::worktree_state::CheckoutDir;
use crate::ports::git::{
    AtticOwner, AtticSnapshot, CommitId, GitError, SafeName, Signature, TreeId, WorkingTree,
};

/// How many lines of a worktree's own head log are looked through for commits nothing else names.
const LOG_LINES: usize = 200;

/// A snapshot of a worktree, with the nested repositories it could not include.
pub(super) struct KeptSnapshot {
    pub(super) snapshot: AtticSnapshot,
    /// Folders that are repositories of their own: only the id of their commit is in the snapshot.
    pub(super) nested: Vec<String>,
}

struct AtticEntry {
    name: String,
    commit: CommitId,
    tree: String,
    parents: Vec<String>,
}

/// Tree, parents, message and signature of a commit to be created.
pub(super) struct CommitDraft<'a> {
    pub(super) tree: &'a TreeId,
    pub(super) parents: &'a [CommitId],
    pub(super) message: String,
    pub(super) signature: &'a Signature,
}

impl GitCli {
    pub(super) fn snapshot_place(
        &self,
        place: &WorkingTree,
        saver: &AtticOwner,
    ) -> Result<KeptSnapshot, GitError> {
        self.snapshot_checkout(&self.locate(place)?, saver)
    }

    /// Keeps files, commit, and commits only the worktree's own log remembers.
    pub(super) fn snapshot_checkout(
        &self,
        site: &CheckoutDir,
        saver: &AtticOwner,
    ) -> Result<KeptSnapshot, GitError> {
        let state = self.read_state(site)?;
        let mut parents: Vec<CommitId> = state.head.into_iter().collect();
        parents.extend(self.unreferenced_commits(site, parents.first())?);
        let nested = self.nested_repositories(&site.folder, &state.tree)?;
        let known = self.attic(&saver.task)?.into_iter().find(|entry| {
            entry.tree == state.tree.as_str()
                && entry
                    .parents
                    .iter()
                    .map(String::as_str)
                    .eq(parents.iter().map(CommitId::as_str))
        });
        if let Some(entry) = known {
            return Ok(KeptSnapshot {
                snapshot: AtticSnapshot {
                    attic_ref: entry.name,
                    commit: entry.commit,
                },
                nested,
            });
        }
        let folder = site
            .folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let message = format!(
            "Snapshot of {}\n\nDbs-Task: {}\n",
            super::error_text::one_line(&folder),
            saver.task
        );
        let draft = CommitDraft {
            tree: &state.tree,
            parents: &parents,
            message,
            signature: &saver.signature,
        };
        let commit = self.commit(&draft)?;
        Ok(KeptSnapshot {
            snapshot: self.add_to_attic(commit, &saver.task)?,
            nested,
        })
    }

    /// Keeps a commit as it is, unless the task's attic holds it already.
    pub(super) fn archive(&self, commit: &CommitId, task: &SafeName) -> Result<AtticSnapshot, GitError> {
        for entry in self.attic(task)? {
            if self.is_ancestor(commit, &entry.commit)? {
                return Ok(AtticSnapshot {
                    attic_ref: entry.name,
                    commit: entry.commit,
                });
            }
        }
        self.add_to_attic(commit.clone(), task)
    }

    /// A commit object; the same draft gives the same commit.
    pub(super) fn commit(&self, draft: &CommitDraft<'_>) -> Result<CommitId, GitError> {
        let mut call = self.in_control("make a commit")?.args(["commit-tree", "-F", "-"]);
        for parent in draft.parents {
            call = call.arg("-p").arg(parent.as_str());
        }
        let clean = |text: &str| {
            text.chars()
                .filter(|c| !c.is_control() && !"<>".contains(*c))
                .collect::<String>()
        };
        let (name, email) = (clean(&draft.signature.name), clean(&draft.signature.email));
        let at = format!("@{} +0000", draft.signature.seconds.max(0));
        for who in ["AUTHOR", "COMMITTER"] {
            call = call
                .env(&format!("GIT_{who}_NAME"), &name)
                .env(&format!("GIT_{who}_EMAIL"), &email);
            call = call.env(&format!("GIT_{who}_DATE"), &at);
        }
        let call = call
            .arg(draft.tree.as_str())
            .input(draft.message.clone().into_bytes());
        Ok(CommitId::new(&call.run_line()?)?)
    }

    fn add_to_attic(&self, commit: CommitId, task: &SafeName) -> Result<AtticSnapshot, GitError> {
        let turn = self.lock_control()?;
        let prefix = format!("refs/dbs/attic/{task}/");
        let number = |entry: &AtticEntry| {
            entry
                .name
                .strip_prefix(&prefix)
                .and_then(|n| n.parse::<u64>().ok())
        };
        let next = self.attic(task)?.iter().filter_map(number).max().unwrap_or(0) + 1;
        let attic = format!("{prefix}{next}");
        let nothing = "0".repeat(commit.as_str().len());
        let call = self.in_control(format!("keep {commit} as {attic}"))?;
        let call = call.with_lock(&turn)?.args(["update-ref", "--end-of-options"]);
        call.arg(&attic).arg(commit.as_str()).arg(nothing).run_ok()?;
        turn.finish()?;
        Ok(AtticSnapshot {
            attic_ref: attic,
            commit,
        })
    }

    fn attic(&self, task: &SafeName) -> Result<Vec<AtticEntry>, GitError> {
        let call = self.in_control(format!("read the attic of {task}"))?;
        let call = call.args([
            "for-each-ref",
            "--format=%(refname) %(objectname) %(tree) %(parent)",
            "--",
        ]);
        let output = call.arg(format!("refs/dbs/attic/{task}/")).run_ok()?;
        let said = String::from_utf8_lossy(&output.stdout);
        let entry = |line: &str| {
            let mut words = line.split(' ').map(str::to_owned);
            let (name, id, tree) = (words.next()?, words.next()?, words.next()?);
            let parents = words.filter(|word| !word.is_empty()).collect();
            Some(AtticEntry {
                name,
                commit: CommitId::new(&id).ok()?,
                tree,
                parents,
            })
        };
        Ok(said.lines().filter_map(entry).collect())
    }

    /// Commits the worktree once stood on that neither a branch of the project nor `head` contains (`reset --hard`, a
    /// rebase, commits without a branch). The log of the main checkout is the person's and not looked at.
    pub(super) fn unreferenced_commits(
        &self,
        site: &CheckoutDir,
        head: Option<&CommitId>,
    ) -> Result<Vec<CommitId>, GitError> {
        let logged = logged(&site.git_dir.join("logs").join("HEAD"));
        if logged.is_empty() || site.git_dir == self.project.git_dir {
            return Ok(Vec::new());
        }
        let ids = || logged.iter().map(CommitId::as_str);
        let call = self
            .in_project("look for commits without a branch")
            .args(["rev-list", "--ignore-missing"]);
        let call = call
            .args(ids())
            .args(["--not", "--branches"])
            .args(head.map(CommitId::as_str));
        let said = call.run_line()?;
        let bare: Vec<&str> = said.lines().filter(|line| ids().any(|id| id == *line)).collect();
        if bare.len() < 2 {
            return bare
                .into_iter()
                .map(|id| self.import_known(CommitId::new(id)?))
                .collect();
        }
        let call = self
            .in_project("look for commits without a branch")
            .args(["merge-base", "--independent"]);
        call.args(bare)
            .run_line()?
            .lines()
            .map(|id| self.import_known(CommitId::new(id)?))
            .collect()
    }

    /// Whether a local branch of the project contains a commit.
    pub(super) fn is_on_a_branch(&self, commit: &CommitId) -> Result<bool, GitError> {
        let call = self.in_project(format!("look for branches with {commit}"));
        let call = call.args([
            "for-each-ref",
            "--count=1",
            "--contains",
            commit.as_str(),
            "refs/heads/",
        ]);
        Ok(!call.run_line()?.is_empty())
    }

    pub(super) fn nested_repositories(&self, folder: &Path, tree: &TreeId) -> Result<Vec<String>, GitError> {
        let call = self.in_control("look for nested repositories")?;
        let output = call
            .args(["ls-tree", "-r", "-z", "--full-tree", "--end-of-options"])
            .arg(tree.as_str())
            .run_ok()?;
        let said = String::from_utf8_lossy(&output.stdout);
        let links = said.split('\0').filter(|entry| entry.starts_with("160000 "));
        let paths = links
            .filter_map(|entry| entry.split_once('\t'))
            .map(|(_, path)| path.to_owned());
        Ok(paths.filter(|path| !is_empty(&folder.join(path))).collect())
    }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Newest first, each once.
fn logged(file: &Path) -> Vec<CommitId> {
    let is_file = file.symlink_metadata().is_ok_and(|found| found.is_file());
    let text = if is_file {
        fs::read(file).unwrap_or_default()
    } else {
        Vec::new()
    };
    let text = String::from_utf8_lossy(&text);
    let mut seen: Vec<CommitId> = Vec::new();
    for line in text.lines().rev().take(LOG_LINES) {
        let mut words = line.split(' ');
        for word in [words.next(), words.next()].into_iter().flatten() {
            match CommitId::new(word) {
                Ok(id) if id.as_str().bytes().any(|byte| byte != b'0') && !seen.contains(&id) => {
                    seen.push(id);
                }
                Ok(_) | Err(_) => {}
            }
        }
    }
    seen
}
