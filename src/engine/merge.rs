//! The engine's own merge (ADR 0007): in the control repository, gates on the merged tree, push, then evidence from the
//! remote.

use super::base_watch;
use super::context::{EngineContext, base_branch, branch_of, signature};
use super::evidence::{BranchHeads, collect};
use super::gate_runs;
use super::job::Job;
use super::plan_checks;
use super::story_record;
use crate::domain::{ActionOutcome, Attempt, Cause, Evidence, EvidenceKind, Integration, Tri};
use crate::ports::git::{
    BranchName, CommitId, ConflictFile, GitError, Head, MergeOutcome, MergeRequest, PublishOutcome,
    PublishRequest, ReviewedHead, Revision, SafeName,
};

/// How often a base that moved meanwhile is merged again before it is left for later.
const MAX_ROUNDS: usize = 3;

/// Merges the task's recorded head into its base. Safe to repeat: it finds what it made before.
pub(super) fn merge(world: &EngineContext, job: &Job, attempt: &Attempt) -> ActionOutcome {
    let request = match request(job, attempt) {
        Ok(request) => request,
        Err(why) => return ActionOutcome::Failed(why),
    };
    for _ in 0..MAX_ROUNDS {
        match with_record(world, job, attempt, &request) {
            MergeRound::Final(outcome) => return outcome,
            MergeRound::Again => {}
        }
    }
    let why = format!(
        "{} moved {MAX_ROUNDS} times while it was merged into",
        request.base
    );
    ActionOutcome::Unknown(why.into())
}

enum MergeRound {
    Final(ActionOutcome),
    Again,
}

/// One round, with what the project's files say of a story once it is merged; that depends on the base they are written on (A9).
fn with_record(world: &EngineContext, job: &Job, attempt: &Attempt, request: &MergeRequest) -> MergeRound {
    if !story_record::is_kept(job) {
        return round(world, job, attempt, request, None);
    }
    let merged = world.git.merge(request);
    let (MergeOutcome::Merged { base, .. } | MergeOutcome::AlreadyMerged { commit: None, base }) = &merged
    else {
        return round(world, job, attempt, request, Some(merged));
    };
    match story_record::edits(world, job, attempt, base) {
        Ok(edits) if edits.files.is_empty() => round(world, job, attempt, request, Some(merged)),
        Ok(edits) => {
            let request = MergeRequest {
                edits: Some(edits),
                ..request.clone()
            };
            round(world, job, attempt, &request, None)
        }
        Err(outcome) => MergeRound::Final(outcome),
    }
}

fn request(job: &Job, attempt: &Attempt) -> Result<MergeRequest, String> {
    let head = job.task.head.as_deref();
    let head = head.ok_or_else(|| "the task has no recorded head to merge".to_owned())?;
    let wrap = |error: crate::ports::git::NameError| format!("could not {error}");
    let own = job.task.plan.as_ref().and_then(|plan| plan.commit.clone());
    let (start, title) = match own {
        Some(words) => (String::new(), words),
        None => (format!("Merge {}:", branch_of(&job.task)), job.task.title.clone()),
    };
    Ok(MergeRequest {
        task: SafeName::derive(job.task.id.as_str()),
        attempt: SafeName::derive(&attempt.id.to_string()),
        start,
        title,
        edits: None,
        head: CommitId::new(head).map_err(wrap)?,
        reviewed: reviewed(job)?,
        branch: branch_of(&job.task),
        base: base_branch(&job.base).map_err(wrap)?,
        signature: signature(attempt.created_at),
    })
}

/// Returns the head with which the task came to its merge.
fn reviewed(job: &Job) -> Result<Option<ReviewedHead>, String> {
    let came = job.task.stage_head.as_deref().map(CommitId::new).transpose();
    let came = came.map_err(|error| format!("could not {error}"))?;
    Ok(came.map(|commit| ReviewedHead {
        commit,
        judges_lines: job.is_reviewed,
    }))
}

