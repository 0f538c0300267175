//! What agents use, and the budgets that end it. A budget warns once at four fifths. A task's budget, when it is used up, stops the
//! task's agent and holds the task for a person; a day's budget stops all agents and starts none until the next day (UTC) begins.

use super::Board;
use super::transition::Transition;
use crate::attempt::{Attempt, AttemptState, StopCause, Worker};
use crate::batch::PauseReason;
use crate::effect::NoticeLevel;
use crate::id::AttemptId;
use crate::task::{HoldReason, Task};
use crate::time::{Span, Timestamp};
use crate::usage::{ContextFill, Cost, Usage};

const DAY: Span = Span::minutes(24 * 60);

impl Board {
    /// The session of an attempt has used so much. Figures only grow: a lower one came late.
    pub(super) fn usage_reported(
        &mut self,
        step: &mut Transition,
        id: AttemptId,
        (usage, context): (Usage, Option<ContextFill>),
    ) {
        let Some(attempt) = self.attempt(id) else { return };
        let before = attempt.usage.own().cost.unwrap_or_default();
        self.edit_attempt(id, |row| {
            row.usage.session = row.usage.session.highest(usage);
            row.usage.context = context.or(row.usage.context);
        });
        let after = self.attempt(id).and_then(|row| row.usage.own().cost);
        let more = after.unwrap_or_default().without(before);
        if more == Cost::default() {
            return;
        }
        self.edit(&attempt.task, |task| task.spent = task.spent + more);
        self.watch_task_budget(step, &attempt, more);
        self.watch_day_budget(step, more);
    }

    fn watch_task_budget(&mut self, step: &mut Transition, attempt: &Attempt, more: Cost) {
        let (Some(budget), Some(task)) = (self.settings.budgets.task, self.task(&attempt.task)) else {
            return;
        };
        let spent = task.spent_since_retry();
        let id = &attempt.task;
        if warns(budget, spent, more) {
            let text = format!("{id} has used {spent} of its budget of {budget}");
            step.notify_task(NoticeLevel::Warning, "budget", id, text);
        }
        if spent >= budget && is_agent_at_work(attempt) {
            self.stop(step, attempt.id, StopCause::Budget);
        }
    }

    /// Why no agent works on a task any more: its budget is used up.
    pub(super) fn over_budget(&self, task: &Task) -> Option<HoldReason> {
        let budget = self.settings.budgets.task?;
        let spent = task.spent_since_retry();
        (spent >= budget).then_some(HoldReason::Budget { spent, budget })
    }

    fn watch_day_budget(&mut self, step: &mut Transition, more: Cost) {
        let Some(budget) = self.settings.budgets.day else {
            return;
        };
        let today = Timestamp(step.now.0 - step.now.0 % DAY.0);
        let begun = self
            .attempts
            .values()
            .filter(|attempt| attempt.created_at >= today);
        let costs = begun.filter_map(|attempt| attempt.usage.own().cost);
        let spent = costs.fold(Cost::default(), |sum, cost| sum + cost);
        if warns(budget, spent, more) {
            let text = format!("the agents of today have used {spent} of the day's budget of {budget}");
            step.notify(NoticeLevel::Warning, "budget", text);
        }
        if spent < budget || matches!(self.pause, Some(PauseReason::Operator { .. })) {
            return;
        }
        let why = format!("the agents of today have used {spent}, and budget.day is {budget}");
        self.quota_reached(step, Some(today + DAY), &why);
        let at_work = self.index.open.iter().filter(|id| {
            let attempt = self.attempts.get(id);
            attempt.is_some_and(|attempt| is_agent_at_work(attempt))
        });
        for id in at_work.copied().collect::<Vec<_>>() {
            self.stop(step, id, StopCause::Quota);
        }
    }
}

/// Whether four fifths of a budget were passed with the last of what was spent.
fn warns(budget: Cost, spent: Cost, more: Cost) -> bool {
    let limit = Cost(budget.0 / 5 * 4);
    spent.without(more) < limit && limit <= spent && spent < budget
}

fn is_agent_at_work(attempt: &Attempt) -> bool {
    let lives = matches!(attempt.state, AttemptState::Starting | AttemptState::Running);
    lives && matches!(attempt.worker, Worker::Agent { .. })
}
