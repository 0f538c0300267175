//! Deliveries that fail: retries, pauses and what is reported of them.

use super::*;

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
