//! Verdicts: what is concluded when an agent's process has ended (seeds 3.5). A valid signal beats run time, exit code and
//! our own stop (LK-9); no signal is never success (LK-8).

use super::Board;
use super::retrying::Failure;
use super::rows::ENGINE;
use super::settling::exited;
use super::step::Step;
use crate::domain::attempt::{Attempt, AttemptState, Exit, StopCause, Verdict, Worker, WorkspaceState};
use crate::domain::effect::{Effect, Level};
use crate::domain::event::EndCause;
use crate::domain::failure::FailureClass;
use crate::domain::id::AttemptId;
use crate::domain::signal::{Signal, SignalKind};
use crate::domain::task::{Hold, TaskState};
use crate::domain::workflow::Workspace;

/// How much of the output's end is kept as a comment, in characters.
const TAIL: usize = 2_000;

/// What an ended process means.
enum Conclusion {
    /// Somebody moved the task meanwhile: nothing it said counts (K21).
    Void,
    /// Its last word.
    Said(Signal),
    /// We stopped it, for no fault of its own.
    Stopped(StopCause),
    /// It ran too long.
    TimedOut,
    /// Its tool named the cause.
    Named(EndCause),
    /// It ended without a word.
    Silent,
}

impl Board {
    /// An agent's process has ended.
    pub(super) fn ended(
        &mut self,
        step: &mut Step,
        id: AttemptId,
        (exit, tail): (&Exit, &str),
        cause: Option<&EndCause>,
    ) {
        let Some(attempt) = self.attempt(id) else { return };
        let alive = matches!(
            attempt.state,
            AttemptState::Starting | AttemptState::Running | AttemptState::Stopping(_)
        );
        if !alive || matches!(attempt.worker, Worker::Engine(_)) {
            return;
        }
        let has_folder = self.has_folder(&attempt);
        self.edit_attempt(id, |attempt| {
            attempt.activity = exited(step.now);
            attempt.await_nothing();
            // A process that ran without our hearing of its start had a workspace all the same.
            if attempt.workspace == WorkspaceState::None && has_folder {
                attempt.workspace = WorkspaceState::Present;
            }
        });
        match self.conclude(&attempt, cause) {
            Conclusion::Void => self.settle_stopped(step, id, StopCause::Cancelled),
            Conclusion::Said(signal) => self.heed(step, &attempt, &signal),
            Conclusion::Stopped(cause) => self.stopped(step, &attempt, cause),
            Conclusion::TimedOut => self.timed_out(step, &attempt),
            Conclusion::Named(cause) => self.named(step, &attempt, &cause),
            Conclusion::Silent => self.crashed(step, &attempt, exit, tail),
        }
    }

    /// The first row of the table that applies.
    fn conclude(&self, attempt: &Attempt, cause: Option<&EndCause>) -> Conclusion {
        if attempt.state == AttemptState::Stopping(StopCause::Cancelled) || self.is_void(attempt) {
            return Conclusion::Void;
        }
        if let Some(signal) = last_word(attempt) {
            return Conclusion::Said(signal.clone());
        }
        match (&attempt.state, cause) {
            (AttemptState::Stopping(StopCause::Timeout), _) => Conclusion::TimedOut,
            (
                AttemptState::Stopping(
                    cause @ (StopCause::Paused | StopCause::Killed | StopCause::Quota | StopCause::Cancelled),
                ),
                _,
            ) => Conclusion::Stopped(*cause),
            (AttemptState::Starting | AttemptState::Running, Some(cause)) => Conclusion::Named(cause.clone()),
            (
                AttemptState::Starting
                | AttemptState::Running
                | AttemptState::Stopping(StopCause::Finished)
                | AttemptState::Verifying
                | AttemptState::Settled(_),
                _,
            ) => Conclusion::Silent,
        }
    }