/// Merges, unless that was done before with that result, and goes on from there.
fn round(
    world: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    request: &MergeRequest,
    merged: Option<MergeOutcome>,
) -> MergeRound {
    let merged = merged.unwrap_or_else(|| world.git.merge(request));
    if let Some(base) = merged.base() {
        base_watch::look(world, job, base);
    }
    match merged {
        MergeOutcome::BaseMoved => MergeRound::Again,
        MergeOutcome::Merged { commit, base, .. } => match checked(world, job, attempt, &commit) {
            Tri::Yes => {
                let publication = PublishRequest {
                    commit,
                    base: request.base.clone(),
                    expected: base,
                };
                publish(world, job, attempt, &publication)
            }
            Tri::No(why) => MergeRound::Final(ActionOutcome::Failed(format!(
                "checks fail on the merged tree\n{why}"
            ))),
            Tri::Unknown(why) => MergeRound::Final(ActionOutcome::Unknown(why)),
        },
        MergeOutcome::AlreadyMerged { commit, base } => {
            let commit = commit.unwrap_or(base);
            MergeRound::Final(verified(world, job, attempt, &commit, Gates::NotRun))
        }
        MergeOutcome::Conflict { files, report, .. } => {
            MergeRound::Final(ActionOutcome::Failed(conflict(&request.base, &files, &report)))
        }
        MergeOutcome::Unreviewed(found) => MergeRound::Final(ActionOutcome::Unreviewed(found)),
        MergeOutcome::Impossible(why) => {
            let why = format!("cannot be merged into {}: {why}", request.base);
            MergeRound::Final(ActionOutcome::Refused(why))
        }
        MergeOutcome::Unknown(why) => MergeRound::Final(ActionOutcome::Unknown(why)),
    }
}

/// What the gates say of the merged tree, and whether it holds the notes of the task, before anybody else sees it.
fn checked(world: &EngineContext, job: &Job, attempt: &Attempt, commit: &CommitId) -> Tri {
    let gates = if job.gates.is_empty() {
        Tri::Yes
    } else {
        gate_runs::on_commit(world, job, attempt, commit).outcome
    };
    let needs_notes = job.stage.evidence.contains(&EvidenceKind::Notes);
    match gates {
        Tri::Yes if needs_notes => plan_checks::notes_kept(world, job, commit),
        gates => gates,
    }
}

fn publish(world: &EngineContext, job: &Job, attempt: &Attempt, publication: &PublishRequest) -> MergeRound {
    match world.git.publish(publication) {
        PublishOutcome::Done => {
            MergeRound::Final(verified(world, job, attempt, &publication.commit, Gates::Passed))
        }
        PublishOutcome::Moved(_) => MergeRound::Again,
        PublishOutcome::Refused(why) => {
            let why = format!("the remote refused {}: {why}", publication.base);
            MergeRound::Final(ActionOutcome::Refused(why))
        }
        PublishOutcome::Unknown(why) => MergeRound::Final(ActionOutcome::Unknown(why)),
    }
}

/// What is known of the gates of a commit that is in the base.
#[derive(Clone, Copy)]
enum Gates {
    /// They were run on this very commit before it was pushed.
    Passed,
    /// It was there already: merged by somebody else, or before a crash.
    NotRun,
}

/// Everything the stage asks for, seen after the push.
fn verified(
    world: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    commit: &CommitId,
    gates: Gates,
) -> ActionOutcome {
    let about_gates = |outcome| Evidence::new(EvidenceKind::Gates, outcome);
    let look = |kind: &EvidenceKind| match kind {
        EvidenceKind::Gates if job.gates.is_empty() => {
            about_gates(Tri::No("no gate command is configured".to_owned()))
        }
        EvidenceKind::Gates => match gates {
            Gates::Passed => about_gates(Tri::Yes),
            Gates::NotRun => gate_runs::on_commit(world, job, attempt, commit),
        },
        EvidenceKind::Notes => {
            Evidence::new(EvidenceKind::Notes, plan_checks::notes_kept(world, job, commit))
        }
        kind => collect(world, job, attempt, kind, &BranchHeads::at(commit)),
    };
    let evidence = job.stage.evidence.iter().map(look);
    ActionOutcome::Done {
        commit: Some(commit.as_str().to_owned()),
        evidence: evidence.collect(),
    }
}

fn conflict(base: &BranchName, files: &[ConflictFile], report: &str) -> String {
    let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    format!("conflict with {base} in {}\n{report}", names.join(", "))
}

/// Compares the base with what the merge of the task's head would have made of it, where an agent has merged for the engine. What
/// cannot be compared leaves the proof of the merge open.
pub(super) fn compare_agents_merge(
    world: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    evidence: &mut [Evidence],
) -> Option<Integration> {
    let compared = compare_since_start(world, job, attempt);
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
    world: &EngineContext,
    job: &Job,
    attempt: &Attempt,
) -> Result<Option<Integration>, Cause> {
    let start = attempt.workplace.as_ref().and_then(|made| made.start.as_deref());
    let start = start.ok_or("it is not known where the base stood when its agent began")?;
    let start = CommitId::new(start).map_err(|error| format!("could not {error}"))?;
    let request = request(job, attempt)?;
    let now = match world.git.resolve(&Revision::RemoteBranch(request.base.clone())) {
        Head::At(now) => now,
        Head::Absent => return Ok(None),
        Head::Unknown(why) => return Err(why),
    };
    let after = |error: GitError| error.cause().after("could not ");
    let found = world.git.compare_merge(&request, &start, &now).map_err(after)?;
    world.git.note_base(&request.base, &now).map_err(after)?;
    Ok(found)
}
