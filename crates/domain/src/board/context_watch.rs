//! Agents whose context fills up: they are asked to stop between two tool calls, their work is saved, and a fresh session continues in the
//! same workspace. A restart does not count as a failed try; one that brings nothing is not repeated.

use super::Board;
use super::process_end::deciding_signal;
use super::retry::backoff;
use super::rows::ENGINE;
use super::transition::Transition;
use crate::attempt::{Attempt, AttemptState, StopCause, Verdict};
use crate::context_restart::{Checkpoint, MOST_STEPS, OnCompaction, SavedWork, Step};
use crate::effect::{Effect, NoticeLevel};
use crate::failure::FailureClass;
use crate::id::AttemptId;
use crate::signal::SignalKind;
use crate::task::HoldReason;
use crate::time::{Span, Timestamp};
use crate::usage::ContextFill;

/// Time an agent that is asked to stop may continue.
const TIME_TO_STOP: Span = Span::seconds(20);
/// Wait before the first restart; doubled for each further one.
const FIRST_WAIT: Span = Span::seconds(5);
/// Request to an agent whose context is full. After it the agent may run no more tools than these words ask for.
const PLEASE_STOP: &str = "dbs: your context is almost full. Start nothing new. Run `dbs signal progress` once with what is done and \
                           what comes next, then end your turn. A fresh session goes on with your files.";

impl Board {
    /// Checks the fill level of an attempt's context, reported by any source, and asks for a restart if one is due.
    pub(super) fn watch_context(&mut self, transition: &mut Transition, id: AttemptId, fill: ContextFill) {
        let Some(attempt) = self.attempt(id) else { return };
        if let Some(why) = self.context_rules(&attempt.task).reason(fill) {
            self.ask_to_restart(transition, id, &why);
        }
    }

    /// Handles a context that the agent's tool shortened by itself, or is about to. Its fill level is not known until the tool reports it.
    pub(super) fn compacted(&mut self, transition: &mut Transition, id: AttemptId) {
        let Some(attempt) = self.attempt(id).filter(|attempt| is_at_work(attempt)) else {
            return;
        };
        self.edit_attempt(id, |row| row.usage.context = None);
        let name = attempt.worker.name();
        let text = format!(
            "the tool of {name} compacts its context by itself: the agent may lose what it read before"
        );
        transition.notify_attempt(NoticeLevel::Warning, "compaction", &attempt, text);
        let rules = self.context_rules(&attempt.task);
        if rules.is_active() && rules.on_compaction == OnCompaction::Restart {
            self.ask_to_restart(transition, id, "is shortened by its tool");
        }
    }

    /// Asks an agent to stop, once, and gives it some time. An agent that asks a person something is left alone until that is answered.
    fn ask_to_restart(&mut self, transition: &mut Transition, id: AttemptId, why: &str) {
        let Some(attempt) = self.attempt(id).filter(|attempt| is_at_work(attempt)) else {
            return;
        };
        let asks =
            attempt.activity.doing.needs_person() || attempt.open_asks(transition.now).next().is_some();
        if attempt.leaves.is_some() || deciding_signal(&attempt).is_some() || asks {
            return;
        }
        let until = transition.now + TIME_TO_STOP;
        self.edit_attempt(id, |row| {
            row.leaves = Some(transition.now);
            row.deadline = Some(row.deadline.map_or(until, |deadline| deadline.min(until)));
            row.person_awaited = None;
        });
        let name = attempt.worker.name();
        let text = format!("{name} is asked to stop on {}: its context {why}", attempt.task);
        self.comment(transition.now, &attempt.task, ENGINE, text.clone());
        transition.notify_attempt(NoticeLevel::Warning, "context", &attempt, text);
        if attempt.activity.doing.is_between_turns() {
            self.stop(transition, id, StopCause::Context);
        } else {
            transition.emit(Effect::Tell(id, PLEASE_STOP.to_owned()));
        }
    }

    /// Stops an agent that was asked to and has ended its turn.
    pub(super) fn turn_ended(&mut self, transition: &mut Transition, attempt: &Attempt) {
        if attempt.leaves.is_some() && is_at_work(attempt) {
            self.stop(transition, attempt.id, StopCause::Context);
        }
    }

    /// Saves the work of an agent whose context was full, after its process has ended: the work is committed and inspected.
    pub(super) fn save_work(&mut self, transition: &mut Transition, id: AttemptId) {
        self.edit_attempt(id, |row| {
            row.state = AttemptState::Stopping(StopCause::Context);
            row.expect_answer(transition.now);
        });
        transition.emit(Effect::Checkpoint(id));
    }

