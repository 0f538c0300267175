//! Verdicts: conclusions from the end of an agent's process. A valid signal beats run time, exit code and our own stop (LK-9); no signal is
//! never success (LK-8).

use super::Board;
use super::continuing::could_not_go_on;
use super::retry::seen_cause;
use super::rows::ENGINE;
use super::transition::Transition;
use super::verification::Collected;
use crate::attempt::{
    Activity, ActivityKind, Attempt, AttemptState, ProcessExit, StopCause, Verdict, Worker, WorkspaceState,
};
use crate::batch::PauseReason;
use crate::cause::Cause;
use crate::effect::{Effect, NoticeLevel};
use crate::event::EndCause;
use crate::failure::FailureClass;
use crate::id::AttemptId;
use crate::signal::{Signal, SignalKind};
use crate::task::{HoldReason, TaskState};
use crate::telling_line::telling_line;
use crate::workflow::{FileAccess, Workspace};

/// Length of the output's end that is kept as a comment, in characters.
const MAX_TAIL_CHARS: usize = 2_000;

/// Conclusion of the engine from the end of an agent's process.
enum EndConclusion {
    /// The task was moved meanwhile: no report of the attempt counts (K21).
    Void,
    Signalled(Signal),
    Stopped(StopCause),
    TimedOut,
    NamedCause(EndCause),
    /// End of the tool, which is how it reports that its work is done.
    Reported,
    NoSignal,
}

impl Board {
    /// Handles the end of an agent's process.
    pub(super) fn ended(
        &mut self,
        transition: &mut Transition,
        id: AttemptId,
        exit: &ProcessExit,
        tail: &str,
        cause: Option<&EndCause>,
    ) {
        let Some(attempt) = self.attempt(id) else { return };
        if !attempt.state.may_have_process() || matches!(attempt.worker, Worker::Engine(_)) {
            return;
        }
        let has_folder = self.has_folder(&attempt);
        self.close_asks(transition.now, id, |_| true);
        self.take_over(&attempt);
        self.edit_attempt(id, |attempt| {
            attempt.activity = Activity::new(ActivityKind::Exited, "exit", transition.now);
            attempt.expect_no_answer();
            // A process whose start was not reported had a workspace all the same.
            if attempt.workspace == WorkspaceState::None && has_folder {
                attempt.workspace = WorkspaceState::Present;
            }
        });
        match self.conclude(&attempt, exit, cause) {
            EndConclusion::Void => self.settle_stopped(transition, id, StopCause::Cancelled),
            EndConclusion::Signalled(signal) => self.apply_signal(transition, &attempt, &signal),
            EndConclusion::Reported => self.begin_verifying(transition, id),
            EndConclusion::Stopped(StopCause::Context) => self.save_work(transition, id),
            EndConclusion::Stopped(StopCause::Mode) => self.mode_left(transition, &attempt),
            EndConclusion::Stopped(cause) => self.stopped(transition, &attempt, cause),
            EndConclusion::TimedOut => self.timed_out(transition, &attempt),
            EndConclusion::NamedCause(EndCause::Left) if attempt.conducts() => {
                self.dismissed(transition, &attempt);
            }
            EndConclusion::NamedCause(EndCause::Left) => self.left(transition, &attempt),
            EndConclusion::NamedCause(cause) => self.fail_for_named_cause(transition, &attempt, &cause),
            EndConclusion::NoSignal => match exit {
                ProcessExit::MachineStopped => {
                    self.machine_stopped(transition, &attempt, "the machine stopped under it");
                }
                ProcessExit::Together => {
                    let how = "everything of dbs ended at once, as at a logout";
                    self.machine_stopped(transition, &attempt, how);
                }
                ProcessExit::SessionStopped => {
                    self.interrupted(transition, &attempt, "`dbs` was stopped");
                }
                ProcessExit::Code(0) if attempt.conducts() => self.dismissed(transition, &attempt),
                _ if could_not_go_on(transition.now, &attempt, exit) => {
                    let how = how_it_ended(exit);
                    self.begin_afresh(transition, &attempt, &with_tail(&how, tail));
                }
                ProcessExit::Code(_) | ProcessExit::Signal(_) | ProcessExit::Vanished => {
                    self.crashed(transition, &attempt, exit, tail);
                }
            },
        }
    }

