//! Facts of a prompt that only the engine can add: folder, commits and files, as git has them at the start.

use super::context::{EngineContext, base_branch, branch_of};
use super::job::Job;
use crate::domain::workflow::Workspace;
use crate::domain::{Cause, EvidenceKind, Integration, PlanEntry, PromptFacts, Span, Workplace};
use crate::ports::git::{CommitFile, CommitId, DiffRange, Git, Head, Revision};
use crate::ports::stories::{ContextRequest, StoryFiles};

/// Maximum number of bytes of a text that an agent is given to read.
const TEXT_LIMIT: usize = 256 * 1024;
/// Maximum number of bytes of a difference.
const MOST_DIFFERENCE: usize = 16 * 1024 * 1024;

/// Returns the facts for the agent of a job that works there; `base` is the commit of the remote's base branch, if it was asked already.
/// Facts that git cannot give are left open: they keep no agent from its work.
pub(super) fn facts(
    context: &EngineContext,
    job: &Job,
    made: &Workplace,
    base: Option<CommitId>,
) -> PromptFacts {
    let mut facts = job.facts.as_deref().cloned().unwrap_or_default();
    facts.reading = reading(context, job, made).unwrap_or_else(|why| {
        tracing::warn!(task = %job.task.id, "the agent of a story is given nothing to read: {why}");
        String::new()
    });
    facts.place.worktree = Some(made.path.clone());
    branch_of(&job.task).as_str().clone_into(&mut facts.place.branch);
    facts.place.remote = context.git.agents_remote().name;
    facts.gate_limit = u64::try_from(context.config.gate_timeout.as_millis())
        .ok()
        .map(Span);
    // The remote is asked once at most: on the way to a distant one a question takes as long as all else here.
    let Some(base) = base.or_else(|| remote_base(context, job)) else {
        return facts;
    };
    facts.place.base_commit = Some(base.as_str().to_owned());
    if facts.place.head.is_none() && job.workspace() == Workspace::Head {
        facts.place.head.clone_from(&made.start);
    }
    if let Some(head) = job.recorded_head() {
        let (base, head) = (Revision::Commit(base), Revision::Commit(head));
        let changed = context.git.changed_paths(&DiffRange::SinceFork { base, head });
        facts.place.changed = changed.unwrap_or_default();
    }
    facts
}

/// Returns the difference from the base to the recorded head, made from the commits to be merged; `None` if one of the two is not
/// known. Agents that are to judge it do not start without it.
pub(super) fn difference(context: &EngineContext, facts: &PromptFacts) -> Result<Option<String>, Cause> {
    if let Some(found) = integration_to_judge(facts) {
        let (Ok(from), Ok(to)) = (CommitId::new(&found.from), CommitId::new(&found.to)) else {
            return Ok(None);
        };
        let (from, to) = (Revision::Commit(from), Revision::Commit(to));
        let range = DiffRange::Between { from, to };
        return shown(context, &range, &format!("{} {}", found.from, found.to));
    }
    let ends = (facts.place.base_commit.as_deref(), facts.place.head.as_deref());
    let (Some(base), Some(head)) = ends else {
        return match (ends, facts.stage.workspace) {
            ((None, _), Some(Workspace::Head)) => {
                let why = format!(
                    "could not find where {} stands on {}, which the work is compared with",
                    facts.place.base, facts.place.remote
                );
                Err(why.into())
            }
            _ => Ok(None),
        };
    };
    let commit = |id: &str| CommitId::new(id).map(Revision::Commit);
    let (Ok(from), Ok(to)) = (commit(base), commit(head)) else {
        return Ok(None);
    };
    let range = DiffRange::SinceFork { base: from, head: to };
    shown(context, &range, &format!("{base}...{head}"))
}

/// Returns the changes of an integrator, where the agent reads the work to judge it.
fn integration_to_judge(facts: &PromptFacts) -> Option<&Integration> {
    let found = facts.place.integration.as_ref();
    found.filter(|_| facts.stage.workspace == Some(Workspace::Head))
}

/// Reads the text of a difference; `named` is git's name for it, for a part that is cut off.
fn shown(context: &EngineContext, range: &DiffRange, named: &str) -> Result<Option<String>, Cause> {
    match context.git.diff_text(range, MOST_DIFFERENCE) {
        Ok(shown) if shown.truncated => Ok(Some(format!(
            "{}\n\ndbs cut this off after {MOST_DIFFERENCE} bytes. See the rest with: git diff --no-ext-diff --no-textconv \
             {named}\n",
            shown.text
        ))),
        Ok(shown) => Ok(Some(shown.text)),
        Err(error) => Err(error.cause().after("could not ")),
    }
}

fn remote_base(context: &EngineContext, job: &Job) -> Option<CommitId> {
    let base = base_branch(&job.base).ok()?;
    match context.git.resolve(&Revision::RemoteBranch(base)) {
        Head::At(commit) => Some(commit),
        Head::Absent | Head::Unknown(_) => None,
    }
}

/// Returns the reading for the agent of a story, as of the commit that it begins at; empty for any other task.
fn reading(context: &EngineContext, job: &Job, made: &Workplace) -> Result<String, Cause> {
    let Some(plan) = job.task.plan.as_deref() else {
        return Ok(String::new());
    };
    let start = made.start.as_deref().ok_or("its workspace begins at no commit")?;
    let start = CommitId::new(start).map_err(|error| Cause::from(error.to_string()))?;
    let (git, stories) = (context.git.as_ref(), context.stories.as_ref());
    story_reading(git, &start, stories, plan, &job.stage.evidence)
}

/// Returns the reading for the agent of a story at a stage that asks for this evidence; empty if the plan belongs to no story.
///
/// # Errors
/// When git cannot be asked, or a file cannot be read.
pub fn story_reading(
    git: &dyn Git,
    start: &CommitId,
    stories: &dyn StoryFiles,
    plan: &PlanEntry,
    evidence: &[EvidenceKind],
) -> Result<String, Cause> {
    let Some(tests) = &plan.tests else {
        return Ok(String::new());
    };
    let files = git.list_files(start, None);
    let files = files.map_err(|error| Cause::from(format!("could not {error}")))?;
    let request = ContextRequest {
        // The wish for tests shows which agent writes them, not their presence.
        tests_are_written: !evidence.contains(&EvidenceKind::Tests) && files.contains(&tests.file),
        files: &files,
    };
    stories.context(
        plan,
        &request,
        &|path| match git.file_at(start, path, TEXT_LIMIT) {
            Ok(CommitFile::Text(text)) if !text.text.contains('\0') => Ok(Some(text.text)),
            Ok(_) => Ok(None),
            Err(error) => Err(format!("could not {error}").into()),
        },
    )
}
