//! Additions and changes in the repository, beside its commits, that were made while an agent was at work and that change what git shows or
//! starts. Older ones are the person's, and so may be new ones: nothing of them is changed here.

use std::collections::BTreeMap;

use super::context::{EngineContext, base_branch};
use super::job::Job;
use crate::domain::{Attempt, Cause};
use crate::ports::git::{CommitId, CommitsAhead, GitOverride, Revision};

/// Maximum number of changes that are named one by one.
const MOST_NAMED: usize = 5;

/// Returns everything of this kind that exists now: the digest of each by name.
///
/// # Errors
/// When the repository cannot be read.
pub(super) fn now(context: &EngineContext, job: &Job) -> Result<BTreeMap<String, String>, Cause> {
    let found = look(context, job)?.into_iter();
    Ok(found.map(|one| (one.name, one.digest)).collect())
}

/// Lists the additions and changes since the work began, each with the command that takes it back.
///
/// # Errors
/// When that cannot be found out.
pub(super) fn since_start(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
) -> Result<Vec<String>, Cause> {
    let workplace = attempt.workplace.as_ref();
    let Some(before) = workplace.and_then(|workplace| workplace.git_overrides.as_ref()) else {
        return Ok(Vec::new());
    };
    let mut changes = Vec::new();
    for one in look(context, job)? {
        if before.get(&one.name) == Some(&one.digest) || is_fetched(context, job, &one)? {
            continue;
        }
        changes.push(format!("{} (`{}` takes it back)", one.shown, one.undo));
    }
    let more = changes.len().saturating_sub(MOST_NAMED);
    changes.truncate(MOST_NAMED);
    if more > 0 {
        changes.push(format!("{more} more"));
    }
    Ok(changes)
}

fn look(context: &EngineContext, job: &Job) -> Result<Vec<GitOverride>, Cause> {
    // Work on the main checkout may have none.
    let base = base_branch(&job.base).ok();
    let found = context.git.overrides(base.as_ref());
    found.map_err(|error| error.cause().after("could not "))
}

/// Returns true if it is a tracking branch at a present or former commit of the remote's branch: agents may fetch.
fn is_fetched(context: &EngineContext, job: &Job, one: &GitOverride) -> Result<bool, Cause> {
    if !one.name.starts_with("refs/remotes/") {
        return Ok(false);
    }
    let (Ok(at), Ok(base)) = (CommitId::new(&one.digest), base_branch(&job.base)) else {
        return Ok(false);
    };
    match context
        .git
        .commits_ahead(&Revision::Commit(at), &Revision::RemoteBranch(base))
    {
        CommitsAhead::Commits { n_commits, .. } => Ok(n_commits == 0),
        // A remote without that branch has nothing that could be compared with it.
        CommitsAhead::Absent(_) => Ok(true),
        CommitsAhead::Unknown(why) => Err(why),
    }
}
