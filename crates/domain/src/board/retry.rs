//! Failures: the budgets they use up, the waits after them, and the end of retries. Counters are stored with the task, so that a restart
//! changes nothing (LK-13, LK-14).

use super::Board;
use super::rows::ENGINE;
use super::transition::Transition;
use crate::attempt::{ActivityKind, Attempt, AttemptMode, AttemptState, StopCause, Verdict};
use crate::batch::{PauseReason, UsageLimit};
use crate::cause::{Cause, TroubleKind};
use crate::effect::NoticeLevel;
use crate::event::EndCause;
use crate::failure::FailureClass;
use crate::id::{AttemptId, StageId, TaskId};
use crate::task::{HoldReason, TaskState};
use crate::time::{Span, Timestamp};
use crate::workflow::FindingPolicy;

/// Maximum wait after a failure.
const MAX_BACKOFF: Span = Span::minutes(5);
/// Wait for a usage limit whose end is not known.
const QUOTA_WAIT: Span = Span::minutes(15);
/// Wait for a usage limit whose end has passed when it is read: the clock of its service may be behind this one.
const ENDED_QUOTA_WAIT: Span = Span::seconds(30);

/// Maximum time a usage limit is taken to last, whatever an agent reports: weekly limits are the longest there are.
const LONGEST_QUOTA: Span = Span::minutes(8 * 24 * 60);
/// Number of times in a row that something outside may keep a task from being started, merged or verified, an agent from being stopped or a
/// workspace from being removed before a person has to look. Tries are counted and not time, which also passes while the machine sleeps or
/// no server runs; with the longest wait between two of them these take about half an hour.
pub(super) const MOST_TRIES: u32 = 12;
/// Number of infrastructure failures in a row that are reported once as a state of the whole board (LK-16).
const DEGRADED_AFTER: u32 = 5;

/// Failure of an attempt, with its class and the way the next attempt continues.
#[derive(Debug)]
pub(super) struct AttemptFailure {
    pub(super) class: FailureClass,
    /// Cause in words that follow `developer-ravel on dbs-1`.
    pub(super) why: Cause,
    pub(super) mode: AttemptMode,
    /// Stage of the next attempt; `None`: the same stage.
    pub(super) stage: Option<StageId>,
}

impl AttemptFailure {
    /// Creates a failure after which the same work is tried again.
    pub(super) fn retry_same(
        class: FailureClass,
        why: impl Into<Cause>,
        mode: AttemptMode,
    ) -> AttemptFailure {
        AttemptFailure {
            class,
            why: why.into(),
            mode,
            stage: None,
        }
    }
}

impl Board {
    /// Settles an attempt as failed, and lets its task try again or rest.
    pub(super) fn fail(&mut self, transition: &mut Transition, id: AttemptId, failure: &AttemptFailure) {
        let Some(attempt) = self.attempt(id) else { return };
        let class = failure.class;
        self.settle(transition, id, Verdict::Failed(class, failure.why.clone()));
        let task = &attempt.task;
        let times = if class.uses_budget() {
            self.count(task, &attempt.stage, class)
        } else {
            self.refund_attempt(&attempt);
            0
        };
        let stage = self.stage_of_attempt(&attempt);
        let is_final = class == FailureClass::Gate
            && attempt.mode != AttemptMode::Fallback
            && stage.is_some_and(|stage| stage.findings == FindingPolicy::Hold);
        let spent = is_final || class.uses_budget() && times >= self.limit_for(task, class);
        if spent {
            let kind = if class == FailureClass::Empty {
                "empty_branch_blocked"
            } else {
                "block"
            };
            let hold = HoldReason::Exhausted(class);
            if let Some(row) = self.tasks.get(task) {
                let text = format!("{task} {}", row.hold_text(&hold));
                transition.notify_attempt(NoticeLevel::Alert, kind, &attempt, text);
            }
            self.edit(task, |task| task.next_mode = failure.mode);
            self.give_up(transition, task, hold);
            return;
        }
        if class == FailureClass::Infra
            && let Some(hold) = self.count_trouble(task, &failure.why)
        {
            return self.hold_for_trouble(transition, &attempt, failure, hold);
        }
        let wait = match class {
            FailureClass::Infra => Some(self.infra_failed(transition)),
            FailureClass::Crash => Some(backoff(self.settings.crash_backoff, times)),
            _ => None,
        };
        let (name, why) = (attempt.worker.name(), failure.why.first_line());
        let again = wait.map_or_else(String::new, |wait| format!("; retry in {wait}"));
        let text = format!("{name} on {task} {why}{again}");
        transition.notify_attempt(NoticeLevel::Warning, &notice_kind(class), &attempt, text);
        let stage = failure.stage.clone().unwrap_or_else(|| attempt.stage.clone());
        self.enter_stage(transition.now, task, &stage, failure.mode);
        if let Some(wait) = wait {
            self.edit(task, |task| task.not_before = Some(transition.now + wait));
        }
    }

