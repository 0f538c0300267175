//! The engine's own merge (design 5.8): in the control repository, gates on the merged tree, push, then evidence from the
//! remote.

use super::evidence::{Seen, look};
use super::gating;
use super::job::Job;
use super::world::{World, base_branch, branch_of, signature};
use crate::domain::{ActionOutcome, Attempt, Evidence, EvidenceKind, Tri};
use crate::ports::git::{
    BranchName, CommitId, ConflictFile, MergeOutcome, MergeRequest, Publication, Published, SafeName,
};

/// How often a base that moved meanwhile is merged again before it is left for later.
const ROUNDS: usize = 3;

/// Merges the task's recorded head into its base. Safe to repeat: it finds what it made before.
pub(super) fn merge(world: &World, job: &Job, attempt: &Attempt) -> ActionOutcome {
    let request = match request(job, attempt) {
        Ok(request) => request,
        Err(why) => return ActionOutcome::Failed(why),
    };
    for _ in 0..ROUNDS {
        match round(world, job, attempt, &request) {
            Round::Over(outcome) => return outcome,
            Round::Again => {}
        }
    }
    ActionOutcome::Unknown(format!(
        "{} moved {ROUNDS} times while it was merged into",
        request.base
    ))
}

enum Round {
    Over(ActionOutcome),
    Again,
}

fn request(job: &Job, attempt: &Attempt) -> Result<MergeRequest, String> {
    let head = job
        .task
        .head
        .as_deref()
        .ok_or_else(|| "the task has no recorded head to merge".to_owned())?;
    let wrap = |error: crate::ports::git::NameError| format!("could not {error}");
    Ok(MergeRequest {
        task: SafeName::derive(job.task.id.as_str()),
        attempt: SafeName::derive(&attempt.id.to_string()),
        title: job.task.title.clone(),
        head: CommitId::new(head).map_err(wrap)?,
        branch: branch_of(&job.task),
        base: base_branch(&job.base).map_err(wrap)?,
        signature: signature(attempt.created_at),
    })
}

fn round(world: &World, job: &Job, attempt: &Attempt, request: &MergeRequest) -> Round {
    match world.git.merge(request) {
        MergeOutcome::Merged { commit, base, .. } => {
            let gates = if job.gates.is_empty() {
                Tri::Yes
            } else {
                gating::on_commit(world, job, attempt, &commit)
            };
            match gates {
                Tri::Yes => {
                    let publication = Publication {
                        commit,
                        base: request.base.clone(),
                        expected: base,
                    };
                    publish(world, job, attempt, &publication)
                }
                Tri::No(why) => Round::Over(ActionOutcome::Failed(format!(
                    "checks fail on the merged tree\n{why}"
                ))),
                Tri::Unknown(why) => Round::Over(ActionOutcome::Unknown(why)),
            }
        }
        MergeOutcome::AlreadyMerged { commit, base } => Round::Over(proven(
            world,
            job,
            attempt,
            &commit.unwrap_or(base),
            Gates::NotRun,
        )),
        MergeOutcome::Conflict { files, report, .. } => {
            Round::Over(ActionOutcome::Failed(conflict(&request.base, &files, &report)))
        }
        MergeOutcome::Impossible(why) => Round::Over(ActionOutcome::Failed(why)),
        MergeOutcome::Unknown(why) => Round::Over(ActionOutcome::Unknown(why)),
    }
}

fn publish(world: &World, job: &Job, attempt: &Attempt, publication: &Publication) -> Round {
    match world.git.publish(publication) {
        Published::Done | Published::AlreadyDone => {
            Round::Over(proven(world, job, attempt, &publication.commit, Gates::Passed))
        }
        Published::Moved(_) => Round::Again,
        Published::Refused(why) => Round::Over(ActionOutcome::Unknown(format!(
            "the remote refused {}: {why}",
            publication.base
        ))),
        Published::Unknown(why) => Round::Over(ActionOutcome::Unknown(why)),
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
fn proven(world: &World, job: &Job, attempt: &Attempt, commit: &CommitId, gates: Gates) -> ActionOutcome {
    let outcome = |kind: &EvidenceKind| match kind {
        EvidenceKind::Gates if job.gates.is_empty() => Tri::No("no gate command is configured".to_owned()),
        EvidenceKind::Gates => match gates {
            Gates::Passed => Tri::Yes,
            Gates::NotRun => gating::on_commit(world, job, attempt, commit),
        },
        kind => look(world, job, attempt, kind, &Seen::at(commit)),
    };
    let evidence = job.stage.evidence.iter().map(|kind| Evidence {
        kind: kind.clone(),
        outcome: outcome(kind),
    });
    ActionOutcome::Done {
        commit: Some(commit.as_str().to_owned()),
        evidence: evidence.collect(),
    }
}

fn conflict(base: &BranchName, files: &[ConflictFile], report: &str) -> String {
    let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    format!("conflict with {base} in {}\n{report}", names.join(", "))
}
