//! State of each batch as a whole, computed from its tasks after every event; stalled is the deadlock test.

use std::collections::{BTreeMap, BTreeSet};

use super::Board;
use super::jobs::with_job;
use super::transition::Transition;
use crate::batch::{Batch, RunState};
use crate::effect::NoticeLevel;
use crate::id::{BatchId, TaskId};
use crate::pluralized;
use crate::task::{Task, TaskState};
use crate::wait_reason::WaitReason;

/// Number of tasks of a batch in each kind of progress.
#[derive(Debug, Default)]
pub(super) struct BatchTotals {
    tasks: usize,
    backlog: usize,
    ongoing: usize,
    stuck: BTreeSet<TaskId>,
    failed: usize,
    skipped: usize,
}

/// Progress as which a task counts towards the state of its batch's run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskProgress {
    Backlog,
    Ongoing,
    Stuck,
    Failed,
    /// Skipped by a person, or along with such a task.
    Skipped,
    Finished,
}

impl Board {
    /// Recomputes the state of every run and notifies people of changes. Returns true if a batch that others need is completed now, or no
    /// longer: the tasks that may start have to be looked at again.
    pub(super) fn update_run_states(&mut self, transition: &mut Transition) -> bool {
        self.update_links();
        self.update_totals();
        let paused = self.pause.is_some();
        let state_of = |batch: &Batch| {
            let sum = self.index.totals.get(&batch.id);
            let run = sum.map_or(RunState::Planning, |sum| sum.state(paused));
            with_job(batch.job.as_deref(), run)
        };
        let told: Vec<(BatchId, RunState, Option<String>)> = self
            .batches
            .values()
            .filter(|batch| !matches!(batch.run, RunState::Aborted(_)))
            .filter_map(|batch| {
                let run = state_of(batch);
                (run != batch.run).then(|| {
                    let sum = self.index.totals.get(&batch.id);
                    // A person who plans more after the end of a run, or before its beginning, knows that it waits for the release.
                    let is_known =
                        !batch.run.is_under_way() && sum.is_some_and(BatchTotals::waits_for_release);
                    let why = || sum.map_or_else(String::new, |sum| self.reasons(sum));
                    (batch.id.clone(), run, (!is_known).then(why))
                })
            })
            .collect();
        let mut concerns_others = false;
        for (id, run, why) in told {
            if let Some(why) = why {
                announce_run(transition, &id, &run, &why);
            }
            let before = self.batches.get(&id).map(|batch| &batch.run);
            let is_turn = (before == Some(&RunState::Completed)) != (run == RunState::Completed);
            concerns_others |= is_turn && self.is_needed(&[&id].into());
            self.edit_batch(&id, |batch| {
                batch.run = run;
                batch.since = transition.now;
            });
        }
        if concerns_others {
            self.index.everything_changed();
        }
        concerns_others
    }

    /// Returns true if another batch waits for one of these.
    fn is_needed(&self, batches: &BTreeSet<&BatchId>) -> bool {
        let mut needs = self.batches.values().flat_map(|batch| &batch.needs);
        needs.any(|id| batches.contains(id))
    }

    /// Updates the set of tasks that move and the totals of each batch.
    fn update_totals(&mut self) {
        let pending = std::mem::take(&mut self.index.run_states);
        let mut open: Vec<TaskId> = self
            .with_skipped_behind(self.ids_of(pending))
            .into_iter()
            .collect();
        while !open.is_empty() {
            let seen = self.update_ongoing(open);
            let turned = self.add_up(seen);
            open = self.waiting_for(&turned);
        }
    }

    /// Adds the tasks that are skipped because of these, at any distance: how they count depends on what became of that one.
    fn with_skipped_behind(&self, mut tasks: BTreeSet<TaskId>) -> BTreeSet<TaskId> {
        let mut open: Vec<TaskId> = tasks.iter().cloned().collect();
        while let Some(id) = open.pop() {
            let skipped = self.index.dependents(&id).filter(|id| {
                let task = self.tasks.get(*id);
                task.is_some_and(|task| matches!(task.state, TaskState::Skipped(_)))
            });
            let new: Vec<TaskId> = skipped.filter(|id| !tasks.contains(*id)).cloned().collect();
            tasks.extend(new.iter().cloned());
            open.extend(new);
        }
        tasks
    }

