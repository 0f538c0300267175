//! What is delivered over one channel, and when: pure, with times as numbers.

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

#[test]
fn after_a_restart_only_what_came_up_meanwhile_is_delivered() {
    let mut channel = channel();
    let one = board(&[("t-1", QUESTION)]);
    assert!(deliver(&mut channel, now(LATER), &one).is_some());
    let two = board(&[("t-1", QUESTION), ("t-2", QUESTION)]);
    assert!(
        channel
            .next_notification(now(LATER + 6_000), RULES, "shop", &two)
            .is_some()
    );
    // The server dies before it knows that t-2 was delivered.
    let kept = channel.marks();
    let start = Timestamp(LATER + 10_000);
    let mut next = ChannelState::new(notify_channel("command"), kept.clone(), start);
    // An agent that went on while there was no server has not reported again that it waits.
    assert_eq!(deliver(&mut next, now(start.0), &board(&[])), None);
    assert_eq!(next.marks(), kept, "a server that dies now has forgotten nothing");
    let three = board(&[("t-1", QUESTION), ("t-2", QUESTION), ("t-3", QUESTION)]);
    assert_eq!(
        deliver(&mut next, now(start.0), &three),
        None,
        "a moment for who starts it"
    );
    let due = next.due(RULES, None).unwrap();
    assert_eq!(due, start + START_DELAY);
    let text = deliver(&mut next, now(due.0), &three);
    assert_eq!(text.as_deref(), Some("2 need you: t-2 question, t-3 question"));
    let mut never = ChannelState::new(notify_channel("command"), None, start);
    assert_eq!(deliver(&mut never, now(start.0), &one), None);
    assert_eq!(never.marks(), None);
    assert_eq!(
        deliver(&mut never, now(due.0), &one).as_deref(),
        Some("needs you: t-1 question")
    );
}

#[test]
fn runs_that_ended_before_the_first_delivery_are_never_delivered() {
    let run = |state: crate::domain::RunState| {
        let batch = crate::domain::batch::Batch {
            id: "main".into(),
            title: String::new(),
            goal: String::new(),
            base: None,
            needs: BTreeSet::default(),
            go_ahead: None,
            run: state,
            base_moves: None,
            owed: None,
            job: None,
            options: crate::domain::RunOptions::default(),
            since: Timestamp(1),
        };
        ReadModel {
            batches: [(batch.id.clone(), Arc::new(batch))].into(),
            ..ReadModel::default()
        }
    };
    let done = run(crate::domain::RunState::Completed);
    let mut never = ChannelState::new(notify_channel("command"), None, Timestamp(0));
    assert_eq!(deliver(&mut never, now(LATER), &done), None);
    let mut channel = channel();
    assert_eq!(
        deliver(&mut channel, now(LATER), &run(crate::domain::RunState::Running)),
        None
    );
    let notification = channel
        .next_notification(now(LATER + 1), RULES, "shop", &done)
        .unwrap();
    assert_eq!(
        (notification.redacted_text.as_str(), notification.level),
        ("batch main: all done", NoticeLevel::Success)
    );
    assert_eq!(channel.on_result(Timestamp(LATER + 2), Ok(())), None);
    let mut next = ChannelState::new(notify_channel("command"), channel.marks(), Timestamp(LATER));
    assert_eq!(deliver(&mut next, now(LATER + 90_000), &done), None, "not again");
}

#[test]
fn a_failure_is_retried_with_growing_waits_and_reported_once() {
    let mut channel = channel();
    let one = board(&[("t-1", QUESTION)]);
    let (mut at, mut waits, mut ids, mut notices) = (LATER, Vec::new(), BTreeSet::new(), Vec::new());
    for failure in 1..=6 {
        let notification = channel.next_notification(now(at), RULES, "shop", &one).unwrap();
        ids.insert(notification.id);
        let failed = Err(NotifyError::Temporary(
            "post to https://x: it answered 500".to_owned(),
        ));
        let notice = channel.on_result(Timestamp(at), failed);
        notices.extend(notice.map(|notice| (failure, notice.text)));
        let due = channel.due(RULES, None).unwrap();
        assert_eq!(
            channel.next_notification(now(due.0 - 1), RULES, "shop", &one),
            None,
            "not before it is due"
        );
        waits.push((due.0 - at) / 1_000);
        at = due.0;
    }
    assert_eq!(waits, [5, 10, 60, 600, 600, 600], "the pause is the least");
    assert_eq!(ids.len(), 1, "who gets it twice can tell");
    let text = "you cannot be reached by notify-send: could not post to https://x: it answered 500";
    assert_eq!(
        notices,
        [(4, text.to_owned())],
        "once, when it was tried a few times"
    );
    let both = board(&[("t-1", QUESTION), ("t-2", QUESTION)]);
    let notification = channel.next_notification(now(at), RULES, "shop", &both).unwrap();
    assert!(!ids.contains(&notification.id), "it is another one");
    let notice = channel.on_result(Timestamp(at), Ok(())).unwrap();
    assert_eq!(notice.level, NoticeLevel::Info);
    assert_eq!(
        deliver(&mut channel, now(at + 90_000), &both),
        None,
        "it was delivered"
    );
}

