//! Record of a finished story in the files of a project: written with its merge, in the very commit that brings it to the base, so that
//! neither ever exists without the other (A9, LA-9, LA-10).

use super::context::EngineContext;
use super::job::{Job, JobKind};
use crate::domain::{ActionOutcome, Attempt, EngineAction, PlanEntry, queued_prd};
use crate::ports::git::{CommitFile, CommitId, MergeEdits};
use crate::ports::stories::FinishedStory;

/// Maximum number of bytes of a file that is read or written.
const FILE_LIMIT: usize = 1024 * 1024;

/// Returns true if the merge of this job records a story.
pub(super) fn is_kept(job: &Job) -> bool {
    let merges = job.kind == JobKind::Act(EngineAction::Merge);
    let plan = job.task.plan.as_ref();
    merges && plan.is_some_and(|plan| plan.tests.is_some())
}

/// The files that are written with the merge into that base; none where they say so already.
///
/// # Errors
/// The outcome of the action if they cannot be known, or a person has to put something right.
pub(super) fn edits(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    base: &CommitId,
) -> Result<MergeEdits, ActionOutcome> {
    let none = || MergeEdits {
        base: base.clone(),
        files: Vec::new(),
    };
    let Some(plan) = job.task.plan.as_deref() else {
        return Ok(none());
    };
    let work = &job.task.record.work;
    let prds = prds(context, plan, base)?;
    let mut unknown = None;
    let unread = std::cell::RefCell::new(&mut unknown);
    let read = |path: &str| match context.git.file_at(base, path, FILE_LIMIT) {
        Ok(CommitFile::Absent) => Ok(None),
        Ok(CommitFile::Text(text)) if !text.truncated => Ok(Some(text.text)),
        Ok(CommitFile::Text(_)) => {
            Err(format!("{path} is larger than {FILE_LIMIT} bytes in the base").into())
        }
        Ok(CommitFile::NoFile) => Err(format!("{path} is not a file in the base").into()),
        Err(error) => {
            let cause = error.cause().after("could not ");
            **unread.borrow_mut() = Some(cause.clone());
            Err(cause)
        }
    };
    let story = FinishedStory {
        plan,
        title: &job.task.title,
        commit: job.task.head.as_deref().unwrap_or_default(),
        at: attempt.created_at,
        began: work.began.unwrap_or(job.task.created_at),
        tests: work.tests,
        model: job.model.clone(),
        sessions: work.sessions.into(),
        blocks: work
            .stuck
            .iter()
            .map(|stuck| (stuck.at, stuck.why.clone()))
            .collect(),
    };
    let files = context.stories.record(&story, &prds, &read);
    match (files, unknown) {
        (Ok(files), _) => Ok(MergeEdits { files, ..none() }),
        (Err(_), Some(cause)) => Err(ActionOutcome::Unknown(cause)),
        (Err(why), None) => Err(ActionOutcome::Refused(format!("could not {why}"))),
    }
}

/// Returns the names of the PRDs in their folder, in a commit.
fn prds(context: &EngineContext, plan: &PlanEntry, base: &CommitId) -> Result<Vec<String>, ActionOutcome> {
    let folder = plan.tests.as_ref().map_or("", |tests| tests.prds.as_str());
    let files = context.git.list_files(base, Some(folder));
    let files = files.map_err(|error| ActionOutcome::Unknown(error.cause().after("could not ")))?;
    let names = files.iter().filter_map(|path| queued_prd(folder, path));
    Ok(names.map(str::to_owned).collect())
}
