//! Results of the engine's checks, as plain values: command, how it ended, how long it took.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::ReadModel;
use crate::domain::{
    AttemptId, AttemptState, EvidenceKind, Span, StageId, TaskId, TestCounts, Timestamp, Tri,
};

/// Run of a gate command for an attempt, with its result and duration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRun {
    pub attempt: AttemptId,
    pub index: u16,
    pub task: TaskId,
    pub stage: StageId,
    pub name: String,
    pub command: String,
    pub commit: String,
    pub began: Timestamp,
    pub result: CheckResult,
    /// Results of its tests, if it runs tests and their runner reports them.
    pub tests: Option<TestCounts>,
    pub took: Option<Span>,
    pub is_cut: bool,
    /// Names of variables of the person's shell that it does not get.
    pub hidden: Vec<String>,
}

/// The result of a gate run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckResult {
    /// Run that found something; the text says how it ended.
    Failed(String),
    /// Run that could not be finished; the text says why.
    Unknown(String),
    Running,
    Passed,
}

impl ReadModel {
    /// Returns whether a gate that failed proves something by that: its stage asks for it, and it did not fail for another reason.
    pub fn fails_as_it_must(&self, check: &CheckRun) -> bool {
        let wanted = EvidenceKind::GateFails(check.name.clone());
        let task = self.tasks.get(&check.task);
        let flow = task.and_then(|task| self.workflows.get(&task.workflow));
        let stage = flow.and_then(|flow| flow.stage(&check.stage));
        let attempt = self.attempts.get(&check.attempt);
        let is_refuted = attempt.is_some_and(|attempt| {
            let mut evidence = attempt.evidence.iter();
            evidence.any(|found| found.kind == wanted && matches!(found.outcome, Tri::No(_)))
        });
        stage.is_some_and(|stage| stage.evidence.contains(&wanted)) && !is_refuted
    }
}

impl CheckRun {
    /// A number that names it among all checks.
    pub fn key(&self) -> u64 {
        (self.attempt.0 << 16) | u64::from(self.index)
    }
}

impl ReadModel {
    /// A number that changes when an attempt of that task, or of any, comes to a point at which checks begin or are over.
    pub fn checks_revision(&self, task: Option<&TaskId>) -> u64 {
        let mut hasher = DefaultHasher::new();
        let attempts = self.attempts.values();
        for attempt in attempts.filter(|attempt| task.is_none_or(|task| attempt.task == *task)) {
            let phase = match attempt.state {
                AttemptState::Starting | AttemptState::Running => 0,
                AttemptState::Stopping(_) => 1,
                AttemptState::Verifying => 2,
                AttemptState::Settled(_) => 3,
            };
            (attempt.id, phase, attempt.checks, attempt.workplace.is_some()).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// Sorts failed runs first, then unknown, running and passed ones; the latest of each first.
pub fn worst_first(checks: &mut [CheckRun]) {
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
            .then_with(|| a.key().cmp(&b.key()))
    });
}

/// Runs of a command that must have ended before its usual duration is shown: one may have been an exception.
const MIN_RUNS: usize = 2;

/// Returns the usual time of a command: the median of the runs that came to an end; `None` while there are too few of them.
fn usual_time(checks: &[CheckRun], command: &str) -> Option<Span> {
    let to_the_end = |check: &&CheckRun| matches!(check.result, CheckResult::Passed | CheckResult::Failed(_));
    let ended = checks
        .iter()
        .filter(|check| check.command == command)
        .filter(to_the_end);
    let mut times: Vec<Span> = ended.filter_map(|check| check.took).collect();
    times.sort_unstable();
    let usual = times.get(times.len() / 2).copied();
    usual.filter(|usual| times.len() >= MIN_RUNS && usual.0 > 0)
}

/// A gate that is running, with its time so far and its usual time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunningCheck<'a> {
    pub check: &'a CheckRun,
    pub so_far: Span,
    /// Usual time of its command, if that is known.
    pub usual: Option<Span>,
}

/// The check that runs for an attempt, if one does.
pub fn running_check(checks: &[CheckRun], attempt: AttemptId, now: Timestamp) -> Option<RunningCheck<'_>> {
    let runs = |check: &&CheckRun| check.attempt == attempt && check.result == CheckResult::Running;
    checks
        .iter()
        .find(runs)
        .map(|check| RunningCheck::among(checks, check, now))
}

impl<'a> RunningCheck<'a> {
    /// Creates it from a running check: the time so far, and the usual time from `checks`.
    pub fn among(checks: &[CheckRun], check: &'a CheckRun, now: Timestamp) -> RunningCheck<'a> {
        RunningCheck {
            check,
            so_far: now.since(check.began),
            usual: usual_time(checks, &check.command),
        }
    }

    /// `40s`: how long it runs.
    pub fn elapsed(&self) -> String {
        short_duration(self.so_far)
    }

    /// `40s of ~75s`: how long it runs, and how long it usually takes if that is known.
    pub fn times(&self) -> String {
        let so_far = self.elapsed();
        match self.usual {
            Some(usual) => format!("{so_far} of ~{}", short_duration(usual)),
            None => so_far,
        }
    }
}

impl fmt::Display for RunningCheck<'_> {
    /// `test 40s of ~75s`: its name and its times.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.check.name, self.times())
    }
}

/// Formats a duration more finely than elsewhere: a person who waits wants to see if it is one minute or nearly two.
fn short_duration(span: Span) -> String {
    match span.0 / 1000 {
        seconds @ 0..120 => format!("{seconds}s"),
        _ => span.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(nth: u16, result: CheckResult, took: Option<u64>) -> CheckRun {
        CheckRun {
            attempt: AttemptId(3),
            index: nth,
            task: "dbs-1".into(),
            stage: "review".into(),
            name: "test".to_owned(),
            command: "make".to_owned(),
            commit: String::new(),
            began: Timestamp(u64::from(nth)),
            result,
            tests: None,
            took: took.map(Span),
            is_cut: false,
            hidden: Vec::new(),
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
        assert_eq!(checks.map(|check| check.index), [3, 1, 2, 0]);
    }

    #[test]
    fn the_usual_time_is_the_median_of_runs_that_ended() {
        let times = [Some(9), Some(1), Some(5), None];
        let checks = times.map(|took| check(0, CheckResult::Passed, took));
        assert_eq!(usual_time(&checks, "make"), Some(Span(5)));
        assert_eq!(usual_time(&checks, "other"), None);
    }

    #[test]
    fn one_earlier_run_says_nothing_about_what_is_usual() {
        let times = [Some(9), None];
        let checks = times.map(|took| check(0, CheckResult::Passed, took));
        assert_eq!(usual_time(&checks, "make"), None);
        let instant = [Some(0), Some(0)].map(|took| check(0, CheckResult::Passed, took));
        assert_eq!(usual_time(&instant, "make"), None);
    }

    #[test]
    fn a_check_that_runs_says_how_long_it_does_and_usually_takes() {
        let passed = |took| check(0, CheckResult::Passed, Some(took));
        let mut checks = vec![check(4, CheckResult::Running, None), passed(75_000)];
        let at = Timestamp(40_004);
        let text =
            |checks: &[CheckRun]| running_check(checks, AttemptId(3), at).map(|running| running.to_string());
        assert_eq!(text(&checks).as_deref(), Some("test 40s"));
        checks.extend([passed(74_000), passed(300_000)]);
        assert_eq!(text(&checks).as_deref(), Some("test 40s of ~75s"));
        assert!(running_check(&checks, AttemptId(4), at).is_none());
        assert!(running_check(&checks[1..], AttemptId(3), at).is_none());
    }
}