    /// Counts one more attempt in a row that something outside kept from working. After a refusal, and after [`MOST_TRIES`] of them, the
    /// task rests: further tries would take a place for an agent forever. Only a full disk is waited for without an end.
    fn count_trouble(&mut self, task: &TaskId, cause: &Cause) -> Option<HoldReason> {
        if cause.kind == TroubleKind::Base {
            return Some(HoldReason::BaseClosed(cause.text.clone()));
        }
        if cause.kind == TroubleKind::Gates {
            return Some(HoldReason::Unverified(cause.text.clone()));
        }
        if cause.kind == TroubleKind::Refusal {
            return Some(HoldReason::Refused(cause.text.clone()));
        }
        if cause.kind == TroubleKind::Disk {
            // It ends as soon as there is room again, and tries meanwhile cost nothing.
            return None;
        }
        let mut tries = 0;
        self.edit(task, |task| {
            task.troubles = task.troubles.saturating_add(1);
            tries = task.troubles;
        });
        let cause = cause.clone();
        (tries >= MOST_TRIES).then_some(HoldReason::Trouble { tries, cause })
    }

    /// Leaves a task to a person, with the cause. Its work is kept, and nothing is counted against it.
    pub(super) fn hold_for_trouble(
        &mut self,
        transition: &mut Transition,
        attempt: &Attempt,
        failure: &AttemptFailure,
        hold: HoldReason,
    ) {
        self.edit(&attempt.task, |task| task.next_mode = failure.mode);
        self.hold(transition, attempt, hold);
    }

    /// Leaves a task to a person, says so on it, and notifies people.
    pub(super) fn hold(&mut self, transition: &mut Transition, attempt: &Attempt, hold: HoldReason) {
        let task = &attempt.task;
        let text = format!("{task} held: {hold}");
        self.comment(transition.now, task, ENGINE, text.clone());
        transition.notify_attempt(NoticeLevel::Alert, "block", attempt, text);
        self.set_state(transition.now, task, TaskState::Held(hold));
    }

    /// Settles an attempt as failed, so that the same work is tried again.
    pub(super) fn fail_same(
        &mut self,
        transition: &mut Transition,
        attempt: &Attempt,
        class: FailureClass,
        why: impl Into<Cause>,
    ) {
        self.fail(
            transition,
            attempt.id,
            &AttemptFailure::retry_same(class, why, attempt.mode),
        );
    }

    /// Counts one more infrastructure failure in a row; returns the wait after it.
    pub(super) fn infra_failed(&mut self, transition: &mut Transition) -> Span {
        self.infra_failures = self.infra_failures.saturating_add(1);
        if self.infra_failures == DEGRADED_AFTER {
            transition.notify(
                NoticeLevel::Alert,
                "degraded",
                format!("{DEGRADED_AFTER} infrastructure failures in a row: look at the network, the remote and the agents' logins"),
            );
        }
        backoff(self.settings.infra_backoff, self.infra_failures)
    }

    /// Returns the wait before evidence is requested again.
    pub(super) fn wait_for_evidence(&self, checks: u32) -> Span {
        backoff(self.settings.infra_backoff, checks)
    }