    /// Whether the task has been moved, or given to somebody else, since the attempt began (K21).
    pub(super) fn is_void(&self, attempt: &Attempt) -> bool {
        self.tasks
            .get(&attempt.task)
            .is_none_or(|task| task.open_attempt != Some(attempt.id) || task.stage != attempt.stage)
    }

    /// Whether its workspace is a folder of its own, to be put away afterwards.
    pub(super) fn has_folder(&self, attempt: &Attempt) -> bool {
        self.stage_of_attempt(attempt).is_some_and(|stage| {
            matches!(
                attempt.mode.workspace(stage),
                Workspace::Branch | Workspace::Head | Workspace::Base
            )
        })
    }

    fn heed(&mut self, step: &mut Step, attempt: &Attempt, signal: &Signal) {
        match signal.kind {
            SignalKind::Done => self.begin_verifying(step, attempt.id),
            SignalKind::Reject => {
                self.settle(step, attempt.id, Verdict::Rejected(signal.text.clone()));
                self.reject(step, &attempt.task, attempt.worker.name(), &signal.text);
            }
            SignalKind::Block => self.blocked(step, attempt, &signal.text),
            SignalKind::Fail => {
                let text = format!("gave up: {}", or_no_reason(&signal.text));
                self.edit(&attempt.task, |task| task.finding = Some(signal.text.clone()));
                self.comment(step.now, &attempt.task, attempt.worker.name(), text.clone());
                self.fail(
                    step,
                    attempt.id,
                    &Failure::again(FailureClass::Failed, text, attempt.mode),
                );
            }
            SignalKind::Claim | SignalKind::Progress | SignalKind::Question => {}
        }
    }

    fn blocked(&mut self, step: &mut Step, attempt: &Attempt, why: &str) {
        let why = or_no_reason(why);
        self.settle(step, attempt.id, Verdict::Blocked(why.to_owned()));
        let name = attempt.worker.name();
        self.comment(step.now, &attempt.task, name, format!("blocked: {why}"));
        self.edit(&attempt.task, |task| task.next_mode = attempt.mode);
        self.put(
            step.now,
            &attempt.task,
            TaskState::Held(Hold::Blocked(why.to_owned())),
        );
        let text = format!("{name} cannot go on with {}: {why}", attempt.task);
        step.report(Level::Alert, "block", attempt, text);
    }

    fn stopped(&mut self, step: &mut Step, attempt: &Attempt, cause: StopCause) {
        let why = match cause {
            StopCause::Paused => "because work is paused",
            StopCause::Killed => "by a person",
            StopCause::Quota => "because of a usage limit",
            StopCause::Finished | StopCause::Timeout | StopCause::Cancelled => "",
        };
        self.edit(&attempt.task, |task| task.next_mode = attempt.mode);
        self.settle_stopped(step, attempt.id, cause);
        let name = attempt.worker.name();
        let text = format!(
            "{name} was stopped {why}; {} goes back to {}",
            attempt.task, attempt.stage
        );
        self.comment(step.now, &attempt.task, ENGINE, text.clone());
        step.report(Level::Info, "stopped", attempt, text);
    }

    fn timed_out(&mut self, step: &mut Step, attempt: &Attempt) {
        let ran = step.now.since(attempt.started_at.unwrap_or(attempt.created_at));
        let text = format!("{} was stopped after {ran}", attempt.worker.name());
        self.comment(step.now, &attempt.task, ENGINE, text);
        let failure = Failure::again(
            FailureClass::Timeout,
            format!("ran too long ({ran})"),
            attempt.mode,
        );
        self.fail(step, attempt.id, &failure);
    }

    fn named(&mut self, step: &mut Step, attempt: &Attempt, cause: &EndCause) {
        let (class, why) = match cause {
            EndCause::Quota { until, why } => {
                self.quota_reached(step, *until, why);
                (FailureClass::Quota, format!("hit a usage limit: {why}"))
            }
            EndCause::Infra(why) => (FailureClass::Infra, format!("could not work: {why}")),
        };
        self.fail(step, attempt.id, &Failure::again(class, why, attempt.mode));
    }

