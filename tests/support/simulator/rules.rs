//! What must be true of every step: from the board before, over the event, to the board after, and against the truth.

use std::collections::{BTreeMap, BTreeSet};

use dbs::domain::board::check_invariants;
use dbs::domain::task::Task;
use dbs::domain::workflow::{Guard, RejectTo, Stage};
use dbs::domain::{Attempt, Board, Command, Effect, Event, StageId, TaskState, Timestamp, Worker};

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
        self.limits()?;
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

    /// Never more agents than allowed; merges into one base one at a time; no more attempts than the budget.
    fn limits(&self) -> Result<(), String> {
        let open: Vec<&Attempt> = self
            .after
            .attempts
            .values()
            .map(AsRef::as_ref)
            .filter(|attempt: &&Attempt| attempt.state.is_open())
            .collect();
        let agents = open
            .iter()
            .filter(|attempt| matches!(attempt.worker, Worker::Agent { .. }))
            .count();
        let most = usize::try_from(self.after.settings.max_agents).unwrap_or(usize::MAX);
        must(agents <= most, || format!("{agents} agents, {most} allowed"))?;
        let mut singles: BTreeMap<(&StageId, Option<&str>), u32> = BTreeMap::new();
        for attempt in &open {
            let (Some(task), Some(stage)) = (
                self.after.tasks.get(&attempt.task),
                self.after.stage_of_attempt(attempt),
            ) else {
                continue;
            };
            if stage.singleton {
                *singles
                    .entry((&attempt.stage, self.after.base_of(task)))
                    .or_insert(0) += 1;
            }
        }
        for ((stage, base), n) in singles {
            must(n == 1, || format!("{n} attempts in {stage} for {base:?}"))?;
        }
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

    /// Done is final and was proved; stages move along edges, unless a person says otherwise.
    fn movement(&self, before: &Task, after: &Task) -> Result<(), String> {
        let id = &after.id;
        if before.state == TaskState::Done {
            let same = after.state == TaskState::Done && after.stage == before.stage;
            return must(same, || format!("{id} was done and moved"));
        }
        let asked = matches!(self.event, Event::Asked { .. });
        if before.stage != after.stage && !asked {
            let stage = self.before.stage_of(before);
            let edge = stage.is_some_and(|stage| leads_to(stage, &after.stage));
            must(edge, || {
                format!(
                    "{id} went from {} to {} without an edge",
                    before.stage, after.stage
                )
            })?;
        }
        if after.state == TaskState::Done {
            self.proved(before, after)?;
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

    fn proved(&self, before: &Task, after: &Task) -> Result<(), String> {
        let id = &after.id;
        let stage = self.before.stage_of(before);
        match self.event {
            Event::Asked {
                command: Command::Approve(_),
                ..
            } => return Ok(()),
            Event::Verified { attempt, .. } | Event::ActionEnded { attempt, .. } => {
                let attempt = self.after.attempts.get(attempt).map(AsRef::as_ref);
                let own = attempt.is_some_and(|attempt: &Attempt| {
                    let all = attempt.evidence.iter().all(|piece| piece.outcome.is_yes());
                    attempt.task == *id && !attempt.evidence.is_empty() && all
                });
                must(own, || format!("{id} is done without evidence"))?;
            }
            _ => return Err(format!("{id} is done because of {:?}", self.event)),
        }
        let merges = stage.is_some_and(|stage| stage.evidence.contains(&dbs::domain::EvidenceKind::Merged));
        if merges {
            let there = self.world.merged.get(id);
            must(there.is_some() && there == after.head.as_ref(), || {
                format!("{id} is done, but the remote lacks its head")
            })?;
        }
        Ok(())
    }

    /// A new attempt has a fresh number, its task says so, and everything it needs is done and merged.
    fn begun(&self, attempt: &Attempt) -> Result<(), String> {
        let id = attempt.id;
        must(id.0 > self.before.last_attempt, || {
            format!("attempt {id} was there before")
        })?;
        let task = self
            .after
            .tasks
            .get(&attempt.task)
            .ok_or("an attempt without a task")?;
        must(task.open_attempt == Some(id), || {
            format!("{} does not know attempt {id}", task.id)
        })?;
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
            must(on.state == TaskState::Done, || {
                format!("{} began before {}", task.id, on.id)
            })?;
            if guards.contains(&Guard::DependencyHeadsMerged) && on.head.is_some() {
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

/// Along an edge of success, of rejection, or to where an engine's findings are mended (which is where a rejection leads).
fn leads_to(stage: &Stage, to: &StageId) -> bool {
    stage.success.iter().any(|edge| edge.to == *to) || stage.reject == RejectTo::Stage(to.clone())
}

fn must(holds: bool, rule: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(rule()) }
}
