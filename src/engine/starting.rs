//! Starting an agent: workspace first, then the process. No workspace, no process (design 5.5, LK-17).

use std::path::{Path, PathBuf};

use super::job::Job;
use super::world::{GRACE, World, base_branch, branch_of};
use crate::domain::workflow::Workspace;
use crate::domain::{Attempt, Event, Worker, Workplace};
use crate::ports::agents::{Brief, LaunchLine};
use crate::ports::git::{CommitId, Revision, SafeName, WorktreeKind, WorktreeSpec};
use crate::ports::holders::{HeldState, HolderId, LaunchError, LaunchSpec, Leftovers};

/// Why there is no process.
enum Trouble {
    /// It could not be started; for people.
    Failed(String),
    /// Nobody knows whether it runs; asked for again, this is answered then.
    Unclear(String),
}

/// Makes the workspace and starts the agent; safe to repeat for the same attempt: what was started before is left alone,
/// workspace and process, and only reported. Without an answer the start is asked for again later.
pub(super) fn start(world: &World, job: &Job) -> Option<Event> {
    let attempt = job.attempt.as_deref()?;
    let id = HolderId::from(attempt.id);
    let why = match (world.holders.look(&id).state, &attempt.workplace) {
        (HeldState::NotStarted, _) => return begin(world, job, attempt),
        (HeldState::Unknown(why), _) => return unanswered(attempt, &why),
        (HeldState::Running(_) | HeldState::Exited(_) | HeldState::Lost, Some(made)) => {
            return Some(started(attempt, made.clone()));
        }
        (HeldState::Running(_), None) => match world.holders.stop(&id, GRACE) {
            Ok(_) => "an agent of that number ran already and was stopped".to_owned(),
            Err(error) => return unanswered(attempt, &error.to_string()),
        },
        (HeldState::Exited(_) | HeldState::Lost, None) => {
            "an agent of that number ran before; the next attempt has another".to_owned()
        }
    };
    Some(not_started(attempt, why))
}

fn begin(world: &World, job: &Job, attempt: &Attempt) -> Option<Event> {
    let made = match make_workplace(world, job, attempt) {
        Ok(made) => made,
        Err(why) => return Some(not_started(attempt, why)),
    };
    // Durable before the process runs: an end whose start was never heard of is judged by it, and a process that runs is
    // never given another workspace.
    let known = world.inbox.ask(Event::WorkplaceMade {
        attempt: attempt.id,
        workplace: made.clone(),
    });
    match known.ok()?.recv().ok()? {
        Ok(_) => {}
        Err(refusal) => {
            tracing::info!(attempt = %attempt.id, "it is not started: {}", refusal.0);
            super::settling::discard(world, job);
            return None;
        }
    }
    match launch(world, job, attempt, &made) {
        Ok(()) => Some(started(attempt, made)),
        Err(Trouble::Failed(why)) => Some(not_started(attempt, why)),
        Err(Trouble::Unclear(why)) => unanswered(attempt, &why),
    }
}

fn started(attempt: &Attempt, workplace: Workplace) -> Event {
    Event::AttemptStarted {
        attempt: attempt.id,
        workplace,
    }
}

fn not_started(attempt: &Attempt, why: String) -> Event {
    Event::AttemptNotStarted {
        attempt: attempt.id,
        why,
    }
}

fn unanswered(attempt: &Attempt, why: &str) -> Option<Event> {
    tracing::warn!(attempt = %attempt.id, "could not tell whether it runs: {why}; asked again later");
    None
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

fn launch(world: &World, job: &Job, attempt: &Attempt, made: &Workplace) -> Result<(), Trouble> {
    let brief = brief(job, attempt, made).map_err(Trouble::Failed)?;
    let line = world.agents.launch_line(&brief).map_err(Trouble::Failed)?;
    let spec = spec(world, attempt, Path::new(&made.path), line);
    let Err(error) = world.holders.launch(&spec) else {
        return Ok(());
    };
    let why = format!("could not {error}");
    match (error, world.holders.look(&spec.id).state) {
        (_, HeldState::Running(_) | HeldState::Exited(_) | HeldState::Lost) => Ok(()),
        (LaunchError::Unclear(_), _) | (_, HeldState::Unknown(_)) => Err(Trouble::Unclear(why)),
        (LaunchError::Refused(_) | LaunchError::AlreadyRan(_) | LaunchError::Failed(_), _) => {
            Err(Trouble::Failed(why))
        }
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
