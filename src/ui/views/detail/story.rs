//! A story that is tested first in the details of its task: its tests, its criteria, the way from red to green, and how often it got stuck.

use super::text_block::TextBlock;
use crate::domain::{Evidence, EvidenceKind, PlanEntry, StoryTests, Task, TaskState, TestCounts, Tri};
use crate::read_model::ReadModel;
use crate::ui::canvas::prelude::*;
use crate::ui::views::ViewContext;

/// What there is to say of a story alone.
pub(super) fn story_lines(
    ctx: &ViewContext<'_>,
    task: &Task,
    (plan, tests): (&PlanEntry, &StoryTests),
    lines: &mut TextBlock,
) {
    let model = ctx.scene.model;
    lines.fact("tests", &tests.file, StyleRole::Text);
    let (text, role) = progress(model, task);
    lines.fact("now", &text, role);
    let (mark, role) = if is_proven(model, task) {
        ("[x]", StyleRole::Done)
    } else {
        ("[ ]", StyleRole::Text)
    };
    let criteria = plan.criteria.iter();
    lines.facts("asks", criteria.map(|text| (format!("{mark} {text}"), role)));
    let stuck = &task.record.work.stuck;
    if let Some(last) = stuck.last() {
        let times = match stuck.len() {
            1 => "once".to_owned(),
            many => format!("{many} times"),
        };
        lines.fact("stuck", &format!("{times}: {}", last.why), StyleRole::Retry);
    }
}

/// Whether the tests of its implementation have passed: it is done, or in a stage behind the one that proves its gates.
fn is_proven(model: &ReadModel, task: &Task) -> bool {
    task.state == TaskState::Done || behind(model, task, |kind| *kind == EvidenceKind::Gates)
}

/// Whether its stage comes behind the one with evidence of that kind.
fn behind(model: &ReadModel, task: &Task, is_kind: impl Fn(&EvidenceKind) -> bool) -> bool {
    let stages = model
        .workflows
        .get(&task.workflow)
        .map(|flow| flow.stages.as_slice());
    let mut stages = stages.unwrap_or_default().iter();
    let found = stages.find(|stage| stage.evidence.iter().any(&is_kind));
    found.is_some() && stages.any(|stage| stage.id == task.stage)
}

fn is_first_run(kind: &EvidenceKind) -> bool {
    matches!(kind, EvidenceKind::GateFails(_))
}

/// Where it is on the way from tests that are not written to tests that pass: what was seen last of them.
fn progress(model: &ReadModel, task: &Task) -> (String, StyleRole) {
    let attempts = model.attempts.values().rev();
    let mut seen = attempts
        .filter(|attempt| attempt.task == task.id)
        .flat_map(|attempt| attempt.evidence.iter().rev());
    let is_of_tests = |evidence: &&Evidence| {
        let kind = &evidence.kind;
        is_first_run(kind) || matches!(kind, EvidenceKind::Gates | EvidenceKind::Tests)
    };
    let are_written = task.state == TaskState::Done || behind(model, task, is_first_run);
    match (seen.find(is_of_tests), task.record.work.tests) {
        (Some(evidence), _) if are_written || evidence.kind != EvidenceKind::Gates => of_evidence(evidence),
        (Some(_), _) => ("tests are to be written anew".to_owned(), StyleRole::Text),
        (None, Some(counts)) if are_written => of_counts(counts),
        (None, _) if are_written => ("tests written, not yet run here".to_owned(), StyleRole::Text),
        (None, _) => ("tests not written".to_owned(), StyleRole::Dim),
    }
}

fn of_evidence(evidence: &Evidence) -> (String, StyleRole) {
    match (&evidence.kind, &evidence.outcome, evidence.tests) {
        (EvidenceKind::GateFails(_), Tri::Yes, Some(counts)) => {
            let text = match counts.failed.saturating_add(counts.errors) {
                1 => "1 test fails as it should".to_owned(),
                many => format!("{many} tests fail as they should"),
            };
            (text, StyleRole::Text)
        }
        (EvidenceKind::GateFails(_), Tri::Yes, None) => {
            ("tests fail as they should".to_owned(), StyleRole::Text)
        }
        (EvidenceKind::Gates, outcome, Some(counts)) => {
            let (text, role) = of_counts(counts);
            match outcome {
                Tri::No(_) if role == StyleRole::Done => {
                    (format!("{text}, another gate fails"), StyleRole::Failed)
                }
                _ => (text, role),
            }
        }
        (EvidenceKind::Gates, Tri::Yes, None) => ("tests pass".to_owned(), StyleRole::Done),
        (EvidenceKind::Gates, Tri::No(_), None) => ("gates do not pass".to_owned(), StyleRole::Failed),
        (_, Tri::No(_), _) => ("tests written, not accepted".to_owned(), StyleRole::Failed),
        (_, Tri::Yes | Tri::Unknown(_), _) => {
            ("tests written, not yet seen to fail".to_owned(), StyleRole::Text)
        }
    }
}

fn of_counts(counts: TestCounts) -> (String, StyleRole) {
    let is_green = counts.passed > 0 && counts.passed == counts.total();
    let role = if is_green {
        StyleRole::Done
    } else {
        StyleRole::Failed
    };
    (format!("{}/{} pass", counts.passed, counts.total()), role)
}
