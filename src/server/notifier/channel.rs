//! A notification channel: the notifications to deliver, their times, and the retries after a failure. Uses no thread and no clock.

use std::collections::BTreeSet;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::config::channels::NotifyChannel;
use crate::display::{AlertEvents, AlertWhen};
use crate::domain::{Notice, NoticeLevel, Span, Timestamp};
use crate::ports::notify::{Notification, NotificationItem, Notifier, NotifyError};
use crate::read_model::{ReadModel, general_notice};
use crate::ui::{Alert, AlertQueue, alert_text, redacted_alert_text};

/// Waits after failures in a row; the last one is repeated.
const RETRY_DELAYS: [Span; 4] = [
    Span::seconds(2),
    Span::seconds(10),
    Span::minutes(1),
    Span::minutes(10),
];
/// Delay after a start in which nothing is checked: the person who has started the server, or lost it, is about to attach, and agents that
/// continued meanwhile report again what they wait for.
pub(super) const START_DELAY: Span = Span::seconds(5);
/// The kind of notice about channels that do not work.
pub(in crate::server) const NOTICE_KIND: &str = "notify";

/// Condition for delivering notifications, and the pause between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotifyRules {
    pub(super) when: AlertWhen,
    pub(super) events: AlertEvents,
    pub(super) pause: Span,
}

/// Time, quiet hours and presence that decide on a notification.
#[derive(Debug, Clone, Copy)]
pub(super) struct NotifySituation {
    pub(super) at: Timestamp,
    /// True if no person is known to look at a screen.
    pub(super) away: bool,
    /// End of the quiet hours, while they last.
    pub(super) quiet: Option<Timestamp>,
}

/// A notification channel with its delivered alerts and its next retry.
pub(super) struct ChannelState {
    channel: NotifyChannel,
    alerts: AlertQueue,
    /// Beginning and length of the present pause.
    pause: (Timestamp, Span),
    failures: usize,
    reported_failure: Option<String>,
    /// Alerts that were tried last, and the time of their first try.
    last_try: Option<(Vec<Alert>, Timestamp)>,
}

impl ChannelState {
    /// Creates a channel with the marks it delivered before.
    pub(super) fn new(
        channel: NotifyChannel,
        marks: Option<BTreeSet<String>>,
        at: Timestamp,
    ) -> ChannelState {
        ChannelState {
            channel,
            alerts: AlertQueue::resume(marks, at),
            pause: (at, START_DELAY),
            failures: 0,
            reported_failure: None,
            last_try: None,
        }
    }

    /// Replaces the target of the channel; a delivery that is under way counts as not delivered.
    pub(super) fn with_channel(mut self, channel: NotifyChannel) -> ChannelState {
        self.alerts.retry_delivery();
        ChannelState {
            alerts: self.alerts,
            ..ChannelState::new(channel, None, Timestamp::default())
        }
    }

