//! Rules for every step: from the board before, through the event, to the board after, and compared with the truth.

use std::collections::BTreeSet;

use dbs_domain::attempt::AttemptState;
use dbs_domain::board::check_invariants;
use dbs_domain::task::{HoldReason, Task};
use dbs_domain::workflow::StartGuard;
use dbs_domain::{
    ActionOutcome, Attempt, Board, Effect, Event, ProcessExit, Span, TaskState, Timestamp, TroubleKind,
};

use super::ask_rules;
use super::laws;
use super::story::Told;
use super::time_limits;
use super::world::World;

/// Step that is checked.
pub(super) struct Step<'a> {
    pub(super) before: &'a Board,
    pub(super) now: Timestamp,
    pub(super) event: &'a Event,
    pub(super) effects: &'a [Effect],
    pub(super) after: &'a Board,
    pub(super) world: &'a World,
    /// Time of the world, whatever the engine's clock shows.
    pub(super) world_now: Timestamp,
}

/// Longest time that an agent which cannot be reached to be started or stopped may keep its place.
const LONGEST_UNREACHABLE: Span = Span::minutes(120);

impl Step<'_> {
    /// Returns the first rule that is broken.
    pub(super) fn check(&self) -> Result<(), String> {
        // In debug builds the board has checked itself.
        if !cfg!(debug_assertions) {
            check_invariants(self.after).map_err(|broken| broken.text)?;
        }
        laws::check(self.before, self.event, self.after)?;
        self.budgets()?;
        for task in self.after.tasks.values() {
            match self.before.tasks.get(&task.id) {
                Some(before) if !laws::is_same_row(Some(before), task) => self.movement(before, task)?,
                _ => {}
            }
        }
        for attempt in self.after.attempts.values() {
            match self.before.attempts.get(&attempt.id) {
                None => self.begun(attempt)?,
                before if laws::is_same_row(before, attempt) => {}
                Some(before) => stays_settled(before, attempt)?,
            }
        }
        self.answers()?;
        ask_rules::check(self)?;
        self.deadlines()?;
        time_limits::check(self)?;
        self.places()?;
        self.refusals()?;
        self.restarts()?;
        match (&self.world.wrong, self.world.contents.lost()) {
            (Some(wrong), _) => Err(wrong.clone()),
            (None, Some(piece)) => Err(format!("piece {piece} of what agents wrote is nowhere any more")),
            (None, None) => Ok(()),
        }
    }

    /// Checks that an unreachable agent gives its place back after a while.
    fn places(&self) -> Result<(), String> {
        for attempt in self
            .after
            .attempts
            .values()
            .filter(|attempt| attempt.state.is_open())
        {
            let is_pending = matches!(attempt.state, AttemptState::Starting | AttemptState::Stopping(_));
            let since = self.world.asked_since.get(&attempt.id).filter(|_| is_pending);
            let waited = since.map_or(Span(0), |since| self.world_now.since(*since));
            must(waited <= LONGEST_UNREACHABLE, || {
                format!(
                    "attempt {} has kept its place for {waited}, and nobody can reach it",
                    attempt.id
                )
            })?;
        }
        Ok(())
    }

    /// Checks that a definite refusal leaves the task to a person at once, with the text of the refusal, and that only a person ends that.
    fn refusals(&self) -> Result<(), String> {
        for (id, task) in &self.before.tasks {
            let after = self.after.tasks.get(id).map(|task| &task.state);
            let is_held = |state: Option<&TaskState>| matches!(state, Some(TaskState::Held(_)));
            let freed = is_held(Some(&task.state)) && !is_held(after);
            must(!freed || matches!(self.event, Event::Asked { .. }), || {
                format!("{id} was with a person and went on by itself: {:?}", self.event)
            })?;
        }
        let (id, said) = match self.event {
            Event::ActionEnded {
                attempt,
                outcome: ActionOutcome::Refused(said),
            } => (attempt, said),
            Event::AttemptNotStarted { attempt, why } if why.kind == TroubleKind::Refusal => {
                (attempt, &why.text)
            }
            _ => return Ok(()),
        };
        let Some(attempt) = self.before.attempts.get(id) else {
            return Ok(());
        };
        let is_wanted = matches!(attempt.state, AttemptState::Starting | AttemptState::Running)
            && self.before.tasks.get(&attempt.task).is_some_and(|task| {
                task.state == TaskState::Active
                    && task.open_attempt == Some(*id)
                    && task.stage == attempt.stage
            });
        let state = self.after.tasks.get(&attempt.task).map(|task| &task.state);
        let is_told = matches!(
            state,
            Some(TaskState::Held(HoldReason::Refused(why) | HoldReason::BaseClosed(why))) if why.contains(said)
        );
        must(!is_wanted || is_told, || {
            format!("{} was refused ({said}) and is {state:?}", attempt.task)
        })
    }

    /// Checks that an agent that ended with the machine before it gave its last signal costs its task nothing.
    fn restarts(&self) -> Result<(), String> {
        let Event::Woke(found) = self.event else {
            return Ok(());
        };
        let gone = found
            .ended
            .iter()
            .filter(|(_, (exit, _))| *exit == ProcessExit::MachineStopped);
        for (id, _) in gone {
            let Some(attempt) = self.before.attempts.get(id) else {
                continue;
            };
            let has_spoken = attempt.signals.iter().any(|signal| signal.kind.is_terminal());
            if has_spoken || matches!(attempt.state, AttemptState::Stopping(_)) || !attempt.state.is_open() {
                continue;
            }
            let failures = |board: &Board| board.tasks.get(&attempt.task).map(|task| task.failures.clone());
            must(failures(self.before) == failures(self.after), || {
                format!(
                    "{} is counted a failure, and {id} ended with the machine",
                    attempt.task
                )
            })?;
        }
        Ok(())
    }

    /// Checks that no task has more attempts than its budget.
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

    /// Checks that a task that moves on has really done in the world what it claims.
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
            .is_some_and(|stage| stage.evidence.contains(&dbs_domain::EvidenceKind::CommitsAhead));
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
        let merges = stage.is_some_and(|stage| stage.evidence.contains(&dbs_domain::EvidenceKind::Merged));
        if merges {
            let there = self.world.merged.get(id);
            must(there.is_some() && there == after.head.as_ref(), || {
                format!("{id} is done, but the remote lacks its head")
            })?;
        }
        Ok(())
    }

    /// Checks that a new attempt has a start effect, that nothing is paused, and that everything it needs is merged.
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

    /// Checks that every command is answered exactly once, and nothing else is.
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

    /// Checks that after the tick at a deadline the next one is later, unless an effect was asked for.
    fn deadlines(&self) -> Result<(), String> {
        if !matches!(self.event, Event::Ticked) || !self.effects.is_empty() {
            return Ok(());
        }
        if self.before.next_deadline().is_none_or(|due| due > self.now) {
            return Ok(());
        }
        let later = self.after.next_deadline().is_none_or(|next| next > self.now);
        must(later, || format!("the deadline at {:?} is never over", self.now))
    }
}

