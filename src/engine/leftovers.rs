//! Files that an agent left uncommitted in its worktree: committed for it, on its task's branch, or reported to it.

use super::context::{EngineContext, branch_of, signature};
use super::job::Job;
use crate::domain::commit_template::{self, CommitTemplateValues};
use crate::domain::{Attempt, SignalKind, Tri};
use crate::ports::git::{
    CommitOutcome, CommitRequest, DiffRange, Revision, SafeName, Signature, WorkingTree,
};

/// Maximum number of files that are named.
const MOST_NAMED: usize = 10;

/// Commits the files that the agent left; where the engine is not to commit, checks whether it left any.
pub(super) fn take(context: &EngineContext, job: &Job, attempt: &Attempt) -> Tri {
    if !job.commits {
        return committed_by_itself(context, job);
    }
    let words = CommitWords {
        title: &job.task.title,
        text: done_text(attempt),
    };
    let Some(request) = request(context, job, attempt, words) else {
        return Tri::No("there is no worktree whose files could be committed".to_owned());
    };
    match context.git.commit_leftovers(&request) {
        Ok(CommitOutcome::Committed(_) | CommitOutcome::NothingToCommit(_)) => Tri::Yes,
        Ok(CommitOutcome::Refused(why)) => Tri::No(why),
        Err(error) => Tri::Unknown(error.cause().after("could not ")),
    }
}

fn committed_by_itself(context: &EngineContext, job: &Job) -> Tri {
    let Some(folder) = job.folder() else {
        return Tri::No("there is no worktree to look at".to_owned());
    };
    let range = DiffRange::WorkInProgress {
        base: Revision::LocalBranch(branch_of(&job.task)),
        place: WorkingTree::Worktree(SafeName::derive(&folder)),
    };
    match context.git.changed_paths(&range) {
        Ok(files) if files.is_empty() => Tri::Yes,
        Ok(files) => Tri::No(format!("not committed: {}", named_files(&files))),
        Err(error) => Tri::Unknown(error.cause().after("could not ")),
    }
}

/// The first of these files by name, and how many more there are.
pub(super) fn named_files(files: &[String]) -> String {
    let named: Vec<&str> = files.iter().take(MOST_NAMED).map(String::as_str).collect();
    let more = files.len() - named.len();
    let rest = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    format!("{}{rest}", named.join(", "))
}

/// Message parts of a commit of files that an agent left.
pub(super) struct CommitWords<'a> {
    pub(super) title: &'a str,
    pub(super) text: String,
}

/// Returns the commit of the files that an attempt left, with these words; `None` if it has no worktree of its own.
pub(super) fn request(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    words: CommitWords<'_>,
) -> Option<CommitRequest> {
    let (start, title) = first_line(context, job, attempt, &words);
    Some(CommitRequest {
        folder: SafeName::derive(&job.folder()?),
        branch: branch_of(&job.task),
        task: SafeName::derive(job.task.id.as_str()),
        attempt: SafeName::derive(&attempt.id.to_string()),
        start,
        title,
        text: words.text,
        agent: agent(attempt),
        signature: Signature {
            seconds: signature(attempt.created_at).seconds,
            ..context.config.author.clone()
        },
    })
}

/// Returns the prefix and the title of the commit: worded by the settings, else the title with the task's id before it (C14). It is made
/// before the checks, so that it calls no work whole.
fn first_line(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    words: &CommitWords<'_>,
) -> (String, String) {
    let Some(template) = context.config.commit_message.as_deref() else {
        return (format!("[{}]", job.task.id), words.title.to_owned());
    };
    let values = CommitTemplateValues::of(&job.task, attempt.stage.as_str(), false);
    (String::new(), commit_template::render(template, &values))
}

/// The kind of agent and its model, as far as its attempt knows them.
fn agent(attempt: &Attempt) -> Option<String> {
    let choice = &attempt.choice;
    let agent = choice.agent.as_ref().map(|chosen| chosen.value.as_str())?;
    let model = choice.model.as_ref().map(|chosen| chosen.value.as_str());
    Some(model.map_or_else(|| agent.to_owned(), |model| format!("{agent} ({model})")))
}

/// The text of the agent's done signal.
fn done_text(attempt: &Attempt) -> String {
    let mut signals = attempt.signals.iter().rev();
    let done = signals.find(|signal| signal.kind == SignalKind::Done);
    done.map(|signal| signal.text.clone()).unwrap_or_default()
}