    /// Returns the first conclusion that applies.
    fn conclude(&self, attempt: &Attempt, exit: &ProcessExit, cause: Option<&EndCause>) -> EndConclusion {
        if attempt.state == AttemptState::Stopping(StopCause::Cancelled) || self.is_void(attempt) {
            return EndConclusion::Void;
        }
        if let Some(signal) = deciding_signal(attempt) {
            return EndConclusion::Signalled(signal.clone());
        }
        match (&attempt.state, cause) {
            (AttemptState::Stopping(StopCause::Timeout), _) => EndConclusion::TimedOut,
            (AttemptState::Stopping(StopCause::Finished), _) => EndConclusion::NoSignal,
            (AttemptState::Stopping(StopCause::Quota | StopCause::NotLoggedIn), _) => {
                EndConclusion::NamedCause(seen_cause(attempt))
            }
            (AttemptState::Stopping(cause), _) => EndConclusion::Stopped(*cause),
            (_, Some(EndCause::Reported)) if *exit == ProcessExit::Code(0) && self.makes_work(attempt) => {
                EndConclusion::Reported
            }
            (_, Some(cause @ (EndCause::Quota { .. } | EndCause::Infra(_) | EndCause::Left))) => {
                EndConclusion::NamedCause(cause.clone())
            }
            // The agent ended by itself after it was asked to.
            (_, None | Some(EndCause::Reported)) if attempt.leaves.is_some() => {
                EndConclusion::Stopped(StopCause::Context)
            }
            (_, None | Some(EndCause::Reported)) => EndConclusion::NoSignal,
        }
    }

    /// Returns true if the attempt makes work that is checked afterwards. A tool that only ends has judged nothing.
    fn makes_work(&self, attempt: &Attempt) -> bool {
        let stage = self.stage_of_attempt(attempt);
        stage.is_some_and(|stage| attempt.mode.access(stage) == FileAccess::Write)
    }

    /// Returns true if the task has been moved, or given to another attempt, since this one began (K21).
    pub(super) fn is_void(&self, attempt: &Attempt) -> bool {
        self.tasks
            .get(&attempt.task)
            .is_none_or(|task| task.open_attempt != Some(attempt.id) || task.stage != attempt.stage)
    }

    /// Returns true if the attempt's workspace is a folder of its own, to be put away afterwards.
    pub(super) fn has_folder(&self, attempt: &Attempt) -> bool {
        self.stage_of_attempt(attempt).is_some_and(|stage| {
            matches!(
                attempt.mode.workspace(stage),
                Workspace::Branch | Workspace::Head | Workspace::Base
            )
        })
    }

    fn apply_signal(&mut self, transition: &mut Transition, attempt: &Attempt, signal: &Signal) {
        match signal.kind {
            SignalKind::Done => self.begin_verifying(transition, attempt.id),
            SignalKind::Reject => {
                self.settle(transition, attempt.id, Verdict::Rejected(signal.text.clone()));
                self.reject(transition, &attempt.task, attempt.worker.name(), &signal.text);
            }
            SignalKind::Block => self.blocked(transition, attempt, &signal.text),
            SignalKind::Fail => {
                let text = format!("gave up: {}", or_no_reason(&signal.text));
                self.edit(&attempt.task, |task| task.finding = Some(signal.text.clone()));
                self.comment(transition.now, &attempt.task, attempt.worker.name(), text.clone());
                self.fail_same(transition, attempt, FailureClass::Failed, text);
            }
            SignalKind::Claim | SignalKind::Progress | SignalKind::Question => {}
        }
    }

    fn blocked(&mut self, transition: &mut Transition, attempt: &Attempt, why: &str) {
        let why = or_no_reason(why);
        self.settle(transition, attempt.id, Verdict::Blocked(why.to_owned()));
        let name = attempt.worker.name();
        self.comment(transition.now, &attempt.task, name, format!("blocked: {why}"));
        self.edit(&attempt.task, |task| task.next_mode = attempt.mode);
        self.set_state(
            transition.now,
            &attempt.task,
            TaskState::Held(HoldReason::Blocked(why.to_owned())),
        );
        let task = &attempt.task;
        let text = format!("{task} blocked by {name}: {why}; `dbs retry {task} --note 'ANSWER'` answers it");
        transition.notify_attempt(NoticeLevel::Alert, "block", attempt, text);
    }

