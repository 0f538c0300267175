//! What is known of the phases of a plan, written into its files: the cell of a status and the boxes of tasks, and no other byte.

use std::ops::Range;

use super::model::{PhaseStatus, Plan, PlanItem};
use crate::domain::{Task, TaskState};

/// The status that a plan has for a task of its phase; nothing where a person took the task out of the plan's way.
pub fn status_of(task: &Task) -> Option<PhaseStatus> {
    match &task.state {
        TaskState::Backlog | TaskState::Released => Some(PhaseStatus::Pending),
        TaskState::Active => Some(PhaseStatus::Running),
        TaskState::Verifying => Some(PhaseStatus::Validating),
        TaskState::Held(_) if task.state.awaits_approval() => Some(PhaseStatus::AwaitingHuman),
        TaskState::Held(_) => Some(PhaseStatus::Blocked),
        TaskState::Failed(_) => Some(PhaseStatus::Failed),
        TaskState::Done => Some(PhaseStatus::Completed),
        TaskState::Parked(_) | TaskState::Skipped(_) | TaskState::Cancelled => None,
    }
}

/// The text of a master plan with these statuses in its table. A cell that says the same already stays as it is. `text` is what the plan
/// was read from, without a byte order mark.
pub fn with_statuses(plan: &Plan, text: &str, wanted: &dyn Fn(&PlanItem) -> Option<PhaseStatus>) -> String {
    let cells = plan.items.iter().filter_map(|item| {
        let status = wanted(item).filter(|status| *status != item.status)?;
        let at = item.status_at.clone()?;
        let cell = text.get(at.clone())?;
        Some((at, in_cell(cell, status.word())))
    });
    edited(text, cells)
}

/// The text of the file of a phase with all boxes of its tasks ticked.
pub fn with_ticks(item: &PlanItem, text: &str) -> String {
    let open = item.tasks.iter().filter(|task| !task.is_done);
    let boxes = open.filter_map(|task| {
        let at = task.box_at.clone();
        (text.get(at.clone()) == Some("[ ]")).then(|| (at, "[x]".to_owned()))
    });
    edited(text, boxes)
}

/// The content of a cell with another word, as wide as before where there is room.
fn in_cell(cell: &str, word: &str) -> String {
    let old = cell.trim();
    let begin = cell.find(old).unwrap_or_default();
    let (before, rest) = cell.split_at_checked(begin).unwrap_or(("", cell));
    let after = rest.get(old.len()..).unwrap_or_default();
    let width = old.chars().count() + after.chars().count();
    let room = width.saturating_sub(word.chars().count()).max(1);
    let last = if after.is_empty() { 0 } else { room };
    format!("{before}{word}{}", " ".repeat(last))
}

fn edited(text: &str, edits: impl Iterator<Item = (Range<usize>, String)>) -> String {
    let mut edits: Vec<_> = edits.collect();
    edits.sort_by_key(|(at, _)| at.start);
    let (mut result, mut end) = (String::with_capacity(text.len()), 0);
    for (at, new) in edits {
        // The file of one phase may be that of another one, too.
        let Some(between) = text.get(end..at.start) else {
            continue;
        };
        result.push_str(between);
        result.push_str(&new);
        end = at.end;
    }
    result.push_str(text.get(end..).unwrap_or_default());
    result
}
