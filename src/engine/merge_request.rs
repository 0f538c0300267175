//! The merge of a task as it is asked of git.

use super::context::{EngineContext, base_branch, branch_of, signature};
use super::job::Job;
use crate::domain::commit_template::{self, CommitTemplateValues};
use crate::domain::{Attempt, Cause, MergeStyle};
use crate::ports::git::{CommitId, MergeRequest, ReviewedHead, SafeName};

/// Returns the request to merge the head that came to the stage.
///
/// # Errors
/// The missing part.
pub(super) fn request(context: &EngineContext, job: &Job, attempt: &Attempt) -> Result<MergeRequest, Cause> {
    let head = job.task.head.as_deref();
    let head = head.ok_or_else(|| Cause::from("the task has no recorded head to merge"))?;
    let wrap = |error: crate::ports::git::NameError| format!("could not {error}");
    let (start, title) = first_line(context, job);
    let base = base_branch(&job.base).map_err(wrap)?;
    let message = context.config.merging.message.as_deref().map(|template| {
        let subject = format!("{start} {title}");
        let branch = branch_of(&job.task);
        let values = CommitTemplateValues {
            subject: subject.trim(),
            branch: branch.as_str(),
            base: base.as_str(),
            ..CommitTemplateValues::of(&job.task, job.stage.id.as_str(), true)
        };
        commit_template::render(template, &values)
    });
    Ok(MergeRequest {
        task: SafeName::derive(job.task.id.as_str()),
        attempt: SafeName::derive(&attempt.id.to_string()),
        start,
        title,
        message,
        style: context.config.merging.style,
        edits: None,
        head: CommitId::new(head).map_err(wrap)?,
        reviewed: reviewed(job)?,
        branch: branch_of(&job.task),
        base,
        signature: signature(attempt.created_at),
    })
}

/// Returns the first line of the merge of a task in two parts, of which the first may be empty.
fn first_line(context: &EngineContext, job: &Job) -> (String, String) {
    let title = job.task.title.clone();
    match (words_of_plan(context, job), context.config.merging.style) {
        (Some(words), _) => (String::new(), words),
        (None, MergeStyle::Merge) => (format!("Merge {}:", branch_of(&job.task)), title),
        (None, MergeStyle::Squash | MergeStyle::Rebase) => (String::new(), title),
    }
}

/// Returns the first line of the merge of a task that comes from a plan: its own there, else as the settings word the commits of plans.
fn words_of_plan(context: &EngineContext, job: &Job) -> Option<String> {
    let plan = job.task.plan.as_ref()?;
    let worded = || {
        let template = context.config.commit_message.as_deref()?;
        let values = CommitTemplateValues::of(&job.task, job.stage.id.as_str(), true);
        Some(commit_template::render(template, &values))
    };
    plan.commit.clone().or_else(worded)
}

/// Returns the head with which the task came to its merge.
fn reviewed(job: &Job) -> Result<Option<ReviewedHead>, Cause> {
    let came = job.task.stage_head.as_deref().map(CommitId::new).transpose();
    let came = came.map_err(|error| Cause::from(format!("could not {error}")))?;
    Ok(came.map(|commit| ReviewedHead {
        commit,
        judges_lines: job.is_reviewed,
    }))
}