/// Checks a board on which nothing happens by itself any more: every task is over or gives its cause, no attempt keeps a place, and
/// workspaces that could not be removed are shown to people with their cause.
pub(super) fn quiet(board: &Board, world: &World, told: Told) -> Result<(), String> {
    let open = board.attempts.values().find(|attempt| attempt.state.is_open());
    if let Some(open) = open {
        return Err(format!("attempt {} is open, and nothing ever happens", open.id));
    }
    for task in board.tasks.values() {
        let is_told = match &task.state {
            TaskState::Done | TaskState::Cancelled | TaskState::Backlog | TaskState::Skipped(_) => true,
            TaskState::Held(hold) => !task.hold_text(hold).trim().is_empty(),
            TaskState::Failed(why) | TaskState::Parked(why) => !why.trim().is_empty(),
            TaskState::Released => task.why_not.is_some(),
            TaskState::Active | TaskState::Verifying => false,
        };
        must(is_told, || {
            format!("{} rests as {:?} and says no cause", task.id, task.state)
        })?;
    }
    let told = told(board);
    for id in &world.workspaces {
        let text = told.iter().find(|(attempt, _)| attempt == id);
        must(text.is_some_and(|(_, text)| text.contains("retry")), || {
            format!("the workspace of {id} is left over, and nobody is told")
        })?;
    }
    Ok(())
}

/// Checks that a settled attempt stays as it is, except for its workspace.
fn stays_settled(before: &Attempt, after: &Attempt) -> Result<(), String> {
    if before.state.is_open() {
        return Ok(());
    }
    let mut same = before.clone();
    same.workspace = after.workspace;
    same.obstacle.clone_from(&after.obstacle);
    same.deadline = after.deadline;
    same.awaited = after.awaited;
    must(same == *after, || {
        format!("attempt {} was settled and changed", before.id)
    })
}

pub(super) fn must(holds: bool, rule: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(rule()) }
}
