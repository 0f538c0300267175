//! Writer of the known progress of the phases of a plan into its files: the cell of a status and the boxes of tasks, and no other byte.

use std::ops::Range;

use super::model::{PhaseStatus, Plan, PlanItem};
use crate::graph_plan::{GraphProgress, GraphStatus};
use crate::text_edit::edited;
use dbs_domain::task::behind_failed;
use dbs_domain::{Task, TaskState};

/// Returns the status that a plan has for a task of its phase; `None` if a person took the task out of the plan's way.
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

/// Returns the progress of a task of the board for its graph plan; `None` if a person took the task out of the plan's way (G48).
pub fn progress_of(task: &Task) -> Option<GraphProgress> {
    let (status, result) = match &task.state {
        TaskState::Backlog | TaskState::Released => (GraphStatus::Pending, None),
        TaskState::Active | TaskState::Verifying => (GraphStatus::InProgress, None),
        TaskState::Held(_) if task.state.awaits_approval() => (GraphStatus::InProgress, None),
        TaskState::Held(hold) => (GraphStatus::Blocked, Some(task.hold_text(hold))),
        TaskState::Failed(why) => (GraphStatus::Failed, Some(behind_failed(why).to_owned())),
        TaskState::Skipped(skip) => {
            let why = skip.root().map_or_else(
                || "a person skipped it".to_owned(),
                |cause| format!("it waits for {cause}, which did not come to its end"),
            );
            (GraphStatus::Skipped, Some(why))
        }
        TaskState::Done => {
            let commit = task.merged.as_deref().map(|commit| format!("merged as {commit}"));
            (GraphStatus::Completed, commit)
        }
        TaskState::Parked(_) | TaskState::Cancelled => return None,
    };
    Some(GraphProgress {
        status,
        result,
        attempts: task.tries_of_work(),
    })
}

/// Returns the text of a master plan with these statuses in its table, and with the boxes of completed phases that have no file of their
/// own ticked. A cell that says the same already stays as it is. `text` is the text
/// that the plan was read from, without a byte order mark.
pub fn with_statuses(plan: &Plan, text: &str, wanted: &dyn Fn(&PlanItem) -> Option<PhaseStatus>) -> String {
    let cells = plan.items.iter().filter_map(|item| {
        let status = wanted(item).filter(|status| *status != item.status)?;
        let at = item.status_at.clone()?;
        let cell = text.get(at.clone())?;
        Some((at, in_cell(cell, status.word())))
    });
    let is_done = |item: &&PlanItem| item.section.is_some() && wanted(item) == Some(PhaseStatus::Completed);
    let boxes = plan
        .items
        .iter()
        .filter(is_done)
        .flat_map(|item| open_boxes(item, text));
    edited(text, cells.chain(boxes))
}

/// Returns the text of the file of a phase with all boxes of its tasks ticked.
pub fn with_ticks(item: &PlanItem, text: &str) -> String {
    edited(text, open_boxes(item, text))
}

/// Returns a tick for each open box of a phase.
fn open_boxes<'a>(item: &'a PlanItem, text: &'a str) -> impl Iterator<Item = (Range<usize>, String)> + 'a {
    let open = item.tasks.iter().filter(|task| !task.is_done);
    open.filter_map(|task| {
        let at = task.box_at.clone();
        (text.get(at.clone()) == Some("[ ]")).then(|| (at, "[x]".to_owned()))
    })
}

/// Returns the content of a cell with another word, as wide as before if there is room.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_of_a_task_is_a_status_of_its_phase_unless_a_person_took_it_away() {
        use dbs_domain::task::HoldReason;
        let status = |state: TaskState| {
            let draft = dbs_domain::command::TaskDraft::new("t-1", "");
            let task = Task::planned(dbs_domain::Timestamp(1), &draft, "work".into());
            status_of(&Task { state, ..task })
        };
        let cases = [
            (TaskState::Backlog, Some(PhaseStatus::Pending)),
            (TaskState::Released, Some(PhaseStatus::Pending)),
            (TaskState::Active, Some(PhaseStatus::Running)),
            (TaskState::Verifying, Some(PhaseStatus::Validating)),
            (
                TaskState::Held(HoldReason::Approval),
                Some(PhaseStatus::AwaitingHuman),
            ),
            (
                TaskState::Held(HoldReason::Blocked("no key".to_owned())),
                Some(PhaseStatus::Blocked),
            ),
            (TaskState::Failed(String::new()), Some(PhaseStatus::Failed)),
            (TaskState::Done, Some(PhaseStatus::Completed)),
            (TaskState::Parked(String::new()), None),
            (TaskState::Cancelled, None),
        ];
        for (state, wanted) in cases {
            assert_eq!(status(state.clone()), wanted, "{state:?}");
        }
    }
}
