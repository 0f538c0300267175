//! What must be true of every step: from the board before, over the event, to the board after, and against the truth.

use std::collections::BTreeSet;

use dbs::domain::board::check_invariants;
use dbs::domain::task::Task;
use dbs::domain::workflow::StartGuard;
use dbs::domain::{Attempt, Board, Effect, Event, TaskState, Timestamp};

use super::laws;
use super::world::World;

/// One step.
pub(super) struct Step<'a> {
    pub(super) before: &'a Board,
    pub(super) now: Timestamp,
    pub(super) event: &'a Event,
    pub(super) effects: &'a [Effect],
    pub(super) after: &'a Board,
    pub(super) world: &'a World,
}

impl Step<'_> {
    /// The first rule that is broken.
    pub(super) fn check(&self) -> Result<(), String> {
        check_invariants(self.after)?;
        laws::check(self.before, self.event, self.after)?;
        self.budgets()?;
        for task in self.after.tasks.values() {
            if let Some(before) = self.before.tasks.get(&task.id) {
                self.movement(before, task)?;
            }
        }
        for attempt in self.after.attempts.values() {
            match self.before.attempts.get(&attempt.id) {
                None => self.begun(attempt)?,
                Some(before) => stays_settled(before, attempt)?,
            }
        }
        self.answers()?;
        self.deadlines()
    }

    /// No more attempts than the budget.
    fn budgets(&self) -> Result<(), String> {
        for task in self.after.tasks.values() {
            let most = self
                .after
                .workflow_of(task)
                .map_or(u32::MAX, |flow| flow.limits.spawns);
            must(task.spawns <= most, || {
                format!("{} had {} attempts", task.id, task.spawns)
            })?;
        }
        Ok(())
    }

    /// What moves on has left the truth behind that it claims.
    fn movement(&self, before: &Task, after: &Task) -> Result<(), String> {
        let id = &after.id;
        if before.state == TaskState::Done {
            return Ok(());
        }
        if after.state == TaskState::Done {
            self.published(before, after)?;
        }
        let passed = before.stage != after.stage && matches!(self.event, Event::Verified { .. });
        let writes = self
            .before
            .stage_of(before)
            .is_some_and(|stage| stage.evidence.contains(&dbs::domain::EvidenceKind::CommitsAhead));
        if passed && writes {
            must(self.world.commits.contains_key(id), || {
                format!("{id} advanced without a commit")
            })?;
        }
        Ok(())
    }

    fn published(&self, before: &Task, after: &Task) -> Result<(), String> {
        let id = &after.id;
        let stage = self.before.stage_of(before);
        let merges = stage.is_some_and(|stage| stage.evidence.contains(&dbs::domain::EvidenceKind::Merged));
        if merges {
            let there = self.world.merged.get(id);
            must(there.is_some() && there == after.head.as_ref(), || {
                format!("{id} is done, but the remote lacks its head")
            })?;
        }
        Ok(())
    }

    /// A new attempt was wished for, nothing is paused, and everything it needs is merged.
    fn begun(&self, attempt: &Attempt) -> Result<(), String> {
        let id = attempt.id;
        let task = self
            .after
            .tasks
            .get(&attempt.task)
            .ok_or("an attempt without a task")?;
        must(self.after.pause.is_none(), || {
            format!("attempt {id} began while paused")
        })?;
        let wished = self.effects.iter().any(|effect| match effect {
            Effect::Start(started) | Effect::Act(started, _) => *started == id,
            _ => false,
        });
        must(wished, || format!("attempt {id} began without a wish"))?;
        let guards = self
            .after
            .stage_of(task)
            .map(|stage| stage.guards.as_slice())
            .unwrap_or_default();
        for on in &task.deps {
            let on = self
                .after
                .tasks
                .get(on)
                .ok_or_else(|| format!("{} waits for nothing", task.id))?;
            if guards.contains(&StartGuard::DependencyHeadsMerged) && on.head.is_some() {
                must(self.world.merged.contains_key(&on.id), || {
                    format!("{} began before {} was merged", task.id, on.id)
                })?;
            }
        }
        Ok(())
    }

    /// Every command is answered exactly once, and nothing else is.
    fn answers(&self) -> Result<(), String> {
        let replies = self
            .effects
            .iter()
            .filter(|effect| matches!(effect, Effect::Reply(..)))
            .count();
        let expected = usize::from(matches!(self.event, Event::Asked { .. }));
        must(replies == expected, || {
            format!("{replies} answers to {:?}", self.event)
        })?;
        let starts: BTreeSet<_> = self
            .effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Retire(task) => Some(task),
                _ => None,
            })
            .collect();
        for task in starts {
            let used = self
                .after
                .attempts
                .values()
                .any(|attempt| attempt.task == *task && self.world.workspaces.contains(&attempt.id));
            must(!used, || {
                format!("the branch of {task} is let go while it is checked out")
            })?;
        }
        Ok(())
    }

    /// After the tick at a deadline the next one is later, unless something was started or is asked for again.
    fn deadlines(&self) -> Result<(), String> {
        let due = self.before.next_deadline().is_some_and(|due| due <= self.now);
        if !matches!(self.event, Event::Ticked) || !due || !self.effects.is_empty() {
            return Ok(());
        }
        let later = self.after.next_deadline().is_none_or(|next| next > self.now);
        must(later, || format!("the deadline at {:?} is never over", self.now))
    }
}

/// What is settled stays settled; only its workspace may still go.
fn stays_settled(before: &Attempt, after: &Attempt) -> Result<(), String> {
    if before.state.is_open() {
        return Ok(());
    }
    let mut same = before.clone();
    same.workspace = after.workspace;
    same.deadline = after.deadline;
    same.awaited = after.awaited;
    must(same == *after, || {
        format!("attempt {} was settled and changed", before.id)
    })
}

fn must(holds: bool, rule: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(rule()) }
}
