//! Reports of attempts and their observed activity. A signal is bound to one attempt, counts once, and alone moves nothing (K14–K18).

use super::Board;
use super::commands::{accepted, refusal, refuse};
use super::process_end::deciding_signal;
use super::rows::ENGINE;
use super::signal_fault::SignalFault;
use super::transition::Transition;
use crate::ask::AskChannel;
use crate::attempt::{
    Activity, ActivityKind, Attempt, AttemptMode, AttemptState, StopCause, Worker, Workplace, WorkspaceState,
};
use crate::effect::{CommandReply, Effect, NoticeLevel};
use crate::evidence::GateBaseline;
use crate::id::AttemptId;
use crate::plan_entry::Claims;
use crate::signal::{Signal, SignalKind};
use crate::time::Timestamp;
use crate::workflow::{RejectTo, Stage};

/// Judgement of a signal.
enum SignalJudgement {
    /// Signal that was received before, and accepted then or not.
    Known(bool),
    Refused(SignalFault),
    Allowed,
    NotAllowed,
}

impl Board {
    /// Records the workspace of an attempt as soon as it is ready. It is known before the process runs, so that an end whose start was not
    /// reported can be judged and the workspace put away.
    pub(super) fn workplace_made(
        &mut self,
        transition: &Transition,
        id: AttemptId,
        workplace: &Workplace,
        kept: &[String],
        gates: &[GateBaseline],
    ) {
        let Some(attempt) = self.attempt(id) else { return };
        let has_folder = self.has_folder(&attempt);
        let begins = match attempt.state {
            AttemptState::Starting => true,
            AttemptState::Stopping(_) => attempt.started_at.is_none(),
            AttemptState::Running | AttemptState::Verifying | AttemptState::Settled(_) => false,
        };
        if begins {
            self.take_over(&attempt);
            self.begun_anew(transition, &attempt.task, kept);
            self.edit_attempt(id, |row| {
                set_workplace(row, workplace, has_folder);
                row.gates_before = gates.to_vec();
            });
        }
    }

    /// Records that an attempt's process runs.
    pub(super) fn started(&mut self, transition: &mut Transition, id: AttemptId, workplace: &Workplace) {
        let Some(attempt) = self.attempt(id) else { return };
        let limit = self.time_limit(&attempt);
        let has_folder = self.has_folder(&attempt);
        let spoken = deciding_signal(&attempt).is_some();
        let linger = self.settings.linger;
        let begin = |row: &mut Attempt| {
            row.started_at = Some(transition.now);
            set_workplace(row, workplace, has_folder);
        };
        if matches!(attempt.state, AttemptState::Starting | AttemptState::Stopping(_)) {
            self.take_over(&attempt);
        }
        match attempt.state {
            AttemptState::Starting => self.edit_attempt(id, |row| {
                begin(row);
                row.state = AttemptState::Running;
                row.awaited = None;
                row.obstacle = None;
                row.deadline = Some(transition.now + if spoken { linger } else { limit });
                if row.activity.doing == ActivityKind::Starting {
                    row.activity = Activity::new(ActivityKind::Working, "started", transition.now);
                }
            }),
            // It was stopped while it was being started.
            AttemptState::Stopping(cause) if attempt.started_at.is_none() => {
                self.edit_attempt(id, begin);
                transition.emit(Effect::Stop(id, cause));
            }
            AttemptState::Running
            | AttemptState::Stopping(_)
            | AttemptState::Verifying
            | AttemptState::Settled(_) => {}
        }
    }

    /// Handles a signal of an attempt.
    pub(super) fn signalled(
        &mut self,
        transition: &mut Transition,
        id: AttemptId,
        signal: Signal,
        claims: &Claims,
    ) {
        let Some(attempt) = self.attempt(id) else { return };
        match self.judge_signal(&attempt, signal.kind, &signal.key) {
            SignalJudgement::Known(_) | SignalJudgement::Refused(SignalFault::TooMany) => {}
            SignalJudgement::Refused(SignalFault::Late) => {
                let text = format!("{} of attempt {id} ignored: it came too late", signal.kind);
                transition.notify_attempt(NoticeLevel::Info, "late_signal", &attempt, text);
            }
            SignalJudgement::Allowed => self.accept_signal(transition, &attempt, signal, claims),
            SignalJudgement::NotAllowed => self.refuse_signal(transition, &attempt, signal),
        }
        self.report_flood(transition, &attempt);
    }

    /// Reports once that an attempt has just sent the last signal of a kind that is accepted from it.
    fn report_flood(&mut self, transition: &mut Transition, before: &Attempt) {
        let Some(attempt) = self.attempt(before.id) else {
            return;
        };
        let last = attempt.signals.iter().chain(&attempt.refused);
        let Some(kind) = last
            .map(|signal| signal.kind)
            .find(|kind| attempt.has_sent_enough(*kind) && !before.has_sent_enough(*kind))
        else {
            return;
        };
        let name = attempt.worker.name();
        let text = format!("{name} sends too many {kind} signals; no more of them are taken from it");
        self.comment(transition.now, &attempt.task, ENGINE, text.clone());
        transition.notify_attempt(NoticeLevel::Warning, "flood", &attempt, text);
    }

