//! The check of a merge that an agent made for the engine.

use super::context::EngineContext;
use super::job::Job;
use super::merge_request::request;
use crate::domain::{Attempt, Cause, Evidence, EvidenceKind, Integration, Tri};
use crate::ports::git::{CommitId, GitError, Head, Revision};

/// Compares the base with the expected merge of the task's head, where an agent has merged for the engine. If a comparison is not possible,
/// the proof of the merge stays open.
pub(super) fn compare_agents_merge(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    evidence: &mut [Evidence],
) -> Option<Integration> {
    let compared = compare_since_start(context, job, attempt);
    compared.unwrap_or_else(|why| {
        let merged = evidence
            .iter_mut()
            .filter(|piece| piece.kind == EvidenceKind::Merged);
        for piece in merged.filter(|piece| piece.outcome == Tri::Yes) {
            piece.outcome = Tri::Unknown(why.clone());
        }
        None
    })
}

fn compare_since_start(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
) -> Result<Option<Integration>, Cause> {
    let start = attempt.workplace.as_ref().and_then(|made| made.start.as_deref());
    let start = start.ok_or("it is not known where the base stood when its agent began")?;
    let start = CommitId::new(start).map_err(|error| format!("could not {error}"))?;
    let request = request(context, job, attempt)?;
    let now = match context.git.resolve(&Revision::RemoteBranch(request.base.clone())) {
        Head::At(now) => now,
        Head::Absent => return Ok(None),
        Head::Unknown(why) => return Err(why),
    };
    let after = |error: GitError| error.cause().after("could not ");
    let found = context.git.compare_merge(&request, &start, &now).map_err(after)?;
    context.git.note_base(&request.base, &now).map_err(after)?;
    Ok(found)
}
