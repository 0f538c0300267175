//! Watch of a base that another hand may have moved. The remote is rarely asked for it: each place that has asked for the commit of the
//! base hands on the answer.

use super::context::{EngineContext, base_branch};
use super::job::Job;
use crate::domain::{Cause, Event};
use crate::ports::git::{BranchName, CommitId, Head, Revision, SafeName};

/// Reports to the board the commits that moved the base of a job to its present commit, unless the engine moved it. The event is durable
/// before the movement is noted as reported: after a crash it is reported again, and the board counts it once.
pub(super) fn look(context: &EngineContext, job: &Job, now: &CommitId) {
    let Ok(base) = base_branch(&job.base) else { return };
    if let Err(why) = tell(context, job, &base, now) {
        tracing::warn!(task = %job.task.id, "could not look what moved {base}: {why}");
    }
}

fn tell(context: &EngineContext, job: &Job, base: &BranchName, now: &CommitId) -> Result<(), Cause> {
    let moved = context
        .git
        .base_move(base, now)
        .map_err(|error| Cause::from(error.to_string()))?;
    let Some(moved) = moved else { return Ok(()) };
    // Not always `now`, which may have been read before another look.
    let to = CommitId::new(&moved.to).map_err(|error| Cause::from(error.to_string()))?;
    let told = context.inbox.send_and_wait(Event::BaseMoved {
        task: job.task.id.clone(),
        moved: Box::new(moved),
    });
    told.map_err(|_closed| Cause::from("the engine has stopped"))?;
    context
        .git
        .note_base(base, &to)
        .map_err(|error| Cause::from(error.to_string()))
}

/// Asks for the commit of the base if the agent of a job made commits that are not part of the task's work: only the log of its worktree
/// remembers them.
pub(super) fn look_behind_agent(context: &EngineContext, job: &Job) {
    let Some(folder) = job.folder() else { return };
    let folder = &SafeName::derive(&folder);
    let (Ok(true), Ok(base)) = (
        context.git.made_beyond(folder, job.recorded_head().as_ref()),
        base_branch(&job.base),
    ) else {
        return;
    };
    if let Head::At(now) = context.git.resolve(&Revision::RemoteBranch(base)) {
        look(context, job, &now);
    }
}
