//! Making or finding the worktree of an attempt. Every case of LK-18 is named here; obstacles are kept or moved aside, never overwritten,
//! and after an error there is no worktree to start an agent in (LK-17).

use std::fs;
use std::path::{Path, PathBuf};

use super::cli::GitCli;
use super::files::{ensure_excludes, failed, missing, not_ours, real_folder, sync_file_system};
use super::inventory::safe_name;
use super::parse::RegisteredWorktree;
use super::refs::PinKind;
use super::registration_repair::RepairScope;
use super::stale_locks::lock_of;
use super::submodules::FilledPlace;
use super::worktree_link::{self, PathStatus};
use super::write_lock::WriteGuard;
use crate::domain::TroubleKind;
use crate::ports::git::{
    AtticSnapshot, BranchName, CommitId, GitError, RemoveOutcome, Revision, SafeName, WorkingTree,
    WorkspaceTree, Worktree, WorktreeKind, WorktreeOrigin, WorktreeSpec,
};

/// Commit, and branch if any, that a worktree is to have checked out.
struct CheckoutGoal {
    commit: CommitId,
    branch: Option<BranchGoal>,
}

struct BranchGoal {
    name: BranchName,
    /// Commit of the local branch now; `None` if it has to be made.
    local: Option<CommitId>,
    /// The local head is not part of the goal and goes to the attic first.
    is_replaced: bool,
    base: BranchName,
    base_head: CommitId,
    /// Commit of the project's copy of the base before `base_head` was read.
    copy: Option<CommitId>,
}

/// Snapshots and moved folders that resulted from clearing the path of a worktree.
#[derive(Default)]
struct ClearedPath {
    saved: Vec<AtticSnapshot>,
    set_aside: Vec<PathBuf>,
}

impl GitCli {
    pub(super) fn create_or_reuse(&self, spec: &WorktreeSpec) -> Result<Worktree, GitError> {
        let goal = match &spec.kind {
            WorktreeKind::MainCheckout => return self.main_checkout(),
            WorktreeKind::Detached(revision) => self.detached_goal(revision)?,
            WorktreeKind::Branch { branch, base, resume } => {
                self.branch_goal(branch, base, resume.as_ref())?
            }
        };
        self.refuse_foreign_filters(&goal.commit)?;
        ensure_excludes(&self.project.common)?;
        // Without the turn, since it may ask other remotes.
        let brought = self.bring_submodules(&goal.commit);
        let mut turn = self.lock_project()?;
        self.repair_registrations(RepairScope::Registrations);
        real_folder(worktree_link::root(&self.project))?;
        self.fetch_into_project(&goal, &mut turn)?;
        let path = self.worktree_path(&spec.folder);
        let base = goal.branch.as_ref().map(|branch| branch.base_head.clone());
        if let Some(found) = self.existing_worktree(&path, &goal)? {
            // An agent may be at work there already; a lock that is in use is its own.
            if let Some(branch) = &goal.branch {
                drop(self.free_lock(&branch.name, &spec.attic_owner));
            }
            return Ok(Worktree { base, ..found });
        }
        brought?;
        let mut cleared = ClearedPath::default();
        self.clear_path(&path, spec, &mut cleared)?;
        let path = worktree_link::root(&self.project).join(spec.folder.as_str());
        if let Some(branch) = &goal.branch {
            self.free_branch(&path, &branch.name, spec, &mut cleared)?;
            match self.free_lock(&branch.name, &spec.attic_owner) {
                Ok(kept) => cleared.saved.extend(kept),
                // Making a branch waits for a lock in use; where the branch exists already, the agent would be the first to meet the lock.
                Err(error) if branch.local.is_some() => return Err(error),
                Err(_) => {}
            }
            let saved = self.place_branch(branch, &goal.commit, &mut turn, &spec.attic_owner.task)?;
            cleared.saved.extend(saved);
        }
        let (path, start) = self.create_worktree(&path, &goal)?;
        Ok(Worktree {
            path,
            start,
            origin: WorktreeOrigin::Made,
            base,
            saved: cleared.saved,
            set_aside: cleared.set_aside,
        })
    }