#[test]
fn a_permanent_failure_is_reported_at_once_and_what_was_settled_is_not_retried() {
    let mut channel = channel();
    assert!(
        channel
            .next_notification(now(LATER), RULES, "shop", &board(&[("t-1", QUESTION)]))
            .is_some()
    );
    let refused = || {
        Err(NotifyError::Permanent(
            "start notify-send: there is no such program".to_owned(),
        ))
    };
    assert!(channel.on_result(Timestamp(LATER), refused()).is_some());
    let at = channel.due(RULES, None).unwrap().0;
    assert_eq!(
        deliver(&mut channel, now(at), &board(&[])),
        None,
        "it was settled"
    );
    assert_eq!(channel.due(RULES, None), None);
    assert!(
        channel
            .next_notification(now(at + 1), RULES, "shop", &board(&[("t-2", QUESTION)]))
            .is_some()
    );
    assert_eq!(channel.on_result(Timestamp(at), refused()), None, "known");
    // Another program: tried at once.
    let mut other = channel.with_channel(notify_channel("command"));
    let two = board(&[("t-2", QUESTION)]);
    let text = deliver(&mut other, now(at + 6_000), &two);
    assert_eq!(text.as_deref(), Some("needs you: t-2 question"));
}

#[test]
fn a_clock_that_is_set_back_lets_nobody_wait_longer_than_a_channel_pauses() {
    const HOUR: u64 = 3_600_000;
    let mut channel = channel();
    let one = board(&[("t-1", QUESTION)]);
    let tried = channel.next_notification(now(2 * HOUR), RULES, "shop", &one);
    assert!(tried.is_some());
    let failed = NotifyError::Temporary("the bus is gone".to_owned());
    channel.on_result(Timestamp(2 * HOUR), Err(failed));
    assert_eq!(
        deliver(&mut channel, now(HOUR), &one),
        None,
        "two seconds after a failure"
    );
    assert_eq!(channel.due(RULES, None), Some(Timestamp(HOUR + 5_000)));
    assert!(deliver(&mut channel, now(HOUR + 5_000), &one).is_some());

    let mut fresh = ChannelState::new(notify_channel("bell"), Some(BTreeSet::new()), Timestamp(2 * HOUR));
    assert_eq!(deliver(&mut fresh, now(HOUR), &one), None);
    assert_eq!(fresh.due(RULES, None), Some(Timestamp(HOUR) + START_DELAY));
    assert!(deliver(&mut fresh, now(HOUR + 5_000), &one).is_some());
}

/// A board on which these tasks are done and the others are at work.
fn work(done: &[u32]) -> ReadModel {
    let task = |number: u32| {
        let draft = TaskDraft::new(&format!("t-{number}"), "");
        let mut task = Task::planned(Timestamp(1), &draft, "work".into());
        if done.contains(&number) {
            task.state = TaskState::Done;
        }
        (task.id.clone(), Arc::new(task))
    };
    ReadModel {
        tasks: (0..100).map(task).collect(),
        ..ReadModel::default()
    }
}

#[test]
fn news_of_tasks_reach_a_channel_when_they_are_wanted_with_their_level_and_are_bounded() {
    let rules = NotifyRules {
        events: AlertEvents::All,
        ..RULES
    };
    let mut channel = channel();
    assert_eq!(
        channel.next_notification(now(LATER + 1), rules, "shop", &work(&[])),
        None
    );
    let sent = channel
        .next_notification(now(LATER + 2), rules, "shop", &work(&[7]))
        .unwrap();
    assert_eq!(
        (sent.redacted_text.as_str(), sent.level),
        ("t-7 is done", NoticeLevel::Success)
    );
    assert_eq!(
        (sent.items[0].kind, sent.items[0].task.clone()),
        ("done", Some("t-7".into()))
    );
    channel.on_result(Timestamp(LATER + 3), Ok(()));
    let all: Vec<u32> = (0..100).collect();
    let sent = channel
        .next_notification(now(LATER + 90_000), rules, "shop", &work(&all))
        .unwrap();
    assert_eq!(sent.items.len(), 64, "the oldest are left out");
    assert_eq!(
        channel.marks(),
        Some(BTreeSet::new()),
        "they are no state that a restart would repeat"
    );
}

#[test]
fn what_could_not_be_delivered_is_there_for_the_log() {
    let mut channel = channel();
    let one = board(&[("t-1", QUESTION)]);
    channel
        .next_notification(now(LATER + 1), RULES, "shop", &one)
        .unwrap();
    let gone = NotifyError::Permanent("start notify-send: it is not there".to_owned());
    let notice = channel.on_result(Timestamp(LATER + 2), Err(gone)).unwrap();
    assert!(
        notice
            .text
            .contains("could not start notify-send: it is not there"),
        "{}",
        notice.text
    );
    assert_eq!(channel.last_text(), "needs you: t-1 question: an agent's word");
}
