//! The failure of a task that has stopped: its class, the way the agent ended, its last lines, the output of the check that failed, and the
//! keys to act.

use super::text_block::TextBlock;
use crate::domain::{Attempt, AttemptId, Evidence, FailureClass, Task};
use crate::keymap::{Action, ViewName};
use crate::read_model::{CheckResult, CheckRun};
use crate::ui::cache::{CacheEntry, CacheKey};
use crate::ui::canvas::prelude::*;
use crate::ui::scene::{Scene, ScreenId};
use crate::ui::status::class_words;
use crate::ui::target::blocking_question;
use crate::ui::views::ViewContext;

/// Number of lines of a terminal or a check that are shown, the last ones.
const LAST: usize = 12;

/// Adds the failure, if the task's last attempt failed.
pub(super) fn failure_lines(ctx: &ViewContext<'_>, task: &Task, lines: &mut TextBlock) {
    let Some((attempt, class, why)) = ctx.scene.model.failure_of(task) else {
        return;
    };
    lines.section(&format!("What went wrong in attempt {}", attempt.id));
    let check = failed_check(ctx.scene, task, attempt.id);
    for finding in findings(task, attempt, why) {
        // The output of a check is shown below, where it is known.
        let first = finding.lines().next().unwrap_or_default();
        let text = if check.is_some() { first } else { &finding };
        lines.paragraph(text, StyleRole::Failed);
    }
    lines.paragraph(class_words(class), StyleRole::Dim);
    keys(ctx, task, lines);
    if let Some(check) = check {
        let text = format!("Output of check {}: {}", check.name, check.command);
        lines.section(&text);
        match ctx.scene.cache.get(&CacheKey::output(check)) {
            Some(CacheEntry::Text(output)) => last(output.iter().map(String::as_str), lines),
            _ => lines.push(vec![dim("Reading the output.")]),
        }
    }
    let screen = last_lines(ctx.scene, ScreenId::Attempt(attempt.id));
    if !screen.is_empty() {
        lines.section("Last lines of its terminal");
        last(screen.iter().map(String::as_str), lines);
    }
}

/// Returns all findings of a failed attempt, each with the remedy where the next agent is given one.
pub(super) fn findings(task: &Task, attempt: &Attempt, why: &str) -> Vec<String> {
    let told = task.finding.as_deref().unwrap_or_default();
    let of_kind = |piece: &Evidence| {
        let action = piece.kind.action().filter(|action| told.contains(action));
        let action = action.map_or_else(String::new, |action| format!("\n  to do: {action}"));
        let found = piece.findings().into_iter();
        found
            .map(|issue| format!("{}{action}", issue.text))
            .collect::<Vec<_>>()
    };
    let found: Vec<String> = attempt.evidence.iter().flat_map(of_kind).collect();
    if found.is_empty() {
        vec![why.to_owned()]
    } else {
        found
    }
}

/// Returns the failed check of the attempt that the task failed in, as far as checks are known.
pub(super) fn failed_check<'a>(scene: &Scene<'a>, task: &Task, attempt: AttemptId) -> Option<&'a CheckRun> {
    let Some(CacheEntry::Checks(checks)) = scene.cache.get(&CacheKey::Checks(Some(task.id.clone()))) else {
        return None;
    };
    let failed = |check: &&CheckRun| {
        check.attempt == attempt && matches!(check.result, CheckResult::Failed(_) | CheckResult::Unknown(_))
    };
    checks.iter().find(failed)
}

fn last<'a>(all: impl DoubleEndedIterator<Item = &'a str>, lines: &mut TextBlock) {
    let lines_shown = all.rev().filter(|line| !line.trim().is_empty()).take(LAST);
    let lines_shown: Vec<&str> = lines_shown.collect();
    for line in lines_shown.into_iter().rev() {
        lines.paragraph(&line.replace('\t', "    "), StyleRole::Text);
    }
}

/// Returns the lines of the terminal; empty if it is not kept any more.
fn last_lines(scene: &Scene<'_>, id: ScreenId) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    scene.screens.draw(id, &mut |screen| rows = screen.text_rows());
    rows
}

fn keys(ctx: &ViewContext<'_>, task: &Task, lines: &mut TextBlock) {
    let [first, second] = match blocking_question(task) {
        Some(_) => [
            (Action::RetryWithNote, "answer and retry"),
            (Action::Retry, "retry"),
        ],
        None => [(Action::Retry, "retry"), (Action::RetryWithNote, "with a note")],
    };
    let offers = [
        first,
        second,
        (Action::EditTask, "edit"),
        (Action::Skip, "skip"),
        (Action::Show(ViewName::of("diff")), "differences"),
    ];
    let possible = |(action, _): &(Action, &str)| *action != Action::Skip || task.state.can_be_skipped();
    let offers = offers.into_iter().filter(possible);
    let keys = offers.filter_map(|(action, title)| ctx.offer(action, &format!("{title}  ")));
    lines.push(keys.flatten().collect());
}

/// Returns true if checks are worth fetching for the task: its last attempt failed at one.
pub(super) fn is_of_checks(ctx: &ViewContext<'_>, task: &Task) -> bool {
    let failure = ctx.scene.model.failure_of(task);
    failure.is_some_and(|(_, class, _)| class == FailureClass::Gate)
}