    fn main_checkout(&self) -> Result<Worktree, GitError> {
        let start = self.state_of(&WorkingTree::Main)?;
        Ok(found(self.project.root.clone(), start))
    }

    fn detached_goal(&self, revision: &Revision) -> Result<CheckoutGoal, GitError> {
        if let Revision::RemoteBranch(branch) = revision {
            self.read_person(branch)?;
        }
        let what = || format!("a commit to check out ({})", name_of(revision));
        let found = self.resolve_revision(revision)?;
        Ok(CheckoutGoal {
            commit: found.ok_or_else(|| missing(what(), "push it first"))?,
            branch: None,
        })
    }

    /// Returns the commit for the branch: the local one, else the one on the remote, else the base; never loses the previous attempt.
    fn branch_goal(
        &self,
        name: &BranchName,
        base: &BranchName,
        resume: Option<&CommitId>,
    ) -> Result<CheckoutGoal, GitError> {
        let copy = self.tracked(&self.tracking_name(base))?;
        self.read_person(base)?;
        let [base_head, local, remote] = self.resolve_each(&[
            Revision::RemoteBranch(base.clone()),
            Revision::LocalBranch(name.clone()),
            Revision::RemoteBranch(name.clone()),
        ])?;
        let base_head = base_head.ok_or_else(|| self.missing_base(base))?;
        let mut commit = match (&local, &remote) {
            (Some(here), Some(there)) if self.is_ancestor(here, there)? => there.clone(),
            (Some(here), _) => here.clone(),
            (None, Some(there)) => there.clone(),
            (None, None) => base_head.clone(),
        };
        let mut is_replaced = false;
        if let Some(earlier) = resume {
            if !self.import_commit(earlier)? {
                let what = format!("commit {earlier} of the previous attempt");
                return Err(missing(what, "it was deleted everywhere; resume without it"));
            }
            if !self.is_ancestor(earlier, &commit)? {
                is_replaced = local.is_some() && !self.is_ancestor(&commit, earlier)?;
                commit = earlier.clone();
            }
        }
        Ok(CheckoutGoal {
            commit,
            branch: Some(BranchGoal {
                name: name.clone(),
                local,
                is_replaced,
                base: base.clone(),
                base_head,
                copy,
            }),
        })
    }

    /// Brings the commits of the goal into the project's repository, out of the control repository: the project's
    /// idea of where `origin` is plays no part.
    fn fetch_into_project(&self, goal: &CheckoutGoal, turn: &mut WriteGuard<'_>) -> Result<(), GitError> {
        self.pin(PinKind::Pin, &goal.commit)?;
        let there = self.named_in_project(&goal.commit).unwrap_or_default();
        let pinned = PinKind::Pin.ref_name(&goal.commit);
        let tracking = goal.branch.as_ref().and_then(|branch| {
            let tracking = self.tracking_name(&branch.base);
            // A copy that moved since may be newer than the base that was read.
            let is_there = branch.base_head == goal.commit && there.contains(&tracking)
                || self.tracked(&tracking).ok()? != branch.copy;
            let lock = lock_of(&tracking);
            let remote = PinKind::Remote.ref_name(&branch.base_head);
            (!is_there).then(|| (format!("+{remote}:{tracking}"), [lock]))
        });
        // The tracking ref is for the agent's convenience only; an odd one in the way must not stop the work.
        match (there.is_empty(), tracking) {
            (true, Some((tracking, locks))) => {
                let call = self.export_command(&[&pinned, &tracking]);
                let both = call.run_locked(turn, &locks).map(drop);
                both.or_else(|_odd| self.export_to_project(&[&pinned]))
            }
            (true, None) => self.export_to_project(&[&pinned]),
            (false, Some((tracking, locks))) => {
                drop(self.export_command(&[&tracking]).run_locked(turn, &locks));
                Ok(())
            }
            (false, None) => Ok(()),
        }
    }

