//! What the engine's checks said, as plain values: command, how it ended, how long it took.

use crate::domain::{AttemptId, Span, StageId, TaskId, Timestamp};

/// One run of a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The attempt it was run for.
    pub attempt: AttemptId,
    /// Which of that attempt's checks, from 0.
    pub nth: u16,
    /// The task.
    pub task: TaskId,
    /// The stage the attempt was in.
    pub stage: StageId,
    /// Name of the gate.
    pub name: String,
    /// The literal command.
    pub command: String,
    /// The commit it was run on.
    pub commit: String,
    /// When it began.
    pub began: Timestamp,
    /// How it ended.
    pub result: CheckResult,
    /// How long it took; nothing while it runs.
    pub took: Option<Span>,
    /// Whether some of its output was not kept.
    pub is_cut: bool,
}

/// How a check ended.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckResult {
    /// It found something; the text says how it ended.
    Failed(String),
    /// It could not be run to its end; the text says why.
    Unknown(String),
    /// It runs.
    Running,
    /// It found nothing.
    Passed,
}

impl Check {
    /// A number that names it among all checks.
    pub fn mark(&self) -> u64 {
        (self.attempt.0 << 16) | u64::from(self.nth)
    }
}

/// Failed ones first, then what is unknown, what runs, what passed; the latest of each first.
pub fn worst_first(checks: &mut [Check]) {
    let rank = |result: &CheckResult| match result {
        CheckResult::Failed(_) => 0,
        CheckResult::Unknown(_) => 1,
        CheckResult::Running => 2,
        CheckResult::Passed => 3,
    };
    checks.sort_by(|a, b| {
        rank(&a.result)
            .cmp(&rank(&b.result))
            .then_with(|| b.began.cmp(&a.began))
            .then_with(|| a.mark().cmp(&b.mark()))
    });
}

/// How long a command usually takes: the median of the runs that came to an end.
pub fn usual_time(checks: &[Check], command: &str) -> Option<Span> {
    let ended = checks.iter().filter(|check| check.command == command);
    let mut times: Vec<Span> = ended.filter_map(|check| check.took).collect();
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(nth: u16, result: CheckResult, took: Option<u64>) -> Check {
        Check {
            attempt: AttemptId(3),
            nth,
            task: "dbs-1".into(),
            stage: "review".into(),
            name: "test".to_owned(),
            command: "make".to_owned(),
            commit: String::new(),
            began: Timestamp(u64::from(nth)),
            result,
            took: took.map(Span),
            is_cut: false,
        }
    }

    #[test]
    fn what_failed_comes_first_and_the_latest_of_it_before_the_others() {
        let failed = || CheckResult::Failed(String::new());
        let mut checks = [
            check(0, CheckResult::Passed, None),
            check(1, failed(), None),
            check(2, CheckResult::Running, None),
            check(3, failed(), None),
        ];
        worst_first(&mut checks);
        assert_eq!(checks.map(|check| check.nth), [3, 1, 2, 0]);
    }

    #[test]
    fn the_usual_time_is_the_median_of_runs_that_ended() {
        let times = [Some(9), Some(1), Some(5), None];
        let checks = times.map(|took| check(0, CheckResult::Passed, took));
        assert_eq!(usual_time(&checks, "make"), Some(Span(5)));
        assert_eq!(usual_time(&checks, "other"), None);
    }
}
