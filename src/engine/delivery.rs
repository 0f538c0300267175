//! The merge of a task brought to the person's checkout, or told to them, as the settings say.

use super::context::{EngineContext, base_branch};
use super::job::Job;
use crate::domain::{Cause, Delivery, DeliveryEnd, DeliveryMode, Event, Tri};
use crate::ports::git::{BranchName, CommitId, CommitsAhead, Head, Revision};

/// Delivers the merge of a task. One that was not delivered before is only looked at: a person decides when it is tried again.
pub(super) fn deliver(
    context: &EngineContext,
    job: &Job,
    mode: DeliveryMode,
    owed: Option<&Delivery>,
) -> Option<Event> {
    let task = job.task.id.clone();
    if job.task.handed_over_on().is_some() {
        let commit = merge_of(context, job);
        return Some(Event::MergeSeen { task, commit });
    }
    let (Ok(base), Ok(to)) = (base_branch(&job.base), CommitId::new(job.task.merged.as_deref()?)) else {
        return None;
    };
    let delivery = match (mode, owed) {
        (DeliveryMode::Off, _) => return None,
        (DeliveryMode::Tell, _) => told(context, &base, &to, DeliveryEnd::Told),
        (DeliveryMode::FastForward, Some(owed)) => told(context, &base, &to, owed.end.clone()),
        (DeliveryMode::FastForward, None) => {
            let moved = context.git.deliver(&base, &to);
            moved.map_err(|error| Cause::from(error.to_string()))
        }
    };
    let delivery = delivery.unwrap_or_else(|why| {
        let why = format!("could not {why}; `dbs pull` tries again");
        delivery_of(context, &base, &to, 0, DeliveryEnd::Kept(why))
    });
    let delivery = Box::new(delivery);
    Some(Event::Delivered { task, delivery })
}

/// Returns the head of the base if it has the work of a task, no matter who merged it, or if a person says that it is merged.
fn merge_of(context: &EngineContext, job: &Job) -> Option<String> {
    let base = base_branch(&job.base).ok()?;
    let head = CommitId::new(job.task.head.as_deref()?).ok()?;
    let handover = job.task.handover.as_deref();
    let is_said = handover.is_some_and(|handover| handover.said_by.is_some());
    let is_merged = is_said || context.git.is_merged(&head, &base) == Tri::Yes;
    match context.git.resolve(&Revision::RemoteBranch(base)) {
        Head::At(commit) if is_merged => Some(commit.as_str().to_owned()),
        Head::At(_) | Head::Absent | Head::Unknown(_) => None,
    }
}

/// Returns the commits that the person's branch lacks, with the end that a delivery has if there are any.
fn told(
    context: &EngineContext,
    base: &BranchName,
    to: &CommitId,
    end: DeliveryEnd,
) -> Result<Delivery, Cause> {
    let (to_revision, local) = (Revision::Commit(to.clone()), Revision::LocalBranch(base.clone()));
    match context.git.commits_ahead(&to_revision, &local) {
        CommitsAhead::Commits { n_commits: 0, .. } => {
            Ok(delivery_of(context, base, to, 0, DeliveryEnd::Current))
        }
        CommitsAhead::Commits { n_commits, .. } => Ok(delivery_of(context, base, to, n_commits, end)),
        CommitsAhead::Absent(_) => Ok(delivery_of(context, base, to, 0, DeliveryEnd::NoBranch)),
        CommitsAhead::Unknown(why) => Err(why),
    }
}

fn delivery_of(
    context: &EngineContext,
    base: &BranchName,
    to: &CommitId,
    n_commits: u64,
    end: DeliveryEnd,
) -> Delivery {
    Delivery {
        base: base.as_str().to_owned(),
        remote: context.git.remote_name(),
        to: to.as_str().to_owned(),
        n_commits,
        end,
    }
}