    /// Returns the tasks that wait for one of these batches.
    fn waiting_for(&self, batches: &BTreeSet<BatchId>) -> Vec<TaskId> {
        if !self.is_needed(&batches.iter().collect()) {
            return Vec::new();
        }
        let waits = |task: &Task| matches!(&task.why_not, Some(WaitReason::Batches(on)) if on.iter().any(|id| batches.contains(id)));
        let waiting = self.tasks.values().filter(|task| waits(task));
        waiting.map(|task| task.id.clone()).collect()
    }

    /// Updates which of these tasks, and of those that wait for them, move. Returns the tasks it looked at.
    fn update_ongoing(&mut self, mut open: Vec<TaskId>) -> BTreeSet<TaskId> {
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            let moves = self.tasks.get(&id).is_some_and(|task| self.is_ongoing(task));
            if moves != self.index.ongoing.contains(&id) {
                if moves {
                    self.index.ongoing.insert(id.clone());
                } else {
                    self.index.ongoing.remove(&id);
                }
                open.extend(self.index.dependents(&id).cloned());
            }
            seen.insert(id);
        }
        seen
    }

    /// Counts these tasks with their current progress. Returns the batches that began or ceased to promise an end.
    fn add_up(&mut self, tasks: BTreeSet<TaskId>) -> BTreeSet<BatchId> {
        let mut promised: BTreeMap<BatchId, bool> = BTreeMap::new();
        for id in tasks {
            let Some(task) = self.tasks.get(&id) else { continue };
            let standing = self.progress_of(task, self.index.ongoing.contains(&id));
            let now = (task.batch.clone(), standing);
            let before = self.index.progress.insert(id.clone(), now.clone());
            if before.as_ref() == Some(&now) {
                continue;
            }
            let may_end = self.promises_an_end(&now.0);
            promised.entry(now.0.clone()).or_insert(may_end);
            if let Some((batch, standing)) = before
                && let Some(sum) = self.index.totals.get_mut(&batch)
            {
                sum.leave(&id, standing);
            }
            self.index.totals.entry(now.0).or_default().join(&id, standing);
        }
        promised.retain(|id, before| self.promises_an_end(id) != *before);
        promised.into_keys().collect()
    }

    fn progress_of(&self, task: &Task, moves: bool) -> TaskProgress {
        match &task.state {
            TaskState::Backlog => TaskProgress::Backlog,
            _ if moves => TaskProgress::Ongoing,
            TaskState::Done | TaskState::Cancelled => TaskProgress::Finished,
            TaskState::Skipped(skip) if self.is_left_out(skip.root().unwrap_or(&task.id)) => {
                TaskProgress::Skipped
            }
            TaskState::Failed(_) | TaskState::Skipped(_) => TaskProgress::Failed,
            TaskState::Released
            | TaskState::Active
            | TaskState::Verifying
            | TaskState::Held(_)
            | TaskState::Parked(_) => TaskProgress::Stuck,
        }
    }

    /// Returns true if a batch is completed or under way, so that its dependents may wait for it.
    fn promises_an_end(&self, id: &BatchId) -> bool {
        let sum = self.index.totals.get(id);
        sum.is_some_and(|sum| matches!(sum.state(false), RunState::Running | RunState::Completed))
    }

    /// Returns true if a task is under way or will be without a person: worked on, waiting for time or room, or for others that move.
    fn is_ongoing(&self, task: &Task) -> bool {
        let others_go_on = match &task.why_not {
            Some(WaitReason::Dependencies(on)) => on.iter().all(|id| self.index.ongoing.contains(id)),
            Some(WaitReason::Batches(on)) => on.iter().all(|id| self.promises_an_end(id)),
            _ => false,
        };
        is_ongoing_alone(task) || (task.state == TaskState::Released && others_go_on)
    }

    /// Returns the reason a run does not continue, in words that follow its name.
    fn reasons(&self, BatchTotals { stuck, backlog, .. }: &BatchTotals) -> String {
        let tasks = || stuck.iter().filter_map(|id| self.tasks.get(id));
        let is_behind = |task: &Task| matches!(&task.why_not, Some(WaitReason::Dependencies(_)));
        if *backlog == 0 && tasks().all(|task| task.state.awaits_approval() || is_behind(task)) {
            let asked = tasks().filter(|task| task.state.awaits_approval());
            let ids: Vec<&str> = asked.map(|task| task.id.as_str()).collect();
            if !ids.is_empty() {
                return format!("waits for you: {}", ids.join(", "));
            }
        }
        let of = |id: &TaskId| {
            let task = self.tasks.get(id)?;
            let why = match (&task.state, &task.why_not) {
                (TaskState::Held(hold), _) => task.hold_text(hold),
                (TaskState::Parked(why), _) => format!("parked: {why}"),
                (_, Some(why)) => why.to_string(),
                (state, None) => state.word().to_owned(),
            };
            Some(format!("{id} {why}"))
        };
        let mut texts: Vec<String> = stuck.iter().take(3).filter_map(of).collect();
        if stuck.len() > texts.len() {
            texts.push(format!("and {} more", stuck.len() - texts.len()));
        }
        match backlog {
            0 => {}
            n => texts.push(format!("{} in the backlog not released", pluralized(*n, "task"))),
        }
        format!("stalled: {}", texts.join("; "))
    }
}

