//! Undo of a person's command: the tasks it changed are restored, unless more has happened to them since.

use super::Board;
use super::commands::{accepted, refuse};
use super::transition::Transition;
use crate::command::Command;
use crate::effect::{CommandReply, NoticeLevel};
use crate::id::TaskId;
use crate::task::{Task, TaskBefore};
use crate::task_progress::SavedProgress;
use crate::time::Timestamp;
use crate::undo::UndoScope;

impl Board {
    /// Returns the tasks of a command as they are before it, if undo can restore all that it changes.
    pub(super) fn before(&self, transition: &Transition, command: &Command) -> Vec<(TaskId, TaskBefore)> {
        let ids = self.undo_scope().restorable(command).into_iter();
        let before = ids.filter_map(|id| {
            let before = as_it_is(self.tasks.get(&id)?, transition.now);
            Some((id, before))
        });
        before.collect()
    }

    /// The rows by which it is decided whether a command can be undone.
    fn undo_scope(&self) -> UndoScope<'_> {
        UndoScope {
            tasks: &self.tasks,
            batches: &self.batches,
            workflows: &self.workflows,
            attempts: &self.attempts,
        }
    }

    /// Stores the state before a command that was carried out with the tasks of the command.
    pub(super) fn remember_before(&mut self, command: &Command, before: Vec<(TaskId, TaskBefore)>) {
        for id in command.tasks() {
            let is_known = self.tasks.get(&id).is_some_and(|task| task.before.is_some());
            if is_known {
                self.edit(&id, |task| task.before = None);
            }
        }
        for (id, mut before) in before {
            self.edit(&id, |task| {
                before.left = task.state.clone();
                before.wrote = task.comments.get(before.comments).cloned();
                task.before = Some(Box::new(before));
            });
        }
    }

    /// Restores tasks to their state before the last command about them, all of them or none.
    pub(super) fn undo(&mut self, transition: &mut Transition, by: &str, ids: &[TaskId]) -> CommandReply {
        for id in ids {
            self.require_task(id)?;
            if !self.undo_scope().is_as_left(id) {
                refuse!(
                    "{id} cannot be put back: more has happened to it since; `dbs why {id}` says how it stands"
                );
            }
        }
        for id in ids {
            self.put_back(transition, by, id);
        }
        let names: Vec<&str> = ids.iter().map(TaskId::as_str).collect();
        Ok(accepted(format!("put back {}", names.join(", "))))
    }

    fn put_back(&mut self, transition: &mut Transition, by: &str, id: &TaskId) {
        self.edit(id, |task| {
            let is_open = task.open_attempt.is_some();
            if let Some(before) = task.before.take() {
                restore(task, *before);
            }
            // The attempt that is stopped now gives its place in the count back when it has ended.
            task.spawns += u32::from(is_open);
        });
        self.cancel_open_attempt(transition, id);
        let state = self.tasks.get(id).map_or("", |task| task.state.word());
        let text = format!("{by} undid the last change of {id}: {state} as before");
        transition.notify_task(NoticeLevel::Info, "undo", id, text);
    }
}

/// Returns the state of a task before a command at that time.
fn as_it_is(task: &Task, at: Timestamp) -> TaskBefore {
    TaskBefore {
        at,
        state: task.state.clone(),
        progress: SavedProgress {
            stage: task.stage.clone(),
            stage_head: task.stage_head.clone(),
            next_mode: task.next_mode,
            begins_anew: task.begins_anew,
            approved: task.approved.clone(),
            not_before: task.not_before,
            failures: task.failures.clone(),
            rejections: task.rejections,
            spawns: task.spawns,
            troubles: task.troubles,
            interruptions: task.interruptions,
            spent_at_retry: task.spent_at_retry,
            checkpoint: task.checkpoint.clone(),
            finding: task.finding.clone(),
            since: task.since,
        },
        comments: task.comments.len(),
        left: task.state.clone(),
        wrote: None,
    }
}

/// Restores a task. Later additions of others stay: comments, and the cost of agents.
fn restore(task: &mut Task, before: TaskBefore) {
    let progress = before.progress;
    task.state = before.state;
    task.stage = progress.stage;
    task.stage_head = progress.stage_head;
    task.next_mode = progress.next_mode;
    task.begins_anew = progress.begins_anew;
    task.approved = progress.approved;
    task.not_before = progress.not_before;
    task.failures = progress.failures;
    task.rejections = progress.rejections;
    task.spawns = progress.spawns;
    task.troubles = progress.troubles;
    task.interruptions = progress.interruptions;
    task.spent_at_retry = progress.spent_at_retry;
    task.checkpoint = progress.checkpoint;
    task.finding = progress.finding;
    task.since = progress.since;
    task.why_not = None;
    if let Some(wrote) = before.wrote
        && let Some(at) = task.comments.iter().rposition(|comment| *comment == wrote)
    {
        task.comments.remove(at);
    }
}
