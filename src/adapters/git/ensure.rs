//! Making or finding the worktree of an attempt. Every case of LK-18 is named here; what is in the way is kept or
//! moved aside, never overwritten, and after an error there is no worktree to start an agent in (LK-17).

use std::fs;
use std::path::{Path, PathBuf};

use super::checkout;
use super::cli::GitCli;
use super::files::{failed, real_folder};
use super::link::{self, Link, Seen};
use super::locks::lock_of;
use super::parse::Registered;
use super::queue::Turn;
use super::refs::Class;
use super::workspace::Site;
use crate::ports::git::{
    BranchName, CommitId, GitError, Place, Removal, Revision, SafeName, Snapshot, WorkspaceState, Worktree,
    WorktreeKind, WorktreeOrigin, WorktreeSpec,
};

/// What is to be checked out, after all questions are answered.
struct Goal {
    commit: CommitId,
    branch: Option<BranchGoal>,
}

struct BranchGoal {
    name: BranchName,
    /// Where the local branch is now; none when it has to be made.
    local: Option<CommitId>,
    /// The local head is not part of the goal and goes to the attic first.
    is_replaced: bool,
    base: BranchName,
    base_head: CommitId,
}

/// What had to be put away.
#[derive(Default)]
struct Cleared {
    saved: Vec<Snapshot>,
    set_aside: Vec<PathBuf>,
}

impl GitCli {
    pub(super) fn ensure(&self, spec: &WorktreeSpec) -> Result<Worktree, GitError> {
        let goal = match &spec.kind {
            WorktreeKind::MainCheckout => return self.main_checkout(),
            WorktreeKind::Detached(revision) => self.detached_goal(revision)?,
            WorktreeKind::Branch { branch, base, resume } => {
                self.branch_goal(branch, base, resume.as_ref())?
            }
        };
        super::exclude::ensure(&self.project)?;
        let mut turn = self.queue_project()?;
        let root = link::root(&self.project);
        real_folder(&root)?;
        self.deliver(&goal, &mut turn)?;
        let path = root.join(spec.folder.as_str());
        if let Some(found) = self.found(&path, &goal)? {
            return Ok(found);
        }
        let mut cleared = Cleared::default();
        self.clear(&path, spec, &mut cleared)?;
        if let Some(branch) = &goal.branch {
            self.free(&path, &branch.name, spec, &mut cleared)?;
            let saved = self.place_branch(branch, &goal.commit, &mut turn, &spec.saver.task)?;
            cleared.saved.extend(saved);
        }
        let (path, start) = self.make(&path, &goal)?;
        let Cleared { saved, set_aside } = cleared;
        Ok(Worktree {
            path,
            start,
            origin: WorktreeOrigin::Made,
            saved,
            set_aside,
        })
    }

    fn main_checkout(&self) -> Result<Worktree, GitError> {
        Ok(Worktree {
            path: self.project.root.clone(),
            start: self.state_of(&Place::Project)?,
            origin: WorktreeOrigin::Found,
            saved: Vec::new(),
            set_aside: Vec::new(),
        })
    }

    fn detached_goal(&self, revision: &Revision) -> Result<Goal, GitError> {
        let missing = || GitError::Missing {
            what: format!("a commit to check out ({})", name_of(revision)),
            hint: "push it first".to_owned(),
        };
        Ok(Goal {
            commit: self.find(revision)?.ok_or_else(missing)?,
            branch: None,
        })
    }

    /// Where the branch should stand: here, else on the remote, else at the base; never losing the previous attempt.
    fn branch_goal(
        &self,
        name: &BranchName,
        base: &BranchName,
        resume: Option<&CommitId>,
    ) -> Result<Goal, GitError> {
        let [base_head, local, remote] = self.find_each(&[
            Revision::Origin(base.clone()),
            Revision::Project(name.clone()),
            Revision::Origin(name.clone()),
        ])?;
        let base_head = base_head.ok_or_else(|| GitError::Missing {
            what: format!("branch {base} on origin"),
            hint: format!("push it first with `git push origin {base}`"),
        })?;
        let mut commit = match (&local, &remote) {
            (Some(here), Some(there)) if self.is_ancestor(here, there)? => there.clone(),
            (Some(here), _) => here.clone(),
            (None, Some(there)) => there.clone(),
            (None, None) => base_head.clone(),
        };
        let mut is_replaced = false;
        if let Some(earlier) = resume {
            if !self.bring(earlier)? {
                let hint = "it was deleted everywhere; resume without it".to_owned();
                return Err(GitError::Missing {
                    what: format!("commit {earlier} of the previous attempt"),
                    hint,
                });
            }
            if !self.is_ancestor(earlier, &commit)? {
                is_replaced = local.is_some() && !self.is_ancestor(&commit, earlier)?;
                commit = earlier.clone();
            }
        }
        let branch = BranchGoal {
            name: name.clone(),
            local,
            is_replaced,
            base: base.clone(),
            base_head,
        };
        Ok(Goal {
            commit,
            branch: Some(branch),
        })
    }

