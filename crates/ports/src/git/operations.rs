//! The trait itself. Every operation blocks, has a time limit, and may be repeated.

use std::collections::BTreeSet;
use std::path::Path;

use super::error::{GitError, PreflightError};
use super::merge::{
    CleanCheckout, CommitOutcome, CommitRequest, MergeOutcome, MergeRequest, PublishOutcome, PublishRequest,
    RestoreRequest,
};
use super::names::{BranchName, CommitId, SafeName};
use super::outcomes::{
    CommitFile, CommitsAhead, DeleteOutcome, GitOverride, Head, LimitedText, PushOutcome, RemoteBase,
};
use super::worktrees::{
    AtticOwner, AtticSnapshot, BranchEntry, DiffRange, Preflight, RemoveOutcome, Revision, WorkingTree,
    WorkspaceTree, Worktree, WorktreeEntry, WorktreeSpec,
};
use dbs_domain::{BaseMove, Integration, Timestamp, Tri};

/// Everything git does for the engine. Calls block up to minutes: call from a blocking thread, never from the event
/// loop. Changes to one repository are queued inside; the queue is as long as the number of calling threads.
pub trait Git: Send + Sync {
    /// Whether the engine can work here, without the network (K5).
    fn preflight(&self) -> Result<Preflight, PreflightError>;

    /// Takes the present address of `origin` as the true one, after a person confirmed it.
    fn accept_origin(&self) -> Result<(), GitError>;

    /// Where a revision stands now; its commits are in the control repository afterwards.
    fn resolve(&self, revision: &Revision) -> Head;

    /// The same for several, one answer each, in order; the remote is asked once for all of its branches among them.
    fn resolve_all(&self, revisions: &[Revision]) -> Vec<Head>;

    /// A file of a commit: its first `limit` bytes. `path` is relative to the repository, its parts joined by `/`.
    fn file_at(&self, commit: &CommitId, path: &str, limit: usize) -> Result<CommitFile, GitError>;

    /// Paths of all files of a commit, in the order of git; of a folder, where one is named by its path.
    fn list_files(&self, commit: &CommitId, folder: Option<&str>) -> Result<Vec<String>, GitError>;

    /// Head of a branch of the remote, asked of the remote (K46, LK-12).
    fn remote_head(&self, branch: &BranchName) -> Head;

    /// Makes or finds a worktree (K53–K59, LK-17, LK-18). After an error there is no usable worktree: do not spawn.
    fn ensure_worktree(&self, spec: &WorktreeSpec) -> Result<Worktree, GitError>;

    /// Everything in a place as it is now.
    fn workspace_tree(&self, place: &WorkingTree) -> Result<WorkspaceTree, GitError>;

    /// Whether a place still looks as it did; No names what changed.
    fn workspace_unchanged(&self, place: &WorkingTree, start: &WorkspaceTree) -> Tri;

    /// Keeps everything in a place under the attic, without touching its index or branch. The same
    /// content again gives the same snapshot.
    fn snapshot(&self, place: &WorkingTree, saver: &AtticOwner) -> Result<AtticSnapshot, GitError>;

    /// Removes `.debussy-worktrees/<folder>`, after a snapshot if anything in it is kept nowhere else. Ignored files
    /// are not kept. The caller knows that nobody works there any more (LK-19).
    fn remove_worktree(&self, folder: &SafeName, saver: &AtticOwner) -> Result<RemoveOutcome, GitError>;

    /// Worktrees under `.debussy-worktrees/`, on the disk or only registered (K60). The caller decides.
    fn worktrees(&self) -> Result<Vec<WorktreeEntry>, GitError>;

    /// Local branches of the project; branches with names the engine refuses are skipped.
    fn branches(&self) -> Result<Vec<BranchEntry>, GitError>;

    /// Branches of the remote, asked of the remote; branches with names the engine refuses are skipped.
    fn remote_branches(&self) -> Result<Vec<BranchEntry>, GitError>;

    /// Deletes a local branch that stands at `recorded`; its head goes to the attic unless the base is known to hold it
    /// (LK-20). A branch that is checked out anywhere is kept.
    fn delete_branch(
        &self,
        branch: &BranchName,
        recorded: &CommitId,
        base: &RemoteBase,
        saver: &AtticOwner,
    ) -> DeleteOutcome;

    /// Deletes a branch of the remote if it still stands at `recorded` (LK-23); `recorded` is kept in the attic unless the base
    /// is known to hold it.
    fn delete_remote_branch(
        &self,
        branch: &BranchName,
        recorded: &CommitId,
        base: &RemoteBase,
        saver: &AtticOwner,
    ) -> DeleteOutcome;

    /// Why what leads to a head and is not in the base is not taken, if git's own check refuses an object of it: a commit without an
    /// author, a path such as `.git`.
    ///
    /// # Errors
    /// When that cannot be found out.
    fn refused_objects(&self, head: &CommitId, base: Option<&CommitId>) -> Result<Option<String>, GitError>;

    /// How many commits `head` has that `base` lacks (K27).
    fn commits_ahead(&self, head: &Revision, base: &Revision) -> CommitsAhead;

