//! Invariants of every board between two events. Debug builds check them after each one; tests do so too.

use std::collections::BTreeSet;

use super::Board;
use crate::attempt::{Attempt, AttemptState, StopCause, Verdict, Worker, WorkspaceState};
use crate::cause::Cause;
use crate::evidence::{ComplianceIssue, Evidence, RemediationStrategy, strategy};
use crate::task::{Task, TaskState};
use crate::tri::Tri;

/// Checks a board for broken invariants.
///
/// # Errors
/// Returns the first broken rule, with the row that breaks it.
pub fn check_invariants(board: &Board) -> Result<(), Cause> {
    for task in board.tasks.values() {
        check_task(board, task).map_err(|rule| format!("task {}: {rule}", task.id))?;
    }
    for batch in board.batches.values() {
        let unknown = batch.needs.iter().find(|id| !board.batches.contains_key(*id));
        if let Some(unknown) = unknown {
            return Err(format!("batch {} needs {unknown}, which does not exist", batch.id).into());
        }
    }
    let mut names = BTreeSet::new();
    for attempt in board.attempts.values() {
        check_attempt(board, attempt).map_err(|rule| format!("attempt {}: {rule}", attempt.id))?;
        if let (true, Worker::Agent { name, .. }) = (attempt.state.is_open(), &attempt.worker)
            && !names.insert(name)
        {
            return Err(format!("two open attempts are called {name}").into());
        }
    }
    Ok(())
}

fn check_task(board: &Board, task: &Task) -> Result<(), &'static str> {
    ensure(
        board.batches.contains_key(&task.batch),
        "its batch does not exist",
    )?;
    let attempt = task.open_attempt.map(|id| board.attempts.get(&id));
    if let Some(attempt) = attempt {
        let attempt = attempt.ok_or("its open attempt does not exist")?;
        ensure(
            attempt.state.is_open() && attempt.task == task.id,
            "its open attempt is not its own or not open",
        )?;
        let void = attempt.state == AttemptState::Stopping(StopCause::Cancelled);
        match task.state {
            TaskState::Active => ensure(
                !void && attempt.state != AttemptState::Verifying && attempt.stage == task.stage,
                "it is active, but its attempt is not at work in its stage",
            )?,
            TaskState::Verifying => ensure(
                attempt.state == AttemptState::Verifying && attempt.stage == task.stage,
                "it is verifying, but its attempt is not",
            )?,
            TaskState::Backlog
            | TaskState::Released
            | TaskState::Held(_)
            | TaskState::Parked(_)
            | TaskState::Failed(_)
            | TaskState::Skipped(_)
            | TaskState::Cancelled => {
                ensure(void, "its open attempt is neither waited for nor being cancelled")?;
            }
            TaskState::Done => return Err("it is done, but an attempt is open"),
        }
    } else {
        ensure(
            !matches!(task.state, TaskState::Active | TaskState::Verifying),
            "no agent works on it",
        )?;
    }
    ensure(
        task.why_not.is_none() || task.state == TaskState::Released,
        "it says why it was not started, but is not released",
    )
}

fn check_attempt(board: &Board, attempt: &Attempt) -> Result<(), &'static str> {
    ensure(
        attempt.id.0 <= board.last_attempt,
        "its number was never given out",
    )?;
    let task = board.tasks.get(&attempt.task).ok_or("its task does not exist")?;
    if attempt.state.is_open() {
        return ensure(
            task.open_attempt == Some(attempt.id),
            "it is open, but its task does not know it",
        );
    }
    ensure(attempt.ended_at.is_some(), "it is settled, but never ended")?;
    ensure(
        attempt.workspace != WorkspaceState::Present,
        "it is settled, but its workspace is not put away",
    )?;
    ensure(
        attempt.workspace != WorkspaceState::Kept || task.continues == Some(attempt.id),
        "its workspace is kept, but its task does not go on with it",
    )?;
    ensure(
        attempt.state != AttemptState::Settled(Verdict::Passed) || is_proved(&attempt.evidence),
        "it passed without evidence",
    )
}

fn is_proved(evidence: &[Evidence]) -> bool {
    let is_known = |piece: &Evidence| !matches!(piece.outcome, Tri::Unknown(_));
    let found: Vec<ComplianceIssue> = evidence.iter().flat_map(Evidence::findings).collect();
    // A warning does not matter where a stage weighs findings.
    let is_fine = matches!(
        strategy(&found),
        RemediationStrategy::Accept | RemediationStrategy::Warn
    );
    !evidence.is_empty() && evidence.iter().all(is_known) && is_fine
}

fn ensure(holds: bool, rule: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(rule) }
}