    /// Brings the commits of the goal into the project's repository, out of the control repository: the project's
    /// idea of where `origin` is plays no part.
    fn deliver(&self, goal: &Goal, turn: &mut Turn<'_>) -> Result<(), GitError> {
        self.pin(Class::Pin, &goal.commit)?;
        let there = self.named_in_project(&goal.commit).unwrap_or_default();
        let pinned = Class::Pin.keeps(&goal.commit);
        let tracking = goal.branch.as_ref().and_then(|branch| {
            let tracking = format!("refs/remotes/origin/{}", branch.base);
            let is_there = branch.base_head == goal.commit && there.contains(&tracking);
            let lock = lock_of(&tracking);
            (!is_there).then(|| {
                (
                    format!("+{}:{tracking}", Class::Remote.keeps(&branch.base_head)),
                    [lock],
                )
            })
        });
        // The tracking ref is for the agent's convenience only; an odd one in the way must not stop the work.
        match (there.is_empty(), tracking) {
            (true, Some((tracking, locks))) => {
                let call = self.handing_over(&[&pinned, &tracking]);
                let both = call.ok_in(turn, &locks).map(drop);
                both.or_else(|_odd| self.hand_over(&[&pinned]))
            }
            (true, None) => self.hand_over(&[&pinned]),
            (false, Some((tracking, locks))) => {
                drop(self.handing_over(&[&tracking]).ok_in(turn, &locks));
                Ok(())
            }
            (false, None) => Ok(()),
        }
    }

    /// Branches of the project, its own and the remote's as it last saw them, that stand at a commit: git keeps all that is
    /// below them.
    fn named_in_project(&self, commit: &CommitId) -> Result<Vec<String>, GitError> {
        let call = self.in_project(format!("look for branches at {commit}"));
        let call = call.args(["for-each-ref", "--format=%(refname)"]);
        let call = call.arg(format!("--points-at={commit}"));
        let said = call.args(["--", "refs/heads/", "refs/remotes/origin/"]).line()?;
        Ok(said.lines().map(str::to_owned).collect())
    }

