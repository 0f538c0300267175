//! A story that is tested first in the details of its task: its tests, its criteria, the way from red to green, and its history.

use super::text_block::TextBlock;
use crate::domain::{
    Evidence, EvidenceKind, PlanEntry, StoryTests, Task, TaskState, TestCounts, Tri, counted,
};
use crate::read_model::ReadModel;
use crate::ui::canvas::prelude::*;
use crate::ui::views::ViewContext;

/// Maximum number of times a story got stuck that are listed.
const MOST_STUCK: usize = 3;

/// Adds the facts of a story: its tests, progress, criteria and history.
pub(super) fn story_lines(
    ctx: &ViewContext<'_>,
    task: &Task,
    plan: &PlanEntry,
    tests: &StoryTests,
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
    lines.facts("history", history(ctx, task).into_iter());
}

/// Returns the times it got stuck with the reasons, the latest ones, and the effort it took to be done.
fn history(ctx: &ViewContext<'_>, task: &Task) -> Vec<(String, StyleRole)> {
    let work = &task.record.work;
    let earlier = work.stuck.len().saturating_sub(MOST_STUCK);
    let mut entries = Vec::new();
    if earlier > 0 {
        entries.push((
            format!("stuck {} before", counted(earlier, "time", "times")),
            StyleRole::Retry,
        ));
    }
    entries.extend(work.stuck.iter().skip(earlier).map(|stuck| {
        let age = ctx.scene.now.since(stuck.at);
        (format!("stuck {age} ago: {}", stuck.why), StyleRole::Retry)
    }));
    if task.state == TaskState::Done {
        let sessions = match work.sessions {
            0 => String::new(),
            many => format!(" with {}", counted(many as usize, "session", "sessions")),
        };
        let tests = work
            .tests
            .map(|counts| format!(", {} of {} tests pass", counts.passed, counts.total()));
        entries.push((
            format!("done{sessions}{}", tests.unwrap_or_default()),
            StyleRole::Done,
        ));
    }
    entries
}

/// Returns true if the tests of its implementation have passed: it is done, or in a stage behind the one that proves its gates.
fn is_proven(model: &ReadModel, task: &Task) -> bool {
    task.state == TaskState::Done || behind(model, task, |kind| *kind == EvidenceKind::Gates)
}

/// Returns true if its stage comes behind the one with evidence of that kind.
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

/// Returns the progress from tests that are not written to tests that pass: the latest evidence on them.
fn progress(model: &ReadModel, task: &Task) -> (String, StyleRole) {
    let attempts = model.attempts.values().rev();
    let mut seen = attempts
        .filter(|attempt| attempt.task == task.id)
        .flat_map(|attempt| {
            attempt
                .evidence
                .iter()
                .rev()
                .map(move |evidence| (evidence, attempt))
        });
    let is_of_tests = |(evidence, _): &(&Evidence, _)| {
        let kind = &evidence.kind;
        is_first_run(kind) || matches!(kind, EvidenceKind::Gates | EvidenceKind::Tests)
    };
    let are_written = task.state == TaskState::Done || behind(model, task, is_first_run);
    match (seen.find(is_of_tests), task.record.work.tests) {
        (Some((evidence, attempt)), _) if are_written || evidence.kind != EvidenceKind::Gates => {
            let (text, role) = of_evidence(evidence);
            let is_broken = |other: &Evidence| {
                other.kind == EvidenceKind::Protected && matches!(other.outcome, Tri::No(_))
            };
            // Tests that were changed prove nothing.
            if attempt.evidence.iter().any(is_broken) {
                (
                    format!("{text}, but protected files were changed"),
                    StyleRole::Failed,
                )
            } else {
                (text, role)
            }
        }
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
