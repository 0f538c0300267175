//! Where each batch as a whole stands (seeds 3.11), computed from its tasks after every event; stalled is the deadlock test.

use std::collections::BTreeSet;

use super::Board;
use super::step::Step;
use crate::domain::effect::Level;
use crate::domain::id::{BatchId, TaskId};
use crate::domain::run::{Batch, RunState};
use crate::domain::task::{Task, TaskState, WhyNot};

/// What the tasks of a batch add up to.
#[derive(Debug, Default)]
pub(super) struct Sum {
    tasks: usize,
    backlog: usize,
    moving: usize,
    stuck: BTreeSet<TaskId>,
    badly_ended: usize,
}

/// How a task counts in its batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Not released.
    Backlog,
    /// Goes on without a person.
    Moving,
    /// Needs a person.
    Stuck,
    /// Failed or skipped.
    BadlyEnded,
    /// Done or cancelled.
    Over,
}

impl Board {
    /// Recomputes the state of every run and tells people of changes.
    pub(super) fn judge_runs(&mut self, step: &mut Step) {
        self.link();
        self.add_up();
        let paused = self.pause.is_some();
        let state_of = |batch: &Batch| {
            let sum = self.index.sums.get(&batch.id);
            sum.map_or(RunState::Planning, |sum| sum.state(paused))
        };
        let told: Vec<(BatchId, RunState, String)> = self
            .batches
            .values()
            .filter(|batch| !matches!(batch.run, RunState::Aborted(_)))
            .filter_map(|batch| {
                let run = state_of(batch);
                (run != batch.run).then(|| {
                    let sum = self.index.sums.get(&batch.id);
                    let why = sum.map_or_else(String::new, |sum| self.reasons(sum));
                    (batch.id.clone(), run, why)
                })
            })
            .collect();
        for (id, run, why) in told {
            tell(step, &id, &run, &why);
            self.edit_batch(&id, |batch| {
                batch.run = run;
                batch.since = step.now;
            });
        }
    }

    /// Brings up to date which tasks move and what the tasks of each batch add up to.
    fn add_up(&mut self) {
        let pending = std::mem::take(&mut self.index.judging);
        let mut open: Vec<TaskId> = self.ids_of(pending).into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            let moves = self.tasks.get(&id).is_some_and(|task| self.moves(task));
            if moves != self.index.moving.contains(&id) {
                if moves {
                    self.index.moving.insert(id.clone());
                } else {
                    self.index.moving.remove(&id);
                }
                open.extend(self.index.dependents(&id).cloned());
            }
            seen.insert(id);
        }
        for id in seen {
            let Some(task) = self.tasks.get(&id) else { continue };
            let standing = standing(task, self.index.moving.contains(&id));
            let now = (task.batch.clone(), standing);
            let before = self.index.standings.insert(id.clone(), now.clone());
            if before.as_ref() == Some(&now) {
                continue;
            }
            if let Some((batch, standing)) = before
                && let Some(sum) = self.index.sums.get_mut(&batch)
            {
                sum.leave(&id, standing);
            }
            self.index.sums.entry(now.0).or_default().join(&id, standing);
        }
    }

    /// Whether a task is under way or will be without a person: worked on, waiting for time or room, or for others that move.
    fn moves(&self, task: &Task) -> bool {
        moves_by_itself(task)
            || match (&task.state, &task.why_not) {
                (TaskState::Released, Some(WhyNot::Dependencies(on))) => {
                    !on.is_empty() && on.iter().all(|id| self.index.moving.contains(id))
                }
                _ => false,
            }
    }

    fn reasons(&self, Sum { stuck, backlog, .. }: &Sum) -> String {
        let of = |id: &TaskId| {
            let task = self.tasks.get(id)?;
            let why = match (&task.state, &task.why_not) {
                (TaskState::Held(hold), _) => hold.to_string(),
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
            1 => texts.push("1 task in the backlog was not released".to_owned()),
            n => texts.push(format!("{n} tasks in the backlog were not released")),
        }
        texts.join("; ")
    }
}

impl Sum {
    fn join(&mut self, id: &TaskId, standing: Standing) {
        self.tasks += 1;
        if standing == Standing::Stuck {
            self.stuck.insert(id.clone());
        }
        if let Some(count) = self.count(standing) {
            *count += 1;
        }
    }

    fn leave(&mut self, id: &TaskId, standing: Standing) {
        self.tasks = self.tasks.saturating_sub(1);
        self.stuck.remove(id);
        if let Some(count) = self.count(standing) {
            *count = count.saturating_sub(1);
        }
    }

    fn count(&mut self, standing: Standing) -> Option<&mut usize> {
        match standing {
            Standing::Backlog => Some(&mut self.backlog),
            Standing::Moving => Some(&mut self.moving),
            Standing::BadlyEnded => Some(&mut self.badly_ended),
            Standing::Stuck | Standing::Over => None,
        }
    }

    fn state(&self, paused: bool) -> RunState {
        if self.backlog == self.tasks {
            RunState::Planning
        } else if self.moving > 0 && paused {
            RunState::Paused
        } else if self.moving > 0 {
            RunState::Running
        } else if self.backlog > 0 || !self.stuck.is_empty() {
            RunState::Stalled
        } else if self.badly_ended > 0 {
            RunState::CompletedWithFailures
        } else {
            RunState::Completed
        }
    }
}

fn standing(task: &Task, moves: bool) -> Standing {
    match &task.state {
        TaskState::Backlog => Standing::Backlog,
        _ if moves => Standing::Moving,
        TaskState::Done | TaskState::Cancelled => Standing::Over,
        TaskState::Failed(_) | TaskState::Skipped(_) => Standing::BadlyEnded,
        TaskState::Released
        | TaskState::Active
        | TaskState::Verifying
        | TaskState::Held(_)
        | TaskState::Parked(_) => Standing::Stuck,
    }
}

/// Whether the task goes on without a person and without other tasks.
fn moves_by_itself(task: &Task) -> bool {
    if task.open_attempt.is_some() {
        return true;
    }
    let released = task.state == TaskState::Released;
    released
        && match &task.why_not {
            None
            | Some(
                WhyNot::Until(_)
                | WhyNot::SingletonBusy(_)
                | WhyNot::NoRoom { .. }
                | WhyNot::TurnLimit
                | WhyNot::Paused
                | WhyNot::StillEnding(_),
            ) => true,
            Some(
                WhyNot::Dependencies(_)
                | WhyNot::UnknownDependency(_)
                | WhyNot::DependencyNotMerged(_)
                | WhyNot::NoGoAhead
                | WhyNot::Aborted
                | WhyNot::NoBase
                | WhyNot::NoStage(..),
            ) => false,
        }
}

fn tell(step: &mut Step, id: &BatchId, run: &RunState, why: &str) {
    let (level, kind, text) = match run {
        RunState::Completed => (Level::Success, "completed", format!("{id} is completed")),
        RunState::CompletedWithFailures => (
            Level::Error,
            "completed_with_failures",
            format!("{id} has ended, but not all of it well"),
        ),
        RunState::Stalled => (
            Level::Alert,
            "stalled",
            format!("{id} is stalled and needs a person: {why}"),
        ),
        RunState::Running => (Level::Info, "running", format!("{id} is running")),
        RunState::Planning | RunState::Paused | RunState::Aborted(_) => return,
    };
    step.announce(level, kind, text);
}