    /// Returns the branches of the project, its own and the remote's as it last saw them, that are at a commit: git keeps everything below
    /// them.
    fn named_in_project(&self, commit: &CommitId) -> Result<Vec<String>, GitError> {
        let call = self.in_project(format!("look for branches at {commit}"));
        let call = call.words("for-each-ref --format=%(refname)");
        let call = call.arg(format!("--points-at={commit}"));
        let remotes = format!("refs/remotes/{}/", self.remote.name());
        let names = call.words("-- refs/heads/").arg(remotes).run_line()?;
        Ok(names.lines().map(str::to_owned).collect())
    }

    /// Returns a complete worktree that already is as requested: a repeated call, or a retry on the same branch.
    fn existing_worktree(&self, path: &Path, goal: &CheckoutGoal) -> Result<Option<Worktree>, GitError> {
        let PathStatus::Ours(site) = worktree_link::look(&self.project, path)? else {
            return Ok(None);
        };
        let Some(entry) = self.registration(&site.folder)?.filter(|_| site.is_ready()) else {
            return Ok(None);
        };
        let start = match &goal.branch {
            Some(branch) if entry.holds(&branch.name) && branch.local.as_ref() == Some(&goal.commit) => {
                self.read_state(&site)?
            }
            None if entry.branch.is_none() && entry.head.as_ref() == Some(&goal.commit) => {
                let state = self.read_state(&site)?;
                if state.tree != self.tree_of(&goal.commit)? {
                    return Ok(None);
                }
                state
            }
            Some(_) | None => return Ok(None),
        };
        Ok(Some(found(site.folder, start)))
    }

    /// Empties the path: ours is kept and removed, an unknown folder moved aside, a stale registration dropped.
    fn clear_path(
        &self,
        path: &Path,
        spec: &WorktreeSpec,
        cleared: &mut ClearedPath,
    ) -> Result<(), GitError> {
        if let RemoveOutcome::Removed(snapshot) = self.remove_as_it_is(&spec.folder, &spec.attic_owner)? {
            cleared.saved.extend(snapshot);
        }
        if path.symlink_metadata().is_ok() {
            let aside = path.with_file_name(format!("{}.aside-{}", spec.folder, self.unique_name("x")));
            if aside.symlink_metadata().is_ok() {
                return Err(not_ours(aside, "its name was to be used"));
            }
            fs::rename(path, &aside).map_err(failed("move aside", path))?;
            cleared.set_aside.push(aside);
        }
        cleared.saved.extend(self.forget(path, &spec.attic_owner)?);
        Ok(())
    }

    /// Frees the branch from a dead worktree of ours; anyone else's keeps it (K59, LK-18, LK-19).
    fn free_branch(
        &self,
        path: &Path,
        branch: &BranchName,
        spec: &WorktreeSpec,
        cleared: &mut ClearedPath,
    ) -> Result<(), GitError> {
        let is_in_the_way = |entry: &&RegisteredWorktree| entry.holds(branch) && !entry.is_at(path);
        for entry in self.registered()?.iter().filter(is_in_the_way) {
            let mut ended = spec.ended_folders.iter();
            match ended.find(|dead| entry.is_at(&self.worktree_path(dead))) {
                Some(dead) => match self.remove(dead, &spec.attic_owner)? {
                    RemoveOutcome::Removed(snapshot) => cleared.saved.extend(snapshot),
                    RemoveOutcome::Absent => {}
                    RemoveOutcome::Kept(why) => return Err(not_ours(&entry.path, why)),
                },
                None if self.is_gone_and_ours(entry) => {
                    cleared.saved.extend(self.forget(&entry.path, &spec.attic_owner)?);
                }
                None => {
                    return Err(GitError::Busy {
                        branch: branch.clone(),
                        path: entry.path.clone(),
                    });
                }
            }
        }
        Ok(())
    }

