//! What only the engine can add to the facts of a prompt: folder, commits and files, as git has them at the start.

use super::context::{EngineContext, base_branch, branch_of};
use super::job::Job;
use crate::domain::{PromptFacts, Span, Workplace};
use crate::ports::git::{DiffRange, Head, Revision};

/// The facts for the agent of a job that works there. What git cannot tell is left open: it keeps no agent from its work.
pub(super) fn facts(world: &EngineContext, job: &Job, made: &Workplace) -> PromptFacts {
    let mut facts = job.facts.as_deref().cloned().unwrap_or_default();
    facts.place.worktree = Some(made.path.clone());
    branch_of(&job.task).as_str().clone_into(&mut facts.place.branch);
    facts.gate_limit = u64::try_from(world.config.gate_timeout.as_millis())
        .ok()
        .map(Span);
    let Ok(base) = base_branch(&job.base) else {
        return facts;
    };
    let base = Revision::RemoteBranch(base);
    if let Head::At(commit) = world.git.resolve(&base) {
        facts.place.base_commit = Some(commit.as_str().to_owned());
    }
    if let Some(head) = job.recorded_head() {
        let head = Revision::Commit(head);
        let changed = world.git.changed_paths(&DiffRange::SinceFork { base, head });
        facts.place.changed = changed.unwrap_or_default();
    }
    facts
}
