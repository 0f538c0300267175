//! The engine's own merge (ADR 0007): in the control repository, gates on the merged tree, push, then evidence from the
//! remote.

use super::base_watch;
use super::context::EngineContext;
use super::evidence::{BranchHeads, collect};
use super::gate_runs;
use super::job::Job;
use super::merge_request::request;
use super::phase_notes;
use super::story_record;
use crate::domain::{
    ActionOutcome, Attempt, Evidence, EvidenceKind, Integration, MergeCheck, MergeVia, Tri, TroubleKind,
};
use crate::ports::git::{
    BranchName, CommitId, ConflictFile, MergeOutcome, MergeRequest, PublishOutcome, PublishRequest,
    PushOutcome,
};

/// Number of merges of a base that moves meanwhile, before the merge is left for later.
const MAX_ROUNDS: usize = 3;

/// Merges the task's recorded head into its base. Safe to repeat: it finds its earlier merge.
pub(super) fn merge(context: &EngineContext, job: &Job, attempt: &Attempt) -> ActionOutcome {
    let request = match request(context, job, attempt) {
        Ok(request) => request,
        Err(why) => return ActionOutcome::Failed(why.text),
    };
    for _ in 0..MAX_ROUNDS {
        match with_record(context, job, attempt, &request) {
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

/// Runs one round, with the edits of the project's files that record a story once it is merged; they depend on the base they are written on
/// (A9).
fn with_record(context: &EngineContext, job: &Job, attempt: &Attempt, request: &MergeRequest) -> MergeRound {
    let is_left = context.config.merging.via == MergeVia::Branch;
    if is_left || !story_record::is_kept(job) {
        return round(context, job, attempt, request, None);
    }
    let merged = context.git.merge(request);
    let (MergeOutcome::Merged { base, .. } | MergeOutcome::AlreadyMerged { commit: None, base }) = &merged
    else {
        return round(context, job, attempt, request, Some(merged));
    };
    match story_record::edits(context, job, attempt, base) {
        Ok(edits) if edits.files.is_empty() => round(context, job, attempt, request, Some(merged)),
        Ok(edits) => {
            let request = MergeRequest {
                edits: Some(edits),
                ..request.clone()
            };
            round(context, job, attempt, &request, None)
        }
        Err(outcome) => MergeRound::Final(outcome),
    }
}

/// Merges, unless that was done before with that result, and continues from there.
fn round(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    request: &MergeRequest,
    merged: Option<MergeOutcome>,
) -> MergeRound {
    let merged = merged.unwrap_or_else(|| context.git.merge(request));
    if let Some(base) = merged.base() {
        base_watch::look(context, job, base);
    }
    match merged {
        MergeOutcome::BaseMoved => MergeRound::Again,
        MergeOutcome::Merged { commit, base, .. } => match checked(context, job, attempt, &commit) {
            Tri::Yes if context.config.merging.via == MergeVia::Branch => {
                MergeRound::Final(left_on_branch(context, job, attempt, request))
            }
            Tri::Yes => {
                let publication = PublishRequest {
                    commit,
                    base: request.base.clone(),
                    expected: base,
                };
                publish(context, job, attempt, &publication)
            }
            Tri::No(why) => MergeRound::Final(failed_checks(&why)),
            Tri::Unknown(why) => MergeRound::Final(ActionOutcome::Unknown(why)),
        },
        MergeOutcome::AlreadyMerged {
            commit: Some(commit), ..
        } => MergeRound::Final(verified(context, job, attempt, &commit, Gates::NotRun)),
        MergeOutcome::AlreadyMerged { commit: None, base } => {
            MergeRound::Final(verified(context, job, attempt, &base, Gates::ByOthers))
        }
        MergeOutcome::Conflict { files, report, .. } => {
            MergeRound::Final(ActionOutcome::Failed(conflict(&request.base, &files, &report)))
        }
        MergeOutcome::Unreviewed(found) => MergeRound::Final(unreviewed(context, job, found)),
        MergeOutcome::Impossible(why) => {
            let why = format!("cannot be merged into {}: {why}", request.base);
            MergeRound::Final(ActionOutcome::Refused(why))
        }
        MergeOutcome::Unknown(why) if why.kind == TroubleKind::Base => {
            MergeRound::Final(ActionOutcome::Unknown(why.after("could not ")))
        }
        MergeOutcome::Unknown(why) => MergeRound::Final(ActionOutcome::Unknown(why)),
    }
}

/// Returns what a person can do about a base that takes no pushes.
fn ways_out(base: &BranchName) -> String {
    format!(
        "nothing is merged into {base} until one of these tasks is retried: allow the push on the remote, or set `dbs config merge.via branch`, \
         which leaves finished work on its pushed branch"
    )
}

/// Returns the changes that an integrator made of its own, for a review; lost notes go back to it first.
fn unreviewed(context: &EngineContext, job: &Job, found: Box<Integration>) -> ActionOutcome {
    let notes = match CommitId::new(&found.to) {
        Ok(merged) => notes_kept(context, job, &merged),
        Err(error) => Tri::Unknown(format!("could not {error}").into()),
    };
    match notes {
        Tri::Yes => ActionOutcome::Unreviewed(found),
        Tri::No(why) => failed_checks(&why),
        Tri::Unknown(why) => ActionOutcome::Unknown(why),
    }
}

fn failed_checks(why: &str) -> ActionOutcome {
    ActionOutcome::Failed(format!("checks fail on the merged tree\n{why}"))
}

/// Returns the result of the gates on the merged tree, and whether it holds the notes of the task, before the merge is visible to anyone
/// else.
fn checked(context: &EngineContext, job: &Job, attempt: &Attempt, commit: &CommitId) -> Tri {
    let gates = if job.gates.is_empty() {
        Tri::Yes
    } else {
        gate_runs::on_commit(context, job, attempt, commit).outcome
    };
    match gates {
        Tri::Yes => notes_kept(context, job, commit),
        gates => gates,
    }
}

/// Returns whether a merged tree holds the notes of the task, where its stage asks for them.
fn notes_kept(context: &EngineContext, job: &Job, merged: &CommitId) -> Tri {
    if job.stage.evidence.contains(&EvidenceKind::Notes) {
        phase_notes::notes_kept(context, job, merged)
    } else {
        Tri::Yes
    }
}

fn publish(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    publication: &PublishRequest,
) -> MergeRound {
    match context.git.publish(publication) {
        PublishOutcome::Done => MergeRound::Final(verified(
            context,
            job,
            attempt,
            &publication.commit,
            Gates::Passed,
        )),
        PublishOutcome::Moved(_) => MergeRound::Again,
        PublishOutcome::Refused(why) => {
            let why = format!("{why}: the remote refused the push to {}", publication.base);
            MergeRound::Final(ActionOutcome::Refused(why))
        }
        PublishOutcome::Closed(why) => {
            let why = format!("{why}; {}", ways_out(&publication.base));
            MergeRound::Final(ActionOutcome::Unknown(TroubleKind::Base.cause(why)))
        }
        PublishOutcome::Unknown(why) => MergeRound::Final(ActionOutcome::Unknown(why)),
    }
}

/// Leaves work that would merge on its branch, which is pushed.
fn left_on_branch(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    request: &MergeRequest,
) -> ActionOutcome {
    let branch = &request.branch;
    match context.git.push_branch(branch, job.recorded_head().as_ref()) {
        PushOutcome::Pushed(there) if there == request.head => {
            let ActionOutcome::Done { evidence, .. } = verified(context, job, attempt, &there, Gates::Passed)
            else {
                return ActionOutcome::Unknown("its evidence could not be collected".into());
            };
            ActionOutcome::HandedOver {
                branch: branch.as_str().to_owned(),
                evidence,
            }
        }
        PushOutcome::Pushed(there) => ActionOutcome::Refused(format!(
            "{branch} is at {there}, and {} was to be left there",
            request.head
        )),
        PushOutcome::NoBranch => {
            ActionOutcome::Refused(format!("the branch {branch} does not exist (any more)"))
        }
        PushOutcome::Diverged { remote, .. } => ActionOutcome::Refused(format!(
            "{branch} of the remote holds {remote}, which the local one lacks"
        )),
        PushOutcome::Refused(why) => {
            ActionOutcome::Refused(format!("{why}: the remote refused the push of {branch}"))
        }
        PushOutcome::Unknown(why) => ActionOutcome::Unknown(why),
    }
}

/// Knowledge about the gates of a commit that is in the base.
#[derive(Clone, Copy)]
enum Gates {
    /// Gates that passed on this very commit before it was pushed.
    Passed,
    /// Gates that were not run, because the engine had merged the commit before a crash, after its gates had passed.
    NotRun,
    /// Gates that never saw the commit: another hand merged it.
    ByOthers,
}

/// Verifies everything the stage asks for, as seen after the push.
fn verified(
    context: &EngineContext,
    job: &Job,
    attempt: &Attempt,
    commit: &CommitId,
    gates: Gates,
) -> ActionOutcome {
    let about_gates = |outcome| Evidence::new(EvidenceKind::Gates, outcome);
    let look = |kind: &EvidenceKind| match kind {
        EvidenceKind::Gates if job.gates.is_empty() => {
            Some(about_gates(Tri::No("no gate command is configured".to_owned())))
        }
        EvidenceKind::Gates => Some(match gates {
            Gates::Passed => about_gates(Tri::Yes),
            Gates::NotRun | Gates::ByOthers => gate_runs::on_commit(context, job, attempt, commit),
        }),
        EvidenceKind::Notes => Some(Evidence::new(
            EvidenceKind::Notes,
            phase_notes::notes_kept(context, job, commit),
        )),
        kind => collect(context, job, attempt, kind, &BranchHeads::at(commit)),
    };
    let evidence = job.stage.evidence.iter().filter_map(look);
    let is_seen = job.stage.evidence.contains(&EvidenceKind::Gates);
    ActionOutcome::Done {
        commit: Some(commit.as_str().to_owned()),
        evidence: evidence.collect(),
        check: match gates {
            Gates::ByOthers if !is_seen => MergeCheck::ByOthers,
            Gates::Passed | Gates::NotRun | Gates::ByOthers => MergeCheck::Checked,
        },
    }
}

fn conflict(base: &BranchName, files: &[ConflictFile], report: &str) -> String {
    let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    format!("conflict with {base} in {}\n{report}", names.join(", "))
}