    fn stopped(&mut self, transition: &mut Transition, attempt: &Attempt, cause: StopCause) {
        let why = match cause {
            StopCause::Paused => "because work is paused",
            StopCause::Killed => "by a person",
            StopCause::Quota => "because of a usage limit",
            StopCause::Budget => "because the budget of its task is used up",
            StopCause::NotLoggedIn => "because its tool has no valid login",
            StopCause::Context => "because its context was full",
            StopCause::Mode => "to switch its mode",
            StopCause::Finished | StopCause::Timeout | StopCause::Cancelled | StopCause::Interrupted => "",
        };
        self.edit(&attempt.task, |task| task.next_mode = attempt.mode);
        self.settle_stopped(transition, attempt.id, cause);
        let name = attempt.worker.name();
        let text = format!(
            "{name} stopped {why}; {} stays in {}",
            attempt.task, attempt.stage
        );
        self.comment(transition.now, &attempt.task, ENGINE, text.clone());
        // The person who paused the board or stopped the agent was informed then.
        if cause == StopCause::Quota {
            transition.notify_attempt(NoticeLevel::Info, "stopped", attempt, text);
        }
    }

    fn timed_out(&mut self, transition: &mut Transition, attempt: &Attempt) {
        let ran = transition
            .now
            .since(attempt.started_at.unwrap_or(attempt.created_at));
        let text = format!("{} timed out after {ran}", attempt.worker.name());
        self.comment(transition.now, &attempt.task, ENGINE, text);
        let why = format!("timed out after {ran}");
        self.fail_same(transition, attempt, FailureClass::Timeout, why);
    }

    fn fail_for_named_cause(&mut self, transition: &mut Transition, attempt: &Attempt, cause: &EndCause) {
        let (class, why) = match cause {
            EndCause::Quota { until, why } => {
                // The money for today was used up: that is no limit of its tool.
                if !matches!(self.pause, Some(PauseReason::Quota { .. })) {
                    self.limit_reached(transition, attempt, *until, why);
                }
                (FailureClass::Quota, format!("hit a usage limit: {why}").into())
            }
            EndCause::Infra(why) => (FailureClass::Infra, why.clone().after("could not work: ")),
            EndCause::Reported => return,
            EndCause::Left => return self.left(transition, attempt),
        };
        self.fail_same(transition, attempt, class, why);
    }

    /// Closes the task of a conductor that its person ended in its terminal: nothing is proved, and nothing is left to do.
    fn dismissed(&mut self, transition: &mut Transition, attempt: &Attempt) {
        let (task, name) = (&attempt.task, attempt.worker.name());
        self.settle_stopped(transition, attempt.id, StopCause::Cancelled);
        self.set_state(transition.now, task, TaskState::Cancelled);
        self.retire_if_unused(transition, task);
        let text = format!("{name} was ended in its terminal; {task} is closed");
        self.comment(transition.now, task, ENGINE, text.clone());
        transition.notify_attempt(NoticeLevel::Info, "cancel", attempt, text);
    }

    fn crashed(&mut self, transition: &mut Transition, attempt: &Attempt, exit: &ProcessExit, tail: &str) {
        let how = how_it_ended(exit);
        let name = attempt.worker.name();
        let text = format!("{name} {}", with_tail(&how, tail));
        self.comment(transition.now, &attempt.task, ENGINE, text);
        self.keep_session_after_crash(attempt, exit);
        let why = telling_line(tail).map_or_else(|| how.clone(), |line| format!("{how}: {line}"));
        self.fail_same(transition, attempt, FailureClass::Crash, why);
    }