    /// A complete worktree that already is what is asked for: a repeated call, or a retry on the same branch.
    fn found(&self, path: &Path, goal: &Goal) -> Result<Option<Worktree>, GitError> {
        let Seen::Ours(link) = link::look(&self.project, path)? else {
            return Ok(None);
        };
        let Some(entry) = self.registration(&link.folder)? else {
            return Ok(None);
        };
        if !link.is_ready() {
            return Ok(None);
        }
        let site = Site {
            folder: link.folder.clone(),
            git_dir: link.git_dir.clone(),
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
        let (saved, set_aside) = (Vec::new(), Vec::new());
        Ok(Some(Worktree {
            path: link.folder,
            start,
            origin: WorktreeOrigin::Found,
            saved,
            set_aside,
        }))
    }

    /// Empties the path: ours is kept and removed, an unknown folder moved aside, a stale registration dropped.
    fn clear(&self, path: &Path, spec: &WorktreeSpec, cleared: &mut Cleared) -> Result<(), GitError> {
        if let Removal::Removed(snapshot) = self.remove(&spec.folder, &spec.saver)? {
            cleared.saved.extend(snapshot);
        }
        if path.symlink_metadata().is_ok() {
            let aside = path.with_file_name(format!("{}.aside-{}", spec.folder, self.fresh("x")));
            if aside.symlink_metadata().is_ok() {
                return Err(GitError::NotOurs {
                    path: aside,
                    why: "its name was to be used".to_owned(),
                });
            }
            fs::rename(path, &aside).map_err(|error| failed("move aside", path, &error))?;
            cleared.set_aside.push(aside);
        }
        cleared.saved.extend(self.forget(path, &spec.saver)?);
        Ok(())
    }

    /// Frees the branch from a dead worktree of ours; anyone else's keeps it (K59, LK-18, LK-19).
    fn free(
        &self,
        path: &Path,
        branch: &BranchName,
        spec: &WorktreeSpec,
        cleared: &mut Cleared,
    ) -> Result<(), GitError> {
        for entry in self
            .registered()?
            .iter()
            .filter(|entry| entry.holds(branch) && !entry.is_at(path))
        {
            let dead = spec
                .dead
                .iter()
                .find(|dead| entry.is_at(&link::root(&self.project).join(dead.as_str())));
            let busy = || GitError::Busy {
                branch: branch.clone(),
                path: entry.path.clone(),
            };
            match dead {
                Some(dead) => match self.remove(dead, &spec.saver)? {
                    Removal::Removed(snapshot) => cleared.saved.extend(snapshot),
                    Removal::Absent => {}
                    Removal::Kept(why) => {
                        return Err(GitError::NotOurs {
                            path: entry.path.clone(),
                            why,
                        });
                    }
                },
                None if self.is_gone_and_ours(entry) => {
                    cleared.saved.extend(self.forget(&entry.path, &spec.saver)?);
                }
                None => return Err(busy()),
            }
        }
        Ok(())
    }

    fn is_gone_and_ours(&self, entry: &Registered) -> bool {
        let name = entry
            .path
            .file_name()
            .and_then(|name| SafeName::new(name.to_str()?).ok());
        let is_ours = name.is_some_and(|name| entry.is_at(&link::root(&self.project).join(name.as_str())));
        is_ours && matches!(link::look(&self.project, &entry.path), Ok(Seen::Nothing))
    }

    /// Makes the branch or moves it to the goal; a head that is replaced is kept first.
    fn place_branch(
        &self,
        branch: &BranchGoal,
        goal: &CommitId,
        turn: &mut Turn<'_>,
        task: &SafeName,
    ) -> Result<Option<Snapshot>, GitError> {
        if branch.local.as_ref() == Some(goal) {
            return Ok(None);
        }
        let saved = match &branch.local {
            Some(local) if branch.is_replaced => Some(self.archive(local, task)?),
            Some(_) | None => None,
        };
        self.move_branch(
            &branch.name,
            (branch.local.as_ref(), goal),
            "dbs: prepare an attempt",
            turn,
        )?;
        Ok(saved)
    }

    /// Registers the worktree without files, then writes them through the control repository, so that no filter or
    /// hook of the project runs; the ready mark comes last.
    fn make(&self, path: &Path, goal: &Goal) -> Result<(PathBuf, WorkspaceState), GitError> {
        let call = self.in_project(format!("make worktree {}", path.display()));
        let call = call.args(["worktree", "add", "--quiet", "--no-checkout"]);
        match &goal.branch {
            Some(branch) => call.arg("--").arg(path).arg(branch.name.as_str()).ok()?,
            None => call
                .args(["--detach", "--"])
                .arg(path)
                .arg(goal.commit.as_str())
                .ok()?,
        };
        let link = match link::look(&self.project, path)? {
            Seen::Ours(link) => link,
            Seen::Nothing | Seen::EmptyFolder | Seen::Foreign(_) => {
                let why = "git made it, but it does not belong to the project".to_owned();
                return Err(GitError::NotOurs {
                    path: path.to_path_buf(),
                    why,
                });
            }
        };
        self.fill(&link, &goal.commit)?;
        let site = Site {
            folder: link.folder.clone(),
            git_dir: link.git_dir.clone(),
        };
        let start = self.fresh_state(&site, &goal.commit)?;
        if start.head.as_ref() != Some(&goal.commit) {
            let what = format!("make worktree {}", path.display());
            return Err(GitError::Failed {
                what,
                why: "the branch moved meanwhile".to_owned(),
            });
        }
        link.set_ready()?;
        Ok((link.folder, start))
    }

    fn fill(&self, link: &Link, commit: &CommitId) -> Result<(), GitError> {
        let index = link.git_dir.join(self.fresh("dbs-index"));
        self.write_files(&link.folder, &index, commit)?;
        let final_index = link.git_dir.join("index");
        checkout::put(&index, &final_index)
    }
}

fn name_of(revision: &Revision) -> String {
    match revision {
        Revision::Commit(commit) => commit.to_string(),
        Revision::Origin(branch) => format!("branch {branch} on origin"),
        Revision::Project(branch) => format!("branch {branch}"),
        Revision::Place(Place::Project) => "the main checkout".to_owned(),
        Revision::Place(Place::Worktree(name)) => format!("worktree {name}"),
    }
}