impl BatchTotals {
    fn join(&mut self, id: &TaskId, standing: TaskProgress) {
        self.tasks += 1;
        if standing == TaskProgress::Stuck {
            self.stuck.insert(id.clone());
        }
        if let Some(count) = self.count(standing) {
            *count += 1;
        }
    }

    fn leave(&mut self, id: &TaskId, standing: TaskProgress) {
        self.tasks = self.tasks.saturating_sub(1);
        self.stuck.remove(id);
        if let Some(count) = self.count(standing) {
            *count = count.saturating_sub(1);
        }
    }

    fn count(&mut self, standing: TaskProgress) -> Option<&mut usize> {
        match standing {
            TaskProgress::Backlog => Some(&mut self.backlog),
            TaskProgress::Ongoing => Some(&mut self.ongoing),
            TaskProgress::Failed => Some(&mut self.failed),
            TaskProgress::Skipped => Some(&mut self.skipped),
            TaskProgress::Stuck | TaskProgress::Finished => None,
        }
    }

    /// Returns true if nothing is under way or stuck, and there are tasks to release.
    fn waits_for_release(&self) -> bool {
        self.backlog > 0 && self.ongoing == 0 && self.stuck.is_empty()
    }

    fn state(&self, paused: bool) -> RunState {
        if self.backlog == self.tasks {
            RunState::Planning
        } else if self.ongoing > 0 && paused {
            RunState::Paused
        } else if self.ongoing > 0 {
            RunState::Running
        } else if self.backlog > 0 || !self.stuck.is_empty() {
            RunState::Stalled
        } else if self.failed > 0 {
            RunState::CompletedWithFailures
        } else if self.skipped > 0 {
            RunState::CompletedWithSkips(self.skipped)
        } else {
            RunState::Completed
        }
    }
}

/// Returns true if the task continues without a person and without other tasks.
fn is_ongoing_alone(task: &Task) -> bool {
    if task.open_attempt.is_some() {
        return true;
    }
    let needs_others = matches!(
        &task.why_not,
        Some(
            WaitReason::Dependencies(_)
                | WaitReason::Batches(_)
                | WaitReason::UnknownDependency(_)
                | WaitReason::DependencyNotMerged(_)
                | WaitReason::FileLeft { .. }
                | WaitReason::NoGoAhead
                | WaitReason::Aborted
                | WaitReason::NoBase
                | WaitReason::NoGate
                | WaitReason::Setting(_)
                | WaitReason::NoStage(..)
                | WaitReason::BaseClosed { .. }
        )
    );
    task.state == TaskState::Released && !needs_others
}

fn announce_run(transition: &mut Transition, id: &BatchId, run: &RunState, why: &str) {
    let (level, kind, text) = match run {
        RunState::Completed | RunState::CompletedWithSkips(_) => {
            (NoticeLevel::Success, "completed", format!("batch {id}: {run}"))
        }
        RunState::CompletedWithFailures => (
            NoticeLevel::Error,
            "completed_with_failures",
            format!("batch {id}: {run}"),
        ),
        RunState::Stalled => (NoticeLevel::Alert, "stalled", format!("batch {id} {why}")),
        RunState::Running => (NoticeLevel::Info, "running", format!("batch {id} started")),
        RunState::Planning | RunState::Paused | RunState::Aborted(_) => return,
    };
    transition.notify(level, kind, text);
}