    /// Returns the reply to an attempt about its signal of that key, once the signal is on the board.
    pub fn signal_reply(&self, id: AttemptId, kind: SignalKind, key: &str) -> CommandReply {
        let Some(attempt) = self.attempt(id) else {
            refuse!("attempt {id} is not known");
        };
        match self.judge_signal(&attempt, kind, key) {
            SignalJudgement::Known(true) | SignalJudgement::Allowed => Ok(accepted(reply_text(kind))),
            SignalJudgement::Known(false) | SignalJudgement::NotAllowed => Err(refusal(format!(
                "{kind} is not allowed in {}: use {}",
                attempt.stage,
                self.allowed_signals(&attempt)
            ))),
            SignalJudgement::Refused(fault) => Err(fault.refusal(id, kind)),
        }
    }

    /// Judges a signal; this is the only place that does. Its token proved which attempt sent it.
    fn judge_signal(&self, attempt: &Attempt, kind: SignalKind, key: &str) -> SignalJudgement {
        if let Some(was_accepted) = attempt.received(key) {
            return SignalJudgement::Known(was_accepted);
        }
        if let Some(fault) = attempt.signal_fault(kind, !self.accepts_signals(attempt)) {
            return SignalJudgement::Refused(fault);
        }
        match self.stage_of_attempt(attempt) {
            Some(stage) if allows(stage, attempt, kind) => SignalJudgement::Allowed,
            Some(_) | None => SignalJudgement::NotAllowed,
        }
    }

    /// Returns true if signals of the attempt count: it is an agent whose process may be alive, and its task is still at the stage it was
    /// started for.
    fn accepts_signals(&self, attempt: &Attempt) -> bool {
        let lives = match attempt.state {
            AttemptState::Starting | AttemptState::Running => true,
            AttemptState::Stopping(cause) => cause != StopCause::Cancelled,
            AttemptState::Verifying | AttemptState::Settled(_) => false,
        };
        lives && matches!(attempt.worker, Worker::Agent { .. }) && !self.is_void(attempt)
    }

    fn accept_signal(
        &mut self,
        transition: &mut Transition,
        attempt: &Attempt,
        signal: Signal,
        claims: &Claims,
    ) {
        self.record_claims(transition.now, attempt, &signal, claims);
        let (kind, text, key) = (signal.kind, signal.text.clone(), signal.key.clone());
        let name = attempt.worker.name();
        if kind == SignalKind::Progress {
            self.comment(transition.now, &attempt.task, name, text.clone());
        }
        if let Some(report) = &signal.report {
            let text = format!("reports with {kind}:\n{report}");
            self.comment(transition.now, &attempt.task, name, text);
        }
        self.edit_attempt(attempt.id, |row| {
            row.signals.push(signal);
            row.failed_turns.told = 0;
        });
        match kind {
            SignalKind::Claim => {
                self.set_activity(transition.now, attempt.id, ActivityKind::Working);
                let again = match attempt.n {
                    0 | 1 => String::new(),
                    n => format!(" (attempt {n})"),
                };
                let text = format!("{name} started {}{again}", attempt.task);
                transition.notify_attempt(NoticeLevel::Info, "claim", attempt, text);
            }
            SignalKind::Progress => {
                self.set_activity(transition.now, attempt.id, ActivityKind::Working);
                transition.notify_attempt(NoticeLevel::Info, "progress", attempt, format!("{name}: {text}"));
            }
            SignalKind::Question => {
                self.set_activity(transition.now, attempt.id, ActivityKind::Question(text.clone()));
                self.ask_in_words(transition.now, attempt.id, &key, &text);
                let text = format!("{name} asks: {text}");
                transition.notify_attempt(NoticeLevel::Alert, "question", attempt, text);
            }
            // Its consequences are decided when the process has ended.
            SignalKind::Done | SignalKind::Reject | SignalKind::Block | SignalKind::Fail => {
                self.close_asks(transition.now, attempt.id, |known| {
                    known.ask.channel == AskChannel::Line
                });
                self.start_linger(transition, attempt);
            }
        }
    }

    /// Refuses a signal: the agent is warned once, and may still send the right signal (LK-10).
    fn refuse_signal(&mut self, transition: &mut Transition, attempt: &Attempt, signal: Signal) {
        let allowed = self.allowed_signals(attempt);
        let (name, kind) = (attempt.worker.name(), signal.kind);
        let text = format!(
            "{name} reported {kind}, which {} does not allow; allowed: {allowed}",
            attempt.stage
        );
        self.edit_attempt(attempt.id, |row| row.refused.push(signal));
        if attempt.refused.is_empty() {
            self.comment(transition.now, &attempt.task, ENGINE, text.clone());
            let line = format!(
                "dbs: the signal {kind} is not allowed in {}; use {allowed}",
                attempt.stage
            );
            transition.emit(Effect::Tell(attempt.id, line));
        }
        transition.notify_attempt(NoticeLevel::Warning, "protocol", attempt, text);
    }

