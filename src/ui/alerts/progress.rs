//! The progress of the work as one percentage, for terminals that show one in their tab or in the task bar.

use serde::{Deserialize, Serialize};

use crate::domain::TaskState;
use crate::read_model::ReadModel;

/// The share of released tasks that are finished, as terminals show it in their tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkProgress {
    #[default]
    Idle,
    /// So many percent of the tasks that were handed to the agents are through.
    Working(u8),
    /// The same, but something needs a person, or nothing new is started.
    Waiting(u8),
}

impl WorkProgress {
    /// Counts the tasks under way, and those that ended since the oldest of these was created.
    pub(super) fn from_model(model: &ReadModel) -> WorkProgress {
        let tasks = || model.tasks.values();
        let open = || tasks().filter(|task| is_under_way(&task.state));
        let Some(begun) = open().map(|task| task.created_at).min() else {
            return WorkProgress::Idle;
        };
        let through = tasks().filter(|task| is_through(&task.state) && task.since >= begun);
        let (open, through) = (open().count(), through.count());
        let percent = u8::try_from(through * 100 / (through + open)).unwrap_or(100);
        if model.attention.is_empty() && model.pause.is_none() {
            WorkProgress::Working(percent)
        } else {
            WorkProgress::Waiting(percent)
        }
    }
}

fn is_under_way(state: &TaskState) -> bool {
    matches!(
        state,
        TaskState::Released | TaskState::Active | TaskState::Verifying | TaskState::Held(_)
    )
}

fn is_through(state: &TaskState) -> bool {
    matches!(
        state,
        TaskState::Done | TaskState::Failed(_) | TaskState::Skipped(_)
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::command::TaskDraft;
    use crate::domain::{PauseReason, Task, Timestamp};
    use crate::read_model::{AttentionItem, AttentionKind};

    fn task(id: &str, state: TaskState, (made, since): (u64, u64)) -> Task {
        Task {
            state,
            since: Timestamp(since),
            ..Task::planned(Timestamp(made), &TaskDraft::new(id, ""), "development".into())
        }
    }

    fn model(tasks: Vec<Task>) -> ReadModel {
        ReadModel {
            tasks: tasks
                .into_iter()
                .map(|task| (task.id.clone(), Arc::new(task)))
                .collect(),
            ..ReadModel::default()
        }
    }

    #[test]
    fn what_ended_before_the_work_under_way_was_made_and_what_nobody_works_on_does_not_count() {
        let mut board = model(vec![
            task("old", TaskState::Done, (1, 99)),
            task("a", TaskState::Active, (100, 300)),
            task("b", TaskState::Released, (150, 150)),
            task("c", TaskState::Done, (120, 200)),
            task("later", TaskState::Backlog, (1, 1)),
            task("parked", TaskState::Parked(String::new()), (1, 1)),
        ]);
        assert_eq!(WorkProgress::from_model(&board), WorkProgress::Working(33));
        board.attention.push(AttentionItem {
            task: "a".into(),
            attempt: None,
            kind: AttentionKind::Permission,
            text: String::new(),
            since: Timestamp(1),
        });
        assert_eq!(WorkProgress::from_model(&board), WorkProgress::Waiting(33));
        board.attention.clear();
        board.pause = Some(PauseReason::Operator {
            by: "ann".to_owned(),
            at: Timestamp(1),
        });
        assert_eq!(WorkProgress::from_model(&board), WorkProgress::Waiting(33));
    }

    #[test]
    fn without_anything_under_way_nothing_is_shown() {
        assert_eq!(
            WorkProgress::from_model(&ReadModel::default()),
            WorkProgress::Idle
        );
        let over = model(vec![
            task("a", TaskState::Done, (1, 2)),
            task("b", TaskState::Failed(String::new()), (1, 2)),
            task("c", TaskState::Backlog, (1, 2)),
        ]);
        assert_eq!(WorkProgress::from_model(&over), WorkProgress::Idle);
    }

    #[test]
    fn progress_is_sent_when_it_changes_repeated_and_removed_when_switched_off() {
        use crate::domain::Span;
        use crate::ui::{AlertRules, AlertWhen, Glyphs, TerminalAlerts, TerminalUpdate};
        let rules = |progress| AlertRules {
            when: AlertWhen::Away,
            min_interval: Span(5_000),
            title: false,
            progress,
            glyphs: Glyphs::Unicode,
        };
        let mut alerts = TerminalAlerts::new(rules(true));
        assert_eq!(
            alerts.update((Timestamp(1), None), &model(Vec::new()), "shop"),
            [],
            "nothing to show"
        );
        let board = model(vec![task("a", TaskState::Active, (100, 300))]);
        let working = [TerminalUpdate::Progress(WorkProgress::Working(0))];
        assert_eq!(alerts.update((Timestamp(10), None), &board, "shop"), working);
        assert_eq!(alerts.update((Timestamp(20), None), &board, "shop"), []);
        assert_eq!(alerts.next_due(), Some(Timestamp(10_010)));
        assert_eq!(alerts.update((Timestamp(10_010), None), &board, "shop"), working);
        alerts.set_rules(rules(false));
        let gone = [TerminalUpdate::Progress(WorkProgress::Idle)];
        assert_eq!(alerts.update((Timestamp(10_020), None), &board, "shop"), gone);
        assert_eq!(alerts.update((Timestamp(30_000), None), &board, "shop"), []);
        assert_eq!(alerts.next_due(), None);
    }
}
