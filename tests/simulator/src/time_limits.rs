//! An agent is stopped because it ran too long exactly when its time is over, whatever happened to the engine and its clock.

use std::collections::BTreeMap;

use dbs_domain::attempt::{AttemptState, StopCause};
use dbs_domain::{Attempt, AttemptId, Board, FailureClass, Span, Timestamp, Worker};

use super::rules::{Step, must};

/// Until when an agent may run, in the time of the world.
#[derive(Debug, Clone)]
pub(super) struct RunLimit {
    until: Timestamp,
    /// Whether a turn of it failed: the time in which it waits for its model then comes on top.
    is_longer: bool,
}

/// Nobody is stopped for the time before it is over, and nobody runs on after it.
pub(super) fn check(step: &Step<'_>) -> Result<(), String> {
    for (id, RunLimit { until, is_longer }) in &step.world.limits {
        let Some(after) = step.after.attempts.get(id) else {
            continue;
        };
        must(!times_out(step.before, after) || step.world_now >= *until, || {
            format!("attempt {id} ran too long before its time was over")
        })?;
        let is_counted = after.state == AttemptState::Running && !is_longer && after.failed_turns.is_none();
        must(!is_counted || step.world_now <= *until, || {
            format!("attempt {id} runs on after its time")
        })?;
    }
    Ok(())
}

/// Writes down until when those who just began may run, and forgets who runs no more. Answers how many were stopped now.
pub(super) fn note(
    limits: &mut BTreeMap<AttemptId, RunLimit>,
    before: &Board,
    after: &Board,
    world_now: Timestamp,
) -> usize {
    let all = || after.attempts.values().map(AsRef::as_ref);
    for attempt in all().filter(|attempt: &&Attempt| runs(attempt)) {
        let known = limits.entry(attempt.id).or_insert_with(|| RunLimit {
            until: world_now + limit(after, attempt),
            is_longer: false,
        });
        known.is_longer |= !attempt.failed_turns.is_none();
    }
    limits.retain(|id, _| after.attempts.get(id).is_some_and(|attempt| runs(attempt)));
    all().filter(|attempt| times_out(before, attempt)).count()
}

fn runs(attempt: &Attempt) -> bool {
    attempt.state == AttemptState::Running && matches!(attempt.worker, Worker::Agent { .. })
}

fn times_out(before: &Board, attempt: &Attempt) -> bool {
    let was = before.attempts.get(&attempt.id).map(|attempt| &attempt.state);
    attempt.state == AttemptState::Stopping(StopCause::Timeout) && was == Some(&AttemptState::Running)
}

/// What the task says, or its stage, or the settings; twice as long after each time that was not enough there, three times.
fn limit(board: &Board, attempt: &Attempt) -> Span {
    let task = board.tasks.get(&attempt.task);
    let of_task = task.and_then(|task| task.timeout);
    let of_stage = board.stage_of_attempt(attempt).and_then(|stage| stage.timeout);
    let once = of_task.or(of_stage).unwrap_or(board.settings.agent_timeout);
    let failed = task.and_then(|task| task.failures.get(&attempt.stage)?.get(&FailureClass::Timeout));
    let times = failed.copied().unwrap_or_default().min(3);
    Span(once.0 * 2_u64.pow(times))
}
