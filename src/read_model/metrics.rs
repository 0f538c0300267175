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

/// An attempt of a developer that is over, for tests: number, stage, when it was made and ended, verdict.
#[cfg(test)]
pub(crate) fn settled_attempt(id: u64, stage: &str, from: u64, to: u64, verdict: Verdict) -> Attempt {
    use crate::domain::attempt::{Activity, WorkspaceState};
    use crate::domain::{ActivityKind, AttemptMode};

    Attempt {
        id: AttemptId(id),
        task: "t-1".into(),
        stage: stage.into(),
        n: 1,
        mode: AttemptMode::Fresh,
        session: crate::domain::AgentSession::Fresh,
        worker: Worker::Agent {
            role: "developer".into(),
            name: "developer-ravel".to_owned(),
        },
        state: AttemptState::Settled(verdict),
        signals: Vec::new(),
        refused: Vec::new(),
        workplace: None,
        gates_before: Vec::new(),
        activity: Activity {
            doing: ActivityKind::Exited,
            source: "exit".to_owned(),
            since: Timestamp(to),
        },
        asks: Vec::new(),
        asks_made: 0,
        choice: crate::domain::AgentChoice::default(),
        leaves: None,
        failed_turns: crate::domain::FailedTurns::default(),
        usage: crate::domain::AttemptUsage::default(),
        evidence: Vec::new(),
        checks: 0,
        created_at: Timestamp(from),
        comments_before: 0,
        started_at: None,
        deadline: None,
        person_awaited: None,
        awaited: None,
        ended_at: Some(Timestamp(to)),
        workspace: WorkspaceState::Gone,
        obstacle: None,
        kept: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trail_counts_repeated_stages_and_marks_those_that_sent_work_back() {
        let mut metrics = Metrics::default();
        let crash = Verdict::Failed(FailureClass::Crash, "".into());
        for attempt in [
            settled_attempt(1, "development", 0, 10, crash),
            settled_attempt(2, "development", 10, 40, Verdict::Passed),
            settled_attempt(3, "review", 40, 45, Verdict::Rejected(String::new())),
            settled_attempt(4, "development", 50, 60, Verdict::Passed),
        ] {
            metrics.record(&attempt);
        }
        let trail = &metrics.trails[&"t-1".into()];
        let steps: Vec<_> = trail
            .steps
            .iter()
            .map(|step| (step.stage.as_str(), step.times, step.took.0, step.is_rejected))
            .collect();
        assert_eq!(
            steps,
            [
                ("development", 2, 40, false),
                ("review", 1, 5, true),
                ("development", 1, 10, false)
            ]
        );
        assert_eq!((trail.began, trail.ended), (Timestamp(0), Timestamp(60)));
        assert_eq!(
            (metrics.rejections(), metrics.retries(), metrics.timeouts()),
            (1, 1, 0)
        );
        let development = &metrics.stages[&"development".into()];
        assert_eq!(
            (development.passes, development.failures, development.average()),
            (2, 1, Span(16))
        );
    }

    #[test]
    fn acts_of_the_engine_are_no_attempts_of_agents() {
        let mut metrics = Metrics::default();
        let merge = |id, verdict| Attempt {
            worker: Worker::Engine(crate::domain::EngineAction::Merge),
            ..settled_attempt(id, "merge", 10, 20, verdict)
        };
        let crash = Verdict::Failed(FailureClass::Crash, "".into());
        metrics.record(&settled_attempt(1, "development", 0, 10, Verdict::Passed));
        metrics.record(&merge(2, crash));
        metrics.record(&merge(3, Verdict::Passed));
        assert_eq!((metrics.attempts, metrics.by_agents), (3, 1));
        assert_eq!((metrics.retries(), metrics.retries_by_agents()), (1, 0));
    }

    #[test]
    fn what_was_stopped_by_a_person_says_nothing_about_a_stage() {
        let mut metrics = Metrics::default();
        metrics.record(&settled_attempt(
            1,
            "review",
            0,
            900,
            Verdict::Stopped(StopCause::Killed),
        ));
        metrics.record(&settled_attempt(
            2,
            "review",
            0,
            100,
            Verdict::Stopped(StopCause::Timeout),
        ));
        let mut open = settled_attempt(3, "review", 0, 100, Verdict::Passed);
        open.state = AttemptState::Running;
        metrics.record(&open);
        assert_eq!((metrics.attempts, metrics.stopped, metrics.timeouts()), (2, 1, 1));
        assert_eq!(metrics.stages[&"review".into()].average(), Span(100));
    }

    #[test]
    fn moments_are_counted_in_the_span_they_lie_in() {
        let moments = [0, 899, 900, 1_000, 1_001, 2_000].map(Timestamp);
        let counts = per_span(moments, Span(100), Timestamp(1_000), 3);
        assert_eq!(
            counts,
            [0, 2, 1],
            "what is a whole span old lies in the one before; the future in none"
        );
    }
}
