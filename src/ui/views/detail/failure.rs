//! What went wrong with a task that stands still: whose fault it is counted as, how the agent ended, its last lines, what the
//! check that failed printed, and the keys to act.

use super::paragraph::{Lines, paragraph, section};
use crate::domain::{AttemptId, FailureClass, Task};
use crate::read_model::{CheckResult, CheckRun};
use crate::ui::action::{Action, ViewName};
use crate::ui::cache::{CacheEntry, CacheKey};
use crate::ui::canvas::piece;
use crate::ui::scene::{Scene, ScreenId};
use crate::ui::status::class_words;
use crate::ui::theme::StyleRole;
use crate::ui::views::ViewContext;

/// Lines of a terminal or a check that are shown, the last ones.
const LAST: usize = 12;

/// Adds it, if the task's last attempt failed.
pub(super) fn failure_lines(look: &ViewContext<'_>, task: &Task, room: usize, lines: &mut Lines) {
    let Some((attempt, class, why)) = look.scene.model.failure_of(task) else {
        return;
    };
    section(&format!("What went wrong in attempt {}", attempt.id), lines);
    paragraph(&format!("{class}: {why}"), StyleRole::Failed, room, lines);
    paragraph(class_words(class), StyleRole::Dim, room, lines);
    keys(look, task, lines);
    if let Some(check) = failed_check(look.scene, task, attempt.id) {
        let text = format!("Output of check {}: {}", check.name, check.command);
        section(&text, lines);
        match look
            .scene
            .cache
            .get(&CacheKey::Output(check.attempt, check.index))
        {
            Some(CacheEntry::Text(output)) => last(output.iter().map(String::as_str), room, lines),
            _ => lines.push(vec![piece("Reading it.", StyleRole::Dim)]),
        }
    }
    let screen = last_lines(look.scene, ScreenId::Attempt(attempt.id));
    if !screen.is_empty() {
        section("Last lines of its terminal", lines);
        last(screen.iter().map(String::as_str), room, lines);
    }
}

/// The check on which the attempt that a task failed in came to nothing, as far as checks are known.
pub(super) fn failed_check<'a>(scene: &Scene<'a>, task: &Task, attempt: AttemptId) -> Option<&'a CheckRun> {
    let Some(CacheEntry::Checks(checks)) = scene.cache.get(&CacheKey::Checks(Some(task.id.clone()))) else {
        return None;
    };
    let failed = |check: &&CheckRun| {
        check.attempt == attempt && matches!(check.result, CheckResult::Failed(_) | CheckResult::Unknown(_))
    };
    checks.iter().find(failed)
}

fn last<'a>(all: impl DoubleEndedIterator<Item = &'a str>, room: usize, lines: &mut Lines) {
    let said = all.rev().filter(|line| !line.trim().is_empty()).take(LAST);
    let said: Vec<&str> = said.collect();
    for line in said.into_iter().rev() {
        paragraph(&line.replace('\t', "    "), StyleRole::Text, room, lines);
    }
}

/// What the terminal shows; nothing when it is not kept any more.
fn last_lines(scene: &Scene<'_>, id: ScreenId) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    scene.screens.with(id, &mut |screen| {
        rows = vec![String::new(); usize::from(screen.size().1)];
        screen.cells(0, &mut |column, row, text, _| {
            if let Some(line) = rows.get_mut(usize::from(row)) {
                // Empty cells may be left out.
                while line.chars().count() < usize::from(column) {
                    line.push(' ');
                }
                line.push_str(text);
            }
        });
    });
    rows
}

fn keys(look: &ViewContext<'_>, task: &Task, lines: &mut Lines) {
    let mut keys = Vec::new();
    for (action, title) in [
        (Action::Retry, "retry"),
        (Action::RetryWithNote, "with a note"),
        (Action::EditTask, "edit"),
        (Action::Skip, "skip"),
        (Action::Show(ViewName::of("diff")), "differences"),
    ] {
        let Some(key) = look.state.keymap.hint(action) else {
            continue;
        };
        if action == Action::Skip && task.state.is_terminal() {
            continue;
        }
        keys.push(piece(key, StyleRole::Key));
        keys.push(piece(format!(" {title}  "), StyleRole::Text));
    }
    lines.push(keys);
}

/// Whether checks are worth fetching for it: its last attempt failed at one.
pub(super) fn is_of_checks(look: &ViewContext<'_>, task: &Task) -> bool {
    let failure = look.scene.model.failure_of(task);
    failure.is_some_and(|(_, class, _)| class == FailureClass::Gate)
}
