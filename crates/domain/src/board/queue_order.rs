//! Order in which ready tasks get their turn (K8, K37): work closest to completion first.

use std::cmp::Reverse;

use super::Board;
use crate::id::TaskId;
use crate::task::{Task, TaskKind, TaskState};
use crate::time::Timestamp;
use crate::workflow::FileAccess;

/// Position of a stage in its workflow; the furthest sorts first. Ties between workflows: readers before writers, then longer workflows
/// first. For the built-in workflows that is the seed's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct StageRank(Reverse<usize>, bool, Reverse<usize>);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TaskRank<'a> {
    stage: StageRank,
    not_urgent: bool,
    not_a_bug: bool,
    priority: u8,
    created_at: Timestamp,
    number: u64,
    id: &'a TaskId,
}

impl Board {
    /// Returns the released ones of the tasks, in the order of their turns.
    pub(super) fn queue<'a>(&self, ids: impl IntoIterator<Item = &'a TaskId>) -> Vec<TaskId> {
        let rows = ids.into_iter().filter_map(|id| self.tasks.get(id));
        let released = rows.filter(|task| task.state == TaskState::Released);
        let mut ranked: Vec<TaskRank<'_>> = released.map(|task| self.rank(task)).collect();
        ranked.sort_unstable();
        ranked.into_iter().map(|rank| rank.id.clone()).collect()
    }

    fn rank<'a>(&self, task: &'a Task) -> TaskRank<'a> {
        TaskRank {
            stage: self.stage_rank(task),
            not_urgent: !task.tags.contains("priority"),
            not_a_bug: task.kind != TaskKind::Bug,
            priority: task.priority,
            created_at: task.created_at,
            number: task.number,
            id: &task.id,
        }
    }

    fn stage_rank(&self, task: &Task) -> StageRank {
        let Some(flow) = self.workflow_of(task) else {
            return StageRank(Reverse(0), true, Reverse(0));
        };
        let length = flow.scan.len();
        let place = flow.scan.iter().position(|stage| *stage == task.stage);
        let writes = flow
            .stage(&task.stage)
            .is_none_or(|stage| stage.access == FileAccess::Write);
        let progress = length - place.map_or(length, |place| place);
        StageRank(Reverse(progress), writes, Reverse(length))
    }
}