    fn crashed(&mut self, step: &mut Step, attempt: &Attempt, exit: &Exit, tail: &str) {
        let how = match exit {
            Exit::Code(code) => format!("ended with code {code} and without a signal"),
            Exit::Signal(number) => format!("was ended by signal {number}, without a signal of its own"),
            Exit::Vanished => "vanished without a signal".to_owned(),
        };
        let name = attempt.worker.name();
        let tail = last_characters(tail.trim_end(), TAIL);
        let text = if tail.is_empty() {
            format!("{name} {how}; it had printed nothing")
        } else {
            format!("{name} {how}; the end of its output:\n{tail}")
        };
        self.comment(step.now, &attempt.task, ENGINE, text);
        self.fail(
            step,
            attempt.id,
            &Failure::again(FailureClass::Crash, how, attempt.mode),
        );
    }

    /// An attempt's workspace or process could not be made (LK-15, K52).
    pub(super) fn not_started(&mut self, step: &mut Step, id: AttemptId, why: &str) {
        let Some(attempt) = self.attempt(id) else { return };
        match attempt.state {
            AttemptState::Starting => {
                let why = format!("could not be started: {why}");
                self.fail(step, id, &Failure::again(FailureClass::Infra, why, attempt.mode));
            }
            AttemptState::Stopping(cause) => {
                self.edit(&attempt.task, |task| task.next_mode = attempt.mode);
                self.settle_stopped(step, id, cause);
            }
            AttemptState::Running | AttemptState::Verifying | AttemptState::Settled(_) => {}
        }
    }

    fn begin_verifying(&mut self, step: &mut Step, id: AttemptId) {
        let Some(attempt) = self.attempt(id) else { return };
        self.edit_attempt(id, |attempt| {
            attempt.state = AttemptState::Verifying;
            attempt.checks = 0;
        });
        self.put(step.now, &attempt.task, TaskState::Verifying);
        self.ask_for_evidence(step, id);
    }

    /// Asks for all evidence of the attempt's stage, once more.
    pub(super) fn ask_for_evidence(&mut self, step: &mut Step, id: AttemptId) {
        self.edit_attempt(id, |attempt| {
            attempt.checks = attempt.checks.saturating_add(1);
            attempt.await_answer(step.now);
        });
        self.repeat_evidence(step, id);
    }

    /// Asks for the same evidence again, as if it had not been asked for yet.
    pub(super) fn repeat_evidence(&mut self, step: &mut Step, id: AttemptId) {
        let Some(attempt) = self.attempt(id) else { return };
        let evidence = self.asked_evidence(&attempt);
        if evidence.is_empty() {
            self.verified(step, id, &[], None);
            return;
        }
        step.wish(Effect::Verify {
            attempt: id,
            evidence,
            check: attempt.checks,
        });
    }
}

/// The signal that decides: the last terminal one, but a block beats a done (LA-8).
pub(super) fn last_word(attempt: &Attempt) -> Option<&Signal> {
    let terminal = || {
        attempt
            .signals
            .iter()
            .rev()
            .filter(|signal| signal.kind.is_terminal())
    };
    let last = terminal().next()?;
    match last.kind {
        SignalKind::Done => terminal()
            .find(|signal| signal.kind == SignalKind::Block)
            .or(Some(last)),
        SignalKind::Reject
        | SignalKind::Block
        | SignalKind::Fail
        | SignalKind::Claim
        | SignalKind::Progress
        | SignalKind::Question => Some(last),
    }
}

fn or_no_reason(text: &str) -> &str {
    let text = text.trim();
    if text.is_empty() { "no reason given" } else { text }
}

fn last_characters(text: &str, most: usize) -> String {
    let surplus = text.chars().count().saturating_sub(most);
    text.chars().skip(surplus).collect()
}
