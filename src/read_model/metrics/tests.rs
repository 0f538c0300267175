//! Figures and trails of attempts that are over.

use super::*;

/// An attempt of a developer that is over, for tests: number, stage, when it was made and ended, verdict.
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
        background: None,
        usage: crate::domain::AttemptUsage::default(),
        evidence: Vec::new(),
        checks: 0,
        created_at: Timestamp(from),
        comments_before: 0,
        started_at: None,
        deadline: None,
        model: None,
        person_awaited: None,
        awaited: None,
        ended_at: Some(Timestamp(to)),
        workspace: WorkspaceState::Gone,
        obstacle: None,
        kept: None,
    }
}

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