    fn is_gone_and_ours(&self, entry: &RegisteredWorktree) -> bool {
        let status = || worktree_link::look(&self.project, &entry.path);
        safe_name(&entry.path).is_some()
            && worktree_link::is_in_root(&self.project, &entry.path)
            && matches!(status(), Ok(PathStatus::Nothing))
    }

    /// Makes the branch or moves it to the goal; a head that is replaced is kept first.
    fn place_branch(
        &self,
        branch: &BranchGoal,
        goal: &CommitId,
        turn: &mut WriteGuard<'_>,
        task: &SafeName,
    ) -> Result<Option<AtticSnapshot>, GitError> {
        if branch.local.as_ref() == Some(goal) {
            return Ok(None);
        }
        let saved = match &branch.local {
            Some(local) if branch.is_replaced => Some(self.archive(local, task)?),
            Some(_) | None => None,
        };
        let why = "dbs: prepare an attempt";
        self.move_branch(&branch.name, branch.local.as_ref(), goal, why, turn)?;
        Ok(saved)
    }

    /// Registers the worktree without files, then writes them through the control repository, so that no filter or
    /// hook of the project runs; the ready mark comes last.
    fn create_worktree(
        &self,
        path: &Path,
        goal: &CheckoutGoal,
    ) -> Result<(PathBuf, WorkspaceTree), GitError> {
        let what = format!("make worktree {}", path.display());
        let call = self.in_project(what.clone());
        let call = call.words("worktree add --quiet --no-checkout");
        let call = match &goal.branch {
            Some(branch) => call.arg("--").arg(path).arg(branch.name.as_str()),
            None => call.words("--detach --").arg(path).arg(goal.commit.as_str()),
        };
        call.run_ok().inspect_err(|_| self.undo_half_made(path))?;
        let PathStatus::Ours(site) = worktree_link::look(&self.project, path)? else {
            return Err(not_ours(
                path,
                "git made it, but it does not belong to the project",
            ));
        };
        let index = site.git_dir.join(self.unique_name("dbs-index"));
        if !self.write_sparse(&site, &index, &goal.commit)? {
            if goal.branch.is_none() || !self.take_spare(&site, &index, &goal.commit)? {
                self.write_files(&site.folder, &index, &goal.commit)?;
            }
            self.note_files(&site, &index);
        }
        self.fill_submodules(
            &site.folder,
            &index,
            &goal.commit,
            FilledPlace::Worktree(&site.git_dir),
        )?;
        // After a power cut, files that are not on the disk yet are empty, and an agent that continues here would commit them so.
        sync_file_system(&site.folder).map_err(failed("write to the disk", &site.folder))?;
        let final_index = site.git_dir.join("index");
        fs::rename(&index, &final_index).map_err(failed("write", &final_index))?;
        let start = self.fresh_state(&site, &goal.commit)?;
        if start.head.as_ref() != Some(&goal.commit) {
            let why = "the branch moved meanwhile".to_owned();
            let kind = TroubleKind::Other;
            return Err(GitError::Failed { kind, what, why });
        }
        site.set_ready()?;
        Ok((site.folder, start))
    }
}

/// A worktree that was there already.
fn found(path: PathBuf, start: WorkspaceTree) -> Worktree {
    Worktree {
        path,
        start,
        origin: WorktreeOrigin::Found,
        base: None,
        saved: Vec::new(),
        set_aside: Vec::new(),
    }
}

/// A revision in words, for errors.
pub(super) fn name_of(revision: &Revision) -> String {
    match revision {
        Revision::Commit(commit) => commit.to_string(),
        Revision::RemoteBranch(branch) => format!("branch {branch} on the remote"),
        Revision::LocalBranch(branch) => format!("branch {branch}"),
        Revision::TaskBranch(of) => format!("branch {}, or its kept work", of.branch),
        Revision::WorkingTree(WorkingTree::Main) => "the main checkout".to_owned(),
        Revision::WorkingTree(WorkingTree::Worktree(name)) => format!("worktree {name}"),
    }
}