    pub(super) fn name(&self) -> &'static str {
        self.channel.name
    }

    pub(super) fn notify(&self) -> Arc<dyn Notifier> {
        Arc::clone(&self.channel.transport)
    }

    /// Returns the text of the last notification, for the log if it could not be delivered.
    pub(super) fn last_text(&self) -> String {
        self.last_try
            .as_ref()
            .map_or_else(String::new, |(facts, _)| alert_text(facts))
    }

    /// Returns true if a delivery is under way.
    pub(super) fn is_delivering(&self) -> bool {
        self.alerts.is_delivering()
    }

    /// Returns the marks of alerts that were delivered or seen; `None`: there never were any.
    pub(super) fn marks(&self) -> Option<BTreeSet<String>> {
        self.alerts.delivered_keys()
    }

    /// Takes in the board; returns the notification to deliver now. `None` while a delivery is under way: alerts that come meanwhile are
    /// delivered together afterwards, so that nothing ever queues.
    pub(super) fn next_notification(
        &mut self,
        now: NotifySituation,
        rules: NotifyRules,
        project: &str,
        model: &ReadModel,
    ) -> Option<Notification> {
        // A pause that seems to have begun later began before the clock was set back.
        self.pause.0 = self.pause.0.min(now.at);
        self.alerts.set_time(now.at);
        if !self.alerts.is_initialized() && self.not_before() > now.at {
            self.alerts.begin(model, rules.events);
            return None;
        }
        self.alerts
            .update(model, rules.events, rules.when.applies(now.away));
        if rules.when == AlertWhen::Never || (rules.when == AlertWhen::Away && !now.away) {
            self.alerts.mark_seen();
        }
        if now.quiet.is_some() || self.not_before() > now.at {
            return None;
        }
        let facts = self.alerts.begin_delivery(now.at, rules.pause)?;
        Some(self.notification(facts, project, now.at))
    }

    /// Returns the time at which the channel has something to do even if nothing changes.
    pub(super) fn due(&self, rules: NotifyRules, quiet: Option<Timestamp>) -> Option<Timestamp> {
        if !self.alerts.is_initialized() {
            return Some(self.not_before());
        }
        let due = self.alerts.next_due(rules.pause)?.max(self.not_before());
        Some(quiet.map_or(due, |end| end.max(due)))
    }

    /// Returns the end of the pause after a start or a failure.
    fn not_before(&self) -> Timestamp {
        let (since, length) = self.pause;
        since + length
    }

    /// Takes in the result of a delivery; returns the notice about it.
    pub(super) fn on_result(&mut self, at: Timestamp, result: Result<(), NotifyError>) -> Option<Notice> {
        let by = &self.channel.target;
        match result {
            Ok(()) => {
                self.alerts.confirm_delivery();
                (self.failures, self.last_try) = (0, None);
                let failure = self.reported_failure.take();
                failure.map(|_failure| notice(NoticeLevel::Info, format!("you can be reached again by {by}")))
            }
            Err(why) => {
                self.alerts.retry_delivery();
                self.failures = match why {
                    NotifyError::Temporary(_) => self.failures + 1,
                    NotifyError::Permanent(_) => RETRY_DELAYS.len(),
                };
                let step = self.failures.saturating_sub(1).min(RETRY_DELAYS.len() - 1);
                self.pause = (at, RETRY_DELAYS.get(step).copied().unwrap_or_default());
                let why = why.to_string();
                if self.failures < RETRY_DELAYS.len() || self.reported_failure.as_ref() == Some(&why) {
                    return None;
                }
                let text = format!("you cannot be reached by {by}: could not {why}");
                self.reported_failure = Some(why);
                Some(notice(NoticeLevel::Warning, text))
            }
        }
    }

    /// Returns the notification for these alerts: the same again, with the same id, when it is tried again.
    fn notification(&mut self, facts: Vec<Alert>, project: &str, now: Timestamp) -> Notification {
        let at = match &self.last_try {
            Some((before, at)) if *before == facts => *at,
            _ => now,
        };
        let notification = Notification {
            id: id(project, &facts, at),
            project: project.to_owned(),
            at,
            level: facts.iter().map(Alert::level).max().unwrap_or(NoticeLevel::Info),
            text: alert_text(&facts),
            redacted_text: redacted_alert_text(&facts),
            items: facts.iter().map(item).collect(),
        };
        self.last_try = Some((facts, at));
        notification
    }
}

fn item(fact: &Alert) -> NotificationItem {
    let (task, attempt, run) = match fact {
        Alert::NeedsPerson { task, attempt, .. } => (Some(task.clone()), *attempt, None),
        Alert::RunEnded { run, state, .. } => (None, None, Some((run.clone(), state.clone()))),
        Alert::News { task, .. } => (Some(task.clone()), None, None),
        Alert::Program { .. } => (None, None, None),
    };
    NotificationItem {
        kind: fact.kind(),
        task,
        attempt,
        run,
    }
}

fn id(project: &str, facts: &[Alert], at: Timestamp) -> String {
    let mut sum = Sha256::new()
        .chain_update(project)
        .chain_update(at.0.to_be_bytes());
    for fact in facts {
        sum = sum.chain_update(fact.key()).chain_update([0]);
    }
    let digest = sum.finalize();
    hex::encode(digest.get(..8).unwrap_or(&digest))
}

/// Returns a notice about a channel that does not work, or works again.
pub(super) fn notice(level: NoticeLevel, text: String) -> Notice {
    general_notice(level, NOTICE_KIND, text)
}

#[cfg(test)]
mod tests;
