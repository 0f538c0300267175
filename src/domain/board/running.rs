//! Where each batch as a whole stands (seeds 3.11), computed from its tasks after every event; stalled is the deadlock test.

use std::collections::{BTreeMap, BTreeSet};

use super::Board;
use super::step::Step;
use crate::domain::effect::Level;
use crate::domain::id::{BatchId, TaskId};
use crate::domain::run::RunState;
use crate::domain::task::{Task, TaskState, WhyNot};

/// What the tasks of a batch add up to.
#[derive(Debug, Default)]
struct Sum {
    tasks: usize,
    backlog: usize,
    moving: usize,
    stuck: Vec<TaskId>,
    badly_ended: usize,
}

impl Board {
    /// Recomputes the state of every run and tells people of changes.
    pub(super) fn judge_runs(&mut self, step: &mut Step) {
        let moving = self.moving();
        let mut sums: BTreeMap<&BatchId, Sum> = BTreeMap::new();
        for task in self.tasks.values() {
            sums.entry(&task.batch)
                .or_default()
                .add(task, moving.contains(&task.id));
        }
        let paused = self.pause.is_some();
        let changes: Vec<(BatchId, RunState)> = self
            .batches
            .values()
            .filter(|batch| !matches!(batch.run, RunState::Aborted(_)))
            .filter_map(|batch| {
                let run = sums
                    .get(&batch.id)
                    .map_or(RunState::Planning, |sum| sum.state(paused));
                (run != batch.run).then(|| (batch.id.clone(), run))
            })
            .collect();
        let told: Vec<(BatchId, RunState, String)> = changes
            .into_iter()
            .map(|(id, run)| {
                let why = sums
                    .get(&id)
                    .map_or_else(String::new, |sum| self.reasons(&sum.stuck));
                (id, run, why)
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

    /// Tasks that are under way or will be without a person: worked on, waiting for time or room, or for others that move.
    fn moving(&self) -> BTreeSet<&TaskId> {
        let mut open: Vec<&TaskId> = self
            .tasks
            .values()
            .filter(|task| moves_by_itself(task))
            .map(|task| &task.id)
            .collect();
        let mut moving: BTreeSet<&TaskId> = open.iter().copied().collect();
        let mut waiting: BTreeMap<&TaskId, usize> = BTreeMap::new();
        let mut dependents: BTreeMap<&TaskId, Vec<&TaskId>> = BTreeMap::new();
        for task in self.tasks.values() {
            if let (TaskState::Released, Some(WhyNot::Dependencies(on))) = (&task.state, &task.why_not) {
                waiting.insert(&task.id, on.len());
                for on in on {
                    dependents.entry(on).or_default().push(&task.id);
                }
            }
        }
        while let Some(id) = open.pop() {
            for dependent in dependents.get(id).into_iter().flatten().copied() {
                if let Some(left) = waiting.get_mut(dependent) {
                    *left = left.saturating_sub(1);
                    if *left == 0 && moving.insert(dependent) {
                        open.push(dependent);
                    }
                }
            }
        }
        moving
    }

    fn reasons(&self, stuck: &[TaskId]) -> String {
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
        texts.join("; ")
    }
}

impl Sum {
    fn add(&mut self, task: &Task, moves: bool) {
        self.tasks += 1;
        match &task.state {
            TaskState::Backlog => self.backlog += 1,
            _ if moves => self.moving += 1,
            TaskState::Done | TaskState::Cancelled => {}
            TaskState::Failed(_) | TaskState::Skipped(_) => self.badly_ended += 1,
            TaskState::Released
            | TaskState::Active
            | TaskState::Verifying
            | TaskState::Held(_)
            | TaskState::Parked(_) => self.stuck.push(task.id.clone()),
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
