//! News of tasks and runs, also over a restart.

use super::*;

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
