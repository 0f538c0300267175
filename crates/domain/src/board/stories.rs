//! History of the work on a story beyond its last attempts (A21).

use super::Board;
use crate::attempt::{Attempt, Verdict, Worker};
use crate::id::TaskId;
use crate::plan_entry::{PlanRecord, StuckWork};
use crate::time::Timestamp;

impl Board {
    /// Remembers the end of an attempt at a task, if the task is a story.
    pub(super) fn remember_work(&mut self, now: Timestamp, attempt: &Attempt, verdict: &Verdict) {
        let is_story = |task: &crate::task::Task| task.plan.as_ref().is_some_and(|plan| plan.tests.is_some());
        let is_agent = matches!(attempt.worker, Worker::Agent { .. });
        if !is_agent || !self.tasks.get(&attempt.task).is_some_and(|task| is_story(task)) {
            return;
        }
        let why = match verdict {
            Verdict::Blocked(why) => Some(why.clone()),
            Verdict::Failed(class, why) if class.uses_budget() => Some(why.first_line().to_owned()),
            Verdict::Failed(..) | Verdict::Passed | Verdict::Rejected(_) | Verdict::Stopped(_) => None,
        };
        let tests = attempt.evidence.iter().rev().find_map(|evidence| evidence.tests);
        self.edit(&attempt.task, |task| {
            let work = &mut task.record.work;
            work.began = work.began.or(Some(attempt.created_at));
            work.sessions = work.sessions.saturating_add(1);
            work.tests = tests.or(work.tests);
            if let Some(why) = why {
                work.get_stuck(StuckWork { at: now, why });
            }
        });
    }

    /// Forgets what was seen of the work on a task, because it begins again; the history of a story's work stays.
    pub(super) fn forget_seen(&mut self, id: &TaskId) {
        self.edit(id, |task| {
            task.record = PlanRecord {
                work: std::mem::take(&mut task.record.work),
                ..PlanRecord::default()
            };
        });
    }
}
