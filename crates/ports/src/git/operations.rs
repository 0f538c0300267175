//! The trait of all git operations. Every operation blocks, has a time limit, and may be repeated.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::error::{GitError, PreflightError};
use super::merge::{
    CleanCheckout, CommitOutcome, CommitRequest, MergeOutcome, MergeRequest, PublishOutcome, PublishRequest,
    RestoreRequest,
};
use super::names::{BranchName, CommitId, SafeName};
use super::outcomes::{
    AgentsRemote, CommitFile, CommitsAhead, DeleteOutcome, GitOverride, Head, LimitedText, PushOutcome,
    RemoteBase,
};
use super::worktrees::{
    AtticOwner, AtticSnapshot, BranchEntry, DiffRange, Preflight, RemoveOutcome, Revision, WorkingTree,
    WorkspaceTree, Worktree, WorktreeEntry, WorktreeSpec,
};
use dbs_domain::{BaseMove, Delivery, Integration, Timestamp, Tri};

/// Everything git does for the engine. Calls block up to minutes: call from a blocking thread, never from the event
/// loop. Changes to one repository are queued inside; the queue is as long as the number of calling threads.
pub trait Git: Send + Sync {
    /// Checks whether the engine can work here, without the network (K5).
    fn preflight(&self) -> Result<Preflight, PreflightError>;

    /// Takes the present address of the remote as the true one, after a person confirmed it.
    fn accept_origin(&self) -> Result<(), GitError>;

    /// Returns the present head of a revision; its commits are in the control repository afterwards.
    fn resolve(&self, revision: &Revision) -> Head;

    /// Resolves several revisions, one answer each, in order; the remote is asked once for all of its branches among them.
    fn resolve_all(&self, revisions: &[Revision]) -> Vec<Head>;

    /// Reads the first `limit` bytes of a file of a commit. `path` is relative to the repository, its parts joined by `/`.
    fn file_at(&self, commit: &CommitId, path: &str, limit: usize) -> Result<CommitFile, GitError>;

    /// Lists the paths of all files of a commit, in the order of git; only those of `folder`, if one is named by its path.
    fn list_files(&self, commit: &CommitId, folder: Option<&str>) -> Result<Vec<String>, GitError>;

    /// Returns the head of a branch of the remote, asked of the remote (K46, LK-12).
    fn remote_head(&self, branch: &BranchName) -> Head;

    /// Makes or finds a worktree (K53–K59, LK-17, LK-18). After an error there is no usable worktree: do not spawn.
    fn ensure_worktree(&self, spec: &WorktreeSpec) -> Result<Worktree, GitError>;

    /// Records everything in a place as it is now.
    fn workspace_tree(&self, tree: &WorkingTree) -> Result<WorkspaceTree, GitError>;

    /// Checks whether a place still looks as it did; No names the changes.
    fn workspace_unchanged(&self, tree: &WorkingTree, start: &WorkspaceTree) -> Tri;

    /// Keeps everything in a place under the attic, without touching its index or branch. The same content again gives the same snapshot.
    fn snapshot(&self, tree: &WorkingTree, owner: &AtticOwner) -> Result<AtticSnapshot, GitError>;

    /// Removes the worktree of that name, after a snapshot if it holds anything that is kept nowhere else. Ignored files are not kept.
    /// The caller knows that no agent works there any more (LK-19).
    fn remove_worktree(&self, folder: &SafeName, owner: &AtticOwner) -> Result<RemoveOutcome, GitError>;

    /// Lists the worktrees of the engine, on the disk or only registered (K60). The caller decides about them.
    fn worktrees(&self) -> Result<Vec<WorktreeEntry>, GitError>;

    /// Lists the local branches of the project; branches with names the engine refuses are skipped.
    fn branches(&self) -> Result<Vec<BranchEntry>, GitError>;

    /// Lists the branches of the remote, asked of the remote; branches with names the engine refuses are skipped.
    fn remote_branches(&self) -> Result<Vec<BranchEntry>, GitError>;

