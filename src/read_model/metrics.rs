//! Metrics of the work that was done (K79): the path of each task through its stages, how long stages take, how often work was rejected,
//! what failed. Fed with one attempt after the other; nothing is counted or computed twice.

use std::collections::BTreeMap;

use crate::domain::attempt::{Attempt, AttemptState, StopCause, Verdict};
use crate::domain::{AttemptId, FailureClass, Span, StageId, TaskId, Timestamp, Worker};

/// Metrics of the work that was done, over all attempts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Metrics {
    pub stages: BTreeMap<StageId, StageMetrics>,
    pub trails: BTreeMap<TaskId, Trail>,
    pub failures: BTreeMap<FailureClass, u32>,
    pub stopped: u32,
    pub attempts: u32,
    /// Attempts by agents; the others are acts of the engine, such as merges.
    pub by_agents: u32,
    /// Times at which attempts ended, at most the latest 20,000, oldest first.
    pub ends: Vec<Timestamp>,
}

/// Ends of attempts that are remembered for the throughput.
const MAX_ENDS: usize = 20_000;

/// Counts and durations of the attempts at one stage.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StageMetrics {
    pub passes: u32,
    pub rejections: u32,
    pub failures: u32,
    pub took: Span,
}

/// The stages a task went through, in order, with their durations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trail {
    /// Stages in the order they were worked at; several attempts in a row at one stage are one step.
    pub steps: Vec<TrailStep>,
    pub began: Timestamp,
    pub ended: Timestamp,
}

/// Consecutive attempts of a task at one stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrailStep {
    pub stage: StageId,
    pub times: u32,
    /// Number of them by agents.
    pub by_agents: u32,
    pub took: Span,
    pub is_rejected: bool,
}

impl StageMetrics {
    /// Returns the average duration of an attempt.
    pub fn average(&self) -> Span {
        let times = u64::from(self.passes + self.rejections + self.failures);
        Span(self.took.0 / times.max(1))
    }
}

impl Metrics {
    /// Takes in an attempt that has ended; others change nothing.
    pub fn record(&mut self, attempt: &Attempt) {
        let (AttemptState::Settled(verdict), Some(ended)) = (&attempt.state, attempt.ended_at) else {
            return;
        };
        let took = ended.since(attempt.created_at);
        self.attempts += 1;
        self.by_agents += by_agent(attempt);
        self.ends.push(ended);
        if self.ends.len() > MAX_ENDS {
            self.ends.drain(..MAX_ENDS / 2);
        }
        self.extend_trail(attempt, verdict, ended, took);
        let stage = self.stages.entry(attempt.stage.clone()).or_default();
        match verdict {
            Verdict::Passed => stage.passes += 1,
            Verdict::Rejected(_) => stage.rejections += 1,
            Verdict::Blocked(_) => stage.failures += 1,
            Verdict::Failed(class, _) => {
                stage.failures += 1;
                *self.failures.entry(*class).or_default() += 1;
            }
            Verdict::Stopped(StopCause::Timeout) => {
                stage.failures += 1;
                *self.failures.entry(FailureClass::Timeout).or_default() += 1;
            }
            Verdict::Stopped(_) => {
                self.stopped += 1;
                return;
            }
        }
        stage.took = Span(stage.took.0 + took.0);
    }

    fn extend_trail(&mut self, attempt: &Attempt, verdict: &Verdict, ended: Timestamp, took: Span) {
        let trail = self.trails.entry(attempt.task.clone()).or_default();
        if trail.steps.is_empty() {
            trail.began = attempt.created_at;
        }
        trail.ended = trail.ended.max(ended);
        let is_rejected = matches!(verdict, Verdict::Rejected(_));
        match trail.steps.last_mut() {
            Some(last) if last.stage == attempt.stage => {
                last.times += 1;
                last.by_agents += by_agent(attempt);
                last.took = Span(last.took.0 + took.0);
                last.is_rejected |= is_rejected;
            }
            _ => trail.steps.push(TrailStep {
                stage: attempt.stage.clone(),
                times: 1,
                by_agents: by_agent(attempt),
                took,
                is_rejected,
            }),
        }
    }

    /// Times that work was sent back.
    pub fn rejections(&self) -> u32 {
        self.stages.values().map(|stage| stage.rejections).sum()
    }

    /// Attempts that ran too long.
    pub fn timeouts(&self) -> u32 {
        self.failures.get(&FailureClass::Timeout).copied().unwrap_or(0)
    }

    /// Attempts after the first in a row at a stage.
    pub fn retries(&self) -> u32 {
        let steps = self.trails.values().flat_map(|trail| &trail.steps);
        steps.map(|step| step.times - 1).sum()
    }

    /// Attempts of agents after the first in a row at a stage.
    pub fn retries_by_agents(&self) -> u32 {
        let steps = self.trails.values().flat_map(|trail| &trail.steps);
        steps.map(|step| step.by_agents.saturating_sub(1)).sum()
    }
}

/// Returns 1 for an attempt by an agent.
fn by_agent(attempt: &Attempt) -> u32 {
    u32::from(matches!(attempt.worker, Worker::Agent { .. }))
}

/// Counts the moments in each of the last `many` spans, the present one last.
pub fn per_span(
    moments: impl IntoIterator<Item = Timestamp>,
    span: Span,
    now: Timestamp,
    many: usize,
) -> Vec<u64> {
    let mut counts = vec![0; many];
    for at in moments.into_iter().filter(|at| *at <= now) {
        let back = now.since(at).0 / span.0.max(1);
        let nth = usize::try_from(back)
            .ok()
            .and_then(|back| many.checked_sub(back + 1));
        if let Some(count) = nth.and_then(|nth| counts.get_mut(nth)) {
            *count += 1;
        }
    }
    counts
}

/// Processor and memory use of one attempt's processes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AttemptLoad {
    pub attempt: AttemptId,
    /// Share of one core, in percent; more than 100 with several.
    pub cpu: f32,
    pub memory: u64,
    pub processes: usize,
}

/// Work metrics together with the load of all running attempts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MetricsReport {
    pub metrics: Metrics,
    /// Loads of the agents at work, in the order they were started.
    pub loads: Vec<AttemptLoad>,
}

#[cfg(test)]
pub(super) mod tests;
