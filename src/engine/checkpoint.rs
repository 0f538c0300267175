//! Saving the work of an agent whose context was full: committed on its task's branch, in its workspace, which stays for the next
//! session.

use super::cleanup;
use super::context::{EngineContext, base_branch};
use super::job::Job;
use super::leftovers::{self, CommitWords};
use crate::domain::workflow::Workspace;
use crate::domain::{Attempt, Cause, Event, SavedWork};
use crate::ports::git::{CommitId, CommitOutcome, DiffRange, Revision, SafeName, WorkingTree};

/// Commits the files that an attempt left, and looks at the changes since its work began. Safe to repeat.
pub(super) fn save(context: &EngineContext, job: &Job) -> Option<Event> {
    let attempt = job.attempt.as_deref()?;
    Some(Event::WorkSaved {
        attempt: attempt.id,
        work: saved(context, job, attempt),
    })
}

fn saved(context: &EngineContext, job: &Job, attempt: &Attempt) -> SavedWork {
    // Nothing is committed under a process that may still write.
    let ended = cleanup::end_agent(context, attempt.id);
    let problem = ended.and_then(|()| commit(context, job, attempt)).err();
    let problem = problem.map(|why| why.text);
    let Some(place) = place(job) else {
        return SavedWork {
            problem,
            ..SavedWork::default()
        };
    };
    let seen = context.git.workspace_tree(&place).ok();
    let mut changed = changed(context, job, attempt, place);
    changed.sort();
    let more = changed.len().saturating_sub(SavedWork::MOST_FILES);
    changed.truncate(SavedWork::MOST_FILES);
    SavedWork {
        head: seen
            .as_ref()
            .and_then(|seen| Some(seen.head.as_ref()?.as_str().to_owned())),
        tree: seen.map(|seen| seen.tree.as_str().to_owned()),
        changed,
        more: more as u64,
        problem,
    }
}

/// Commits on the task's branch, and nowhere else: who only reads, or works in the person's own folder, leaves nothing to commit.
fn commit(context: &EngineContext, job: &Job, attempt: &Attempt) -> Result<(), Cause> {
    if job.workspace() != Workspace::Branch {
        return Ok(());
    }
    let title = format!("Checkpoint: {}", job.task.title);
    let text = "The context of the agent was full. The work is not finished; a fresh session continues it.";
    let words = CommitWords {
        title: &title,
        text: text.to_owned(),
    };
    let Some(request) = leftovers::request(context, job, attempt, words) else {
        return Ok(());
    };
    match context.git.commit_leftovers(&request) {
        Ok(CommitOutcome::Committed(_) | CommitOutcome::NothingToCommit(_)) => Ok(()),
        Ok(CommitOutcome::Refused(why)) => Err(why.into()),
        Err(error) => Err(error.cause().after("could not ")),
    }
}

fn place(job: &Job) -> Option<WorkingTree> {
    match job.workspace() {
        Workspace::Main | Workspace::None => None,
        Workspace::Branch | Workspace::Head | Workspace::Base => {
            Some(WorkingTree::Worktree(SafeName::derive(&job.folder()?)))
        }
    }
}

/// Returns the files that differ from the commit at which the work began, untracked ones included. An unknown answer keeps no agent from
/// its work.
fn changed(context: &EngineContext, job: &Job, attempt: &Attempt, place: WorkingTree) -> Vec<String> {
    let start = attempt.workplace.as_ref().and_then(|made| made.start.as_deref());
    let start = start
        .and_then(|text| CommitId::new(text).ok())
        .map(Revision::Commit);
    let base = || base_branch(&job.base).ok().map(Revision::RemoteBranch);
    let Some(base) = start.or_else(base) else {
        return Vec::new();
    };
    let found = context
        .git
        .changed_paths(&DiffRange::WorkInProgress { base, place });
    found.unwrap_or_else(|error| {
        tracing::warn!(attempt = %attempt.id, "could not tell which files changed: could not {error}");
        Vec::new()
    })
}