    /// Handles an attempt whose workspace or process could not be made (LK-15, K52).
    pub(super) fn not_started(&mut self, transition: &mut Transition, id: AttemptId, why: &Cause) {
        let Some(attempt) = self.attempt(id) else { return };
        match attempt.state {
            AttemptState::Starting => {
                let why = why.clone().after("could not be started: ");
                self.fail_same(transition, &attempt, FailureClass::Infra, why);
            }
            AttemptState::Stopping(cause) => {
                self.edit(&attempt.task, |task| task.next_mode = attempt.mode);
                self.settle_stopped(transition, id, cause);
            }
            AttemptState::Running | AttemptState::Verifying | AttemptState::Settled(_) => {}
        }
    }

    fn begin_verifying(&mut self, transition: &mut Transition, id: AttemptId) {
        let Some(attempt) = self.attempt(id) else { return };
        self.edit_attempt(id, |attempt| {
            attempt.state = AttemptState::Verifying;
            attempt.checks = 0;
        });
        self.set_state(transition.now, &attempt.task, TaskState::Verifying);
        self.ask_for_evidence(transition, id);
    }

    /// Requests all evidence of the attempt's stage once more.
    pub(super) fn ask_for_evidence(&mut self, transition: &mut Transition, id: AttemptId) {
        self.edit_attempt(id, |attempt| {
            attempt.checks = attempt.checks.saturating_add(1);
            attempt.expect_answer(transition.now);
        });
        self.repeat_evidence(transition, id);
    }

    /// Requests the same evidence again, as if it had not been requested yet.
    pub(super) fn repeat_evidence(&mut self, transition: &mut Transition, id: AttemptId) {
        let Some(attempt) = self.attempt(id) else { return };
        let evidence = self.evidence_to_collect(&attempt);
        if evidence.is_empty() {
            self.verified(transition, id, &Collected::default());
            return;
        }
        transition.emit(Effect::Verify {
            attempt: id,
            evidence,
            check: attempt.checks,
        });
    }
}

/// Returns the signal that decides: the last terminal one, but a block beats a done (LA-8).
pub(super) fn deciding_signal(attempt: &Attempt) -> Option<&Signal> {
    let terminal = || {
        attempt
            .signals
            .iter()
            .rev()
            .filter(|signal| signal.kind.is_terminal())
    };
    let last = terminal().next()?;
    if last.kind != SignalKind::Done {
        return Some(last);
    }
    let block = terminal().find(|signal| signal.kind == SignalKind::Block);
    block.or(Some(last))
}

/// Describes the end of a process that had not reported, in words that follow its agent's name.
fn how_it_ended(exit: &ProcessExit) -> String {
    match exit {
        ProcessExit::Code(code) => format!("exited with code {code} before reporting"),
        ProcessExit::Signal(number) => format!("crashed ({}) before reporting", signal_name(*number)),
        ProcessExit::Vanished
        | ProcessExit::MachineStopped
        | ProcessExit::SessionStopped
        | ProcessExit::Together => "vanished before reporting".to_owned(),
    }
}

/// Adds the end of a process's output to the description of its end.
fn with_tail(how: &str, tail: &str) -> String {
    let tail = last_characters(tail.trim_end(), MAX_TAIL_CHARS);
    if tail.is_empty() {
        format!("{how}; it printed nothing")
    } else {
        format!("{how}; the end of its output:\n{tail}")
    }
}

/// Returns the name of a signal that commonly ends a process, or the number of any other.
fn signal_name(number: i32) -> String {
    let known = [
        (1, "SIGHUP"),
        (2, "SIGINT"),
        (3, "SIGQUIT"),
        (4, "SIGILL"),
        (6, "SIGABRT"),
        (8, "SIGFPE"),
        (9, "SIGKILL"),
        (11, "SIGSEGV"),
        (13, "SIGPIPE"),
        (15, "SIGTERM"),
    ];
    let name = known.iter().find(|(known, _)| *known == number);
    name.map_or_else(|| format!("signal {number}"), |(_, name)| (*name).to_owned())
}

fn or_no_reason(text: &str) -> &str {
    let text = text.trim();
    if text.is_empty() { "no reason given" } else { text }
}

fn last_characters(text: &str, most: usize) -> String {
    let surplus = text.chars().count().saturating_sub(most);
    text.chars().skip(surplus).collect()
}