    /// Finds what moved a branch of the remote to where it stands now since the last look, besides what the engine published there. The
    /// first look at a branch finds nothing; later ones find the same again until it is noted.
    ///
    /// # Errors
    /// When the repositories cannot be read.
    fn base_move(&self, branch: &BranchName, now: &CommitId) -> Result<Option<BaseMove>, GitError>;

    /// Notes that the movement of a branch up to there was told.
    ///
    /// # Errors
    /// When it cannot be written down.
    fn note_base(&self, branch: &BranchName, at: &CommitId) -> Result<(), GitError>;

    /// Tells whether commits were made in a worktree that are not part of `head`, by the worktree's own log.
    ///
    /// # Errors
    /// When the repository cannot be read.
    fn made_beyond(&self, folder: &SafeName, head: Option<&CommitId>) -> Result<bool, GitError>;

    /// Whether the remote base holds a recorded commit, by ancestry, or because nothing of it is missing there (a
    /// squash merge) (LK-11, LK-22, LK-55).
    fn is_merged(&self, commit: &CommitId, base: &BranchName) -> Tri;

    /// Paths of the files that differ, each once, both of a renamed one.
    ///
    /// # Errors
    /// As for the text of a difference.
    fn changed_paths(&self, range: &DiffRange) -> Result<Vec<String>, GitError>;

    /// The differences for people, at most `limit` bytes (LK-24).
    fn diff_text(&self, range: &DiffRange, limit: usize) -> Result<LimitedText, GitError>;

    /// Everything in the project's repository that changes what git shows or starts there: replacements, grafts, attributes outside of
    /// commits, settings that name programs, and where the tracking branch of a base stands, if one is named.
    ///
    /// # Errors
    /// When the repository cannot be read.
    fn overrides(&self, base: Option<&BranchName>) -> Result<Vec<GitOverride>, GitError>;

    /// Settings and variables for the git of agents that judge work: with them it shows commits as they are and starts no program that
    /// a configuration names.
    ///
    /// # Errors
    /// When the configuration cannot be read.
    fn reader_settings(&self) -> Result<Vec<(String, String)>, GitError>;

    /// Pushes the project's branch to the remote (LK-12). Replaces what is there only when the remote still stands
    /// at `replaces`.
    fn push_branch(&self, branch: &BranchName, replaces: Option<&CommitId>) -> PushOutcome;

    /// Makes a branch of the remote where another of its branches stands. Answers whether it was made: not where it is there.
    ///
    /// # Errors
    /// When there is no branch to begin from, or the remote refuses or does not answer.
    fn begin_branch(&self, branch: &BranchName, from: &BranchName) -> Result<bool, GitError>;

    /// Commits on the task's branch what is in a worktree and not committed; ignored files are not. No hook runs, and the
    /// worktree's own index is not touched. Repeated it finds its own commit.
    fn commit_leftovers(&self, request: &CommitRequest) -> Result<CommitOutcome, GitError>;

    /// Commits on a branch that its files are again as they were; nobody works there. Answers the new head, and nothing where all
    /// of them are so. Repeated it finds its own commit.
    fn restore_files(&self, request: &RestoreRequest) -> Result<Option<CommitId>, GitError>;

    /// Merges in the control repository. Repeated with the same request on the same base it gives the same commit.
    fn merge(&self, request: &MergeRequest) -> MergeOutcome;

    /// Compares a merge that an agent made with the one that the engine would have made at `start`: `now` is where the base stands
    /// since. Nothing where they are the same, as far as that is to be reviewed.
    ///
    /// # Errors
    /// When the repositories cannot be read.
    fn compare_merge(
        &self,
        request: &MergeRequest,
        start: &CommitId,
        now: &CommitId,
    ) -> Result<Option<Integration>, GitError>;

    /// Pushes a merge to the remote base, which must still stand where the merge was made.
    fn publish(&self, publication: &PublishRequest) -> PublishOutcome;

    /// Exports a commit into `dir`, which must be missing, empty, or an earlier clean checkout (replaced).
    fn checkout_clean(&self, commit: &CommitId, dir: &Path) -> Result<CleanCheckout, GitError>;

    /// Brings a clean checkout back to its commit: every file of it, and nothing else but what git ignores. Where that cannot be done in
    /// place, it is made anew.
    fn restore_checkout(&self, commit: &CommitId, dir: &Path) -> Result<(), GitError>;

    /// Deletes a clean checkout; anything else is left alone with an error. A missing folder is fine.
    fn discard_checkout(&self, dir: &Path) -> Result<(), GitError>;

    /// Removes the names under which the attic keeps work of these tasks, where they were made before that time; how many went. One of
    /// which nobody noted when it was made stays, and so do the objects of all.
    fn expire_attic(&self, over: &BTreeSet<SafeName>, before: Timestamp) -> Result<usize, GitError>;

    /// Packs what has gathered in the control repository, where much has; answers whether it did. Nothing is thrown away.
    /// Takes long when it does something: call it where nobody waits, beside anything else.
    fn maintain(&self) -> Result<bool, GitError>;
}