    fn allowed_signals(&self, attempt: &Attempt) -> String {
        let Some(stage) = self.stage_of_attempt(attempt) else {
            return "none".to_owned();
        };
        let words: Vec<String> = [
            SignalKind::Done,
            SignalKind::Reject,
            SignalKind::Block,
            SignalKind::Fail,
        ]
        .into_iter()
        .filter(|kind| allows(stage, attempt, *kind))
        .map(|kind| kind.to_string())
        .collect();
        words.join(", ")
    }

    fn set_activity(&mut self, now: Timestamp, id: AttemptId, doing: ActivityKind) {
        self.edit_attempt(id, |row| {
            if row.activity.doing != doing || !row.activity.is_known() {
                row.activity = Activity::new(doing, "signal", now);
            }
        });
    }

    /// Records an observed activity of an agent.
    pub(super) fn observed(
        &mut self,
        transition: &mut Transition,
        id: AttemptId,
        doing: &ActivityKind,
        source: &str,
    ) {
        let Some(attempt) = self.attempt(id) else { return };
        let lives = attempt.state.may_have_process();
        let is_new = attempt.activity.doing != *doing;
        // The reason it was stopped for is the cause of its end, whatever its tool reports while it is ended.
        let is_decided = matches!(
            attempt.state,
            AttemptState::Stopping(StopCause::Quota | StopCause::NotLoggedIn)
        );
        if !lives || is_decided || (!is_new && attempt.activity.source == source) {
            return;
        }
        self.edit_attempt(id, |row| {
            source.clone_into(&mut row.activity.source);
            if is_new {
                row.activity = Activity::new(doing.clone(), source, transition.now);
            }
        });
        if is_new {
            self.observe_asks(transition, &attempt, doing);
            self.observe_end_of_work(transition, &attempt, doing);
            self.observe_failed_turn(transition, &attempt, doing);
            self.observe_background(transition, &attempt, doing);
            self.observe_last_turn(transition, &attempt, doing);
            self.observe_refusal(transition, &attempt, doing);
            if doing.is_between_turns() {
                self.turn_ended(transition, &attempt);
            }
        }
    }

    /// Stops an agent whose tool cannot continue; its end has the observed cause.
    fn observe_end_of_work(&mut self, transition: &mut Transition, attempt: &Attempt, doing: &ActivityKind) {
        if deciding_signal(attempt).is_some() || matches!(attempt.state, AttemptState::Stopping(_)) {
            return;
        }
        match doing {
            ActivityKind::Limit { until, why } => {
                self.limit_reached(transition, attempt, *until, why);
                self.stop(transition, attempt.id, StopCause::Quota);
            }
            ActivityKind::NotLoggedIn(why) => {
                let text = format!("{} cannot work: {why}", attempt.worker.name());
                transition.notify_attempt(NoticeLevel::Alert, "login", attempt, text);
                self.stop(transition, attempt.id, StopCause::NotLoggedIn);
            }
            ActivityKind::Starting
            | ActivityKind::Working
            | ActivityKind::Background(_)
            | ActivityKind::Permission(_)
            | ActivityKind::Question(_)
            | ActivityKind::Dialog(_)
            | ActivityKind::Failed(_)
            | ActivityKind::Error(_)
            | ActivityKind::Idle
            | ActivityKind::Suspended
            | ActivityKind::Exited
            | ActivityKind::Lost => {}
        }
    }

    /// Types a line to the agent that works on a task.
    pub(super) fn type_line(&mut self, transition: &mut Transition, by: &str, id: AttemptId, text: &str) {
        self.answer_by_line(transition.now, by, id, text);
        transition.emit(Effect::Tell(id, text.to_owned()));
    }
}

fn set_workplace(row: &mut Attempt, workplace: &Workplace, has_folder: bool) {
    row.workplace = Some(workplace.clone());
    if has_folder {
        row.workspace = WorkspaceState::Present;
    }
}

fn reply_text(kind: SignalKind) -> &'static str {
    match kind {
        SignalKind::Claim => "claimed",
        SignalKind::Done => "reported done",
        SignalKind::Reject => "rejected",
        SignalKind::Block => "reported blocked",
        SignalKind::Fail => "reported failed",
        SignalKind::Progress => "progress reported",
        SignalKind::Question => "question asked",
    }
}

/// Returns true if an attempt of that stage may send that signal.
fn allows(stage: &Stage, attempt: &Attempt, kind: SignalKind) -> bool {
    match kind {
        SignalKind::Claim | SignalKind::Progress | SignalKind::Question => true,
        SignalKind::Reject => stage.reject != RejectTo::Never && stage.signals.contains(&kind),
        // An agent that fixes something for an engine action must be able to report that it is fixed.
        SignalKind::Done if attempt.mode == AttemptMode::Fallback => true,
        SignalKind::Done | SignalKind::Block | SignalKind::Fail => stage.signals.contains(&kind),
    }
}
