//! Rules for time limits: an agent is stopped for running too long exactly when its time is over, whatever happens to the engine and its
//! clock.

use std::collections::BTreeMap;

use dbs_domain::attempt::{AttemptState, StopCause};
use dbs_domain::{Attempt, AttemptId, Board, FailureClass, Span, Timestamp, Worker};

use super::rules::{Step, must};

/// Time limit of a running agent, in the time of the world.
#[derive(Debug, Clone)]
pub(super) struct RunLimit {
    until: Timestamp,
    /// Limit extended by the times in which the agent waited for a person.
    latest: Timestamp,
    /// Start of the current wait for a person.
    asks_since: Option<Timestamp>,
    /// True if a turn of the agent failed: the time in which it waits for its model is then added to its limit.
    is_longer: bool,
}

/// Least time that an agent has left after it was answered.
const LEAST_TIME: Span = Span::seconds(60);

/// Checks that no agent is stopped before its time is over, and that none runs on after it.
pub(super) fn check(step: &Step<'_>) -> Result<(), String> {
    for (id, limit) in &step.world.limits {
        let Some(after) = step.after.attempts.get(id) else {
            continue;
        };
        must(
            !times_out(step.before, after) || step.world_now >= limit.until,
            || format!("attempt {id} ran too long before its time was over"),
        )?;
        let is_running = after.state == AttemptState::Running && limit.asks_since.is_none();
        let is_counted = is_running && !limit.is_longer && after.failed_turns.is_none();
        must(!is_counted || step.world_now <= limit.latest, || {
            format!("attempt {id} runs on after its time")
        })?;
    }
    Ok(())
}

/// Records the limits of agents that just began and forgets agents that no longer run. Returns how many were stopped now.
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
            latest: world_now + limit(after, attempt),
            asks_since: None,
            is_longer: false,
        });
        known.note_asks(attempt, world_now);
        known.is_longer |= !attempt.failed_turns.is_none();
    }
    limits.retain(|id, _| after.attempts.get(id).is_some_and(|attempt| runs(attempt)));
    all().filter(|attempt| times_out(before, attempt)).count()
}

impl RunLimit {
    /// Adds the time in which the agent waits for a person.
    fn note_asks(&mut self, attempt: &Attempt, world_now: Timestamp) {
        let asks = attempt.person_awaited.is_some();
        match self.asks_since {
            None if asks => self.asks_since = Some(world_now),
            Some(since) if !asks => {
                let later = self.latest + world_now.since(since);
                self.latest = later.max(world_now + LEAST_TIME);
                self.asks_since = None;
            }
            None | Some(_) => {}
        }
    }
}

fn runs(attempt: &Attempt) -> bool {
    attempt.state == AttemptState::Running && matches!(attempt.worker, Worker::Agent { .. })
}

fn times_out(before: &Board, attempt: &Attempt) -> bool {
    let was = before.attempts.get(&attempt.id).map(|attempt| &attempt.state);
    attempt.state == AttemptState::Stopping(StopCause::Timeout) && was == Some(&AttemptState::Running)
}

/// Returns the limit of the task, else of its stage, else of the settings, doubled for each timeout in that stage, at most three times.
fn limit(board: &Board, attempt: &Attempt) -> Span {
    let task = board.tasks.get(&attempt.task);
    let of_task = task.and_then(|task| task.timeout);
    let of_stage = board.stage_of_attempt(attempt).and_then(|stage| stage.timeout);
    let once = of_task.or(of_stage).unwrap_or(board.settings.agent_timeout);
    let failed = task.and_then(|task| task.failures.get(&attempt.stage)?.get(&FailureClass::Timeout));
    let times = failed.copied().unwrap_or_default().min(3);
    Span(once.0 * 2_u64.pow(times))
}
