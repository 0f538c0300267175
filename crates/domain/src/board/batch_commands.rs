//! Commands that write batches: their goals, their base branch, and the other batches they wait for (K61).

use std::collections::{BTreeMap, BTreeSet};

use super::Board;
use super::commands::{accepted, refuse, require_text};
use super::task_text::{check_id, check_length};
use super::transition::Transition;
use super::waiting_circles::Awaited;
use crate::batch::{Batch, BatchPatch, RunOptions, RunState};
use crate::command::Refusal;
use crate::effect::{Accepted, CommandReply, NoticeLevel};
use crate::id::{BatchId, TaskId};
use crate::pluralized;
use crate::task::TaskState;
use crate::time::Timestamp;

impl Board {
    /// Makes or changes a batch for a person.
    pub(super) fn change_batch(
        &mut self,
        transition: &Transition,
        id: &BatchId,
        is_new: bool,
        change: &BatchPatch,
    ) -> CommandReply {
        match (self.batches.contains_key(id), is_new) {
            (true, true) => refuse!("batch {id} exists already: change it with `dbs batch update {id}`"),
            (false, false) => return Err(unknown(id)),
            (true, false) | (false, true) => {}
        }
        check_length("the goal", change.goal.as_deref().unwrap_or_default())?;
        self.put_batch(transition, id, change)
    }

    /// Makes a batch, or changes it if there is one of that name.
    pub(super) fn put_batch(
        &mut self,
        transition: &Transition,
        id: &BatchId,
        change: &BatchPatch,
    ) -> CommandReply {
        check_id("batch", id.as_str())?;
        let title = match &change.title {
            Some(title) => Some(require_text("the batch's title", title)?.to_owned()),
            None => None,
        };
        self.check_needs(id, change.needs.iter().flatten())?;
        let known = self.batches.get(id).map(AsRef::as_ref).cloned();
        let is_known = known.is_some();
        let mut row = known.unwrap_or_else(|| new_batch(transition.now, id));
        if let Some(base) = change.base.as_deref().map(str::trim) {
            let base = Some(base.to_owned()).filter(|base| !base.is_empty());
            if is_known && row.base != base {
                self.check_base_may_change(id)?;
            }
            row.base = base;
        }
        row.title = title.unwrap_or(row.title);
        row.goal = change.goal.clone().unwrap_or(row.goal);
        row.needs = change.needs.clone().unwrap_or(row.needs);
        row.options = change.options.or(row.options);
        if is_known {
            self.edit_batch(id, |batch| *batch = row);
            return Ok(accepted(format!("changed batch {id}")));
        }
        self.insert_batch(row);
        Ok(accepted(format!("created batch {id}")))
    }

    /// Releases the tasks in the backlog of a batch.
    pub(super) fn release_batch(
        &mut self,
        transition: &mut Transition,
        by: &str,
        id: &BatchId,
    ) -> CommandReply {
        if !self.batches.contains_key(id) {
            return Err(unknown(id));
        }
        let tasks = self.tasks.values();
        let waiting = tasks.filter(|task| task.batch == *id && task.state == TaskState::Backlog);
        let waiting: Vec<TaskId> = waiting.map(|task| task.id.clone()).collect();
        if waiting.is_empty() {
            refuse!("batch {id} has nothing in the backlog: `dbs batch show {id}` lists its tasks");
        }
        self.release(transition, by, &waiting)
    }

    /// Takes everything off the board: the rows stay in the store for history, and numbers of attempts continue (K70).
    pub(super) fn clear(&mut self, transition: &mut Transition, by: &str) -> Accepted {
        let count = self.tasks.len();
        self.changed
            .tasks
            .extend(std::mem::take(&mut self.tasks).into_keys());
        self.changed
            .attempts
            .extend(std::mem::take(&mut self.attempts).into_keys());
        self.changed
            .batches
            .extend(std::mem::take(&mut self.batches).into_keys());
        self.infra_failures = 0;
        self.forget_index();
        let text = format!("{by} cleared the board: {} gone", pluralized(count, "task"));
        transition.notify(NoticeLevel::Warning, "clear", text.clone());
        accepted(text)
    }

    fn check_base_may_change(&self, id: &BatchId) -> Result<(), Refusal> {
        let mut tasks = self.tasks.values();
        if let Some(task) = tasks.find(|task| task.batch == *id && task.open_attempt.is_some()) {
            refuse!(
                "the base of {id} cannot change while {} is running: pause first, or wait for it",
                task.id
            );
        }
        Ok(())
    }

    /// Refuses to let a batch wait for itself, for one that does not exist, or for one that waits for it.
    fn check_needs<'a>(
        &'a self,
        id: &'a BatchId,
        needs: impl Iterator<Item = &'a BatchId>,
    ) -> Result<(), Refusal> {
        let back = |next: Awaited<'_>| match next {
            Awaited::Batch(batch) => batch == id,
            Awaited::Task(task) => self.tasks.get(task).is_some_and(|task| task.batch == *id),
        };
        for on in needs {
            if on == id {
                refuse!("batch {id} cannot wait for itself: name another batch");
            }
            if !self.batches.contains_key(on) {
                return Err(unknown(on));
            }
            if self.waits_for([Awaited::Batch(on)], back, &BTreeMap::new()) {
                refuse!(
                    "batch {on} waits for {id} or for one of its tasks already, so neither would ever be done: see `dbs batch show {on}`"
                );
            }
        }
        Ok(())
    }
}

fn unknown(id: &BatchId) -> Refusal {
    Refusal::new(format!(
        "there is no batch {id}: `dbs batch list` lists all batches"
    ))
}

/// Creates a batch with nothing but its name.
pub(super) fn new_batch(now: Timestamp, id: &BatchId) -> Batch {
    Batch {
        id: id.clone(),
        title: id.to_string(),
        goal: String::new(),
        base: None,
        needs: BTreeSet::new(),
        go_ahead: None,
        run: RunState::Planning,
        since: now,
        base_moves: None,
        owed: None,
        options: RunOptions::default(),
        job: None,
    }
}