    /// Deletes a local branch whose head is `recorded`; its head goes to the attic unless the base is known to hold it (LK-20). A branch
    /// that is checked out anywhere is kept.
    fn delete_branch(
        &self,
        branch: &BranchName,
        recorded: &CommitId,
        base: &RemoteBase,
        owner: &AtticOwner,
    ) -> DeleteOutcome;

    /// Deletes a branch of the remote if its head is still `recorded` (LK-23); `recorded` is kept in the attic unless the base is known to
    /// hold it.
    fn delete_remote_branch(
        &self,
        branch: &BranchName,
        recorded: &CommitId,
        base: &RemoteBase,
        owner: &AtticOwner,
    ) -> DeleteOutcome;

    /// Returns the reason why the commits that lead to a head and are not in the base are refused, if git's own check refuses one of their
    /// objects: a commit without an author, a path such as `.git`. Also if one names a commit of a submodule that its remote does not have, or
    /// a large file that is nowhere.
    ///
    /// # Errors
    /// When that cannot be found out.
    fn refused_objects(&self, head: &CommitId, base: Option<&CommitId>) -> Result<Option<String>, GitError>;

    /// Counts the commits that `head` has and `base` lacks (K27).
    fn commits_ahead(&self, head: &Revision, base: &Revision) -> CommitsAhead;

    /// Finds the cause of the movement of a branch of the remote to its present head since the last look, besides the engine's own
    /// publications. The first look at a branch finds nothing; later ones find the same again until it is noted. `now` may be older than
    /// what another look saw; then the branch is read again, and the result says to which commit it moved.
    ///
    /// # Errors
    /// When the repositories cannot be read.
    fn base_move(&self, branch: &BranchName, now: &CommitId) -> Result<Option<BaseMove>, GitError>;

    /// Notes that the movement of a branch up to there was reported.
    ///
    /// # Errors
    /// When it cannot be written down.
    fn note_base(&self, branch: &BranchName, at: &CommitId) -> Result<(), GitError>;

    /// Returns true if commits were made in a worktree that are not part of `head`, by the worktree's own log.
    ///
    /// # Errors
    /// When the repository cannot be read.
    fn made_beyond(&self, folder: &SafeName, head: Option<&CommitId>) -> Result<bool, GitError>;

    /// Checks whether the remote base holds a recorded commit, by ancestry, or because nothing of it is missing there (a squash merge)
    /// (LK-11, LK-22, LK-55).
    fn is_merged(&self, commit: &CommitId, base: &BranchName) -> Tri;

    /// Lists the paths of the files that differ, each once; for a renamed file both paths.
    ///
    /// # Errors
    /// As for the text of a difference.
    fn changed_paths(&self, range: &DiffRange) -> Result<Vec<String>, GitError>;

    /// Returns the differences as text for people, at most `limit` bytes (LK-24).
    fn diff_text(&self, range: &DiffRange, limit: usize) -> Result<LimitedText, GitError>;

    /// Lists everything in the project's repository that changes what git shows or starts there: replacements, grafts, attributes outside
    /// of commits, settings that name programs, and the position of the tracking branch of a base, if one is named.
    ///
    /// # Errors
    /// When the repository cannot be read.
    fn overrides(&self, base: Option<&BranchName>) -> Result<Vec<GitOverride>, GitError>;

    /// Returns settings and variables for the git of agents that judge work: with them git shows commits as they are and starts no program
    /// that a configuration names.
    ///
    /// # Errors
    /// When the configuration cannot be read.
    fn reader_settings(&self) -> Result<Vec<(String, String)>, GitError>;

    /// Returns the name of the remote; `None` if the project works without one.
    fn remote_name(&self) -> Option<String>;

    /// Returns the name by which agents know the remote, with the settings that their git needs to reach it.
    fn agents_remote(&self) -> AgentsRemote;

    /// Hooks that may have refused a commit of an agent, as words for people; `None` where there are none.
    fn commit_hooks(&self) -> Option<String>;

    /// Pushes the project's branch to the remote (LK-12). Replaces the remote branch only while its head is still `replaces`.
    fn push_branch(&self, branch: &BranchName, replaces: Option<&CommitId>) -> PushOutcome;