    /// Pauses the account of an agent for a usage limit: none of its agents is started until it ends; running work continues, and so do
    /// the agents of other tools (LK-35).
    pub(super) fn limit_reached(
        &mut self,
        transition: &mut Transition,
        attempt: &Attempt,
        until: Option<Timestamp>,
        why: &str,
    ) {
        let Some(role) = attempt.worker.role() else { return };
        let account = attempt.choice.account(role);
        let until = bounded_end(transition.now, until);
        let before = self.limits.get(&account);
        let limit = UsageLimit {
            until: before.map_or(until, |before| until.max(before.until)),
            why: why.to_owned(),
        };
        if before != Some(&limit) {
            let text = format!("{account} is paused by a usage limit: {why}");
            transition.notify(NoticeLevel::Warning, "quota", text);
        }
        self.limits.insert(account, limit);
    }

    /// Ends the usage limits that are over by now.
    pub(super) fn end_limits(&mut self, transition: &mut Transition) {
        let now = transition.now;
        for (account, _) in self.limits.extract_if(.., |_, limit| limit.until <= now) {
            let text = format!("{account} continues: its usage limit is over");
            transition.notify(NoticeLevel::Info, "resume", text);
        }
    }

    /// Pauses the board until that time, because the money for today is used up.
    pub(super) fn pause_for_money(&mut self, transition: &mut Transition, until: Timestamp, why: &str) {
        let until = match &self.pause {
            Some(PauseReason::Operator { .. }) => return,
            Some(PauseReason::Quota { until: before, .. }) => until.max(*before),
            None => until,
        };
        let pause = PauseReason::Quota {
            until,
            why: why.to_owned(),
        };
        if self.pause.as_ref() != Some(&pause) {
            let text = format!("paused by a usage limit: {why}");
            transition.notify(NoticeLevel::Warning, "quota", text);
        }
        self.pause = Some(pause);
    }

    fn count(&mut self, task: &TaskId, stage: &StageId, class: FailureClass) -> u32 {
        let mut times = 0;
        self.edit(task, |task| {
            let counter = task
                .failures
                .entry(stage.clone())
                .or_default()
                .entry(class)
                .or_insert(0);
            *counter = counter.saturating_add(1);
            times = *counter;
        });
        times
    }

    fn limit_for(&self, task: &TaskId, class: FailureClass) -> u32 {
        let flow = self.tasks.get(task).and_then(|task| self.workflow_of(task));
        let most = flow.and_then(|flow| flow.limits.by_class.get(&class));
        most.copied().unwrap_or(u32::MAX)
    }
}

/// Returns the time at which a usage limit is taken to end.
fn bounded_end(now: Timestamp, until: Option<Timestamp>) -> Timestamp {
    let until = until.unwrap_or(now + QUOTA_WAIT).min(now + LONGEST_QUOTA);
    if until > now {
        until
    } else {
        now + ENDED_QUOTA_WAIT
    }
}

/// Returns the observed cause that stopped an agent that could not continue; less is known if its process was lost meanwhile.
pub(super) fn seen_cause(attempt: &Attempt) -> EndCause {
    let activity = &attempt.activity;
    let quota = |until, why: &str| EndCause::Quota {
        until: Some(until),
        why: why.to_owned(),
    };
    match (&activity.doing, &attempt.state) {
        (ActivityKind::Limit { until, why }, _) => quota(until.unwrap_or(activity.since + QUOTA_WAIT), why),
        (ActivityKind::NotLoggedIn(why), _) => EndCause::Infra(TroubleKind::Refusal.cause(why.as_str())),
        (_, AttemptState::Stopping(StopCause::Quota)) => {
            quota(activity.since + QUOTA_WAIT, "its tool said so before it was lost")
        }
        _ => EndCause::Infra(TroubleKind::Refusal.cause("its tool has no valid login")),
    }
}

/// Returns the seed's name of the event (K82).
fn notice_kind(class: FailureClass) -> String {
    match class {
        FailureClass::Empty => "empty_branch".to_owned(),
        FailureClass::Gate => "gate_failed".to_owned(),
        FailureClass::Rejected => "reject".to_owned(),
        class => class.to_string(),
    }
}

/// Returns `first`, doubled with each time, five minutes at most.
pub(super) fn backoff(first: Span, times: u32) -> Span {
    let doublings = times.saturating_sub(1).min(20);
    first.scaled(1 << doublings, MAX_BACKOFF)
}