    /// Decides, once an agent's work is saved, whether and when a fresh session continues it.
    pub(super) fn work_saved(&mut self, transition: &mut Transition, id: AttemptId, work: &SavedWork) {
        let Some(attempt) = self.attempt(id).filter(|attempt| attempt.is_saving()) else {
            return;
        };
        let Some(task) = self.task(&attempt.task) else {
            return;
        };
        let before = task
            .checkpoint
            .as_ref()
            .filter(|known| known.stage == attempt.stage);
        let restarts = before.map_or(0, |known| known.restarts);
        let steps = steps_of(&attempt);
        let has_progress = !steps.is_empty() || before.is_none_or(|known| work.differs_from(&known.work));
        if let Some(problem) = &work.problem {
            let text = format!("what {} left is not committed: {problem}", attempt.worker.name());
            self.comment(transition.now, &attempt.task, ENGINE, text);
        }
        let mut all: Vec<Step> = before.map(|known| known.steps.clone()).unwrap_or_default();
        all.extend(steps);
        let most = self.context_rules(&attempt.task).restarts;
        let is_over = restarts >= most;
        let checkpoint = Checkpoint {
            stage: attempt.stage.clone(),
            restarts: if is_over { restarts } else { restarts + 1 },
            steps: all.split_off(all.len().saturating_sub(MOST_STEPS)),
            work: work.clone(),
        };
        self.edit(&attempt.task, |task| {
            task.checkpoint = Some(checkpoint);
            task.next_mode = attempt.mode;
        });
        if is_over {
            self.restarts_exhausted(transition, &attempt, restarts);
        } else if has_progress {
            self.restart_in_place(transition, &attempt, restarts + 1);
        } else {
            self.hold_too_big(transition, &attempt);
        }
    }

    fn restart_in_place(&mut self, transition: &mut Transition, attempt: &Attempt, restart: u32) {
        let (name, task, most) = (
            attempt.worker.name(),
            &attempt.task,
            self.context_rules(&attempt.task).restarts,
        );
        let wait = backoff(FIRST_WAIT, restart);
        self.edit(task, |task| task.continues = Some(attempt.id));
        self.settle_stopped(transition, attempt.id, StopCause::Context);
        self.edit(task, |task| task.not_before = Some(transition.now + wait));
        let text = format!(
            "{name} on {task} is started again with a fresh session in {wait} (session {}, restart {restart} of {most})",
            restart + 1
        );
        self.comment(transition.now, task, ENGINE, text.clone());
        transition.notify_attempt(NoticeLevel::Warning, "restart", attempt, text);
    }

    /// Fails the attempt with a class of its own, which counts against no other.
    fn restarts_exhausted(&mut self, transition: &mut Transition, attempt: &Attempt, restarts: u32) {
        let class = FailureClass::Context;
        let why = format!("filled its context again after {restarts} restarts: restarts exhausted");
        self.settle(transition, attempt.id, Verdict::Failed(class, why.into()));
        self.rest(transition, attempt, HoldReason::Exhausted(class));
    }

    fn hold_too_big(&mut self, transition: &mut Transition, attempt: &Attempt) {
        self.settle_stopped(transition, attempt.id, StopCause::Context);
        self.rest(transition, attempt, HoldReason::TooBig);
    }

    fn rest(&mut self, transition: &mut Transition, attempt: &Attempt, hold: HoldReason) {
        let task = &attempt.task;
        let text = self
            .tasks
            .get(task)
            .map(|row| format!("{task} {}", row.hold_text(&hold)))
            .unwrap_or_default();
        transition.notify_attempt(NoticeLevel::Alert, "block", attempt, text);
        self.give_up(transition, task, hold);
    }
}

impl Attempt {
    /// Returns true if the process has ended because its context was full, and its work is being saved.
    pub(super) fn is_saving(&self) -> bool {
        self.state == AttemptState::Stopping(StopCause::Context) && self.awaited.is_some()
    }

    /// Returns the time at which the agent was asked to stop because its context was full, unless it has reported its end since.
    pub fn leaves_since(&self) -> Option<Timestamp> {
        self.leaves
            .filter(|_| self.state.is_open() && deciding_signal(self).is_none())
    }
}

fn is_at_work(attempt: &Attempt) -> bool {
    attempt.state == AttemptState::Running && attempt.worker.role().is_some()
}

/// Returns the steps that an attempt reported.
fn steps_of(attempt: &Attempt) -> Vec<Step> {
    let reported = attempt
        .signals
        .iter()
        .filter(|signal| signal.kind == SignalKind::Progress);
    reported
        .map(|signal| Step {
            at: signal.at,
            text: signal.text.clone(),
        })
        .collect()
}
