//! Starting an agent: workspace first, then the process. No workspace, no process (design 5.5, LK-17).

use std::path::{Path, PathBuf};

use super::job::Job;
use super::world::{World, base_branch, branch_of};
use crate::domain::workflow::Workspace;
use crate::domain::{Attempt, Event, Worker, Workplace};
use crate::ports::agents::{Brief, LaunchLine};
use crate::ports::git::{CommitId, Revision, SafeName, WorktreeKind, WorktreeSpec};
use crate::ports::holders::{HeldState, HolderId, LaunchError, LaunchSpec, Leftovers};

/// Makes the workspace and starts the agent; safe to repeat for the same attempt.
pub(super) fn start(world: &World, job: &Job) -> Option<Event> {
    let attempt = job.attempt.as_deref()?;
    let made = match make_workplace(world, job, attempt) {
        Ok(made) => made,
        Err(why) => {
            return Some(Event::AttemptNotStarted {
                attempt: attempt.id,
                why,
            });
        }
    };
    match launch(world, job, attempt, &made) {
        Ok(()) => Some(Event::AttemptStarted {
            attempt: attempt.id,
            workplace: made,
        }),
        Err(why) => {
            super::settling::discard(world, job);
            Some(Event::AttemptNotStarted {
                attempt: attempt.id,
                why,
            })
        }
    }
}

/// Attaches to the started agent; called after its start has been reported, so that its end cannot be reported first.
pub(super) fn follow(world: &World, job: &Job) {
    if let Some(attempt) = job.attempt.as_deref() {
        world.terminals.follow(&HolderId::from(attempt.id));
    }
}

fn make_workplace(world: &World, job: &Job, attempt: &Attempt) -> Result<Workplace, String> {
    let branch = branch_of(&job.task);
    let base = || base_branch(&job.base).map_err(|error| format!("could not {error}"));
    let head = job.task.head.as_deref().and_then(|text| CommitId::new(text).ok());
    let kind = match job.workspace() {
        Workspace::Branch => WorktreeKind::Branch {
            branch: branch.clone(),
            base: base()?,
            resume: head,
        },
        Workspace::Head => {
            WorktreeKind::Detached(head.map_or_else(|| Revision::Origin(branch.clone()), Revision::Commit))
        }
        Workspace::Base => WorktreeKind::Detached(Revision::Origin(base()?)),
        Workspace::Main | Workspace::None => WorktreeKind::MainCheckout,
    };
    let on_branch = matches!(kind, WorktreeKind::Branch { .. });
    let spec = WorktreeSpec {
        folder: SafeName::derive(&job.folder().unwrap_or_default()),
        kind,
        dead: job.dead.iter().map(|name| SafeName::derive(name)).collect(),
        saver: world.saver(&job.task, attempt.created_at),
    };
    let worktree = world
        .git
        .ensure_worktree(&spec)
        .map_err(|error| format!("could not {error}"))?;
    Ok(Workplace {
        path: worktree.path.to_string_lossy().into_owned(),
        branch: on_branch.then(|| branch.as_str().to_owned()),
        start: worktree.start.head.map(|commit| commit.as_str().to_owned()),
        start_tree: Some(worktree.start.tree.as_str().to_owned()),
    })
}

fn launch(world: &World, job: &Job, attempt: &Attempt, made: &Workplace) -> Result<(), String> {
    let line = world.agents.launch_line(&brief(job, attempt, made)?)?;
    let spec = spec(world, attempt, Path::new(&made.path), line);
    match world.holders.launch(&spec) {
        Ok(_) => Ok(()),
        // It ran before the server was restarted; following it reports how it ended.
        Err(LaunchError::AlreadyRan(state)) if !matches!(*state, HeldState::NotStarted) => Ok(()),
        Err(error @ LaunchError::Unclear(_)) => match world.holders.look(&spec.id).state {
            HeldState::Running(_) | HeldState::Exited(_) => Ok(()),
            HeldState::Lost | HeldState::NotStarted | HeldState::Unknown(_) => {
                Err(format!("could not {error}"))
            }
        },
        Err(error) => Err(format!("could not {error}")),
    }
}

fn spec(world: &World, attempt: &Attempt, folder: &Path, line: LaunchLine) -> LaunchSpec {
    LaunchSpec {
        id: HolderId::from(attempt.id),
        argv: line.argv,
        cwd: folder.to_path_buf(),
        env: line.env,
        size: world.facts.size,
        marker: format!("{}-{}", world.facts.marker, attempt.id),
        log_limit: world.facts.log_limit,
        leftovers: Leftovers::Sweep,
    }
}

fn brief(job: &Job, attempt: &Attempt, made: &Workplace) -> Result<Brief, String> {
    let Worker::Agent { role, name } = &attempt.worker else {
        return Err("could not start an agent for an engine action".to_owned());
    };
    Ok(Brief {
        attempt: attempt.id,
        created_at: attempt.created_at,
        task: job.task.id.clone(),
        title: job.task.title.clone(),
        body: job.task.body.clone(),
        tags: job.task.tags.clone(),
        stage: attempt.stage.clone(),
        role: role.clone(),
        name: name.clone(),
        mode: attempt.mode,
        n: attempt.n,
        folder: PathBuf::from(&made.path),
        branch: branch_of(&job.task).as_str().to_owned(),
        base: job.base.clone(),
        finding: job.task.finding.clone(),
    })
}
