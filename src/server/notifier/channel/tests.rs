//! Deliveries over one channel and their times: pure, with times as numbers.

mod failures;
mod news;

use crate::domain::command::TaskDraft;
use crate::domain::{AttemptId, Task, TaskState};
use crate::ports::notify::CancelOutcome;
use crate::read_model::{AttentionItem, AttentionKind};
use crate::server::notifier::channel::*;

/// Test channel that is never used to deliver anything.
struct UnusedNotifier;

impl Notifier for UnusedNotifier {
    fn send(&self, _summons: &Notification) -> Result<(), NotifyError> {
        Ok(())
    }

    fn cancel(&self) -> CancelOutcome {
        CancelOutcome::AtTimeLimit
    }
}

fn notify_channel(name: &'static str) -> NotifyChannel {
    NotifyChannel {
        name,
        target: "notify-send".to_owned(),
        transport: Arc::new(UnusedNotifier),
    }
}

/// Far behind the moment after a start in which nothing is delivered.
const LATER: u64 = 100_000;
const RULES: NotifyRules = NotifyRules {
    when: AlertWhen::Away,
    events: AlertEvents::Needs,
    pause: Span(5_000),
};

fn board(items: &[(&str, AttentionKind)]) -> ReadModel {
    ReadModel {
        attention: items
            .iter()
            .map(|(task, kind)| AttentionItem {
                task: (*task).into(),
                attempt: Some(AttemptId(7)),
                kind: *kind,
                text: "an agent's word".to_owned(),
                since: Timestamp(1),
                ask: None,
            })
            .collect(),
        ..ReadModel::default()
    }
}

const QUESTION: AttentionKind = AttentionKind::Question;

fn now(at: u64) -> NotifySituation {
    NotifySituation {
        at: Timestamp(at),
        away: true,
        quiet: None,
    }
}

/// A channel that has delivered everything so far, and that is nothing.
fn channel() -> ChannelState {
    let mut channel = ChannelState::new(notify_channel("command"), Some(BTreeSet::new()), Timestamp(0));
    assert_eq!(
        channel.next_notification(now(LATER), RULES, "shop", &board(&[])),
        None
    );
    channel
}

fn deliver(channel: &mut ChannelState, now: NotifySituation, model: &ReadModel) -> Option<String> {
    let notification = channel.next_notification(now, RULES, "shop", model)?;
    assert_eq!(channel.on_result(now.at, Ok(())), None);
    Some(notification.redacted_text)
}

#[test]
fn a_person_away_from_the_screen_is_notified_once_and_one_who_looks_is_not() {
    let mut channel = channel();
    let one = board(&[("t-1", QUESTION)]);
    let notification = channel
        .next_notification(now(LATER + 1), RULES, "shop", &one)
        .unwrap();
    assert_eq!(notification.text, "needs you: t-1 question: an agent's word");
    assert_eq!(notification.redacted_text, "needs you: t-1 question");
    assert_eq!(
        (notification.level, notification.items.len()),
        (NoticeLevel::Alert, 1)
    );
    assert_eq!(
        channel.next_notification(now(LATER + 2), RULES, "shop", &one),
        None,
        "it is being delivered"
    );
    assert_eq!(channel.on_result(Timestamp(LATER + 3), Ok(())), None);
    assert_eq!(deliver(&mut channel, now(LATER + 90_000), &one), None, "once");
    let here = NotifySituation {
        away: false,
        ..now(LATER + 100_000)
    };
    let two = board(&[("t-1", QUESTION), ("t-2", AttentionKind::Failed)]);
    assert_eq!(deliver(&mut channel, here, &two), None, "they see it");
    assert_eq!(
        deliver(&mut channel, now(LATER + 200_000), &two),
        None,
        "they saw it"
    );
    let always = NotifyRules {
        when: AlertWhen::Always,
        ..RULES
    };
    let three = board(&[("t-3", AttentionKind::Failed)]);
    let notification = channel.next_notification(here, always, "shop", &three).unwrap();
    assert_eq!(notification.level, NoticeLevel::Error);
}

#[test]
fn what_comes_during_a_delivery_is_delivered_together_afterwards_without_what_was_settled() {
    let mut channel = channel();
    let at = LATER;
    assert!(
        channel
            .next_notification(now(at), RULES, "shop", &board(&[("t-1", QUESTION)]))
            .is_some()
    );
    for more in 0..100 {
        let id = format!("t-{more}");
        let many = board(&[("t-1", QUESTION), (&id, AttentionKind::Held)]);
        assert_eq!(
            channel.next_notification(now(at + 10_000), RULES, "shop", &many),
            None,
            "nothing queues"
        );
    }
    let left = board(&[
        ("t-1", QUESTION),
        ("t-8", QUESTION),
        ("t-9", AttentionKind::Approval),
    ]);
    assert_eq!(
        channel.next_notification(now(at + 20_000), RULES, "shop", &left),
        None
    );
    assert_eq!(channel.on_result(Timestamp(at + 20_001), Ok(())), None);
    let text = deliver(&mut channel, now(at + 20_002), &left);
    assert_eq!(text.as_deref(), Some("2 need you: t-8 question, t-9 approval"));
}

#[test]
fn quiet_hours_hold_back_what_waits_until_they_end() {
    let mut channel = channel();
    let end = Timestamp(LATER + 50_000);
    let quiet = NotifySituation {
        quiet: Some(end),
        ..now(LATER)
    };
    assert_eq!(
        deliver(
            &mut channel,
            quiet,
            &board(&[("t-1", QUESTION), ("t-2", QUESTION)])
        ),
        None
    );
    assert_eq!(channel.due(RULES, Some(end)), Some(end));
    let left = board(&[("t-2", QUESTION), ("t-3", QUESTION)]);
    assert_eq!(deliver(&mut channel, quiet, &left), None);
    let text = deliver(&mut channel, now(LATER + 50_000), &left);
    assert_eq!(text.as_deref(), Some("2 need you: t-2 question, t-3 question"));
}
