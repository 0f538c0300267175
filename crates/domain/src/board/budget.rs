//! Usage of agents, and the budgets that end it. A budget warns once at four fifths. A task's budget, when it is used up, stops the task's
//! agent and holds the task for a person; a day's budget stops all agents and starts none until the next day (UTC) begins.

use std::ops::Add;
use std::sync::Arc;

use super::Board;
use super::transition::Transition;
use crate::attempt::{Attempt, StopCause, Worker};
use crate::batch::PauseReason;
use crate::cut::cut_bytes;
use crate::effect::NoticeLevel;
use crate::id::AttemptId;
use crate::task::{HoldReason, Task};
use crate::usage::{ContextFill, Cost, Spending, Usage};

/// Maximum length of a model's name that is kept, in bytes.
const LONGEST_MODEL: usize = 100;

impl Board {
    /// Records the model that answers the agent of an attempt.
    pub(super) fn model_reported(&mut self, id: AttemptId, model: &str) {
        let model = cut_bytes(model, LONGEST_MODEL);
        let is_news = |row: Arc<Attempt>| row.model.as_deref() != Some(model);
        if self.attempt(id).is_some_and(is_news) {
            self.edit_attempt(id, |row| row.model = Some(model.to_owned()));
        }
    }

    /// Records the usage of an attempt's session. Figures only grow: a lower one came late.
    pub(super) fn usage_reported(
        &mut self,
        transition: &mut Transition,
        id: AttemptId,
        usage: Usage,
        context: Option<ContextFill>,
    ) {
        let Some(attempt) = self.attempt(id) else { return };
        let Worker::Agent { role, .. } = &attempt.worker else {
            return;
        };
        let before = attempt.usage.own();
        let earlier = self.contained_in(&attempt, usage);
        self.edit_attempt(id, |row| {
            row.usage.earlier = earlier;
            row.usage.session = row.usage.session.highest(usage);
            row.usage.context = context.or(row.usage.context);
        });
        if let Some(fill) = context {
            self.watch_context(transition, id, fill);
        }
        let Some(after) = self.attempt(id).map(|row| row.usage.own()) else {
            return;
        };
        let more = after.since(before);
        if after == before {
            return;
        }
        let entry = Spending {
            day: Spending::day_of(transition.now),
            stage: attempt.stage.clone(),
            role: role.clone(),
            usage: more,
        };
        self.edit(&attempt.task, |task| add(&mut task.spending, entry));
        let cost = more.cost.unwrap_or_default();
        self.watch_task_budget(transition, &attempt, cost);
        self.watch_day_budget(transition, cost);
    }

    /// Returns the part of an attempt's totals that an earlier attempt used, decided for tokens and for money when the first of them
    /// arrive. Tools keep the totals of a session for those who continue it, but may lose them when they are killed: then they begin again
    /// below the known totals.
    fn contained_in(&self, attempt: &Attempt, first: Usage) -> Usage {
        let known = attempt.usage;
        let continued = attempt.session.continuation();
        let before = continued.and_then(|continuation| self.attempts.get(&continuation.after));
        let before = before.map(|before| before.usage.session).unwrap_or_default();
        let mut earlier = known.earlier;
        if known.session.tokens.sum() == 0 && first.tokens.highest(before.tokens) == first.tokens {
            earlier.tokens = before.tokens;
        }
        if known.session.cost.is_none() && first.cost.is_some() && first.cost >= before.cost {
            earlier.cost = before.cost;
        }
        earlier
    }

    fn watch_task_budget(&mut self, transition: &mut Transition, attempt: &Attempt, more: Cost) {
        let (Some(budget), Some(task)) = (self.settings.budgets.task, self.task(&attempt.task)) else {
            return;
        };
        let spent = task.spent_since_retry();
        let id = &attempt.task;
        if warns(budget, spent, more) {
            let text = format!("{id} has used {spent} of its budget of {budget}");
            transition.notify_task(NoticeLevel::Warning, "budget", id, text);
        }
        if spent >= budget && attempt.is_agent_at_work() {
            self.stop(transition, attempt.id, StopCause::Budget);
        }
    }

    /// Returns the reason to hold a task whose budget is used up.
    pub(super) fn over_budget(&self, task: &Task) -> Option<HoldReason> {
        let budget = self.settings.budgets.task?;
        let spent = task.spent_since_retry();
        (spent >= budget).then_some(HoldReason::Budget { spent, budget })
    }

    fn watch_day_budget(&mut self, transition: &mut Transition, more: Cost) {
        let Some(budget) = self.settings.budgets.day else {
            return;
        };
        let today = Spending::day_of(transition.now);
        let entries = self.tasks.values().flat_map(|task| &task.spending);
        let of_today = entries.filter(|entry| entry.day == today);
        let costs = of_today.filter_map(|entry| entry.usage.cost);
        let spent = costs.fold(Cost::default(), Add::add);
        if warns(budget, spent, more) {
            let text = format!("agents have used {spent} of today's budget of {budget}");
            transition.notify(NoticeLevel::Warning, "budget", text);
        }
        if spent < budget || matches!(self.pause, Some(PauseReason::Operator { .. })) {
            return;
        }
        let why = format!("agents have used {spent} today, and budget.day is {budget}");
        self.pause_for_money(transition, Spending::beginning_of(today + 1), &why);
        let at_work = self.index.open.iter().filter(|id| {
            let attempt = self.attempts.get(id);
            attempt.is_some_and(|attempt| attempt.is_agent_at_work())
        });
        for id in at_work.copied().collect::<Vec<_>>() {
            self.stop(transition, id, StopCause::Quota);
        }
    }
}

/// Adds usage to the entry of the same day, stage and role, or as a new entry.
fn add(spending: &mut Vec<Spending>, more: Spending) {
    let same =
        |entry: &&mut Spending| entry.day == more.day && entry.stage == more.stage && entry.role == more.role;
    match spending.iter_mut().find(same) {
        Some(entry) => entry.usage = entry.usage + more.usage,
        None => spending.push(more),
    }
}

/// Returns true if the latest cost passed four fifths of a budget, without using it up.
fn warns(budget: Cost, spent: Cost, more: Cost) -> bool {
    let limit = Cost(budget.0 / 5 * 4);
    spent.without(more) < limit && limit <= spent && spent < budget
}