    /// Makes a branch of the remote at the head of another of its branches. Returns true if it was made, false if it was already there.
    ///
    /// # Errors
    /// When there is no branch to begin from, or the remote refuses or does not answer.
    fn begin_branch(&self, branch: &BranchName, from: &BranchName) -> Result<bool, GitError>;

    /// Commits on the task's branch the uncommitted files of a worktree, without ignored ones. No hook runs, and the worktree's own index
    /// is not touched. A repeated call finds its own commit.
    fn commit_leftovers(&self, request: &CommitRequest) -> Result<CommitOutcome, GitError>;

    /// Commits on a branch that its files are again as they were; no agent works there. Returns the new head, or nothing if all of the
    /// files are as they were. A repeated call finds its own commit.
    fn restore_files(&self, request: &RestoreRequest) -> Result<Option<CommitId>, GitError>;

    /// Merges in the control repository. A repeated call with the same request on the same base gives the same commit.
    fn merge(&self, request: &MergeRequest) -> MergeOutcome;

    /// Compares a merge that an agent made with the one that the engine would have made at `start`; `now` is the present head of the base.
    /// Returns nothing if they are the same, as far as that is to be reviewed.
    ///
    /// # Errors
    /// When the repositories cannot be read.
    fn compare_merge(
        &self,
        request: &MergeRequest,
        start: &CommitId,
        now: &CommitId,
    ) -> Result<Option<Integration>, GitError>;

    /// Pushes a merge to the remote base, whose head must still be the one on which the merge was made.
    fn publish(&self, publication: &PublishRequest) -> PublishOutcome;

    /// Brings a commit of a base, which is in the control repository, to the person's checkout: the branch, the index and the files move by
    /// fast-forward, together or not at all; only the branch moves if that is checked out nowhere. Nothing that the person wrote is
    /// changed, and nothing moves where that would be needed. A call that was cut off is finished or undone by the next one.
    ///
    /// # Errors
    /// When the repositories cannot be read or written.
    fn deliver(&self, base: &BranchName, to: &CommitId) -> Result<Delivery, GitError>;

    /// Exports a commit into `dir`, which must be missing, empty, or an earlier clean checkout (replaced).
    fn checkout_clean(&self, commit: &CommitId, dir: &Path) -> Result<CleanCheckout, GitError>;

    /// Brings a clean checkout back to its commit: every file of it, and nothing else but the files that git ignores. If that cannot be
    /// done in place, the checkout is made again, and the ignored files are gone: then the answer is false.
    fn restore_checkout(&self, commit: &CommitId, dir: &Path) -> Result<bool, GitError>;

    /// Lists what git ignores in a folder with the files of a commit, else in the main checkout: files, and folders that are ignored as a
    /// whole, relative to it.
    ///
    /// # Errors
    /// When it cannot be listed.
    fn ignored_files(&self, place: Option<(&CommitId, &Path)>) -> Result<Vec<PathBuf>, GitError>;

    /// Keeps those of the paths, relative to a folder with the files of a commit, that git ignores there. Nothing needs to be at them.
    ///
    /// # Errors
    /// When git cannot be asked.
    fn only_ignored(
        &self,
        commit: &CommitId,
        folder: &Path,
        paths: Vec<PathBuf>,
    ) -> Result<Vec<PathBuf>, GitError>;

    /// Deletes a clean checkout; anything else is left alone with an error. A missing folder is fine.
    fn discard_checkout(&self, dir: &Path) -> Result<(), GitError>;

    /// Removes the names under which the attic keeps work of these tasks, if they were made before that time; returns the number removed. A
    /// name whose time was never noted is kept, and so are the objects of all.
    fn expire_attic(&self, over: &BTreeSet<SafeName>, before: Timestamp) -> Result<usize, GitError>;

    /// Packs the objects gathered in the control repository, if there are many; returns true if it did. Nothing is thrown away. Takes long
    /// when it does something: call it where nothing waits for it, beside other work.
    fn maintain(&self) -> Result<bool, GitError>;
}
